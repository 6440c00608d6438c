//! The regressions, one per file.

pub mod amdahl;
pub mod barnes;
pub mod formula;
pub mod gaussian;
pub mod gustafson;
pub mod ka_chain;
pub mod ka_strong;
pub mod ka_wide;
pub mod log_linear;
pub mod mean;
pub mod mokrov;
mod multi_search;
pub mod one_term;
pub mod pmnf;
pub mod pmnf_multi;
pub mod pmnf_pt;
pub mod power;
pub mod profile;
pub mod relative;
pub mod search;
pub mod segmented;
pub mod usl;
pub mod weak;

use crate::sample::Sample;
use runcast_core::Warning;

/// The warning for a design whose columns cannot be separated.
fn rank_warning(rank: usize, columns: usize) -> Option<Warning> {
    (rank < columns).then(|| {
        Warning::new(
            "collinear",
            format!("the {columns} columns of the design have rank {rank}: these runs cannot separate their coefficients; vary the parameters independently"),
        )
    })
}

/// Refuses a grid.
fn one_dimension(sample: &Sample<'_>) -> Result<(), String> {
    if sample.dimensions.len() == 1 {
        return Ok(());
    }
    let names: Vec<&str> = sample.dimensions.iter().map(|&k| sample.series.parameters[k].as_str()).collect();
    Err(format!("it takes one parameter, and {} vary on their own: choose a line with --where", names.join(", ")))
}

/// Refuses more parameters than the search over grids takes.
fn four_dimensions(sample: &Sample<'_>) -> Result<(), String> {
    match sample.dimensions.len() {
        0..=4 => Ok(()),
        many => Err(format!("it takes up to 4 parameters that vary on their own, not {many}")),
    }
}
