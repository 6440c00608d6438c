//! Modes or a level: what the windows of samples speak for, without being asked.
//!
//! ```text
//! y_k = x(t_k) + mu_(mode of k) + error of variance r_k      dx = sqrt(q) dB;  modes: a chain Q from window to window
//! BIC = -2 ln L + parameters ln n                             level: 1; S modes: (S - 1) + S (S - 1)
//! ```
//!
//! One filter gives the likelihood of all candidates: its state is the probability of each mode and a normal law of the
//! level. In a window each mode is weighed by what it says of y and corrects the level on its own; the mixture is then put
//! together by its first two moments. The first window only starts it.
//!
//! Source: J. D. Hamilton, *A new approach to the economic analysis of nonstationary time series*, Econometrica 57 (1989);
//! C.-J. Kim, *Dynamic linear models with Markov-switching*, Journal of Econometrics 60 (1994), for the filter that collapses.

use super::Observed;
use super::simplex::minimize;
use crate::markov::LongRun;
use serde::Serialize;
use std::f64::consts::TAU;

/// Variance of the level before anything is seen.
const UNKNOWN: f64 = 1e6;
/// Evaluations of each search, and starts of it.
const EVALUATIONS: usize = 400;
const STARTS: [f64; 3] = [1.0, 0.5, 2.0];
/// Within so much of the least criterion the candidate with the fewest parameters is taken.
const CLOSE: f64 = 2.0;
/// A level is taken rather than nothing within so much: to overlook one costs more than to have one.
const LEVEL_RATHER: f64 = 6.0;
/// Rounds of k-means.
const ROUNDS: usize = 50;

/// What the samples may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(into = "&'static str")]
pub struct Candidate {
    /// 1: no modes.
    pub modes: usize,
    pub level: bool,
}

/// The candidates, by what they assume.
const CANDIDATES: [Candidate; 6] = [
    Candidate { modes: 1, level: false },
    Candidate { modes: 1, level: true },
    Candidate { modes: 2, level: false },
    Candidate { modes: 3, level: false },
    Candidate { modes: 2, level: true },
    Candidate { modes: 3, level: true },
];

impl From<Candidate> for &'static str {
    fn from(candidate: Candidate) -> &'static str {
        match (candidate.modes, candidate.level) {
            (1, false) => "none",
            (1, true) => "level",
            (2, false) => "2 modes",
            (2, true) => "level + 2 modes",
            (_, false) => "3 modes",
            (_, true) => "level + 3 modes",
        }
    }
}

impl Candidate {
    fn parameters(self) -> usize {
        usize::from(self.level) + (self.modes - 1) * (1 + self.modes)
    }
}

/// A candidate, fitted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    pub model: Candidate,
    pub parameters: usize,
    pub log_likelihood: f64,
    pub bic: f64,
    /// The mean of the modes in each window, as far as the windows up to it know.
    #[serde(skip)]
    pub mode_means: Vec<f64>,
}

/// All candidates, and which one is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub judged: Vec<Judged>,
    pub taken: Candidate,
}

impl Choice {
    /// Fits all candidates to the windows.
    pub fn of(observed: &Observed) -> Choice {
        let judged: Vec<Judged> = CANDIDATES.into_iter().map(|candidate| judge(candidate, observed)).collect();
        let taken = taken(&judged);
        Choice { judged, taken }
    }

    /// The windows without the modes of a candidate, for what its level does.
    pub fn without_modes(&self, candidate: Candidate, observed: &Observed) -> Observed {
        let means = self.judged.iter().find(|one| one.model == candidate).map(|one| &one.mode_means);
        let mut rest = observed.clone();
        if let Some(means) = means.filter(|means| means.len() == rest.log_factor.len()) {
            let center = means.iter().sum::<f64>() / means.len() as f64;
            rest.log_factor.iter_mut().zip(means).for_each(|(y, mean)| *y -= mean - center);
        }
        rest
    }
}

/// The least criterion; within 2 of it the fewest parameters; a level rather than nothing within 6.
fn taken(judged: &[Judged]) -> Candidate {
    let least = judged.iter().map(|one| one.bic).fold(f64::INFINITY, f64::min);
    let close = judged.iter().filter(|one| one.bic <= least + CLOSE);
    let best = close
        .min_by(|a, b| (a.parameters, a.bic).partial_cmp(&(b.parameters, b.bic)).unwrap_or(std::cmp::Ordering::Equal));
    let Some(best) = best else { return CANDIDATES[1] };
    let level = judged.iter().find(|one| one.model == CANDIDATES[1]);
    match level {
        Some(level) if best.model == CANDIDATES[0] && level.bic <= best.bic + LEVEL_RATHER => level.model,
        _ => best.model,
    }
}

