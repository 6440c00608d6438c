//! Phases event by event: updates that complete, messages that arrive, processes that decide.

mod queue;

use super::tables::{Rule, Tables};
use super::{Engine, Phase};
use crate::model::{Model, Tie};
use queue::{Event, Queue};
use runcast_core::random::SplitMix;
use std::collections::VecDeque;
use std::sync::Arc;

/// Phases event by event.
///
/// Every process is a machine: it makes its A_i updates one after the other, broadcasts, makes updates while messages of
/// the phase are missing, and begins the next phase when they are there. Nothing is known of the formulas for W_i, T_i'
/// and N_i; only what is drawn from is shared with [`Recursion`](super::Recursion).
///
/// # Examples
/// ```
/// use runcast_wavefront::cases;
/// use runcast_wavefront::simulate::Events;
/// let mut events = Events::new(&cases::constant_network(1), 0, 0);
/// let ticks: u64 = (0..10_000).map(|_| events.phase().ticks).sum();
/// // The exact mean is 11.0848 ticks; four standard errors of 10,000 phases are 0.11.
/// assert!((ticks as f64 / 1e4 - 11.0848).abs() < 0.11);
/// ```
#[derive(Debug, Clone)]
pub struct Events {
    tables: Arc<Tables>,
    random: SplitMix,
    queue: Queue,
    processes: Vec<Process>,
    /// Phases that have begun on some process and are not over on all, the earliest first.
    open: VecDeque<Open>,
    /// The number of the first of them.
    first_open: u64,
    /// The mode of the phase after the last of them.
    mode: usize,
    /// When the last phase that is over ended on process 1; before, when process 1 begins.
    ended: u64,
    last: Closed,
}

/// A process and what it is doing.
#[derive(Debug, Clone)]
struct Process {
    phase: u64,
    begun: u64,
    /// When it broadcast; none in subphase alpha.
    broadcast: Option<u64>,
    /// Updates of this phase.
    done: u32,
    /// Number and end of the update that it is making.
    running: Option<u64>,
    /// When the last update ended.
    last_completion: u64,
    /// Messages that have arrived, of even and of odd phases: a peer is at most one phase ahead.
    arrived: [usize; 2],
}

/// A phase that is not over on all processes.
#[derive(Debug, Clone)]
struct Open {
    mode: usize,
    over: usize,
    times: Vec<Times>,
}

/// A phase on one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    /// When it began, in ticks.
    pub begin: u64,
    /// When the process broadcast.
    pub broadcast: u64,
    /// When it was over.
    pub end: u64,
    /// A_i + N_i.
    pub updates: u32,
    /// Updates that were thrown away.
    pub discarded: u32,
    /// The same as `updates` under the other rule for ties.
    other: u32,
}

/// The last phase that is over on all processes.
#[derive(Debug, Clone, Default)]
struct Closed {
    times: Vec<Times>,
    updates: Vec<u32>,
    offsets: Vec<i64>,
    next_mode: usize,
}

impl Events {
    /// At the start of the model, with random numbers of a stream of its own.
    pub fn new(model: &Model, seed: u64, stream: u64) -> Events {
        Events::of_tables(&Tables::new(model), seed, stream)
    }

    /// The same for tables that are there already.
    pub fn of_tables(tables: &Arc<Tables>, seed: u64, stream: u64) -> Events {
        let mut random = SplitMix::new(seed, stream);
        let mode = tables.first_mode(&mut random);
        let size = tables.size();
        let first = tables.offsets.iter().copied().min().unwrap_or(0);
        let times = tables.offsets.iter().map(|offset| offset.abs_diff(first));
        let processes: Vec<Process> = times.map(Process::new).collect();
        let last = Closed {
            times: vec![Times::default(); size],
            updates: vec![0; size],
            offsets: tables.offsets.clone(),
            next_mode: mode,
        };
        let ended = processes.first().map_or(0, |process| process.begun);
        let (tables, queue, open) = (Arc::clone(tables), Queue::default(), VecDeque::new());
        Events { tables, random, queue, processes, open, first_open: 0, mode, ended, last }
    }

    /// With another mode for the first phase; only before that.
    #[must_use]
    pub fn starting_in(mut self, mode: usize) -> Events {
        (self.mode, self.last.next_mode) = (mode, mode);
        self
    }

