//! The messages of a superstep.

use super::super::prepare::{Cell, ME, RANK, SendCode, TaskCode, TrafficCode};
use super::super::program::Duplex;
use super::frame::Frame;
use super::scope::{Evaluator, Once};
use runcast_core::Problem;

/// Maximum number of messages of one superstep held in memory; a message to all others counts once.
const MOST_AT_ONCE: usize = 40_000_000;

/// The messages of a superstep, in buffers that are used again.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    /// Who waits for whom: from, to.
    pub pairs: Vec<(u32, u32)>,
    /// Those that send to all others.
    pub to_all: Vec<u32>,
    /// in (+) out of each processor, or the given h.
    pub bytes: Vec<f64>,
    /// Whether `bytes` are h already.
    pub is_h: bool,
    incoming: Vec<f64>,
    outgoing: Vec<f64>,
    /// Messages that each processor gets.
    received: Vec<u64>,
    all_bytes: Vec<f64>,
    messages_left: u64,
}

/// The machine whose messages these are.
pub(super) struct Sending<'m> {
    pub evaluator: &'m Evaluator<'m>,
    pub task: &'m TaskCode,
    pub frame: &'m mut Frame,
    pub duplex: Duplex,
}

impl Traffic {
    /// Buffers for this many messages in total.
    pub(super) fn new(messages_left: u64) -> Self {
        Traffic { messages_left, ..Traffic::default() }
    }

    pub(super) fn gather(
        &mut self,
        code: &TrafficCode,
        expect: Option<&Cell>,
        by: &mut Sending<'_>,
    ) -> Result<(), Box<Problem>> {
        let procs = by.frame.procs;
        self.pairs.clear();
        self.to_all.clear();
        self.is_h = matches!(code, TrafficCode::Given { .. });
        reset(&mut self.bytes, procs);
        match code {
            TrafficCode::Nothing => Ok(()),
            TrafficCode::Given { partners, bytes } => self.given(partners, bytes.as_deref(), by),
            TrafficCode::Messages(messages) => {
                reset(&mut self.incoming, procs);
                reset(&mut self.outgoing, procs);
                self.received.clear();
                self.received.resize(procs, 0);
                for send in messages {
                    self.send(send, by)?;
                }
                for me in 0..procs {
                    let (incoming, outgoing) = (self.incoming[me], self.outgoing[me]);
                    self.bytes[me] = match by.duplex {
                        Duplex::Max => incoming.max(outgoing),
                        Duplex::Sum => incoming + outgoing,
                    };
                }
                expect.map_or(Ok(()), |expect| self.check(expect, by))
            }
        }
    }

    /// Om and h as they are given.
    fn given(&mut self, partners: &[Cell], bytes: Option<&Cell>, by: &mut Sending<'_>) -> Result<(), Box<Problem>> {
        let procs = by.frame.procs;
        for partner in partners {
            let mut once = Once::new(partner);
            for me in 0..procs {
                by.at(me);
                let from = by.processor(&mut once)?;
                if from as usize != me {
                    self.add(from, me as u32)?;
                }
            }
        }
        let Some(cell) = bytes else { return Ok(()) };
        let mut once = Once::new(cell);
        for me in 0..procs {
            by.at(me);
            self.bytes[me] = by.bytes(&mut once)?;
        }
        Ok(())
    }

    fn send(&mut self, send: &SendCode, by: &mut Sending<'_>) -> Result<(), Box<Problem>> {
        let mut condition = send.condition.as_ref().map(Once::new);
        let mut bytes = Once::new(&send.bytes);
        let mut targets: Vec<Once<'_>> = send.to.iter().flatten().map(Once::new).collect();
        let first_all = self.to_all.len();
        self.all_bytes.clear();
        for me in 0..by.frame.procs {
            by.at(me);
            if let Some(condition) = &mut condition
                && by.evaluator.value(by.task, condition, &mut by.frame.values)? == 0.0
            {
                continue;
            }
            if send.to.is_none() {
                if by.frame.procs > 1 {
                    self.to_all.push(me as u32);
                    self.all_bytes.push(by.bytes(&mut bytes)?);
                }
                continue;
            }
            for target in &mut targets {
                let to = by.processor(target)?;
                if to as usize == me {
                    continue;
                }
                let bytes = by.bytes(&mut bytes)?;
                self.add(me as u32, to)?;
                self.outgoing[me] += bytes;
                self.incoming[to as usize] += bytes;
                self.received[to as usize] += 1;
            }
        }
        if send.to.is_none() {
            self.spread(first_all, by.frame.procs);
        }
        Ok(())
    }

