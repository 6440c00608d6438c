//! Constants of a formula, and the intervals in which each is valid.
//!
//! ```text
//! y = sum over k of c_k phi_k(x)          minimize  sum of (1 - sum c_k phi_k / y)^2
//! ```
//!
//! `y` is the median of a configuration's repetitions, `phi_k` are the factors of a
//! [`Template`](runcast_formula::template::Template). Where a program hits a limit of its machine, such as the size of
//! a cache, the constants change; [`fit`] finds where:
//!
//! | method | constants change | found by |
//! |---|---|---|
//! | single | nowhere | least squares |
//! | segments | all, at the same values of one expression | dynamic programming over all ways to cut |
//! | steps | each by itself, along several expressions | forward, then backward selection |
//!
//! Intervals come from a seeded bootstrap. Whatever the runs do not determine is refused, with a remedy ([`NoFit`]). The model, its
//! assumptions and the numbers checked are in docs/theory/call.md.
//!
//! ```
//! use runcast_call::piecewise::{Repeated, Samples, Settings, fit};
//! use runcast_core::{Configuration, Metric};
//! use runcast_formula::{Formula, template::Template};
//!
//! // 1 us + 2 ns n up to 4096, and 3 ns n + 5 us beyond.
//! let time_s = |n: f64| if n <= 4096.0 { 1e-6 + 2e-9 * n } else { 5e-6 + 3e-9 * n };
//! let sizes = (0..24).map(|i| (64.0 * 1.5f64.powi(i)).round());
//! let samples = Samples {
//!     group: Default::default(),
//!     metric: Metric::from_name("time_s").expect("a metric"),
//!     parameters: vec!["n".to_owned()],
//!     process_parameter: None,
//!     configurations: sizes.map(|n| Repeated::new(vec![n], vec![time_s(n)])).collect(),
//!     rejected: Default::default(),
//! };
//! let mut settings = Settings::new(Template::parse("F[0] + F[1]*n")?);
//! settings.segmentation = vec![Formula::parse("n")?];
//! let model = fit(&samples, &settings)?;
//!
//! assert_eq!(model.breaks().len(), 1);
//! assert!(model.breaks()[0].below <= 4096.0 && 4096.0 <= model.breaks()[0].above);
//! let target = Configuration::from_pairs(&samples.parameters, &[1e6]);
//! let (prediction, _) = model.predict(&target, 0.9)?;
//! let value = prediction.value.expect("a value");
//! assert!((value / time_s(1e6) - 1.0).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bootstrap;
mod check;
mod choice;
mod data;
mod document;
mod error;
mod family;
mod model;
mod parts;
mod predict;
mod refine;
mod regimes;
mod resample;
mod runs;
mod samples;
mod segments;
mod settings;
mod shape;
mod spread;
mod steps;
pub mod suggest;
mod triangle;
pub mod validate;
mod variables;
mod written;

pub use choice::Choice;
pub use document::{MODEL, REGIMES, is_of_llac};
pub use error::NoFit;
pub use family::Family;
pub use model::{Piecewise, fit, fit_with};
pub use parts::{Break, Constant, Piece, Where};
pub use samples::{Repeated, Samples};
pub use settings::{Method, SampleAggregate, Settings, Signs, Weights};
