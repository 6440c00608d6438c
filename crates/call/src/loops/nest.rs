//! Functions, the trees of loops in them, and how often the innermost of these turn.

use super::bound::{Text, Variables, pairs};
use super::count::Places;
use super::size::Size;
use super::trips::{self, Around, Trips};
use crate::translate::scan::{Kind, Word, scan};
use crate::translate::{Input, Language};

/// A loop that no other one is around.
#[derive(Debug, Clone, PartialEq)]
pub struct Nest {
    pub function: String,
    /// The lines of its first and last token, from 1.
    pub begin_line: usize,
    pub end_line: usize,
    /// How its work grows; or why that is not known.
    pub size: Result<Size, String>,
    /// Recorded names, and the expressions that they stand for.
    pub variables: Vec<(String, String)>,
    /// Whether a statement inside leaves the function.
    pub returns: bool,
    /// Functions that it calls whose work is not known.
    pub calls_unknown: Vec<String>,
    /// Whether it has its lines for itself.
    pub alone: bool,
    /// Where counters go.
    pub(super) places: Option<Places>,
}

impl Nest {
    /// Integers that may be known before it, and how they are written; what counters write down.
    pub fn known(&self) -> &[(String, String)] {
        self.places.as_ref().map_or(&[], |places| &places.names)
    }

    /// Whether counters can be put into it.
    pub fn is_countable(&self) -> bool {
        self.places.is_some()
    }
}

/// Deeper nests of statements are not looked into.
const DEEPEST: usize = 200;

/// Functions whose work does not depend on a size.
const CONSTANT: [&str; 44] = [
    "sqrt", "cbrt", "exp", "exp2", "log", "log2", "log10", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2",
    "sinh", "cosh", "tanh", "fabs", "abs", "labs", "floor", "ceil", "round", "fmin", "fmax", "fma", "hypot", "fmod",
    "min", "max", "swap", "printf", "fprintf", "putchar", "puts", "rand", "drand48", "size", "length", "begin", "end",
    "assert", "sqrtf",
];

pub(super) struct Loop {
    pub at: usize,
    head: (usize, usize),
    pub body: (usize, usize),
    pub end: usize,
    is_for: bool,
    pub inner: Vec<Loop>,
}

/// The outermost loops of a source.
pub fn nests(input: &Input) -> Vec<Nest> {
    let scanned = scan(&input.text, input.language == Language::Cpp);
    let pairs = pairs(&scanned.tokens);
    let text = Text { source: &input.text, tokens: &scanned.tokens, pairs: &pairs };
    let lines = Lines::of(&input.text);
    let mut nests = Vec::new();
    let mut at = 0;
    while at < text.tokens.len() {
        let Some((name, end)) = function(text, at) else {
            at += 1;
            continue;
        };
        let mut loops = Vec::new();
        statements(text, at + 1, end - 1, 0, &mut loops);
        nests.extend(loops.iter().map(|found| nest(text, &lines, (name, at), found)));
        at = end;
    }
    nests
}

/// The name of the function whose body begins at `at`, and where that ends.
fn function(text: Text<'_>, at: usize) -> Option<(&str, usize)> {
    if !text.is(at, b'{') {
        return None;
    }
    let end = text.behind(at)?;
    let mut close = at.checked_sub(1)?;
    // `const noexcept override` may be between.
    for _ in 0..4 {
        if text.is(close, b')') {
            break;
        }
        if !matches!(text.tokens[close].kind, Kind::Name | Kind::Type | Kind::Attribute) {
            return None;
        }
        close = close.checked_sub(1)?;
    }
    let open = text.pairs.get(close).copied().flatten().filter(|open| text.is(close, b')') && *open < close)?;
    let name = open.checked_sub(1).filter(|&name| text.is_name(name))?;
    Some((text.word(name), end))
}

fn statements(text: Text<'_>, from: usize, to: usize, depth: usize, loops: &mut Vec<Loop>) {
    let mut at = from;
    while at < to {
        at = statement(text, at, to, depth, loops).max(at + 1);
    }
}

