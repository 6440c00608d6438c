//! How many updates a process makes while it waits, and when it is through with them.

use crate::model::law::Law;
use crate::model::{Model, Semantics, Tie};

/// What a process does in beta, given how long it waits for the last message, restricted to at most this many updates.
pub(crate) struct Beta {
    /// By wait: probabilities of ending this many ticks after the last message, and of making no more updates than allowed.
    /// The last row holds for all longer waits.
    rows: Vec<Vec<f64>>,
}

impl Beta {
    /// Of `process` in `mode` when at most `most` updates (`None`: any number) are to be counted. `longest`: the longest
    /// wait that can be.
    pub fn new(model: &Model, mode: usize, process: usize, most: Option<u32>, tie: Tie, longest: usize) -> Beta {
        let update = &model.modes.laws[mode].update[process];
        let allowed = model.processes[process].beta_updates;
        let most = most.filter(|most| *most < allowed);
        let rows = match (model.semantics, most) {
            _ if allowed == 0 => vec![vec![1.0]],
            (Semantics::Abort, None) => vec![vec![1.0]],
            (Semantics::Abort, Some(most)) => aborted(&update.convolved(most + 1), tie, longest),
            (Semantics::Complete, most) => completed(update, allowed, most, longest),
        };
        Beta { rows }
    }

    /// The probabilities after a wait.
    pub fn after(&self, wait: usize) -> &[f64] {
        &self.rows[wait.min(self.rows.len() - 1)]
    }
}

/// Under abort no more than m updates are made where m + 1 of them (whose sum is `law`) do not fit into the wait.
fn aborted(law: &Law, tie: Tie, longest: usize) -> Vec<Vec<f64>> {
    let end = (law.most() as usize + 2).min(longest + 1);
    // P(sum > wait), from the top, without a subtraction.
    let mut above = vec![0.0; end + 1];
    let mut rest = law.support().len();
    let mut sum = 0.0;
    for wait in (0..=end).rev() {
        while rest > 0 && law.support()[rest - 1].0 as usize > wait {
            rest -= 1;
            sum += law.support()[rest].1;
        }
        above[wait] = f64::min(sum, 1.0);
        if rest == 0 {
            above[wait] = 1.0;
        }
    }
    let row = |wait: usize| match (tie, wait) {
        (Tie::Discards, 0) => vec![1.0],
        (Tie::Discards, wait) => vec![above[wait - 1]],
        (Tie::Counts, wait) => vec![above[wait]],
    };
    (0..=end).map(row).collect()
}

/// Under complete the update in progress when the last message arrives is finished, unless all were done before.
fn completed(update: &Law, allowed: u32, most: Option<u32>, longest: usize) -> Vec<Vec<f64>> {
    let end = (update.most() as usize).saturating_mul(allowed as usize).saturating_add(1).min(longest + 1);
    let over = update.most() as usize;
    let counted = most.unwrap_or(allowed);
    let mut rows = vec![vec![0.0; over]; end + 1];
    rows[0][0] = 1.0;
    // Row after row: the law of the sum of the updates before this one.
    let mut before = Law::constant(0);
    for number in 1..=allowed {
        if number <= counted {
            for (start, reached) in before.support() {
                for (length, probability) in update.support() {
                    let stop = (start + length) as usize;
                    // It is in progress, or ends, at any wait in (start, stop].
                    let last = stop.min(end);
                    for (wait, row) in rows.iter_mut().enumerate().take(last + 1).skip(*start as usize + 1) {
                        row[stop - wait] += reached * probability;
                    }
                }
            }
        }
        before = before.plus(update);
        if before.least() as usize > end {
            break;
        }
    }
    if counted == allowed {
        // All were done before the last message came.
        for (wait, row) in rows.iter_mut().enumerate().skip(1) {
            row[0] += before.support().iter().filter(|(sum, _)| (*sum as usize) < wait).map(|(_, p)| p).sum::<f64>();
        }
    }
    rows
}

/// E\[N_i | wait\] of `process` in `mode`, by wait; the last entry holds for all longer waits.
pub(super) fn given_wait(model: &Model, mode: usize, process: usize, tie: Tie, longest: usize) -> Vec<f64> {
    let update = &model.modes.laws[mode].update[process];
    let allowed = model.processes[process].beta_updates;
    let end = (update.most() as usize).saturating_mul(allowed as usize).saturating_add(1).min(longest + 1);
    let mut means = vec![0.0; end + 1];
    // An update counts when the sum of it and those before fits, or, under complete, when it was begun.
    let abort = model.semantics == Semantics::Abort;
    let equal = abort && tie == Tie::Counts;
    let mut sum = if abort { update.as_ref().clone() } else { Law::constant(0) };
    for number in 1..=allowed {
        let mut fits = 0.0;
        let mut next = 0;
        for (wait, mean) in means.iter_mut().enumerate() {
            while next < sum.support().len() {
                let (ticks, probability) = sum.support()[next];
                let ticks = ticks as usize;
                if ticks < wait || equal && ticks == wait {
                    fits += probability;
                    next += 1;
                } else {
                    break;
                }
            }
            *mean += fits;
        }
        if number < allowed {
            sum = sum.plus(update);
            if sum.least() as usize > end {
                break;
            }
        }
    }
    means
}
