//! A hidden Markov model with normal emissions, independent over columns, fitted by Baum-Welch in logarithms.

use rayon::prelude::*;
use runcast_core::random::SplitMix;

/// Starts of the fit; the likeliest result counts.
const STARTS: u64 = 12;
const ITERATIONS: usize = 300;
/// The fit ends when the logarithm of the likelihood grows by less.
const GAIN_LEAST: f64 = 1e-7;
/// A variance is at least this share of that of all windows: a mode of one window alone would be infinitely likely.
const VARIANCE_LEAST: f64 = 1e-4;

/// Rows are windows, columns processes; none where a process has no sample.
type Observed = [Vec<Option<f64>>];

/// The model. Probabilities as logarithms.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hidden {
    start: Vec<f64>,
    step: Vec<Vec<f64>>,
    mean: Vec<Vec<f64>>,
    variance: Vec<Vec<f64>>,
}

/// A model with its likelihood.
#[derive(Debug, Clone)]
pub(super) struct Fit {
    pub hidden: Hidden,
    log_likelihood: f64,
}

/// Mean and variance of each column, over all windows.
struct Overall {
    mean: Vec<f64>,
    variance: Vec<f64>,
}

/// The likeliest model of several starts; none where nothing varies.
pub(super) fn fit(observed: &Observed, modes: usize, seed: u64) -> Option<Fit> {
    let overall = Overall::of(observed)?;
    let starts = if modes == 1 { 1 } else { STARTS };
    let improved = |start| Hidden::begin(observed, modes, &overall, seed, start).improve(observed, &overall);
    let fits: Vec<Fit> = (0..starts).into_par_iter().map(improved).collect();
    let best = fits.into_iter().max_by(|a, b| a.log_likelihood.total_cmp(&b.log_likelihood));
    best.filter(|fit| fit.log_likelihood.is_finite())
}

impl Fit {
    /// By how much the Bayesian information criterion is lower than that of another model.
    pub fn bic_gain(&self, other: &Fit, observed: &Observed) -> f64 {
        let bic = |fit: &Fit| {
            let (modes, columns) = (fit.hidden.mean.len(), fit.hidden.mean.first().map_or(0, Vec::len));
            let free = modes * modes - 1 + 2 * modes * columns;
            free as f64 * (observed.len() as f64).ln() - 2.0 * fit.log_likelihood
        };
        bic(other) - bic(self)
    }
}

impl Overall {
    fn of(observed: &Observed) -> Option<Overall> {
        let columns = observed.first()?.len();
        let column = |column: usize| observed.iter().filter_map(move |row| row[column]);
        let mean: Vec<f64> =
            (0..columns).map(|at| column(at).sum::<f64>() / column(at).count().max(1) as f64).collect();
        let spread = |at: usize| column(at).map(|value| (value - mean[at]).powi(2)).sum::<f64>();
        let variance: Vec<f64> = (0..columns).map(|at| spread(at) / column(at).count().max(1) as f64).collect();
        let most = variance.iter().copied().fold(0.0, f64::max);
        // A column that never changes gets a share of the others' variance: it then carries no information.
        let variance = variance.into_iter().map(|variance| variance.max(1e-9 * most)).collect();
        (most > 1e-18).then_some(Overall { mean, variance })
    }
}

