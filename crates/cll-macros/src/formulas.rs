//! What formulas must hold: they can be read, and every name in them has a value.

use std::ops::Range;

use runcast_formula::Formula;
use runcast_formula::template::Template;
use syn::LitStr;

use crate::options::Variable;
use crate::trouble::Trouble;

/// The number of processes, which need not be given.
const PROCESSES: &str = "P";

/// Reads the formula of an experiment and gives it with constants that bear the experiment's name, as traces have it.
///
/// # Errors
/// A formula that cannot be read, and a name without a value.
pub fn model(experiment: &str, literal: &LitStr, variables: &[Variable]) -> Result<String, Trouble> {
    let text = literal.value();
    let template = Template::parse(&text).map_err(|error| {
        let bytes = whole(&text, error.span());
        Trouble::inside(error.code(), literal, bytes, error.to_string()).hint_of(rust_hint(&error).as_deref())
    })?;
    known(template.names(), literal, variables)?;
    let shown = template.to_string();
    Ok(renamed(&shown, template.constants(), experiment))
}

/// Reads a segmentation variable.
///
/// # Errors
/// A formula that cannot be read, and a name without a value.
pub fn segment(literal: &LitStr, variables: &[Variable]) -> Result<String, Trouble> {
    let text = literal.value();
    let formula = Formula::parse(&text).map_err(|error| {
        Trouble::inside("bad-clause", literal, error.span(), error.to_string()).hint_of(error.hint().as_deref())
    })?;
    known(formula.names(), literal, variables)?;
    if formula.names().is_empty() {
        return Err(Trouble::inside("bad-clause", literal, 0..text.len(), "a segmentation variable must vary"));
    }
    let shown = formula.tree().to_string();
    if shown.contains([';', '"', '\'']) {
        return Err(Trouble::inside("bad-clause", literal, 0..text.len(), "a segmentation variable is a number"));
    }
    Ok(shown)
}

/// All of a constant of which the beginning is meant.
fn whole(text: &str, bytes: Range<usize>) -> Range<usize> {
    let words = words(text);
    let Some(at) = words.iter().position(|(place, _)| place.start == bytes.start) else { return bytes };
    let index = &words[at + 1..];
    if matches!(words[at].1, Word::Name(_)) && matches!(index.first(), Some((_, Word::Other("[")))) {
        let close = index.iter().find(|(_, word)| matches!(word, Word::Other("]")));
        return close.map_or(bytes.clone(), |(place, _)| bytes.start..place.end.max(bytes.end));
    }
    bytes
}

/// Hints of the translator speak of `var(..)`, which is `vars(..)` here.
fn rust_hint(error: &runcast_formula::template::TemplateError) -> Option<String> {
    error.hint_text().map(|hint| hint.replace("var(", "vars("))
}

fn known(names: &[String], literal: &LitStr, variables: &[Variable]) -> Result<(), Trouble> {
    for name in names {
        if name == PROCESSES || variables.iter().any(|variable| variable.name == *name) {
            continue;
        }
        let bytes = find(&literal.value(), name);
        let error = Trouble::inside("unknown-name", literal, bytes, format!("{name} has no value"));
        return Err(error.hint(format!("list it among the variables: vars({name}), or vars({name} = ..)")));
    }
    Ok(())
}

/// A part of a formula.
enum Word<'t> {
    /// `a`, `a.b` or `a->b`, without blanks.
    Name(String),
    /// Anything else.
    Other(&'t str),
}

/// The parts of a formula, names as a whole.
fn words(text: &str) -> Vec<(Range<usize>, Word<'_>)> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let start = at;
        if is_start(first) {
            let mut name = word(text, &mut at);
            loop {
                let mut ahead = at + blanks(&text[at..]);
                let link = ["->", "."].into_iter().find(|link| text[ahead..].starts_with(link));
                let Some(link) = link else { break };
                ahead += link.len();
                ahead += blanks(&text[ahead..]);
                if !text[ahead..].starts_with(is_start) {
                    break;
                }
                name.push('.');
                name.push_str(&word(text, &mut ahead));
                at = ahead;
            }
            words.push((start..at, Word::Name(name)));
        } else if first.is_ascii_digit() {
            // So that the letters of 1e5 are not taken for a name.
            word(text, &mut at);
            words.push((start..at, Word::Other(&text[start..at])));
        } else {
            at += first.len_utf8();
            words.push((start..at, Word::Other(&text[start..at])));
        }
    }
    words
}

