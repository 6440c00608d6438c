//! What waits for a busy processor or NIC: lanes of a rank by number, and what is free at time 0.

use super::{CALCS, LANE, LATER, Lane, POST, Replay, SENDS, TAKES, pack, unpack};
use crate::schedule::lanes::NOTHING;
use crate::schedule::queue::Event;
use crate::schedule::{Kind, Operation};
use crate::tick::Tick;
use runcast_core::Problem;

impl Replay<'_> {
    /// All that is free at time 0, rank by rank: sends, receives, calculations.
    pub(super) fn start(&mut self) -> Result<(), Problem> {
        for rank in 0..self.ranks.len() as u32 {
            let shape = self.shape(rank);
            if self.has_several {
                self.start_several(rank);
                continue;
            }
            self.start_lane(rank, SENDS)?;
            for operation in &shape.free[Kind::Recv as usize] {
                self.post(rank, *operation)?;
                self.release();
            }
            self.start_lane(rank, CALCS)?;
        }
        Ok(())
    }

    /// The first of a lane begins, and the next while the processor stays free.
    pub(super) fn start_lane(&mut self, rank: u32, kind: usize) -> Result<(), Problem> {
        while let Some((number, operation)) = self.next_free(rank, kind) {
            let state = &mut self.ranks[rank as usize];
            let free = if kind == SENDS { state.cpu.max(state.send_nic) } else { state.cpu };
            if free > 0 {
                self.queue.push(Event { at: free, number, what: LANE | (u64::from(rank) * 3 + kind as u64) });
                return Ok(());
            }
            state.begun[usize::from(kind == CALCS)] += 1;
            self.begin(rank, operation)?;
            self.release();
        }
        // What became ready meanwhile has waited for them without an event.
        if let Some((number, _)) = self.lanes.first(self.ranks[rank as usize].lanes[kind]) {
            let at = self.free(rank, kind, 0, 0);
            self.queue.push(Event { at, number, what: LANE | (u64::from(rank) * 3 + kind as u64) });
        }
        Ok(())
    }

    /// Number and operation of the next free send or calculation that has not begun.
    #[inline]
    pub(super) fn next_free(&self, rank: u32, kind: usize) -> Option<(u64, u32)> {
        let which = match kind {
            SENDS => 0,
            CALCS => 1,
            _ => return None,
        };
        let state = &self.ranks[rank as usize];
        let free = &self.shape(rank).free[if kind == SENDS { Kind::Send } else { Kind::Calc } as usize];
        let begun = state.begun[which];
        free.get(begun as usize).map(|operation| (state.numbers[which] + u64::from(begun), *operation))
    }

    /// The same with several processors: all go through the queue.
    pub(super) fn start_several(&mut self, rank: u32) {
        let shape = self.shape(rank);
        let state = &mut self.ranks[rank as usize];
        state.begun = [u32::MAX; 2];
        let [sends, calcs] = state.numbers;
        let receives = sends + shape.free[Kind::Send as usize].len() as u64;
        let firsts = [(Kind::Send, sends), (Kind::Recv, receives), (Kind::Calc, calcs)];
        for (kind, first) in firsts {
            for (at, operation) in shape.free[kind as usize].iter().enumerate() {
                let number = first + at as u64;
                let what = if kind == Kind::Recv { POST } else { LATER };
                self.queue.push(Event { at: 0, number, what: what | pack(rank, *operation) });
            }
        }
    }

    /// The event of a lane: its first may begin.
    pub(super) fn lane_event(&mut self, event: Event) -> Result<(), Problem> {
        let lane = event.what;
        let (rank, kind, cpu, nic, head) = match self.other_lane(lane) {
            Some(at) => {
                let lane = self.other_lanes[at];
                (lane.rank, lane.kind, lane.cpu, lane.nic, lane.head)
            }
            None => {
                let (rank, kind) = ((lane / 3) as u32, (lane % 3) as usize);
                (rank, kind, 0, 0, self.ranks[rank as usize].lanes[kind])
            }
        };
        let free_one = if self.other_lane(lane).is_none() { self.next_free(rank, kind) } else { None };
        let waiting = self.lanes.first(head);
        let is_free_one = match (free_one, waiting) {
            (Some((one, _)), Some((another, _))) => one < another,
            (one, _) => one.is_some(),
        };
        let first = if is_free_one { free_one.map(|(number, _)| number) } else { waiting.map(|(number, _)| number) };
        if first != Some(event.number) {
            // Another came first, and has an event of its own.
            return Ok(());
        }
        let free = self.free(rank, kind, cpu, nic);
        if free > self.now {
            self.queue.push(Event { at: free, ..event });
            return Ok(());
        }
        let payload = if is_free_one {
            self.ranks[rank as usize].begun[usize::from(kind == CALCS)] += 1;
            free_one.map_or(0, |(_, operation)| pack(rank, operation))
        } else {
            let mut head = head;
            let popped = self.lanes.pop(&mut head);
            self.set_head(lane, head);
            popped.map_or(0, |(_, payload)| payload)
        };
        if kind == TAKES {
            let (sender, operation) = unpack(payload);
            self.take(rank, sender, operation)?;
        } else {
            let (_, operation) = unpack(payload);
            self.begin(rank, operation)?;
        }
        // The next of this lane, at the time at which it can begin at the earliest.
        let head = self.head(lane);
        let free_one = if self.other_lane(lane).is_none() { self.next_free(rank, kind) } else { None };
        let next = match (free_one, self.lanes.first(head)) {
            (Some((one, _)), Some((another, _))) => Some(one.min(another)),
            (Some((one, _)), None) => Some(one),
            (None, another) => another.map(|(number, _)| number),
        };
        if let Some(number) = next {
            let at = self.free(rank, kind, cpu, nic);
            self.queue.push(Event { at, number, what: lane });
        }
        self.release();
        Ok(())
    }

    /// Index of a lane of another processor or NIC.
    #[inline]
    pub(super) fn other_lane(&self, lane: u64) -> Option<usize> {
        lane.checked_sub(3 * self.ranks.len() as u64).map(|at| at as usize)
    }

    #[inline]
    pub(super) fn head(&self, lane: u64) -> u32 {
        match self.other_lane(lane) {
            Some(at) => self.other_lanes[at].head,
            None => self.ranks[(lane / 3) as usize].lanes[(lane % 3) as usize],
        }
    }

    #[inline]
    pub(super) fn set_head(&mut self, lane: u64, head: u32) {
        match self.other_lane(lane) {
            Some(at) => self.other_lanes[at].head = head,
            None => self.ranks[(lane / 3) as usize].lanes[(lane % 3) as usize] = head,
        }
    }

    /// The lane of a processor and a NIC.
    #[inline]
    pub(super) fn lane(&mut self, rank: u32, kind: usize, cpu: u16, nic: u16) -> u64 {
        let nic = if kind == CALCS { 0 } else { nic };
        if cpu == 0 && nic == 0 {
            return u64::from(rank) * 3 + kind as u64;
        }
        let fresh = self.other_lanes.len() as u32;
        let of = u64::from(rank) << 34 | (kind as u64) << 32 | u64::from(cpu) << 16 | u64::from(nic);
        let at = *self.lane_of.entry(of).or_insert(fresh);
        if at == fresh {
            self.other_lanes.push(Lane { rank, kind, cpu, nic, head: NOTHING });
        }
        3 * self.ranks.len() as u64 + u64::from(at)
    }

    /// Puts something into a lane, with an event if it is the first there.
    #[inline]
    pub(super) fn put_into_lane(
        &mut self,
        rank: u32,
        kind: usize,
        operation: &Operation,
        number: u64,
        payload: u64,
        earliest: Tick,
    ) {
        let (cpu, nic) = (operation.cpu, operation.nic);
        let lane = self.lane(rank, kind, cpu, nic);
        let mut head = self.head(lane);
        let is_first = self.lanes.push(&mut head, number, payload);
        self.set_head(lane, head);
        // A free operation that has not begun came earlier than any that others made ready.
        if is_first && (self.other_lane(lane).is_some() || self.next_free(rank, kind).is_none()) {
            let at = self.free(rank, kind, cpu, nic).max(earliest);
            self.queue.push(Event { at, number, what: lane });
        }
    }

    /// A send or a calculation is ready, and waits in its lane.
    pub(super) fn wait(&mut self, rank: u32, operation: u32, number: u64, earliest: Tick) {
        let what = self.operation(rank, operation);
        let kind = if what.kind == Kind::Send { SENDS } else { CALCS };
        self.put_into_lane(rank, kind, what, number, pack(rank, operation), earliest);
    }
}
