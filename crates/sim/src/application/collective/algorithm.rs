//! The algorithms: each is a line, made of [`pattern`](super::pattern)s that follow one another.

use super::pattern::{
    AtOnce, Binary, BinaryUp, Chain, ChainUp, Dissemination, Doubling, DoublingWhole, Down, FromRoot, Halving,
    Handshake, Knomial, Load, Neighbor, Pairwise, Pattern, Ring, ScanDoubling, SplitBinary, SumAtRoot, Term, ToOthers,
    ToRoot, Up,
};
use super::shape::Shape;
use crate::application::CollectiveKind;

/// An algorithm of a collective.
#[derive(Debug, Clone, Copy)]
pub struct Algorithm {
    /// Operation.
    pub kind: CollectiveKind,
    /// Name, unique within an operation.
    pub name: &'static str,
    /// Its cost, with a, b, c as in [`crate::collective`] and lg = ceil(log2 P).
    pub formula: &'static str,
    /// Patterns that follow one another.
    pub patterns: &'static [&'static dyn Pattern],
    /// Treatment of numbers of processes that are not powers of two.
    pub odd: Odd,
}

/// Treatment of numbers of processes that are not powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Odd {
    /// Any number is allowed.
    Any,
    /// Another algorithm of the same cost is used instead.
    Instead(&'static str),
    /// Another algorithm is used instead for odd numbers.
    InsteadOfOdd(&'static str),
    /// The processes beyond the next lower power of two pass their data to a neighbor first, and get the result (if `back`) afterwards:
    /// a step before and one after, `2(a + n b) + n c`. The rest is the algorithm for the power of two.
    Fold {
        /// Whether all need the result.
        back: bool,
    },
}

const WHOLE: Load = Load::Whole;
const BLOCKS: Load = Load::Blocks;
const EMPTY: Load = Load::Empty;
const SPREAD_OUT: Ring = Ring { reduce: false };
const SUM_UP: Ring = Ring { reduce: true };
const GATHER_UP: Up = Up { load: BLOCKS, reduce: false };
const EXCHANGE: Pairwise = Pairwise { reduce: false };
const REDUCE_UP: Up = Up { load: WHOLE, reduce: true };

use CollectiveKind::{
    Allgather, Allreduce, Alltoall, Barrier, Bcast, Exscan, Gather, Reduce, ReduceScatter, Scan, Scatter,
};

const fn any(
    kind: CollectiveKind,
    name: &'static str,
    formula: &'static str,
    patterns: &'static [&'static dyn Pattern],
) -> Algorithm {
    Algorithm { kind, name, formula, patterns, odd: Odd::Any }
}

const fn powers(
    kind: CollectiveKind,
    name: &'static str,
    formula: &'static str,
    patterns: &'static [&'static dyn Pattern],
    odd: Odd,
) -> Algorithm {
    Algorithm { kind, name, formula, patterns, odd }
}

