//! The calls that are recorded, with their numbers; the flags and fields of a call.

/// Calls by number. Blocking, non-blocking and persistent forms share one; [`Flags`] tells them apart.
const CALLS: &[(u16, &str)] = &[
    (1, "send"),
    (2, "bsend"),
    (3, "ssend"),
    (4, "rsend"),
    (5, "psend"),
    (10, "recv"),
    (11, "mrecv"),
    (12, "precv"),
    (13, "sendrecv"),
    (20, "wait"),
    (21, "waitall"),
    (22, "waitany"),
    (23, "waitsome"),
    (24, "start"),
    (25, "request_free"),
    (26, "cancel"),
    (30, "probe"),
    (31, "mprobe"),
    (40, "barrier"),
    (41, "bcast"),
    (42, "gather"),
    (43, "gatherv"),
    (44, "scatter"),
    (45, "scatterv"),
    (46, "allgather"),
    (47, "allgatherv"),
    (48, "alltoall"),
    (49, "alltoallv"),
    (50, "alltoallw"),
    (51, "reduce"),
    (52, "allreduce"),
    (53, "reduce_scatter"),
    (54, "reduce_scatter_block"),
    (55, "scan"),
    (56, "exscan"),
    (57, "neighbor_allgather"),
    (58, "neighbor_allgatherv"),
    (59, "neighbor_alltoall"),
    (60, "neighbor_alltoallv"),
    (61, "neighbor_alltoallw"),
    (70, "win"),
    (71, "put"),
    (72, "get"),
    (73, "accumulate"),
    (74, "fence"),
    (75, "post_start"),
    (76, "complete_wait"),
    (77, "lock"),
    (78, "unlock"),
    (79, "flush"),
    (80, "comm"),
    (81, "intercomm_create"),
    (82, "cart_create"),
    (83, "cart_sub"),
    (84, "graph_create"),
    (85, "dist_graph_create"),
    (90, "file"),
    (96, "init"),
    (97, "finalize"),
    (98, "abort"),
    (99, "pcontrol"),
];

/// Numbers of calls that the program looks at one by one.
pub mod call {
    pub const SEND: u16 = 1;
    pub const BSEND: u16 = 2;
    pub const SSEND: u16 = 3;
    pub const PSEND: u16 = 5;
    pub const RECV: u16 = 10;
    pub const PRECV: u16 = 12;
    pub const SENDRECV: u16 = 13;
    pub const WAIT: u16 = 20;
    pub const WAITALL: u16 = 21;
    pub const WAITSOME: u16 = 23;
    pub const START: u16 = 24;
    pub const PROBE: u16 = 30;
    pub const MPROBE: u16 = 31;
    pub const BARRIER: u16 = 40;
    pub const BCAST: u16 = 41;
    pub const GATHER: u16 = 42;
    pub const GATHERV: u16 = 43;
    pub const SCATTER: u16 = 44;
    pub const SCATTERV: u16 = 45;
    pub const ALLGATHER: u16 = 46;
    pub const ALLTOALLV: u16 = 49;
    pub const REDUCE: u16 = 51;
    pub const ALLREDUCE: u16 = 52;
    pub const SCAN: u16 = 55;
    pub const EXSCAN: u16 = 56;
    pub const NEIGHBOR_ALLGATHER: u16 = 57;
    pub const LAST_COLLECTIVE: u16 = 61;
    pub const WIN: u16 = 70;
    pub const PUT: u16 = 71;
    pub const GET: u16 = 72;
    pub const ACCUMULATE: u16 = 73;
    pub const FENCE: u16 = 74;
    pub const POST_START: u16 = 75;
    pub const COMPLETE_WAIT: u16 = 76;
    pub const LOCK: u16 = 77;
    pub const UNLOCK: u16 = 78;
    pub const FLUSH: u16 = 79;
    pub const FILE: u16 = 90;
    pub const FINALIZE: u16 = 97;
}

/// The name of a call: lower case, without `MPI_`.
pub fn name_of(number: u16) -> Option<&'static str> {
    CALLS.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