    /// The next phase, until it is over on all processes.
    pub fn phase(&mut self) -> Phase {
        if self.open.is_empty() && self.first_open == 0 {
            for process in 0..self.processes.len() {
                self.begin(process, self.processes[process].begun);
            }
        }
        while self.open.front().is_none_or(|open| open.over < self.processes.len()) {
            // A process that is not over has an update to end or a message to get.
            let Some((now, event)) = self.queue.next() else { break };
            self.happen(now, event);
        }
        self.close()
    }

    fn happen(&mut self, now: u64, event: Event) {
        match event {
            Event::Completion { process, update } => {
                if self.processes[process].running == Some(update) {
                    self.complete(process, now);
                }
            }
            Event::Arrival { process, phase } => {
                let process_there = &mut self.processes[process];
                process_there.arrived[(phase % 2) as usize] += 1;
                if process_there.phase == phase {
                    self.queue.add(now, Event::Decision { process, phase });
                }
            }
            Event::Decision { process, phase } => {
                if self.processes[process].phase == phase {
                    self.decide(process, now);
                }
            }
        }
    }

    /// A process begins its next phase; the first one to do so draws the mode of the phase.
    fn begin(&mut self, process: usize, now: u64) {
        let phase = self.processes[process].phase;
        if phase == self.first_open + self.open.len() as u64 {
            let mode = self.mode;
            self.mode = self.tables.next_mode(mode, &mut self.random);
            let times = vec![Times::default(); self.processes.len()];
            self.open.push_back(Open { mode, over: 0, times });
        }
        self.update(process, now);
    }

    /// A process begins an update.
    fn update(&mut self, process: usize, now: u64) {
        let there = &mut self.processes[process];
        let open = &self.open[(there.phase - self.first_open) as usize];
        let time = self.tables.modes[open.mode].update[process].draw(&mut self.random);
        let update = self.queue.numbered();
        there.running = Some(update);
        self.queue.add(now + time as u64, Event::Completion { process, update });
    }

    /// A process ends an update.
    fn complete(&mut self, process: usize, now: u64) {
        let there = &mut self.processes[process];
        there.running = None;
        there.done += 1;
        there.last_completion = now;
        let (phase, done) = (there.phase, there.done);
        if there.broadcast.is_none() {
            if done < self.tables.alpha_updates[process] {
                return self.update(process, now);
            }
            there.broadcast = Some(now);
            self.send(process, now);
        }
        self.queue.add(now, Event::Decision { process, phase });
    }

    /// A process sends its piece to all others.
    fn send(&mut self, process: usize, now: u64) {
        let phase = self.processes[process].phase;
        let mode = self.open[(phase - self.first_open) as usize].mode;
        for other in (0..self.processes.len()).filter(|other| *other != process) {
            let time = self.tables.modes[mode].network.draw(process, other, self.processes.len(), &mut self.random);
            self.queue.add(now + time as u64, Event::Arrival { process: other, phase });
        }
    }

    /// A process that has broadcast looks whether all messages are there.
    fn decide(&mut self, process: usize, now: u64) {
        let there = &self.processes[process];
        let Some(broadcast) = there.broadcast else { return };
        let has_all = there.arrived[(there.phase % 2) as usize] + 1 == self.processes.len();
        let is_aborted = self.tables.rule != Rule::Complete;
        let beta = there.done - self.tables.alpha_updates[process];
        if has_all && (is_aborted || there.running.is_none()) {
            self.end(process, broadcast, now);
        } else if !has_all && there.running.is_none() && beta < self.tables.beta_updates[process] {
            self.update(process, now);
        }
    }

    /// The phase is over on a process.
    fn end(&mut self, process: usize, broadcast: u64, now: u64) {
        let there = &mut self.processes[process];
        let beta = there.done - self.tables.alpha_updates[process];
        let is_tie = beta > 0 && there.last_completion == now;
        let (counts, discards) = (there.done, there.done - u32::from(is_tie));
        let (updates, other) = match self.tables.rule {
            Rule::Abort(Tie::Counts) => (counts, discards),
            Rule::Abort(Tie::Discards) => (discards, counts),
            Rule::Wait | Rule::Complete => (counts, counts),
        };
        let is_running = there.running.take().is_some();
        let discarded = u32::from(is_running) + (there.done - updates);
        let phase = there.phase;
        let times = Times { begin: there.begun, broadcast, end: now, updates, discarded, other };
        there.arrived[(phase % 2) as usize] = 0;
        (there.phase, there.begun, there.broadcast, there.done) = (phase + 1, now, None, 0);
        let open = &mut self.open[(phase - self.first_open) as usize];
        open.times[process] = times;
        open.over += 1;
        self.begin(process, now);
    }