impl Hidden {
    /// An initial model. The first start splits windows by size; the others take random windows as means.
    fn begin(observed: &Observed, modes: usize, overall: &Overall, seed: u64, start: u64) -> Hidden {
        let mut random = SplitMix::new(seed, start);
        let size = |row: &[Option<f64>]| -> f64 {
            row.iter()
                .enumerate()
                .map(|(at, value)| value.map_or(0.0, |value| (value - overall.mean[at]) / overall.variance[at].sqrt()))
                .sum()
        };
        let mut order: Vec<usize> = (0..observed.len()).collect();
        order.sort_by(|a, b| size(&observed[*a]).total_cmp(&size(&observed[*b])));
        let pick = |mode: usize, random: &mut SplitMix| match start {
            0 => order[(2 * mode + 1) * observed.len() / (2 * modes)],
            _ => random.below(observed.len()),
        };
        let mean = (0..modes)
            .map(|mode| {
                let row = &observed[pick(mode, &mut random)];
                row.iter().zip(&overall.mean).map(|(value, mean)| value.unwrap_or(*mean)).collect()
            })
            .collect();
        let stay: f64 = if modes == 1 { 1.0 } else { 0.95 };
        let leave = (1.0 - stay) / (modes.max(2) - 1) as f64;
        let row = |mode: usize| (0..modes).map(|next| if next == mode { stay.ln() } else { leave.ln() }).collect();
        Hidden {
            start: vec![-(modes as f64).ln(); modes],
            step: (0..modes).map(row).collect(),
            mean,
            variance: vec![overall.variance.iter().map(|variance| variance / modes as f64).collect(); modes],
        }
    }

    fn modes(&self) -> usize {
        self.start.len()
    }

    /// Baum-Welch until nothing is gained.
    fn improve(mut self, observed: &Observed, overall: &Overall) -> Fit {
        let mut log_likelihood = f64::NEG_INFINITY;
        for _ in 0..ITERATIONS {
            let emission = self.emission(observed);
            let (forward, backward) = (self.forward(&emission), self.backward(&emission));
            let now = forward.last().map_or(f64::NEG_INFINITY, |last| log_sum(last.iter().copied()));
            let is_done = now - log_likelihood < GAIN_LEAST;
            log_likelihood = now;
            if is_done || !now.is_finite() {
                break;
            }
            self = self.updated(observed, overall, &Passes { emission, forward, backward, log_likelihood });
        }
        Fit { hidden: self, log_likelihood }
    }

    /// log P(window | mode)
    fn emission(&self, observed: &Observed) -> Vec<Vec<f64>> {
        let density = |value: f64, mean: f64, variance: f64| {
            -0.5 * ((value - mean).powi(2) / variance + (std::f64::consts::TAU * variance).ln())
        };
        let of = |row: &[Option<f64>], mode: usize| -> f64 {
            let columns = row.iter().enumerate();
            columns
                .filter_map(|(at, value)| Some(density((*value)?, self.mean[mode][at], self.variance[mode][at])))
                .sum()
        };
        observed.iter().map(|row| (0..self.modes()).map(|mode| of(row, mode)).collect()).collect()
    }

    fn forward(&self, emission: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<f64>> = Vec::with_capacity(emission.len());
        for window in emission {
            let into = |mode: usize| match all.last() {
                None => self.start[mode],
                Some(last) => log_sum((0..self.modes()).map(|from| last[from] + self.step[from][mode])),
            };
            let next = (0..self.modes()).map(|mode| into(mode) + window[mode]).collect();
            all.push(next);
        }
        all
    }

    fn backward(&self, emission: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut all = vec![vec![0.0; self.modes()]; emission.len()];
        for window in (1..emission.len()).rev() {
            for mode in 0..self.modes() {
                let next = |to: usize| self.step[mode][to] + emission[window][to] + all[window][to];
                all[window - 1][mode] = log_sum((0..self.modes()).map(next));
            }
        }
        all
    }

    fn updated(&self, observed: &Observed, overall: &Overall, passes: &Passes) -> Hidden {
        let modes = self.modes();
        let weight: Vec<Vec<f64>> = (0..observed.len()).map(|window| passes.weight(window)).collect();
        let step = (0..modes).map(|from| self.updated_step(from, passes)).collect();
        let mut next = Hidden { start: weight[0].iter().map(|p| p.max(1e-300).ln()).collect(), step, ..self.clone() };
        for mode in 0..modes {
            for at in 0..overall.mean.len() {
                let known = || observed.iter().zip(&weight).filter_map(|(row, weight)| Some((row[at]?, weight[mode])));
                let sum: f64 = known().map(|(_, weight)| weight).sum();
                if sum < 1e-9 {
                    continue;
                }
                let mean = known().map(|(value, weight)| weight * value).sum::<f64>() / sum;
                let variance = known().map(|(value, weight)| weight * (value - mean).powi(2)).sum::<f64>() / sum;
                next.mean[mode][at] = mean;
                next.variance[mode][at] = variance.max(VARIANCE_LEAST * overall.variance[at]);
            }
        }
        next
    }

