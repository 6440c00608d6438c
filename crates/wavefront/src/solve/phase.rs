//! One phase, in two stages: from a wavefront to the end of alpha, and from there to the next wavefront.
//!
//! Given the ends Y_i of alpha, what the processes do next is independent from process to process ([`Phase::ends`]). And
//! of the Y_i only little matters: how far each is behind the leader, the last of them, up to a depth beyond which more
//! makes no difference. So every chain is built of two sparse stages, departures and ends, and the law of
//! alpha never multiplies with the laws of the messages.
//!
//! ```text
//! Y_i = X_i + alpha_i,  Y* = max Y_i,  behind_i = min(Y* - Y_i, depth_i)
//! P(W_i - Y* <= t) = product over j != i of F_{j->i}(t + behind_j)                     (from \[C\] Eq. 6)
//! depth_i = max(longest message of i, B_i * longest update of i + 1 where B_i > 0)
//! ```
//!
//! A message of i that takes at most as long as i is behind the leader arrives before anything of the leader's, and no
//! sooner than the leader's own end of alpha; with a wait longer than B_i updates all of them are done.

mod behind;
mod size;
mod waiting;

use crate::model::Model;
use crate::model::law::Law;
pub use size::TooLarge;
use std::collections::BTreeMap;
use std::sync::Arc;
use waiting::Waiting;

pub(crate) use behind::{Behind, Rows};

/// The processes at the instant when the last of them ends alpha.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Meeting {
    /// The mode of the phase.
    pub mode: usize,
    /// Ticks before that instant at which each ended its own (0 for the leader), at most the depth beyond which more
    /// makes no difference.
    pub behind: Vec<u32>,
}

/// A way from a wavefront to the end of alpha.
#[derive(Debug, Clone, PartialEq)]
pub struct Departure {
    /// How far the processes are apart then.
    pub meeting: Meeting,
    /// Ticks from the start of the phase on process 1 to the instant when the leader ends alpha.
    pub ticks: i64,
    /// How likely it is.
    pub probability: f64,
}

/// A way of one process from the end of alpha to the end of its phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct End {
    /// Ticks from the instant when the leader ended alpha to the end of the phase of this process.
    pub after: u64,
    /// Updates in beta that count.
    pub updates: u32,
    /// How likely it is.
    pub probability: f64,
}

/// One phase of a model, in every mode.
///
/// # Examples
/// ```
/// use runcast_wavefront::cases;
/// use runcast_wavefront::solve::phase::Phase;
/// let model = cases::two_point();
/// let phase = Phase::new(&model).unwrap();
/// let departures = phase.departures(0, &[0, 0]);
/// let sum: f64 = departures.iter().map(|departure| departure.probability).sum();
/// assert!((sum - 1.0).abs() < 1e-12);
/// let ends = phase.ends(&departures[0].meeting, 1);
/// let sum: f64 = ends.iter().map(|end| end.probability).sum();
/// assert!((sum - 1.0).abs() < 1e-12);
/// ```
#[derive(Debug)]
pub struct Phase<'m> {
    model: &'m Model,
    modes: Vec<Stage<'m>>,
}

/// What a phase is made of in one mode.
#[derive(Debug)]
struct Stage<'m> {
    alpha: Vec<Law>,
    depth: Vec<u32>,
    /// By receiver, then sender.
    messages: Vec<Vec<Steps<'m>>>,
    waiting: Vec<Waiting<'m>>,
    has_sends: bool,
}

/// A law with its cumulative sums.
#[derive(Debug)]
struct Steps<'m> {
    law: &'m Law,
    sums: Arc<Vec<f64>>,
}