    /// What the first open phase was, now that it is over.
    fn close(&mut self) -> Phase {
        if let Some(open) = self.open.pop_front() {
            self.last.times = open.times;
            self.first_open += 1;
        }
        self.last.next_mode = self.open.front().map_or(self.mode, |open| open.mode);
        let times = &self.last.times;
        let end = times[0].end;
        let (mut iterations, mut iterations_other) = (0, 0);
        for (process, times) in times.iter().enumerate() {
            self.last.updates[process] = times.updates;
            self.last.offsets[process] = times.end as i64 - end as i64;
            iterations = iterations.max(times.updates);
            iterations_other = iterations_other.max(times.other);
        }
        let ticks = end - std::mem::replace(&mut self.ended, end);
        Phase { ticks, iterations, iterations_other }
    }
}

impl Process {
    fn new(begun: u64) -> Process {
        Process { phase: 0, begun, broadcast: None, done: 0, running: None, last_completion: 0, arrived: [0; 2] }
    }
}

impl Engine for Events {
    fn phase(&mut self) -> Phase {
        Events::phase(self)
    }

    fn last(&self) -> (&[u32], &[i64], usize) {
        (&self.last.updates, &self.last.offsets, self.last.next_mode)
    }

    fn follow(&mut self, mut row: impl FnMut(i64, i64, i64, u32, u32)) -> Phase {
        let phase = self.phase();
        let first = self.last.times[0].begin as i64;
        for times in &self.last.times {
            let since = |time: u64| time as i64 - first;
            row(since(times.begin), since(times.broadcast), since(times.end), times.updates, times.discarded);
        }
        phase
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::model::Semantics;
    use crate::model::law::Law;
    use crate::simulate::Recursion;

    #[test]
    fn without_chance_both_engines_are_the_same() {
        // Different constants everywhere, several updates in both subphases, both semantics, both rules for ties.
        let update = [3, 5, 4].map(Law::constant).to_vec();
        let mut model = cases::plain(1.0, 0.9, update, Law::constant(0));
        for (from, row) in model.modes.laws[0].message.iter_mut().enumerate() {
            for (to, law) in row.iter_mut().enumerate() {
                *law = Arc::new(Law::constant((7 * from + 4 * to) as u64 % 11));
            }
        }
        for (semantics, tie) in
            [(Semantics::Abort, Tie::Counts), (Semantics::Abort, Tie::Discards), (Semantics::Complete, Tie::Counts)]
        {
            for updates in [[(1, 0); 3], [(1, 1), (2, 3), (1, 2)], [(3, 7), (1, 1), (1, 4)], [(1, 9); 3]] {
                for start in [[0, 0, 0], [0, 4, -3], [0, -20, 11]] {
                    let mut model = model.with_updates(&updates);
                    (model.semantics, model.tie, model.start) = (semantics, tie, start.to_vec());
                    let (mut events, mut recursion) = (Events::new(&model, 0, 0), Recursion::new(&model, 0, 0));
                    for number in 0..50 {
                        assert_eq!(events.phase(), recursion.phase(), "phase {number} of {updates:?}, {semantics:?}");
                        assert_eq!(events.last().0, recursion.updates());
                        assert_eq!(events.last().1, recursion.offsets());
                        let discarded: Vec<u32> = events.last.times.iter().map(|times| times.discarded).collect();
                        assert_eq!(discarded, recursion.discarded(), "phase {number} of {updates:?}, {semantics:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_phase_on_every_process() {
        // Updates of 3 and 5, messages of 4, B = 2, abort: Y = (3, 5), W = (9, 7).
        let update = vec![Law::constant(3), Law::constant(5)];
        let model = cases::plain(1.0, 0.9, update, Law::constant(4)).with_updates(&[(1, 2); 2]);
        let mut events = Events::new(&model, 0, 0);
        assert_eq!(events.phase(), Phase { ticks: 9, iterations: 3, iterations_other: 2 });
        let times = |begin, broadcast, end, updates, discarded, other| Times {
            begin,
            broadcast,
            end,
            updates,
            discarded,
            other,
        };
        assert_eq!(events.last.times, [times(0, 3, 9, 3, 0, 2), times(0, 5, 7, 1, 1, 1)]);
        assert_eq!(events.last().1, [0, -2]);
    }
}