/// Looks for loops in a statement, and gives the place behind it.
fn statement(text: Text<'_>, at: usize, to: usize, depth: usize, loops: &mut Vec<Loop>) -> usize {
    if at >= to || depth > DEEPEST {
        return to;
    }
    let behind = |at: usize| text.behind(at).filter(|behind| *behind <= to).unwrap_or(to);
    match text.tokens[at].kind {
        Kind::Sign(b'{') => {
            statements(text, at + 1, behind(at) - 1, depth + 1, loops);
            behind(at)
        }
        Kind::Word(word @ (Word::For | Word::While)) if text.is(at + 1, b'(') => {
            let body = behind(at + 1);
            let mut inner = Vec::new();
            let end = statement(text, body, to, depth + 1, &mut inner);
            let head = (at + 2, body - 1);
            loops.push(Loop { at, head, body: (body, end), end, is_for: word == Word::For, inner });
            end
        }
        Kind::Word(Word::Do) => {
            let mut inner = Vec::new();
            let end = statement(text, at + 1, to, depth + 1, &mut inner);
            let close = if text.is_word(end, Word::While) && text.is(end + 1, b'(') { behind(end + 1) } else { end };
            let last = if text.is(close, b';') { close + 1 } else { close };
            let head = (end + 2, close.saturating_sub(1));
            loops.push(Loop { at, head, body: (at + 1, end), end: last.min(to), is_for: false, inner });
            last.min(to)
        }
        Kind::Word(Word::If | Word::Switch | Word::Catch) => {
            let open = (at + 1..to.min(at + 3)).find(|&at| text.is(at, b'('));
            let end = statement(text, open.map_or(at + 1, behind), to, depth + 1, loops);
            if text.is_word(end, Word::Else) { statement(text, end + 1, to, depth + 1, loops) } else { end }
        }
        Kind::Word(Word::Else | Word::Try) => statement(text, at + 1, to, depth + 1, loops),
        Kind::Word(Word::Case | Word::Default) => (at..to).find(|&at| text.is(at, b':')).map_or(to, |colon| colon + 1),
        Kind::If | Kind::Else | Kind::EndIf | Kind::Pragma(_) | Kind::Governs(_) => at + 1,
        _ => {
            let mut at = at;
            while at < to && !text.is(at, b';') {
                at = behind_or_next(text, at, to);
            }
            (at + 1).min(to)
        }
    }
}

fn behind_or_next(text: Text<'_>, at: usize, to: usize) -> usize {
    text.behind(at).filter(|behind| *behind <= to).unwrap_or(at + 1)
}

fn nest(text: Text<'_>, lines: &Lines, (function, body): (&str, usize), found: &Loop) -> Nest {
    let mut variables = Variables::new();
    let mut own = Vec::new();
    let first = governed_from(text, found.at);
    let last = found.end.saturating_sub(1);
    let place = |at: usize| text.tokens.get(at).map_or(0, |token| token.start as usize);
    let (begin_line, end_line) = (lines.of_byte(place(first)), lines.of_byte(place(last)));
    let size = check(text, function, found)
        .and_then(|()| size(text, lines, found, &mut Vec::new(), &mut variables, &mut own))
        .map(|(size, _)| size)
        .and_then(|size| unchanged(text, found, &size, &variables, &own).map(|()| size));
    let used = size.as_ref().map(Size::names).unwrap_or_default();
    let places = Places::of(text, body, first, found, &variables);
    let inside = found.at..found.end;
    let shares =
        |at: usize, line: usize| text.tokens.get(at).is_some_and(|token| lines.of_byte(token.start as usize) == line);
    Nest {
        function: function.to_owned(),
        begin_line,
        end_line,
        variables: variables.into_iter().filter(|(name, _)| used.contains(name)).collect(),
        returns: inside.clone().any(|at| text.is_word(at, Word::Return) || text.is_word(at, Word::Goto)),
        calls_unknown: calls(text, inside, function),
        alone: first.checked_sub(1).is_none_or(|before| !shares(before, begin_line)) && !shares(found.end, end_line),
        size,
        places,
    }
}

/// Where the pragmas of others begin that belong to a loop, also those that stand under conditions of their own:
/// `#ifdef _OPENMP`, `#pragma omp parallel for`, `#endif`.
fn governed_from(text: Text<'_>, at: usize) -> usize {
    let kind = |at: usize| text.tokens[at].kind;
    let mut first = at;
    while let Some(before) = first.checked_sub(1) {
        first = match kind(before) {
            Kind::Governs(_) => before,
            Kind::EndIf => {
                let inside = |at: &usize| matches!(kind(*at), Kind::Governs(_) | Kind::Else);
                let held = (0..before).rev().take_while(inside).count();
                match before.checked_sub(held + 1).filter(|&start| held > 0 && kind(start) == Kind::If) {
                    Some(start) => start,
                    None => return first,
                }
            }
            _ => return first,
        };
    }
    first
}