    /// Bytes of those that send to all others: each gets the sum of the others', found from both ends, so that what
    /// one sends itself is never subtracted.
    fn spread(&mut self, first: usize, procs: usize) {
        let senders = &self.to_all[first..];
        let mut before = 0.0;
        let mut next = 0;
        for me in 0..procs {
            self.incoming[me] += before;
            self.received[me] += senders.len() as u64;
            if senders.get(next).is_some_and(|sender| *sender as usize == me) {
                self.received[me] -= 1;
                self.outgoing[me] += self.all_bytes[next] * (procs - 1) as f64;
                before += self.all_bytes[next];
                next += 1;
            }
        }
        let mut behind = 0.0;
        let mut next = senders.len();
        for me in (0..procs).rev() {
            self.incoming[me] += behind;
            if next > 0 && senders[next - 1] as usize == me {
                next -= 1;
                behind += self.all_bytes[next];
            }
        }
    }

    /// Checks that every processor gets as many messages as it waits for.
    fn check(&self, expect: &Cell, by: &mut Sending<'_>) -> Result<(), Box<Problem>> {
        let mut once = Once::new(expect);
        for me in 0..by.frame.procs {
            by.at(me);
            let expected = by.evaluator.value(by.task, &mut once, &mut by.frame.values)?;
            let received = self.received[me];
            if expected != received as f64 {
                let allowed = format!("{received}, the messages that are sent to it");
                let mut problem = by.evaluator.trouble(expect, expected, &by.frame.values, &allowed);
                problem.code = "unexpected_messages".to_owned();
                problem.message = format!("{}, but {}", problem.message, sent(received));
                let what = if expected > received as f64 { "the program would hang" } else { "it would run ahead" };
                problem.hint = Some(format!("{what}: make expect the number of messages"));
                return Err(problem);
            }
        }
        Ok(())
    }

    fn add(&mut self, from: u32, to: u32) -> Result<(), Box<Problem>> {
        self.messages_left = self.messages_left.saturating_sub(1);
        if self.messages_left == 0 || self.pairs.len() >= MOST_AT_ONCE {
            let message = format!("too many messages: this superstep has more than {}", self.pairs.len());
            let problem = Problem::new("too_many", message).allowed(format!(
                "at most {MOST_AT_ONCE} in a superstep, and 20 for each of the processor-supersteps of --max-steps"
            ));
            return Err(Box::new(problem.hint("to = \"all\" counts a message to all others once")));
        }
        self.pairs.push((from, to));
        Ok(())
    }
}

impl Sending<'_> {
    fn at(&mut self, me: usize) {
        (self.frame.values[ME], self.frame.values[RANK]) = (me as f64, (self.frame.first + me) as f64);
    }

    fn processor(&mut self, once: &mut Once<'_>) -> Result<u32, Box<Problem>> {
        let value = self.evaluator.value(self.task, once, &mut self.frame.values)?;
        let last = (self.frame.procs - 1) as f64;
        if value >= 0.0 && value <= last && value.fract() == 0.0 {
            return Ok(value as u32);
        }
        let allowed = format!("a processor of the machine: 0 to {last}");
        Err(self.evaluator.trouble(once.cell, value, &self.frame.values, &allowed))
    }

    fn bytes(&mut self, once: &mut Once<'_>) -> Result<f64, Box<Problem>> {
        self.evaluator.at_least_zero(self.task, once, &mut self.frame.values, "0 bytes or more")
    }
}

fn sent(messages: u64) -> String {
    match messages {
        0 => "no message is sent to it".to_owned(),
        1 => "1 message is sent to it".to_owned(),
        many => format!("{many} messages are sent to it"),
    }
}

fn reset(buffer: &mut Vec<f64>, length: usize) {
    buffer.clear();
    buffer.resize(length, 0.0);
}
