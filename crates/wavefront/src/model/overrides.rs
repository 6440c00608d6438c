//! Overrides of a model file by the options of a command.

use super::{Semantics, Tie};
use runcast_core::Problem;
use runcast_core::problem::shorten;

/// The most updates of a subphase.
pub(crate) const MOST_UPDATES: u32 = 1_000_000;

/// The overrides. The default leaves everything as in the file.
///
/// # Examples
/// ```
/// use runcast_wavefront::model::{Overrides, updates_of};
/// let overrides = Overrides { beta_updates: Some(updates_of("1,0,2", "--B")?), ..Overrides::default() };
/// assert_eq!(overrides.beta_updates, Some(vec![1, 0, 2]));
/// # Ok::<(), runcast_core::Problem>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// `--step`: seconds of a tick.
    pub step_s: Option<f64>,
    /// `--omega`: decimal digits.
    pub omega: Option<f64>,
    /// `--rho`: the spectral radius, in place of the file's or of its operator.
    pub rho: Option<f64>,
    /// `--semantics`.
    pub semantics: Option<Semantics>,
    /// `--tie`.
    pub tie: Option<Tie>,
    /// `--A`: one number for all processes, or one a process.
    pub alpha_updates: Option<Vec<u32>>,
    /// `--B`: likewise.
    pub beta_updates: Option<Vec<u32>>,
}

/// Numbers of updates as options give them: `2`, or `1,2,1`. `option` (`--A`, `--B`) determines the minimum: A is 1 or more.
///
/// # Errors
/// What is not a whole number from 0 (`--A`: from 1) to 1,000,000.
pub fn updates_of(text: &str, option: &str) -> Result<Vec<u32>, Problem> {
    let least = u32::from(option.ends_with('A'));
    text.split(',').map(|each| update_count(each, least).map_err(|problem| problem.at(option))).collect()
}

/// One number of updates.
pub(super) fn update_count(text: &str, least: u32) -> Result<u32, Problem> {
    let found = text.trim().parse().ok().filter(|count| (least..=MOST_UPDATES).contains(count));
    found.ok_or_else(|| {
        let shown = shorten(text.trim(), 40);
        let message = format!("\"{shown}\" is not a number of updates");
        Problem::new("out_of_range", message).value(shown).allowed(updates_allowed(least))
    })
}

pub(super) fn updates_allowed(least: u32) -> String {
    format!("a whole number from {least} to {MOST_UPDATES}")
}

/// One number a process, from one for all or one a process.
pub(super) fn spread(given: &[u32], processes: usize) -> Result<Vec<u32>, Problem> {
    match given {
        [one] => Ok(vec![*one; processes]),
        many if many.len() == processes => Ok(many.to_vec()),
        many => {
            let message = format!("{} numbers for {processes} processes", many.len());
            Err(Problem::new("length", message).allowed(format!("one number, or {processes}")))
        }
    }
}
