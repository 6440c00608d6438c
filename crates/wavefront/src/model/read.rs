//! From a model file to a model: the one way in for every command.

use super::{Degree, Model, Overrides, file};
use crate::model::operator::polynomial::Polynomial;
use runcast_core::{Problem, Problems, Warning};
use std::path::Path;

/// The contents of a model file.
#[derive(Debug, Clone)]
pub struct Read {
    /// The model, with the overrides in place.
    pub model: Model,
    /// The degrees of asynchronism that the file names.
    pub degrees: Vec<Degree>,
    /// The program behind `[operator] polynomial = ..`; the model's operator is its bound.
    pub polynomial: Option<Polynomial>,
    /// The busy work of the samples, so that a run does the same.
    pub work: Option<Work>,
    /// What the user should know: `clipped`, `binning`, `binned_up`, `step_chosen`, `no_contraction` and others.
    pub warnings: Vec<Warning>,
    /// Defaults that were filled in, as readable sentences.
    pub notes: Vec<String>,
}

/// Busy work that an update has beside the operator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// Its time on an undisturbed core \[s\].
    pub time_s: f64,
    pub operations: u64,
}

/// Reads a model file.
///
/// `name` is what problems call it. Files that it names (samples, pmf, matrix, owner) are requested from `lookup` by the path
/// that is in the file, so that the caller decides relative to what, and can list them; each is asked for once.
/// A problem of `lookup` is reported at the position where the file is named.
///
/// # Errors
/// All errors, each with line and column if known; a wrong override is reported with its option.
///
/// # Examples
/// ```
/// use runcast_wavefront::model::{Overrides, read};
/// let text = "
///     [wavefront]
///     step = '0.5s'
///     rho = 0.8
///     [[process]]
///     update = { ticks = [2, 3], prob = [0.5, 0.5] }
///     [[process]]
///     name = 'slow'
///     update = { values = ['1s', '2s'], prob = [0.25, 0.75] }
///     [network]
///     default = { ticks = [1, 2], prob = [0.5, 0.5] }
/// ";
/// let read = read(text, "lab.toml", &mut |_| panic!("it names no file"), &Overrides::default())?;
/// assert_eq!(read.model.processes[0].name, "p1");
/// assert_eq!(read.model.modes.laws[0].update[1].support(), [(2, 0.25), (4, 0.75)]);
/// # Ok::<(), runcast_core::Problems>(())
/// ```
pub fn read(
    text: &str,
    name: &str,
    lookup: &mut dyn FnMut(&Path) -> Result<Vec<u8>, Problem>,
    overrides: &Overrides,
) -> Result<Read, Problems> {
    file::read(text, name, lookup, overrides)
}