    fn updated_step(&self, from: usize, passes: &Passes) -> Vec<f64> {
        let pairs = |to: usize| {
            let at = |window: usize| {
                passes.forward[window - 1][from]
                    + self.step[from][to]
                    + passes.emission[window][to]
                    + passes.backward[window][to]
            };
            log_sum((1..passes.forward.len()).map(at)) - passes.log_likelihood
        };
        let row: Vec<f64> = (0..self.modes()).map(pairs).collect();
        let sum = log_sum(row.iter().copied());
        // A mode that nothing leaves, nor stays in, keeps what it had.
        if sum < -20.0 { self.step[from].clone() } else { row.into_iter().map(|value| value - sum).collect() }
    }

    /// The likeliest mode of each window, given all of them.
    pub fn viterbi(&self, observed: &Observed) -> Vec<usize> {
        let emission = self.emission(observed);
        let mut best: Vec<f64> =
            self.start.iter().zip(&emission[0]).map(|(start, emission)| start + emission).collect();
        let mut from: Vec<Vec<usize>> = Vec::with_capacity(emission.len());
        for window in &emission[1..] {
            let origin = |to: usize| {
                let value = |mode: usize| best[mode] + self.step[mode][to];
                (0..self.modes()).max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap_or(0)
            };
            let origins: Vec<usize> = (0..self.modes()).map(origin).collect();
            best =
                origins.iter().enumerate().map(|(to, mode)| best[*mode] + self.step[*mode][to] + window[to]).collect();
            from.push(origins);
        }
        let last = (0..self.modes()).max_by(|a, b| best[*a].total_cmp(&best[*b])).unwrap_or(0);
        let mut path = vec![last];
        for origins in from.iter().rev() {
            path.push(origins[path[path.len() - 1]]);
        }
        path.reverse();
        path
    }

    /// The chain over windows.
    pub fn transition(&self) -> Vec<Vec<f64>> {
        let row = |row: &Vec<f64>| {
            let row: Vec<f64> = row.iter().map(|p| p.exp()).collect();
            let sum: f64 = row.iter().sum();
            row.into_iter().map(|p| p / sum).collect()
        };
        self.step.iter().map(row).collect()
    }

    /// Modes from the fastest to the slowest.
    pub fn sorted(&self) -> Hidden {
        let size = |mode: usize| self.mean[mode].iter().sum::<f64>();
        let mut order: Vec<usize> = (0..self.modes()).collect();
        order.sort_by(|a, b| size(*a).total_cmp(&size(*b)));
        let picked = |rows: &[Vec<f64>]| order.iter().map(|mode| rows[*mode].clone()).collect::<Vec<_>>();
        let step = picked(&self.step).iter().map(|row| order.iter().map(|mode| row[*mode]).collect()).collect();
        Hidden {
            start: order.iter().map(|mode| self.start[*mode]).collect(),
            step,
            mean: picked(&self.mean),
            variance: picked(&self.variance),
        }
    }
}

/// Both passes over the windows.
struct Passes {
    emission: Vec<Vec<f64>>,
    forward: Vec<Vec<f64>>,
    backward: Vec<Vec<f64>>,
    log_likelihood: f64,
}

impl Passes {
    /// The probability of each mode in a window, given all windows.
    fn weight(&self, window: usize) -> Vec<f64> {
        let both = self.forward[window].iter().zip(&self.backward[window]);
        both.map(|(forward, backward)| (forward + backward - self.log_likelihood).exp()).collect()
    }
}

fn log_sum(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY { most } else { most + values.map(|value| (value - most).exp()).sum::<f64>().ln() }
}