/// What no formula helps with.
fn check(text: Text<'_>, function: &str, found: &Loop) -> Result<(), String> {
    let calls_itself = |at: usize| text.word(at) == function && text.is(at + 1, b'(');
    if (found.at..found.end).any(calls_itself) {
        return Err(format!("{function} calls itself in it"));
    }
    let is_pragma = |at: usize| matches!(text.tokens[at].kind, Kind::Pragma(_));
    let before = governed_from(text, found.at).checked_sub(1);
    if (found.at..found.end).any(is_pragma) || before.is_some_and(is_pragma) {
        return Err("there is a pragma in it or around it already".to_owned());
    }
    Ok(())
}

/// What a nest does: the turns of each loop times what is in it; and whether its own turns are a share of a total.
fn size(
    text: Text<'_>,
    lines: &Lines,
    found: &Loop,
    around: &mut Vec<Around>,
    variables: &mut Variables,
    own: &mut Vec<String>,
) -> Result<(Size, bool), String> {
    let line = lines.of_byte(text.tokens[found.at].start as usize);
    let unknown = || format!("how often the loop in line {line} turns is not known");
    let Trips { size: mut trips, index, bound, own: changed, is_share } = if found.is_for {
        trips::of_for(text, found.head.0, found.head.1, around, variables)
    } else if around.is_empty() {
        trips::of_while(text, found.head, found.body, variables)
    } else {
        None
    }
    .ok_or_else(unknown)?;
    // A difference of pointers is a number of elements, but neither of them is one that can be recorded.
    if let Some(index) = index.as_deref().filter(|index| trips::is_pointer(text, found.body, index)) {
        return Err(format!("{index} of the loop in line {line} is a pointer"));
    }
    own.extend(index.iter().cloned().chain(changed));
    // The index of a loop around is half of its turns, in the mean.
    for outer in around.iter().rev() {
        let half = Size::default().plus(&outer.trips, 0.5);
        trips = trips.with(&outer.index, &half).ok_or_else(unknown)?;
    }
    around.push(Around { index: index.unwrap_or_default(), trips: trips.clone(), bound });
    let mut inside = Size::default();
    let mut shares = false;
    for inner in &found.inner {
        let (work, is_share) = size(text, lines, inner, around, variables, own)?;
        inside = inside.plus(&work, 1.0);
        shares |= is_share;
    }
    around.pop();
    // A total over all turns has at least one for most of them.
    if !shares {
        inside = inside.plus(&Size::number(1.0), 1.0);
    }
    let work = trips.times(&inside).map(|work| (work, is_share));
    work.ok_or_else(|| "its formula has too many terms".to_owned())
}

/// What the formula uses is set before the nest, and not in it.
fn unchanged(text: Text<'_>, found: &Loop, size: &Size, variables: &Variables, own: &[String]) -> Result<(), String> {
    let used: Vec<&String> =
        variables.iter().filter(|(name, _)| size.names().contains(name)).map(|(_, of)| of).collect();
    let starts =
        |name: &str| used.iter().any(|of| of.as_str() == name || of.split(['.', '-', '[']).next() == Some(name));
    let allowed = |name: &str| own.iter().any(|own| own == name);
    for at in found.at..found.end {
        let name = text.word(at);
        if text.is_name(at)
            && starts(name)
            && trips::changes(text, at)
            && !(allowed(name) && used.iter().any(|of| *of == name))
        {
            return Err(format!("{name} changes in it"));
        }
    }
    Ok(())
}

