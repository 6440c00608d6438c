//! `runcast cll translate` and `runcast cll runtime` as a user meets them.

use crate::Place;
use serde_json::json;
use std::process::Command;

const FFT: &str = "#include \"own.h\"\nint main(void) {\n  int n = SIZE;\n#pragma cll F F[0] + F[1]*n/P seg(n)\n  n += own(n);\n\
                   #pragma cll end F\n  return n != 12;\n}\n";

fn with_fft() -> Place {
    let place = Place::new();
    place.write("src/fft.c", FFT);
    place.write("src/own.h", "#define SIZE 4\nstatic int own(int n) { return 2 * n; }\n");
    place
}

fn compile_and_run(place: &Place, source: &str, options: &[&str]) -> String {
    let program = place.path("program");
    let compiled = Command::new("gcc")
        .current_dir(place.path(""))
        .args(options)
        .args(["-Wall", "-Wextra", "-Werror", source, "-lm", "-o"])
        .arg(&program)
        .output()
        .expect("gcc");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new("timeout")
        .arg("60")
        .arg(&program)
        .env("CLL_DIR", place.path(""))
        .env("CLL_RUN", "7")
        .output()
        .expect("run");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    place.read("program.cll.7.csv")
}

#[test]
fn a_source_becomes_a_program_that_writes_a_trace() {
    let place = with_fft();
    let answer = place.run(&["cll", "translate", "src/fft.c"]).code(0);
    assert_eq!(
        answer.out,
        "src/fft.c -> src/fft.cll.c, src/fft.cll.h: 1 experiment\n  F: F[0] + F[1]*n/P; records n (lines 4-6)\n"
    );
    assert!(answer.err.is_empty(), "{}", answer.err);
    let trace = compile_and_run(&place, "src/fft.cll.c", &[]);
    let row = trace.lines().find(|line| line.starts_with("F,")).expect("a row");
    assert!(row.starts_with("F,7,0,0,0,0,ok,1,4,1,"), "{row}");
}

#[test]
fn headers_of_the_program_are_found_from_another_folder() {
    let place = with_fft();
    place.run(&["cll", "translate", "src/fft.c", "-o", "build/deep"]).code(0);
    assert!(place.read("build/deep/fft.cll.c").contains("#include \"../../src/own.h\"\n"));
    assert!(place.path("build/deep/cll.h").is_file());
    compile_and_run(&place, "build/deep/fft.cll.c", &[]);
    // The library may come from elsewhere, too.
    place.run(&["cll", "runtime", "include"]).code(0);
    std::fs::remove_file(place.path("build/deep/cll.h")).expect("there");
    compile_and_run(&place, "build/deep/fft.cll.c", &["-Iinclude"]);
    // A source without pragmas may include its headers, too.
    place.write("src/plain.c", "#include \"own.h\"\nint main(void) { return own(0); }\n");
    place.run(&["cll", "translate", "src/plain.c", "-o", "build"]).code(0);
    assert!(place.read("build/plain.cll.c").starts_with("#include \"../src/own.h\""));
    assert!(!place.path("build/plain.cll.h").exists() && !place.path("build/cll.h").exists());
}

#[test]
fn the_document_tells_files_experiments_and_what_was_written() {
    let place = with_fft();
    let document = place.run(&["cll", "translate", "src/fft.c", "-o", "out", "--json"]).code(0).document();
    let expected = json!({
        "kind": "cll-translate", "version": 1,
        "files": [{
            "input": "src/fft.c", "outputs": ["out/fft.cll.c", "out/fft.cll.h"], "parallel": null,
            "experiments": [{
                "name": "F", "formula": "F[0] + F[1]*n/P", "constants": 2, "names": ["n"],
                "sites": [{"begin_line": 4, "end_line": 6}]
            }],
            "warnings": []
        }],
        "runtime": ["out/cll.h"], "warnings": [], "errors": []
    });
    assert_eq!(document, expected);
}

