//! The calls of a tree one by one, in the order in which they were made.

use crate::stream::Values;
use crate::tree::{Leaf, Node, leaves};
use crate::vocabulary::Field;
use std::ops::ControlFlow;

/// One execution of a call.
#[derive(Debug, Clone)]
pub struct Event<'a> {
    /// The call.
    pub leaf: &'a Leaf,
    /// Its place among the leaves in preorder.
    pub index: usize,
    fields: [Vec<i64>; 8],
}

impl Event<'_> {
    /// The first value of a field.
    pub fn get(&self, field: Field) -> Option<i64> {
        self.all(field).first().copied()
    }

    /// All values of a field.
    pub fn all(&self, field: Field) -> &[i64] {
        &self.fields[field as usize]
    }
}

/// Calls `each` with every execution in order, until it breaks.
///
/// # Errors
/// What `each` broke with.
pub fn walk<B>(tree: &[Node], mut each: impl FnMut(&Event<'_>) -> ControlFlow<B>) -> ControlFlow<B> {
    let executions: Vec<u64> = leaves(tree).iter().map(|(_, executions)| *executions).collect();
    let mut index = 0;
    let mut live = alive(tree, &executions, &mut index);
    run(&mut live, &mut each)
}

enum Live<'a> {
    Leaf { event: Box<Event<'a>>, fields: Vec<(Field, Values<'a>, u64)> },
    Loop { counts: Values<'a>, body: Vec<Live<'a>> },
}

fn alive<'a>(tree: &'a [Node], executions: &[u64], index: &mut usize) -> Vec<Live<'a>> {
    let of = |node: &'a Node| match node {
        Node::Leaf(leaf) => {
            let all = executions[*index];
            let fields = Field::of(leaf.mask).zip(&leaf.fields);
            let fields = fields.map(|(field, stream)| {
                let each = if stream.is_exact() { stream.len().checked_div(all).unwrap_or(0) } else { 0 };
                (field, stream.values(), each)
            });
            let event = Event { leaf, index: *index, fields: Default::default() };
            *index += 1;
            Live::Leaf { event: Box::new(event), fields: fields.collect() }
        }
        Node::Loop(l) => Live::Loop { counts: l.counts.values(), body: alive(&l.body, executions, index) },
    };
    tree.iter().map(of).collect()
}

fn run<'a, B>(live: &mut [Live<'a>], each: &mut impl FnMut(&Event<'a>) -> ControlFlow<B>) -> ControlFlow<B> {
    for node in live {
        match node {
            Live::Leaf { event, fields } => {
                for (field, values, count) in fields {
                    let list = &mut event.fields[*field as usize];
                    list.clear();
                    list.extend(values.by_ref().take(usize::try_from(*count).unwrap_or(0)));
                }
                each(event)?;
            }
            Live::Loop { counts, body } => {
                for _ in 0..counts.next().unwrap_or(0) {
                    run(body, each)?;
                }
            }
        }
    }
    ControlFlow::Continue(())
}
