//! The kinds of parallel program that the sides of `#if` declare.

use super::clause::{Clause, Parallel};
use super::scan::Kind;
use super::source::Source;
use std::ops::Range;

/// An `#if` that is open: its directives so far, the last of which is the side that something stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    directives: Vec<Range<usize>>,
}

/// The pragmas that declare a kind, with the `#if` around them.
pub struct Kinds {
    declared: Vec<(usize, Parallel, Vec<Group>)>,
}

impl Kinds {
    pub fn of(source: &Source<'_>) -> Self {
        let kind = |number: usize| match source.clauses.get(number)?.as_ref()? {
            Clause::Parallel { kind, .. } => Some(*kind),
            _ => None,
        };
        let mut open: Vec<Group> = Vec::new();
        let mut declared = Vec::new();
        for token in &source.scanned.tokens {
            let place = token.start as usize..token.end as usize;
            match token.kind {
                Kind::If => open.push(Group { directives: vec![place] }),
                Kind::Else => open.iter_mut().last().into_iter().for_each(|group| group.directives.push(place.clone())),
                Kind::EndIf => drop(open.pop()),
                Kind::Pragma(number) => {
                    let number = number as usize;
                    declared.extend(kind(number).map(|kind| (number, kind, open.clone())));
                }
                _ => {}
            }
        }
        Kinds { declared }
    }

    /// Whether a declaration may hold together with the first one: they are not on two sides of one `#if`.
    pub fn clash(&self, number: usize) -> bool {
        let Some((_, _, first)) = self.declared.first() else { return false };
        let Some((_, _, other)) = self.declared.iter().find(|(declared, ..)| *declared == number) else { return true };
        let apart = |a: &Group, b: &Group| {
            a.directives.first() == b.directives.first() && a.directives.len() != b.directives.len()
        };
        !first.iter().zip(other).any(|(a, b)| apart(a, b))
    }
}

/// What a translation ends with: the adapter of MPI, under the same conditions as the pragma that asks for it. Earlier
/// sides are written again, empty.
pub fn adapter(source: &Source<'_>) -> Vec<u8> {
    let mut text: Vec<u8> = Vec::new();
    if source.parallel().is_none() {
        return text;
    }
    let asks = |kind: Parallel| matches!(kind, Parallel::Mpi | Parallel::Pub);
    let mut groups: Vec<Vec<Group>> =
        Kinds::of(source).declared.into_iter().filter(|(_, kind, _)| asks(*kind)).map(|(.., groups)| groups).collect();
    groups.iter_mut().for_each(|groups| drop_guard(source, groups));
    if groups.iter().any(Vec::is_empty) {
        groups = vec![Vec::new()];
    }
    groups.dedup();
    for groups in groups {
        for (number, directive) in groups.iter().flat_map(|group| group.directives.iter().enumerate()) {
            text.extend_from_slice(&directive_text(source, directive, number == 0));
            text.push(b'\n');
        }
        text.extend_from_slice(b"#include \"cll_mpi.h\"\n");
        groups.iter().for_each(|_| text.extend_from_slice(b"#endif\n"));
    }
    text
}

/// The guard of a header is no condition: at its end the macro is defined.
fn drop_guard(source: &Source<'_>, groups: &mut Vec<Group>) {
    let is_first = |group: &Group| {
        let first = source.scanned.tokens.first().map(|token| token.start as usize);
        group.directives.first().map(|place| place.start) == first && group.directives.len() == 1
    };
    if source.input.shared.is_some() && groups.first().is_some_and(is_first) {
        groups.remove(0);
    }
}

/// A directive as written. Where sides before it are left out for good, an `#else` begins what is left of the group.
fn directive_text(source: &Source<'_>, place: &Range<usize>, begins: bool) -> Vec<u8> {
    let text = source.input.text.get(place.clone()).unwrap_or_default();
    let word = text.trim_ascii_start().strip_prefix(b"#").unwrap_or(text).trim_ascii_start();
    match (begins, word.strip_prefix(b"el")) {
        (true, Some(b"se")) => b"#if 1".to_vec(),
        (true, Some(rest)) if rest.starts_with(b"se") => b"#if 1".to_vec(),
        (true, Some(rest)) => [b"#".as_slice(), rest].concat(),
        _ => text.to_vec(),
    }
}
