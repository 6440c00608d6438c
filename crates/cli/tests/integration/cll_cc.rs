//! `runcast cll cc`: small projects, built with and without one word before the compiler.

use crate::{Answer, Place, program};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// What a C and a C++ compiler are called. With `RUNCAST_REQUIRE_ALL=0` those that are missing are left out.
fn compilers() -> Vec<(&'static str, &'static str)> {
    let there = |name: &str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let optional = std::env::var("RUNCAST_REQUIRE_ALL").is_ok_and(|value| value == "0");
    let all = [("gcc", "g++"), ("clang", "clang++")];
    all.into_iter()
        .filter(|(c, cpp)| {
            let found = there(c) && there(cpp);
            assert!(found || optional, "{c} and {cpp} are needed");
            found
        })
        .collect()
}

/// A project whose regions are in a source, in a header for C and C++, in a template and in an included source.
fn project() -> Place {
    let place = Place::new();
    place.write(
        "src/main.c",
        "#include <stdio.h>\n#include \"part.c\"\n#include <both.h>\n#include \"own.h\"\nint other(int n);\n\
         int main(void) {\n    int s = 0;\n    for (int n = 1; n <= 4; n++) {\n\
         #pragma cll M M[0] + M[1]*n\n        s += own(n) + other(n);\n#pragma cll end M\n\
         s += both(n) + part(n);\n    }\n    printf(\"%d %s:%d\\n\", s, __FILE__, __LINE__);\n    return 0;\n}\n",
    );
    place.write("src/own.h", "static inline int own(int n) { return n; }\n");
    place.write(
        "src/part.c",
        "static int part(int n) {\n#pragma cll PART PART[0]*n\n    n += 1;\n#pragma cll end PART\n    return n;\n}\n",
    );
    place.write(
        "include/both.h",
        "#ifndef BOTH_H\n#define BOTH_H\nstatic inline int both(int n) {\n#pragma cll B B[0] + B[1]*n\n\
         int twice = 2 * n;\n    return twice;\n#pragma cll end B\n}\n#endif\n",
    );
    place.write(
        "src/other.cpp",
        "#include <both.h>\n#include \"box.hpp\"\nextern \"C\" int other(int n) { return both(n) + box(n) + int(box(0.5)); }\n",
    );
    place.write(
        "src/box.hpp",
        "template <class T> T box(T v) {\n#pragma cll BOX BOX[0]\n    v += 1;\n#pragma cll end BOX\n    return v;\n}\n",
    );
    place.write("lib/main.c", "int lib_main(void) {\n#pragma cll L L[0]\n    ;\n#pragma cll end L\n    return 0;\n}\n");
    place.write(
        "Makefile",
        "CFLAGS = -O1 -g -Wall -Wextra -Werror -pedantic $(MORE) -Iinclude -MMD -MP\nCXXFLAGS = $(CFLAGS)\n\
         app: src/main.o src/other.o lib.a\n\t$(LD) -o $@ $^\n\
         lib.a: lib/main.o\n\trm -f $@\n\tar rc $@ $^\n-include src/*.d lib/*.d\n",
    );
    place
}

/// A command in the place. Tests share the folder of translations, as builds do, unless the place has one: `shadow/`.
fn in_place(place: &Place, words: &[&str]) -> Answer {
    let shared = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("cll-cc");
    let shadow = if place.path("own").exists() { place.path("shadow") } else { shared };
    let mut command = Command::new("timeout");
    command.args(["-k", "5", "60"]).args(words).current_dir(place.folder.path());
    command.env("RUNCAST_CLL_SHADOW", shadow).env("CLL_RUN", "1").env("LC_ALL", "C");
    for name in ["RUNCAST_CLL_OFF", "RUNCAST_CLL_STRICT", "RUNCAST_CLL_LOG", "MAKEFLAGS", "CLL_DIR"] {
        command.env_remove(name);
    }
    Answer::of(&command.stdin(Stdio::null()).output().expect("started"))
}