/// The number of a call of this name, lower case without `mpi_`, and its flags: `isend`, `recv_init`, `ibcast`.
pub fn number_of(name: &str) -> Option<(u16, Flags)> {
    let exact = |name: &str| CALLS.iter().find(|(_, known)| *known == name).map(|(number, _)| *number);
    let persistent = || Some((exact(name.strip_suffix("_init")?)?, Flags::PERSISTENT));
    let nonblocking = || Some((exact(name.strip_prefix('i')?)?, Flags::NONBLOCKING));
    exact(name).map(|number| (number, Flags::default())).or_else(persistent).or_else(nonblocking)
}

/// As it is shown: with an `i` in front where it is non-blocking, `_init` behind where it is persistent.
pub fn shown(number: u16, flags: Flags) -> String {
    if number == 0 {
        return "block".to_owned();
    }
    let name = name_of(number).map_or_else(|| format!("call_{number}"), str::to_owned);
    let is_request = !(20..30).contains(&number);
    match () {
        () if is_request && flags.has(Flags::PERSISTENT) => format!("{name}_init"),
        () if is_request && flags.has(Flags::NONBLOCKING) => format!("i{name}"),
        () => name,
    }
}

/// What distinguishes calls of one number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flags(pub u32);

impl Flags {
    /// A receive from any source or with any tag.
    pub const ANY: Flags = Flags(1);
    /// It returns at once; a request completes it.
    pub const NONBLOCKING: Flags = Flags(2);
    /// A request that is started again and again.
    pub const PERSISTENT: Flags = Flags(4);
    /// It waits until the message is being received.
    pub const SYNC: Flags = Flags(8);
    /// Its data are given part by part.
    pub const PARTITIONED: Flags = Flags(16);
    /// A test that succeeded.
    pub const POLLED: Flags = Flags(32);
    /// All ranks of the communicator call it.
    pub const COLLECTIVE: Flags = Flags(64);
    /// One of its streams is a sketch.
    pub const IRREGULAR: Flags = Flags(128);
    /// Its peers are differences from the rank in the communicator. Files of single ranks never have it.
    pub const RELATIVE: Flags = Flags(256);

    const NAMES: [&str; 9] =
        ["any", "nonblocking", "persistent", "sync", "partitioned", "polled", "collective", "irregular", "relative"];

    /// Whether all of `other` are set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// With those of `other`.
    #[must_use]
    pub fn and(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Without those of `other`.
    #[must_use]
    pub fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// The names of those that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().enumerate().filter(move |(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| name)
    }
}

/// What a call may carry, in the order of the bits of a mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// Rank in the communicator; -1 is `MPI_PROC_NULL`. The color of a communicator that is made.
    Peer,
    /// Of a sendrecv: where it receives from. The key of a communicator that is made.
    Peer2,
    /// Bytes; of irregular collectives those sent, those received, the largest block, and the blocks.
    Size,
    /// Tag.
    Tag,
    /// Root of a collective.
    Root,
    /// How many requests complete; the number of a communicator that is made.
    Count,
    /// Requests as distances, in calls of the thread, to the call that made them.
    Reqs,
    /// Which of a family of calls; the level of `MPI_Pcontrol`.
    Extra,
}

impl Field {
    /// All, in the order of the mask.
    pub const ALL: [Field; 8] =
        [Field::Peer, Field::Peer2, Field::Size, Field::Tag, Field::Root, Field::Count, Field::Reqs, Field::Extra];

    /// Its bit in a mask.
    pub fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        ["peer", "peer2", "size", "tag", "root", "count", "reqs", "extra"][self as usize]
    }

    /// The fields of a mask.
    pub fn of(mask: u8) -> impl Iterator<Item = Field> {
        Field::ALL.into_iter().filter(move |field| mask & field.bit() != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        let mut names: Vec<_> = CALLS.iter().map(|(_, name)| name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CALLS.len());
        assert!(CALLS.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn forms_are_told_apart() {
        assert_eq!(shown(call::SEND, Flags::NONBLOCKING), "isend");
        assert_eq!(shown(call::RECV, Flags::PERSISTENT), "recv_init");
        assert_eq!(shown(call::WAITALL, Flags::NONBLOCKING), "waitall");
        assert_eq!(shown(1_234, Flags::default()), "call_1234");
    }
}
