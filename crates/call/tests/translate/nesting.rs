//! Regions among braces, branches of `#if`, and each other.

use crate::support::{body, error, errors, errors_of, recorded};

/// T5
#[test]
fn crossing_regions_are_named_with_both_lines() {
    let (code, line, message) =
        error(&body("#pragma cll A A[0]\na();\n#pragma cll B B[0]\nb();\n#pragma cll end A\nc();\n#pragma cll end B"));
    assert_eq!((code.as_str(), line), ("crossing", 6));
    for part in ["A", "line 2", "line 6", "B", "line 4"] {
        assert!(message.contains(part), "{message}");
    }
}

/// T5
#[test]
fn an_end_without_a_begin_and_a_begin_without_an_end() {
    assert_eq!(errors(&body("a();\n#pragma cll end A")), [("not-open".into(), 3)]);
    assert_eq!(
        errors(&body("#pragma cll A A[0]\na();\n#pragma cll end A\n#pragma cll end A")),
        [("not-open".into(), 5)]
    );
    assert_eq!(errors(&body("#pragma cll A A[0]\na();")), [("unclosed".into(), 2)]);
    assert_eq!(errors(&body("{\n#pragma cll A A[0]\na();\n}")), [("unclosed".into(), 3)]);
    assert_eq!(errors("void f(void) {\n#pragma cll A A[0]\n"), [("unclosed".into(), 2)]);
}

/// T5
#[test]
fn a_region_that_cuts_a_brace_is_named_with_both_lines() {
    for source in [
        "{\n#pragma cll A A[0]\na();\n}\n#pragma cll end A",
        "a();\n#pragma cll A A[0]\n{ b();\n c();\n#pragma cll end A\n}",
        "a();\n#pragma cll A A[0]\nif (x) {\n c();\n#pragma cll end A\n}",
        "a();\n#pragma cll A A[0]\nfor (;;)\n c(\n#pragma cll end A\n);",
    ] {
        let (code, line, message) = error(&body(source));
        assert_eq!((code.as_str(), line), ("straddle", 6), "{source}");
        assert!(message.contains("line 3") && message.contains("line 6"), "{message}");
    }
}

/// T5
#[test]
fn a_region_that_cuts_a_branch_is_named_with_both_lines() {
    for source in [
        "#ifdef X\n#pragma cll A A[0]\n#endif\na();\n#pragma cll end A",
        "\n#pragma cll A A[0]\n#ifdef X\na();\n#pragma cll end A\n#endif\n",
        "#ifdef X\n#pragma cll A A[0]\na();\n#else\n#pragma cll end A\n#endif",
        "#ifdef X\n#pragma cll A A[0]\na();\n#elif Y\n#pragma cll end A\n#endif",
    ] {
        let found = errors(&body(source));
        let straddles: Vec<_> = found.iter().filter(|(code, line)| code == "straddle" && *line == 6).collect();
        assert_eq!(straddles.len(), 1, "{source}: {found:?}");
    }
}

#[test]
fn branches_with_brackets_of_their_own() {
    let source = body(
        "#ifdef X\nif (x) {\n#else\nif (n) {\n#endif\n#pragma cll A A[0]\na();\n#ifdef Y\nb();\n#else\nc();\n#endif\n#pragma cll end A\n}",
    );
    assert_eq!(errors(&source), []);
    let both = body(
        "#if X\n#pragma cll A A[0]\na();\n#pragma cll end A\n#else\n#pragma cll A A[0]\nb();\n#pragma cll end A\n#endif",
    );
    assert_eq!(errors(&both), []);
    // One statement on each side.
    let one = body("if (x) a(); else\n#pragma cll A A[0]\n#if X\na();\n#else\nb();\n#endif\n#pragma cll end A");
    assert_eq!(errors(&one), []);
    let header = "#ifndef H\n#define H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\nvoid f(void) {\n#pragma cll A A[0]\na();\n#pragma cll end A\n}\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
    assert_eq!(errors(header), []);
    assert_eq!(errors_of("x.cpp", header), []);
}

