//! Properties that must hold for every formula.

use proptest::prelude::*;
use runcast_formula::canonical::{CanonicalErrorKind, linear_terms};
use runcast_formula::numbers::NumberList;
use runcast_formula::units::{Dimension, Quantity, parse_quantity};
use runcast_formula::{Column, Expr, Formula};

use crate::trees::{NAMES, known_term, linear_formula, row, tree};

fn same(left: f64, right: f64) -> bool {
    left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan())
}

fn evaluate(tree: &Expr, row: &[f64; 4]) -> f64 {
    tree.evaluate(|name| NAMES.iter().position(|known| *known == name).map(|index| row[index])).unwrap()
}

/// Pieces of formulas, to be put together in any order.
fn fragment() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a", "b.c", "1", "2.5e3", ".5", "'t'", "\"u\"", "+", "-", "*", "/", "^", "(", ")", ",", "==", "!=", "<", "<=",
        "and ", "or ", "not ", "log2(", "if(", "min(", " ", "1e", "é", "@",
    ])
}

/// The text without each pair of brackets in turn, those of calls aside.
fn without_one_pair(text: &str) -> Vec<String> {
    let mut open = Vec::new();
    let mut shorter = Vec::new();
    for (index, c) in text.char_indices() {
        match c {
            '(' => open.push(index),
            ')' => {
                let start = open.pop().unwrap();
                let is_call = text[..start].ends_with(char::is_alphanumeric);
                if !is_call {
                    shorter.push([&text[..start], &text[start + 1..index], &text[index + 1..]].concat());
                }
            }
            _ => {}
        }
    }
    shorter
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_is_displayed_reads_back_to_the_same_values(tree in tree(), row in row()) {
        let text = tree.to_string();
        let read = Formula::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let (before, after) = (evaluate(&tree, &row), evaluate(read.tree(), &row));
        prop_assert!(same(before, after), "{text}: {before} {after}");
        // From the second time on, nothing changes any more.
        let again = Formula::parse(&read.tree().to_string()).unwrap();
        prop_assert_eq!(again.tree().to_string(), read.tree().to_string());
    }

    #[test]
    fn no_bracket_can_be_left_out(tree in tree()) {
        // Read once, so that odd trees such as sums of one term are gone.
        let tree = Formula::parse(&tree.to_string()).unwrap().tree().clone();
        let text = tree.to_string();
        for shorter in without_one_pair(&text) {
            let read = Formula::parse(&shorter);
            prop_assert!(read.as_ref().map(Formula::tree) != Ok(&tree), "{text} could be {shorter}");
        }
    }

    #[test]
    fn compiled_formulas_give_the_bits_of_the_tree(tree in tree(), rows in prop::collection::vec(row(), 1..5)) {
        let text = tree.to_string();
        let formula = Formula::parse(&text).unwrap();
        let program = formula.compile(&NAMES).unwrap();
        // More rows than a block has, with a rest.
        let count = 1500;
        let column = |name: usize| (0..count).map(|index| rows[index % rows.len()][name]).collect::<Vec<f64>>();
        let columns = [column(0), column(1), column(2), column(3)];
        let inputs = [0, 1, 2, 3].map(|name| Column::Number(&columns[name]));
        let mut out = vec![0.0; count];
        program.columns(&inputs, &mut out).unwrap();
        for (index, &value) in out.iter().enumerate() {
            let row = &rows[index % rows.len()];
            if index < rows.len() {
                let (tree, single) = (evaluate(formula.tree(), row), program.row(row));
                prop_assert!(same(tree, single), "{text} at {row:?}: tree {tree}, row {single}");
            }
            let first = out[index % rows.len()];
            prop_assert!(same(program.row(row), first) && same(value, first), "{text} at {row:?}: {value}");
        }
    }

    #[test]
    fn linear_forms_have_the_value_of_their_formula(
        middle in linear_formula(),
        first in known_term(),
        values in prop::array::uniform5(0.5..4.0),
    ) {
        let text = format!("a*{first} + {middle} + (b + c)*N");
        let formula = Formula::parse(&text).unwrap();
        let names = ["a", "b", "c", "p", "N"];
        let lookup = |name: &str| names.iter().position(|known| *known == name).map(|index| values[index]);
        let form = match linear_terms(formula.tree(), &["a", "b", "c"]) {
            Ok(form) => form,
            Err(error) => {
                prop_assert!(matches!(error.kind, CanonicalErrorKind::Cancels { .. }), "{text}: {error}");
                return Ok(());
            }
        };
        let mut sum = form.offset.evaluate(lookup).unwrap();
        let mut size = sum.abs();
        for (term, unknown) in form.terms.iter().zip(&values) {
            prop_assert!(term.factor.names().iter().all(|name| name == "p" || name == "N"), "{text}");
            let part = unknown * term.factor.evaluate(lookup).unwrap();
            sum += part;
            size += part.abs();
        }
        let expected = formula.evaluate(lookup).unwrap();
        prop_assert!((sum - expected).abs() <= 1e-9 * (size + expected.abs() + 1e3), "{text}: {sum} {expected}");
        let printed = Formula::parse(&form.with_values(&values[..3]).to_string()).unwrap().evaluate(lookup).unwrap();
        prop_assert!((printed - sum).abs() <= 1e-9 * (size + 1.0), "{text}: {printed} {sum}");
    }

    #[test]
    fn no_text_makes_the_parser_panic(fragments in prop::collection::vec(fragment(), 0..30), text in "\\PC*") {
        for text in [fragments.concat(), text] {
            match Formula::parse(&text) {
                Ok(formula) => {
                    let shown = formula.tree().to_string();
                    prop_assert_eq!(Formula::parse(&shown).map(|again| again.tree().to_string()), Ok(shown), "{}", text);
                }
                Err(error) => {
                    let (span, pointer) = (error.span(), error.pointer(&text));
                    prop_assert!(text.get(span).is_some() && error.column() <= text.chars().count() + 1);
                    prop_assert!(!error.to_string().is_empty() && pointer.contains('^'));
                    error.hint();
                }
            }
        }
    }

    #[test]
    fn no_text_makes_quantities_or_lists_panic(text in "\\PC*", number in "[0-9.e+*:,-]{0,12}", unit in "[a-zA-Zµ%/0-9 ]{0,6}") {
        for text in [text, format!("{number}{unit}"), number.clone(), format!("powers:{number}"), format!("{number}..{number}")] {
            if let Ok(quantity) = Quantity::parse(&text) {
                prop_assert!(quantity.value.is_finite());
            }
            for dimension in Dimension::ALL {
                if let Err(error) = parse_quantity(&text, dimension) {
                    error.to_string();
                    error.hint();
                }
            }
            match NumberList::parse(&text).and_then(|list| list.expand(Some(-5.0), Some(100.0))) {
                Ok(values) => prop_assert!(values.iter().all(|value| (-5.0..=100.000001).contains(value)), "{text}"),
                Err(error) => {
                    error.to_string();
                    error.hint();
                }
            }
        }
    }

    #[test]
    fn lists_read_back(values in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, 1..9)) {
        let list = NumberList::from_values(values).unwrap();
        prop_assert_eq!(NumberList::parse(&list.to_string()).unwrap(), list);
    }
}
