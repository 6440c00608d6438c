//! Collectives whose members have different numbers of bytes: alltoallv, allgatherv, gatherv, scatterv, reduce_scatterv.
//!
//! Each has one algorithm, whose cost is, with n(i, j) bytes from member i to member j (or n(i) of member i):
//!
//! ```text
//! alltoallv         spread     (P-1)a + b*max over members of what each sends or receives
//! allgatherv        ring       (P-1)a + b*(total - least)
//! gatherv scatterv  linear     (P-1)a + b*total
//! reduce_scatterv   pairwise   (P-1)a + b*max over members of (total - n(i), (P-1)n(i)) + c*(P-1)*most
//! ```
//!
//! As for an alltoall, what a member keeps counts as sent; messages have it only where it travels.

use super::Prices;
use crate::application::CollectiveKind;
use runcast_core::Problem;
use runcast_core::hash::hash_of;

/// The largest group whose members may each send something else to each other.
const MOST_PAIRED: u64 = 4096;

/// Bytes of each member, or from each member to each other one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Counts {
    members: u64,
    /// One for each member, or row by row for each pair.
    bytes: Vec<u64>,
    hash: u64,
}

/// Operations with counts: the name of the call, the operation, and its algorithm.
pub const IRREGULAR: [(&str, CollectiveKind, &str); 5] = [
    ("alltoallv", CollectiveKind::Alltoall, "spread"),
    ("allgatherv", CollectiveKind::Allgather, "ring"),
    ("gatherv", CollectiveKind::Gather, "linear"),
    ("scatterv", CollectiveKind::Scatter, "linear"),
    ("reduce_scatterv", CollectiveKind::ReduceScatter, "pairwise"),
];

/// The algorithm of an operation with counts.
pub fn algorithm_of(kind: CollectiveKind) -> Option<&'static str> {
    IRREGULAR.iter().find(|(_, known, _)| *known == kind).map(|(.., algorithm)| *algorithm)
}

impl Counts {
    /// Of a group of this many members.
    ///
    /// # Errors
    /// `wrong_counts`: they are neither one for each member nor, in an alltoall, one for each pair.
    pub fn new(kind: CollectiveKind, members: u64, bytes: Vec<u64>) -> Result<Self, Problem> {
        let given = bytes.len() as u64;
        let paired = kind == CollectiveKind::Alltoall && members <= MOST_PAIRED && given == members * members;
        if given != members && !paired {
            let problem = Problem::new("wrong_counts", format!("`counts` has {given} numbers for {members} members"));
            return Err(problem.value(given.to_string()).allowed(members.to_string()));
        }
        let hash = hash_of(&bytes);
        Ok(Counts { members, bytes, hash })
    }

    /// Fails for groups in which pairs would be too many.
    ///
    /// # Errors
    /// `too_many_counts`.
    pub fn check_paired(members: u64) -> Result<(), Problem> {
        if members <= MOST_PAIRED {
            return Ok(());
        }
        let problem = Problem::new("too_many_counts", "`counts` as a function of both members, in too large a group");
        Err(problem.value(members.to_string()).allowed(format!("at most {MOST_PAIRED} members")))
    }

    /// A number that is equal for equal counts.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Bytes in all, without overflow.
    pub fn total(&self) -> u64 {
        let row = |from| (0..self.members).map(move |to| self.of_pair(from, to)).fold(0, u64::saturating_add);
        match self.is_paired() {
            true => (0..self.members).map(row).fold(0, u64::saturating_add),
            false => self.bytes.iter().copied().fold(0, u64::saturating_add),
        }
    }

    fn is_paired(&self) -> bool {
        self.bytes.len() as u64 != self.members
    }

    fn of_pair(&self, from: u64, to: u64) -> u64 {
        let at = if self.is_paired() { from * self.members + to } else { to };
        self.bytes[at as usize]
    }

    /// Bytes of the message from one member to another in a round.
    pub fn message(&self, kind: CollectiveKind, from: u64, to: u64, round: u64) -> u64 {
        match kind {
            CollectiveKind::Gather => self.bytes[from as usize],
            // Around the ring everyone hands on what it got in the round before.
            CollectiveKind::Allgather => {
                self.bytes[((from + self.members - round % self.members) % self.members) as usize]
            }
            _ => self.of_pair(from, to),
        }
    }

    /// Bytes that a member sums up when it has received.
    pub fn reduced(&self, member: u64) -> u64 {
        self.bytes[member as usize]
    }

    /// Seconds of the formula.
    pub fn seconds(&self, kind: CollectiveKind, prices: &dyn Prices) -> f64 {
        let others = self.members.saturating_sub(1);
        let sum = |each: &mut dyn Iterator<Item = u64>| each.map(|bytes| bytes as f64).sum::<f64>();
        let total = sum(&mut self.bytes.iter().copied());
        let least = self.bytes.iter().min().map_or(0.0, |least| *least as f64);
        let most = self.bytes.iter().max().map_or(0.0, |most| *most as f64);
        let (bytes, reduced) = match kind {
            CollectiveKind::Alltoall => {
                let of_member = |member: u64| {
                    let sent = sum(&mut (0..self.members).map(|to| self.of_pair(member, to)));
                    let received = sum(&mut (0..self.members).map(|from| self.of_pair(from, member)));
                    sent.max(received)
                };
                ((0..self.members).map(of_member).fold(0.0, f64::max), 0.0)
            }
            CollectiveKind::Allgather => (total - least, 0.0),
            CollectiveKind::ReduceScatter => ((total - least).max(others as f64 * most), others as f64 * most),
            _ => (total, 0.0),
        };
        let (start, per_byte) = prices.message((bytes / others.max(1) as f64) as u64);
        others as f64 * start + bytes * per_byte + reduced * prices.reduce_per_byte()
    }
}
