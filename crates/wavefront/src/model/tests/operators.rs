//! `[operator]`.

use super::{Overrides, Read, read_with, two};
use crate::model::Contraction;
use crate::model::operator::{Operator, Rate};
use runcast_core::Problem;

const LINE: &str = "0,0.5,0\n0.5,0,0.5\n0,0.5,0\n";

fn with(operator: &str, files: &[(&str, &str)]) -> Result<Read, Vec<Problem>> {
    let text = two("", &format!("[operator]\n{operator}"));
    read_with(&text, files, &Overrides::default()).map_err(|problems| problems.0)
}

fn operator(read: &Read) -> &Operator {
    match &read.model.contraction {
        Contraction::Operator(operator) => operator,
        other => panic!("{other:?}"),
    }
}

#[test]
fn pieces_an_owner_or_equal_shares() {
    let files = [
        ("m.csv", LINE),
        ("by_number.csv", "row,process\n1,1\n2,2\n3,1\n"),
        ("by_name.csv", "row,process\n2,a\n0,b\n1,b\n"),
    ];
    let owner = |rest: &str| {
        let read = with(&format!("matrix = 'm.csv'\n{rest}"), &files).unwrap_or_else(|problems| panic!("{problems:?}"));
        operator(&read).owner.clone()
    };
    assert_eq!(owner("pieces = [2, 1]"), [0, 0, 1]);
    assert_eq!(owner("owner = 'by_number.csv'"), [0, 1, 0]);
    assert_eq!(owner("owner = 'by_name.csv'"), [1, 1, 0]);
    assert_eq!(owner(""), [0, 1, 1]);
    let read = with("matrix = 'm.csv'\nrate = 'lyapunov'", &files).expect("good");
    assert_eq!(operator(&read).rate, Rate::Lyapunov);
    assert!(read.notes[1].starts_with("rho of the matrix is 0.707106781186"), "{:?}", read.notes);
    // cos(pi/4): the Jacobi iteration on a line of three.
    assert!((operator(&read).rho() - 0.5_f64.sqrt()).abs() < 1e-15);
    let digits = read.model.digits_per_application().expect("a rate");
    assert!((digits - 0.5 * 2_f64.log10()).abs() < 1e-15);
    // The size of the matrix is known from the pieces where its last rows are empty.
    let files = [("m.csv", "row,col,value\n1,2,0.5\n2,1,0.5\n")];
    assert_eq!(operator(&with("matrix = 'm.csv'\npieces = [2, 1]", &files).expect("good")).dimension(), 3);
}

#[test]
fn what_is_no_operator_is_told() {
    let files = [
        ("m.csv", LINE),
        ("wide.csv", "1,2\n"),
        ("nan.csv", "0.5,nan\n0,0\n"),
        ("short.csv", "row,process\n1,1\n2,2\n"),
        ("twice.csv", "row,process\n1,1\n1,2\n2,1\n"),
        ("nobody.csv", "row,process\n1,1\n2,1\n3,1\n"),
        ("stranger.csv", "row,process\n1,a\n2,b\n3,c\n"),
    ];
    for (text, code, file) in [
        ("", "missing", "lab.toml"),
        ("matrix = 'm.csv'\npolynomial = { variables = 30 }", "conflict", "lab.toml"),
        ("matrix = 'm.csv'\npieces = [2, 2]", "length", "lab.toml"),
        ("matrix = 'm.csv'\npieces = [3]", "length", "lab.toml"),
        ("matrix = 'm.csv'\npieces = [3, 0]", "out_of_range", "lab.toml"),
        ("matrix = 'm.csv'\npieces = [1, 2]\nowner = 'short.csv'", "conflict", "lab.toml"),
        ("matrix = 'm.csv'\nrate = 'fast'", "unknown_name", "lab.toml"),
        ("matrix = 'wide.csv'", "not_square", "wide.csv"),
        ("matrix = 'nan.csv'", "not_a_number", "nan.csv"),
        ("matrix = 'none.csv'", "cannot_read", "none.csv"),
        ("matrix = 'm.csv'\nowner = 'short.csv'", "length", "short.csv"),
        ("matrix = 'm.csv'\nowner = 'twice.csv'", "duplicate_name", "twice.csv"),
        ("matrix = 'm.csv'\nowner = 'nobody.csv'", "empty", "nobody.csv"),
        ("matrix = 'm.csv'\nowner = 'stranger.csv'", "unknown_name", "stranger.csv"),
        ("polynomial = { seed = 1 }", "missing", "lab.toml"),
        ("polynomial = { variables = 1000000000 }", "out_of_range", "lab.toml"),
        ("polynomial = { variables = 30, s = 0.9 }", "out_of_range", "lab.toml"),
        ("polynomial = { variables = 30, sign = 'mixed' }", "unknown_key", "lab.toml"),
    ] {
        let problem = with(text, &files).expect_err(text).remove(0);
        assert_eq!((problem.code.as_str(), problem.file.as_deref()), (code, Some(file)), "{text}: {problem}");
    }
}

#[test]
fn what_does_not_contract_has_no_rate() {
    let files = [("m.csv", "1,0.5\n0.5,1\n"), ("zero.csv", "0,1\n0,0\n")];
    let read = with("matrix = 'm.csv'", &files).expect("good");
    assert_eq!(read.warnings.last().map(|warning| warning.code.as_str()), Some("no_contraction"));
    assert!(read.model.digits_per_application().is_none() && operator(&read).gap <= 0.0);
    let read = with("matrix = 'zero.csv'", &files).expect("good");
    assert_eq!(read.warnings.last().map(|warning| warning.code.as_str()), Some("nilpotent"));
    assert!(read.model.digits_per_application().is_none());
    // --rho stands in for it.
    let overrides = Overrides { rho: Some(0.5), ..Overrides::default() };
    let read = read_with(&two("", "[operator]\nmatrix = 'm.csv'"), &files, &overrides).expect("good");
    assert_eq!(read.warnings.last().map(|warning| warning.code.as_str()), Some("operator_replaced"));
}

#[test]
fn a_polynomial_comes_with_its_program() {
    let read =
        with("polynomial = { variables = 30, seed = 1, signs = 'mixed', s = 0.4, g = 0.1, q = 1 }", &[]).expect("good");
    let polynomial = read.polynomial.as_ref().expect("a polynomial");
    assert_eq!((operator(&read).dimension(), operator(&read).owner[14], operator(&read).owner[15]), (30, 0, 1));
    assert_eq!(operator(&read).rows, polynomial.bound());
    let note = read.notes.iter().find(|note| note.starts_with("polynomial")).expect("a note");
    assert!(note.contains("s = 0.4") && note.contains("rho on the box") && note.contains("in the limit"), "{note}");
}
