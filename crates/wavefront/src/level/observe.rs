//! The level in the samples of updates.

use super::Observed;
use crate::sample::{Series, autocorrelation};
use runcast_core::statistics::{mean, sample_variance};

/// Updates of the slowest process in a window, at least.
const UPDATES: usize = 25;
/// Fewer windows do not show a level.
pub const LEAST_WINDOWS: usize = 6;
const MOST_WINDOWS: usize = 200;
/// Times that do not vary at all leave no window without a variance.
const LEAST_VARIANCE: f64 = 1e-12;
/// Correlations beyond this are taken as this: the variance of a mean would have no bound.
const MOST_CORRELATION: f64 = 0.95;

/// The level of the processes' updates in windows of equal length over the time in which all were measured.
///
/// ```text
/// y_k = ln( mean over processes of (window mean/process mean) )
/// r_k = sum_i v_i c_i/(n_ik m_i^2)/p^2        v_i: variance within windows, c_i = max(1, (1+r1_i)/(1-r1_i)), r1_i lag 1
/// ```
///
/// A process without an update in a window is left out of it. `most` windows at most. None where starts are not known or
/// there are fewer than 6 windows.
pub fn observed(processes: &[&Series], most: Option<usize>) -> Option<Observed> {
    let windows = cut(processes, most)?;
    let (start_s, width_s, count) = windows;
    let place = |middle_s: f64| {
        let place = (middle_s - start_s) / width_s;
        (0.0..=count as f64).contains(&place).then(|| (place as usize).min(count - 1))
    };
    let mut factors: Vec<Vec<(f64, f64)>> = vec![Vec::new(); count];
    for series in processes {
        let mut inside: Vec<Vec<f64>> = vec![Vec::new(); count];
        for index in 0..series.time_s.len() {
            if let Some(window) = place(series.middle_s(index)) {
                inside[window].push(series.time_s[index]);
            }
        }
        let own = mean(&series.time_s);
        let spread = within(&inside) / (own * own);
        for (window, times) in inside.iter().enumerate().filter(|(_, times)| !times.is_empty()) {
            factors[window].push((mean(times) / own, spread / times.len() as f64));
        }
    }
    let first = processes.iter().filter_map(|series| series.start_s.first()).copied().fold(f64::INFINITY, f64::min);
    let last = |series: &&Series| Some(series.start_s.last()? + series.time_s.last()?);
    let end_s = processes.iter().filter_map(last).fold(f64::NEG_INFINITY, f64::max) - first;
    let mut found = Observed { end_s, ..Observed::default() };
    for (window, factors) in factors.iter().enumerate().filter(|(_, factors)| !factors.is_empty()) {
        let count = factors.len() as f64;
        let factor: f64 = factors.iter().map(|(factor, _)| factor).sum::<f64>() / count;
        found.times_s.push(start_s - first + (window as f64 + 0.5) * width_s);
        found.log_factor.push(factor.ln());
        let variance = factors.iter().map(|(_, variance)| variance).sum::<f64>() / (count * count);
        found.variance.push(variance.max(LEAST_VARIANCE));
    }
    let is_known = found.log_factor.iter().chain(&found.variance).all(|value| value.is_finite());
    (found.times_s.len() >= LEAST_WINDOWS && is_known).then_some(found)
}

/// Start, width and number of the windows.
fn cut(processes: &[&Series], most: Option<usize>) -> Option<(f64, f64, usize)> {
    let is_known = processes.iter().all(|series| !series.start_s.is_empty());
    if processes.is_empty() || !is_known {
        return None;
    }
    let ends = |series: &&Series| Some((*series.start_s.first()?, series.start_s.last()? + series.time_s.last()?));
    let (start_s, end_s) = processes
        .iter()
        .filter_map(ends)
        .fold((f64::NEG_INFINITY, f64::INFINITY), |(a, b), (start, end)| (a.max(start), b.min(end)));
    let fewest = processes.iter().map(|series| series.time_s.len()).min()?;
    let count = most.unwrap_or(fewest / UPDATES).clamp(LEAST_WINDOWS, MOST_WINDOWS);
    let longest = processes.iter().map(|series| mean(&series.time_s)).fold(0.0, f64::max);
    // In less than three updates nothing has had time to change.
    (fewest >= 2 * LEAST_WINDOWS && end_s - start_s >= 3.0 * longest)
        .then(|| (start_s, (end_s - start_s) / count as f64, count))
}

/// Variance within windows, pooled, times what correlation within them adds to that of a mean.
fn within(windows: &[Vec<f64>]) -> f64 {
    let (mut squares, mut degrees) = (0.0, 0.0);
    let (mut correlation, mut weight) = (0.0, 0.0);
    for times in windows {
        if let Some(variance) = sample_variance(times) {
            squares += variance * (times.len() - 1) as f64;
            degrees += (times.len() - 1) as f64;
        }
        if let Some(r) = autocorrelation(times) {
            correlation += r * times.len() as f64;
            weight += times.len() as f64;
        }
    }
    let r = if weight > 0.0 { (correlation / weight).clamp(-MOST_CORRELATION, MOST_CORRELATION) } else { 0.0 };
    let variance = if degrees > 0.0 { squares / degrees } else { 0.0 };
    variance * ((1.0 + r) / (1.0 - r)).max(1.0)
}
