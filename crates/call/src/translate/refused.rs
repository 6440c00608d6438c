//! Regions that cannot be translated, and what is left of a source without them.

use super::clause::Clause;
use super::fault::Fault;
use super::source::Source;
use std::collections::BTreeSet;

/// A pragma or the two of a region that are left out.
#[derive(Debug)]
pub struct Refused {
    /// The region; of a pragma that is no part of one, what it begins with.
    pub name: String,
    pub pragmas: BTreeSet<usize>,
}

/// For each error, the pragmas without which it goes: its own region's, or those of the innermost one around it. Where
/// there is none, all pragmas go.
pub fn refused(source: &Source<'_>) -> Vec<Refused> {
    let regions = regions(source);
    source.faults.iter().map(|fault| one(source, &regions, fault)).collect()
}

fn one(source: &Source<'_>, regions: &[(usize, usize)], fault: &Fault) -> Refused {
    let count = source.clauses.len();
    let own = (0..count).find(|&number| {
        let pragma = source.pragma(number);
        (pragma.start..pragma.end.max(pragma.start + 1)).contains(&fault.at)
    });
    let around =
        |(begin, end): &&(usize, usize)| source.pragma(*begin).start <= fault.at && fault.at <= source.pragma(*end).end;
    let pragmas: BTreeSet<usize> = match own {
        Some(own) => {
            let region = regions.iter().find(|(begin, end)| *begin == own || *end == own);
            match region {
                Some((begin, end)) => BTreeSet::from([*begin, *end]),
                None => [Some(own), end_of_unread(source, regions, own)].into_iter().flatten().collect(),
            }
        }
        None => match regions.iter().filter(around).max_by_key(|(begin, _)| *begin) {
            Some((begin, end)) => BTreeSet::from([*begin, *end]),
            None => (0..count).collect(),
        },
    };
    let first = pragmas.first().copied().unwrap_or(0);
    let name = match source.clauses.get(first) {
        Some(Some(Clause::Begin(begin))) => begin.name.clone(),
        Some(Some(Clause::End { name })) => name.clone(),
        Some(_) => second_word(source, first).to_owned(),
        None => String::new(),
    };
    Refused { name, pragmas }
}

fn second_word<'s>(source: &'s Source<'_>, number: usize) -> &'s str {
    let name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let word = source.pragma(number).text.split_whitespace().nth(1).unwrap_or("cll");
    &word[..word.chars().take_while(name).count()]
}

/// The end of a region whose first pragma cannot be read: the next one of its name that belongs to no other.
fn end_of_unread(source: &Source<'_>, regions: &[(usize, usize)], begin: usize) -> Option<usize> {
    source.clauses.get(begin)?.is_none().then_some(())?;
    let wanted = second_word(source, begin);
    (begin + 1..source.clauses.len()).find(|&number| match &source.clauses[number] {
        Some(Clause::End { name }) => name == wanted && !regions.iter().any(|(_, end)| *end == number),
        _ => false,
    })
}

/// Each end with the last begin of its name that is open there.
fn regions(source: &Source<'_>) -> Vec<(usize, usize)> {
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut regions = Vec::new();
    for (number, clause) in source.clauses.iter().enumerate() {
        match clause {
            Some(Clause::Begin(begin)) => open.push((number, &begin.name)),
            Some(Clause::End { name }) => {
                if let Some(at) = open.iter().rposition(|(_, opened)| opened == name) {
                    regions.push((open.remove(at).0, number));
                }
            }
            _ => {}
        }
    }
    regions
}

/// The text with these pragmas blank; lines keep their numbers.
pub fn without(source: &Source<'_>, pragmas: &BTreeSet<usize>) -> Vec<u8> {
    let mut text = source.input.text.clone();
    for &number in pragmas {
        let pragma = source.pragma(number);
        for byte in text.get_mut(pragma.start..pragma.end).into_iter().flatten() {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    text
}
