//! Counters in the loops of a source: how often each turns in a visit of its nest, and the integers that are known before.

use super::bound::{Text, Variables};
use super::nest::{Loop, Nest};
use super::trips::changes;
use crate::translate::scan::Kind;

/// What counted sources include: it writes what it has counted into the folder of `CLL_COUNTS` when the program ends.
pub const COUNT_HEADER: &str = include_str!("cll_count.h");

/// More names, or more loops, of one nest are not looked at.
const MOST: usize = 16;

/// Where the counters of a nest go: bytes of the source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Places {
    /// The nest, with the pragmas that govern it.
    begin: usize,
    end: usize,
    /// Whether it begins with a directive, which needs a line of its own.
    at_directive: bool,
    /// The body of each loop, and how it begins.
    bodies: Vec<Body>,
    /// Whether several threads may count at once.
    is_parallel: bool,
    /// Names whose values are written down, and how they are written in the source.
    pub names: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Body {
    begin: usize,
    end: usize,
    is_block: bool,
    at_directive: bool,
}

impl Places {
    /// Those of a nest whose tokens begin at `first`, in the function whose body begins at `body`; none where braces cannot be
    /// put around its parts.
    pub(super) fn of(text: Text<'_>, body: usize, first: usize, found: &Loop, variables: &Variables) -> Option<Self> {
        let start = |at: usize| text.tokens.get(at).map(|token| token.start as usize);
        let mut bodies = Vec::new();
        collect(text, found, &mut bodies)?;
        let governs = |at: &usize| matches!(text.tokens[*at].kind, Kind::Governs(_));
        let governed: Vec<usize> = (first..found.end).filter(governs).collect();
        // These want loops that follow each other at once, or a list of all names.
        let is_strict = |at: &usize| ["collapse", "default", "tile"].iter().any(|word| text.word(*at).contains(word));
        if bodies.len() > MOST || governed.iter().any(is_strict) {
            return None;
        }
        Some(Places {
            begin: start(first)?,
            end: text.tokens.get(found.end.checked_sub(1)?)?.end as usize,
            at_directive: first != found.at,
            bodies,
            is_parallel: !governed.is_empty(),
            names: names(text, body, found, variables),
        })
    }
}

fn collect(text: Text<'_>, found: &Loop, bodies: &mut Vec<Body>) -> Option<()> {
    let (from, to) = found.body;
    let (first, last) = (text.tokens.get(from)?, text.tokens.get(to.checked_sub(1).filter(|last| *last >= from)?)?);
    if matches!(first.kind, Kind::If | Kind::Else | Kind::EndIf | Kind::Pragma(_)) {
        return None;
    }
    bodies.push(Body {
        begin: first.start as usize,
        end: last.end as usize,
        is_block: first.is(b'{'),
        at_directive: matches!(first.kind, Kind::Governs(_)),
    });
    found.inner.iter().try_for_each(|inner| collect(text, inner, bodies))
}

/// Parameters of the function and variables that are set before the nest, those that are used in it first; and what bounds are
/// written with.
fn names(text: Text<'_>, body: usize, found: &Loop, variables: &Variables) -> Vec<(String, String)> {
    let mut scope = parameters(text, body);
    scope.extend(locals(text, body, found.at));
    let uses = |name: &str| (found.at..found.end).any(|at| text.word(at) == name);
    let (used, others): (Vec<&str>, Vec<&str>) = scope.iter().copied().partition(|name| uses(name));
    let written = variables.iter().filter(|(_, of)| {
        let base = of.split(['.', '-', '[']).next().unwrap_or_default();
        let is_set = |at: usize| text.word(at) == base && (changes(text, at) || declares(text, at));
        scope.contains(&base) || !(found.at..found.end).any(is_set)
    });
    let written: Vec<(String, String)> = written.map(|(name, of)| (name.clone(), of.clone())).collect();
    let mut names: Vec<(String, String)> = Vec::new();
    let plain = |name: &&str| ((*name).to_owned(), (*name).to_owned());
    for pair in used.iter().map(plain).chain(written).chain(others.iter().map(plain)) {
        if names.iter().all(|(known, _)| *known != pair.0) && names.len() < MOST {
            names.push(pair);
        }
    }
    names
}

