//! Whether samples satisfy the assumptions of the model: drawn afresh each time, by each process for itself, from a law
//! that stays.
//!
//! ```text
//! lag1      r of each series with itself one sample later       limit max(0.1, 3/sqrt(n))
//! cross     r of two processes, on window means aligned in time limit max(0.1, 3/sqrt(windows))
//! windows   largest over smallest of 10 window means            limit max(1.1, (1 + q s/2) / (1 - q s/2))
//! ```
//!
//! Of independent samples r is normal with standard deviation 1/sqrt(n), so that 3/sqrt(n) is passed once in 370
//! times; below 0.1 the spread changes by less than 10 %. Window means of independent samples have the relative
//! standard deviation s = (sd/mean) sqrt(10/n); their range over s is larger than q = 5.9733 once in 1,000 times
//! (studentized range of 10 normal values). A mean that changes by less than 10 % is not worth a warning.

use super::series::{Series, Subject};
use super::windows::Windows;
use runcast_core::Warning;
use runcast_core::statistics::{mean, population_sd, quantile_of_sorted, sample_variance};
use serde::Serialize;

/// Tests of the model's assumptions on the samples.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Diagnostics {
    /// Correlation of each series with itself one sample later.
    pub lag1: Vec<Lag1>,
    /// Correlation of the processes with each other.
    pub cross: Vec<Cross>,
    /// How much the means of processes change over time.
    pub windows: Vec<WindowRatio>,
}

/// Correlation of a series with itself one sample later.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lag1 {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// the sender of the link
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// and its receiver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The correlation; undefined where all samples are the same.
    pub r: Option<f64>,
    /// Beyond this it does not come from independent samples.
    pub limit: f64,
}

/// Correlation of two processes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cross {
    pub a: String,
    /// Another one.
    pub b: String,
    /// The correlation of their means; undefined where they were not measured at the same time, or never change.
    pub r: Option<f64>,
    /// Beyond this it does not come from independent processes; undefined with `r`.
    pub limit: Option<f64>,
}

/// How much the mean of a process changes over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WindowRatio {
    pub process: String,
    /// Largest over smallest of the means of [`WINDOWS`] windows; undefined of too few samples, or where one is 0.
    pub ratio: Option<f64>,
    /// Beyond this the law does not stay; undefined where nothing would be beyond.
    pub limit: Option<f64>,
}

/// Windows over each series for the ratio.
pub const WINDOWS: usize = 10;
/// Samples of the sparser process in a window, for the correlation of two.
const ALIGNED: usize = 10;
/// Minimum number of windows for a correlation.
const WINDOWS_LEAST: usize = 8;
/// Fewer samples leave the laws open: the top 5 % are then fewer than 100.
const SAMPLES_LEAST: usize = 2_000;
/// Correlations below this change the spread by less than 10 %.
const CORRELATION_LEAST: f64 = 0.1;
/// A larger correlation would make the spread of a sum more than 20 times that of independent ones.
const MOST_CORRELATION: f64 = 0.995;
/// Changes of a mean below this are not worth a warning.
const RATIO_LEAST: f64 = 1.1;
/// The range of 10 normal values over their standard deviation is above this once in 1,000 times.
const RANGE: f64 = 5.9733;
/// Samples are rare events beyond this share of them.
const TOP: f64 = 0.001;

/// Looks at all series.
pub fn diagnose(series: &[Series]) -> Diagnostics {
    let processes: Vec<&Series> = series.iter().filter(|s| matches!(s.subject, Subject::Process(_))).collect();
    let pairs =
        processes.iter().enumerate().flat_map(|(a, first)| processes[a + 1..].iter().map(move |b| (*first, *b)));
    Diagnostics {
        lag1: series.iter().map(lag1).collect(),
        cross: pairs.map(|(a, b)| cross(a, b)).collect(),
        windows: processes.iter().map(|series| window_ratio(series)).collect(),
    }
}

/// The factor by which the spread of a sum is larger than that of independent samples, for a correlation r that falls
/// geometrically: sqrt((1+r)/(1-r)).
pub fn spread_factor(r: f64) -> f64 {
    ((1.0 + r) / (1.0 - r)).max(0.0).sqrt()
}

/// The largest |r| that independent samples would show.
pub fn correlation_limit(count: usize) -> f64 {
    (3.0 / (count.max(1) as f64).sqrt()).max(CORRELATION_LEAST)
}

/// The correlation of two lists of equal length; none where one of them is constant.
fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sums = a.iter().zip(b).fold((0.0, 0.0, 0.0), |(aa, bb, ab), (a, b)| {
        let (a, b) = (a - mean_a, b - mean_b);
        (aa + a * a, bb + b * b, ab + a * b)
    });
    let is_constant = |sum: f64, mean: f64| sum <= (1e-12 * mean).powi(2) * a.len() as f64;
    let r = sums.2 / (sums.0.sqrt() * sums.1.sqrt());
    (!is_constant(sums.0, mean_a) && !is_constant(sums.1, mean_b) && r.is_finite()).then(|| r.clamp(-1.0, 1.0))
}

