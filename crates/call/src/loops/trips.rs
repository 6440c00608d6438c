//! How often a loop turns, by its head.

use super::bound::{Bound, Text, Variables};
use super::size::Size;
use crate::translate::scan::Kind;

/// A loop around another one.
#[derive(Debug, Clone)]
pub(super) struct Around {
    pub index: String,
    pub trips: Size,
    /// The expression up to which it counts, from 0.
    pub bound: Option<String>,
}

/// What the head of a loop says.
#[derive(Debug, Clone)]
pub(super) struct Trips {
    pub size: Size,
    pub index: Option<String>,
    pub bound: Option<String>,
    /// A name that the loop changes itself, from the value that is recorded before it.
    pub own: Option<String>,
    /// Whether it is a share of a total over the turns of a loop around.
    pub is_share: bool,
}

/// The head of `for` between its brackets.
pub(super) fn of_for(
    text: Text<'_>,
    from: usize,
    to: usize,
    around: &[Around],
    variables: &mut Variables,
) -> Option<Trips> {
    let parts = split(text, from, to, b';');
    if let [only] = parts[..] {
        return of_range(text, only, variables);
    }
    let [first, condition, step] = parts[..] else { return None };
    let (index, low) = split(text, first.0, first.1, b',').into_iter().find_map(|(from, to)| {
        let equals = (from..to).find(|&at| text.is(at, b'='))?;
        let name = equals.checked_sub(1).filter(|&at| at >= from && text.is_name(at))?;
        // The index that the condition and the step are about.
        let index = text.word(name);
        let is_meant = (condition.0..condition.1).any(|at| text.word(at) == index);
        is_meant.then_some((index, (equals + 1, to)))
    })?;
    let high = other_side(text, condition, index)?;
    let step =
        split(text, step.0, step.1, b',').into_iter().find_map(|part| Step::read(text, part, index, variables))?;
    let total = total(text, low, high, around, variables);
    if let (Some(size), Step::Adds(_)) = (&total, &step) {
        return Some(Trips {
            size: size.clone(),
            index: Some(index.to_owned()),
            bound: None,
            own: None,
            is_share: true,
        });
    }
    let start = Bound::read(text, low.0, low.1, variables)?;
    let end = Bound::read(text, high.0, high.1, variables)?;
    let bound = (text.written(low.0, low.1) == "0").then(|| text.written(high.0, high.1));
    let size = match step {
        Step::Adds(by) => end.plus(&start, -1.0).over(&by)?,
        Step::Subtracts(by) => start.plus(&end, -1.0).over(&by)?,
        Step::Multiplies => end.log2()?,
        Step::Divides => start.log2()?,
    };
    Some(Trips { size, index: Some(index.to_owned()), bound, own: None, is_share: false })
}

/// `for (auto &x : v)`
fn of_range(text: Text<'_>, part: (usize, usize), variables: &mut Variables) -> Option<Trips> {
    let colon = (part.0..part.1).find(|&at| text.is(at, b':'))?;
    let named =
        (colon + 1..part.1).all(|at| text.is_name(at) || text.is(at, b'.') || text.tokens[at].kind == Kind::Arrow);
    if !named || colon + 1 >= part.1 {
        return None;
    }
    let container = text.written(colon + 1, part.1);
    let name = format!("{}_size", text.word(part.1 - 1));
    let written = format!("{container}.size()");
    let known = variables.entry(name.clone()).or_insert_with(|| written.clone());
    (*known == written).then(|| Trips { size: Size::name(&name), index: None, bound: None, own: None, is_share: false })
}

/// `while (n > 1)`, in whose body `n` is divided by a number, once.
pub(super) fn of_while(
    text: Text<'_>,
    head: (usize, usize),
    body: (usize, usize),
    variables: &mut Variables,
) -> Option<Trips> {
    let index = (head.0..head.1).find(|&at| text.is_name(at)).map(|at| text.word(at))?;
    other_side(text, head, index)?;
    let changes: Vec<usize> = (body.0..body.1).filter(|&at| text.word(at) == index && changes(text, at)).collect();
    let [only] = changes[..] else { return None };
    let is_number = |at: usize| text.tokens.get(at).is_some_and(|token| token.kind == Kind::Number);
    let divides = ["/=", ">>="].contains(&text.word(only + 1)) && is_number(only + 2);
    let halves = text.is(only + 1, b'=')
        && text.word(only + 2) == index
        && (text.is(only + 3, b'/') || text.word(only + 3) == ">>")
        && is_number(only + 4);
    if !divides && !halves {
        return None;
    }
    variables.entry(index.to_owned()).or_insert_with(|| index.to_owned());
    let size = Size::name(index).log2()?;
    Some(Trips { size, index: None, bound: None, own: Some(index.to_owned()), is_share: false })
}

