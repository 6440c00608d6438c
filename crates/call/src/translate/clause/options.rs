//! Options of a region: `var(..) seg(..) metric(..) at(..) every(..) mode(..) exits(..) open`.

use super::region::written_names;
use super::words::{Kind, Reader, Word};
use crate::translate::fault::Fault;

/// Options that have brackets.
pub const WORDS: [&str; 7] = ["var", "seg", "metric", "at", "every", "mode", "exits"];

const ALL: &str = "options are var(x = ..), seg(..), metric(..), at(begin|end), every(n), mode(auto|trace|aggregate), \
                   exits(drop|ok), open";

/// Options of a region; those that were not given are none or empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    pub variables: Vec<Variable>,
    /// Segmentation variables, in the formula language.
    pub seg: Vec<String>,
    /// Position of each in the text of the pragma.
    pub seg_at: Vec<usize>,
    /// Names in them that were written with an arrow.
    pub seg_written: Vec<(String, String)>,
    pub metric: Vec<String>,
    pub at: Option<At>,
    pub every: Option<u32>,
    pub mode: Option<Mode>,
    pub exits: Option<Exits>,
    pub open: bool,
}

/// A value named by `var`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub expression: String,
    /// Position in the pragma's text of a division that may be one of integers, if any.
    pub divides_at: Option<usize>,
}

/// When values are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    Begin,
    End,
}

/// How samples are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Auto,
    Trace,
    Aggregate,
}

/// Treatment of samples that were left early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exits {
    Drop,
    Ok,
}

/// The error for an unexpected word.
pub fn unknown(word: Word<'_>, bracket: bool) -> Fault {
    let message = match bracket {
        true => format!("\"{}\" is not an option", word.text),
        false => format!("\"{}\" where an operator or an option is expected", word.text),
    };
    Fault::new("bad-clause", word.start, message).hint(ALL)
}

/// Reads all options up to the end of the clause.
pub fn read<'t>(words: &mut Reader<'t, '_>, text: &'t str) -> Result<Options, Fault> {
    let mut options = Options::default();
    let mut seen: Vec<&str> = Vec::new();
    while let Some(word) = words.next() {
        if word.text == "open" && word.kind == Kind::Name {
            once(&mut seen, word)?;
            options.open = true;
            continue;
        }
        if !WORDS.contains(&word.text) || !words.peek_is("(") {
            return Err(unknown(word, words.peek_is("(")));
        }
        let parts = bracketed(words, word, text)?;
        match word.text {
            "var" => options.variables.extend(parts.iter().map(variable).collect::<Result<Vec<_>, _>>()?),
            "seg" => parts.iter().try_for_each(|part| options.add_seg(part))?,
            "metric" => options.metric.extend(parts.iter().map(metric).collect::<Result<Vec<_>, _>>()?),
            single => {
                once(&mut seen, word)?;
                options.set(single, &parts)?;
            }
        }
    }
    Ok(options)
}

fn once<'t>(seen: &mut Vec<&'t str>, word: Word<'t>) -> Result<(), Fault> {
    if seen.contains(&word.text) {
        let message = format!("{} is given twice", word.text);
        return Err(Fault::new("bad-clause", word.start, message).hint("keep one of them"));
    }
    seen.push(word.text);
    Ok(())
}

/// A part between commas.
struct Part<'t> {
    words: Vec<Word<'t>>,
    text: &'t str,
    start: usize,
}

/// The parts between the brackets that come next.
fn bracketed<'t>(words: &mut Reader<'t, '_>, option: Word<'t>, text: &'t str) -> Result<Vec<Part<'t>>, Fault> {
    let Some(open) = words.next() else { return Err(unknown(option, false)) };
    let mut parts = Vec::new();
    let mut inside: Vec<Word<'t>> = Vec::new();
    let mut start = open.end();
    let mut closers: Vec<&str> = Vec::new();
    while let Some(word) = words.next() {
        let is_end = closers.is_empty() && matches!(word.text, "," | ")");
        if is_end {
            let part = text[start..word.start].trim();
            if part.is_empty() {
                let message = format!("nothing in {}( .. )", option.text);
                return Err(Fault::new("bad-clause", word.start, message).hint(ALL));
            }
            let part_start = inside.first().map_or(start, |word| word.start);
            parts.push(Part { words: std::mem::take(&mut inside), text: part, start: part_start });
            start = word.end();
            if word.text == ")" {
                return Ok(parts);
            }
            continue;
        }
        match word.text {
            "(" => closers.push(")"),
            "[" => closers.push("]"),
            "{" => closers.push("}"),
            ")" | "]" | "}" if closers.pop() != Some(word.text) => {
                let message = format!("\"{}\" closes nothing", word.text);
                return Err(Fault::new("bad-clause", word.start, message).hint("fill in the brackets"));
            }
            _ => {}
        }
        inside.push(word);
    }
    let message = format!("the bracket of {} is never closed", option.text);
    Err(Fault::new("bad-clause", open.start, message).hint("close it, or join lines with a backslash"))
}

