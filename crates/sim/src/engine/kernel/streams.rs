//! Streams: what a process has its devices do while it goes on. Tasks of one stream come one after the other; copies also wait
//! for one of the copy engines of their device.

use super::slab::Slab;
use crate::application::{Application, Direction, Task};
use crate::outcome::Activity;
use crate::tick::Tick;
use crate::world::{DeviceId, Io, World};
use runcast_core::Problem;
use runcast_core::hash::MixMap;
use std::collections::VecDeque;

/// Marks the number of a task where those of processes stand, too.
const TASK: u32 = 1 << 31;

/// Who computes or copies: a process, or a task of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Process(u32),
    Task(u32),
}

impl Who {
    /// As one number.
    pub fn number(self) -> u32 {
        match self {
            Who::Process(own) => own,
            Who::Task(task) => task | TASK,
        }
    }

    /// From [`Who::number`].
    pub fn of(number: u32) -> Who {
        if number & TASK == 0 { Who::Process(number) } else { Who::Task(number & !TASK) }
    }
}

/// A task that is not over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Launched {
    pub process: u32,
    pub task: Task,
    pub device: DeviceId,
    pub stream: u32,
    /// Request of the process; none: it waits for the task.
    pub request: Option<u32>,
    /// When it began, once it has.
    pub began: Tick,
}

/// Copies of a device in one direction.
#[derive(Debug, Default)]
struct Engines {
    busy: u32,
    waiting: VecDeque<u32>,
}

/// The tasks of all processes.
#[derive(Debug, Default)]
pub struct Streams {
    tasks: Slab<Launched>,
    /// Those of a process, a device and a stream: the first is at work.
    queues: MixMap<(u32, DeviceId, u32), VecDeque<u32>>,
    /// Tasks of a process that are not over.
    open: MixMap<u32, u32>,
    engines: MixMap<(DeviceId, bool), Engines>,
}

/// The device and the stream of a task.
///
/// # Errors
/// The machine has no such device.
pub fn stream_of(
    application: &Application,
    world: &dyn World,
    process: u64,
    task: Task,
) -> Result<(DeviceId, u32), Problem> {
    let (name, stream) = match task {
        Task::Block(block) => {
            let block = &application.blocks[block as usize];
            (block.device.as_str(), block.stream)
        }
        Task::Copy(copy) => {
            let copy = application.copies[copy as usize];
            (application.names[copy.device as usize].as_str(), copy.stream)
        }
    };
    Ok((world.device_of(process, name)?, stream))
}

/// What a copy costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CopyCost {
    pub latency_s: f64,
    /// What its bytes share, and their seconds alone.
    pub resource: u32,
    pub alone_s: f64,
}

/// What a copy of a process costs.
///
/// # Errors
/// The machine has no such device.
pub fn cost_of_copy(
    application: &Application,
    world: &dyn World,
    process: u32,
    copy: u32,
) -> Result<CopyCost, Problem> {
    let (io, size) = Io::of_copy(&application.copies[copy as usize], &application.names);
    let cost = world.io(io, size, u64::from(process))?;
    Ok(CopyCost { latency_s: cost.latency_s, resource: cost.resource, alone_s: size as f64 / cost.bandwidth })
}

/// What a process does that waits for a task.
pub fn activity(task: Task) -> Activity {
    match task {
        Task::Block(_) => Activity::Compute,
        Task::Copy(_) => Activity::Io,
    }
}

impl Streams {
    /// Whether something of a process is at work, or waits, in a stream.
    #[inline]
    pub fn is_at_work(&self, process: u32, (device, stream): (DeviceId, u32)) -> bool {
        !self.queues.is_empty() && self.queues.contains_key(&(process, device, stream))
    }

    /// Whether something of a process is at work, or waits, on a device.
    pub fn are_on(&self, process: u32, device: DeviceId) -> bool {
        self.queues.keys().any(|(of, on, _)| (*of, *on) == (process, device))
    }

    /// Whether all that a process launched is over.
    #[inline]
    pub fn are_over(&self, process: u32) -> bool {
        self.open.is_empty() || !self.open.contains_key(&process)
    }

    /// Adds what a process launches: its number, and whether it is the first of its stream, and begins.
    ///
    /// # Errors
    /// The machine has no such device.
    pub fn launch(
        &mut self,
        (application, world): (&Application, &dyn World),
        (own, process): (u32, u64),
        task: Task,
        request: Option<u32>,
    ) -> Result<(u32, bool), Problem> {
        let (device, stream) = stream_of(application, world, process, task)?;
        Ok(self.add(Launched { process: own, task, device, stream, request, began: 0 }))
    }

    fn add(&mut self, launched: Launched) -> (u32, bool) {
        let number = self.tasks.insert(launched);
        *self.open.entry(launched.process).or_default() += 1;
        let queue = self.queues.entry((launched.process, launched.device, launched.stream)).or_default();
        queue.push_back(number);
        (number, queue.len() == 1)
    }

    pub fn get(&self, number: u32) -> Launched {
        self.tasks[number]
    }

    /// A task begins.
    pub fn begin(&mut self, number: u32, now: Tick) {
        self.tasks[number].began = now;
    }

    /// A task is over: the next of its stream, which begins.
    pub fn end(&mut self, number: u32) -> Option<u32> {
        let Launched { process, device, stream, .. } = self.tasks[number];
        self.tasks.remove(number);
        if let Some(open) = self.open.get_mut(&process) {
            *open -= 1;
            if *open == 0 {
                self.open.remove(&process);
            }
        }
        let queue = self.queues.get_mut(&(process, device, stream))?;
        queue.pop_front();
        let next = queue.front().copied();
        if next.is_none() {
            self.queues.remove(&(process, device, stream));
        }
        next
    }