/// Whether these tokens use a name as a pointer: `p->a`, `p[0]`, `*p` that is no product.
pub(super) fn is_pointer(text: Text<'_>, (from, to): (usize, usize), name: &str) -> bool {
    let is_operand =
        |at: usize| text.is_name(at) || text.tokens[at].kind == Kind::Number || text.is(at, b')') || text.is(at, b']');
    let is_star = |at: usize| text.is(at, b'*') && !at.checked_sub(1).is_some_and(is_operand);
    let is_own = |at: usize| {
        text.word(at) == name && !(at > 0 && (text.is(at - 1, b'.') || text.tokens[at - 1].kind == Kind::Arrow))
    };
    (from..to).filter(|&at| is_own(at)).any(|at| {
        let after = text.tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Arrow) || text.is(at + 1, b'[');
        after || at.checked_sub(1).is_some_and(is_star)
    })
}

/// Whether the name at this place gets another value.
pub(super) fn changes(text: Text<'_>, at: usize) -> bool {
    let next = text.word(at + 1);
    let before = at.checked_sub(1).map_or("", |at| text.word(at));
    let is_member = at > 0 && (text.is(at - 1, b'.') || text.tokens[at - 1].kind == Kind::Arrow);
    let assigns = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"];
    (assigns.contains(&next) && next != "==") || (["++", "--", "&"].contains(&before) && !is_member)
}

/// How the index goes on.
enum Step {
    Adds(Size),
    Subtracts(Size),
    Multiplies,
    Divides,
}

impl Step {
    fn read(text: Text<'_>, (from, to): (usize, usize), index: &str, variables: &mut Variables) -> Option<Self> {
        let words: Vec<&str> = (from..to).map(|at| text.word(at)).collect();
        let one = || Size::number(1.0);
        match words.as_slice() {
            [name, "++"] | ["++", name] if *name == index => return Some(Step::Adds(one())),
            [name, "--"] | ["--", name] if *name == index => return Some(Step::Subtracts(one())),
            [name, ..] if *name == index => {}
            _ => return None,
        }
        let (sign, by) = match words.get(1).copied()? {
            "=" if words.get(2) == Some(&index) => (words.get(3).copied()?, from + 4),
            "=" => return None,
            assigns => (assigns.strip_suffix('=')?, from + 2),
        };
        let by = Bound::read(text, by, to, variables)?;
        match sign {
            "+" => Some(Step::Adds(by)),
            "-" => Some(Step::Subtracts(by)),
            "*" | "<<" => by.names().is_empty().then_some(Step::Multiplies),
            "/" | ">>" => by.names().is_empty().then_some(Step::Divides),
            _ => None,
        }
    }
}

/// The side of a comparison that is not the index.
fn other_side(text: Text<'_>, (from, to): (usize, usize), index: &str) -> Option<(usize, usize)> {
    let is_comparison = |at: &usize| ["<", ">", "<=", ">=", "!="].contains(&text.word(*at));
    let places: Vec<usize> = (from..to).filter(is_comparison).collect();
    let [place] = places[..] else { return None };
    let is_index = |from: usize, to: usize| to == from + 1 && text.word(from) == index;
    if is_index(from, place) {
        Some((place + 1, to))
    } else if is_index(place + 1, to) {
        Some((from, place))
    } else {
        None
    }
}

/// `p[j]` to `p[j+1]` inside a loop of `j` from 0 to n: all turns together are `p[n] - p[0]`, a share of which falls to each.
fn total(
    text: Text<'_>,
    low: (usize, usize),
    high: (usize, usize),
    around: &[Around],
    variables: &mut Variables,
) -> Option<Size> {
    let (low, high) = (text.written(low.0, low.1), text.written(high.0, high.1));
    let (array, index) = low.strip_suffix(']')?.split_once('[')?;
    if high != format!("{array}[{index}+1]") {
        return None;
    }
    let outer = around.iter().find(|outer| outer.index == index)?;
    let bound = outer.bound.as_ref()?;
    let written = format!("{array}[{bound}] - {array}[0]");
    let member = array.rsplit(['.', '>']).next().unwrap_or(array);
    let name = format!("{member}_total");
    let known = variables.entry(name.clone()).or_insert_with(|| written.clone());
    if *known != written {
        return None;
    }
    Size::name(&name).over(&outer.trips)
}

/// The parts between separators outside of brackets.
pub(super) fn split(text: Text<'_>, from: usize, to: usize, separator: u8) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (from, from);
    while at < to {
        if text.is(at, separator) {
            parts.push((start, at));
            start = at + 1;
        }
        at = text.behind(at).filter(|behind| *behind <= to).unwrap_or(at + 1);
    }
    parts.push((start, to));
    parts
}