fn judge(model: Candidate, observed: &Observed) -> Judged {
    let starts: Vec<Vec<f64>> = STARTS.iter().map(|factor| start(model, observed, *factor)).collect();
    let cost = |at: &[f64]| -Shift::read(model, at).filter(observed).ln_likelihood;
    let best = starts
        .iter()
        .map(|start| minimize(start, EVALUATIONS, cost))
        .reduce(|best, next| if next.1 < best.1 { next } else { best });
    let filtered = Shift::read(model, &best.unwrap_or_default().0).filter(observed);
    let (parameters, windows) = (model.parameters(), observed.log_factor.len() as f64);
    let log_likelihood = filtered.ln_likelihood;
    Judged {
        model,
        parameters,
        log_likelihood,
        bic: -2.0 * log_likelihood + parameters as f64 * windows.ln(),
        mode_means: filtered.mode_means,
    }
}

/// Level and modes with their numbers.
#[derive(Debug, Clone)]
struct Shift {
    /// Variance that the level gains in a second \[1/s\].
    q: f64,
    /// The logarithm of each mode's factor; the first is 0.
    means: Vec<f64>,
    /// From window to window.
    transition: Vec<Vec<f64>>,
}

/// What the filter has seen.
struct Filtered {
    ln_likelihood: f64,
    mode_means: Vec<f64>,
}

impl Shift {
    /// From what is searched: ln q, the logarithms of the gaps between modes, and the logits of each row against staying.
    fn read(model: Candidate, at: &[f64]) -> Shift {
        let mut rest = at.iter().copied();
        let mut next = || rest.next().unwrap_or(0.0);
        let q = if model.level { next().exp() } else { 0.0 };
        let mut means = vec![0.0];
        for mode in 1..model.modes {
            means.push(means[mode - 1] + next().exp());
        }
        let row = |mode: usize, next: &mut dyn FnMut() -> f64| {
            let odds: Vec<f64> = (0..model.modes)
                .map(|other| if other == mode { 1.0 } else { next().clamp(-40.0, 40.0).exp() })
                .collect();
            let sum: f64 = odds.iter().sum();
            odds.iter().map(|odds| odds / sum).collect()
        };
        let transition = (0..model.modes).map(|mode| row(mode, &mut next)).collect();
        Shift { q, means, transition }
    }

    fn filter(&self, observed: &Observed) -> Filtered {
        let mut chances = LongRun::evenly_begun(&self.transition).law;
        let (mut level, mut variance) = (0.0, UNKNOWN);
        let mut found = Filtered { ln_likelihood: 0.0, mode_means: Vec::with_capacity(observed.times_s.len()) };
        for (window, (y, error)) in observed.log_factor.iter().zip(&observed.variance).enumerate() {
            if window > 0 {
                variance += self.q * (observed.times_s[window] - observed.times_s[window - 1]);
                chances = (0..chances.len())
                    .map(|to| chances.iter().zip(&self.transition).map(|(chance, row)| chance * row[to]).sum())
                    .collect();
            }
            let total = variance + error;
            let off: Vec<f64> = self.means.iter().map(|mean| y - level - mean).collect();
            // In logarithms, so that a window far from all modes is unlikely, not impossible.
            let logs: Vec<f64> =
                chances.iter().zip(&off).map(|(chance, off)| chance.ln() - 0.5 * off * off / total).collect();
            let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = logs.iter().map(|log| (log - largest).exp()).sum();
            if window > 0 {
                found.ln_likelihood += largest + sum.ln() - 0.5 * (TAU * total).ln();
            }
            chances = logs.iter().map(|log| (log - largest).exp() / sum).collect();
            let gain = variance / total;
            let corrected: Vec<f64> = off.iter().map(|off| level + gain * off).collect();
            level = chances.iter().zip(&corrected).map(|(chance, own)| chance * own).sum();
            let between: f64 = chances.iter().zip(&corrected).map(|(chance, own)| chance * (own - level).powi(2)).sum();
            variance = variance * (1.0 - gain) + between;
            found.mode_means.push(chances.iter().zip(&self.means).map(|(chance, mean)| chance * mean).sum());
        }
        found
    }
}

