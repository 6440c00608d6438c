//! Moments of N and Phi in one phase of the long run.

use super::Chain;
use super::iterations::{Clock, Joint};
use crate::solve::solution::Moments;
use std::collections::BTreeMap;

/// Below this part of the mean a variance is nothing but rounding. Both N and Phi are whole numbers, whose variances
/// are not small unless their probabilities are.
pub(crate) const NOTHING: f64 = 1e-12;

/// What happens after each meeting; none where the meeting does not recur.
pub(super) struct Clocks(pub Vec<Option<Clock>>);

/// Means of N and Phi given the state at the start of the phase.
pub(super) struct Means {
    pub phase: f64,
    pub iterations: f64,
}

impl Clocks {
    /// Of the meetings that take place in the long run.
    pub fn new(chain: &Chain, meeting_law: &[f64]) -> Clocks {
        let clock = |(meeting, weight): (usize, &f64)| {
            (*weight > 0.0).then(|| Joint::new(&chain.model, chain.ends.row(meeting)).clock())
        };
        Clocks(meeting_law.iter().enumerate().map(clock).collect())
    }

    /// Given a state that recurs.
    pub fn means(&self, chain: &Chain, state: usize) -> Means {
        let mut means = Means { phase: 0.0, iterations: 0.0 };
        for departure in chain.departures(state) {
            if let Some(clock) = &self.0[departure.meeting] {
                means.phase += departure.probability * (departure.ticks as f64 + clock.ticks);
                means.iterations += departure.probability * clock.iterations;
            }
        }
        means
    }

    /// The law of N, given how often each meeting takes place.
    pub fn iterations_pmf(&self, meeting_law: &[f64]) -> Vec<(u64, f64)> {
        let mut pmf = BTreeMap::new();
        for (clock, weight) in self.0.iter().zip(meeting_law) {
            let Some(clock) = clock else { continue };
            for (iterations, probability) in (clock.least..).zip(&clock.pmf) {
                *pmf.entry(iterations).or_insert(0.0) += weight * probability;
            }
        }
        pmf.into_iter().filter(|(_, probability)| *probability > 0.0).collect()
    }

    /// Means, and centered moments, given how often each state is entered.
    pub fn moments(&self, chain: &Chain, law: &[f64]) -> Moments {
        let recurrent = || law.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        let (mut phase_mean, mut iterations_mean) = (0.0, 0.0);
        for (state, weight) in recurrent() {
            let means = self.means(chain, state);
            phase_mean += weight * means.phase;
            iterations_mean += weight * means.iterations;
        }
        let (mut phase_var, mut cov) = (0.0, 0.0);
        for (state, weight) in recurrent() {
            for departure in chain.departures(state) {
                let Some(clock) = &self.0[departure.meeting] else { continue };
                let away = departure.ticks as f64 + clock.ticks - phase_mean;
                phase_var += weight * departure.probability * (away * away + clock.ticks_var);
                cov += weight * departure.probability * (away * (clock.iterations - iterations_mean) + clock.cov);
            }
        }
        let pmf = self.iterations_pmf(&chain.meeting_law(law));
        let iterations_var = pmf.iter().map(|(iterations, p)| (*iterations as f64 - iterations_mean).powi(2) * p).sum();
        settled(Moments { phase_mean, phase_var, iterations_mean, iterations_var, cov }, [0.0; 2])
    }

    /// The law of Phi.
    pub fn phase_pmf(&self, chain: &Chain, law: &[f64]) -> Vec<(u64, f64)> {
        let mut departures: BTreeMap<(usize, i64), f64> = BTreeMap::new();
        for (state, weight) in law.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            for departure in chain.departures(state) {
                *departures.entry((departure.meeting, departure.ticks)).or_insert(0.0) +=
                    weight * departure.probability;
            }
        }
        let mut pmf: BTreeMap<u64, f64> = BTreeMap::new();
        for ((meeting, ticks), weight) in departures {
            for end in chain.ends(meeting, 0) {
                *pmf.entry(ticks.saturating_add_unsigned(end.after).unsigned_abs()).or_insert(0.0) +=
                    weight * end.probability;
            }
        }
        pmf.into_iter().filter(|(_, probability)| *probability > 0.0).collect()
    }
}

/// Variances that are nothing but rounding are 0, and so are covariances with them. `terms` are the sums of the sizes of
/// what the variances of Phi and N were summed from.
pub(crate) fn settled(moments: Moments, terms: [f64; 2]) -> Moments {
    let zero =
        |variance: f64, mean: f64, terms: f64| if variance <= NOTHING * mean.max(terms) { 0.0 } else { variance };
    let phase_var = zero(moments.phase_var, moments.phase_mean, terms[0]);
    let iterations_var = zero(moments.iterations_var, moments.iterations_mean, terms[1]);
    let cov = if phase_var == 0.0 || iterations_var == 0.0 { 0.0 } else { moments.cov };
    Moments { phase_var, iterations_var, cov, ..moments }
}
