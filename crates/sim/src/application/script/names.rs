//! Calls of names that nothing defines, found without running the script.
//!
//! A name counts as defined where the script binds it anywhere (`local`, `function`, a parameter, a loop, an assignment, a field
//! of a table), or where Luau or the library of scripts has it. So every call that is found would fail if it were reached.

use super::host::Host;
use super::raw::Machine;
use runcast_core::Problem;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The code of the problem.
pub const UNDEFINED_CALL: &str = "undefined_call";
/// Names reported for a script at most.
const MOST: usize = 20;
/// Words of a list of names that are looked at.
const LONGEST_LIST: usize = 200;
/// Memory of a machine that runs nothing.
const IDLE_BYTES: u64 = 16 << 20;
/// What may stand before an opening bracket without being called.
const KEYWORDS: [&str; 22] = [
    "and", "break", "continue", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
];

/// Global names of every script.
static GLOBALS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let host = Host::new(Default::default(), Default::default(), &Default::default());
    Machine::new(host, IDLE_BYTES).map(|machine| machine.globals()).unwrap_or_default()
});

/// Does once what the first script needs and each one shares.
pub fn warm_up() {
    LazyLock::force(&GLOBALS);
}

/// Calls of undefined names, each name once, with its first line.
pub fn undefined(source: &str, file: &str) -> Vec<Problem> {
    let words = words(source);
    // A script that reaches its globals as a table may define whatever it likes.
    if words.iter().any(|word| matches!(word.what, What::Name("_G" | "getfenv" | "setfenv"))) {
        return Vec::new();
    }
    let bound = bound(&words);
    let mut found: BTreeMap<&str, u64> = BTreeMap::new();
    for (index, word) in words.iter().enumerate() {
        let What::Name(name) = word.what else { continue };
        let before = index.checked_sub(1).and_then(|before| words.get(before)).map(|word| word.what);
        let is_member = matches!(before, Some(What::Sign('.' | ':') | What::Name("function")));
        let is_called = matches!(words.get(index + 1).map(|word| word.what), Some(What::Sign('(' | '{') | What::Text));
        if is_called && !is_member && !KEYWORDS.contains(&name) && !bound.contains(name) && !GLOBALS.contains(name) {
            found.entry(name).or_insert(word.line);
        }
    }
    let known = || GLOBALS.iter().map(String::as_str).chain(bound.iter().copied());
    let problem = |(name, line): (&str, u64)| {
        let problem = Problem::new(UNDEFINED_CALL, format!("nothing is called {name}")).in_file(file).at_line(line);
        problem.value(name).or_near(name, known())
    };
    if GLOBALS.is_empty() { Vec::new() } else { found.into_iter().take(MOST).map(problem).collect() }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum What<'s> {
    Name(&'s str),
    Text,
    Sign(char),
}

#[derive(Debug, Clone, Copy)]
struct Word<'s> {
    what: What<'s>,
    line: u64,
}

/// Names, texts and signs; comments and numbers are left out.
fn words(source: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let (mut rest, mut line) = (source, 1);
    while let Some(first) = rest.chars().next() {
        let comment = rest.strip_prefix("--");
        let long = long_bracket(comment.unwrap_or(rest));
        let (what, length) = match (comment, long) {
            (Some(_), Some(length)) => (None, length + 2),
            (Some(_), None) => (None, rest.find('\n').unwrap_or(rest.len())),
            (None, Some(length)) => (Some(What::Text), length),
            (None, None) if ['"', '\'', '`'].contains(&first) => (Some(What::Text), quoted(rest, first)),
            (None, None) if first.is_ascii_alphanumeric() || first == '_' => {
                let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
                ((!first.is_ascii_digit()).then_some(What::Name(&rest[..length])), length)
            }
            (None, None) => ((!first.is_whitespace()).then_some(What::Sign(first)), first.len_utf8()),
        };
        words.extend(what.map(|what| Word { what, line }));
        line += rest[..length].matches('\n').count() as u64;
        rest = &rest[length..];
    }
    words
}

/// Bytes of `[==[ .. ]==]` at the beginning.
fn long_bracket(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let level = inner.len() - inner.trim_start_matches('=').len();
    let inner = inner[level..].strip_prefix('[')?;
    let end = format!("]{}]", "=".repeat(level));
    Some(inner.find(&end).map_or(text.len(), |at| level + 2 + at + end.len()))
}