    /// A copy asks for an engine of its device: whether it gets one; otherwise it waits for it.
    pub fn take_engine(&mut self, number: u32, direction: Direction, count: u32) -> bool {
        let (out, most) = engine(direction, count);
        let engines = self.engines.entry((self.tasks[number].device, out)).or_default();
        let is_free = engines.busy < most;
        if is_free {
            engines.busy += 1;
        } else {
            engines.waiting.push_back(number);
        }
        is_free
    }

    /// A copy is over: the one that gets its engine.
    pub fn free_engine(&mut self, device: DeviceId, direction: Direction, count: u32) -> Option<u32> {
        let (out, _) = engine(direction, count);
        let engines = self.engines.get_mut(&(device, out))?;
        let next = engines.waiting.pop_front();
        if next.is_none() {
            engines.busy -= 1;
        }
        next
    }
}

/// What tasks need of an engine.
pub struct Launching<'a> {
    pub streams: &'a mut Streams,
    pub application: &'a Application,
    pub world: &'a dyn World,
    pub now: Tick,
}

impl Launching<'_> {
    /// The direction of a copy, and how many engines its device has for copies.
    fn way_of(&self, device: DeviceId, copy: u32) -> (Direction, u32) {
        (self.application.copies[copy as usize].direction, self.world.copy_engines(device))
    }
}

/// An engine whose processes launch tasks; in which order they begin and end is the same in all engines.
pub trait Launches {
    fn launching(&mut self) -> Launching<'_>;

    /// A block begins; false: it takes no time.
    fn start_block(&mut self, number: u32, launched: Launched, block: u32) -> Result<bool, Problem>;

    /// A copy has an engine: its latency.
    fn start_copy(&mut self, number: u32, copy: u32) -> Result<(), Problem>;

    /// A task is over: its process may wait for it, or for all that it launched.
    fn task_is_over(&mut self, number: u32, launched: Launched) -> Result<(), Problem>;

    /// Starts the first task of a stream; false: it takes no time.
    fn start_task(&mut self, number: u32) -> Result<bool, Problem> {
        let launching = self.launching();
        launching.streams.begin(number, launching.now);
        let launched = launching.streams.get(number);
        match launched.task {
            Task::Block(block) => self.start_block(number, launched, block),
            Task::Copy(copy) => {
                let (direction, engines) = launching.way_of(launched.device, copy);
                if launching.streams.take_engine(number, direction, engines) {
                    self.start_copy(number, copy)?;
                }
                Ok(true)
            }
        }
    }

    /// Ends a task, and those behind it in its stream that take no time.
    fn end_task(&mut self, number: u32) -> Result<(), Problem> {
        let mut over = Some(number);
        while let Some(number) = over {
            let launching = self.launching();
            let launched = launching.streams.get(number);
            if let Task::Copy(copy) = launched.task {
                let (direction, engines) = launching.way_of(launched.device, copy);
                if let Some(next) = launching.streams.free_engine(launched.device, direction, engines)
                    && let Task::Copy(copy) = launching.streams.get(next).task
                {
                    self.start_copy(next, copy)?;
                }
            }
            over = match self.launching().streams.end(number) {
                Some(next) if !self.start_task(next)? => Some(next),
                _ => None,
            };
            self.task_is_over(number, launched)?;
        }
        Ok(())
    }
}

/// Which engines make copies in a direction, and how many there are: half of them each; a single one makes both.
fn engine(direction: Direction, count: u32) -> (bool, u32) {
    match direction {
        Direction::FromDevice if count > 1 => (true, count / 2),
        _ => (false, count - count / 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(process: u32, stream: u32) -> Launched {
        Launched { process, task: Task::Copy(0), device: 7, stream, request: None, began: 0 }
    }

    #[test]
    fn a_stream_is_in_order_and_streams_are_not() {
        let mut streams = Streams::default();
        let (first, begins) = streams.add(copy(0, 1));
        let (second, waits) = streams.add(copy(0, 1));
        let (other, also_begins) = streams.add(copy(0, 2));
        assert_eq!((begins, waits, also_begins), (true, false, true));
        assert!(streams.is_at_work(0, (7, 1)) && !streams.is_at_work(1, (7, 1)));
        assert_eq!(streams.end(first), Some(second));
        assert_eq!((streams.end(other), streams.end(second)), (None, None));
        assert!(streams.are_over(0) && !streams.is_at_work(0, (7, 1)));
    }

    #[test]
    fn two_engines_are_one_a_direction_and_a_single_one_makes_both() {
        let mut streams = Streams::default();
        let tasks: Vec<u32> = (0..4).map(|stream| streams.add(copy(0, stream)).0).collect();
        assert!(streams.take_engine(tasks[0], Direction::ToDevice, 2));
        assert!(!streams.take_engine(tasks[1], Direction::ToDevice, 2));
        assert!(streams.take_engine(tasks[2], Direction::FromDevice, 2));
        assert_eq!(streams.free_engine(7, Direction::ToDevice, 2), Some(tasks[1]));
        assert_eq!(streams.free_engine(7, Direction::ToDevice, 2), None);
        assert_eq!(streams.free_engine(7, Direction::FromDevice, 2), None);
        assert!(streams.take_engine(tasks[0], Direction::ToDevice, 1));
        assert!(!streams.take_engine(tasks[1], Direction::FromDevice, 1));
    }

    #[test]
    fn a_task_is_told_from_a_process() {
        for who in [Who::Process(0), Who::Process(TASK - 1), Who::Task(0), Who::Task(TASK - 1)] {
            assert_eq!(Who::of(who.number()), who);
        }
    }
}
