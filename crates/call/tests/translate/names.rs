//! Names of experiments and variables, and the many ways to write a pragma.

use crate::support::{body, good, recorded, translated};

/// T6
#[test]
fn experiments_and_variables_may_have_one_name() {
    let source = "#include <stdio.h>\n\
        int main(void) {\n\
        double A = 3, C = 4;\n\
        #pragma cll A A[0] + A[1]*A*C\n\
        printf(\"%g\\n\", A + C);\n\
        #pragma cll end A\n\
        #pragma cll C C[0] + C[1]*C\n\
        puts(\"c\");\n\
        #pragma cll end C\n\
        return 0; }\n";
    for recorded in recorded("t6.c", source) {
        assert_eq!((recorded.values("A", "A"), recorded.values("A", "C")), (vec![3.0], vec![4.0]));
        assert_eq!(recorded.values("C", "C"), [4.0]);
    }
}

/// T7
#[test]
fn pragmas_may_be_written_in_many_ways() {
    let source = "#include <stdio.h>\r\n\
        int main(void) {\r\n\
        int n = 3;\r\n\
        \t#\tpragma   cll F F[0] + \\\r\n  F[1] /* a comment\r\n over lines */ *n // to the end\r\n\
        puts(\"a\");\r\n\
        #pra\\\r\ngma cll end F\r\n\
        /* before */ # pragma cll G G[0]*\\\r\nn\r\n\
        puts(\"b\");\r\n\
        %:pragma cll end G /* behind */\r\n\
        _Pragma(\"cll H H[0]*n metric(cpu)\") puts(\"c\"); _Pragma ( \"cll end H\" )\r\n\
        printf(\"%d\\n\", __LINE__);\r\n\
        return 0; }";
    for recorded in recorded("t7.c", source) {
        assert_eq!(recorded.before.out, "a\nb\nc\n15\n");
        for name in ["F", "G", "H"] {
            assert_eq!((recorded.visits(name, "ok"), recorded.values(name, "n")), (1, vec![3.0]), "{name}");
        }
        assert!(recorded.header.contains("\"formula\":\"F[0] + F[1] *n\""), "{}", recorded.header);
    }
}

/// T7
#[test]
fn pragma_text_elsewhere_is_left_alone() {
    let source = "#include <stdio.h>\n\
        #define TEXT \"#pragma cll F F[0]\"\n\
        #if 0\n#pragma cll F F[0]\nit's {\n#endif\n\
        /*\n#pragma cll F F[0]\n*/\n\
        // \\\n#pragma cll F F[0]\n\
        static const char *text = \"\\\n#pragma cll F F[0]\";\n\
        int main(void) { puts(TEXT); puts(text); return '\"' == '#'; }\n";
    let done = good("t7.c", source);
    assert_eq!(done.files[0].text, source.as_bytes());
    assert_eq!(done.files[0].header, None);
    let raw = "const char *t = R\"x(\n#pragma cll F F[0]\n)\" )x\"; const int n = 1'000;\n";
    assert_eq!(good("t7.cpp", raw).files[0].text, raw.as_bytes());
}

#[test]
fn a_pragma_in_a_macro_is_warned_about() {
    let done = good("m.c", "#define BEGIN _Pragma(\"cll F F[0]\")\n");
    assert_eq!((done.files[0].warnings[0].code.as_str(), done.files[0].warnings[0].line), ("pragma_in_macro", Some(1)));
}

