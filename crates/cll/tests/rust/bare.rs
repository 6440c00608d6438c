//! Without the feature `trace` nothing remains but the code.

use tempfile::TempDir;

use crate::compiler::{self, cargo};

const ANNOTATED: &str = r#"
use runcast_cll::{cll, prelude::*};

#[cll(model = "f[0] + f[1]*n", vars(n = numbers.len()), metric(cpu))]
#[unsafe(no_mangle)]
pub fn summed(numbers: &[f64], stop: bool) -> Option<f64> {
    if stop {
        return None;
    }
    let mut total = cll!("F", "F[0] + F[1]*n", vars(n = numbers.len()), seg("n"), { numbers.iter().sum::<f64>() });
    for number in numbers {
        cll!("G", { if *number < 0.0 { break; } });
        total *= number;
    }
    Some(total)
}
"#;

const PLAIN: &str = r#"
#[unsafe(no_mangle)]
pub fn summed(numbers: &[f64], stop: bool) -> Option<f64> {
    if stop {
        return None;
    }
    let mut total = { numbers.iter().sum::<f64>() };
    for number in numbers {
        { if *number < 0.0 { break; } };
        total *= number;
    }
    Some(total)
}
"#;

fn instructions(source: &str, trace: bool, optimize: &str) -> String {
    let folder = TempDir::new().expect("a folder");
    let arguments = [
        "--crate-type=lib",
        "--crate-name=same",
        "--emit=asm=out.s",
        "--edition=2024",
        "-C",
        optimize,
        "-C",
        "codegen-units=1",
    ];
    let output = compiler::library(trace).rustc(folder.path(), source, &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(folder.path().join("out.s")).expect("instructions");
    // The name of the crate's own hash is in some symbols and comments.
    text.lines().map(str::trim).filter(|line| !line.starts_with(['.', '#'])).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_compiler_makes_the_same_of_it() {
    for optimize in ["opt-level=0", "opt-level=3"] {
        let plain = instructions(PLAIN, false, optimize);
        assert!(plain.contains("summed:"));
        let same = |trace| instructions(ANNOTATED, trace, optimize) == plain;
        assert!(same(false), "{optimize}");
        assert!(!same(true), "{optimize}: with the feature it does record");
    }
}

#[test]
fn nothing_but_the_macros_is_needed() {
    let tree = |features: &[&str]| {
        let output = cargo("tree")
            .args([
                "--package",
                "runcast-cll",
                "--edges",
                "normal,build",
                "--depth",
                "1",
                "--prefix",
                "none",
                "--format",
                "{lib}",
            ])
            .args(features)
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("text");
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(tree(&["--no-default-features"]), ["runcast_cll", "runcast_cll_macros"]);
    assert_eq!(tree(&[]).len(), 3, "and a C compiler's driver with the feature");
}

#[test]
fn control_does_nothing() {
    let source = r#"
        fn main() {
            runcast_cll::on();
            runcast_cll::off();
            runcast_cll::processes(4);
            runcast_cll::rank(1, 4);
            runcast_cll::report(&[]);
            runcast_cll::report_to(&["F"], "never.csv");
        }
    "#;
    let folder = TempDir::new().expect("a folder");
    let output = compiler::library(false).rustc(folder.path(), source, &["--edition=2024", "-o", "program"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = std::process::Command::new(folder.path().join("program")).current_dir(folder.path()).output();
    assert!(output.expect("it starts").status.success());
    assert!(!folder.path().join("never.csv").exists());
}
