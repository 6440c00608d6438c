//! What the programs find, and what they are told when they are wrong.

use crate::support::{Linked, build, have, run, text};

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Means of three equal parts of 0, .001, .., .999 at 0, 10 and 20: 0.4995, 10.4995 and 20.4995.
const CENTERS: &str = "status 0 after 2 of 3000 elements\n0.4995 0.4995\n10.4995 10.4995\n20.4995 20.4995\n";

#[test]
fn k_means_finds_the_centers_whatever_the_compiler_and_the_workers() {
    for (compiler, language) in [("gcc", "-std=c99"), ("clang", "-std=c11"), ("g++", "-xc++"), ("clang++", "-xc++")] {
        if !have(compiler) {
            continue;
        }
        let (_folder, program) =
            build(compiler, &[&[language], STRICT.as_slice()].concat(), "kmeans.c", Linked::Static);
        for arguments in ["", "--workers 1", "--workers=3 --collective tree", "--workers 7 --threads 2 --reproducible"]
        {
            let output = run(&program, &arguments.split_whitespace().collect::<Vec<_>>());
            assert_eq!(text(&output.stdout), CENTERS, "{compiler} {arguments}: {}", text(&output.stderr));
        }
    }
}

#[test]
fn the_shared_library_and_the_options_of_a_program() {
    if !have("gcc") {
        return;
    }
    let (folder, program) = build("gcc", &["-std=c99"], "kmeans.c", Linked::Shared);
    let timings = folder.path().join("times.csv");
    let timings = timings.to_str().expect("a path in UTF-8");
    let arguments = ["3000", "--workers", "2", "-v", "--timings", timings, "--", "--workers"];
    let output = run(&program, &arguments);
    assert_eq!(text(&output.stdout), format!("{CENTERS}left 3000\nleft -v\nleft --\nleft --workers\n"));
    let table = std::fs::read_to_string(timings).expect("the table");
    assert!(table.starts_with("program,backend,collective,workers,threads,size,list_length,region,rank,count,time_s,"));
    assert!(table.contains("kmeans,threads,flat,2,1,3000,3000,map_fold,2,2,"), "{table}");

    for (arguments, told) in [
        ("--workers many", "--workers is many; allowed are numbers from 1 on\n"),
        ("--backend=cloud", "--backend is cloud; allowed are serial, threads, mpi\n"),
        ("--timings", "--timings needs a value\n"),
        ("--reproducible=no", "--reproducible takes no value\n"),
    ] {
        let output = run(&program, &arguments.split_whitespace().collect::<Vec<_>>());
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(2), told));
    }
    let output = run(&program, &["--workers", "3001"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("3001 workers"), "{}", text(&output.stderr));
}

#[test]
fn what_is_wrong_is_told_and_nothing_aborts() {
    for compiler in ["gcc", "clang"].into_iter().filter(|compiler| have(compiler)) {
        let flags = ["-std=c99", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
        let (_folder, program) = build(compiler, &flags, "wrong.c", Linked::Static);
        let output = run(&program, &[]);
        assert_eq!(text(&output.stdout), "0 failures\n", "{compiler}: {}", text(&output.stderr));
        assert!(output.status.success(), "{compiler}: {}", text(&output.stderr));
    }
}

#[test]
fn fortran_uses_the_module() {
    if have("gfortran") {
        let (_folder, program) = build("gfortran", &[], "sum.f90", Linked::Shared);
        assert_eq!(text(&run(&program, &[]).stdout), "status 0 sum 385.0 master 1\n");
    }
}
