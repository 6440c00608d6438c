//! Trees of calls and loops.

use crate::stream::{Stream, get_stream, put_stream};
use crate::vocabulary::{Field, Flags};
use crate::wire::{Input, put_u};
use runcast_core::Problem;

/// Loops within loops.
const DEEPEST: usize = 64;

/// More executions cannot have been recorded.
const MOST_EXECUTIONS: i128 = 1 << 53;

const LEAF: u64 = 1;
const LOOP: u64 = 2;

/// A call, or a loop.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    /// A call.
    Leaf(Leaf),
    /// A sequence that is repeated.
    Loop(Loop),
}

/// A call at one place of the tree, with the fields of all of its executions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Leaf {
    /// Number of the call.
    pub call: u16,
    /// Its flags.
    pub flags: Flags,
    /// Number of the call site.
    pub site: u32,
    /// Communicator as the rank numbers them: 0 the world, 1 itself, then in order of creation.
    pub comm: u32,
    /// Which fields there are.
    pub mask: u8,
    /// Their values, in the order of the mask.
    pub fields: Vec<Stream>,
}

/// A sequence that is repeated.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Loop {
    /// How often, each time that the loop is executed.
    pub counts: Stream,
    /// What is repeated.
    pub body: Vec<Node>,
}

impl Leaf {
    /// The values of a field.
    pub fn field(&self, field: Field) -> Option<&Stream> {
        Field::of(self.mask).zip(&self.fields).find(|(known, _)| *known == field).map(|(_, stream)| stream)
    }

    /// The values of a field, to be changed.
    pub fn field_mut(&mut self, field: Field) -> Option<&mut Stream> {
        Field::of(self.mask).zip(&mut self.fields).find(|(known, _)| *known == field).map(|(_, stream)| stream)
    }
}

/// The leaves in preorder, each with the number of its executions.
pub fn leaves(tree: &[Node]) -> Vec<(&Leaf, u64)> {
    let mut found = Vec::new();
    collect(tree, 1, &mut found);
    found
}

fn collect<'a>(tree: &'a [Node], executions: u64, found: &mut Vec<(&'a Leaf, u64)>) {
    for node in tree {
        match node {
            Node::Leaf(leaf) => found.push((leaf, executions)),
            Node::Loop(l) => collect(&l.body, u64::try_from(l.counts.sum()).unwrap_or(0), found),
        }
    }
}

/// Applies `change` to every leaf, in preorder.
pub fn for_each_leaf(tree: &mut [Node], change: &mut impl FnMut(&mut Leaf)) {
    for node in tree {
        match node {
            Node::Leaf(leaf) => change(leaf),
            Node::Loop(l) => for_each_leaf(&mut l.body, change),
        }
    }
}

/// How many calls were made.
pub fn events(tree: &[Node]) -> u64 {
    leaves(tree).iter().fold(0, |sum, (_, executions)| sum.saturating_add(*executions))
}

/// How many nodes there are: calls and loops.
pub fn nodes(tree: &[Node]) -> usize {
    tree.iter().map(|node| if let Node::Loop(l) = node { 1 + nodes(&l.body) } else { 1 }).sum()
}

/// How many terms the streams have, those of the counts of loops included.
pub fn terms(tree: &[Node]) -> usize {
    let of = |node: &Node| match node {
        Node::Leaf(leaf) => leaf.fields.iter().map(Stream::size).sum(),
        Node::Loop(l) => l.counts.size() + terms(&l.body),
    };
    tree.iter().map(of).sum()
}

/// Appends a tree.
pub(crate) fn put_tree(out: &mut Vec<u8>, tree: &[Node]) {
    put_u(out, tree.len() as u64);
    for node in tree {
        match node {
            Node::Leaf(leaf) => {
                put_u(out, LEAF);
                let head =
                    [leaf.call.into(), leaf.flags.0.into(), leaf.site.into(), leaf.comm.into(), leaf.mask.into()];
                head.into_iter().for_each(|value| put_u(out, value));
                leaf.fields.iter().for_each(|stream| put_stream(out, stream));
            }
            Node::Loop(l) => {
                put_u(out, LOOP);
                put_stream(out, &l.counts);
                put_tree(out, &l.body);
            }
        }
    }
}

/// Reads a tree.
///
/// # Errors
/// It is not one; it is deeper than 64, or executes something more than 2^53 times.
pub(crate) fn get_tree(input: &mut Input<'_>) -> Result<Vec<Node>, Problem> {
    get_nodes(input, 1, 0)
}

fn get_nodes(input: &mut Input<'_>, executions: u64, depth: usize) -> Result<Vec<Node>, Problem> {
    if depth > DEEPEST {
        return Err(input.problem("loops are nested more than 64 deep"));
    }
    let count = input.count(2)?;
    (0..count).map(|_| get_node(input, executions, depth)).collect()
}

fn get_node(input: &mut Input<'_>, executions: u64, depth: usize) -> Result<Node, Problem> {
    match input.u()? {
        LEAF => get_leaf(input, executions).map(Node::Leaf),
        LOOP => {
            let counts = get_stream(input)?;
            let inner = inner_executions(&counts, executions).map_err(|message| input.problem(message))?;
            Ok(Node::Loop(Loop { counts, body: get_nodes(input, inner, depth + 1)? }))
        }
        kind => Err(input.problem(format_args!("a node of kind {kind}; allowed are 1 and 2"))),
    }
}

/// How often the body of a loop is executed.
fn inner_executions(counts: &Stream, executions: u64) -> Result<u64, &'static str> {
    if counts.len() != executions {
        return Err("a loop whose counts do not match its executions");
    }
    let is_negative = counts.range().is_some_and(|(least, _)| least < 0);
    let sum = counts.sum();
    if is_negative || sum > MOST_EXECUTIONS {
        return Err("a loop of fewer than 0 or more than 2^53 executions");
    }
    u64::try_from(sum).map_err(|_| "a loop of fewer than 0 executions")
}

fn get_leaf(input: &mut Input<'_>, executions: u64) -> Result<Leaf, Problem> {
    let call = input.narrow("a call")?;
    let flags = Flags(input.narrow("flags")?);
    let (site, comm) = (input.narrow("a call site")?, input.narrow("a communicator")?);
    let mask: u8 = input.narrow("a mask of fields")?;
    let fields = Field::of(mask).map(|_| get_stream(input)).collect::<Result<Vec<_>, _>>()?;
    let divides = |stream: &Stream| stream.len().checked_rem(executions).unwrap_or(stream.len()) == 0;
    if !fields.iter().all(divides) {
        return Err(input.problem("a call whose fields do not match its executions"));
    }
    Ok(Leaf { call, flags, site, comm, mask, fields })
}
