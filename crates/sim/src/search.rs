//! Many simulations for one question: all combinations, coefficients that fit measured runs, the best placements.

pub mod calibrate;
pub mod exchanged;
pub mod optimize;
pub mod sweep;
