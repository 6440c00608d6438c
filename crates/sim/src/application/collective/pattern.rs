//! Patterns of messages, of which algorithms are made: who sends how much to whom in which round.
//!
//! Members are numbered from the root, which is 0.

mod binary;
mod binomial;
mod chain;
mod dissemination;
mod exchange;
mod knomial;
mod linear;
mod neighbor;
mod others;
mod pairwise;
mod ring;
mod scan;

pub use binary::{Binary, BinaryUp, SplitBinary};
pub use binomial::{Down, Up};
pub use chain::{Chain, ChainUp};
pub use dissemination::Dissemination;
pub use exchange::{Doubling, DoublingWhole, Halving};
pub use knomial::Knomial;
pub use linear::{FromRoot, SumAtRoot, ToRoot};
pub use neighbor::Neighbor;
pub use others::ToOthers;
pub use pairwise::{Handshake, Pairwise};
pub use ring::Ring;
pub use scan::ScanDoubling;

use super::shape::Shape;
use std::fmt::Debug;
use std::ops::Range;

/// The actions of a member in a round: it sends and receives at once, then reduces what it received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Step {
    /// Receiver and bytes.
    pub send: Option<(u64, u64)>,
    /// Sender.
    pub receive: Option<u64>,
    /// Bytes to be reduced afterwards.
    pub reduce: u64,
}

/// Identical rounds, for the closed formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    pub rounds: f64,
    /// Bytes of a message: what parameters of a network depend on.
    pub message: u64,
    /// Bytes that pass in all these rounds one after the other.
    pub bytes: f64,
    /// Bytes that are reduced in all these rounds one after the other.
    pub reduced: f64,
}

/// A pattern of messages.
pub trait Pattern: Debug + Sync {
    /// Rounds in which a member does something; all others are empty.
    fn rounds(&self, shape: &Shape, member: u64) -> Range<u64>;
    /// The actions of a member in a round.
    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step;
    /// The total cost, round by round. There are at least two processes.
    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>);
    /// Whether there is no waiting between the rounds.
    fn at_once(&self) -> bool {
        false
    }
}

/// The rounds of a pattern, all begun at once: none waits for the one before.
#[derive(Debug)]
pub struct AtOnce<P>(pub P);

impl<P: Pattern> Pattern for AtOnce<P> {
    fn rounds(&self, shape: &Shape, member: u64) -> Range<u64> {
        self.0.rounds(shape, member)
    }

    fn step(&self, shape: &Shape, member: u64, round: u64) -> Step {
        self.0.step(shape, member, round)
    }

    fn terms(&self, shape: &Shape, terms: &mut Vec<Term>) {
        self.0.terms(shape, terms);
    }

    fn at_once(&self) -> bool {
        true
    }
}

/// The content of a message of a tree or an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// Nothing.
    Empty,
    /// All data.
    Whole,
    /// The blocks of those that it goes to, or comes from.
    Blocks,
}
