//! The algorithm of a collective: chosen by size and number of processes, from a table that users can replace.

use super::algorithm::Algorithm;
use crate::application::CollectiveKind;
use runcast_core::Problem;

/// The algorithms of collectives.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choice {
    /// Algorithms that are fixed, by kind: `chain:16` is a pipeline in 16 segments.
    pub fixed: Vec<(CollectiveKind, String)>,
    /// Rows that precede [`DEFAULT_ROWS`]; the first that fits is used.
    pub rows: Vec<Row>,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Operation.
    pub kind: CollectiveKind,
    /// Fits calls of fewer bytes; none: of any size.
    pub below: Option<u64>,
    /// Fits calls of fewer processes; none: of any number.
    pub processes_below: Option<u64>,
    /// Fits only powers of two.
    pub power_of_two: bool,
    /// Name of the algorithm.
    pub algorithm: std::borrow::Cow<'static, str>,
}

const fn row(
    kind: CollectiveKind,
    below: Option<u64>,
    processes_below: Option<u64>,
    power_of_two: bool,
    algorithm: &'static str,
) -> Row {
    Row { kind, below, processes_below, power_of_two, algorithm: std::borrow::Cow::Borrowed(algorithm) }
}

const KIB: u64 = 1024;

/// The default table.
pub const DEFAULT_ROWS: &[Row] = &[
    row(CollectiveKind::Bcast, Some(12 * KIB), None, false, "binomial"),
    row(CollectiveKind::Bcast, None, Some(8), false, "binomial"),
    row(CollectiveKind::Bcast, Some(512 * KIB), None, true, "scatter_doubling"),
    row(CollectiveKind::Bcast, None, None, false, "scatter_ring"),
    row(CollectiveKind::Scatter, None, None, false, "binomial"),
    row(CollectiveKind::Gather, None, None, false, "binomial"),
    row(CollectiveKind::Allgather, Some(512 * KIB), None, true, "doubling"),
    row(CollectiveKind::Allgather, Some(512 * KIB), None, false, "bruck"),
    row(CollectiveKind::Allgather, None, None, false, "ring"),
    row(CollectiveKind::Alltoall, Some(257), None, false, "bruck"),
    row(CollectiveKind::Alltoall, Some(32 * KIB + 1), None, false, "spread"),
    row(CollectiveKind::Alltoall, None, None, false, "pairwise"),
    row(CollectiveKind::Reduce, Some(2 * KIB + 1), None, false, "binomial"),
    row(CollectiveKind::Reduce, None, None, false, "rabenseifner"),
    row(CollectiveKind::ReduceScatter, None, None, true, "halving"),
    row(CollectiveKind::ReduceScatter, None, None, false, "pairwise"),
    row(CollectiveKind::Allreduce, Some(2 * KIB + 1), None, false, "doubling"),
    row(CollectiveKind::Allreduce, None, None, false, "rabenseifner"),
    row(CollectiveKind::Barrier, None, None, false, "dissemination"),
];

/// An algorithm, and the number of its segments if given.
#[derive(Debug, Clone, Copy)]
pub struct Chosen {
    pub algorithm: &'static Algorithm,
    /// Segments of a pipeline.
    pub segments: Option<u64>,
}

impl Choice {
    /// Fixes algorithms as options write them: `bcast=binomial`.
    ///
    /// # Errors
    /// An unknown operation or algorithm.
    pub fn fix(&mut self, text: &str) -> Result<(), Problem> {
        let (kind, name) = text.split_once('=').ok_or_else(|| {
            Problem::new("bad_collective", "an algorithm is fixed as OPERATION=ALGORITHM").value(text)
        })?;
        let kind = CollectiveKind::find(kind).ok_or_else(|| {
            let names: Vec<&str> = CollectiveKind::ALL.iter().map(|kind| kind.name()).collect();
            Problem::new("unknown_collective", "there is no such collective").value(kind).allowed(names.join(", "))
        })?;
        named(kind, name)?;
        self.fixed.push((kind, name.to_owned()));
        Ok(())
    }

    /// The algorithm of a call that someone asked for: the one it names itself, else the fixed one (the last that was
    /// fixed), else that of the first row of the user's that fits.
    ///
    /// # Errors
    /// An unknown algorithm.
    pub fn asked(
        &self,
        kind: CollectiveKind,
        name: Option<&str>,
        size: u64,
        processes: u64,
    ) -> Result<Option<Chosen>, Problem> {
        let fixed = || self.fixed.iter().rev().find(|(of, _)| *of == kind).map(|(_, name)| name.as_str());
        let row = || self.rows.iter().find(|row| row.fits(kind, size, processes)).map(|row| row.algorithm.as_ref());
        name.or_else(fixed).or_else(row).map(|name| named(kind, name)).transpose()
    }

    /// The algorithm of a call where nobody asked for one: that of the first default row that fits.
    ///
    /// # Errors
    /// There is no such row.
    pub fn usual(&self, kind: CollectiveKind, size: u64, processes: u64) -> Result<Chosen, Problem> {
        match DEFAULT_ROWS.iter().find(|row| row.fits(kind, size, processes)) {
            Some(row) => named(kind, &row.algorithm),
            None => Err(Problem::new("no_algorithm", format!("no row of the table fits this {}", kind.name()))),
        }
    }

    /// The algorithm of a call between any members.
    ///
    /// # Errors
    /// As [`Choice::asked`].
    pub fn choose(
        &self,
        kind: CollectiveKind,
        name: Option<&str>,
        size: u64,
        processes: u64,
    ) -> Result<Chosen, Problem> {
        self.asked(kind, name, size, processes)?.map_or_else(|| self.usual(kind, size, processes), Ok)
    }
}

impl Row {
    fn fits(&self, kind: CollectiveKind, size: u64, processes: u64) -> bool {
        self.kind == kind
            && self.below.is_none_or(|below| size < below)
            && self.processes_below.is_none_or(|below| processes < below)
            && (!self.power_of_two || processes.is_power_of_two())
    }
}

fn named(kind: CollectiveKind, name: &str) -> Result<Chosen, Problem> {
    let (plain, segments) = match name.split_once(':') {
        Some(("chain", segments)) => ("chain", Some(segments)),
        _ => (name, None),
    };
    let unknown = || {
        Problem::new("unknown_algorithm", format!("{} has no such algorithm", kind.name()))
            .value(name)
            .allowed(Algorithm::names(kind))
    };
    let algorithm = Algorithm::find(kind, plain).ok_or_else(unknown)?;
    let segments = match segments {
        None => None,
        Some(text) => Some(text.parse::<u64>().ok().filter(|k| (1..=1 << 20).contains(k)).ok_or_else(|| {
            Problem::new("bad_segments", "a pipeline has a whole number of segments")
                .value(name)
                .allowed("chain:1 to chain:1048576")
        })?),
    };
    Ok(Chosen { algorithm, segments })
}
