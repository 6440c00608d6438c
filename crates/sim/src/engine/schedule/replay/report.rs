//! The end of a replay: its results, or the ranks that wait forever.

use super::{CLOCK_KINDS, Replay, Replayed, unpack};
use crate::deadlock;
use crate::schedule::{ANY_TAG, Kind};
use crate::tick::Tick;
use runcast_core::Problem;
use std::collections::HashMap;

impl Replay<'_> {
    pub(super) fn finish(mut self) -> Result<Replayed, Problem> {
        if self.left > 0 {
            return Err(self.stuck());
        }
        let mut finish: Vec<Tick> = self.ranks.iter().map(|rank| rank.cpu).collect();
        for (key, at) in &self.clocks {
            if key & CLOCK_KINDS == 0 {
                let rank = (key >> 32) as usize;
                finish[rank] = finish[rank].max(*at);
            }
        }
        self.result.end = finish.iter().copied().max().unwrap_or(0);
        self.result.finish = finish;
        self.result.counts.operations = self.schedule.operations();
        self.result.warnings = crate::plain::warnings(self.matching.messages(), 0);
        Ok(self.result)
    }

    /// Who waits for whom: receives without message, and large messages without receive.
    pub(super) fn stuck(&self) -> Problem {
        let mut waits: HashMap<u32, u32> = HashMap::new();
        let mut wait = |rank: u32, operation: u32| {
            let least = waits.entry(rank).or_insert(operation);
            *least = (*least).min(operation);
        };
        self.matching.waiting(|receiver, payload, is_receive| {
            let (sender, operation) = unpack(payload);
            if is_receive {
                wait(receiver, payload as u32);
            } else if self.operation(sender, operation).size > self.parameters.loggops.S {
                wait(sender, operation);
            }
        });
        for (rank, state) in self.ranks.iter().enumerate() {
            for (at, (_, _, operation)) in self.shape(rank as u32).posted.iter().enumerate() {
                if self.matched[state.bits as usize + at / 64] >> (at % 64) & 1 == 0 {
                    wait(rank as u32, *operation);
                }
            }
        }
        let partner = |rank: u32| self.schedule.partner(rank, self.operation(rank, waits[&rank]));
        let mut blocked: Vec<(u64, Option<u64>)> =
            waits.keys().map(|rank| (u64::from(*rank), partner(*rank).map(u64::from))).collect();
        blocked.sort_unstable();
        let describe = |who: u64| self.describe(who as u32, waits[&(who as u32)]);
        deadlock::problem(&blocked, self.ranks.len() as u64, &describe).in_file(self.schedule.file.clone())
    }

    /// `rank 3 recv 8b from 4 tag 1 (halo.goal:14)`.
    pub(super) fn describe(&self, rank: u32, operation: u32) -> String {
        let what = self.operation(rank, operation);
        let partner = self.schedule.partner(rank, what).map_or("any".to_owned(), |partner| partner.to_string());
        let (verb, side) = if what.kind == Kind::Send { ("send", "to") } else { ("recv", "from") };
        let tag = if what.tag == ANY_TAG { "any".to_owned() } else { what.tag.to_string() };
        let place = match (self.control.line)(rank, operation) {
            Some(line) => format!("{}:{line}", self.schedule.file),
            None => format!("operation {operation}"),
        };
        format!("rank {rank} {verb} {}b {side} {partner} tag {tag} ({place})", what.size)
    }
}