#[test]
fn nothing_is_written_with_check_or_with_an_error() {
    let place = with_fft();
    let checked = place.run(&["cll", "translate", "--check", "--json", "src/fft.c"]).code(0).document();
    assert_eq!(checked["files"][0]["outputs"], json!([]));
    place.write("src/bad.c", "void f(int n) {\n  if (n) n++;\n  else\n#pragma cll B B[0]\n    n--;\n    n--;\n#pragma cll end B\n#pragma cll end C\n}\n");
    let answer = place.run(&["cll", "translate", "src/fft.c", "src/bad.c"]).code(2);
    assert!(answer.out.is_empty());
    let first = "error: src/bad.c:4:1: the region B of lines 4 to 7 holds 2 statements where exactly one is expected\n\
                 hint: put braces around the statements, and the pragmas inside them\n\
                 error: src/bad.c:8:1: ";
    assert!(answer.err.starts_with(first), "{}", answer.err);
    let document = place.run(&["cll", "translate", "--json", "src/fft.c", "src/bad.c"]).code(2).document();
    assert_eq!(document["kind"], "cll-translate");
    assert_eq!(document["files"].as_array().map(Vec::len), Some(2));
    let error = &document["errors"][0];
    assert_eq!((&error["code"], &error["line"], &error["column"]), (&json!("many-statements"), &json!(4), &json!(1)));
    assert_eq!(error["file"], "src/bad.c");
    assert!(error["message"].is_string() && error["hint"].is_string());
    assert_eq!(document["errors"][1]["code"], "not-open");
    let written = std::fs::read_dir(place.path("src")).expect("there").count();
    assert_eq!(written, 3, "only the sources");
}

#[test]
fn what_is_no_source_is_refused() {
    let place = with_fft();
    place.write("ok.csv", "# runs; of a table\nn,time_s\n1,2\n");
    place.write("plain", "n time_s\n1 2\n");
    place.write("fft.template", FFT);
    place.write("more.template", "int more(int n) { return n; }\n");
    let answer = place.run(&["cll", "translate", "src/fft.c", "ok.csv", "-o", "out"]).code(2);
    let expected = "error: ok.csv:1:1: it is not a source of C or C++ by its extension \"csv\", and has no cll pragma\n\
                    hint: give C or C++ sources";
    assert!(answer.err.starts_with(expected), "{}", answer.err);
    assert!(answer.out.is_empty() && !place.path("out").exists());
    let document = place.run(&["cll", "translate", "--json", "--check", "ok.csv"]).code(2).document();
    assert_eq!((&document["errors"][0]["code"], &document["files"]), (&json!("not-source"), &json!([])));
    place.run(&["cll", "translate", "--check", "--lang", "c", "ok.csv"]).code(2);
    place.run(&["cll", "translate", "--check", "plain"]).code(2);
    // Sources under other names.
    place.run(&["cll", "translate", "--check", "fft.template"]).code(0);
    place.run(&["cll", "translate", "--check", "more.template"]).code(2);
    place.run(&["cll", "translate", "--check", "--lang", "cpp", "more.template"]).code(0);
}

#[test]
fn one_formula_for_one_name_in_all_sources() {
    let place = with_fft();
    place.write("src/b.c", &FFT.replace("n/P", "n*P"));
    let document = place.run(&["cll", "translate", "--json", "src/fft.c", "src/b.c"]).code(2).document();
    assert_eq!(document["errors"][0]["code"], "formula-differs");
    assert_eq!(document["errors"][0]["file"], "src/b.c");
}

#[test]
fn names_are_never_written_twice_or_over_a_source() {
    let place = with_fft();
    place.write("other/fft.c", "int x;\n");
    place.write("src/fft.cll.c", "int x;\n");
    for files in [
        ["src/fft.c", "other/fft.c", "-o", "out"].as_slice(),
        &["src/fft.c", "src/fft.cll.c"],
        &["src/fft.c", "./src/fft.c"],
    ] {
        let answer = place.run(&[&["cll", "translate"], files].concat()).code(2);
        assert!(answer.err.starts_with("error: "), "{}", answer.err);
    }
    assert_eq!(place.read("src/fft.cll.c"), "int x;\n");
    place.write("src/cll.h", "/* mine */\n");
    let answer = place.run(&["cll", "translate", "src/fft.c"]).code(2);
    assert!(answer.err.contains("src/cll.h"), "{}", answer.err);
    assert_eq!(place.read("src/cll.h"), "/* mine */\n");
}

#[test]
fn translations_are_not_translated_again() {
    let place = with_fft();
    place.run(&["cll", "translate", "src/fft.c"]).code(0);
    let answer = place.run(&["cll", "translate", "src/fft.c", "src/fft.cll.c"]);
    // The first would be written over the second.
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.err.contains("src/fft.cll.c:1: ") && answer.err.contains("translated_already"), "{}", answer.err);
    assert!(!place.path("src/fft.cll.cll.c").exists());
}

