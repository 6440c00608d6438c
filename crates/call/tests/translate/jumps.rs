//! Jumps into regions.

use crate::support::{body, error, errors};

#[test]
fn a_goto_into_a_region_is_an_error_with_all_lines() {
    let (code, line, message) = error(&body("goto in;\n#pragma cll F F[0]\na();\nin: b();\n#pragma cll end F"));
    assert_eq!((code.as_str(), line), ("jump-in", 2));
    for part in ["in", "line 2", "line 5", "F", "line 3"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(errors(&body("#pragma cll F F[0]\nin: b();\n#pragma cll end F\ngoto in;")), [("jump-in".into(), 5)]);
    let sibling = "#pragma cll F F[0]\ngoto in;\n#pragma cll end F\n#pragma cll G G[0]\nin: b();\n#pragma cll end G";
    assert_eq!(errors(&body(sibling)), [("jump-in".into(), 3)]);
}

#[test]
fn a_goto_out_of_a_region_or_inside_of_one_is_none() {
    for inside in ["goto out;", "again: a(); goto again;", "{ goto down; down: ; }"] {
        let source = body(&format!("#pragma cll F F[0]\n{inside}\n#pragma cll end F\nout: return;"));
        assert_eq!(errors(&source), [], "{inside}");
    }
    let deeper = "#pragma cll F F[0]\nup: a();\n#pragma cll G G[0]\ngoto up;\n#pragma cll end G\n#pragma cll end F";
    assert_eq!(errors(&body(deeper)), []);
    // Another function may have the same label.
    let two = format!(
        "{}{}",
        body("goto in; in: ;"),
        body("#pragma cll F F[0]\nin: a();\n#pragma cll end F").replace("f(", "g(")
    );
    assert_eq!(errors(&two), []);
}

#[test]
fn a_case_label_into_a_region_is_an_error() {
    let source = "switch (x) {\ncase 0:\n#pragma cll F F[0]\na();\ncase 1: b();\ndefault:\nc();\n#pragma cll end F\n}";
    assert_eq!(errors(&body(source)), [("case-inside".into(), 6), ("case-inside".into(), 7)]);
    let duff = "switch (x) {\ncase 0: do {\n#pragma cll F F[0]\na();\ncase 1: ;\n#pragma cll end F\n} while (n); }";
    assert_eq!(errors(&body(duff)), [("case-inside".into(), 6)]);
    let whole = "#pragma cll F F[0]\nswitch (x) {\ncase 0: a(); break;\ncase 'x' ... 'z': case A ? B : C:\ndefault: b(); }\n#pragma cll end F";
    assert_eq!(errors(&body(whole)), []);
    let behind = "switch (x) {\ncase 0:\n#pragma cll F F[0]\na();\nb();\n#pragma cll end F\nbreak;\ndefault: ; }";
    assert_eq!(errors(&body(behind)), []);
}

/// `recorded` compiles with -Wall -Wextra -Werror.
#[test]
fn regions_that_end_in_jumps_bring_no_warning() {
    let source = "#include <stdio.h>\nint f(int x);\nint g(int x);\n\
        int f(int x) {\n#pragma cll F F[0]*x\nreturn x;\n#pragma cll end F\n}\n\
        int g(int x) {\n#pragma cll G G[0]*x\nif (x) { x++; return 1; } else\n#pragma cll H H[0]\nreturn 2;\n#pragma cll end H\n\
        #pragma cll end G\n}\n\
        static int h(int x) {\n#pragma cll I I[0]*x\nif (x) goto end;\nx++;\nreturn x;\nend:\n#pragma cll end I\nreturn 5;\n}\n\
        static int k(int x) {\n#pragma cll K K[0]*x\nif (x > 5) return 1;\nelse x++;\n#ifdef NOT\nreturn 1;\n#endif\n\
        #pragma cll end K\nreturn x;\n}\n\
        int main(void) { printf(\"%d %d %d %d %d\\n\", f(3), g(0), h(1), h(0), k(1)); return 0; }\n";
    for option in ["-O0", "-O2"] {
        for recorded in crate::support::recorded_with("ends.c", source, &[option]) {
            assert_eq!(recorded.before.out, "3 2 5 1 2\n");
            for name in ["F", "G", "H"] {
                assert_eq!(recorded.visits(name, "ok"), 1, "{name}");
            }
            assert_eq!(
                (recorded.visits("I", "ok"), recorded.visits("I", "exit"), recorded.visits("K", "ok")),
                (1, 1, 1)
            );
        }
    }
}

#[test]
fn regions_behind_labels_fall_through_without_a_warning() {
    let source = "#include <stdio.h>\nint main(int n, char **a) {\n(void)a;\nswitch (n) {\ncase 1:\n#pragma cll F F[0]\nputs(\"one\");\nbreak;\n\
        #pragma cll end F\ncase 2:\nputs(\"two\");\n}\nreturn 0; }\n";
    for recorded in crate::support::recorded("fall.c", source) {
        assert_eq!((recorded.before.out.as_str(), recorded.visits("F", "exit")), ("one\n", 1));
    }
}
