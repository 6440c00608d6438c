//! The supersteps of one rank, machine in machine.

use super::events::Event;

/// How a superstep ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sync {
    None,
    Oblivious,
    Barrier,
}

/// A visit of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    pub name: String,
    pub values: Vec<(String, f64)>,
    pub time_s: f64,
    start_s: f64,
}

/// A superstep as one rank took it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RankStep {
    pub before: Vec<Region>,
    /// The ends of the groups, and the supersteps in the rank's own group.
    pub part: Option<(Vec<usize>, Vec<RankStep>)>,
    pub work: Vec<Region>,
    pub sends: Vec<(usize, f64)>,
    pub sync: Option<Sync>,
    /// A region that holds the synchronization and nothing else.
    pub exchange: Option<Region>,
    /// When its last message left, and when it had what it waited for \[s\].
    pub sent_s: f64,
    pub done_s: f64,
    /// Whether another receive that follows at once belongs to it.
    pub joins: bool,
    pub(super) parted_s: Option<f64>,
}

impl RankStep {
    pub fn sync(&self) -> Sync {
        self.sync.unwrap_or(Sync::None)
    }

    fn is_empty(&self) -> bool {
        self.before.is_empty() && self.part.is_none() && self.work.is_empty() && self.sends.is_empty()
    }
}

/// A machine that the rank is in.
#[derive(Default)]
struct Frame {
    steps: Vec<RankStep>,
    step: RankStep,
    ends: Vec<usize>,
    made_s: f64,
}

impl Frame {
    fn close(mut self) -> Vec<RankStep> {
        if !self.step.is_empty() {
            self.steps.push(self.step);
        }
        self.steps
    }

    /// The superstep that a receive still belongs to: nothing has happened since.
    fn joined(&mut self) -> Option<&mut RankStep> {
        let is_bare = self.step.is_empty();
        self.steps.last_mut().filter(|last| is_bare && last.joins)
    }

    fn next(&mut self) {
        self.steps.push(std::mem::take(&mut self.step));
    }

    /// A region that has ended in this machine.
    fn region(&mut self, region: Region) {
        let holds = |step: &RankStep| step.sync.is_some() && step.done_s >= region.start_s;
        let held = self.steps.iter().filter(|step| holds(step)).count();
        let holds_part = self.step.parted_s.is_some_and(|at| at >= region.start_s);
        if held > 0 {
            let last =
                self.steps.last_mut().filter(|step| held == 1 && step.parted_s.is_none_or(|at| at < region.start_s));
            if let Some(step) = last {
                step.exchange = Some(region);
            }
            return;
        }
        // What is around a partition and its end is the sum of its parts, and so is what is around other regions.
        if holds_part && self.step.part.is_some() {
            return;
        }
        let list = if self.step.parted_s.is_some() && self.step.part.is_none() {
            &mut self.step.before
        } else {
            &mut self.step.work
        };
        list.retain(|inner| inner.start_s < region.start_s);
        list.push(region);
    }
}

/// Machines in machines; halving 2^64 processes takes no more.
const DEEPEST: usize = 64;

/// The supersteps of the outermost machine; none if partitions and their ends do not match, or are too deep.
pub fn steps(events: &[Event]) -> Option<Vec<RankStep>> {
    let mut frames = vec![Frame::default()];
    for event in events {
        let depth = frames.len();
        let top = frames.last_mut()?;
        match event {
            Event::Send { at_s, to, bytes } => {
                top.step.sends.push((*to, *bytes));
                top.step.sent_s = *at_s;
            }
            Event::Wait { at_s } if top.step.sends.is_empty() => top.step.sent_s = *at_s,
            Event::Wait { .. } => {}
            Event::Sync { at_s, joins: true, .. } if top.joined().is_some() => {
                if let Some(last) = top.joined() {
                    last.done_s = *at_s;
                }
                top.step = RankStep::default();
            }
            Event::Unlearned { .. } => {}
            Event::Sync { at_s, barrier, joins } => {
                top.step.joins = *joins;
                top.step.sync = Some(if *barrier { Sync::Barrier } else { Sync::Oblivious });
                top.step.done_s = *at_s;
                top.next();
            }
            Event::Partition { at_s, ends } => {
                if depth > DEEPEST {
                    return None;
                }
                if top.step.part.is_some() {
                    top.next();
                }
                top.step.before = std::mem::take(&mut top.step.work);
                top.step.parted_s = Some(*at_s);
                frames.push(Frame { ends: ends.clone(), made_s: *at_s, ..Frame::default() });
            }
            Event::Done { .. } => {
                if depth < 2 {
                    return None;
                }
                let mut part = frames.pop()?;
                let ends = std::mem::take(&mut part.ends);
                frames.last_mut()?.step.part = Some((ends, part.close()));
            }
            Event::Region { name, start_s, time_s, values, .. } => {
                let region = Region { name: name.clone(), values: values.clone(), time_s: *time_s, start_s: *start_s };
                // One that began before the machine was made belongs to the machine around it.
                let at = frames.iter().rposition(|frame| frame.made_s <= *start_s).unwrap_or(0);
                frames[at].region(region);
            }
        }
    }
    let last = frames.pop()?;
    frames.is_empty().then(|| last.close())
}
