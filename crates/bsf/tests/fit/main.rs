//! Fits to measured times: published numbers, properties, and how often intervals hold.

mod coverage;
mod made;
mod optimum;
mod published;
mod recovery;
