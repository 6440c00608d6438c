//! Any text: reading, printing and reading again, the tree and the compiled program must agree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_formula::canonical::linear_terms;
use runcast_formula::{Column, Formula, FormulaError};

/// A number for each name, different and reproducible.
fn value(name: &str) -> f64 {
    name.bytes().fold(0.5, |value, byte| value * 1.25 + f64::from(byte % 16))
}

fn same(left: f64, right: f64) -> bool {
    left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan())
}

fn agree(formula: &Formula) -> Result<(), FormulaError> {
    let names: Vec<&str> = formula.names().iter().map(String::as_str).collect();
    let program = formula.compile(&names).expect("its own names are known");
    let shown = formula.tree().to_string();
    let again = Formula::parse(&shown).expect("what is printed can be read");
    assert_eq!(again.tree().to_string(), shown);
    if let Some((first, _)) = names.split_first() {
        let _ = linear_terms(formula.tree(), &[first]);
    }
    // An error is one of the tree and of the program alike: a name compared with a text is a number here.
    let result = formula.evaluate(|name| Some(value(name)));
    let values: Vec<f64> = names.iter().map(|name| value(name)).collect();
    let columns: Vec<Column<'_>> = values.iter().map(|value| Column::Number(std::slice::from_ref(value))).collect();
    let mut out = [0.0];
    assert_eq!(program.columns(&columns, &mut out).is_ok(), result.is_ok());
    let expected = result?;
    assert!(same(expected, out[0]), "{shown}: {expected} {}", out[0]);
    assert!(same(expected, program.row(&values)), "{shown}");
    assert!(same(expected, again.evaluate(|name| Some(value(name)))?), "{shown}");
    Ok(())
}

fuzz_target!(|text: &str| {
    match Formula::parse(text) {
        Ok(formula) => drop(agree(&formula)),
        Err(error) => {
            assert!(text.get(error.span()).is_some());
            let _ = (error.to_string(), error.hint(), error.pointer(text));
        }
    }
});