/// `runcast cll cc -- words`
pub fn wrapped(place: &Place, words: &[&str]) -> Answer {
    let program = program().display().to_string();
    in_place(place, &[&[program.as_str(), "cll", "cc", "--"], words].concat())
}

fn report(place: &Place) -> Value {
    in_place(place, &[&program().display().to_string(), "cll", "cc", "--report", "--json"]).code(0).document()
}

/// The regions of the rows of a trace.
fn visits(trace: &str, region: &str) -> usize {
    trace.lines().filter(|line| line.split(',').next() == Some(region)).count()
}

#[test]
fn a_project_builds_with_one_word_more_and_records() {
    let wrapper = format!("{} cll cc --", program().display());
    for (c, cpp) in compilers() {
        let plain = project();
        in_place(
            &plain,
            &[
                "make",
                "-s",
                "MORE=-Wno-unknown-pragmas",
                &format!("CC={c}"),
                &format!("CXX={cpp}"),
                &format!("LD={cpp}"),
            ],
        )
        .code(0);
        let before = in_place(&plain, &["./app"]).code(0).out;
        let place = project();
        let words =
            ["make", "-s", "-j2", &format!("CC={wrapper} {c}"), &format!("CXX={wrapper} {cpp}"), &format!("LD={cpp}")];
        let built = in_place(&place, &words).code(0);
        assert_eq!((built.out.as_str(), built.err.as_str()), ("", ""), "{c}");
        assert_eq!(in_place(&place, &["./app"]).code(0).out, before, "{c}");
        assert!(before.ends_with("src/main.c:14\n"), "{before}");

        let trace = place.read("app.cll.1.csv");
        let counts = ["M", "PART", "B", "BOX"].map(|region| visits(&trace, region));
        assert_eq!(counts, [4, 4, 8, 8], "{trace}");
        let of_header = trace.lines().filter(|line| line.contains("experiment: ") && line.contains("\"name\":\"B\""));
        assert_eq!(of_header.count(), 1, "{trace}");

        // Make knows the user's files, and nothing else.
        for file in ["src/main.d", "src/other.d", "lib/main.d"] {
            let rules = |place: &Place| {
                place.read(file).split_whitespace().filter(|word| *word != "\\").map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(rules(&place), rules(&plain), "{c} {file}");
        }
        assert_eq!(in_place(&place, &words).code(0).out, "", "nothing is to be done");
        let header = place.read("include/both.h").replace("2 * n", "3 * n");
        place.write("include/both.h", &header);
        in_place(&place, &words).code(0);
        assert_ne!(in_place(&place, &["./app"]).code(0).out, before, "{c}");

        let document = report(&place);
        let sources = document["sources"].as_array().expect("sources");
        assert_eq!(sources.len(), 3, "{document}");
        let main = sources.iter().find(|source| source["file"].as_str().is_some_and(|f| f.ends_with("src/main.c")));
        let names: Vec<&Value> =
            main.expect("main")["experiments"].as_array().expect("some").iter().map(|e| &e["name"]).collect();
        assert_eq!(names, ["M", "PART", "B"], "{document}");
    }
}

#[test]
fn link_time_optimization_keeps_regions_and_one_library() {
    let wrapper = format!("{} cll cc --", program().display());
    for (c, cpp) in compilers() {
        // GNU ld needs a plugin for clang's objects, which is a package of its own.
        let probe = Place::new();
        probe.write("a.c", "int main(void) { return 0; }\n");
        let linked = Command::new(c).args(["-flto", "a.c"]).current_dir(probe.folder.path()).output();
        if !linked.is_ok_and(|output| output.status.success()) {
            assert_eq!(c, "clang");
            continue;
        }
        let place = project();
        let words = ["make", "-s", "-j2", "MORE=-flto", &format!("CC={wrapper} {c}"), &format!("CXX={wrapper} {cpp}")];
        let built = in_place(&place, &[&words[..], &[&format!("LD={cpp} -flto")]].concat()).code(0);
        assert!(!built.err.contains("error"), "{}", built.err);
        let object = std::fs::read(place.path("src/main.o")).expect("an object");
        let holds = |bytes: &[u8]| object.windows(bytes.len()).any(|window| window == bytes);
        // gcc keeps its own form in sections of this name; clang's file is bitcode.
        assert!(if c == "gcc" { holds(b".gnu.lto_main") } else { object.starts_with(b"BC") }, "{c}");
        in_place(&place, &["./app"]).code(0);
        let counts = ["M", "PART", "B", "BOX"].map(|region| visits(&place.read("app.cll.1.csv"), region));
        assert_eq!(counts, [4, 4, 8, 8], "{c}");
    }
}

#[test]
fn messages_have_the_names_and_lines_of_the_user() {
    let place = project();
    place.write(
        "src/wrong.c",
        "#include \"own.h\"\nint wrong(int n) {\n#pragma cll W W[0]\n    n++;\n#pragma cll end W\n    return m;\n}\n",
    );
    for (c, _) in compilers() {
        let plain = in_place(&place, &[c, "-Wno-unknown-pragmas", "-c", "src/wrong.c", "-o", "wrong.o"]);
        let answer = wrapped(&place, &[c, "-c", "src/wrong.c", "-o", "wrong.o"]);
        assert_eq!((answer.code, answer.err.contains("cll-cc")), (plain.code, false), "{}", answer.err);
        assert!(answer.err.contains("src/wrong.c:6:"), "{}", answer.err);
        assert!(!place.path("wrong.o").exists());
    }
}

#[test]
fn what_has_no_region_gets_its_words_unchanged() {
    let place = Place::new();
    place.write("own", "");
    place.write("print", "#!/bin/sh\nfor word in \"$@\"; do echo \"[$word]\"; done\nexit 3\n");
    in_place(&place, &["chmod", "+x", "print"]).code(0);
    std::fs::rename(place.path("print"), place.path("my-gcc-12")).expect("renamed");
    place.write("a.c", "int a;\n");
    place.write("r.c", "void r(void) {\n#pragma cll R R[0]\n;\n#pragma cll end R\n}\n");
    for words in [
        &["./my-gcc-12", "-c", "a.c", "-DX=\"a b\"", "-o", "x y.o"][..],
        &["./my-gcc-12", "--version"],
        &["./my-gcc-12", "-E", "r.c"],
        &["./my-gcc-12", "-MM", "r.c"],
        &["./my-gcc-12", "r.o", "-o", "r"],
    ] {
        let expected: String = words[1..].iter().map(|word| format!("[{word}]\n")).collect();
        assert_eq!(wrapped(&place, words).code(3).out, expected, "{words:?}");
    }
    assert!(!place.path("shadow").exists());
    let off =
        ["env", "RUNCAST_CLL_OFF=1", &program().display().to_string(), "cll", "cc", "--", "./my-gcc-12", "-c", "r.c"];
    assert_eq!(in_place(&place, &off).code(3).out, "[-c]\n[r.c]\n");
    assert!(wrapped(&place, &["./my-gcc-12", "-c", "r.c"]).code(3).out.contains("/shadow/"));
    wrapped(&place, &["no-such-compiler-gcc", "-c", "a.c"]).code(127);
    wrapped(&place, &[]).code(2);
    place.run(&["cll", "cc", "gcc", "-c", "a.c"]).code(2);
}

#[test]
fn ways_to_compile_leave_the_same_files() {
    let (main, a, b) = (
        "int a(int); int b(int);\nint main(void) { return a(1) + b(1) - 5; }\n",
        "int a(int n) {\n#pragma cll A A[0]\n    n++;\n#pragma cll end A\n    return n;\n}\n",
        "int b(int n) {\n#pragma cll B B[0]\n    n += 2;\n#pragma cll end B\n    return n;\n}\n",
    );
    for (c, _) in compilers() {
        for (setup, words, files) in [
            ("", vec!["-c", "main.c", "a.c", "d/b.c"], vec!["a.o", "b.o", "main.o"]),
            ("", vec!["-MD", "-MF", "my.d", "-MT", "t", "-c", "a.c", "-o", "x.o"], vec!["my.d", "x.o"]),
            ("", vec!["-Wp,-MD,my.d", "-c", "a.c"], vec!["a.o", "my.d"]),
            ("", vec!["-S", "a.c"], vec!["a.s"]),
            ("", vec!["-c", "a.c", "-o", "/dev/null"], vec![]),
            ("", vec!["main.c", "a.c", "d/b.c", "-o", "app"], vec!["app"]),
            ("-c a.c\n-o 'a b.o'", vec!["@args"], vec!["a b.o"]),
            ("", vec!["-x", "c", "-c", "a.txt", "-x", "none"], vec!["a.o"]),
            ("", vec!["-flto", "-c", "a.c"], vec!["a.o"]),
            ("", vec!["-fPIC", "-shared", "a.c", "-o", "a.so"], vec!["a.so"]),
        ] {
            let place = Place::new();
            place.write("main.c", main);
            place.write("a.c", a);
            place.write("a.txt", a);
            place.write("d/b.c", b);
            place.write("args", setup);
            wrapped(&place, &[&[c, "-Wall", "-Werror"][..], &words].concat()).code(0);
            let known = ["main.c", "a.c", "a.txt", "d", "args"];
            let entries = std::fs::read_dir(place.folder.path()).expect("a folder");
            let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
            let mut left: Vec<String> = names.filter(|name| !known.contains(&name.as_str())).collect();
            left.sort();
            assert_eq!(left, files, "{c} {words:?}");
            if files.contains(&"my.d") {
                let rule = place.read("my.d");
                assert!(rule.contains(": a.c") && !rule.contains("cll-cc"), "{rule}");
            }
            if files == ["app"] {
                in_place(&place, &["./app"]).code(0);
                assert_eq!(visits(&place.read("app.cll.1.csv"), "A"), 1);
            }
        }
    }
}

#[test]
fn a_source_on_the_standard_input() {
    let place = Place::new();
    place.write("a.c", "int a(int n) {\n#pragma cll A A[0]\n    n++;\n#pragma cll end A\n    return n;\n}\n");
    for (c, _) in compilers() {
        let line = format!("{} cll cc -- {c} -Wall -Werror -x c -c - -o a.o < a.c", program().display());
        in_place(&place, &["sh", "-c", &line]).code(0);
        let symbols = in_place(&place, &["nm", "a.o"]).code(0).out;
        assert!(symbols.contains("cll_begin") || symbols.contains("cll_shared_"), "{symbols}");
    }
}

#[test]
fn a_region_that_cannot_be_translated_is_left_out_alone() {
    let place = Place::new();
    place.write(
        "a.c",
        "int a(int n) {\n#pragma cll GOOD GOOD[0]\n    n++;\n#pragma cll end GOOD\n    if (n)\n\
         #pragma cll BAD BAD[0]\n        n++;\n    n--;\n#pragma cll end BAD\n\
         #pragma cll WORSE WORSE[0]*cost(n)\n    n++;\n#pragma cll end WORSE\n    return n;\n}\nint main(void) { return a(1) - 3; }\n",
    );
    let compiler = compilers()[0].0;
    let answer = wrapped(&place, &[compiler, "-Wall", "-Werror", "a.c", "-o", "a"]).code(0);
    let lines: Vec<&str> = answer.err.lines().collect();
    assert_eq!(lines.len(), 2, "{}", answer.err);
    assert!(
        answer.err.contains("a.c:6:1: warning: region \"BAD\" is not recorded: many-statements: "),
        "{}",
        answer.err
    );
    assert!(answer.err.contains("warning: region \"WORSE\" is not recorded: unknown-function: "), "{}", answer.err);
    assert!(lines.iter().all(|line| line.ends_with(" [cll]")));
    in_place(&place, &["./a"]).code(0);
    let trace = place.read("a.cll.1.csv");
    assert_eq!(["GOOD", "BAD", "WORSE"].map(|region| visits(&trace, region)), [1, 0, 0]);
    let source = &report(&place)["sources"][0];
    assert_eq!(source["refused"][0], json!({"name": "BAD", "line": 6, "code": "many-statements"}));

    let program = program().display().to_string();
    let strict = [program.as_str(), "cll", "cc", "--strict", "--", compiler, "-c", "a.c", "-o", "strict.o"];
    let answer = in_place(&place, &strict).code(1);
    assert!(answer.err.contains("a.c:6:1: error: ") && !place.path("strict.o").exists());
    let quiet = [program.as_str(), "cll", "cc", "--quiet", "--log", "log", "--", compiler, "-c", "a.c"];
    assert_eq!(in_place(&place, &quiet).code(0).err, "");
    let line: Value = serde_json::from_str(place.read("log").trim()).expect("a line");
    assert_eq!((&line["experiments"], &line["refused"], &line["status"]), (&json!(1), &json!(2), &json!(0)));
}

#[test]
fn a_folder_that_cannot_be_written_is_no_reason_to_fail() {
    let place = Place::new();
    place.write("a.c", "int main(void) {\n#pragma cll A A[0]\n    ;\n#pragma cll end A\n    return 0;\n}\n");
    place.write("file", "");
    let compiler = compilers()[0].0;
    let file = place.path("file/x").display().to_string();
    let program = program().display().to_string();
    // No place at all: the original is compiled.
    let names = ["RUNCAST_CLL_SHADOW", "XDG_CACHE_HOME", "HOME", "TMPDIR"].map(|name| format!("{name}={file}"));
    let mut words = vec!["env"];
    words.extend(names[..3].iter().map(String::as_str));
    words.extend([program.as_str(), "cll", "cc", "--shadow", &file, "--", compiler, "-c", "a.c", "-o", "next.o"]);
    in_place(&place, &words).code(0);
    assert!(place.path("next.o").exists());
}

#[test]
fn scripts_stand_for_compilers_and_translations_go() {
    let place = project();
    place.write("own", "");
    let compiler = compilers()[0].0;
    let program = program().display().to_string();
    in_place(&place, &[&program, "cll", "cc", "--install", "bin", compiler]).code(0);
    in_place(&place, &[&format!("bin/cll-{compiler}"), "-Iinclude", "-c", "src/main.c"]).code(0);
    assert!(place.path("main.o").exists() && place.path("shadow").is_dir());
    in_place(&place, &[&program, "cll", "cc", "--clean"]).code(0);
    assert_eq!(report(&place)["sources"], json!([]));
    in_place(&place, &[&program, "cll", "cc", "--install", "bin", "a/b"]).code(2);
}

#[test]
fn ranks_are_told_apart_without_a_pragma() {
    let place = Place::new();
    place.write("a.c", "int main(void) {\n#pragma cll A A[0]\n    ;\n#pragma cll end A\n    return 0;\n}\n");
    let compiler = compilers()[0].0;
    wrapped(&place, &[compiler, "a.c", "-o", "a"]).code(0);
    for (rank, size) in [
        ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
        ("PMI_RANK", "PMI_SIZE"),
        ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
    ] {
        in_place(&place, &["env", &format!("{rank}=1"), &format!("{size}=4"), "./a"]).code(0);
        let trace = place.read("a.cll.1.r1.csv");
        assert!(trace.contains("\"processes\":4,\"placed\":\"environment\""), "{trace}");
        assert!(trace.contains("\nA,1,1,0,0,0,ok,1,4,"), "{trace}");
        std::fs::remove_file(place.path("a.cll.1.r1.csv")).expect("removed");
    }
    in_place(&place, &["env", "PMI_RANK=4", "PMI_SIZE=4", "./a"]).code(0);
    assert!(place.read("a.cll.1.csv").contains("\"placed\":\"alone\""));
}

#[test]
fn visits_that_are_not_recorded_ask_for_no_values() {
    let place = Place::new();
    place.write(
        "a.c",
        "#include <stdio.h>\nstatic int asked, zero;\nstatic int size_of(int n) { asked++; return n; }\n\
         int main(void) {\n    for (int n = 1; n <= 4; n++) {\n        zero = asked == 0 ? 0 : 1;\n\
         #pragma cll F F[0] + F[1]*k var(k = size_of(n))\n        zero += 0;\n#pragma cll end F\n\
         #pragma cll G G[0] + G[1]*k var(k = n / (zero + asked))\n        zero += 0;\n#pragma cll end G\n    }\n\
         printf(\"%d\\n\", asked);\n    return 0;\n}\n",
    );
    for (c, _) in compilers() {
        wrapped(&place, &[c, "-O2", "a.c", "-o", "a"]).code(0);
        assert_eq!(in_place(&place, &["env", "CLL_OFF=1", "./a"]).code(0).out, "0\n", "{c}");
        assert_eq!(in_place(&place, &["./a"]).code(0).out, "4\n", "{c}");
        let trace = place.read("a.cll.1.csv");
        assert_eq!(["F", "G"].map(|region| visits(&trace, region)), [4, 4], "{trace}");
    }
}

#[test]
fn a_region_is_over_at_its_end_and_nowhere_else() {
    let place = Place::new();
    place.write(
        "a.cpp",
        "int main() {\n    for (int n = 0; n < 3; n++) {\n#pragma cll E E[0] + E[1]*n\n        { if (n == 1) break; }\n\
         #pragma cll end E\n    }\n    for (int n = 0; n < 2; n++)\n        try {\n#pragma cll T T[0] + T[1]*n\n\
         { if (n == 0) throw n; }\n#pragma cll end T\n        } catch (int) {}\n    return 0;\n}\n",
    );
    for (_, cpp) in compilers() {
        wrapped(&place, &[cpp, "-O2", "a.cpp", "-o", "a"]).code(0);
        in_place(&place, &["./a"]).code(0);
        let trace = place.read("a.cll.1.csv");
        let status = |region: &str| -> Vec<String> {
            let rows = trace.lines().map(|line| line.split(',').collect::<Vec<_>>());
            rows.filter(|cells| cells[0] == region).map(|cells| cells[6].to_owned()).collect()
        };
        assert_eq!((status("E"), status("T")), (words(&["ok", "exit"]), words(&["exit", "ok"])), "{cpp} {trace}");
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn options_before_the_compiler_are_read_as_ever() {
    let place = Place::new();
    place.write("a.c", "int main(void) { return 0; }\n");
    let program = program().display().to_string();
    let call = |words: &[&str]| in_place(&place, &[&[program.as_str(), "cll", "cc"], words].concat());
    call(&["--quiet", "--log", "log", "--", "cc", "-c", "a.c"]).code(0);
    assert!(place.read("log").contains("\"passed\":true"), "{}", place.read("log"));
    call(&["--", "no-such-compiler", "-c", "a.c"]).code(127);
    let unknown = call(&["--quick", "--", "cc", "-c", "a.c"]).code(2);
    assert!(unknown.err.contains("--quick"), "{}", unknown.err);
    let help = call(&["--help", "--", "cc"]).code(0);
    assert!(help.out.contains("--install"), "{}", help.out);
}
