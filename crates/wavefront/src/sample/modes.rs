//! Modes of a machine, such as calm and busy, found in its samples.
//!
//! ```text
//! windows     means of all processes' updates over equal windows of time, as logarithms
//! hidden      one mode a window, a Markov chain; in each mode the logarithms are normal, independent of each other
//! fit         Baum-Welch from several seeded starts, the likeliest result counts; Viterbi finds each window's mode
//! laws        the samples of the windows of a mode; no form is assumed. Windows beside one of another mode are left
//!             out, for the change lies in one of them
//! Q           generator G = log(P)/width of the chain P over windows, then row by row by the mean phase of the mode:
//!             Q = exp(diag(E[Phi|mode]) G)
//! ```
//!
//! Modes last for a time, not for a number of phases, and phases in a busy mode are longer: hence the mean phase of
//! each mode, which a small simulation of the recursion \[C\] Eq. 6 with the samples themselves estimates (A = 1, B = 0).

mod generator;
mod hidden;
mod phases;
#[cfg(test)]
mod tests;

use super::series::{Series, Subject};
use super::table::Samples;
use super::windows::Windows;
use crate::markov::LongRun;
use hidden::{Fit, Hidden};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

pub use generator::{exponential, generator};

/// How modes are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FitOptions {
    /// How many there are.
    pub modes: usize,
    /// Samples of the sparsest process in a window.
    pub window: usize,
    /// Seed of the starts.
    pub seed: u64,
}

/// The default of [`FitOptions::window`]: enough to average over single samples, and short beside modes worth having.
pub const WINDOW: usize = 5;
/// Windows that are needed for each mode.
const WINDOWS_LEAST: usize = 20;
/// Windows that are looked at; of longer tables they are wider.
const WINDOWS_MOST: usize = 10_000;
/// Where fewer than this share of a mode's windows have neighbors of the same mode, all of them determine its law.
const CLEAR_LEAST: f64 = 0.2;
/// Names of modes, from the fastest.
const NAMES: [&str; 3] = ["calm", "busy", "heavy"];

/// Modes that were found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Modes {
    /// Their names, from the fastest to the slowest.
    #[serde(rename = "states")]
    pub names: Vec<String>,
    /// Q: the probability of the next phase's mode (column) given this one's (row).
    #[serde(rename = "Q")]
    pub transition: Vec<Vec<f64>>,
    /// The same from window to window.
    pub window_transition: Vec<Vec<f64>>,
    /// Windows of time, all of one mode each.
    #[serde(flatten)]
    pub windows: Windows,
    /// The mode of each window.
    #[serde(skip)]
    pub of_window: Vec<usize>,
    /// The same where the window is of one mode from its beginning to its end, as far as known.
    #[serde(skip)]
    pub clear: Vec<Option<usize>>,
    /// The share of windows in each mode.
    pub shares: Vec<f64>,
    /// The law of the mode in the long run, over phases.
    pub stationary: Vec<f64>,
    /// E\[Phi\] where a mode stays \[s\].
    pub phase_mean_s: Vec<f64>,
    /// Mean update of each process (inner) in each mode (outer) \[s\].
    pub update_mean_s: Vec<Vec<f64>>,
    /// By how much modes describe the windows better than one law: the fall of the Bayesian information criterion.
    /// Not above 0: there is nothing to be found.
    pub bic_gain: f64,
    /// Whether the chain over windows has a generator; if not, modes change faster than windows can resolve.
    #[serde(skip)]
    pub has_generator: bool,
}

/// Why there are no modes to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoModes {
    /// Samples have no start times, or the processes were not measured at the same time.
    NoCommonTime,
    /// There are too few windows.
    TooFew {
        /// The number found.
        windows: usize,
        /// The number needed.
        needed: usize,
    },
    /// All windows are the same.
    Constant,
    /// A mode was left without windows.
    Empty,
}

impl fmt::Display for NoModes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoModes::NoCommonTime => f.write_str("the updates of the processes have no time in common (start_s)"),
            NoModes::TooFew { windows, needed } => write!(f, "there are {windows} windows, and {needed} are needed"),
            NoModes::Constant => f.write_str("all windows have the same mean"),
            NoModes::Empty => f.write_str("a mode has no windows: there are fewer modes than asked for"),
        }
    }
}

impl std::error::Error for NoModes {}