impl Options {
    fn add_seg(&mut self, part: &Part<'_>) -> Result<(), Fault> {
        self.seg.push(part.text.replace("->", "."));
        self.seg_at.push(part.start);
        self.seg_written.extend(written_names(&part.words));
        Ok(())
    }

    fn set(&mut self, option: &str, parts: &[Part<'_>]) -> Result<(), Fault> {
        let [part] = parts else {
            let at = parts.get(1).map_or(0, |part| part.start);
            return Err(Fault::new("bad-clause", at, format!("{option} has one value")).hint(ALL));
        };
        let wrong = |allowed: &str| {
            let message = format!("{option}({}) is unknown", part.text);
            Fault::new("bad-clause", part.start, message).hint(format!("allowed is {option}({allowed})"))
        };
        match (option, part.text) {
            ("at", "begin") => self.at = Some(At::Begin),
            ("at", "end") => self.at = Some(At::End),
            ("at", _) => return Err(wrong("begin|end")),
            ("mode", "auto") => self.mode = Some(Mode::Auto),
            ("mode", "trace") => self.mode = Some(Mode::Trace),
            ("mode", "aggregate") => self.mode = Some(Mode::Aggregate),
            ("mode", _) => return Err(wrong("auto|trace|aggregate")),
            ("exits", "drop") => self.exits = Some(Exits::Drop),
            ("exits", "ok") => self.exits = Some(Exits::Ok),
            ("exits", _) => return Err(wrong("drop|ok")),
            _ => match part.text.parse::<u32>() {
                Ok(every) if (1..=i32::MAX as u32).contains(&every) => self.every = Some(every),
                _ => return Err(wrong("1..2147483647")),
            },
        }
        Ok(())
    }
}

fn metric(part: &Part<'_>) -> Result<String, Fault> {
    match part.words.as_slice() {
        [Word { kind: Kind::Name, text, .. }] => Ok((*text).to_owned()),
        _ => Err(Fault::new("bad-clause", part.start, format!("\"{}\" is not a name of a metric", part.text))
            .hint("names such as cpu or PAPI_TOT_INS")),
    }
}

fn variable(part: &Part<'_>) -> Result<Variable, Fault> {
    let (name, words) = match part.words.as_slice() {
        [name, equals, rest @ ..] if name.kind == Kind::Name && equals.text == "=" => (Some(name), rest),
        all => (None, all),
    };
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        let message = format!("\"{}\" does not give a value", part.text);
        return Err(Fault::new("bad-clause", part.start, message).hint("var(rows = m->dim[0])"));
    };
    let changing = ["=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];
    if let Some(word) = words.iter().find(|word| word.kind == Kind::Sign && changing.contains(&word.text)) {
        return Err(Fault::new("side-effect", word.start, format!("\"{}\" changes a variable", word.text))
            .hint("the program must run the same without its pragmas"));
    }
    let expression = part.text[first.start - part.start..last.end() - part.start].to_owned();
    let name = match name {
        Some(name) => name.text.to_owned(),
        None => plain_name(words).ok_or_else(|| {
            let message = format!("\"{}\" is not a name: it needs one", part.text);
            Fault::new("bad-clause", part.start, message).hint(format!("var(x = {})", part.text))
        })?,
    };
    Ok(Variable { name, expression, divides_at: divides(words) })
}

/// `a->b.c` as `a.b.c`.
fn plain_name(words: &[Word<'_>]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let mut name = (first.kind == Kind::Name).then(|| first.text.to_owned())?;
    for pair in rest.chunks(2) {
        match pair {
            [operator, member] if matches!(operator.text, "." | "->") && member.kind == Kind::Name => {
                name.push('.');
                name.push_str(member.text);
            }
            _ => return None,
        }
    }
    Some(name)
}

/// Position of a possible integer division: a `/`, and nothing that makes the operands real.
fn divides(words: &[Word<'_>]) -> Option<usize> {
    let division = words.iter().find(|word| word.text == "/" && word.kind == Kind::Sign)?;
    let is_real = |at: usize| {
        let word = &words[at];
        match word.kind {
            Kind::Number => is_real_number(word.text),
            Kind::Name => matches!(word.text, "double" | "float"),
            _ => word.text == "(" && is_cast(&words[at + 1..]),
        }
    };
    (!(0..words.len()).any(is_real)).then_some(division.start)
}

fn is_real_number(text: &str) -> bool {
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    match hexadecimal {
        true => text.contains(['.', 'p', 'P']),
        false => text.contains(['.', 'e', 'E']) || text.ends_with(['f', 'F']),
    }
}

/// `real_t)x`: a name of a type that is not known to be one of integers, then an operand.
fn is_cast(words: &[Word<'_>]) -> bool {
    match words {
        [name, close, operand, ..] if name.kind == Kind::Name && close.text == ")" => {
            let integer = matches!(name.text, "int" | "long" | "short" | "char" | "unsigned" | "signed" | "bool")
                || name.text.ends_with("int_t")
                || (name.text.starts_with("int") || name.text.starts_with("uint")) && name.text.ends_with("_t")
                || matches!(name.text, "size_t" | "ssize_t" | "ptrdiff_t");
            !integer && (operand.kind != Kind::Sign || operand.text == "(")
        }
        _ => false,
    }
}