fn word(text: &str, at: &mut usize) -> String {
    let rest = &text[*at..];
    let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    *at += length;
    rest[..length].to_owned()
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Where a name is in a formula, all of it if it is not found.
fn find(text: &str, name: &str) -> Range<usize> {
    words(text)
        .into_iter()
        .find_map(|(place, word)| matches!(word, Word::Name(found) if found == name).then_some(place))
        .unwrap_or(0..text.len())
}

/// The formula with another name before each `[`.
fn renamed(text: &str, from: &str, to: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut words = words(text).into_iter().peekable();
    while let Some((_, word)) = words.next() {
        let constant = matches!(words.peek(), Some((_, Word::Other("["))));
        match word {
            Word::Name(name) if constant && name == from => made.push_str(to),
            Word::Name(name) => made.push_str(&name),
            Word::Other(other) => made.push_str(other),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;
    use syn::parse_quote;

    fn checked(text: &str, names: &[&str]) -> Result<String, Trouble> {
        let variables: Vec<Variable> = names
            .iter()
            .map(|&name| Variable { name: name.to_owned(), span: Span::call_site(), value: parse_quote!(0) })
            .collect();
        model("sort", &LitStr::new(text, Span::call_site()), &variables)
    }

    #[test]
    fn constants_bear_the_name_of_the_experiment() {
        assert_eq!(checked("f[0] + f[1]*n*log2(n)", &["n"]).expect("good"), "sort[0] + sort[1]*n*log2(n)");
        assert_eq!(checked("f[0]*f + f [1] * m->f / P", &["f", "m.f"]).expect("good"), "sort[0]*f + sort[1] * m.f / P");
        assert_eq!(checked("sort[0]*1e5", &[]).expect("good"), "sort[0]*1e5");
        assert_eq!(checked("e[0]*1e5*e", &["e"]).expect("good"), "sort[0]*1e5*e");
    }

    #[test]
    fn a_name_without_a_value_is_shown() {
        let trouble = checked("f[0] + f[1]*rows*m -> cols", &["rows"]).expect_err("no m.cols");
        assert_eq!(trouble.code(), "unknown-name");
        assert_eq!(
            trouble.text(),
            "unknown-name: m.cols has no value\n  f[0] + f[1]*rows*m -> cols\n                   ^^^^^^^^^\n\
             hint: list it among the variables: vars(m.cols), or vars(m.cols = ..)"
        );
    }

    #[test]
    fn errors_of_templates_keep_their_codes_and_places() {
        for (text, code, marks) in [
            ("f[0] + n/f[1]", "not-canonical", "           ^^^^"),
            ("f[0] + f[2]*n", "bad-index", "         ^^^^"),
            ("f[0] + f[1]*n++", "side-effect", "               ^^"),
            ("f[0] + f[1]*size(n)", "unknown-function", "              ^^^^"),
        ] {
            let trouble = checked(text, &["n"]).expect_err(text);
            assert_eq!(trouble.code(), code, "{text}");
            assert_eq!(trouble.text().lines().nth(2), Some(marks), "{}", trouble.text());
        }
    }

    #[test]
    fn segments_are_formulas_over_the_variables() {
        let variables = [Variable { name: "n".into(), span: Span::call_site(), value: parse_quote!(0) }];
        let read = |text: &str| segment(&LitStr::new(text, Span::call_site()), &variables);
        assert_eq!(read("n / P").expect("good"), "n/P");
        for (text, code) in
            [("n/", "bad-clause"), ("m", "unknown-name"), ("3", "bad-clause"), ("n == \"a\"", "bad-clause")]
        {
            assert_eq!(read(text).expect_err(text).code(), code, "{text}");
        }
    }
}
