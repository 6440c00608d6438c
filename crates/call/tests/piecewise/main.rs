//! Piecewise constants: published numbers, real sweeps, what is recovered from made data, and what must not matter.

mod greedy;
mod made;
mod properties;
mod published;
mod ranges;
mod recovery;
mod refusals;
mod regimes;
mod saved;
mod sweeps;