/// Looks for modes.
///
/// # Errors
/// Why there are none to be found.
pub fn fit(series: &[Series], options: &FitOptions) -> Result<Modes, NoModes> {
    let processes: Vec<&Series> = series.iter().filter(|s| matches!(s.subject, Subject::Process(_))).collect();
    let windows = Windows::over(&processes, options.window).ok_or(NoModes::NoCommonTime)?.at_most(WINDOWS_MOST);
    let needed = WINDOWS_LEAST * options.modes;
    if windows.count < needed {
        return Err(NoModes::TooFew { windows: windows.count, needed });
    }
    let observed = observed(&processes, &windows);
    let one = hidden::fit(&observed, 1, options.seed).ok_or(NoModes::Constant)?;
    let found = hidden::fit(&observed, options.modes, options.seed).ok_or(NoModes::Constant)?;
    let bic_gain = found.bic_gain(&one, &observed);
    let Fit { hidden, .. } = found;
    let hidden = hidden.sorted();
    let of_window = hidden.viterbi(&observed);
    let share = |mode| of_window.iter().filter(|of| **of == mode).count() as f64 / windows.count as f64;
    let shares: Vec<f64> = (0..options.modes).map(share).collect();
    if shares.contains(&0.0) {
        return Err(NoModes::Empty);
    }
    Ok(described(series, &hidden, Classified { windows, of_window, shares, bic_gain }))
}

/// What is known once every window has its mode.
struct Classified {
    windows: Windows,
    of_window: Vec<usize>,
    shares: Vec<f64>,
    bic_gain: f64,
}

fn described(series: &[Series], hidden: &Hidden, classified: Classified) -> Modes {
    let Classified { windows, of_window, shares, bic_gain } = classified;
    let count = shares.len();
    let clear = clear(&of_window, count);
    let window_transition = hidden.transition();
    let phase_mean_s = phases::means(series, &windows, &clear, count);
    let (per_window, has_generator) = generator(&window_transition);
    let per_phase: Vec<Vec<f64>> = per_window
        .iter()
        .zip(&phase_mean_s)
        .map(|(row, phase_s)| row.iter().map(|rate| rate / windows.width_s * phase_s).collect())
        .collect();
    let transition = exponential(&per_phase);
    let name = |mode: usize| NAMES.get(mode).map_or_else(|| format!("mode{}", mode + 1), |name| (*name).to_owned());
    Modes {
        names: (0..count).map(name).collect(),
        update_mean_s: phases::update_means(series, &windows, &clear, count),
        stationary: LongRun::evenly_begun(&transition).law,
        windows,
        of_window,
        clear,
        shares,
        window_transition,
        transition,
        phase_mean_s,
        bic_gain,
        has_generator,
    }
}

/// Leaves out windows beside one of another mode, unless that leaves little of a mode.
fn clear(of_window: &[usize], modes: usize) -> Vec<Option<usize>> {
    let stays = |window: usize| {
        let (before, after) = (window.saturating_sub(1), (window + 1).min(of_window.len() - 1));
        of_window[before] == of_window[window] && of_window[after] == of_window[window]
    };
    let is_enough = |mode: usize| {
        let all = (0..of_window.len()).filter(|window| of_window[*window] == mode);
        let (stays, count) = all.fold((0, 0), |(sum, count), window| (sum + usize::from(stays(window)), count + 1));
        stays as f64 >= CLEAR_LEAST * f64::from(count)
    };
    let strict: Vec<bool> = (0..modes).map(is_enough).collect();
    let windows = of_window.iter().enumerate();
    windows.map(|(window, mode)| (!strict[*mode] || stays(window)).then_some(*mode)).collect()
}

/// Logarithms of window means: one row per window, one column per process.
fn observed(processes: &[&Series], windows: &Windows) -> Vec<Vec<Option<f64>>> {
    // Clocks do not resolve less than a nanosecond.
    let logarithm = |mean: Option<f64>| mean.map(|mean| mean.max(1e-9).ln());
    let means: Vec<Vec<Option<f64>>> = processes.iter().map(|series| windows.means(series)).collect();
    (0..windows.count).map(|window| means.iter().map(|process| logarithm(process[window])).collect()).collect()
}

impl Modes {
    /// Whether the samples of a series were taken during the windows, so that their modes are known.
    pub fn covers(&self, series: &Series) -> bool {
        let inside = (0..series.start_s.len()).filter(|index| self.windows.find(series.middle_s(*index)).is_some());
        !series.start_s.is_empty() && inside.count() * 10 >= series.start_s.len() * 9
    }

    /// Whether every mode has samples of a series.
    pub fn has_samples(&self, series: &Series) -> bool {
        let mode = |index: usize| self.clear[self.windows.nearest(series.middle_s(index))];
        let has = |wanted: usize| (0..series.start_s.len()).any(|index| mode(index) == Some(wanted));
        (0..self.names.len()).all(has)
    }

    /// Writes the mode of each sample into the table, where it is clear; old ones go.
    pub fn label(&self, series: &[Series], samples: &mut Samples) {
        let names: Vec<Arc<str>> = self.names.iter().map(|name| name.as_str().into()).collect();
        samples.rows.iter_mut().for_each(|row| row.mode = None);
        for series in series.iter().filter(|series| self.covers(series)) {
            for (index, row) in series.rows.iter().enumerate() {
                let mode = self.clear[self.windows.nearest(series.middle_s(index))];
                samples.rows[*row].mode = mode.map(|mode| Arc::clone(&names[mode]));
            }
        }
    }
}
