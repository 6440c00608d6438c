//! The arguments of a collective that determine its messages.

/// Number of processes, bytes and, for algorithms in segments, their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Processes; at least 1.
    pub processes: u64,
    /// Bytes as MPI counts them: allgather the result; scatter, gather all blocks; alltoall the data of one process.
    pub size: u64,
    /// Segments that a pipeline cuts the message into.
    pub segments: u64,
    /// Base of the numbers of members in a tree of several children, k.
    pub radix: u64,
}

/// The base, if none is given.
const RADIX: u64 = 4;

/// Bytes of a segment, if the number of segments is not given.
const SEGMENT: u64 = 64 * 1024;

impl Shape {
    /// A call with pipelines in segments of 64 KiB.
    pub fn new(processes: u64, size: u64) -> Self {
        Shape { processes, size, segments: size.div_ceil(SEGMENT).max(1), radix: RADIX }
    }

    /// The same in this many segments.
    #[must_use]
    pub fn in_segments(self, segments: u64) -> Self {
        Shape { segments: segments.max(1), ..self }
    }

    /// Rounds until doubling reaches all processes: the base-2 logarithm, rounded up.
    pub fn doublings(&self) -> u32 {
        self.processes.next_power_of_two().trailing_zeros()
    }

    /// Bytes of the blocks `from..to`, when the data are cut into as many blocks as there are processes, as evenly as bytes
    /// allow.
    pub fn blocks(&self, from: u64, to: u64) -> u64 {
        self.bound(to) - self.bound(from)
    }

    fn bound(&self, block: u64) -> u64 {
        cut(self.size, block, self.processes)
    }

    /// Bytes of a segment of a pipeline.
    pub fn segment(&self, segment: u64) -> u64 {
        cut(self.size, segment + 1, self.segments) - cut(self.size, segment, self.segments)
    }

    /// Share of all blocks but one in the data: (P-1)/P.
    pub fn all_but_one(&self) -> f64 {
        (self.processes - 1) as f64 / self.processes as f64
    }
}

fn cut(size: u64, at: u64, pieces: u64) -> u64 {
    (u128::from(size) * u128::from(at) / u128::from(pieces)) as u64
}