/// Every algorithm. The first of an operation is used if a row of a table names none.
pub const ALGORITHMS: &[Algorithm] = &[
    any(Bcast, "binomial", "lg(a+nb)", &[&Down(WHOLE)]),
    any(Bcast, "linear", "(P-1)(a+nb)", &[&FromRoot(WHOLE)]),
    powers(
        Bcast,
        "scatter_doubling",
        "2 lg a + 2(P-1)/P nb",
        &[&Down(BLOCKS), &Doubling],
        Odd::Instead("scatter_bruck"),
    ),
    any(Bcast, "scatter_bruck", "2 lg a + 2(P-1)/P nb", &[&Down(BLOCKS), &Dissemination::Gathered]),
    any(Bcast, "scatter_ring", "(lg+P-1)a + 2(P-1)/P nb", &[&Down(BLOCKS), &SPREAD_OUT]),
    any(Bcast, "chain", "(P-2+k)(a+(n/k)b), k segments", &[&Chain]),
    any(Bcast, "knomial", "ceil(log_k P)(k-1)(a+nb), base k", &[&Knomial]),
    any(Bcast, "binary", "(d+S-1)2(a+(n/S)b), S segments, d = floor(lg P)", &[&Binary]),
    any(Bcast, "split_binary", "(d+S-1)2(a+(n/2S)b) + a + (n/2)b", &[&SplitBinary]),
    any(Scatter, "binomial", "lg a + (P-1)/P nb", &[&Down(BLOCKS)]),
    any(Scatter, "linear", "(P-1)(a+(n/P)b)", &[&FromRoot(BLOCKS)]),
    any(Scatter, "spread", "(P-1)(a+(n/P)b)", &[&AtOnce(FromRoot(BLOCKS))]),
    any(Gather, "binomial", "lg a + (P-1)/P nb", &[&GATHER_UP]),
    any(Gather, "linear", "(P-1)(a+(n/P)b)", &[&ToRoot(BLOCKS)]),
    any(Gather, "spread", "(P-1)(a+(n/P)b)", &[&AtOnce(ToRoot(BLOCKS))]),
    any(Gather, "linear_sync", "2(P-1)a + (P-1)/P nb", &[&FromRoot(EMPTY), &ToRoot(BLOCKS)]),
    any(Allgather, "bruck", "lg a + (P-1)/P nb", &[&Dissemination::Gathered]),
    powers(Allgather, "doubling", "lg a + (P-1)/P nb", &[&Doubling], Odd::Instead("bruck")),
    any(Allgather, "ring", "(P-1)a + (P-1)/P nb", &[&SPREAD_OUT]),
    any(Allgather, "spread", "(P-1)a + (P-1)/P nb", &[&AtOnce(ToOthers::Block)]),
    any(Allgather, "hierarchical", "of devices: see devices", &[&SPREAD_OUT]),
    powers(Allgather, "neighbor", "(P/2)a + (P-1)/P nb", &[&Neighbor], Odd::InsteadOfOdd("ring")),
    any(Alltoall, "pairwise", "(P-1)a + nb", &[&EXCHANGE]),
    any(Alltoall, "spread", "(P-1)a + nb", &[&AtOnce(EXCHANGE)]),
    any(Alltoall, "bruck", "lg a + (n/2)lg b", &[&Dissemination::Marked]),
    any(Alltoall, "linear", "(P-1)a + nb", &[&AtOnce(EXCHANGE)]),
    any(Alltoall, "linear_sync", "2(P-1)a + nb", &[&AtOnce(Handshake), &AtOnce(EXCHANGE)]),
    any(Reduce, "linear", "(P-1)(a+nb+nc)", &[&SumAtRoot]),
    any(Reduce, "spread", "(P-1)(a+nb+nc)", &[&AtOnce(SumAtRoot)]),
    any(Reduce, "chain", "(P-2+k)(a+(n/k)(b+c)), k segments", &[&ChainUp]),
    any(Reduce, "binary", "(d+S-1)2(a+(n/S)(b+c)), S segments", &[&BinaryUp]),
    any(Reduce, "binomial", "lg(a+nb+nc)", &[&REDUCE_UP]),
    powers(
        Reduce,
        "rabenseifner",
        "2 lg a + 2(P-1)/P nb + (P-1)/P nc",
        &[&Halving, &GATHER_UP],
        Odd::Fold { back: false },
    ),
    powers(ReduceScatter, "halving", "lg a + (P-1)/P n(b+c)", &[&Halving], Odd::Fold { back: true }),
    any(ReduceScatter, "pairwise", "(P-1)a + (P-1)/P n(b+c)", &[&Pairwise { reduce: true }]),
    any(ReduceScatter, "reduce_scatter", "lg(a+nb+nc) + lg a + (P-1)/P nb", &[&REDUCE_UP, &Down(BLOCKS)]),
    any(ReduceScatter, "ring", "(P-1)a + (P-1)/P n(b+c)", &[&SUM_UP]),
    any(ReduceScatter, "spread", "(P-1)(a+nb+nc) + (P-1)(a+(n/P)b)", &[&AtOnce(SumAtRoot), &AtOnce(FromRoot(BLOCKS))]),
    any(ReduceScatter, "hierarchical", "of devices: see devices", &[&SUM_UP]),
    powers(Allreduce, "doubling", "lg(a+nb+nc)", &[&DoublingWhole], Odd::Fold { back: true }),
    powers(
        Allreduce,
        "rabenseifner",
        "2 lg a + 2(P-1)/P nb + (P-1)/P nc",
        &[&Halving, &Doubling],
        Odd::Fold { back: true },
    ),
    any(Allreduce, "ring", "2(P-1)a + 2(P-1)/P nb + (P-1)/P nc", &[&SUM_UP, &SPREAD_OUT]),
    any(Allreduce, "tree", "of devices: see devices", &[&REDUCE_UP, &Down(WHOLE)]),
    any(Allreduce, "hierarchical", "of devices: see devices", &[&SUM_UP, &SPREAD_OUT]),
    any(Allreduce, "reduce_bcast", "lg(a+nb+nc) + lg(a+nb)", &[&REDUCE_UP, &Down(WHOLE)]),
    any(Allreduce, "spread_bcast", "(P-1)(a+nb+nc) + lg(a+nb)", &[&AtOnce(SumAtRoot), &Down(WHOLE)]),
    any(Allreduce, "segmented_ring", "as ring", &[&SUM_UP, &SPREAD_OUT]),
    any(Scan, "doubling", "lg(a+nb+nc)", &[&ScanDoubling]),
    any(Scan, "spread", "(P-1)(a+nb+nc)", &[&AtOnce(ToOthers::Above)]),
    any(Exscan, "doubling", "lg(a+nb+nc)", &[&ScanDoubling]),
    any(Exscan, "spread", "(P-1)(a+nb+nc)", &[&AtOnce(ToOthers::Above)]),
    any(Barrier, "dissemination", "lg a", &[&Dissemination::Empty]),
    any(Barrier, "linear", "2(P-1)a", &[&ToRoot(EMPTY), &FromRoot(EMPTY)]),
    any(Barrier, "spread", "2(P-1)a", &[&AtOnce(ToRoot(EMPTY)), &AtOnce(FromRoot(EMPTY))]),
    any(Barrier, "tree", "2 lg a", &[&Up { load: EMPTY, reduce: false }, &Down(EMPTY)]),
];

