//! The options of both macros: `vars(n, rows = m.rows()), seg("n/P"), metric(cpu), at(end), every(8), ..`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseBuffer, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, LitInt, LitStr, Member, Token, parenthesized};

use crate::trouble::Trouble;

/// What the trace's own columns are called, and what a record has no room for beside them.
const COLUMNS: [&str; 14] = [
    "region",
    "rank",
    "thread",
    "visit",
    "level",
    "status",
    "visits",
    "time_s",
    "self_s",
    "raw_s",
    "cpu_s",
    "time_sd_s",
    "time_min_s",
    "time_max_s",
];

/// Words of annotations in C sources that name no experiment there, nor here.
const WORDS: [&str; 14] =
    ["end", "report", "parallel", "on", "off", "var", "vars", "seg", "metric", "at", "every", "mode", "exits", "open"];

/// Maximum number of recorded variables.
const MOST: usize = 64;

/// The options, read, but for what depends on formulas.
#[derive(Default)]
pub struct Options {
    pub name: Option<LitStr>,
    pub model: Option<LitStr>,
    pub vars: Vec<Variable>,
    pub segments: Vec<LitStr>,
    pub metrics: Vec<String>,
    pub at_end: bool,
    pub exits_ok: bool,
    pub mode: Mode,
    pub every: u32,
    given: Vec<String>,
}

/// A value that is recorded.
pub struct Variable {
    pub name: String,
    pub span: Span,
    pub value: Expr,
}

/// When a region's samples become aggregates.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub enum Mode {
    /// When there are many and they are short.
    #[default]
    Auto,
    /// Never.
    Trace,
    /// Always.
    Aggregate,
}

impl Options {
    pub fn new() -> Self {
        Options { every: 1, ..Options::default() }
    }

    /// Reads one option.
    ///
    /// # Errors
    /// What is not an option, or no value for it.
    pub fn read(&mut self, input: ParseStream) -> Result<(), Trouble> {
        if !input.peek(Ident::peek_any) {
            let error = Trouble::new("bad-clause", input.span(), "an option was expected here");
            return Err(error.hint(KNOWN));
        }
        let word = input.call(Ident::parse_any)?;
        let text = word.to_string();
        if self.given.contains(&text) {
            return Err(Trouble::new("bad-clause", word.span(), format!("{text} is given twice")));
        }
        self.given.push(text.clone());
        match text.as_str() {
            "model" => self.model = Some(value(input)?),
            "name" => self.name = Some(value(input)?),
            "vars" | "var" => self.vars = variables(input)?,
            "seg" => {
                self.segments = list(input, |input| Ok(input.parse()?))?;
                at_least_one(&self.segments, &word, "seg(\"n/P\")")?;
            }
            "metric" => self.metrics = metrics(input, &word)?,
            "at" => self.at_end = choice(input, &word, &["begin", "end"])? == 1,
            "exits" => self.exits_ok = choice(input, &word, &["drop", "ok"])? == 1,
            "mode" => {
                self.mode = match choice(input, &word, &["auto", "trace", "aggregate"])? {
                    0 => Mode::Auto,
                    1 => Mode::Trace,
                    _ => Mode::Aggregate,
                }
            }
            "every" => self.every = every(input)?,
            "open" => {
                let error = Trouble::new("bad-clause", word.span(), "open is for C sources: a block has its end here");
                return Err(error.hint("drop it"));
            }
            _ => {
                let error = Trouble::new("bad-clause", word.span(), format!("there is no option \"{text}\""));
                return Err(error.hint(KNOWN));
            }
        }
        Ok(())
    }
}

const KNOWN: &str = "options are vars(n, rows = m.rows()), seg(\"n/P\"), metric(cpu), at(begin|end), every(8), \
                     mode(auto|trace|aggregate), exits(drop|ok), and for functions model = \"..\" and name = \"..\"";

fn value(input: ParseStream) -> Result<LitStr, Trouble> {
    input.parse::<Token![=]>()?;
    Ok(input.parse()?)
}

fn parentheses<'a>(input: ParseStream<'a>) -> syn::Result<ParseBuffer<'a>> {
    let content;
    parenthesized!(content in input);
    Ok(content)
}

