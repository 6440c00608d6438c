//! `runcast cll suggest`: pragmas for loops, as a patch that applies and translates.

use crate::Place;
use std::process::Command;

/// The loops of the page on theory, each with the term that its bounds give.
const SOURCE: &str = "#include <math.h>\nvoid gemm(int n, double *a) {\n    for (int i = 0; i < n; i++)\n        \
    for (int j = 0; j < n; j++)\n            for (int k = 0; k < n; k++)\n                a[i] += sqrt(k);\n}\n\
    void triangle(int n, double *a) {\n    for (int i = 0; i < n; i++) {\n        for (int j = 0; j <= i; j++)\n            \
    a[i] += j;\n    }\n}\n\
    struct csr { int n; int *p; double *v; };\ndouble product(struct csr *m) {\n    double s = 0;\n    \
    for (int i = 0; i < m->n; i++)\n        for (int k = m->p[i]; k < m->p[i+1]; k++)\n            s += m->v[k];\n    return s;\n}\n\
    int find(int n, double *a) {\n    for (int i = 0; i < n; i++)\n        if (a[i] > 0) return i;\n    \
    for (;;) { if (a[0]++ > 3) break; }\n    return -1;\n}\n";

#[test]
fn a_patch_applies_and_translates() {
    let place = Place::new();
    place.write("src/deep/kernels.c", SOURCE);
    place.write("src/notes.txt", "for (;;)\n");
    let document = place.run(&["cll", "suggest", "src", "-o", "cll.patch", "--json"]).code(0).document();
    let loops = document["loops"].as_array().expect("loops");
    let found = loops.iter().map(|one| (one["function"].as_str().expect("a name"), one["leading"].as_str()));
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            ("gemm", Some("n^3")),
            ("triangle", Some("n^2")),
            ("product", Some("p_total")),
            ("find", Some("n")),
            ("find", None)
        ]
    );
    assert_eq!(loops[2]["variables"], serde_json::json!(["p_total = m->p[m->n] - m->p[0]"]));
    assert_eq!((&loops[4]["placed"], &loops[4]["trips"]), (&false.into(), &"unknown".into()));
    assert!(loops[4]["reason"].as_str().is_some_and(|why| why.contains("not known")), "{document}");

    let patched = Command::new("patch").args(["-p1", "-i", "cll.patch"]).current_dir(place.folder.path()).output();
    let patched = patched.expect("patch is there");
    assert!(patched.status.success(), "{patched:?}\n{}", place.read("cll.patch"));
    let text = place.read("src/deep/kernels.c");
    assert!(text.contains("#pragma cll find find[0] + find[1]*n exits(ok)\n    for (int i"), "{text}");
    assert_eq!(text.matches("#pragma cll end ").count(), 4);
    place.run(&["cll", "translate", "--check", "src/deep/kernels.c"]).code(0);
    // What has its pragmas gets no others.
    let again = place.run(&["cll", "suggest", "src", "--json"]).code(0).document();
    assert_eq!(again["patch"], "", "{again}");
}

/// From one pointer to another: a number of elements, but neither end is a number that can be recorded.
#[test]
fn pointers_are_no_sizes() {
    let place = Place::new();
    let text = "struct term { int used; };\nint count(struct term *first, struct term *last) {\n    int n = 0;\n    \
        for (struct term *t = first; t < last; t++) n += t->used;\n    return n;\n}\n\
        double sum(double *from, double *to) {\n    double s = 0;\n    for (double *x = from; x < to; x++) s += 2 * *x;\n    \
        return s;\n}\nint product(int n) {\n    int s = 0;\n    for (int i = 0; i < n; i++) s += n * i;\n    return s;\n}\n";
    place.write("terms.c", text);
    let document = place.run(&["cll", "suggest", "terms.c", "--json"]).code(0).document();
    let loops = document["loops"].as_array().expect("loops");
    for (number, name) in ["t", "x"].into_iter().enumerate() {
        let why = loops[number]["reason"].as_str().expect("a reason");
        assert!(why.starts_with(&format!("{name} of the loop in line ")) && why.ends_with(" is a pointer"), "{why}");
    }
    assert_eq!((&loops[2]["placed"], &loops[2]["leading"]), (&true.into(), &"n".into()));
}

#[test]
fn only_some_loops_are_asked_for() {
    let place = Place::new();
    place.write("k.c", SOURCE);
    let one = place.run(&["cll", "suggest", "k.c", "--only", "gemm"]).code(0);
    assert!(
        one.out.contains("+#pragma cll gemm gemm[0] + gemm[1]*n^3\n") && one.out.matches("\n+").count() == 3,
        "{}",
        one.out
    );
    let most = place.run(&["cll", "suggest", "k.c", "--most", "1", "--json"]).code(0).document();
    assert!(
        most["patch"]
            .as_str()
            .is_some_and(|patch| patch.contains("#pragma cll gemm") && !patch.contains("#pragma cll triangle")),
        "{most}"
    );
    place.run(&["cll", "suggest", "nothing.c"]).code(2);
}
