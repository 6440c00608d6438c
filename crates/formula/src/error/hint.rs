//! What to write instead of a wrong formula.

use super::{ErrorKind, nearest_name, shorten};
use crate::Function;

/// At most this many known names are listed.
const LISTED: usize = 12;

pub(super) fn hint(kind: &ErrorKind) -> Option<String> {
    match kind {
        ErrorKind::UnexpectedCharacter { found } => for_character(found).map(str::to_owned),
        ErrorKind::MissingOperator { before, after } => Some(for_operator(before, after)),
        ErrorKind::ChainedComparison => Some("join two comparisons: `a < b and b < c`".to_owned()),
        ErrorKind::MisplacedText => Some("for example `region == \"main\"`".to_owned()),
        ErrorKind::MisplacedNot => Some("write `(not a)`".to_owned()),
        ErrorKind::MisplacedComma => Some("write decimals with a point: `1.5`".to_owned()),
        ErrorKind::UnclosedText => Some("a quote inside a text is written twice".to_owned()),
        ErrorKind::UnknownFunction { name } => Some(for_function(name)),
        ErrorKind::WrongArguments { function: Function::Log, .. } => {
            Some("`log` is the natural logarithm; there are also `log2` and `log10`".to_owned())
        }
        ErrorKind::WrongArguments { function: Function::If, .. } => Some("write `if(condition, a, b)`".to_owned()),
        ErrorKind::UnknownName { name, known, compared } => for_name(name, known, *compared),
        ErrorKind::TextAsNumber { name } => {
            Some(format!("compare it with a text in quotes: `{} == \"..\"`", shorten(name)))
        }
        ErrorKind::NumberAsText { .. } => Some("drop the quotes to compare with a number".to_owned()),
        _ => None,
    }
}

fn for_character(found: &str) -> Option<&'static str> {
    Some(match found {
        "=" => "write `==` to compare",
        "&" | "&&" => "write `and`",
        "|" | "||" => "write `or`",
        "!" => "write `not`",
        "<>" | "≠" => "write `!=`",
        "=<" | "≤" => "write `<=`",
        "=>" | "≥" => "write `>=`",
        "**" => "write `^` for powers",
        "%" => "write 5 % as `0.05`; the remainder of a/b is `a - b*floor(a/b)`",
        "[" | "]" | "{" | "}" => "only round brackets are allowed",
        "×" | "·" | "∙" | "⋅" => "write `*`",
        "÷" => "write `/`",
        "−" | "–" | "—" => "write `-`",
        "²" => "write `^2`",
        "³" => "write `^3`",
        "√" => "write `sqrt(..)`",
        "“" | "”" | "„" | "‘" | "’" => "use straight quotes: \" or '",
        ";" => "separate arguments by commas",
        _ => return None,
    })
}

fn for_operator(before: &str, after: &str) -> String {
    let (before, after) = (shorten(before), shorten(after));
    if before.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        format!("write `{before}*{after}` for a product; units are not allowed in formulas")
    } else {
        format!("write `{before}*{after}` for a product")
    }
}

fn for_function(name: &str) -> String {
    let names = Function::ALL.map(Function::name);
    if name == "ln" {
        return "the natural logarithm is `log`".to_owned();
    }
    match nearest_name(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("write `{}*(..)` for a product; the functions are {}", shorten(name), names.join(" ")),
    }
}

fn for_name(name: &str, known: &[String], compared: bool) -> Option<String> {
    if let Some(near) = nearest_name(name, known.iter().map(String::as_str)) {
        return Some(format!("did you mean `{}`?", shorten(near)));
    }
    if compared {
        return Some(format!("to compare with a text, put it in quotes: \"{}\"", shorten(name)));
    }
    if Function::from_name(name).is_some() {
        return Some(format!("`{name}` is a function: write `{name}(..)`"));
    }
    if known.is_empty() {
        return None;
    }
    let listed: Vec<String> = known.iter().take(LISTED).map(|name| shorten(name)).collect();
    let more = if known.len() > LISTED { format!(" and {} more", known.len() - LISTED) } else { String::new() };
    Some(format!("the names are {}{more}", listed.join(", ")))
}

#[cfg(test)]
mod tests {
    use crate::Formula;

    fn hint(text: &str) -> String {
        Formula::parse(text).unwrap_err().hint().unwrap_or_default()
    }

    #[test]
    fn habits_of_other_languages_are_recognized() {
        assert_eq!(hint("a && b"), "write `and`");
        assert_eq!(hint("a = b"), "write `==` to compare");
        assert_eq!(hint("a ** 2"), "write `^` for powers");
        assert_eq!(hint("!a"), "write `not`");
        assert_eq!(hint("ln(p)"), "the natural logarithm is `log`");
        assert_eq!(hint("sqr(p)"), "did you mean `sqrt`?");
        assert_eq!(hint("a < b < c"), "join two comparisons: `a < b and b < c`");
    }

    #[test]
    fn a_name_before_a_bracket_may_be_a_forgotten_product() {
        assert!(hint("N(p + 1)").starts_with("write `N*(..)` for a product"));
    }

    #[test]
    fn unknown_names_list_the_known_ones() {
        let formula = Formula::parse("a + regin").unwrap();
        let error = formula.compile(&["a", "region"]).unwrap_err();
        assert_eq!(error.hint().unwrap(), "did you mean `region`?");
        let error = formula.compile(&["p"]).unwrap_err();
        assert_eq!(error.hint().unwrap(), "the names are p");
        let unquoted = Formula::parse("region == main").unwrap().compile(&["region"]).unwrap_err();
        assert_eq!(unquoted.hint().unwrap(), "to compare with a text, put it in quotes: \"main\"");
    }
}
