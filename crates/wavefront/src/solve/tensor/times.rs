//! The laws of one mode, laid out for random access, and the sizes that follow from them.

use crate::model::law::Law;
use crate::model::{Laws, Model, Semantics};

/// Ticks beyond which a size is too large whatever it is.
const MOST_TICKS: usize = 1 << 40;

/// A law by ticks, without gaps.
pub(super) struct Spread {
    first: i64,
    pmf: Vec<f64>,
    cdf: Vec<f64>,
}

impl Spread {
    pub fn of(law: &Law) -> Spread {
        let first = law.least();
        let mut pmf = vec![0.0; (law.most() - first + 1) as usize];
        for (ticks, probability) in law.support() {
            pmf[(ticks - first) as usize] = *probability;
        }
        let mut sum = 0.0;
        let mut cdf: Vec<f64> = pmf
            .iter()
            .map(|probability| {
                sum += probability;
                f64::min(sum, 1.0)
            })
            .collect();
        if let Some(last) = cdf.last_mut() {
            *last = 1.0;
        }
        Spread { first: first as i64, pmf, cdf }
    }

    /// P(time = `ticks`).
    pub fn at(&self, ticks: i64) -> f64 {
        usize::try_from(ticks - self.first).ok().and_then(|place| self.pmf.get(place)).copied().unwrap_or(0.0)
    }

    /// P(time <= `ticks`), 1 exactly from the largest time on.
    pub fn up_to(&self, ticks: i64) -> f64 {
        match usize::try_from(ticks - self.first) {
            Ok(place) => self.cdf.get(place).copied().unwrap_or(1.0),
            Err(_) => 0.0,
        }
    }

    pub fn first(&self) -> i64 {
        self.first
    }

    pub fn last(&self) -> i64 {
        self.first + self.pmf.len() as i64 - 1
    }

    /// The values that are possible, with their probabilities.
    pub fn support(&self) -> impl Iterator<Item = (i64, f64)> + '_ {
        (self.first..).zip(&self.pmf).filter(|(_, probability)| **probability > 0.0).map(|(ticks, p)| (ticks, *p))
    }
}

/// Sizes that hold for all modes. "Behind" is how long before the end of the last alpha a process ended its own; an end
/// is the time from the end of the last alpha to the start of a process's next phase.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// Processes.
    pub size: usize,
    /// The largest lag of a state, against the process that starts last.
    pub lag: usize,
    /// By process: from how far behind on it makes no difference, at least 1.
    pub clip: Vec<usize>,
    /// By process: its latest end.
    pub latest: Vec<usize>,
    /// By process: the latest arrival of a message to it.
    pub arrival: Vec<usize>,
    /// By process: the longest wait.
    pub wait: Vec<usize>,
    /// From the start of the process that starts last to the end of the last alpha: least and most.
    pub turn: (i64, i64),
    /// Whether updates in progress are thrown away.
    pub abort: bool,
}

