//! Covariances of N and Phi per phase over many phases, by the Poisson equation of the only class.
//!
//! ```text
//! f(s) = E[Phi|s] - E[Phi],   g = f + P g,   pi g = 0        (g_N likewise)
//! a_PhiPhi = Var Phi + 2 * sum over s, s' of pi_s E[(Phi - E Phi) 1{s'} | s] g(s')
//! a_NPhi   = Cov + sum of pi_s E[(Phi - E Phi) 1{s'} | s] g_N(s') + sum of pi_s E[(N - E N) 1{s'} | s] g(s')
//! ```
//!
//! Over many phases all processes take equally long, so Phi may be measured on the process that starts last instead of
//! process 1.
//! Then equal processes can change places, and the equation needs one state of each kind only.

use super::Chain;
use super::moments::settled;
use crate::markov::Only;
use crate::solve::solution::Moments;

/// What comes of a meeting: Phi, as far as it lies behind the meeting, and N.
#[derive(Clone, Copy, Default)]
struct After {
    ticks: f64,
    iterations: f64,
    ticks_var: f64,
    cov: f64,
}

/// Sums over the arrivals of a meeting, for one g: E\[g\], E\[ticks g\], E\[N g\].
#[derive(Clone, Copy, Default)]
struct Sums {
    plain: f64,
    ticks: f64,
    iterations: f64,
}

/// E\[(Phi - E Phi) g(s')\], E\[(N - E N) g(s')\], and the sums of their sizes state by state.
#[derive(Default)]
struct Lagged {
    phase: f64,
    iterations: f64,
    size: f64,
}

/// Phi measured on the process that starts last.
struct LastClock<'c> {
    chain: &'c Chain,
    only: &'c Only,
    /// The states that stand for their kind, with the weights of their kind.
    states: Vec<(usize, f64)>,
    after: Vec<Option<After>>,
    phase_mean: f64,
    iterations_mean: f64,
}

impl Chain {
    /// None where there are several classes.
    pub(super) fn asymptotic(&self, moments: &Moments) -> Option<Moments> {
        let clock = LastClock::new(self, self.classes.only.as_ref()?, moments);
        let (phase_var, cov) = clock.of_one_phase();
        let means = clock.means();
        let phase = clock.lagged(means.iter().map(|means| means.0).collect());
        let iterations = clock.lagged(means.iter().map(|means| means.1).collect());
        let sizes = [phase_var + phase.size, moments.iterations_var + iterations.size];
        let asymptotic = Moments {
            phase_var: phase_var + 2.0 * phase.phase,
            iterations_var: moments.iterations_var + 2.0 * iterations.iterations,
            cov: cov + iterations.phase + phase.iterations,
            ..*moments
        };
        Some(settled(asymptotic, sizes))
    }

    /// Ticks from process 1's start to the last start.
    fn last(&self, state: usize) -> f64 {
        self.states[state].offsets.iter().max().map_or(0.0, |offset| *offset as f64)
    }
}