/// The autocorrelation at lag 1: sum (x_t - m)(x_{t+1} - m) / sum (x_t - m)^2.
pub(crate) fn autocorrelation(values: &[f64]) -> Option<f64> {
    let center = mean(values);
    let scale: f64 = values.iter().map(|value| (value - center).powi(2)).sum();
    let product: f64 = values.windows(2).map(|pair| (pair[0] - center) * (pair[1] - center)).sum();
    let is_constant = scale <= (1e-12 * center).powi(2) * values.len() as f64;
    Some(product / scale).filter(|r| values.len() >= 3 && !is_constant && r.is_finite())
}

fn lag1(series: &Series) -> Lag1 {
    let (r, limit) = (autocorrelation(&series.time_s), correlation_limit(series.time_s.len()));
    let (process, from, to) = match series.subject.clone() {
        Subject::Process(name) => (Some(name), None, None),
        Subject::Link { from, to } => (None, Some(from), Some(to)),
    };
    Lag1 { process, from, to, r, limit }
}

fn cross(a: &Series, b: &Series) -> Cross {
    let (mut r, mut limit) = (None, None);
    if let Some(windows) = Windows::over(&[a, b], ALIGNED) {
        let pairs = windows.means(a).into_iter().zip(windows.means(b));
        let (first, second): (Vec<f64>, Vec<f64>) = pairs.filter_map(|(a, b)| Some((a?, b?))).unzip();
        if first.len() >= WINDOWS_LEAST {
            r = correlation(&first, &second);
            limit = r.map(|_| correlation_limit(first.len()));
        }
    }
    Cross { a: a.subject.name(), b: b.subject.name(), r, limit }
}

fn window_ratio(series: &Series) -> WindowRatio {
    let (times, count) = (&series.time_s, series.time_s.len());
    let process = series.subject.name();
    if count < WINDOWS {
        return WindowRatio { process, ratio: None, limit: None };
    }
    let edge = |window: usize| window * count / WINDOWS;
    let means: Vec<f64> = (0..WINDOWS).map(|window| mean(&times[edge(window)..edge(window + 1)])).collect();
    let (least, most) = means.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), mean| (a.min(*mean), b.max(*mean)));
    let ratio = Some(most / least).filter(|ratio| ratio.is_finite());
    let spread = population_sd(times) / mean(times) * (WINDOWS as f64 / count as f64).sqrt();
    let half = 0.5 * RANGE * spread;
    let limit = (half < 1.0).then(|| ((1.0 + half) / (1.0 - half)).max(RATIO_LEAST));
    WindowRatio { process, ratio, limit }
}

impl Lag1 {
    /// Whether the samples are not independent.
    pub fn is_beyond(&self) -> bool {
        self.r.is_some_and(|r| r.abs() > self.limit)
    }

    /// `p1`, or `p1 -> p2`.
    pub fn name(&self) -> String {
        match (&self.process, &self.from, &self.to) {
            (Some(process), ..) => process.clone(),
            (None, from, to) => {
                format!("{} -> {}", from.as_deref().unwrap_or_default(), to.as_deref().unwrap_or_default())
            }
        }
    }
}

impl Cross {
    /// Whether the processes are not independent.
    pub fn is_beyond(&self) -> bool {
        self.r.zip(self.limit).is_some_and(|(r, limit)| r.abs() > limit)
    }
}

impl WindowRatio {
    /// Whether the law does not stay.
    pub fn is_beyond(&self) -> bool {
        self.ratio.zip(self.limit).is_some_and(|(ratio, limit)| ratio > limit)
    }
}

impl Diagnostics {
    /// By how much the spread of a run is larger than that of independent times, at least: sqrt((1+r)/(1-r)) of the largest
    /// correlation beyond its limit; 1 where none is.
    pub fn sigma_factor(&self) -> f64 {
        let serial =
            self.lag1.iter().filter(|lag1| lag1.is_beyond() && lag1.process.is_some()).filter_map(|lag1| lag1.r);
        let together = self.cross.iter().filter(|cross| cross.is_beyond()).filter_map(|cross| cross.r);
        let largest = serial.chain(together).fold(0.0, f64::max);
        spread_factor(largest.min(MOST_CORRELATION))
    }

    /// `not_independent` and `not_stationary`, one of each at most, with the worst case and what it means.
    pub fn warnings(&self) -> Vec<Warning> {
        [self.serial(), self.together(), self.drifting()].into_iter().flatten().collect()
    }

    fn serial(&self) -> Option<Warning> {
        let beyond: Vec<&Lag1> = self.lag1.iter().filter(|lag1| lag1.is_beyond()).collect();
        let worst = worst(&beyond, |lag1| lag1.r.map_or(0.0, f64::abs))?;
        let (r, limit) = (worst.r?, worst.limit);
        let many = others(beyond.len());
        let message = format!(
            "the times of {}{many} depend on the previous ones: correlation {r:.2}, of independent ones within {limit:.2}; {}",
            worst.name(),
            consequence(r)
        );
        Some(Warning::new("not_independent", message))
    }