/// Bytes of a text in quotes at the beginning.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if letter == quote => return at + 1,
            // It was none: the compiler tells it.
            '\n' => return at,
            _ => {}
        }
    }
    text.len()
}

/// Names that the script binds somewhere.
fn bound<'s>(words: &[Word<'s>]) -> BTreeSet<&'s str> {
    let what = |index: usize| words.get(index).map(|word| word.what);
    let mut bound = BTreeSet::new();
    for (index, word) in words.iter().enumerate() {
        match word.what {
            What::Name("local" | "for") => bound.extend(list(&words[index + 1..], Some(word.line))),
            What::Name("function") => {
                if let Some(What::Name(name)) = what(index + 1) {
                    bound.insert(name);
                }
                let near = index + 1..(index + LONGEST_LIST).min(words.len());
                let open = near.into_iter().find(|&at| what(at) == Some(What::Sign('(')));
                bound.extend(open.into_iter().flat_map(|open| list(&words[open + 1..], None)));
            }
            What::Name(name) => {
                let is_set = what(index + 1) == Some(What::Sign('=')) && what(index + 2) != Some(What::Sign('='));
                if is_set || what(index + 1) == Some(What::Sign(',')) {
                    bound.insert(name);
                }
            }
            _ => {}
        }
    }
    bound
}

/// Names of a list at the beginning, with or without types: `a, b: number`. One without brackets ends with its `line`, unless a
/// comma stands there.
fn list<'s>(words: &[Word<'s>], line: Option<u64>) -> Vec<&'s str> {
    let mut names = Vec::new();
    let mut line = line;
    for word in words.iter().take(LONGEST_LIST) {
        let is_over = line.is_some_and(|line| word.line > line);
        match word.what {
            _ if is_over => break,
            What::Sign(')' | '=') | What::Name("in" | "function" | "do") => break,
            What::Sign(',') => line = line.map(|line| line + 1),
            What::Name(name) => names.push(name),
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::undefined;

    fn found(source: &str) -> Vec<(String, u64, String)> {
        let told = |problem: runcast_core::Problem| {
            (problem.value.unwrap_or_default(), problem.line.unwrap_or(0), problem.hint.unwrap_or_default())
        };
        undefined(source, "a.luau").into_iter().map(told).collect()
    }

    #[test]
    fn a_slip_is_found_with_its_line_and_what_was_meant() {
        let source = "-- sned(1)\nlabel{ \"a\", count = 2, run = function(rank)\n  sned{ to = 1, size = 8 }\n  brcast \"x\"\nend }\n";
        let told = found(source);
        assert_eq!(told[0].0, "brcast");
        assert_eq!((told[1].0.as_str(), told[1].1, told[1].2.as_str()), ("sned", 3, "did you mean send?"));
        assert_eq!(told.len(), 2, "{told:?}");
    }

    #[test]
    fn what_the_script_or_luau_defines_is_no_slip() {
        let source = r##"
            local function half(n, f) return f(n / 2) end
            function double(n: number): number return 2 * n end
            local twice, other = double, half
            local typed: (number) -> number = double
            third = function(...) return select("#", ...) end
            local kept = { run = function(self) return self end }
            for name, call in pairs({ a = half }) do call(1, tostring) end
            local long = [==[ nothing(1) ]] ]==] --[[ nothing(2)
            nothing(3) ]] local text = "nothing(4) \" nothing(5)" .. 'nothing(6)' .. `nothing(7)`
            twice(1) other(1, typed) third(kept.run(), kept:run()) assert(math.max(1, 2))
            label{ "a", count = param("p", 2), run = function(rank) if (rank == 0) then barrier() end return {} end }
            print(string.rep("x", 3)) loop(3, function() sleep(1) end) computation(1, "x")
        "##;
        assert_eq!(found(source), []);
        assert_eq!(found("_G.mine = print\nmine(1)\n"), []);
    }

    #[test]
    fn no_text_breaks_it() {
        for source in ["[==[", "\"", "`\\", "--[[", "é(1)", "a[[", "function", "local", "for", "[=", "\u{0}x(", "--"] {
            let _ = found(source);
        }
        for piece in ["f(", "function ", "local ", "for x, ", "[[", "a, "] {
            let _ = found(&piece.repeat(100_000));
        }
    }
}
