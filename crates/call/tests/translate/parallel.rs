//! Parallel programs, reports, switching.

use crate::support::{Place, body, errors, good, is_there, recorded, recorded_with};
use std::process::Command;

#[test]
fn the_kind_of_program_is_told() {
    for (pragma, kind) in [
        ("#pragma cll parallel MPI", "MPI"),
        ("#pragma parallel MPI comm", "MPI"),
        ("#pragma cll parallel PUB bsp", "PUB"),
        ("#pragma parallel OMP", "OMP"),
        ("#pragma cll parallel SEQ", "SEQ"),
    ] {
        let inside = good("x.c", &body(pragma));
        assert_eq!(inside.files[0].parallel, Some(kind), "{pragma}");
        let text = String::from_utf8_lossy(&inside.files[0].text).into_owned();
        assert!(text.contains(&format!("cll_parallel(CLL_{kind}, ")), "{text}");
        assert_eq!(text.ends_with("#include \"cll_mpi.h\"\n"), matches!(kind, "MPI" | "PUB"), "{text}");
        let outside = good("x.c", &format!("{pragma}\nint x;\n"));
        assert_eq!(outside.files[0].parallel, Some(kind), "{pragma}");
    }
    assert_eq!(good("x.c", "void f(void) {\n#pragma parallel for\n}\n").files[0].header, None);
    assert_eq!(errors("#pragma parallel MPI\n#pragma cll parallel OMP\n"), [("bad-clause".into(), 2)]);
    let text = good("x.c", &body("#pragma cll parallel MPI comms[1]\n#pragma parallel MPI"));
    let text = String::from_utf8_lossy(&text.files[0].text).into_owned();
    assert!(text.contains(
        "{ cll_parallel(CLL_MPI, 0.0); { MPI_Comm cll_c = (comms[1]); cll_use_comm(&cll_c, sizeof cll_c); } }"
    ));
}

#[test]
fn threads_are_the_processes_of_openmp() {
    let source = "#include <stdio.h>\n#pragma cll parallel OMP\n\
        int main(void) {\nint sum = 0;\n#pragma cll parallel OMP 1 + 2\n\
        #pragma cll F F[0] + F[1]*n/P var(n = 100)\n\
        #pragma omp parallel for num_threads(3) reduction(+:sum)\n\
        for (int i = 0; i < 100; i++) sum += i;\n\
        #pragma cll end F\n\
        #pragma omp parallel num_threads(3)\n\
        #pragma cll G G[0]\n\
        { int mine = 1; (void)mine; }\n\
        #pragma cll end G\n\
        printf(\"%d\\n\", sum);\nreturn 0; }\n";
    let all = recorded_with("omp.c", source, &["-Wno-unknown-pragmas"]);
    for recorded in all {
        assert_eq!(recorded.values("F", "P"), [3.0]);
        assert_eq!(recorded.before.out, "4950\n");
    }
    // clang needs a library of its own for OpenMP, which need not be there.
    let place = Place::new();
    let output = place.translate("omp.c", source);
    place.compiled("gcc", &[&output], &["-fopenmp"], "omp");
    assert_eq!(place.run("omp").out, "4950\n");
    let (rows, _) = place.trace();
    assert_eq!(rows.iter().filter(|row| row["region"] == "G").count(), 3);
}

#[test]
fn recording_is_switched_and_reported() {
    let source = "#include <stdio.h>\nint main(void) {\n\
        for (int i = 0; i < 5; i++) {\n\
        if (i == 1) {\n#pragma cll off\n}\n\
        if (i == 3) {\n#pragma cll on\n}\n\
        #pragma cll F F[0]*i\n\
        printf(\"%d\\n\", i);\n\
        #pragma cll end F\n\
        }\n\
        #pragma cll report F\n\
        return 0; }\n";
    for recorded in recorded("switch.c", source) {
        assert_eq!(recorded.values("F", "i"), [0.0, 3.0, 4.0]);
    }
}

/// Two ranks, a collective report, and a rank that enters one region more often: one file, with P = 2.
#[test]
fn ranks_of_mpi_write_one_trace() {
    if !(is_there("mpicc") && is_there("mpirun")) {
        return;
    }
    let place = Place::new();
    let output = place.translate("ranks.c", &crate::support::sample("ranks.c"));
    place.compiled("mpicc", &[&output], &["-Werror"], "ranks");
    std::fs::create_dir(place.path("trace")).expect("a folder");
    let ran = Command::new("timeout")
        .args(["60", "mpirun", "--oversubscribe", "-np", "2", "./ranks"])
        .current_dir(place.folder.path())
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("CLL_DIR", place.path("trace"))
        .env("CLL_RUN", "1")
        .output()
        .expect("run");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "10");
    let files = std::fs::read_dir(place.path("trace")).expect("a folder").count();
    let (rows, header) = place.trace();
    assert_eq!(files, 1, "{header}");
    let of =
        |region: &str, rank: &str| rows.iter().filter(|row| row["region"] == region && row["rank"] == rank).count();
    assert_eq!((of("together", "0"), of("together", "1"), of("own", "0"), of("own", "1")), (4, 4, 0, 3));
    assert!(rows.iter().all(|row| row["P"] == "2" && row["status"] == "ok"), "{rows:?}");
}

#[test]
fn a_kind_under_a_condition_asks_for_the_adapter_under_the_same() {
    let source = "int main(void) {\n#if defined A\n#elif defined USING_MPI\n#pragma cll parallel MPI\n#else\n\
                  #pragma cll parallel OMP\n#endif\n  return 0;\n}\n";
    let done = good("x.c", source);
    let text = String::from_utf8_lossy(&done.files[0].text).into_owned();
    let end = "#if defined A\n#elif defined USING_MPI\n#include \"cll_mpi.h\"\n#endif\n";
    assert!(text.ends_with(end), "{text}");
    let always = "int main(void) {\n#pragma cll parallel MPI\n  return 0;\n}\n";
    assert!(good("x.c", always).files[0].text.ends_with(b"}\n#include \"cll_mpi.h\"\n"));
    let both =
        "int main(void) {\n#ifdef A\n#pragma cll parallel MPI\n#endif\n#pragma cll parallel OMP\n  return 0;\n}\n";
    assert_eq!(crate::support::errors_of("x.c", both), [("bad-clause".to_owned(), 5)]);
}
