//! The clause that begins a region: `NAME [formula] {option}`.

use super::options::{self, Options};
use super::words::{Kind, Reader, Word};
use super::{RESERVED, template};
use crate::translate::fault::Fault;
use runcast_formula::Formula;
use runcast_formula::template::Template;

/// What a region records.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// The name of the experiment, and of its constants.
    pub name: String,
    /// Where the name is in the text of the pragma.
    pub name_at: usize,
    /// The formula; none if only times are wanted, or if another site has it.
    pub template: Option<Template>,
    pub options: Options,
    /// What is recorded, in the order of first use: names of the formula, of `var`, of `seg`.
    pub names: Vec<Name>,
}

/// A value that is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// As it is recorded; `a->b` is `a.b`.
    pub name: String,
    /// The expression of C as it was written.
    pub expression: String,
    /// Whether `var` gave the expression.
    pub given: bool,
}

/// Reads all of the clause, its name included.
pub fn read<'t>(words: &mut Reader<'t, '_>, text: &'t str) -> Result<Experiment, Fault> {
    let name = words.name("a region needs a name, not")?;
    if RESERVED.contains(&name.text) {
        let message = format!("\"{}\" cannot name an experiment: it is a keyword of the pragmas", name.text);
        return Err(Fault::new("bad-clause", name.start, message).hint("choose another name"));
    }
    if !name.text.is_ascii() {
        let message = format!("\"{}\" is not a name in ASCII", name.text);
        return Err(Fault::new("bad-clause", name.start, message).hint("choose a name of A-Z, a-z, 0-9 and _"));
    }
    let formula = formula(words)?;
    let mut names = Vec::new();
    let mut found = None;
    if let (Some(first), Some(last)) = (formula.first(), formula.last()) {
        let read = template(name.text, &text[first.start..last.end()], first.start)?;
        let written = written_names(&formula);
        for name in read.names() {
            add(&mut names, name, expression_of(name, &written), false);
        }
        found = Some(read);
    }
    let options = options::read(words, text)?;
    for variable in &options.variables {
        add(&mut names, &variable.name, variable.expression.clone(), true);
    }
    for (seg, &at) in options.seg.iter().zip(&options.seg_at) {
        let parsed = Formula::parse(seg).map_err(|error| {
            let fault = Fault::new("bad-clause", at + error.span().start.min(seg.len()), error.to_string());
            fault.hint(error.hint().unwrap_or_else(|| "seg(..) has expressions over recorded names: seg(N/P)".into()))
        })?;
        let written = &options.seg_written;
        for name in parsed.names() {
            add(&mut names, name, expression_of(name, written), false);
        }
    }
    words.finish()?;
    Ok(Experiment { name: name.text.to_owned(), name_at: name.start, template: found, options, names })
}

/// Adds a name, unless it is known; an explicit expression takes precedence over the name itself.
fn add(names: &mut Vec<Name>, name: &str, expression: String, given: bool) {
    match names.iter_mut().find(|known| known.name == name) {
        None => names.push(Name { name: name.to_owned(), expression, given }),
        Some(known) if given => *known = Name { name: name.to_owned(), expression, given },
        Some(_) => {}
    }
}

/// The words up to the first option: one that stands where a formula cannot continue.
fn formula<'t>(words: &mut Reader<'t, '_>) -> Result<Vec<Word<'t>>, Fault> {
    let mut formula: Vec<Word<'t>> = Vec::new();
    let mut depth = 0usize;
    let mut ended = true;
    while let Some(word) = words.peek() {
        if depth == 0 && ended && word.kind == Kind::Name {
            let follows = words.ahead(1);
            let bracket = follows.is_some_and(|next| next.text == "(");
            let alone = follows.is_none_or(|next| next.kind == Kind::Name);
            if (bracket && options::WORDS.contains(&word.text)) || (word.text == "open" && alone) {
                break;
            }
            if !formula.is_empty() {
                return Err(options::unknown(word, bracket));
            }
        }
        match word.text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        ended =
            matches!(word.kind, Kind::Name | Kind::Number | Kind::Text) || matches!(word.text, ")" | "]" | "++" | "--");
        formula.push(word);
        words.next();
    }
    Ok(formula)
}

/// Names with dots and arrows: as recorded, and as written.
pub fn written_names(words: &[Word<'_>]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if words[at].kind != Kind::Name {
            at += 1;
            continue;
        }
        let mut recorded = words[at].text.to_owned();
        let mut written = recorded.clone();
        at += 1;
        while let [operator, member, ..] = &words[at..]
            && matches!(operator.text, "." | "->")
            && member.kind == Kind::Name
        {
            recorded = format!("{recorded}.{}", member.text);
            written = format!("{written}{}{}", operator.text, member.text);
            at += 2;
        }
        if recorded != written {
            found.push((recorded, written));
        }
    }
    found
}

fn expression_of(name: &str, written: &[(String, String)]) -> String {
    let known = written.iter().find(|(recorded, _)| recorded == name);
    known.map_or_else(|| name.to_owned(), |(_, written)| written.clone())
}
