//! Codes of wrong pragmas, as the user meets them: with file, line and column.

use crate::support::{body, errors, translated};
use runcast_call::translate::{Input, Language, translate};

#[test]
fn every_code_of_formulas() {
    for (clause, code) in [
        ("F F[0] + n", "not-canonical"),
        ("F F[0]*F[1]", "not-canonical"),
        ("F n/F[0]", "not-canonical"),
        ("F F[0] + F[2]*n", "bad-index"),
        ("F G[0]", "bad-index"),
        ("F F[0]*n++", "side-effect"),
        ("F F[0]*(n = 3)", "side-effect"),
        ("F F[0]*(n += 3)", "side-effect"),
        ("F F[0] var(k = n++)", "side-effect"),
        ("F F[0]*cost(n)", "unknown-function"),
        ("F F[0] sgm(n)", "bad-clause"),
        ("seg F[0]", "bad-clause"),
        ("", "bad-clause"),
    ] {
        let end = if clause.starts_with('F') { "#pragma cll end F" } else { "" };
        assert_eq!(errors(&body(&format!("#pragma cll {clause}\nn++;\n{end}"))), [(code.to_owned(), 2)], "{clause}");
    }
}

#[test]
fn columns_are_those_of_the_source() {
    let place = |pragma: &str| {
        let problems = translated("x.c", &body(&format!("{pragma}\nn++;\n#pragma cll end F"))).problems;
        assert_eq!(problems.len(), 1, "{problems:?}");
        (problems[0].line.expect("a line"), problems[0].column.expect("a column"))
    };
    assert_eq!(place("#pragma cll F F[0] + n"), (2, 22));
    assert_eq!(place("  #  pragma cll F /* é */ F[0] + \\\n n"), (3, 2));
    assert_eq!(place("#pragma cll F F[0] ever\\\ny(0)"), (3, 3));
    assert_eq!(place("x++; _Pragma(\"cll F F[0] + n\")"), (2, 28));
}

#[test]
fn one_name_has_one_formula_in_all_sources() {
    let region = |formula: &str| {
        format!("void f(int n) {{\n#pragma cll F {formula}\nn++;\n#pragma cll end F\n}}\n").into_bytes()
    };
    let both = |a: &str, b: &str| {
        let inputs = [Input::new("a.c", region(a), Language::C), Input::new("b.c", region(b), Language::C)];
        translate(&inputs, &mut |_, _| None)
    };
    let done = both("F[0] + F[1]*n", "F[0] + F[1]*n*n");
    assert_eq!(done.problems.len(), 1);
    let problem = &done.problems[0];
    assert_eq!(
        (problem.code.as_str(), problem.file.as_deref(), problem.line),
        ("formula-differs", Some("b.c"), Some(2))
    );
    assert!(problem.message.contains("a.c") && problem.message.contains("line 2"), "{}", problem.message);
    // Blanks do not count; a region without a formula takes that of the others, but what it must record it says.
    assert!(both("F[0]+F[1]*n", "F[0] + F[1] * n").problems.is_empty());
    let done = both("F[0]+F[1]*n", "");
    assert!(done.problems.is_empty());
    assert_eq!(done.files[1].experiments[0].formula.as_deref(), Some("F[0]+F[1]*n"));
    assert_eq!(done.files[1].experiments[0].names, ["n"]);
    let alone = both("", "");
    assert_eq!((alone.files[0].experiments[0].formula.clone(), alone.files[0].experiments[0].constants), (None, 0));
}

#[test]
fn options_of_one_experiment_agree() {
    let twice = |a: &str, b: &str| {
        body(&format!(
            "#pragma cll F F[0]*n {a}\nn++;\n#pragma cll end F\n#pragma cll F F[0]*n {b}\nn++;\n#pragma cll end F"
        ))
    };
    assert_eq!(errors(&twice("every(2)", "every(3)")), [("formula-differs".into(), 5)]);
    assert_eq!(errors(&twice("every(2)", "")), []);
    assert_eq!(errors(&twice("seg(n)", "seg(n)")), []);
}