/// Where the search starts: modes by k-means of the windows, their chain by how often it changes.
fn start(model: Candidate, observed: &Observed, factor: f64) -> Vec<f64> {
    let y = &observed.log_factor;
    let mut at = Vec::new();
    if model.level {
        let changes: f64 = y.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum();
        let seconds = observed.length_s().max(f64::MIN_POSITIVE);
        at.push((factor * 0.5 * changes / seconds).max(1e-12).ln());
    }
    let (centers, of_window) = k_means(y, model.modes);
    at.extend(centers.windows(2).map(|pair| (factor * (pair[1] - pair[0])).max(1e-4).ln()));
    for mode in 0..model.modes {
        let leaves = |to: usize| of_window.windows(2).filter(|pair| pair[0] == mode && pair[1] == to).count() as f64;
        let stays = leaves(mode).max(0.5);
        at.extend(
            (0..model.modes).filter(|other| *other != mode).map(|other| (factor * leaves(other).max(0.5) / stays).ln()),
        );
    }
    at
}

/// Centers, ascending, and the center of each value.
fn k_means(values: &[f64], count: usize) -> (Vec<f64>, Vec<usize>) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let share = |k: usize| sorted.get((2 * k + 1) * sorted.len() / (2 * count)).copied().unwrap_or(0.0);
    let mut centers: Vec<f64> = (0..count).map(share).collect();
    let nearest = |centers: &[f64], value: f64| {
        let distance = |k: &usize| (centers[*k] - value).abs();
        (0..count).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    };
    for _ in 0..ROUNDS {
        let mut sums = vec![(0.0, 0.0); count];
        for value in values {
            let own = nearest(&centers, *value);
            sums[own] = (sums[own].0 + value, sums[own].1 + 1.0);
        }
        centers.iter_mut().zip(&sums).filter(|(_, sum)| sum.1 > 0.0).for_each(|(center, sum)| *center = sum.0 / sum.1);
    }
    centers.sort_by(f64::total_cmp);
    let of_window = values.iter().map(|value| nearest(&centers, *value)).collect();
    (centers, of_window)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of 8 windows, of which every other one is half a logarithm slower.
    fn blocks() -> Observed {
        let k = || (1..=40).map(f64::from);
        let y = |k: f64| 0.5 * (((k - 1.0) / 8.0).floor() % 2.0) + 0.02 * (1.7 * k).sin();
        Observed {
            times_s: k().map(|k| 5.0 * k).collect(),
            end_s: 202.5,
            log_factor: k().map(y).collect(),
            variance: vec![1e-3; 40],
            messages: false,
        }
    }

    /// Numbers of an independent script.
    #[test]
    fn the_filter_at_given_numbers() {
        let stays = vec![vec![0.9, 0.1], vec![0.1, 0.9]];
        let one = vec![vec![1.0]];
        for (q, means, transition, expected) in [
            (0.0, vec![0.0], one.clone(), -1105.928600),
            (4e-3, vec![0.0], one, 15.608003),
            (0.0, vec![0.0, 0.5], stays.clone(), 66.989514),
            (1e-4, vec![0.0, 0.5], stays, 57.787842),
        ] {
            let found = Shift { q, means, transition }.filter(&blocks()).ln_likelihood;
            assert!((found - expected).abs() < 1e-5, "q = {q}: {found}, expected {expected}");
        }
    }

    #[test]
    fn blocks_are_two_modes_without_a_level() {
        let choice = Choice::of(&blocks());
        assert_eq!(choice.taken, Candidate { modes: 2, level: false }, "{:?}", choice.judged);
        let rest = choice.without_modes(choice.taken, &blocks());
        let spread = rest.log_factor.iter().fold(0.0_f64, |most, y| most.max((y - rest.log_factor[0]).abs()));
        assert!(spread < 0.1, "{spread}");
    }

    #[test]
    fn a_walk_is_a_level_and_noise_alone_is_taken_for_one() {
        let mut observed = blocks();
        let mut random = runcast_core::random::SplitMix::new(1, 0);
        let mut x = 0.0;
        for y in &mut observed.log_factor {
            x += 0.2 * (random.uniform() - 0.5);
            *y = x;
        }
        assert!(Choice::of(&observed).taken.level);
        observed.log_factor.iter_mut().for_each(|y| *y = 0.05 * (random.uniform() - 0.5));
        assert_eq!(Choice::of(&observed).taken.modes, 1);
    }
}