impl Shape {
    pub fn of(model: &Model) -> Shape {
        let size = model.size();
        let abort = model.semantics == Semantics::Abort;
        let most_update = |process: usize| model.modes.laws.iter().map(|laws| laws.update[process].most()).max();
        let link = |from: usize, to: usize| {
            model.modes.laws.iter().map(|laws| laws.message[from][to].most()).max().unwrap_or(0) as usize
        };
        let others = |process: usize| (0..size).filter(move |other| *other != process);
        let beta = |process: usize| model.processes[process].beta_updates as usize;
        let arrival: Vec<usize> =
            (0..size).map(|to| others(to).map(|from| link(from, to)).max().unwrap_or(0)).collect();
        let update = |process: usize| most_update(process).unwrap_or(1) as usize;
        let latest: Vec<usize> = (0..size)
            .map(|process| arrival[process] + if abort || beta(process) == 0 { 0 } else { update(process) - 1 })
            .collect();
        let clip = (0..size)
            .map(|from| {
                let felt = others(from).map(|to| link(from, to)).max().unwrap_or(0).max(1);
                if abort { felt } else { felt.max(beta(from).saturating_mul(update(from)).min(MOST_TICKS)) }
            })
            .collect();
        let lag = latest.iter().copied().max().unwrap_or(0);
        let alpha = |process: usize, edge: fn(&Law) -> u64| {
            let count = u64::from(model.processes[process].alpha_updates);
            model
                .modes
                .laws
                .iter()
                .map(move |laws| count.saturating_mul(edge(&laws.update[process])).min(MOST_TICKS as u64) as i64)
        };
        let least: Vec<i64> = (0..size).map(|process| alpha(process, Law::least).min().unwrap_or(1)).collect();
        let most: Vec<i64> = (0..size).map(|process| alpha(process, Law::most).max().unwrap_or(1)).collect();
        let earliest =
            least.iter().copied().min().unwrap_or(1).max(least.iter().copied().max().unwrap_or(1) - lag as i64);
        let turn = (earliest, most.iter().copied().max().unwrap_or(1));
        let wait = (0..size)
            .map(|process| {
                let last = others(process).map(|other| most[other]).max().unwrap_or(0);
                (last - least[process]).max(0) as usize + lag + arrival[process]
            })
            .collect();
        Shape { size, lag, clip, latest, arrival, wait, turn, abort }
    }

    /// How many numbers of iterations there can be but the largest.
    pub fn levels(&self, model: &Model) -> f64 {
        let least =
            |process: usize| model.modes.laws.iter().map(|laws| laws.update[process].least()).min().unwrap_or(1);
        let most = |process: usize| {
            let fit = self.wait[process] as u64 / least(process).max(1) + 1;
            u64::from(model.processes[process].alpha_updates)
                + fit.min(u64::from(model.processes[process].beta_updates))
        };
        let most = (0..self.size).map(most).max().unwrap_or(0);
        let alpha = model.processes.iter().map(|process| u64::from(process.alpha_updates)).max().unwrap_or(0);
        most.saturating_sub(alpha) as f64
    }

    /// Rows of the tables of alpha: one for each sum of turn and lag.
    pub fn rows(&self) -> usize {
        (self.turn.1 - self.turn.0 + 1) as usize + self.lag
    }
}

/// The laws of one mode.
pub(crate) struct Times {
    /// Of alpha, by process.
    pub alpha: Vec<Spread>,
    /// Of messages, by sender, then receiver.
    pub message: Vec<Vec<Spread>>,
}

impl Times {
    pub fn of(model: &Model, laws: &Laws) -> Times {
        let alpha = laws
            .update
            .iter()
            .zip(&model.processes)
            .map(|(law, process)| Spread::of(&law.convolved(process.alpha_updates)))
            .collect();
        let message = laws.message.iter().map(|row| row.iter().map(|law| Spread::of(law)).collect()).collect();
        Times { alpha, message }
    }
}

/// The law of the arrival of the last message at `to`, from the end of the last alpha on (0 for any before that), when
/// `leader` ended alpha last and the others were `behind`.
///
/// Subtraction-free, so that what cannot be is 0 exactly. Both slices have `arrival + 1` places.
pub(super) fn arrival(times: &Times, leader: usize, to: usize, behind: &[usize], law: &mut [f64], up_to: &mut [f64]) {
    if leader == to {
        law.fill(0.0);
        law[0] = 1.0;
        up_to.fill(1.0);
    } else {
        let message = &times.message[leader][to];
        for (place, (at, sum)) in law.iter_mut().zip(up_to.iter_mut()).enumerate() {
            *at = message.at(place as i64);
            *sum = message.up_to(place as i64);
        }
    }
    for (from, row) in times.message.iter().enumerate() {
        let (message, shift) = (&row[to], behind[from] as i64);
        if from == to || from == leader || shift >= message.last() {
            continue;
        }
        let mut before = 0.0;
        for (place, (at, sum)) in law.iter_mut().zip(up_to.iter_mut()).enumerate() {
            let ticks = place as i64 + shift;
            let below = message.up_to(ticks);
            *at = *at * below + before * message.at(ticks);
            before = *sum;
            *sum *= below;
        }
    }
}
