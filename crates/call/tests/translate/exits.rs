//! Regions that are left early, and recursion.

use crate::support::{recorded, recorded_with, sample};

/// T3
#[test]
fn every_way_out_is_balanced() {
    let source = "#include <stdio.h>\n\
        static int f(int how) {\n\
        int i, sum = 0;\n\
        #pragma cll F F[0] + F[1]*how\n\
        if (how == 1) return 1;\n\
        for (i = 0; i < 4; i++) {\n\
        #pragma cll G G[0]*i\n\
        if (how == 2) break;\n\
        if (how == 3) continue;\n\
        if (how == 4) goto out;\n\
        sum += i;\n\
        #pragma cll end G\n\
        }\n\
        #pragma cll end F\n\
        out:\n\
        return sum;\n}\n\
        int main(void) {\nfor (int how = 0; how < 5; how++) printf(\"%d\\n\", f(how));\nreturn 0;\n}\n";
    for recorded in recorded("t3.c", source) {
        assert_eq!(recorded.before.out, "6\n1\n0\n0\n0\n");
        // F is left by return (1) and by goto (4); G by break (once), continue (four times), goto (once).
        assert_eq!((recorded.visits("F", "ok"), recorded.visits("F", "exit")), (3, 2));
        assert_eq!((recorded.visits("G", "ok"), recorded.visits("G", "exit")), (4, 6));
        assert!(recorded.rows.iter().all(|row| row["level"] == "0"));
    }
}

/// A clock for a program: a unit of `work` takes 1000 ns.
const CLOCK: &str = "static unsigned long long ticks;\n\
    unsigned long long cll_test_clock(void);\n\
    unsigned long long cll_test_clock(void) { return ticks; }\n\
    static long work(long n) { ticks += 1000 * (unsigned long long)n; return n; }\n";

#[test]
fn a_return_at_the_end_of_a_region_ends_its_sample() {
    let source = format!(
        "#include <stdio.h>\n{CLOCK}struct pair {{ int a, b; }};\n\
        static long last(long n) {{\n#pragma cll last last[0] + last[1]*n\n\
        work(1);\nreturn work(n) + work(2);\n#pragma cll end last\n}}\n\
        static int both(int n) {{\n#pragma cll both both[0]*n\n\
        if (n > 2) {{\nif (n > 3) return 4;\nelse return 3; }} else if (n == 1) return (int)work(1) ? 9 : 10;\n\
        else {{ puts(\"two\"); return 2; }}\n#pragma cll end both\n}}\n\
        static void nothing(int n) {{\n#pragma cll nothing nothing[0]\nif (n) puts(\"v\");\nreturn;\n\
        #pragma cll end nothing\n}}\n\
        static struct pair two(int n) {{\nif (n < 0) return (struct pair){{ 0, 0 }};\nelse\n#pragma cll two two[0]*n\n\
        return (struct pair){{ .a = n, .b = n + 1 }};\n#pragma cll end two\n}}\n\
        static int inside(int n) {{\n#pragma cll outer outer[0]*n\nwork(1);\n{{\n#pragma cll inner inner[0]*n\n\
        if (n) return n;\n#pragma cll end inner\n}}\n#pragma cll end outer\nreturn -1;\n}}\n\
        static int sides(int n) {{\n#pragma cll sides sides[0]*n\n#ifdef OTHER\nreturn 1;\n#else\nreturn n\n\
        #if 1\n+ 1\n#endif\n;\n#endif\n#pragma cll end sides\n}}\n\
        static int later(int n) {{\n#pragma cll later later[0]*n at(end)\nn += 5;\nreturn n++;\n\
        #pragma cll end later\n}}\n\
        int main(void) {{\n\
        for (int n = 0; n < 5; n++) {{\n\
        nothing(n);\n\
        printf(\"%ld %d %d %d %d %d\\n\", last(n), both(n), two(n - 1).b, inside(n), sides(n), later(n));\n\
        }}\nreturn 0;\n}}\n"
    );
    for recorded in recorded("last.c", &source) {
        let ok = |region: &str| (recorded.visits(region, "ok"), recorded.visits(region, "exit"));
        for region in ["last", "both", "nothing", "inner", "outer", "sides", "later"] {
            assert_eq!(ok(region), (5, 0), "{region}");
        }
        assert_eq!(ok("two"), (4, 0));
        // What is returned is calculated inside the region.
        let times = recorded.values("last", "time_s");
        for (n, time) in times.iter().enumerate() {
            assert!((time - 1e-6 * (n + 3) as f64).abs() < 1e-12, "{times:?}");
        }
        assert_eq!(recorded.values("later", "n"), [5.0, 6.0, 7.0, 8.0, 9.0]);
    }
}

#[test]
fn a_return_before_the_end_of_a_region_leaves_it_early() {
    let source = "#include <stdio.h>\n\
        static int first(int n) {\n#pragma cll first first[0]*n\nif (n) return 1;\nputs(\"on\");\nreturn 2;\n\
        #pragma cll end first\n}\n\
        static int loop(int n) {\n#pragma cll loop loop[0]*n\nwhile (n > 0) { if (n == 2) return 1; n--; }\n\
        #pragma cll end loop\nreturn 0;\n}\n\
        static int branch(int n) {\n#pragma cll branch branch[0]*n\nswitch (n) { case 1: return 4; default: return 5; }\n\
        #pragma cll end branch\n}\n\
        static int condition(int n) {\n#pragma cll condition condition[0]*n\nif (n) return 7;\n#ifndef OTHER\nputs(\"c\");\n\
        #endif\n#pragma cll end condition\nreturn 8;\n}\n\
        int main(void) {\n\
        for (int n = 0; n < 3; n++) printf(\"%d %d %d %d\\n\", first(n), loop(n), branch(n), condition(n));\n\
        return 0;\n}\n";
    for recorded in recorded("early.c", source) {
        let counts = |region: &str| (recorded.visits(region, "ok"), recorded.visits(region, "exit"));
        assert_eq!(counts("first"), (1, 2));
        assert_eq!(counts("loop"), (2, 1));
        assert_eq!(counts("branch"), (0, 3));
        assert_eq!(counts("condition"), (1, 2));
    }
}