impl<'c> LastClock<'c> {
    fn new(chain: &'c Chain, only: &'c Only, moments: &Moments) -> LastClock<'c> {
        let members = &chain.classes.list[0].members;
        let states = only.first.iter().zip(&only.law).map(|(first, weight)| (members[*first], *weight)).collect();
        let (phase_mean, iterations_mean) = (moments.phase_mean, moments.iterations_mean);
        let mut clock = LastClock { chain, only, states, after: Vec::new(), phase_mean, iterations_mean };
        clock.after = clock.after_meetings();
        clock
    }

    /// Of the meetings of the states that stand for their kind.
    fn after_meetings(&self) -> Vec<Option<After>> {
        let mut after = vec![None; self.chain.meetings.len()];
        for (state, _) in &self.states {
            for departure in self.chain.departures(*state) {
                after[departure.meeting].get_or_insert_with(|| self.after(departure.meeting));
            }
        }
        after
    }

    fn after(&self, meeting: usize) -> After {
        let arrivals = || self.chain.arrivals(meeting).iter();
        let ticks = |arrival: &super::Arrival| arrival.ticks as f64 + self.chain.last(arrival.state);
        let mean: f64 = arrivals().map(|arrival| arrival.probability * ticks(arrival)).sum();
        let iterations: f64 = arrivals().map(|arrival| arrival.iterations).sum();
        After {
            ticks: mean,
            iterations,
            ticks_var: arrivals().map(|arrival| arrival.probability * (ticks(arrival) - mean).powi(2)).sum(),
            cov: arrivals()
                .map(|arrival| (ticks(arrival) - mean) * (arrival.iterations - iterations * arrival.probability))
                .sum(),
        }
    }

    /// The ways from a state: ticks to the meeting, what comes after it, the meeting, the probability.
    fn ways(&self, state: usize) -> impl Iterator<Item = (f64, After, usize, f64)> {
        let last = self.chain.last(state);
        self.chain.departures(state).iter().map(move |departure| {
            let after = self.after[departure.meeting].unwrap_or_default();
            (departure.ticks as f64 - last, after, departure.meeting, departure.probability)
        })
    }

    /// E\[Phi|s\] and E\[N|s\], less their means.
    fn means(&self) -> Vec<(f64, f64)> {
        let of = |state: usize| {
            self.ways(state).fold((0.0, 0.0), |sums, (ticks, after, _, probability)| {
                let phase = ticks + after.ticks - self.phase_mean;
                (sums.0 + probability * phase, sums.1 + probability * (after.iterations - self.iterations_mean))
            })
        };
        self.states.iter().map(|(state, _)| of(*state)).collect()
    }

    /// Var Phi and Cov(N, Phi).
    fn of_one_phase(&self) -> (f64, f64) {
        let (mut variance, mut cov) = (0.0, 0.0);
        for (state, weight) in &self.states {
            for (ticks, after, _, probability) in self.ways(*state) {
                let away = ticks + after.ticks - self.phase_mean;
                variance += weight * probability * (away * away + after.ticks_var);
                cov += weight * probability * (away * (after.iterations - self.iterations_mean) + after.cov);
            }
        }
        (variance, cov)
    }

    fn lagged(&self, f: Vec<f64>) -> Lagged {
        // The mean once more, so that pi f = 0 to the last digit.
        let mean: f64 = f.iter().zip(&self.only.law).map(|(value, probability)| value * probability).sum();
        let g = self.only.elimination.poisson(f.into_iter().map(|value| value - mean).collect(), &self.only.law);
        let mut of_state = vec![0.0; self.chain.states.len()];
        let members = self.chain.classes.list[0].members.iter().zip(&self.only.places);
        members.for_each(|(state, place)| of_state[*state] = g[*place]);
        let mut sums: Vec<Option<Sums>> = vec![None; self.chain.meetings.len()];
        let mut lagged = Lagged::default();
        for (state, weight) in &self.states {
            let (mut phase, mut iterations) = (0.0, 0.0);
            for (ticks, _, meeting, probability) in self.ways(*state) {
                let sums = *sums[meeting].get_or_insert_with(|| self.sums(meeting, &of_state));
                phase += probability * ((ticks - self.phase_mean) * sums.plain + sums.ticks);
                iterations += probability * (sums.iterations - self.iterations_mean * sums.plain);
            }
            lagged.phase += weight * phase;
            lagged.iterations += weight * iterations;
            lagged.size += weight * (phase.abs() + iterations.abs());
        }
        lagged
    }

    fn sums(&self, meeting: usize, of_state: &[f64]) -> Sums {
        self.chain.arrivals(meeting).iter().fold(Sums::default(), |sums, arrival| {
            let value = of_state[arrival.state];
            let ticks = arrival.ticks as f64 + self.chain.last(arrival.state);
            Sums {
                plain: sums.plain + arrival.probability * value,
                ticks: sums.ticks + arrival.probability * ticks * value,
                iterations: sums.iterations + arrival.iterations * value,
            }
        })
    }
}
