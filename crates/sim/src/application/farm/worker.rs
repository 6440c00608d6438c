//! A worker: takes batches until an empty message comes.

use super::batch::Batches;
use super::{message_bytes, result_tag, task_tag};
use crate::application::{Application, Farm};
use crate::cursor::{Action, Expansion, FIRST_OWN_REQUEST};
use crate::job::Received;

/// A running worker. Without a window it receives when it is idle; otherwise it keeps that many receives posted.
pub struct Worker {
    farm: Farm,
    window: u32,
    tag: i64,
    result_tag: i64,
    /// Receives posted and waited for so far.
    posted: u32,
    taken: u32,
    /// Empty messages so far.
    ended: u32,
    state: State,
}

enum State {
    Post,
    Take,
    /// Examines the received message.
    Look,
    Work {
        left: u64,
        tasks: u64,
    },
}

impl Worker {
    /// At the start.
    pub fn new(application: &Application, number: u32) -> Self {
        let farm = application.farms[number as usize].clone();
        Worker {
            window: Batches::first_batches(&farm),
            tag: task_tag(number),
            result_tag: result_tag(number),
            posted: 0,
            taken: 0,
            ended: 0,
            state: State::Post,
            farm,
        }
    }
}

impl Expansion for Worker {
    fn next(&mut self, received: Option<Received>) -> Option<Action> {
        let from = Some(self.farm.master);
        loop {
            match self.state {
                State::Post => {
                    // Once an empty message is here, the others are in transit to the posted receives.
                    let ahead = self.posted - self.taken;
                    if self.window > 1 && self.ended == 0 && ahead < self.window {
                        let request = FIRST_OWN_REQUEST + self.posted % self.window;
                        self.posted += 1;
                        return Some(Action::Irecv { from, tag: self.tag, request });
                    }
                    self.state = State::Take;
                }
                State::Take => {
                    if self.ended == self.window {
                        return None;
                    }
                    self.state = State::Look;
                    if self.window == 1 {
                        return Some(Action::Recv { from, tag: self.tag });
                    }
                    let request = FIRST_OWN_REQUEST + self.taken % self.window;
                    self.taken += 1;
                    return Some(Action::Wait { request });
                }
                State::Look => {
                    let size = received.map_or(0, |received| received.size);
                    let tasks = size / self.farm.task_size.max(1);
                    if size == 0 {
                        self.ended += 1;
                        self.state = State::Take;
                    } else {
                        self.state = State::Work { left: tasks, tasks };
                    }
                }
                State::Work { left: 0, tasks } => {
                    self.state = State::Post;
                    let size = message_bytes(self.farm.result_size, tasks);
                    return Some(Action::Send { to: self.farm.master, size, tag: self.result_tag });
                }
                State::Work { left, tasks } => {
                    self.state = State::Work { left: left - 1, tasks };
                    return Some(Action::Compute(self.farm.work));
                }
            }
        }
    }
}
