//! Regions that are left early, and recursion.

use crate::support::{recorded, sample};

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