#[test]
fn what_is_written_for_the_run_time_library() {
    let source = body(
        "#pragma cll F F[0] + F[1]*n seg(n/2, n) metric(cpu, PAPI_TOT_INS) every(3) mode(trace) exits(ok) at(end)\nn++;\n\
         #pragma cll end F\n#pragma cll on\n#pragma cll off\n#pragma cll report all\n#pragma cll report F file \"a b.csv\"",
    );
    let done = translated("dir/my file-1.c", &source);
    assert!(done.problems.is_empty(), "{:?}", done.problems);
    let header = done.files[0].header.as_deref().expect("a header");
    let table = header.split("CLL_TABLE").nth(1).expect("a table");
    let expected = "(cll_my_file_1_F, \"F\", \"F[0] + F[1]*n\",\n    \"dir/my file-1.c\", 2, \"n\", 1,\n    \"n/2;n\", \
                    \"cpu,PAPI_TOT_INS\", CLL_AT_END | CLL_EXITS_OK | CLL_MODE_TRACE, 3, \"";
    assert!(table.starts_with(expected), "{table}");
    let text = String::from_utf8(done.files[0].text.clone()).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "#include \"my file-1.cll.h\"");
    assert_eq!(lines[1], "#line 1 \"dir/my file-1.c\"");
    assert_eq!(lines[3], "{ CLL_REGION(cll_g2, cll_my_file_1_F, 0, 0.0);");
    assert_eq!(lines[5], "CLL_DONE_AT_END(cll_g2, 1, (double)(n)); }");
    assert_eq!(lines[6..10], ["cll_on();", "cll_off();", "cll_report(0, 0);", "cll_report(\"F\", \"a b.csv\");"]);
}

#[test]
fn a_header_has_experiments_that_all_its_sources_share() {
    let source = body("#pragma cll F F[0]\nn++;\n#pragma cll end F");
    let done = crate::support::good("x.h", &source);
    let tables = done.files[0].header.as_deref().expect("tables");
    assert!(tables.contains("CLL_SHARED_EXPERIMENT(cll_"), "{tables}");
    assert!(done.files[0].text.starts_with(b"#include \"x.h.cll.h\"\n#line 1 \"x.h\"\n"));
    assert_eq!(crate::support::errors_of("x.hpp", "int x;\n"), []);
}

/// Every example of the reference gives the code that it stands for.
#[test]
fn the_examples_of_the_reference_are_true() {
    let page = include_str!("../../../../docs/reference/pragmas.md");
    let mut seen = Vec::new();
    for part in page.split("```c wrong=").skip(1) {
        let (code, rest) = part.split_once('\n').expect("a line");
        let (source, _) = rest.split_once("```").expect("an end");
        let codes: Vec<String> = errors(source).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, [code], "{source}");
        seen.push(code);
    }
    assert_eq!(seen.len(), 14, "{seen:?}");
}

#[test]
fn files_that_are_no_sources_are_known() {
    let refused = |name: &str, text: &str, given: bool| {
        let input = runcast_call::translate::Input::new(name, text.as_bytes().to_vec(), crate::support::language(name));
        input.not_source(given).map(|problem| (problem.code, problem.hint.is_some()))
    };
    let not_source = Some(("not-source".to_owned(), true));
    let table = "# run: {\n# roles\nn,time_s\n1,2\n".replace('{', "");
    for (name, text, given) in [
        ("ok.csv", table.as_str(), false),
        ("ok.csv", &table, true),
        ("ok", &table, false),
        ("x.py", "if x:\n  f(x)\n", false),
        ("x.template", "int x;\n", false),
        ("a.out", "\u{7f}ELF{;", false),
    ] {
        assert_eq!(refused(name, text, given), not_source, "{name} {given}");
    }
    for (name, text, given) in [
        ("x.c", "", false),
        ("x.c", &table, false),
        ("x.cuh", "", false),
        ("x.template", "int x;\n", true),
        ("x.template", "#pragma cll F F[0]\n", false),
        ("x.template", "_Pragma(\"cll F\") x; _Pragma(\"cll end F\")", false),
        ("x", "#include <a>\n", false),
        ("<stdin>", "int x;\n", false),
        ("<stdin>", "", false),
    ] {
        assert_eq!(refused(name, text, given), None, "{name} {given}");
    }
}

#[test]
fn values_with_calls_or_divisions_wait_for_a_visit_that_is_recorded() {
    let begin = |pragma: &str| {
        let source = body(&format!("#pragma cll F {pragma}\nn++;\n#pragma cll end F"));
        let done = translated("a.c", &source);
        assert!(done.problems.is_empty(), "{:?}", done.problems);
        let text = String::from_utf8(done.files[0].text.clone()).expect("text");
        let line = text.lines().find(|line| line.contains("CLL_REGION")).expect("a region");
        line.split('(').next().expect("a macro").to_owned()
    };
    assert_eq!(begin("F[0] + F[1]*n"), "{ CLL_REGION");
    assert_eq!(begin("F[0] + F[1]*k var(k = p->rows[n] * 2)"), "{ CLL_REGION");
    assert_eq!(begin("F[0] + F[1]*k var(k = size_of(n))"), "{ CLL_REGION_IF_WANTED");
    assert_eq!(begin("F[0] + F[1]*k var(k = 8 / n)"), "{ CLL_REGION_IF_WANTED");
}
