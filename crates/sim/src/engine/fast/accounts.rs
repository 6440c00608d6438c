//! What the processes of a part did with their time: the sums of [`crate::plain`], without its intervals.

use super::kinds::Kind;
use super::lists::{Lists, NIL};
use super::plan::Plan;
use super::rank::{COLLECTIVE, Rank, SLEPT, State};
use crate::engine::kernel::rule::MessageCosts;
use crate::outcome::{ACTIVITIES, Activity};
use crate::tick::Tick;
use std::collections::BTreeMap;

/// Sums of a part.
#[derive(Debug)]
pub(super) struct Accounts {
    /// Number of the first process, and first process and number of each label here.
    first: u32,
    spans: Vec<(u32, u32)>,
    /// By label here.
    pub(super) labels: Vec<Sums>,
    /// Ticks by phase and label.
    pub(super) phases: BTreeMap<(u32, u32), i128>,
    /// Thread-ticks blocked in communication, by process.
    pub(super) blocked: Vec<Tick>,
    /// Ticks of computing, by process: all blocks have the same threads, and no two processes a device.
    pub(super) computed: Vec<Tick>,
    /// Where that is not so: what was computed when on which device.
    pub(super) blocks: Vec<Computed>,
    idle: Lists<(Tick, Tick)>,
}

/// Sums of a label.
#[derive(Debug, Default, Clone)]
pub(super) struct Sums {
    pub(super) ticks: [u128; ACTIVITIES],
    /// Ticks of computing, by the bits of the threads.
    pub(super) computed: Vec<(u64, u128)>,
    /// Messages sent.
    pub(super) messages: u64,
    /// Bytes sent.
    pub(super) bytes: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Computed {
    /// Start.
    pub(super) from: Tick,
    /// End.
    pub(super) to: Tick,
    pub(super) threads: f64,
    pub(super) device: u32,
}

impl Accounts {
    /// Nothing is done yet.
    pub(super) fn new(plan: &Plan<'_>, first: u32, end: u32) -> Accounts {
        let mut spans = Vec::new();
        let mut label = plan.application.label_of(u64::from(first));
        while let Some(known) = plan.application.labels.get(label)
            && known.first < u64::from(end)
        {
            if known.count > 0 {
                spans.push((known.first.max(u64::from(first)) as u32 - first, label as u32));
            }
            label += 1;
        }
        let count = (end - first) as usize;
        Accounts {
            first,
            labels: vec![Sums::default(); spans.len()],
            spans,
            phases: BTreeMap::new(),
            blocked: vec![0; count],
            computed: if plan.devices.is_none() { vec![0; count] } else { Vec::new() },
            blocks: Vec::new(),
            idle: Lists::new(),
        }
    }

    /// Labels of this part.
    pub(super) fn spans(&self) -> impl Iterator<Item = (u32, &Sums)> {
        self.spans.iter().map(|(_, label)| *label).zip(&self.labels)
    }

    #[inline]
    fn span(&self, local: u32) -> usize {
        if self.spans.len() == 1 { 0 } else { self.spans.partition_point(|(first, _)| *first <= local) - 1 }
    }

    #[inline]
    fn add(&mut self, rank: &Rank, local: u32, activity: Activity, ticks: Tick) {
        let counted = if rank.flags & COLLECTIVE != 0 { Activity::Collective } else { activity };
        let span = self.span(local);
        self.labels[span].ticks[counted as usize] += u128::from(ticks);
    }

    /// The process does something of its own now: until then it slept, or waited for its interface.
    #[inline]
    pub(super) fn settle(&mut self, rank: &mut Rank, local: u32, now: Tick) {
        if now > rank.clocks.cpu {
            self.idle(rank, local, now);
            rank.clocks.cpu = now;
        }
        rank.flags &= !SLEPT;
    }

    #[inline]
    fn idle(&mut self, rank: &Rank, local: u32, now: Tick) {
        if rank.flags & SLEPT != 0 {
            self.add(rank, local, Activity::Wait, now - rank.clocks.cpu);
        } else {
            self.add(rank, local, Activity::Transfer, now - rank.clocks.cpu);
            self.blocked[local as usize] += now - rank.clocks.cpu;
        }
    }

    #[inline]
    pub(super) fn computed(&mut self, plan: &Plan<'_>, rank: &Rank, local: u32, ticks: Tick, block: u32) {
        self.add(rank, local, Activity::Compute, ticks);
        let threads = plan.application.blocks[block as usize].threads;
        let span = self.span(local);
        let sums = &mut self.labels[span].computed;
        match sums.iter_mut().find(|(bits, _)| *bits == threads.to_bits()) {
            Some((_, sum)) => *sum += u128::from(ticks),
            None => sums.push((threads.to_bits(), u128::from(ticks))),
        }
        match self.computed.get_mut(local as usize) {
            Some(computed) => *computed += ticks,
            None => {
                let device = plan.device(self.first + local, block);
                self.blocks.push(Computed { from: rank.clocks.cpu, to: rank.clocks.cpu + ticks, threads, device });
            }
        }
    }

    /// A message is sent.
    #[inline]
    pub(super) fn sent(&mut self, rank: &Rank, local: u32, kind: &Kind) {
        self.add(rank, local, Activity::Overhead, kind.costs.send_cpu);
        let span = self.span(local);
        let sums = &mut self.labels[span];
        sums.messages += 1;
        sums.bytes += kind.size;
    }

    /// A message is taken; what follows sets the clock.
    #[inline]
    pub(super) fn took(&mut self, rank: &mut Rank, local: u32, now: Tick, sent: Tick, kind: &Kind) {
        if now > rank.clocks.cpu {
            match rank.state {
                State::Receives | State::Waits => rank.idle = self.idle.add((rank.clocks.cpu, now), rank.idle),
                State::Ended => self.awaited(rank, local, rank.clocks.cpu, now, sent),
                _ => self.idle(rank, local, now),
            }
        }
        let MessageCosts { take_cpu, stream, .. } = kind.costs;
        self.add(rank, local, Activity::Transfer, stream);
        self.add(rank, local, Activity::Overhead, take_cpu - stream);
    }

    #[inline]
    fn awaited(&mut self, rank: &Rank, local: u32, from: Tick, to: Tick, sent: Tick) {
        let middle = sent.clamp(from, to);
        self.add(rank, local, Activity::Wait, middle - from);
        self.add(rank, local, Activity::Transfer, to - middle);
        self.blocked[local as usize] += to - from;
    }

    /// A wait is over: the message was sent at that time.
    #[inline]
    pub(super) fn waited(&mut self, rank: &mut Rank, local: u32, sent: Tick) {
        while rank.idle != NIL {
            let (from, to) = *self.idle.get(rank.idle);
            let next = self.idle.next(rank.idle);
            self.idle.remove(rank.idle);
            rank.idle = next;
            self.awaited(rank, local, from, to, sent);
        }
    }

    /// Another phase begins.
    pub(super) fn phase(&mut self, rank: &mut Rank, local: u32, phase: u32) {
        self.leave_phase(rank, local);
        rank.phase = phase;
        let label = self.spans[self.span(local)].1;
        *self.phases.entry((phase, label)).or_default() -= i128::from(rank.clocks.cpu);
    }

    pub(super) fn leave_phase(&mut self, rank: &Rank, local: u32) {
        if rank.phase != NIL {
            let label = self.spans[self.span(local)].1;
            *self.phases.entry((rank.phase, label)).or_default() += i128::from(rank.clocks.cpu);
        }
    }
}
