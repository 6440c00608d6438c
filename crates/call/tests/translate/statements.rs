//! Regions where one statement is expected.

use crate::support::{body, errors, recorded};

/// T1
#[test]
fn one_statement_after_an_else_without_braces_keeps_its_branch() {
    let source = "#include <stdio.h>\n\
        int main(void) {\n\
        for (int i = 0; i < 4; i++)\n\
        if (i % 2 == 0)\n\
        #pragma cll A A[0] + A[1]*i\n\
        printf(\"even %d\\n\", i);\n\
        #pragma cll end A\n\
        else\n\
        #pragma cll B B[0]*i\n\
        printf(\"odd %d\\n\", i);\n\
        #pragma cll end B\n\
        if (0)\n\
        puts(\"x\");\n\
        else\n\
        #pragma cll C C[0]\n\
        puts(\"y\");\n\
        #pragma cll end C\n\
        if (1) puts(\"z\"); else\n\
        #pragma cll D D[0]\n\
        puts(\"never\");\n\
        #pragma cll end D\n\
        puts(\"end\");\n\
        return 0;\n}\n";
    for recorded in recorded("t1.c", source) {
        assert_eq!(recorded.before.out, "even 0\nodd 1\neven 2\nodd 3\ny\nz\nend\n");
        assert_eq!(recorded.values("A", "i"), [0.0, 2.0]);
        assert_eq!(recorded.values("B", "i"), [1.0, 3.0]);
        assert_eq!((recorded.visits("C", "ok"), recorded.visits("D", "ok")), (1, 0));
    }
}

/// T2
#[test]
fn two_statements_after_an_else_without_braces_are_an_error() {
    for before in ["if (x) ; else", "do", "if (x)", "for (;;)", "while (x)", "switch (x)", "FOREACH(x)", "if (x) y: "] {
        let source = body(&format!("{before}\n#pragma cll F F[0]\na();\nb();\n#pragma cll end F\nwhile (x);"));
        let done = crate::support::translated("x.c", &source);
        assert_eq!(done.problems.len(), 1, "{before}: {:?}", done.problems);
        assert_eq!((done.problems[0].code.as_str(), done.problems[0].line), ("many-statements", Some(3)), "{before}");
        assert!(done.problems[0].hint.as_deref().is_some_and(|hint| hint.contains("braces")));
    }
}

#[test]
fn no_statement_where_one_is_expected_is_an_error() {
    let source = body("if (x) a(); else\n#pragma cll F F[0]\n#pragma cll end F\nb();");
    assert_eq!(errors(&source), [("many-statements".into(), 3)]);
}

#[test]
fn whole_statements_are_one() {
    for one in [
        "a();",
        "{ a(); b(); }",
        "{ a(); b(); };",
        "if (x) a(); ;;",
        "if (x) a(); else if (n) b(); else { c(); }",
        "if (x) if (n) a(); else b();",
        "for (;;) while (x) do a(); while (n);",
        "do { a(); } while (x);",
        "switch (x) { case 1: a(); default: b(); }",
        "FOREACH(x) { a(); b(); }",
        "x = y ? (a(), 3) : 4;",
        "l: a();",
        ";",
        "struct s t = { .a = { 1, 2 } };",
        "({ a(); b(); });",
        "CALL(x)",
    ] {
        let source = body(&format!("if (x) a(); else\n#pragma cll F F[0]\n{one}\n#pragma cll end F"));
        assert_eq!(errors(&source), [], "{one}");
        let twice = body(&format!("if (x) a(); else\n#pragma cll F F[0]\n{one}\nb();\n#pragma cll end F"));
        let expected = if one == "CALL(x)" { vec![] } else { vec![("many-statements".to_owned(), 3)] };
        assert_eq!(errors(&twice), expected, "{one}");
    }
}

#[test]
fn nested_regions_after_an_else_are_one_statement() {
    let source = "#include <stdio.h>\nint main(int n, char **a) {\n(void)a;\nfor (int i = 0; i < 2; i++)\nif (i == n) puts(\"x\");\nelse\n\
        #pragma cll A A[0]\n\
        #pragma cll B B[0]*i\n\
        if (i == 0) puts(\"zero\"); else puts(\"one\");\n\
        #pragma cll end B\n\
        #pragma cll end A\n\
        return 0;\n}\n";
    for recorded in recorded("nest.c", source) {
        assert_eq!(recorded.before.out, "zero\nx\n");
        assert_eq!((recorded.visits("A", "ok"), recorded.visits("B", "ok")), (1, 1));
    }
}

#[test]
fn a_macro_before_a_label_holds_nothing() {
    let source = body("switch (x) {\ncase 0:\nCHECK(x)\ncase 1:\n#pragma cll F F[0]\na();\nb();\n#pragma cll end F\n}");
    assert_eq!(errors(&source), []);
}

#[test]
fn an_if_is_not_cut_from_its_else() {
    let after = body("#pragma cll F F[0]\nif (x) a();\n#pragma cll end F\nelse b();");
    assert_eq!(errors(&after), [("straddle".into(), 4)]);
    let between = body("if (x) a();\n#pragma cll F F[0]\nelse b();\n#pragma cll end F");
    assert_eq!(errors(&between), [("straddle".into(), 3)]);
    // The else would go over to the outer if.
    let taken = body("if (n)\n#pragma cll F F[0]\nif (x) a();\n#pragma cll end F\nelse b();");
    assert_eq!(errors(&taken), [("straddle".into(), 5)]);
    let kept = body("if (n)\n#pragma cll F F[0]\na();\n#pragma cll end F\nelse b();");
    assert_eq!(errors(&kept), []);
    let loops = body(
        "do\n#pragma cll F F[0]\na();\n#pragma cll end F\nwhile (x);\n#pragma cll G G[0]\ndo a();\n#pragma cll end G\nwhile (x);",
    );
    assert_eq!(errors(&loops), [("straddle".into(), 9)]);
}

#[test]
fn pragmas_that_become_statements_need_braces_there() {
    for pragma in ["on", "off", "report all", "parallel OMP", "F F[0] open"] {
        let source = body(&format!("if (x)\n#pragma cll {pragma}\na();\n#pragma cll end F"));
        let found = errors(&source);
        assert!(found.contains(&("many-statements".into(), 3)), "{pragma}: {found:?}");
        let braces = body(&format!("if (x) {{\n#pragma cll {pragma}\na();\n}}"));
        if !pragma.starts_with('F') {
            assert_eq!(errors(&braces), [], "{pragma}");
        }
    }
}

#[test]
fn pragmas_of_others_govern_what_follows() {
    let before_loop = body("#pragma omp parallel for\n#pragma cll F F[0]\nfor (;;) a();\n#pragma cll end F");
    assert_eq!(errors(&before_loop), [("straddle".into(), 3)]);
    let two = body("#pragma omp parallel\n#pragma cll F F[0]\na();\nb();\n#pragma cll end F");
    assert_eq!(errors(&two), [("many-statements".into(), 3)]);
    let one = body("#pragma omp single\n#pragma cll F F[0]\na();\n#pragma cll end F\nb();");
    assert_eq!(errors(&one), []);
    let around = body(
        "#pragma cll F F[0]\n#pragma omp parallel for\nfor (;;) a();\nb();\n#pragma omp barrier\n#pragma cll end F",
    );
    assert_eq!(errors(&around), []);
}
