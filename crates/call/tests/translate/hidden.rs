//! Names that the braces of a region would hide.

use crate::support::{body, errors, errors_of, recorded};

#[test]
fn a_name_declared_inside_and_used_behind_is_an_error() {
    for (inside, behind) in [
        ("int i = 0;", "x = i;"),
        ("size_t k;", "f(k, 0);"),
        ("struct s *p = 0;", "p->x = 3;"),
        ("T *p = g();", "{ while (x) { use(p); } }"),
        ("int a, b[3];", "b[0] = 1;"),
        ("typedef int T;", "T y;"),
        ("struct s { int a; };", "struct s v;"),
        ("double (*g)(double) = sin;", "x = g(1);"),
        ("#pragma cll G G[0]\nint i = 0;\n#pragma cll end G", "x = i;"),
        ("int i = 0;", "#pragma cll H H[0]*i"),
        ("int i = 0;", "#pragma cll H H[0]*k var(k = g(i->j))"),
    ] {
        let source = body(&format!("#pragma cll F F[0]\n{inside}\n#pragma cll end F\n{behind}"));
        let source =
            if behind.contains("cll H") { source.replace("\n}\n", "\nx++;\n#pragma cll end H\n}\n") } else { source };
        let found = errors(&source);
        let line = source.lines().position(|line| line == behind).expect("there") as u64 + 1;
        assert_eq!(found, [("hidden-declaration".to_owned(), line)], "{inside}");
        let open = body(&format!(
            "#pragma cll F F[0] open\n{}\n#pragma cll end F\n{behind}",
            inside.replace("G[0]", "G[0] open")
        ));
        let open =
            if behind.contains("cll H") { open.replace("\n}\n", "\nx++;\n#pragma cll end H\n}\n") } else { open };
        assert_eq!(errors(&open), [], "{inside}");
    }
}

#[test]
fn other_names_are_none_of_our_business() {
    for (inside, behind) in [
        ("for (int i = 0; i < n; i++) ;", "int i = 3; x = i;"),
        ("int i = 0;", "int i = 1; x = i;"),
        ("int i = 0;", "for (int i = 0; i < n; i++) x += i;"),
        ("int i = 0;", "for (size_t i = 0; i < n; i++) x += i;"),
        ("int i = 0;", "{ int i = 1; x = i; }"),
        ("int i = 0;", "s.i = 3; p->i = 4; t = (struct t){ .i = 3 };"),
        ("int i = 0;", "goto i; i: x++;"),
        ("{ int i = 0; }", "x = i;"),
        ("x = n; x + n;", "x = n;"),
        ("struct s { int a; };", "s = 3;"),
        ("int i = 0; use(i);", "} void g(int i) { use(i);"),
        ("int i = 0;", "struct t { int i; } t;"),
    ] {
        let source = body(&format!("#pragma cll F F[0]\n{inside}\n#pragma cll end F\n{behind}"));
        assert_eq!(errors(&source), [], "{inside} {behind}");
    }
}

#[test]
fn names_of_cpp() {
    let region =
        |inside: &str, behind: &str| body(&format!("#pragma cll F F[0]\n{inside}\n#pragma cll end F\n{behind}"));
    for inside in ["std::vector<int> v(n);", "auto v = g();", "auto [u, v] = g();", "const auto &v = g();", "Foo v{1};"]
    {
        assert_eq!(errors_of("x.cpp", &region(inside, "use(v);")), [("hidden-declaration".into(), 5)], "{inside}");
    }
    assert_eq!(errors_of("x.cpp", &region("int v = 1;", "auto g = [](int v) { return v; };")), []);
    assert_eq!(errors_of("x.cpp", &region("std::cout << v;", "use(v);")), []);
    assert_eq!(errors_of("x.cpp", &region("int v = 1;", "for (auto v : w) use(v);")), []);
}

#[test]
fn an_outer_variable_is_not_taken_for_an_inner_one() {
    let source = "#include <stdio.h>\nint main(void) {\nint i = 5;\n{\n#pragma cll F F[0]*i\nint k = 1;\ni += k;\n#pragma cll end F\n}\n\
        int k = 8;\nprintf(\"%d %d\\n\", i, k);\nreturn 0; }\n";
    for recorded in recorded("outer.c", source) {
        assert_eq!(recorded.before.out, "6 8\n");
    }
}
