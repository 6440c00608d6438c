//! The algorithm of a collective: chosen by size and number of processes, from a table that users can replace.

use super::algorithm::Algorithm;
use super::shape::Shape;
use crate::application::CollectiveKind;
use runcast_core::Problem;

/// The algorithms of collectives.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choice {
    /// Algorithms that are fixed, by kind: `chain:16` is a pipeline in 16 segments.
    pub fixed: Vec<(CollectiveKind, String)>,
    /// Rows of an MPI library, which precede [`DEFAULT_ROWS`]; the first that fits is used.
    pub selector: Vec<Row>,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Operation.
    pub kind: CollectiveKind,
    /// Fits calls of fewer bytes; none: of any size.
    pub below: Option<u64>,
    /// Fits calls with fewer bytes of each process, n/P; none: of any size.
    pub block_below: Option<u64>,
    /// Fits calls of fewer processes; none: of any number.
    pub processes_below: Option<u64>,
    /// Fits only powers of two.
    pub power_of_two: bool,
    /// Fits only calls with fewer elements of 8 bytes than the largest power of two that is not above P.
    pub short: bool,
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
    Row {
        kind,
        below,
        block_below: None,
        processes_below,
        power_of_two,
        short: false,
        algorithm: std::borrow::Cow::Borrowed(algorithm),
    }
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
    row(CollectiveKind::Scan, None, None, false, "doubling"),
    row(CollectiveKind::Exscan, None, None, false, "doubling"),
    row(CollectiveKind::Barrier, None, None, false, "dissemination"),
];

/// An algorithm, and the number of its segments if given.
#[derive(Debug, Clone, Copy)]
pub struct Chosen {
    pub algorithm: &'static Algorithm,
    /// Segments of a pipeline, or the base of a tree.
    pub parameter: Option<u64>,
}

impl Chosen {
    /// The shape of a call.
    pub fn shape(&self, processes: u64, size: u64) -> Shape {
        let shape = Shape::new(processes, size);
        match self.parameter {
            Some(radix) if self.algorithm.name == "knomial" => Shape { radix, ..shape },
            Some(segments) => shape.in_segments(segments),
            None => shape,
        }
    }
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
    /// fixed).
    ///
    /// # Errors
    /// An unknown algorithm.
    pub fn asked(&self, kind: CollectiveKind, name: Option<&str>) -> Result<Option<Chosen>, Problem> {
        let fixed = || self.fixed.iter().rev().find(|(of, _)| *of == kind).map(|(_, name)| name.as_str());
        name.or_else(fixed).map(|name| named(kind, name)).transpose()
    }

    /// The algorithm of a call where none was asked for: that of the first row that fits.
    ///
    /// # Errors
    /// There is no such row.
    pub fn usual(&self, kind: CollectiveKind, size: u64, processes: u64) -> Result<Chosen, Problem> {
        match self.selector.iter().chain(DEFAULT_ROWS).find(|row| row.fits(kind, size, processes)) {
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
        self.asked(kind, name)?.map_or_else(|| self.usual(kind, size, processes), Ok)
    }
}

impl Row {
    fn fits(&self, kind: CollectiveKind, size: u64, processes: u64) -> bool {
        self.kind == kind
            && self.below.is_none_or(|below| size < below)
            && self.processes_below.is_none_or(|below| processes < below)
            && self.block_below.is_none_or(|below| size / processes.max(1) < below)
            && (!self.power_of_two || processes.is_power_of_two())
            && (!self.short || size / 8 < 1 << processes.max(1).ilog2())
    }
}

/// Algorithms with a number behind their name: the first that is allowed, the last, and what it counts.
const WITH_NUMBERS: [(&str, u64, u64, &str); 4] = [
    ("chain", 1, 1 << 20, "segments"),
    ("binary", 1, 1 << 20, "segments"),
    ("split_binary", 1, 1 << 20, "segments"),
    ("knomial", 2, 1 << 20, "children and itself"),
];

pub(super) fn named(kind: CollectiveKind, name: &str) -> Result<Chosen, Problem> {
    let (plain, number) = name.split_once(':').map_or((name, None), |(plain, number)| (plain, Some(number)));
    let unknown = || {
        Problem::new("unknown_algorithm", format!("{} has no such algorithm", kind.name()))
            .value(name)
            .allowed(Algorithm::names(kind))
    };
    let algorithm = Algorithm::find(kind, plain).ok_or_else(unknown)?;
    let Some(text) = number else { return Ok(Chosen { algorithm, parameter: None }) };
    let with = WITH_NUMBERS.iter().find(|(with, ..)| *with == plain);
    let Some((_, least, most, what)) = with else { return Err(unknown()) };
    match text.parse::<u64>().ok().filter(|number| (least..=most).contains(&number)) {
        Some(number) => Ok(Chosen { algorithm, parameter: Some(number) }),
        None => {
            let problem = Problem::new("bad_segments", format!("{plain} has a whole number of {what}")).value(name);
            Err(problem.allowed(format!("{plain}:{least} to {plain}:{most}")))
        }
    }
}
