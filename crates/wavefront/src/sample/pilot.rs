//! The real loop beside the samples: what a run takes is not what its updates and messages add up to.
//!
//! A process that blocks is preferred by the scheduler when it wakes, and processes that share cores are interrupted in turn:
//! times are then not drawn afresh, as the model has it, and a phase of the real loop is longer or shorter than the model
//! says. What was measured of the real loop corrects the times of the model by a factor, whose uncertainty all times of a run
//! have in common.

use super::series::{Series, Subject};
use crate::level::{Observed, observed};
use crate::model::Model;
use crate::run::Recording;
use crate::simulate::{MonteCarloOptions, monte_carlo};
use runcast_core::statistics::{mean, sample_variance};

/// Windows of the loop where no level names them.
const WINDOWS: usize = 20;
/// Seconds of one core that the model's own phases may take.
const SIMULATED_S: f64 = 0.2;

/// By how much the times of a model are to be multiplied.
#[derive(Debug, Clone, PartialEq)]
pub struct Pilot {
    /// The factor on the updates of each process.
    pub factors: Vec<f64>,
    /// The factor on all messages.
    pub messages: f64,
    /// The standard deviation of their common logarithm.
    pub log_sd: f64,
}

impl Pilot {
    /// From segments of samples S between which the real loop ran, P: `S P S P S`.
    ///
    /// ```text
    /// l_k = ln( mean update in P_k / sqrt(mean in S_k * mean in S_k+1) )      factor = exp(mean l), variance var(l)/n
    /// ```
    ///
    /// `sampled` and `real` hold the mean updates of each segment, by process. None without two segments of the loop, where
    /// their numbers do not fit, or where a mean is not above 0.
    ///
    /// # Examples
    /// ```
    /// use runcast_wavefront::sample::pilot::Pilot;
    /// let one = |means: &[f64]| means.iter().map(|mean| vec![*mean]).collect::<Vec<_>>();
    /// let pilot = Pilot::of_segments(&one(&[10.0, 10.4, 10.2, 9.9]), &one(&[6.1, 6.5, 6.0])).expect("segments");
    /// assert!((pilot.factors[0] - 0.608575).abs() < 1e-6 && (pilot.log_sd - 0.018177).abs() < 1e-6);
    /// ```
    pub fn of_segments(sampled: &[Vec<f64>], real: &[Vec<f64>]) -> Option<Pilot> {
        let processes = sampled.first()?.len();
        if real.len() < 2 || sampled.len() != real.len() + 1 {
            return None;
        }
        let log = |segment: usize, process: usize| {
            let [before, after] = [segment, segment + 1].map(|one| sampled[one].get(process).copied());
            let log = (real[segment].get(process)? / (before? * after?).sqrt()).ln();
            log.is_finite().then_some(log)
        };
        let of_process = |process| (0..real.len()).map(|segment| log(segment, process)).collect::<Option<Vec<f64>>>();
        let logs: Vec<Vec<f64>> = (0..processes).map(of_process).collect::<Option<_>>()?;
        let together = |segment: usize| mean(&logs.iter().map(|own| own[segment]).collect::<Vec<f64>>());
        let together: Vec<f64> = (0..real.len()).map(together).collect();
        Some(Pilot {
            messages: 1.0,
            factors: logs.iter().map(|own| mean(own).exp()).collect(),
            log_sd: (sample_variance(&together)? / real.len() as f64).sqrt(),
        })
    }
}

/// Phases of the real loop on its first process.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pace {
    /// When each began, on the clock of the samples \[s\].
    starts_s: Vec<f64>,
    /// How long each took \[s\].
    times_s: Vec<f64>,
}

/// How the phases of a model last, each in the long run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Their mean \[s\].
    pub phase_s: f64,
    /// The variance of sums, for each phase \[s^2\].
    pub variance_s2: f64,
}

impl Pace {
    /// None of fewer than two phases.
    pub fn of(recording: &Recording) -> Option<Pace> {
        let phases = &recording.processes.first()?.phases;
        let seconds = |nanos: u64| nanos as f64 / 1e9;
        let starts_s = phases.iter().map(|phase| seconds(phase.start)).collect();
        Pace::new(starts_s, phases.iter().map(|phase| seconds(phase.end - phase.start)).collect())
    }

    /// Phases that began and lasted so; none of fewer than two, or where their numbers differ.
    pub fn new(starts_s: Vec<f64>, times_s: Vec<f64>) -> Option<Pace> {
        (starts_s.len() > 1 && starts_s.len() == times_s.len()).then_some(Pace { starts_s, times_s })
    }

    /// Adds phases of later, whose clock is so long behind \[s\].
    pub fn append(&mut self, later: &Pace, behind_s: f64) {
        self.starts_s.extend(later.starts_s.iter().map(|start| start + behind_s));
        self.times_s.extend(&later.times_s);
    }

    /// A slowdown of the phases, messages and waiting included, in windows of time: the level of a run is that of its phases.
    pub fn level(&self, windows: Option<usize>) -> Option<Observed> {
        let phases = Series {
            subject: Subject::Process("phases".to_owned()),
            host: String::new(),
            start_s: self.starts_s.clone(),
            time_s: self.times_s.clone(),
            rows: Vec::new(),
        };
        Some(Observed { messages: true, ..observed(&[&phases], windows)? })
    }

    /// The mean of a phase \[s\].
    pub fn phase_s(&self) -> f64 {
        mean(&self.times_s)
    }