fn calls(text: Text<'_>, inside: std::ops::Range<usize>, function: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for at in inside.filter(|&at| text.is_name(at) && text.is(at + 1, b'(')) {
        let name = text.word(at);
        // `double x(3)` declares; a name behind a name or a type is none of a function that is called.
        let declares =
            at.checked_sub(1).is_some_and(|before| text.is_name(before) || text.tokens[before].kind == Kind::Type);
        if !declares && name != function && !CONSTANT.contains(&name) && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Where lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &[u8]) -> Self {
        let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place + 1);
        Lines(std::iter::once(0).chain(ends).collect())
    }

    /// The line of a byte, from 1.
    fn of_byte(&self, byte: usize) -> usize {
        self.0.partition_point(|start| *start <= byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leading(body: &str) -> Result<Vec<String>, String> {
        let source = format!("void f(int n, int m, int *p, double *a) {{\n{body}\n}}\n");
        let found = nests(&Input::new("f.c", source.into_bytes(), Language::C));
        assert_eq!(found.len(), 1, "{body}");
        found[0].size.clone().map(|size| size.leading())
    }

    /// By hand: what the loops of each body do.
    #[test]
    fn bounds_give_the_leading_term() {
        for (body, expected) in [
            ("for (int i = 0; i < n; i++) a[i] = 0;", "n"),
            ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) a[i] += k;", "n^3"),
            ("for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[i] += j;", "n^2"),
            ("for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) a[i] += j;", "n^2"),
            ("for (int s = 1; s < n; s *= 2) for (int i = 0; i < n; i++) a[i] += s;", "n*log2(n)"),
            ("for (int i = n - 1; i >= 0; --i) for (int j = 0; j != m; j += 2) a[i] += j;", "m*n"),
            ("for (int i = 0; i < n; i++) { int k; for (k = p[i]; k < p[i+1]; k++) a[i] += k; }", "p_total"),
            ("while (n > 1) n /= 2;", "log2(n)"),
            ("while (n > 1) { a[0] += n; n = n / 2; }", "log2(n)"),
            (
                "for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) a[i] += j; if (i > 3) for (int j = 0; j < m; j++) a[i] -= j; }",
                "m*n|n^2",
            ),
            ("for (int i = 0; i < n / 4; i++) for (int j = i - 2; j <= i + 2; j++) a[i] += j;", "n"),
            ("for (int i = 0; i < 2 * (n - 1); i++) a[i] = sqrt(i);", "n"),
        ] {
            assert_eq!(leading(body).expect(body).join("|"), expected, "{body}");
        }
    }

    #[test]
    fn what_is_not_known_has_a_reason() {
        for (body, reason) in [
            ("for (int i = 0; i < n; i++) if (a[i] > 0) n--;", "n changes in it"),
            ("for (int i = 0; i < g(n); i++) a[i] = 0;", "turns is not known"),
            ("for (;;) a[0]++;", "turns is not known"),
            ("for (int i = 0; i < n; i++) while (a[i] > 1) a[i] -= 1;", "turns is not known"),
            ("for (int i = 0; i < n; i++) f(i, m, p, a);", "calls itself"),
        ] {
            let found = leading(body).expect_err(body);
            assert!(found.contains(reason), "{body}: {found}");
        }
    }

    #[test]
    fn members_and_containers_are_recorded_by_name() {
        let source = "struct M { int rows; };\nvoid g(struct M *m, std::vector<double> &v) {\n    for (int i = 0; i < m->rows; i++)\n        \
                      for (double x : v) use(x);\n}\n";
        let found = nests(&Input::new("g.cpp", source.as_bytes().to_vec(), Language::Cpp));
        assert_eq!(found[0].size.clone().expect("a size").leading(), ["rows*v_size"]);
        let written = |name: &str, of: &str| (name.to_owned(), of.to_owned());
        assert_eq!(found[0].variables, [written("rows", "m->rows"), written("v_size", "v.size()")]);
        assert_eq!((found[0].begin_line, found[0].end_line, found[0].function.as_str()), (3, 4, "g"));
        assert_eq!(found[0].calls_unknown, ["use"]);
    }

    /// What a branch of the preprocessor declares is not known behind it, and what is never set has no value.
    #[test]
    fn counters_see_what_is_known_before_the_loop() {
        let source = "void f(int n, double x, int *p) {\n    int a = 1, b, c; c = n;\n#ifdef MPI\n    int d = 2;\n#endif\n    \
                      { int e = 3; }\n#ifdef _OPENMP\n#pragma omp parallel for\n#endif\n    for (int i = 0; i < p[0]; i++) c += n;\n}\n";
        let nests = nests(&Input::new("f.c", source.as_bytes().to_vec(), Language::C));
        let names: Vec<&str> = nests[0].known().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["n", "c", "p_0", "x", "a"]);
        assert_eq!((nests[0].begin_line, nests[0].end_line), (7, 10));
        let text = String::from_utf8(super::super::counted(source.as_bytes(), &nests, "c.h", 5)).expect("UTF-8");
        assert!(text.starts_with("#include \"c.h\"\n#line 1\nvoid f"), "{text}");
        assert!(
            text.contains("cll_c_[1] = { 0 };\n#ifdef _OPENMP")
                && text.contains("CLL_COUNT_TOGETHER_(cll_c_[0]);c += n; }"),
            "{text}"
        );
        assert!(text.contains("cll_count_visit_(5, 5, cll_v_, 1, cll_c_); }\n}"), "{text}");
    }

    #[test]
    fn unbalanced_text_ends() {
        for text in [
            "void f() { for (",
            "for (((((",
            "f(){{{{for(;",
            "f(){do while",
            "f(){if",
            "}}}}f(){",
            "f(){for(i=0;i<n;i++",
        ] {
            let many = text.repeat(2000);
            for source in [text, many.as_str()] {
                let nests = nests(&Input::new("f.c", source.as_bytes().to_vec(), Language::C));
                super::super::counted(source.as_bytes(), &nests, "c.h", 0);
            }
        }
    }
}