impl<'m> Phase<'m> {
    /// Takes the offsets that can occur from the model's start; others may be asked for as long as they are not wider
    /// apart than these.
    ///
    /// # Errors
    /// The law of alpha, or of the updates in a wait, has too many values.
    pub fn new(model: &'m Model) -> Result<Phase<'m>, TooLarge> {
        let modes = (0..model.modes.count()).map(|mode| Stage::new(model, mode)).collect::<Result<_, _>>()?;
        Ok(Phase { model, modes })
    }

    /// The model it is a phase of.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Ticks behind the leader beyond which more makes no difference, process by process.
    pub fn depth(&self, mode: usize) -> &[u32] {
        &self.modes[mode].depth
    }

    /// The law of alpha, the time of A_i updates.
    pub fn alpha(&self, mode: usize, process: usize) -> &Law {
        &self.modes[mode].alpha[process]
    }

    /// All ways from a wavefront to the end of alpha, by ticks, each once; their probabilities sum to 1. Offsets count from process
    /// 1.
    pub fn departures(&self, mode: usize, offsets: &[i64]) -> Vec<Departure> {
        let mut found = Vec::new();
        let visit = |ticks: i64, rows: &Rows| {
            found.extend(rows.iter().map(|(behind, probability)| {
                let meeting = Meeting { mode, behind: behind.to_vec() };
                Departure { meeting, ticks, probability }
            }));
            Ok(())
        };
        // Without a limit it cannot fail.
        let _ = self.departures_within(mode, offsets, u64::MAX, visit);
        found
    }

    /// The same, all departures of one time at once, stopping before there are more than `limit`, or where `visit` wants to.
    pub(crate) fn departures_within(
        &self,
        mode: usize,
        offsets: &[i64],
        limit: u64,
        visit: impl FnMut(i64, &Rows) -> Result<(), TooLarge>,
    ) -> Result<(), TooLarge> {
        let stage = &self.modes[mode];
        Behind { offsets, alpha: &stage.alpha, depth: &stage.depth }.visit(limit, visit)
    }

    /// The longest wait of a process that makes a difference.
    pub(crate) fn longest_wait(&self, mode: usize, process: usize) -> u64 {
        self.modes[mode].waiting[process].longest()
    }

    /// The law of alpha of every process.
    pub(crate) fn alphas(&self, mode: usize) -> &[Law] {
        &self.modes[mode].alpha
    }

    /// The law of how long a process goes on after the last message, where it waited for it for this many ticks.
    pub(crate) fn overruns(&self, mode: usize, process: usize, wait: i64) -> Vec<(i64, f64)> {
        let waiting = &self.modes[mode].waiting[process];
        let mut law = BTreeMap::new();
        for beta in waiting.of(wait.max(0).unsigned_abs().min(waiting.longest())).iter() {
            *law.entry(beta.overrun as i64).or_insert(0.0) += beta.probability;
        }
        law.into_iter().collect()
    }

    /// The law of the updates of a process that count after a wait of this many ticks: P(none), P(one), .. Waits longer than
    /// anything that can happen are as good as the longest.
    pub(crate) fn updates_in(&self, mode: usize, process: usize, wait: u64) -> Vec<f64> {
        let waiting = &self.modes[mode].waiting[process];
        let mut law = Vec::new();
        for beta in waiting.of(wait.min(waiting.longest())).iter() {
            law.resize(law.len().max(beta.updates as usize + 1), 0.0);
            law[beta.updates as usize] += beta.probability;
        }
        law
    }

    /// All ways of a process from a meeting to the end of its phase, by time, then updates; their probabilities sum to
    /// 1. Given the meeting those of different processes are independent.
    pub fn ends(&self, meeting: &Meeting, process: usize) -> Vec<End> {
        let stage = &self.modes[meeting.mode];
        let own = u64::from(meeting.behind[process]);
        let mut ends = Vec::new();
        for (last, probability) in stage.last_message(&meeting.behind, process) {
            for beta in stage.waiting[process].of(last + own).iter() {
                let probability = probability * beta.probability;
                ends.push(End { after: last + beta.overrun, updates: beta.updates, probability });
            }
        }
        ends.sort_by_key(|end| (end.after, end.updates));
        ends.dedup_by(|next, kept| {
            let same = (next.after, next.updates) == (kept.after, kept.updates);
            if same {
                kept.probability += next.probability;
            }
            same
        });
        ends.retain(|end| end.probability > 0.0);
        ends
    }
}

impl<'m> Stage<'m> {
    fn new(model: &'m Model, mode: usize) -> Result<Stage<'m>, TooLarge> {
        let (laws, processes) = (&model.modes.laws[mode], model.size());
        let others = |process: usize| (0..processes).filter(move |other| *other != process);
        let alpha: Vec<Law> = (model.processes.iter().zip(&laws.update))
            .map(|(process, update)| size::convolved(update, process.alpha_updates))
            .collect::<Result<_, _>>()?;
        let reach = size::reach(model);
        let longest = alpha.iter().map(Law::most).max().unwrap_or(0);
        let mut depth = Vec::with_capacity(processes);
        let mut waiting = Vec::with_capacity(processes);
        for (index, process) in model.processes.iter().enumerate() {
            // To oneself, too: what is left of the sends.
            let own = if model.has_sends { laws.message[index][index].most() } else { 0 };
            let longest_message = others(index).map(|to| laws.message[index][to].most()).max().unwrap_or(0).max(own);
            let update = &*laws.update[index];
            let all_done = match process.beta_updates {
                0 => 0,
                most => u64::from(most).saturating_mul(update.most()).saturating_add(1),
            };
            let possible = reach.saturating_add(longest - alpha[index].least());
            let deep = longest_message.max(all_done).min(possible);
            let deep =
                u32::try_from(deep).map_err(|_| TooLarge::new("ticks between the processes", u32::MAX.into()))?;
            let last = others(index).map(|from| laws.message[from][index].most()).max().unwrap_or(0);
            depth.push(deep);
            waiting.push(Waiting::new(model, index, update, u64::from(deep).saturating_add(last))?);
        }
        let messages =
            (0..processes).map(|to| (0..processes).map(|from| Steps::new(&laws.message[from][to])).collect()).collect();
        Ok(Stage { alpha, depth, messages, waiting, has_sends: model.has_sends })
    }

    /// The law of max(W_i - Y*, 0), where Y* is the leader's end of alpha.
    ///
    /// Summed over the first message that arrives last, so that nothing is subtracted.
    fn last_message(&self, behind: &[u32], process: usize) -> Vec<(u64, f64)> {
        let senders = || {
            let messages = self.messages[process].iter().zip(behind).enumerate();
            let is_sender = |(from, (steps, _)): &(usize, (&Steps<'_>, &u32))| {
                *from != process || self.has_sends && steps.law.most() > 0
            };
            messages.filter(is_sender).map(|(_, (steps, behind))| (steps, u64::from(*behind)))
        };
        let mut times: Vec<u64> = senders()
            .flat_map(|(steps, behind)| {
                let late = steps.law.support().partition_point(|(ticks, _)| *ticks <= behind);
                steps.law.support()[late..].iter().map(move |(ticks, _)| ticks - behind)
            })
            .collect();
        times.sort_unstable();
        times.dedup();
        let none: f64 = senders().map(|(steps, behind)| steps.up_to(behind)).product();
        let mut last = if none > 0.0 { vec![(0, none)] } else { Vec::new() };
        for time in times {
            // Of the senders so far: the last arrives at `time`; all arrive before.
            let (mut now, mut before) = (0.0, 1.0);
            for (steps, behind) in senders() {
                let sum = steps.up_to(time + behind);
                let at = steps.law.at(time + behind);
                // Either one of the former arrives now and this one not later, or all of them before and this one now.
                now = now * sum + before * at;
                before *= steps.before(time + behind);
            }
            if now > 0.0 {
                last.push((time, now));
            }
        }
        last
    }
}

impl<'m> Steps<'m> {
    fn new(law: &'m Law) -> Steps<'m> {
        let mut sum = 0.0;
        let mut sums: Vec<f64> = Vec::with_capacity(law.support().len());
        for (_, probability) in law.support() {
            sum += probability;
            sums.push(sum);
        }
        if let Some(last) = sums.last_mut() {
            *last = 1.0;
        }
        Steps { law, sums: Arc::new(sums) }
    }

    fn of_first(&self, count: usize) -> f64 {
        if count == 0 { 0.0 } else { self.sums[count - 1] }
    }

    fn up_to(&self, ticks: u64) -> f64 {
        self.of_first(self.law.support().partition_point(|(place, _)| *place <= ticks))
    }

    fn before(&self, ticks: u64) -> f64 {
        self.of_first(self.law.support().partition_point(|(place, _)| *place < ticks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::model::{Semantics, Tie};
    use proptest::prelude::*;

    #[test]
    fn two_processes_by_hand() {
        // Process 1 needs 2 or 3 ticks, process 2 needs 2 or 4; messages take 1 or 2.
        let model = cases::two_point();
        let phase = Phase::new(&model).expect("a small model");
        assert_eq!(phase.depth(0), [2, 2]);
        let departure = |behind: [u32; 2], ticks, probability| Departure {
            meeting: Meeting { mode: 0, behind: behind.to_vec() },
            ticks,
            probability,
        };
        let expected = vec![
            departure([0, 0], 2, 0.125),
            departure([0, 1], 3, 0.125),
            departure([1, 0], 4, 0.375),
            departure([2, 0], 4, 0.375),
        ];
        assert_eq!(phase.departures(0, &[0, 0]), expected);
        // The leader waits for the message of the other, sent a tick before, which takes 2 ticks: 1 tick.
        let behind = Meeting { mode: 0, behind: vec![1, 0] };
        let end = |after, probability| End { after, updates: 0, probability };
        assert_eq!(phase.ends(&behind, 1), [end(0, 0.5), end(1, 0.5)]);
        assert_eq!(phase.ends(&behind, 0), [end(1, 0.5), end(2, 0.5)]);
    }

    #[test]
    fn alone_there_is_no_wait() {
        let model = cases::plain(1.0, 0.5, vec![Law::constant(3)], Law::constant(7)).with_updates(&[(2, 5)]);
        for semantics in [Semantics::Abort, Semantics::Complete] {
            let model = Model { semantics, ..model.clone() };
            let phase = Phase::new(&model).expect("a small model");
            let departures = phase.departures(0, &[0]);
            assert_eq!((departures.len(), departures[0].ticks), (1, 6));
            assert_eq!(phase.ends(&departures[0].meeting, 0), [End { after: 0, updates: 0, probability: 1.0 }]);
        }
    }

    #[test]
    fn a_barrier_of_a_hundred_has_one_meeting() {
        let update = Law::new([(1, 0.5), (3, 0.5)]).expect("a law");
        let model = cases::plain(1.0, 0.5, vec![update; 100], Law::constant(0));
        let phase = Phase::new(&model).expect("a small model");
        let departures = phase.departures(0, &[0; 100]);
        assert_eq!(departures.iter().map(|departure| departure.ticks).collect::<Vec<_>>(), [1, 3]);
        assert!((departures[0].probability - 0.5_f64.powi(100)).abs() < 1e-45);
    }

    #[test]
    fn the_tie_and_the_overrun() {
        // Messages of 6 ticks, updates of 3: two fit into the wait exactly.
        let model = cases::plain(1.0, 0.5, vec![Law::constant(3); 2], Law::constant(6)).with_updates(&[(1, 9); 2]);
        let ends = |semantics, tie| {
            let model = Model { semantics, tie, ..model.clone() };
            let phase = Phase::new(&model).expect("a small model");
            let together = phase.ends(&Meeting { mode: 0, behind: vec![0, 0] }, 0);
            let apart = phase.ends(&Meeting { mode: 0, behind: vec![1, 0] }, 0);
            [together, apart].map(|ends| ends.iter().map(|end| (end.after, end.updates)).collect::<Vec<_>>())
        };
        assert_eq!(ends(Semantics::Abort, Tie::Counts), [[(6, 2)], [(6, 2)]]);
        assert_eq!(ends(Semantics::Abort, Tie::Discards), [[(6, 1)], [(6, 2)]]);
        assert_eq!(ends(Semantics::Complete, Tie::Counts), [[(6, 2)], [(8, 3)]]);
    }

    #[test]
    fn what_would_never_end_is_refused() {
        let wide = Law::new((1..=100_000).map(|ticks| (ticks, 1e-5))).expect("a law");
        let model = cases::plain(1.0, 0.5, vec![wide.clone(); 2], Law::constant(1)).with_updates(&[(1_000_000, 0); 2]);
        assert!(Phase::new(&model).is_err());
        let model = cases::plain(1.0, 0.5, vec![wide; 2], Law::constant(10_000_000)).with_updates(&[(1, 1_000_000); 2]);
        assert!(Phase::new(&model).is_err());
    }

    fn law(least: u64) -> impl Strategy<Value = Law> {
        prop::collection::btree_map(least..9, 1_u32..100, 1..4).prop_map(|weights| {
            let sum: u32 = weights.values().sum();
            Law::new(weights.into_iter().map(|(ticks, weight)| (ticks, f64::from(weight) / f64::from(sum))))
                .expect("a law")
        })
    }

    proptest! {
        #[test]
        fn probabilities_sum_to_one(
            update in prop::collection::vec(law(1), 3),
            message in law(0),
            updates in prop::collection::vec((1_u32..4, 0_u32..4), 3),
            complete in any::<bool>(),
            start in prop::collection::vec(-8_i64..9, 3),
        ) {
            let semantics = if complete { Semantics::Complete } else { Semantics::Abort };
            let start: Vec<i64> = start.iter().map(|offset| offset - start[0]).collect();
            let model = cases::plain(1.0, 0.5, update, message).with_updates(&updates);
            let model = Model { semantics, start: start.clone(), ..model };
            let phase = Phase::new(&model).expect("a small model");
            let departures = phase.departures(0, &start);
            let sum: f64 = departures.iter().map(|departure| departure.probability).sum();
            prop_assert!((sum - 1.0).abs() < 1e-12, "departures sum to {sum}");
            for departure in &departures {
                for process in 0..3 {
                    let sum: f64 = phase.ends(&departure.meeting, process).iter().map(|end| end.probability).sum();
                    prop_assert!((sum - 1.0).abs() < 1e-12, "ends of {process} after {departure:?} sum to {sum}");
                }
            }
        }
    }
}