    /// The mean phase of each window of time, as a logarithm against that of all, without what the level says; with the mean
    /// number of phases in a window.
    fn unexplained(&self, level: Option<&Observed>) -> (Vec<f64>, f64) {
        let (Some(first_s), Some(last_s)) = (self.starts_s.first(), self.starts_s.last()) else {
            return (Vec::new(), 0.0);
        };
        let width_s = level.map_or((last_s - first_s) / WINDOWS as f64, Observed::window_s);
        let windows: Vec<(f64, f64)> = match level {
            Some(level) => level.times_s.iter().copied().zip(level.log_factor.iter().copied()).collect(),
            None => (0..WINDOWS).map(|window| ((window as f64 + 0.5) * width_s, 0.0)).collect(),
        };
        let (mut logs, mut phases) = (Vec::new(), 0);
        for (middle_s, log_factor) in windows {
            let place = |time_s: f64| self.starts_s.partition_point(|start| *start < first_s + time_s);
            let own = &self.times_s[place(middle_s - 0.5 * width_s)..place(middle_s + 0.5 * width_s)];
            if !own.is_empty() {
                logs.push((mean(own) / self.phase_s()).ln() - log_factor);
                phases += own.len();
            }
        }
        let each = phases as f64 / logs.len().max(1) as f64;
        (logs, each)
    }

    /// How well the pace is known, as the standard deviation of its logarithm; and by how much sums of phases spread more
    /// than those of the model do, at least 1.
    ///
    /// Both are from windows of time, without what the level explains.
    pub fn doubts(&self, level: Option<&Observed>, expected: Expected) -> (f64, f64) {
        let (logs, each) = self.unexplained(level);
        let Some(variance) = sample_variance(&logs) else { return (0.0, 1.0) };
        let of_model = expected.variance_s2 / (each * expected.phase_s * expected.phase_s);
        let factor = if of_model > 0.0 { (variance / of_model).sqrt().max(1.0) } else { 1.0 };
        ((variance / logs.len() as f64).sqrt(), factor)
    }
}

/// How the phases of a model last, by simulation; none where it never ends.
pub fn expected(model: &Model) -> Option<Expected> {
    let options = MonteCarloOptions::new(0).within_seconds(model, SIMULATED_S);
    let solution = monte_carlo(model, &options)?;
    let moments = solution.asymptotic.unwrap_or(solution.phase);
    let phase_s = solution.phase.phase_mean * model.step_s;
    let variance_s2 = moments.phase_var.max(0.0) * model.step_s * model.step_s;
    (phase_s > 0.0 && phase_s.is_finite()).then_some(Expected { phase_s, variance_s2 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    fn pace(phases: impl IntoIterator<Item = f64>) -> Pace {
        let times_s: Vec<f64> = phases.into_iter().collect();
        let starts_s = times_s.iter().scan(0.0, |next, time| Some(std::mem::replace(next, *next + time))).collect();
        Pace { starts_s, times_s }
    }

    #[test]
    fn the_factors_of_two_processes_have_one_uncertainty() {
        let sampled = vec![vec![1.0, 10.0], vec![1.0, 10.0], vec![1.0, 10.0]];
        let pilot = Pilot::of_segments(&sampled, &[vec![2.0, 20.0], vec![2.0, 80.0]]).expect("segments");
        assert!((pilot.factors[0] - 2.0).abs() < 1e-12 && (pilot.factors[1] - 4.0).abs() < 1e-12);
        // l = ln 2 and (ln 2 + ln 8)/2 = 2 ln 2: their mean has the standard deviation ln 2/2.
        assert!((pilot.log_sd - 0.5 * 2f64.ln()).abs() < 1e-12);
        assert_eq!(Pilot::of_segments(&sampled, &sampled), None);
        assert_eq!(Pilot::of_segments(&sampled, &[vec![2.0, 0.0], vec![2.0, 80.0]]), None);
    }

    /// 20 windows of 10 phases, in turn 9 and 11 ms: the logarithm is ln 0.9 and ln 1.1, almost.
    #[test]
    fn windows_tell_how_well_a_pace_is_known() {
        let phases = (0..200).map(|phase| if (phase / 10) % 2 == 0 { 9e-3 } else { 11e-3 });
        let pace = pace(phases);
        assert!((pace.phase_s() - 10e-3).abs() < 1e-12);
        let expected = Expected { phase_s: 10e-3, variance_s2: 1e-6 };
        let (log_sd, factor) = pace.doubts(None, expected);
        // Windows of equal time cut some of the blocks.
        assert!((0.015..0.024).contains(&log_sd), "{log_sd}");
        // Ten independent phases would spread by 1 ms/sqrt(10), 3.2 %.
        assert!((2.0..3.4).contains(&factor), "{factor}");
        // A level that says just that leaves nothing.
        let edge = |block: u32| f64::from(block / 2) * 0.2 + f64::from(block % 2) * 0.09;
        let level = Observed {
            times_s: (0..20).map(|block| 0.5 * (edge(block) + edge(block + 1))).collect(),
            end_s: 2.0,
            log_factor: (0..20).map(|block| if block % 2 == 0 { 0.9f64.ln() } else { 1.1f64.ln() }).collect(),
            variance: vec![1e-4; 20],
            messages: false,
        };
        let (known, factor) = pace.doubts(Some(&level), expected);
        assert!(known < 0.3 * log_sd && factor < 1.3, "{known} {factor}");
    }

    #[test]
    fn the_phases_of_a_model_are_known() {
        // Phi = 1 + 2 Bernoulli(3/4), independent: mean 2.5, variance 0.75.
        let found = expected(&cases::barrier()).expect("phases");
        let step_s = cases::barrier().step_s;
        assert!((found.phase_s / step_s - 2.5).abs() < 5e-3, "{found:?}");
        assert!((found.variance_s2 / (step_s * step_s) - 0.75).abs() < 0.05, "{found:?}");
    }
}