/// T8
#[test]
fn values_may_come_from_macros_and_formulas_divide_real_numbers() {
    let source = "#include <stdio.h>\n\
        #define N (1 << 4)\n\
        #define P 3\n\
        struct m { int rows; struct { float v[3]; } *in; };\n\
        static int calls;\n\
        static int size(void) { calls++; return 7; }\n\
        int main(void) {\n\
        struct m m = { 5, 0 }, *p = &m;\n\
        int i = 2, a[3] = { 1, 2, 9 };\n\
        #pragma cll F F[0] + F[1]*N/P + F[2]*p->rows + F[3]*m . rows var(s = size(), e = a[i], h = (double)i / 4, c = sizeof(m.in->v) / sizeof(float)) seg(N/P, i)\n\
        puts(\"x\");\n\
        #pragma cll end F\n\
        return 0; }\n";
    for recorded in recorded("t8.c", source) {
        let expected = [
            ("N", 16.0),
            ("P", 3.0),
            ("p.rows", 5.0),
            ("m.rows", 5.0),
            ("s", 7.0),
            ("e", 9.0),
            ("h", 0.5),
            ("c", 3.0),
            ("i", 2.0),
        ];
        for (name, value) in expected {
            assert_eq!(recorded.values("F", name), [value], "{name}");
        }
        assert!(recorded.header.contains("\"seg\":[\"N/P\",\"i\"]"), "{}", recorded.header);
    }
}

#[test]
fn p_is_the_number_of_processes_unless_the_program_has_one() {
    let region = "#pragma cll F F[0] + F[1]*n/P seg(n/P)\nn++;\n#pragma cll end F\n";
    let names = |source: &str| good("p.c", source).files[0].experiments[0].names.clone();
    assert_eq!(names(&format!("void f(int n) {{\n{region}}}\n")), ["n"]);
    assert_eq!(names(&format!("void f(int n, int P) {{\n{region}}}\n")), ["n", "P"]);
    assert_eq!(names(&format!("#define P 4\nvoid f(int n) {{\n{region}}}\n")), ["n", "P"]);
    assert_eq!(
        names(&format!("#if 0\nint P;\n#endif\n/* P */ char *s = \"P\";\nvoid f(int n) {{\n{region}}}\n")),
        ["n"]
    );
}

#[test]
fn an_integer_division_is_warned_about() {
    let warned = |option: &str| {
        let done =
            translated("w.c", &body(&format!("#pragma cll F F[0]*k var(k = {option})\nn++;\n#pragma cll end F")));
        assert!(done.problems.is_empty(), "{option}: {:?}", done.problems);
        done.files[0].warnings.iter().map(|warning| (warning.code.clone(), warning.line)).collect::<Vec<_>>()
    };
    for option in ["n/2", "(n)/(x)", "n / sizeof(int)", "(int)n/2", "f(n/2)"] {
        assert_eq!(warned(option), [("integer_division".to_owned(), Some(2))], "{option}");
    }
    for option in ["n/2.0", "n/2.", "n/2e3", "(double)n/2", "(float)n/x", "1.f*n/x", "n*2", "(real)n/x"] {
        assert_eq!(warned(option), [], "{option}");
    }
}

#[test]
fn bytes_that_are_no_text_and_a_mark_pass_through() {
    let mut source = b"\xEF\xBB\xBFchar *s = \"\xFF\xFE\";\r\nvoid f(int n) {\r\n#pragma cll F F[0]*n\r\nn++; /* \xE9 */\r\n#pragma cll end F\r\n}".to_vec();
    let translate = |text: &[u8]| {
        use runcast_call::translate::{Input, Language, translate};
        translate(&[Input::new("b.c", text.to_vec(), Language::C)], &mut |_, _| None)
    };
    let done = translate(&source);
    assert!(done.problems.is_empty());
    let text = &done.files[0].text;
    assert!(text.starts_with(b"\xEF\xBB\xBF#include \"b.cll.h\"\n#line 1 \"b.c\"\nchar *s = \"\xFF\xFE\";\r\n"));
    assert!(text.ends_with(b"n++; /* \xE9 */\r\nCLL_OVER(cll_g3); }\r\n}"));
    // In a pragma, only text means something.
    let place = source.windows(3).position(|part| part == b"*n\r").expect("there");
    source[place + 1] = 0xFF;
    let problems = translate(&source).problems;
    assert_eq!((problems[0].code.as_str(), problems[0].line), ("bad-clause", Some(3)));
}
