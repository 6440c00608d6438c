//! Untranslated and translated sources in the hands of compilers: lines, files, messages.

use crate::support::{Place, each_compiler, good, recorded, sample};

/// T14
#[test]
fn a_source_without_pragmas_comes_out_byte_for_byte() {
    let source = sample("plain.c");
    let done = good("plain.c", &source);
    assert_eq!(done.files[0].text, source.as_bytes());
    assert_eq!(done.files[0].header, None);
    for text in
        ["", "\n", "x", "\u{feff}int x;", "#", "#if 0", "\\", "\"", "/*", "R\"(", "'", "#pragma parallel\n", "# 3"]
    {
        assert_eq!(good("x.c", text).files[0].text, text.as_bytes(), "{text:?}");
    }
}

/// T14: `recorded` compiles the source before its translation, too, with no warning but that of unknown pragmas.
#[test]
fn the_program_is_what_it_was() {
    for recorded in recorded("nested.c", &sample("nested.c")) {
        assert_eq!(recorded.before.out, "11 nested.c 38\n");
        assert_eq!(recorded.values("step", "k"), [0.0, 2.0]);
        assert_eq!(recorded.values("inner", "m.rows"), [4.0, 4.0]);
        assert_eq!(recorded.values("outer", "K"), [3.0]);
    }
}

/// T15
#[test]
fn an_error_of_the_user_is_told_at_its_line() {
    let place = Place::new();
    let source = "#include <stdio.h>\nint main(void) {\nint n = 1;\n#pragma cll F F[0] + \\\n  F[1]*n\nputs(\"a\");\n\
        #pragma cll end F\nint first = undeclared_1;\n_Pragma(\"cll G G[0]\") puts(\"b\"); _Pragma(\"cll end G\")\n\
        return undeclared_2;\n}\n";
    let output = place.translate("bad.c", source);
    each_compiler("bad.c", |compiler| {
        let said = place.compile(compiler, &[&output], &[], "bad");
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.contains("bad.c:8:13: error"), "{compiler}: {said}");
        assert!(said.contains("bad.c:10:8: error"), "{compiler}: {said}");
        assert!(!said.contains("cll.c:"), "{compiler}: {said}");
    });
    let value = "int main(void) {\nint n = 1;\n\n#pragma cll F F[0]*m\nn++;\n#pragma cll end F\nreturn n;\n}\n";
    let output = place.translate("value.c", value);
    each_compiler("value.c", |compiler| {
        let said = place.compile(compiler, &[&output], &[], "bad");
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.contains("value.c:4:"), "{compiler}: {said}");
    });
    let cpp = "#include <string>\nint main() {\nint n = 1;\n#pragma cll F F[0]*n\nn++;\n#pragma cll end F\nreturn undeclared_3;\n}\n";
    let output = place.translate("bad.cpp", cpp);
    each_compiler("bad.cpp", |compiler| {
        let said = place.compile(compiler, &[&output], &[], "bad");
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.contains("bad.cpp:7:8: error"), "{compiler}: {said}");
    });
}

#[test]
fn assertions_and_lines_of_their_own_stay() {
    let source = "#include <stdio.h>\nint main(void) {\nint n = 1;\n#pragma cll F F[0]*n\nprintf(\"%s %d\\n\", __FILE__, __LINE__);\n\
        #pragma cll end F\n#line 100 \"grammar.y\"\nprintf(\"%s %d\\n\", __FILE__, __LINE__);\n#pragma cll G G[0]*n\n\
        printf(\"%s %d\\n\", __FILE__, __LINE__);\n#pragma cll end G\nreturn 0; }\n";
    for recorded in recorded("own.c", source) {
        assert_eq!(recorded.before.out, "own.c 5\ngrammar.y 100\ngrammar.y 102\n");
    }
}

#[test]
fn the_first_line_may_ask_for_features() {
    let source = "#define _GNU_SOURCE\n#include <string.h>\n#include <stdio.h>\nint main(void) {\nchar text[4];\n\
        #pragma cll F F[0]\nmempcpy(text, \"abc\", 4);\n#pragma cll end F\nreturn puts(text) < 0; }\n";
    for recorded in recorded("gnu.c", source) {
        assert_eq!(recorded.visits("F", "ok"), 1);
    }
}

#[test]
fn several_sources_make_one_program() {
    let place = Place::new();
    let a = place.translate(
        "a.c",
        "int b(int n);\nint main(void) {\nint n = 2;\n#pragma cll F F[0] + F[1]*n\nn = b(n);\n#pragma cll end F\nreturn n - 4;\n}\n",
    );
    let b = place.translate(
        "b.c",
        "int b(int n);\nint b(int n) {\n#pragma cll F F[0] + F[1]*n\nn *= 2;\n#pragma cll end F\n#pragma cll G\nn += 0;\n#pragma cll end G\nreturn n;\n}\n",
    );
    each_compiler("a.c", |compiler| {
        place.compiled(compiler, &[&a, &b], &["-Werror"], "both");
        assert_eq!(place.run("both").code, Some(0));
        let (rows, header) = place.trace();
        let visits: Vec<&str> = rows.iter().map(|row| row["region"].as_str()).collect();
        assert_eq!(visits, ["F", "G", "F"], "{compiler}: {header}");
    });
}
