//! The open requests of a process: posted in ascending order as a rule, and waited for in any.

use crate::tick::Tick;
use std::collections::VecDeque;

/// What a request stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// It is done, or was waited for already.
    Done,
    /// A message that must be received first.
    Send(u32),
    Receive(u32),
    /// A collective by its formula.
    Closed(u32),
    /// A task of a device.
    Task(u32),
    /// One that was over at that time.
    TaskOver(Tick),
}

/// Open requests by number.
#[derive(Debug, Default)]
pub struct Requests {
    /// Number, and what it stands for. Those that are done keep their place until others before or behind them are.
    open: VecDeque<(u32, Slot)>,
}

impl Requests {
    /// A request is opened. A number that is still open is replaced, as a handle that is lost.
    pub fn insert(&mut self, number: u32, slot: Slot) {
        if self.open.back().is_none_or(|last| last.0 < number) {
            self.open.push_back((number, slot));
            return;
        }
        let at = self.open.partition_point(|entry| entry.0 < number);
        if let Some(entry) = self.open.get_mut(at)
            && entry.0 == number
        {
            entry.1 = slot;
        } else {
            self.open.insert(at, (number, slot));
        }
    }

    /// What a request stands for. One that is not open counts as done.
    pub fn get(&self, number: u32) -> Slot {
        let at = self.open.partition_point(|entry| entry.0 < number);
        self.open.get(at).filter(|entry| entry.0 == number).map_or(Slot::Done, |entry| entry.1)
    }

    /// Closes a request. One that is not open counts as done.
    pub fn take(&mut self, number: u32) -> Slot {
        let at = self.open.partition_point(|entry| entry.0 < number);
        let Some(entry) = self.open.get_mut(at) else { return Slot::Done };
        if entry.0 != number {
            return Slot::Done;
        }
        let slot = std::mem::replace(&mut entry.1, Slot::Done);
        while self.open.front().is_some_and(|entry| entry.1 == Slot::Done) {
            self.open.pop_front();
        }
        while self.open.back().is_some_and(|entry| entry.1 == Slot::Done) {
            self.open.pop_back();
        }
        slot
    }

    /// A task of a device is over: its request, unless that was given to another.
    pub fn end_task(&mut self, number: u32, task: u32, now: Tick) {
        let at = self.open.partition_point(|entry| entry.0 < number);
        if let Some((found, slot)) = self.open.get_mut(at)
            && *found == number
            && *slot == Slot::Task(task)
        {
            *slot = Slot::TaskOver(now);
        }
    }

    /// How many are open.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.open.iter().filter(|entry| entry.1 != Slot::Done).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_found_in_any_order() {
        let mut requests = Requests::default();
        for number in [5, 7, 6, 9] {
            requests.insert(number, Slot::Send(number));
        }
        assert_eq!(requests.take(6), Slot::Send(6));
        assert_eq!(requests.take(6), Slot::Done);
        requests.insert(6, Slot::Receive(60));
        assert_eq!(requests.len(), 4);
        assert_eq!(requests.take(9), Slot::Send(9));
        assert_eq!(requests.take(5), Slot::Send(5));
        assert_eq!(requests.take(6), Slot::Receive(60));
        assert_eq!(requests.take(7), Slot::Send(7));
        assert_eq!(requests.take(1), Slot::Done);
        assert_eq!(requests.len(), 0);
    }
}
