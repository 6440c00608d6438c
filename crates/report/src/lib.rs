//! Pictures and pages of runcast: plots with intervals as SVG, PNG and text for a terminal, and one HTML file that can
//! be read without a network.
//!
//! [`plot`] describes what to draw; [`svg`], [`png`] and [`terminal`] draw it. [`page`] holds headings, texts,
//! tables and plots and becomes HTML. [`fit_report`], [`evaluation_report`], [`comparison`], [`bsf_report`] and
//! [`wavefront_report`] turn what the methods return into plots and sections of a page.

pub mod bsf_report;
mod canvas;
mod chart;
pub mod comparison;
mod data_table;
pub mod evaluation_report;
pub mod fit_report;
mod html;
mod layers;
mod legend;
mod live;
pub mod number;
pub mod page;
mod palette;
pub mod piecewise_plot;
pub mod plot;
pub mod png;
mod rows;
mod scale;
mod scene;
pub mod spacetime;
pub mod svg;
pub mod terminal;
mod text;
mod thin;
pub mod warnings;
pub mod wavefront_report;
mod words;

pub use page::{Block, Page, Section};
pub use plot::Plot;
