//! `runcast cll suggest --measure`: formulas from counts, of a program that is built and run in a copy of its folder.

use crate::Place;

/// Loops whose turns no bound says: rows of about 27 entries, a root, halvings in a loop. What one branch declares is not there.
const SOURCE: &str = "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\nstruct rows { int n; int *length; double **entry; };\n\
    static double product(const struct rows *m, int seed)\n{\n    const int rows = m->n;\n    double sum = seed;\n\
    #ifdef NEVER\n    int more = seed;\n    sum += more;\n#endif\n\
    #ifdef _OPENMP\n#pragma omp parallel for reduction(+ : sum)\n#endif\n    for (int i = 0; i < rows; i++) {\n        \
    const int length = m->length[i];\n        for (int j = 0; j < length; j++) sum += m->entry[i][j];\n    }\n    return sum;\n}\n\
    static long root(long n)\n{\n    long c = 0;\n    for (long i = 1; i * i <= n; i++)\n        c += i;\n    return c;\n}\n\
    static int halvings(int n)\n{\n    int c = 0;\n    for (int i = 1; i < n; i++) {\n        int k = n;\n        while (k > 1) k /= 2, c++;\n    }\n    return c;\n}\n\
    static int odd(unsigned n)\n{\n    int c = 0;\n    while (n != 1 && c < 1000) n = n % 2 ? 3 * n + 1 : n / 2, c++;\n    return c;\n}\n\
    int main(int argc, char **argv)\n{\n    int n = argc > 1 ? atoi(argv[1]) : 0;\n    struct rows m = { n, calloc(n, sizeof(int)), calloc(n, sizeof(double *)) };\n    \
    for (int i = 0; i < n; i++) {\n        m.length[i] = i % 5 ? 27 : 26;\n        m.entry[i] = calloc(27, sizeof(double));\n    }\n    \
    printf(\"%g %ld %d %d\\n\", product(&m, 3), root(n), halvings(n), odd(n));\n    return 0;\n}\n";

#[test]
fn counts_give_formulas_that_bounds_do_not() {
    let place = Place::new();
    place.write("src/kernels.c", SOURCE);
    place.write("Makefile", "app: src/kernels.c\n\tcc -O1 -Wall -Werror -o app src/kernels.c\n");
    // What was built before is older than the counters.
    place.write("app", "#!/bin/sh\nexit 1\n");
    let sizes = "n=1000,2000,4000,8000,16000";
    let words = [
        "cll",
        "suggest",
        "src",
        "-o",
        "cll.patch",
        "--json",
        "--measure",
        "--at",
        sizes,
        "--",
        "sh",
        "-c",
        "make -s && ./app {n}",
    ];
    let document = place.run(&words).code(0).document();
    let loops = document["loops"].as_array().expect("loops");
    let of = |function: &str| loops.iter().find(|one| one["function"] == function).expect(function);
    for (function, leading) in [("product", "rows"), ("root", "sqrt(n)"), ("halvings", "n*log2(n)"), ("main", "n")] {
        let one = of(function);
        assert_eq!(
            (&one["leading"], &one["trips"], &one["placed"]),
            (&leading.into(), &"measured".into(), &true.into()),
            "{one}"
        );
        assert!(one["rms_pct"].as_f64().is_some_and(|rms| rms <= 3.0), "{one}");
    }
    let odd = of("odd");
    assert_eq!((&odd["trips"], &odd["placed"]), (&"unknown".into(), &false.into()));
    assert!(odd["reason"].as_str().is_some_and(|why| why.contains("the best, ")), "{odd}");
    // The pragma of OpenMP stays with its loop, and the folder is as it was.
    let patch = place.read("cll.patch");
    assert!(patch.contains("+#pragma cll product product[0] + product[1]*rows\n #ifdef _OPENMP\n"), "{patch}");
    assert_eq!(place.read("app"), "#!/bin/sh\nexit 1\n");
    assert_eq!(place.read("src/kernels.c"), SOURCE);
}

#[test]
fn what_a_measurement_needs_is_told() {
    let place = Place::new();
    place.write(
        "k.c",
        "int f(int n)\n{\n    int c = 0;\n    for (int i = 0; i < n; i++)\n        c++;\n    return c;\n}\n",
    );
    let code = |words: &[&str]| {
        let document = place.run(&[&["--json", "cll", "suggest", "k.c", "--measure"], words].concat()).document();
        document["problems"][0]["code"].as_str().unwrap_or_else(|| panic!("{document}")).to_owned()
    };
    assert_eq!(code(&["--", "true"]), "no_configurations");
    assert_eq!(code(&["--at", "n=1,2,3,4", "--", "true"]), "unused_name");
    assert_eq!(code(&["--at", "n=1,2,3", "--", "true", "{n}"]), "few_configurations");
    assert_eq!(code(&["--at", "n=1,2,3,4", "--", "true", "{n}"]), "nothing_counted");
    assert_eq!(code(&["--at", "n=1,2,3,4", "--", "./nothing", "{n}"]), "not_started");
    place.run(&["cll", "suggest", "k.c", "--measure"]).code(2);
    place.run(&["cll", "suggest", "k.c", "--", "true"]).code(2);
}