impl Algorithm {
    pub fn find(kind: CollectiveKind, name: &str) -> Option<&'static Algorithm> {
        ALGORITHMS.iter().find(|algorithm| algorithm.kind == kind && algorithm.name == name)
    }

    /// Names of the algorithms of an operation, for messages.
    pub fn names(kind: CollectiveKind) -> String {
        let names: Vec<&str> =
            ALGORITHMS.iter().filter(|algorithm| algorithm.kind == kind).map(|algorithm| algorithm.name).collect();
        names.join(", ")
    }

    /// The algorithm that runs with this many processes.
    pub fn for_processes(&'static self, processes: u64) -> &'static Algorithm {
        match self.odd {
            Odd::Instead(name) if !processes.is_power_of_two() => Algorithm::find(self.kind, name).unwrap_or(self),
            Odd::InsteadOfOdd(name) if !processes.is_multiple_of(2) => Algorithm::find(self.kind, name).unwrap_or(self),
            _ => self,
        }
    }

    /// How the processes beyond a power of two are folded, if they are.
    pub fn fold(&self, processes: u64) -> Option<Fold> {
        match self.odd {
            Odd::Fold { back } if !processes.is_power_of_two() => Some(Fold::new(processes, back)),
            _ => None,
        }
    }

    /// The cost of a call, round by round. None for a single process.
    pub fn terms(&'static self, shape: &Shape) -> Vec<Term> {
        let mut terms = Vec::new();
        if shape.processes < 2 {
            return terms;
        }
        let algorithm = self.for_processes(shape.processes);
        let mut inner = *shape;
        if let Some(fold) = algorithm.fold(shape.processes) {
            let size = shape.size as f64;
            terms.push(Term { rounds: 2.0, message: shape.size, bytes: 2.0 * size, reduced: size });
            inner.processes = fold.inner();
        }
        for pattern in algorithm.patterns {
            if inner.processes > 1 {
                pattern.terms(&inner, &mut terms);
            }
        }
        terms
    }
}

/// Numbers of members while those beyond a power of two sit out: of the first `2*extra`, the odd ones do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    extra: u64,
    inner: u64,
    /// Whether those who sat out get the result.
    pub back: bool,
}

impl Fold {
    fn new(processes: u64, back: bool) -> Self {
        let inner = 1 << processes.ilog2();
        Fold { extra: processes - inner, inner, back }
    }

    /// Those who stay: a power of two.
    pub fn inner(self) -> u64 {
        self.inner
    }

    /// The neighbor that a member hands its data to, or gets data from.
    pub fn neighbor(self, member: u64) -> Option<u64> {
        (member < 2 * self.extra).then_some(member ^ 1)
    }

    /// Number among those that stay; none: it sits out.
    pub fn inside(self, member: u64) -> Option<u64> {
        if member >= 2 * self.extra {
            Some(member - self.extra)
        } else {
            member.is_multiple_of(2).then_some(member / 2)
        }
    }

    /// The member with this number among those who stay.
    pub fn outside(self, inside: u64) -> u64 {
        if inside < self.extra { 2 * inside } else { inside + self.extra }
    }
}