/// `( item, item )`
fn list<T>(input: ParseStream, item: fn(ParseStream) -> Result<T, Trouble>) -> Result<Vec<T>, Trouble> {
    let content = parentheses(input)?;
    let mut items = Vec::new();
    while !content.is_empty() {
        items.push(item(&content)?);
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    Ok(items)
}

fn at_least_one<T>(items: &[T], word: &Ident, example: &str) -> Result<(), Trouble> {
    if items.is_empty() {
        return Err(Trouble::new("bad-clause", word.span(), format!("{word}() is empty: {example}")));
    }
    Ok(())
}

/// `( word )`, the number of the word among those allowed.
fn choice(input: ParseStream, option: &Ident, allowed: &[&str]) -> Result<usize, Trouble> {
    let content = parentheses(input)?;
    let word = content.call(Ident::parse_any)?;
    let found = allowed.iter().position(|&allowed| word == allowed);
    found.filter(|_| content.is_empty()).ok_or_else(|| {
        let message = format!("{option}({word}) is not known: {option} takes {}", allowed.join(" or "));
        Trouble::new("bad-clause", word.span(), message)
    })
}

fn every(input: ParseStream) -> Result<u32, Trouble> {
    let content = parentheses(input)?;
    let number: LitInt = content.parse()?;
    match number.base10_parse::<u32>() {
        Ok(every) if (1..=1_000_000_000).contains(&every) && content.is_empty() => Ok(every),
        _ => {
            Err(Trouble::new("bad-clause", number.span(), "every takes a number from 1: every(8) times each 8th visit"))
        }
    }
}

fn metrics(input: ParseStream, word: &Ident) -> Result<Vec<String>, Trouble> {
    let content = parentheses(input)?;
    let names: Punctuated<Ident, Token![,]> = content.call(Punctuated::parse_terminated)?;
    let mut metrics: Vec<String> = Vec::new();
    for name in &names {
        let text = name.to_string();
        if text != "cpu" && !text.starts_with("PAPI_") {
            let error = Trouble::new("bad-clause", name.span(), format!("the metric {text} is not known"));
            return Err(error.hint("metrics are cpu and the counters of PAPI, such as PAPI_TOT_INS"));
        }
        if metrics.contains(&text) {
            return Err(Trouble::new("bad-clause", name.span(), format!("the metric {text} is given twice")));
        }
        metrics.push(text);
    }
    at_least_one(&metrics, word, "metric(cpu)")?;
    Ok(metrics)
}

fn variables(input: ParseStream) -> Result<Vec<Variable>, Trouble> {
    let variables = list(input, variable)?;
    if let Some(one_more) = variables.get(MOST) {
        return Err(Trouble::new("bad-clause", one_more.span, format!("a region records {MOST} variables at most")));
    }
    for (number, variable) in variables.iter().enumerate() {
        let name = &variable.name;
        if COLUMNS.contains(&name.as_str()) || name.starts_with("PAPI_") {
            let message = format!("{name} is the name of a column that every trace has");
            let error = Trouble::new("bad-clause", variable.span, message);
            return Err(error.hint(format!("give it another name: vars(my_{name} = {name})")));
        }
        if !runcast_formula::is_name(name) {
            let message = format!("{name} cannot be a name in a formula");
            let error = Trouble::new("bad-clause", variable.span, message);
            return Err(error.hint(format!("give it another name: vars(a = {name})")));
        }
        if variables[..number].iter().any(|earlier| earlier.name == *name) {
            return Err(Trouble::new("bad-clause", variable.span, format!("the variable {name} is given twice")));
        }
    }
    Ok(variables)
}

/// `n`, `m.rows`, or `rows = m.rows()`.
fn variable(input: ParseStream) -> Result<Variable, Trouble> {
    let span = input.span();
    let ahead = input.fork();
    if let Ok(name) = dotted(&ahead)
        && ahead.peek(Token![=])
        && !ahead.peek(Token![==])
    {
        dotted(input)?;
        input.parse::<Token![=]>()?;
        return Ok(Variable { name, span, value: input.parse()? });
    }
    let value: Expr = input.parse()?;
    match path(&value) {
        Some(name) => Ok(Variable { name, span, value }),
        None => {
            let shown = value.to_token_stream().to_string();
            let error = Trouble::new("bad-clause", span, format!("the value {shown} needs a name"));
            Err(error.hint(format!("vars(x = {shown})")))
        }
    }
}

fn dotted(input: ParseStream) -> syn::Result<String> {
    let mut name = input.call(Ident::parse_any)?.unraw().to_string();
    while input.peek(Token![.]) {
        input.parse::<Token![.]>()?;
        name.push('.');
        name.push_str(&input.call(Ident::parse_any)?.unraw().to_string());
    }
    Ok(name)
}

/// The name of a variable or of a field of one.
fn path(value: &Expr) -> Option<String> {
    match value {
        Expr::Path(path) => Some(path.path.get_ident()?.unraw().to_string()),
        Expr::Field(field) => match &field.member {
            Member::Named(member) => Some(format!("{}.{}", path(&field.base)?, member.unraw())),
            Member::Unnamed(_) => None,
        },
        Expr::Group(group) => path(&group.expr),
        Expr::Paren(paren) => path(&paren.expr),
        _ => None,
    }
}

/// # Errors
/// A name that `runcast llac` could not be given.
pub fn check_experiment(name: &str, span: Span) -> Result<(), Trouble> {
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !first || !letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        let error = Trouble::new("bad-clause", span, format!("\"{name}\" cannot name an experiment"));
        return Err(error.hint("a name has letters, digits and _, and no digit first: name = \"sort\""));
    }
    if WORDS.contains(&name) {
        let error = Trouble::new("bad-clause", span, format!("\"{name}\" is a keyword of annotations, not a name"));
        return Err(error.hint(format!("name = \"my_{name}\"")));
    }
    Ok(())
}

/// Reads options up to the end, or up to a block in braces, which is then left.
///
/// # Errors
/// The first option that is wrong.
pub fn read_all(options: &mut Options, input: ParseStream) -> Result<(), Trouble> {
    while !input.is_empty() && !input.peek(syn::token::Brace) {
        options.read(input)?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(())
}

/// Runs a reader over tokens; errors of the parser and our own come out alike.
///
/// # Errors
/// What the reader says.
pub fn parse<T>(tokens: TokenStream, reader: impl FnOnce(ParseStream) -> Result<T, Trouble>) -> Result<T, Trouble> {
    let mut trouble = None;
    let mut read = None;
    let parsed = syn::parse::Parser::parse2(
        |input: ParseStream| {
            match reader(input) {
                Ok(value) => read = Some(value),
                Err(error) => trouble = Some(error),
            }
            Ok(())
        },
        tokens,
    );
    // After an error of our own, what is left over is none.
    match (trouble, parsed, read) {
        (Some(trouble), ..) => Err(trouble),
        (None, Err(error), _) => Err(error.into()),
        (None, Ok(()), Some(read)) => Ok(read),
        (None, Ok(()), None) => Err(Trouble::new("bad-clause", Span::call_site(), "nothing was read")),
    }
}