#[test]
fn a_header_with_regions_is_translated_or_told() {
    let place = with_fft();
    place.write("src/own.h", "#include \"more/deep.h\"\nstatic int own(int n) { return n; }\n#define SIZE 4\n");
    place.write(
        "src/more/deep.h",
        "static inline int g(int n) {\n#pragma cll G G[0]\n  n++;\n#pragma cll end G\n  return n;\n}\n",
    );
    let document = place.run(&["cll", "translate", "--json", "src/fft.c"]).code(0).document();
    let warning = &document["warnings"][0];
    assert_eq!(
        (&warning["code"], &warning["line"], &warning["file"]),
        (&json!("untranslated_header"), &json!(2), &json!("src/more/deep.h"))
    );
    let user = "#include \"more/deep.h\"\nint h(int n) { return g(n); }\n";
    place.write("src/user.c", user);
    place.run(&["cll", "translate", "src/user.c", "src/more/deep.h", "-o", "out"]).code(0);
    assert!(place.read("out/user.cll.c").contains("\"deep.cll.h\""));
    assert!(place.read("out/deep.cll.h").contains("CLL_REGION("));
}

#[test]
fn the_standard_input_and_languages() {
    let place = Place::new();
    let answer = place
        .command(&["cll", "translate", "-", "--lang", "cpp", "--check"])
        .write_stdin("auto s = R\"(\n#pragma cll 3\n)\";")
        .output();
    assert_eq!(answer.expect("run").status.code(), Some(0));
    place.write("x.inc", "auto s = [](int n) {\n#pragma cll F F[0]*n\nn++;\n#pragma cll end F\n};\n");
    place.run(&["cll", "translate", "x.inc", "--lang", "cpp"]).code(0);
    assert!(place.read("x.cll.inc").starts_with("#include \"x.cll.h\"\n#line 1 \"x.inc\"\n"));
    place.run(&["cll", "translate", "missing.c"]).code(2);
    place.run(&["cll", "translate"]).code(2);
}

#[test]
fn warnings_are_told() {
    let place = Place::new();
    place.write("w.c", "void f(int n) {\n#pragma cll F F[0]*k var(k = n/2)\nn++;\n#pragma cll end F\n}\n");
    let answer = place.run(&["cll", "translate", "w.c"]).code(0);
    assert!(answer.err.starts_with("warning: w.c:2: k = n/2 may divide integers"), "{}", answer.err);
    let document = place.run(&["cll", "translate", "w.c", "--json"]).code(0).document();
    let warning = &document["files"][0]["warnings"][0];
    assert_eq!((&warning["code"], &warning["line"]), (&json!("integer_division"), &json!(2)));
}

#[test]
fn the_run_time_library_is_written_out() {
    let place = Place::new();
    let document = place.run(&["cll", "runtime", "a/b", "--json"]).code(0).document();
    assert_eq!((&document["kind"], &document["version"]), (&json!("cll-runtime"), &json!(1)));
    let files: Vec<String> = serde_json::from_value(document["files"].clone()).expect("names");
    assert!(files.contains(&"a/b/cll.h".to_owned()), "{files:?}");
    for file in &files {
        assert!(place.path(file).is_file(), "{file}");
    }
    let answer = place.run(&["cll", "runtime", "c"]).code(0);
    assert!(answer.out.contains("wrote c/cll.h\n"), "{}", answer.out);
}

#[test]
fn help_ends_in_examples_and_fits() {
    for command in [["cll", "translate"], ["cll", "runtime"]] {
        let answer = Place::new().run(&[command[0], command[1], "--help"]).code(0);
        assert!(answer.out.contains("\nExamples:\n"), "{}", answer.out);
        let last = answer.out.rsplit("\n\n").next().expect("a paragraph");
        assert!(last.starts_with("Examples:"), "{last}");
        assert!(answer.out.lines().all(|line| line.chars().count() <= 80), "{}", answer.out);
    }
}

#[test]
fn a_program_in_bsp_style_gets_the_adapter_unless_it_has_its_own() {
    let place = Place::new();
    let source = "#include \"pub.h\"\n#pragma cll parallel PUB\nvoid f(void) {\n#pragma cll F F[0]\n  ;\n\
                  #pragma cll end F\n}\n";
    place.write("src/step.c", source);
    let document = place.run(&["cll", "translate", "src/step.c", "-o", "out", "--json"]).code(0).document();
    assert_eq!(document["runtime"], json!(["out/cll.h", "out/cll_mpi.h", "out/pub.h"]));
    // Again, over its own files.
    place.run(&["cll", "translate", "src/step.c", "-o", "out"]).code(0);
    place.write("src/pub.h", "/* another one */\n");
    let document = place.run(&["cll", "translate", "src/step.c", "-o", "other", "--json"]).code(0).document();
    assert_eq!(document["runtime"], json!(["other/cll.h", "other/cll_mpi.h"]));
    assert!(place.read("other/step.cll.c").contains("#include \"../src/pub.h\""));
}