#[test]
fn returned_values_of_cpp_are_what_they_were() {
    let source = format!(
        "#include <cstdio>\n#include <memory>\n#include <stdexcept>\n#include <string>\n#include <vector>\n\
        extern \"C\" {{\n{CLOCK}}}\n\
        static std::vector<int> all{{1, 2, 3}};\n\
        static int &reference(int i) {{\n#pragma cll reference reference[0]*i\nreturn all.at(i);\n#pragma cll end reference\n}}\n\
        static std::unique_ptr<std::string> moved(int n) {{\n#pragma cll moved moved[0]*n\n\
        auto text = std::make_unique<std::string>(n, 'x');\nreturn text;\n#pragma cll end moved\n}}\n\
        static std::vector<int> braces(int n) {{\n#pragma cll braces braces[0]*n\nreturn {{n, n + 1}};\n#pragma cll end braces\n}}\n\
        template <class T> auto twice(T n) -> T {{\n#pragma cll twice twice[0]*n\n\
        if constexpr (sizeof(T) > 4) return [&] {{ return T(work(n)); }}() + n; else {{ return n + n; }}\n#pragma cll end twice\n}}\n\
        struct Late {{ ~Late() {{ work(4); }} }};\n\
        static void local(int n) {{\n#pragma cll local local[0]*n\nLate late;\nreturn static_cast<void>(work(n));\n\
        #pragma cll end local\n}}\n\
        struct Unwound {{ ~Unwound() {{ std::printf(\"%d\\n\", reference(2)); }} }};\n\
        int main() {{\n\
        reference(0) = 7;\nstd::printf(\"%d %s %d %ld\\n\", all[0], moved(3)->c_str(), braces(4)[1], twice(5l) + twice(1));\n\
        local(6);\n\
        try {{ Unwound unwound; reference(9)++; }} catch (const std::out_of_range &) {{ std::puts(\"out\"); }}\n\
        return 0;\n}}\n"
    );
    for recorded in recorded_with("last.cpp", &source, &["-std=c++17"]) {
        assert_eq!(recorded.before.out, "7 xxx 5 12\n3\nout\n");
        let counts = |region: &str| (recorded.visits(region, "ok"), recorded.visits(region, "exit"));
        // What throws has been left early; what is called while an exception is on its way has not.
        assert_eq!(counts("reference"), (2, 1));
        assert_eq!((counts("moved"), counts("braces"), counts("twice")), ((1, 0), (1, 0), (2, 0)));
        assert_eq!(counts("local"), (1, 0));
        assert!((recorded.values("local", "time_s")[0] - 10e-6).abs() < 1e-12);
    }
}

/// T3
#[test]
fn exceptions_lambdas_and_templates() {
    for recorded in recorded("exits.cpp", &sample("exits.cpp")) {
        assert_eq!((recorded.visits("leave", "ok"), recorded.visits("leave", "exit")), (2, 3));
        assert_eq!(recorded.visits("lambda", "ok"), 4);
        assert_eq!(recorded.before.out.lines().next(), Some("three"));
        assert!(recorded.header.contains("\"exits\":\"ok\""));
    }
}

/// T3
#[test]
fn a_sample_left_open_spoils_no_other() {
    let source = "#include <setjmp.h>\n#include <stdio.h>\n#include <stdlib.h>\nstatic jmp_buf back;\n\
        static void jump(void) {\n#pragma cll A A[0]\nlongjmp(back, 1);\n#pragma cll end A\n}\n\
        static void later(int n) {\n#pragma cll B B[0]*n\nputs(\"later\");\n#pragma cll end B\n}\n\
        int main(void) {\nif (setjmp(back) == 0) jump();\nlater(1);\nlater(2);\n\
        #pragma cll C C[0]\nexit(0);\n#pragma cll end C\n}\n";
    for recorded in recorded("jump.c", source) {
        assert_eq!(recorded.visits("A", "open"), 1);
        assert_eq!(recorded.visits("C", "open"), 1);
        assert_eq!(recorded.visits("B", "ok"), 2);
        assert_eq!(recorded.values("B", "n"), [1.0, 2.0]);
    }
}

/// T4
#[test]
fn recursion_of_depth_ten_thousand() {
    let source = "#include <stdio.h>\n\
        static long down(int n) {\nlong sum = n;\n\
        #pragma cll F F[0] + F[1]*n mode(trace)\n\
        if (n > 0) sum += down(n - 1);\n\
        #pragma cll end F\n\
        return sum;\n}\n\
        int main(void) { printf(\"%ld\\n\", down(9999)); return 0; }\n";
    for recorded in recorded("deep.c", source) {
        assert_eq!(recorded.visits("F", "ok"), 10_000);
        let levels = recorded.values("F", "level");
        assert_eq!(levels.iter().copied().fold(0.0, f64::max), 9999.0);
        assert_eq!(levels.iter().filter(|level| **level == 0.0).count(), 1);
    }
}
