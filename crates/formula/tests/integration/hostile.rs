//! Input made to break the parser: an error or a value, never a crash.

use runcast_formula::canonical::linear_terms;
use runcast_formula::numbers::NumberList;
use runcast_formula::units::{Dimension, parse_quantity};
use runcast_formula::{Column, ErrorKind, Formula, FormulaError, limits};

const MANY: usize = 100_000;

/// Does everything that can be done with a formula, on a thread with the small stack that threads usually have.
fn exercise(text: String) -> Result<(), FormulaError> {
    let run = move || {
        let formula = match Formula::parse(&text) {
            Ok(formula) => formula,
            Err(error) => {
                assert!(error.to_string().len() < 400 && error.pointer(&text).len() < 400);
                assert!(error.hint().unwrap_or_default().len() < 400);
                return Err(error);
            }
        };
        let copy = formula.tree().clone();
        let shown = copy.to_string();
        assert_eq!(Formula::parse(&shown).as_ref().map(Formula::tree), Ok(&copy));
        let names: Vec<&str> = formula.names().iter().map(String::as_str).collect();
        let value = formula.evaluate(|_| Some(1.0))?;
        let program = formula.compile(&names)?;
        let row = program.row(&vec![1.0; names.len()]);
        assert!(row.to_bits() == value.to_bits() || row.is_nan());
        let ones = vec![1.0; 3];
        let mut out = [0.0; 3];
        program.columns(&vec![Column::Number(&ones); names.len()], &mut out)?;
        assert!(out[2].to_bits() == value.to_bits() || value.is_nan());
        if let Some(first) = names.first() {
            drop(linear_terms(formula.tree(), &[first]));
        }
        drop(linear_terms(formula.tree(), &["absent"]));
        Ok(())
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap();
    thread.join().unwrap()
}

fn kind(text: String) -> ErrorKind {
    exercise(text).unwrap_err().kind().clone()
}

#[test]
fn deep_nesting_is_an_error() {
    for text in [
        "(".repeat(MANY),
        format!("{}1{}", "(".repeat(MANY), ")".repeat(MANY)),
        format!("{}1", "-".repeat(MANY)),
        format!("{}1", "+".repeat(MANY)),
        format!("{}1", "not ".repeat(MANY)),
        format!("{}2", "2^".repeat(MANY)),
        format!("{}2", "2^-".repeat(MANY)),
        format!("{}1{}", "abs(".repeat(MANY), ")".repeat(MANY)),
        format!("{}1{}", "if(1, 0, ".repeat(MANY), ")".repeat(MANY)),
        format!("{}1", "1+(".repeat(MANY)),
    ] {
        assert_eq!(kind(text), ErrorKind::TooDeep);
    }
}

#[test]
fn nesting_within_the_limit_works() {
    // Every kind of nesting that one level of recursion of the parser allows.
    for (open, close) in [
        ("(", ")"),
        ("-(", ")"),
        ("abs(", ")"),
        ("min(a, ", ")"),
        ("if(a, ", ", b)"),
        ("a + 2*-(", ")"),
        ("a^(", ")"),
        ("1 or 1 and not 1 < 1 + 1*2^-abs(", ")"),
        ("(a + ", ")"),
        ("a*(b + ", ")"),
    ] {
        let nested = |depth: usize| format!("{}a{}", open.repeat(depth), close.repeat(depth));
        let deepest = (1..=limits::DEPTH).rev().find(|&depth| Formula::parse(&nested(depth)).is_ok()).unwrap();
        assert!(deepest >= limits::DEPTH / 10, "{open}");
        assert_eq!(exercise(nested(deepest)), Ok(()), "{open}");
    }
}

#[test]
fn long_chains_are_fine() {
    for link in ["a+", "a-", "a*", "a/", "a and ", "a or "] {
        assert_eq!(exercise(format!("{}1", link.repeat(MANY))), Ok(()), "{link}");
    }
    assert_eq!(exercise(format!("max({}1)", "a,".repeat(MANY))), Ok(()));
    assert_eq!(kind(format!("{}1", "a<".repeat(MANY))), ErrorKind::ChainedComparison);
    let distinct: String = (0..50_000).map(|index| format!("x{index}+")).collect();
    assert_eq!(exercise(format!("{distinct}1")), Ok(()));
}

#[test]
fn too_much_is_an_error() {
    assert_eq!(kind("1+".repeat(5 << 20)), ErrorKind::TooLong { length: 10 << 20 });
    assert_eq!(kind("a+".repeat(limits::LENGTH / 2)), ErrorKind::TooManyParts);
    assert!(matches!(kind("9".repeat(limits::LENGTH)), ErrorKind::NumberTooLarge { .. }));
    assert!(matches!(kind("1e999".to_owned()), ErrorKind::NumberTooLarge { .. }));
    assert_eq!(kind(format!("'{}", "x".repeat(limits::LENGTH - 1))), ErrorKind::UnclosedText);
    assert_eq!(kind(" ".repeat(limits::LENGTH)), ErrorKind::Empty);
    assert_eq!(kind(String::new()), ErrorKind::Empty);
}

#[test]
fn long_names_and_texts_are_fine() {
    assert_eq!(exercise("n".repeat(limits::LENGTH)), Ok(()));
    let unknown = format!("{}(1)", "n".repeat(limits::LENGTH - 3));
    assert!(matches!(kind(unknown), ErrorKind::UnknownFunction { .. }));
    let juxtaposed = format!("{} {}", "n".repeat(MANY), "m".repeat(MANY));
    assert!(matches!(kind(juxtaposed), ErrorKind::MissingOperator { .. }));
}

#[test]
fn distributing_cannot_blow_a_formula_up() {
    let unknowns: Vec<String> = (0..1000).map(|index| format!("u{index}")).collect();
    let names: Vec<&str> = unknowns.iter().map(String::as_str).collect();
    let factor = format!("({}p)", "p + ".repeat(1000));
    let formula = Formula::parse(&format!("({})*{factor}", unknowns.join(" + "))).unwrap();
    let error = linear_terms(formula.tree(), &names).unwrap_err();
    assert_eq!(error.kind, runcast_formula::canonical::CanonicalErrorKind::TooManyParts);
}

#[test]
fn quantities_and_lists_have_no_bad_case() {
    for text in [
        "9".repeat(10 << 20),
        "s/".repeat(MANY),
        format!("1 {}", "s/".repeat(5 << 20)),
        format!("1{}", "k".repeat(MANY)),
    ] {
        let error = parse_quantity(&text, Dimension::Time).unwrap_err();
        assert!(error.to_string().len() < 400);
    }
    for text in
        ["1,".repeat(5 << 20), "1..".repeat(MANY), "powers:".repeat(MANY), "-".repeat(MANY), "a".repeat(10 << 20)]
    {
        let error = NumberList::parse(&text).unwrap_err();
        assert!(error.to_string().len() < 400);
        error.hint();
    }
}