#[test]
fn pragmas_stand_where_statements_begin() {
    assert_eq!(errors("#pragma cll A A[0]\nint x;\n#pragma cll end A\n"), [("straddle".into(), 1)]);
    assert_eq!(errors("struct s {\n#pragma cll A A[0]\nint x;\n#pragma cll end A\n};\n"), [("straddle".into(), 2)]);
    assert_eq!(errors(&body("x =\n#pragma cll A A[0]\n3;\n#pragma cll end A")), [("straddle".into(), 3)]);
    assert_eq!(errors(&body("g(\n#pragma cll A A[0]\n3);\n#pragma cll end A")), [("straddle".into(), 3)]);
    assert_eq!(errors(&body("#pragma cll A A[0]\nx =\n#pragma cll end A\n3;")), [("straddle".into(), 4)]);
    assert_eq!(errors("#pragma cll report all\n"), [("bad-clause".into(), 1)]);
    assert_eq!(errors("#pragma cll on\n"), [("bad-clause".into(), 1)]);
}

#[test]
fn functions_are_found_among_declarations() {
    let region = "{\n#pragma cll A A[0]\na();\n#pragma cll end A\n}\n";
    for head in [
        "void f(void)",
        "struct s f(int x)",
        "static inline __attribute__((noinline)) int f(int (*g)(int))",
        "int f(a, b) int a; char *b;",
        "EXPORT(int) f(void)",
        "int a[] = { 1, 2 }; int f(void)",
        "struct s { int a; } x = { 1 }; int f(void)",
        "enum e { E } f(void)",
        "int f(x) ",
    ] {
        assert_eq!(errors(&format!("{head} {region}")), [], "{head}");
    }
    for head in [
        "struct s : base<int> { s() : a(1), b{2}",
        "namespace n { inline namespace m { class c { public: void f() const noexcept",
        "template <class T = int> void f(T t)",
        "extern \"C\" { void f()",
        "template <typename T> auto s<T>::operator()(T t) -> decltype(t)",
        "struct s { bool operator==(const s &o) const",
        "auto f = [](int x)",
        "int x = g([&]() mutable",
        "struct s { ~s()",
    ] {
        let opened = head.matches('{').count() - usize::from(head.contains("b{2}"));
        let closing = if head.contains("g([") { ");" } else { "" };
        let source = format!("{head} {region}{closing}{}", "};".repeat(opened));
        assert_eq!(errors_of("x.cpp", &source), [], "{head}");
    }
    assert_eq!(errors(&body(&format!("int g(int y) {region}"))), [], "a function of GNU C in a function");
}

#[test]
fn all_errors_are_told_at_once_and_nothing_follows_from_them() {
    let source = body(
        "#pragma cll A A[0] + n\na();\n#pragma cll end A\n#pragma cll B B[1]\nb();\n#pragma cll end B\n#pragma cll 3\n#pragma cll end C",
    );
    let expected = [("not-canonical", 2), ("bad-index", 5), ("bad-clause", 8), ("not-open", 9)];
    assert_eq!(errors(&source), expected.map(|(code, line)| (code.to_owned(), line)));
}

#[test]
fn regions_nest_and_open_regions_have_no_braces() {
    let source = "#include <stdio.h>\n\
        int main(void) {\n\
        #pragma cll A A[0] open\n\
        int seen = 0;\n\
        #pragma cll A A[0]\n\
        seen++;\n\
        #pragma cll end A\n\
        #pragma cll B B[0]*seen open at(end)\n\
        seen += 4;\n\
        #pragma cll end B\n\
        #pragma cll end A\n\
        printf(\"%d\\n\", seen);\n\
        #pragma cll C C[0]*k at(end) var(k = seen * 2)\n\
        seen = 7;\n\
        #pragma cll end C\n\
        return 0; }\n";
    for recorded in recorded("open.c", source) {
        assert_eq!((recorded.visits("A", "ok"), recorded.visits("B", "ok")), (2, 1));
        assert_eq!(recorded.values("A", "level"), [1.0, 0.0]);
        assert_eq!((recorded.values("B", "seen"), recorded.values("C", "k")), (vec![5.0], vec![14.0]));
    }
}
