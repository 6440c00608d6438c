//! The master: hands out the first batches at once, takes results from any worker, and sends the next batch to the
//! worker that returned one, by a blocking send:
//! batches beyond the first do not share the master's link with one another.

use super::batch::Batches;
use super::{message_bytes, result_tag, task_tag};
use crate::application::{Application, Farm};
use crate::cursor::{Action, Channel, Expansion, FIRST_OWN_REQUEST};
use crate::job::Received;

/// Sends to one worker that are waited for at the end only, as numbers `waited .. sent`.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    sent: u32,
    waited: u32,
}

/// State of the master.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// Hands out the first batches: the number of the message, counted over all workers, round by round.
    First(u64),
    /// Takes the next result.
    Take,
    /// Got a result: this many blocks of its work are still to do for the worker.
    Work { worker: u64, left: u64 },
    /// Sends the next batch to the worker, and waits until it is out.
    Hand { worker: u64 },
    /// Ends the farm: the number of the message, counted over all workers.
    End(u64),
    /// Waits for its sends.
    Wait(u64),
}

/// A running master.
pub struct Master {
    farm: Farm,
    /// Process number of the first worker.
    first: u64,
    workers: u64,
    /// Receives that each worker posts ahead.
    window: u32,
    tag: i64,
    result_tag: i64,
    batches: Batches,
    /// Batches whose results are pending.
    out: u64,
    lines: Vec<Line>,
    /// Tasks of the batches in flight, worker by worker, if they differ.
    sizes: Vec<std::collections::VecDeque<u64>>,
    state: State,
}

impl Master {
    /// At the start.
    pub fn new(application: &Application, number: u32) -> Self {
        let farm = application.farms[number as usize].clone();
        let to = &application.labels[farm.to as usize];
        let window = Batches::first_batches(&farm);
        Master {
            first: to.first,
            workers: to.count,
            window,
            tag: task_tag(number),
            result_tag: result_tag(number),
            batches: Batches::new(&farm, to.count),
            out: 0,
            lines: vec![Line::default(); to.count as usize],
            sizes: Vec::new(),
            state: State::First(0),
            farm,
        }
    }

    /// Sends a message to a worker.
    fn send(&mut self, worker: u64, size: u64) -> Action {
        let line = &mut self.lines[worker as usize];
        // The first batches, and the empty messages at the end.
        let slots = 2 * self.window;
        let request = FIRST_OWN_REQUEST + worker as u32 * slots + line.sent % slots;
        line.sent += 1;
        Action::Isend { to: self.first + worker, size, tag: self.tag, request, channel: Channel::default() }
    }

    /// Waits for the oldest message to a worker that has not been waited for.
    fn wait(&mut self, worker: u64) -> Action {
        let slots = 2 * self.window;
        let line = &mut self.lines[worker as usize];
        let request = FIRST_OWN_REQUEST + worker as u32 * slots + line.waited % slots;
        line.waited += 1;
        Action::Wait { request }
    }

    /// The next batch to a worker, if there is one: its bytes.
    fn hand(&mut self, worker: u64) -> Option<u64> {
        let batch = self.batches.next_batch();
        if batch == 0 {
            return None;
        }
        self.out += 1;
        if batch > 1 || !self.sizes.is_empty() {
            self.remember(worker, batch);
        }
        Some(message_bytes(self.farm.task_size, batch))
    }

    fn remember(&mut self, worker: u64, batch: u64) {
        if self.sizes.is_empty() {
            self.sizes = vec![std::collections::VecDeque::new(); self.workers as usize];
        }
        self.sizes[worker as usize].push_back(batch);
    }
}

impl Expansion for Master {
    fn next(&mut self, received: Option<Received>) -> Option<Action> {
        let mut received = received;
        loop {
            match self.state {
                State::First(message) => {
                    let all = self.workers * u64::from(self.window);
                    let worker = message % self.workers;
                    match if message < all { self.hand(worker) } else { None } {
                        Some(size) => {
                            self.state = State::First(message + 1);
                            return Some(self.send(worker, size));
                        }
                        None => self.state = State::Take,
                    }
                }
                State::Take => {
                    if self.out == 0 {
                        self.state = State::End(0);
                        continue;
                    }
                    self.out -= 1;
                    // The worker is known when the result is here.
                    self.state = State::Work { worker: u64::MAX, left: 0 };
                    return Some(Action::Recv { from: None, tag: self.result_tag });
                }
                State::Work { worker: u64::MAX, .. } => {
                    let from = received.take().map_or(self.first, |received| received.from);
                    let worker = from.wrapping_sub(self.first).min(self.workers - 1);
                    let batch = self.sizes.get_mut(worker as usize).and_then(|sizes| sizes.pop_front()).unwrap_or(1);
                    let left = if self.farm.master_work.is_some() { batch } else { 0 };
                    self.state = State::Work { worker, left };
                }
                State::Work { worker, left: 0 } => self.state = State::Hand { worker },
                State::Work { worker, left } => {
                    self.state = State::Work { worker, left: left - 1 };
                    if let Some(block) = self.farm.master_work {
                        return Some(Action::Compute(block));
                    }
                }
                State::Hand { worker } => {
                    self.state = State::Take;
                    if let Some(size) = self.hand(worker) {
                        return Some(Action::Send { to: self.first + worker, size, tag: self.tag });
                    }
                }
                State::End(message) => {
                    let all = self.workers * u64::from(self.window);
                    if message == all {
                        self.state = State::Wait(0);
                        continue;
                    }
                    self.state = State::End(message + 1);
                    return Some(self.send(message % self.workers, 0));
                }
                State::Wait(worker) => {
                    if worker == self.workers {
                        return None;
                    }
                    let line = self.lines[worker as usize];
                    if line.waited == line.sent {
                        self.state = State::Wait(worker + 1);
                        continue;
                    }
                    return Some(self.wait(worker));
                }
            }
        }
    }
}