    fn together(&self) -> Option<Warning> {
        let beyond: Vec<&Cross> = self.cross.iter().filter(|cross| cross.is_beyond()).collect();
        let worst = worst(&beyond, |cross| cross.r.map_or(0.0, f64::abs))?;
        let (r, limit) = (worst.r?, worst.limit?);
        let pairs = if beyond.len() > 1 { format!(" (and {} more)", beyond.len() - 1) } else { String::new() };
        let message = format!(
            "{} and {}{pairs} slow down together: correlation {r:.2}, of independent ones within {limit:.2}; {}",
            worst.a,
            worst.b,
            consequence(r)
        );
        let message = if r < 0.0 { message.replace("slow down together", "slow down in turn") } else { message };
        Some(Warning::new("not_independent", message))
    }

    fn drifting(&self) -> Option<Warning> {
        let beyond: Vec<&WindowRatio> = self.windows.iter().filter(|window| window.is_beyond()).collect();
        let worst = worst(&beyond, |window| window.ratio.unwrap_or(0.0))?;
        let (ratio, limit) = (worst.ratio?, worst.limit?);
        let own = self.lag1.iter().find(|lag1| lag1.process.as_ref() == Some(&worst.process));
        let factor = own.and_then(|lag1| lag1.r).filter(|r| *r > 0.0).map_or_else(String::new, |r| {
            format!(", by {:.2} at least (from its correlation {r:.2})", spread_factor(r))
        });
        let message = format!(
            "the mean update of {}{} changes over time: by a factor {ratio:.3} between tenths of the measurement, of one law within {limit:.3}; sigma will be too small{factor}; try --fit-modes 2 or 3, or measure longer",
            worst.process,
            others(beyond.len())
        );
        Some(Warning::new("not_stationary", message))
    }
}

/// The effect of a correlation on the spread of the run time.
fn consequence(r: f64) -> String {
    let factor = spread_factor(r);
    if r > 0.0 {
        let by = if factor < 1e3 { format!("{factor:.2}") } else { "more than 1000".to_owned() };
        format!("sigma will be too small, by a factor of about {by}; try --fit-modes 2 or 3")
    } else {
        format!("sigma will be too large, by a factor of about {:.2}", 1.0 / factor.max(1e-3))
    }
}

fn others(count: usize) -> String {
    if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() }
}

fn worst<'a, T>(all: &[&'a T], size: impl Fn(&T) -> f64) -> Option<&'a T> {
    all.iter().copied().max_by(|a, b| size(a).total_cmp(&size(b)))
}

/// Suggestions for better samples.
pub fn hints(series: &[Series]) -> Vec<Warning> {
    [few(series), long_tail(series), without_starts(series)].into_iter().flatten().collect()
}

fn few(series: &[Series]) -> Option<Warning> {
    let fewest = series.iter().min_by_key(|series| series.time_s.len())?;
    let count = fewest.time_s.len();
    (count < SAMPLES_LEAST).then(|| {
        let message = format!(
            "{} has {count} samples; {SAMPLES_LEAST} or more determine its law, and correlations above {CORRELATION_LEAST}",
            fewest.subject.name()
        );
        Warning::new("few_samples", message)
    })
}

/// A few late messages make many states, which cost time and say little.
fn long_tail(series: &[Series]) -> Option<Warning> {
    let links = series.iter().filter(|series| matches!(series.subject, Subject::Link { .. }));
    let stretched = links.filter_map(|series| Some((series, stretch(&series.time_s)?)));
    let (worst, factor) = stretched.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let message = format!(
        "the slowest 0.1 % of the messages {} make their range {factor:.1} times as long, and states grow with its power; clip = 0.999 removes them",
        worst.subject.name()
    );
    Some(Warning::new("long_tail", message))
}

/// By how much the top 0.1 % stretch a range, if they more than double it.
pub(super) fn stretch(times: &[f64]) -> Option<f64> {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let least = *sorted.first()?;
    let most = *sorted.last()?;
    let most_of_them = quantile_of_sorted(&sorted, 1.0 - TOP);
    let factor = (most - least) / (most_of_them - least);
    let is_enough = times.len() as f64 * TOP >= 1.0 && sample_variance(times).is_some_and(|variance| variance > 0.0);
    (is_enough && factor.is_finite() && factor > 2.0).then_some(factor)
}

fn without_starts(series: &[Series]) -> Option<Warning> {
    let lost = series.iter().find(|series| series.start_s.is_empty())?;
    let message = format!(
        "{} has samples without start_s: they are used in the order of the table, and it is unknown whether processes slow down together",
        lost.subject.name()
    );
    Some(Warning::new("no_start", message))
}

#[cfg(test)]
mod tests;
