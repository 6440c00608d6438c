//! Annotations that do not compile, and where the compiler points.

use crate::compiler;

/// Statements that are refused, with the code of the error. The mark `¦` stands before the place that is shown: inside
/// of a text it is told in the message, else it is the compiler's own.
const STATEMENTS: &[(&str, &str)] = &[
    // What the translator of C sources refuses, too.
    (r#"cll!("F", "F[0] + n/¦F[1]", vars(n), {});"#, "not-canonical"),
    (r#"cll!("F", "F[0] + ¦n", vars(n), {});"#, "not-canonical"),
    (r#"cll!("F", "F[0]*¦F[1]", {});"#, "not-canonical"),
    (r#"cll!("F", "F[0] + F[1]*n +¦", vars(n), {});"#, "not-canonical"),
    (r#"cll!("F", "F[0] + F[1]*¦log2()", {});"#, "not-canonical"),
    (r#"cll!("F", "¦", {});"#, "not-canonical"),
    (r#"cll!("F", "F[0] + ¦F[2]*n", vars(n), {});"#, "bad-index"),
    (r#"cll!("F", "F[0] + ¦G[1]*n", vars(n), {});"#, "bad-index"),
    (r#"cll!("F", "F[¦n]", vars(n), {});"#, "bad-index"),
    (r#"cll!("F", "F[0] + F[1]*n¦++", vars(n), {});"#, "side-effect"),
    (r#"cll!("F", "F[0] + F[1]*(n ¦= 3)", vars(n), {});"#, "side-effect"),
    (r#"cll!("F", "F[0] + F[1]*¦length(n)", vars(n), {});"#, "unknown-function"),
    // Places in literals that are not written as they are.
    (r#"cll!("F", "F[0]\t+\x20n/¦F[1]", vars(n), {});"#, "not-canonical"),
    (r##"cll!("F", r#"F[0] + n/¦F[1]"#, vars(n), {});"##, "not-canonical"),
    ("cll!(\"F\", \"F[0]\n   + n/¦F[1]\", vars(n), {});", "not-canonical"),
    ("cll!(\"F\", \"F[0] \\\n   + n/¦F[1]\", vars(n), {});", "not-canonical"),
    // Names.
    (r#"cll!("F", "F[0] + F[1]*¦rows", vars(n), {});"#, "unknown-name"),
    (r#"cll!("F", "F[0] + F[1]*n*¦m->rows", vars(n, m.cols = 3), {});"#, "unknown-name"),
    (r#"cll!("F", vars(n), seg("n", "n/¦bytes"), {});"#, "unknown-name"),
    (r#"cll!("F", vars(n), seg("n/¦"), {});"#, "bad-clause"),
    (r#"cll!("F", vars(n), seg("¦4"), {});"#, "bad-clause"),
    // Options.
    (r#"cll!("F", vars(n, ¦n), {});"#, "bad-clause"),
    (r#"cll!("F", vars(¦n + 1), {});"#, "bad-clause"),
    (r#"cll!("F", vars(¦level = n), {});"#, "bad-clause"),
    (r#"cll!("F", ¦vras(n), {});"#, "bad-clause"),
    (r#"cll!("F", vars(n), ¦vars(n), {});"#, "bad-clause"),
    (r#"cll!("F", metric(¦energy), {});"#, "bad-clause"),
    (r#"cll!("F", metric(cpu, ¦cpu), {});"#, "bad-clause"),
    (r#"cll!("F", ¦seg(), {});"#, "bad-clause"),
    (r#"cll!("F", at(¦middle), {});"#, "bad-clause"),
    (r#"cll!("F", mode(¦all), {});"#, "bad-clause"),
    (r#"cll!("F", exits(¦keep), {});"#, "bad-clause"),
    (r#"cll!("F", every(¦0), {});"#, "bad-clause"),
    (r#"cll!("F", every(¦n), {});"#, "bad-clause"),
    (r#"cll!("F", ¦open, {});"#, "bad-clause"),
    (r#"cll!("F", name = ¦"G", {});"#, "bad-clause"),
    (r#"cll!(¦"two words", {});"#, "bad-clause"),
    (r#"cll!(¦"", {});"#, "bad-clause"),
    (r#"cll!(¦"report", {});"#, "bad-clause"),
    (r#"cll!(¦F, "F[0]", {});"#, "bad-clause"),
    (r#"cll!("F", "F[0]", {}, ¦vars(n));"#, "bad-clause"),
];

/// Items that are refused.
const ITEMS: &[(&str, &str)] = &[
    (r#"#[cll(model = "f[0] + n/¦f[1]", vars(n))] fn f(n: u32) -> u32 { n }"#, "not-canonical"),
    (r#"#[cll(model = "f[0] + f[1]*¦m", vars(n))] fn f(n: u32) -> u32 { n }"#, "unknown-name"),
    (r#"#[cll] ¦async fn f() {}"#, "bad-clause"),
    (r#"#[cll] ¦const fn f() {}"#, "bad-clause"),
    (r#"#[cll] ¦struct S;"#, "bad-clause"),
    (r#"trait T { #[cll] fn ¦f(); }"#, "bad-clause"),
    (r#"#[cll(name = ¦"two words")] fn f() {}"#, "bad-clause"),
    (r#"#[cll] fn ¦on() {}"#, "bad-clause"),
    (r#"#[cll(¦"F")] fn f() {}"#, "bad-clause"),
    (r#"async fn f() { cll!("F", { g().¦await; }) } async fn g() {}"#, "bad-clause"),
];

const BEGIN: &str = "#![allow(unused)]\nuse runcast_cll::{cll, prelude::*};\n";

/// The source without marks, and for each case the line and the column of its mark.
fn marked(cases: &[(&str, &str)], item: impl Fn(usize, &str) -> String) -> (String, Vec<(u64, u64)>) {
    let mut source = BEGIN.to_owned();
    let mut places = Vec::new();
    for (number, (text, _)) in cases.iter().enumerate() {
        let text = item(number, text);
        let (before, after) = text.split_once('¦').expect("a mark");
        source.push_str(before);
        let line = source.matches('\n').count() + 1;
        let column = source.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        places.push((line as u64, column as u64));
        source.push_str(after);
        source.push('\n');
    }
    (source, places)
}

fn check(cases: &[(&str, &str)], item: impl Fn(usize, &str) -> String) {
    let (source, places) = marked(cases, item);
    for trace in [true, false] {
        let complaints = compiler::library(trace).complaints(&source, &["--crate-type=lib"]);
        assert_eq!(complaints.len(), cases.len(), "one complaint for each: {complaints:#?}");
        for (((case, code), (line, column)), complaint) in cases.iter().zip(&places).zip(&complaints) {
            assert!(complaint.text.starts_with(&format!("{code}: ")), "{case}: {complaint:?}");
            let told = complaint.text.contains(&format!("  at source.rs:{line}:{column}"));
            let shown = (complaint.line, complaint.column) == (*line, *column);
            assert!(told || (shown && !complaint.text.contains("  at ")), "{case}: {line}:{column}, {complaint:?}");
        }
    }
}

#[test]
fn bad_expressions() {
    check(STATEMENTS, |number, text| format!("fn f{number}(n: u32) {{ {text} }}"));
}

#[test]
fn bad_functions() {
    check(ITEMS, |number, text| format!("mod m{number} {{ use runcast_cll::{{cll, prelude::*}}; {text} }}"));
}

#[test]
fn too_many_variables() {
    let variables = |count: usize| (0..count).map(|number| format!("v{number} = n")).collect::<Vec<_>>().join(", ");
    let source = |count| format!("{BEGIN}fn f(n: u32) {{ cll!(\"F\", vars({}), {{}}); }}", variables(count));
    assert!(compiler::library(true).complaints(&source(64), &["--crate-type=lib"]).is_empty());
    let complaints = compiler::library(true).complaints(&source(65), &["--crate-type=lib"]);
    assert!(complaints.len() == 1 && complaints[0].text.contains("64 variables at most"), "{complaints:?}");
}

/// What the compiler itself refuses stands at the code of the user.
#[test]
fn values_that_are_no_numbers_and_values_that_are_gone() {
    let cases = [
        (r#"cll!("F", "F[0]*s", vars(¦s), {});"#, "`String` is not a number that can be recorded"),
        (r#"cll!("F", "F[0]*n", vars(n = ¦s.len()), at(end), { drop(s) });"#, "borrow of moved value: `s`"),
        (r#"cll!("F", vars(¦unknown), {});"#, "cannot find value `unknown` in this scope"),
    ];
    for (text, message) in cases {
        let (source, places) = marked(&[(text, "")], |_, text| format!("fn f(s: String) {{ {text} }}"));
        let complaints = compiler::library(true).complaints(&source, &["--crate-type=lib"]);
        assert_eq!(complaints.len(), 1, "{complaints:#?}");
        assert_eq!((complaints[0].line, complaints[0].column), places[0], "{complaints:#?}");
        assert!(complaints[0].text.contains(message), "{complaints:#?}");
    }
}