fn parameters<'a>(text: Text<'a>, body: usize) -> Vec<&'a str> {
    let close = (body.saturating_sub(5)..body).rev().find(|&at| text.is(at, b')'));
    let Some((close, open)) = close.and_then(|close| Some((close, text.pairs.get(close).copied().flatten()?))) else {
        return Vec::new();
    };
    let ends = |at: usize| text.is(at + 1, b',') || at + 1 == close;
    (open + 1..close).filter(|&at| text.is_name(at) && ends(at) && declares(text, at)).map(|at| text.word(at)).collect()
}

/// Variables of the blocks around a place that have a value there.
fn locals<'a>(text: Text<'a>, body: usize, until: usize) -> Vec<&'a str> {
    let mut names = Vec::new();
    // How many names there were where each open condition of the preprocessor began.
    let mut conditions: Vec<usize> = Vec::new();
    let mut at = body + 1;
    let mut in_declaration = false;
    while at < until {
        match text.tokens[at].kind {
            Kind::If => conditions.push(names.len()),
            // What one branch declares is not there in others.
            Kind::Else => names.truncate(conditions.last().copied().unwrap_or(0)),
            Kind::EndIf => names.truncate(conditions.pop().unwrap_or(0)),
            _ => {}
        }
        // Brackets that are closed before the place hold nothing that is known at it.
        if let Some(behind) = text.behind(at).filter(|behind| *behind <= until) {
            at = behind;
            continue;
        }
        if [b';', b'{', b'}'].iter().any(|sign| text.is(at, *sign)) {
            in_declaration = false;
        } else if text.is_name(at) {
            let begins = declares(text, at);
            in_declaration |= begins;
            let is_next = in_declaration && at > 0 && text.is(at - 1, b',');
            let sets = |later: usize| text.word(later) == text.word(at) && changes(text, later);
            let is_real = at > 0 && ["double", "float"].contains(&text.word(at - 1));
            if (begins || is_next) && !is_real && (at..until).any(sets) {
                names.push(text.word(at));
            }
        }
        at += 1;
    }
    names
}

/// Whether a type is before a name.
fn declares(text: Text<'_>, at: usize) -> bool {
    let before = |steps: usize| {
        at.checked_sub(steps).filter(|&before| matches!(text.tokens[before].kind, Kind::Type) || text.is_name(before))
    };
    let is_reference = at > 0 && text.is(at - 1, b'&');
    before(1).is_some() || (is_reference && before(2).is_some())
}

/// A source with counters in its nests; the n-th has the number `first + n` of those that have any.
pub fn counted(source: &[u8], nests: &[Nest], header: &str, first: usize) -> Vec<u8> {
    let mut added: Vec<(usize, usize, String)> = Vec::new();
    let mut put = |at: usize, text: String| {
        let order = added.len();
        added.push((at, order, text));
    };
    for (number, nest) in nests.iter().enumerate() {
        let Some(places) = &nest.places else { continue };
        let line = |is_directive: bool| if is_directive { "\n" } else { "" };
        let values: Vec<String> = places.names.iter().map(|(_, of)| format!("CLL_WHOLE_({of}), ")).collect();
        let (names, loops) = (places.names.len(), places.bodies.len());
        let values = values.concat();
        put(
            places.begin,
            format!(
                "{{ double cll_v_[] = {{ {values}0 }}; unsigned long long cll_c_[{loops}] = {{ 0 }};{}",
                line(places.at_directive)
            ),
        );
        for (index, body) in places.bodies.iter().enumerate() {
            let count = if places.is_parallel { "CLL_COUNT_TOGETHER_" } else { "CLL_COUNT_" };
            let brace = if body.is_block { "" } else { "{ " };
            put(
                body.begin + usize::from(body.is_block),
                format!("{brace} {count}(cll_c_[{index}]);{}", line(body.at_directive)),
            );
            if !body.is_block {
                put(body.end, " }".to_owned());
            }
        }
        put(places.end, format!(" cll_count_visit_({}, {names}, cll_v_, {loops}, cll_c_); }}", first + number));
    }
    added.sort_by_key(|(at, order, _)| (*at, *order));
    let mut text = format!("#include \"{header}\"\n#line 1\n").into_bytes();
    let mut from = 0;
    for (at, _, insertion) in &added {
        text.extend(&source[from..*at]);
        text.extend(insertion.as_bytes());
        from = *at;
    }
    text.extend(&source[from..]);
    text
}
