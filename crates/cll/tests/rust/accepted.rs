//! Programs that compile without a word, and do what they did: under strict lints, in every edition, beside C.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::compiler;
use crate::trace::Trace;

/// Compiles a program, with an object file of C if there is one; nothing may be said.
fn compile(folder: &Path, source: &str, arguments: &[&str]) {
    let all = [&["-o", "program"], arguments].concat();
    let output = compiler::library(true).rustc(folder, source, &all);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn run(folder: &Path) -> (Output, Trace) {
    let output = Command::new(folder.join("program"))
        .current_dir(folder)
        .envs([("CLL_RUN", "7"), ("CLL_NAME", "program"), ("CLL_DIR", ".")])
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (output, Trace::read(&folder.join("program.cll.7.csv")))
}

const STRICT: &str = r#"
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unreachable_pub, unused, future_incompatible, rust_2018_idioms, let_underscore_drop)]
#![deny(unused_results, unused_qualifications, trivial_casts, trivial_numeric_casts, single_use_lifetimes)]
//! A program under strict lints.

use runcast_cll::{cll, prelude::*};

/// It leaves by `return`, always.
#[cll(model = "a[0] + a[1]*n", vars(n))]
fn always_returns(n: u32) -> u32 {
    if n > 1 {
        return n + 1;
    }
    return n;
}

#[cll(vars(n), at(end))]
fn unit(n: u32) {
    println!("{n}");
}

fn inside(n: u32) -> Option<u32> {
    cll!("diverges", vars(n), {
        if n == 3 {
            return None;
        }
        return Some(n);
    })
}

#[cll(model = "c[0]*n", vars(n))]
#[must_use]
fn counted(n: u64) -> u64 {
    let total = cll!("inner", "inner[0]*n", vars(n), { (0..n).sum::<u64>() });
    cll!("printed", { println!("{total}") });
    cll!("ended", vars(n), at(end), { println!("{total}") });
    total
}

fn main() {
    println!("{} {} {:?} {}", always_returns(1), always_returns(2), inside(3), counted(4));
    unit(5);
}
"#;

#[test]
fn under_strict_lints_and_without_unsafe_code() {
    let folder = TempDir::new().expect("a folder");
    compile(folder.path(), STRICT, &["--edition=2024"]);
    let (output, trace) = run(folder.path());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "6\n6\n1 3 None 6\n5\n");
    assert_eq!(trace.column("always_returns", "status"), ["exit", "exit"]);
    assert_eq!(trace.column("diverges", "status"), ["exit"]);
    assert_eq!(trace.column("counted", "n"), ["4"]);
    assert_eq!(trace.column("unit", "n"), ["5"]);
    assert_eq!(trace.column("ended", "n"), ["4"]);
}

const ANY_EDITION: &str = r#"
extern crate runcast_cll;
use runcast_cll::{cll, prelude::*};

struct Guarded(std::sync::Mutex<Vec<u32>>);

impl Guarded {
    // The lock is a temporary of the last expression.
    #[cll(model = "l[0]", vars(n = self.0.lock().unwrap().len()))]
    fn last(&self) -> u32 {
        self.0.lock().unwrap().last().copied().unwrap_or(0)
    }

    fn first(&self) -> u32 {
        cll!("first", { self.0.lock().unwrap().first().copied().unwrap_or(0) })
    }
}

fn main() {
    let guarded = Guarded(std::sync::Mutex::new(vec![3, 4]));
    println!("{} {}", guarded.last(), guarded.first());
}
"#;

#[test]
fn in_every_edition() {
    for edition in ["2015", "2018", "2021", "2024"] {
        let folder = TempDir::new().expect("a folder");
        compile(folder.path(), ANY_EDITION, &["--edition", edition, "-D", "warnings"]);
        let (output, trace) = run(folder.path());
        assert_eq!(String::from_utf8_lossy(&output.stdout), "4 3\n", "{edition}");
        assert_eq!(trace.column("last", "n"), ["2"], "{edition}");
        assert_eq!(trace.column("first", "status"), ["ok"], "{edition}");
    }
}

const MACRO_USE: &str = r#"
#[macro_use]
extern crate runcast_cll;
mod module {
    use runcast_cll::prelude::cll as region;

    // The names of a macro's own are out of sight: these are the program's.
    #[cll(vars(r = region, value))]
    pub fn shadowed(region: u32, value: u32) -> u32 {
        let total = region!("block", vars(r = region, value), { region * 10 + value });
        total
    }
}
macro_rules! timed {
    ($name:literal, $model:literal, $n:ident, $code:block) => {
        runcast_cll::prelude::cll!($name, $model, vars($n), $code)
    };
}
fn main() {
    let n = 4u8;
    println!("{} {}", module::shadowed(3, 4), timed!("T", "T[0] + T[1]*n", n, { n + 1 }));
}
"#;

#[test]
fn by_other_names_and_through_macros() {
    let folder = TempDir::new().expect("a folder");
    compile(folder.path(), MACRO_USE, &["--edition=2021"]);
    let (output, trace) = run(folder.path());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "34 5\n");
    assert_eq!((trace.column("shadowed", "r"), trace.column("block", "value")), (vec!["3"], vec!["4"]));
    assert_eq!(trace.column("T", "n"), ["4"]);
}

const IN_C: &str = r#"
#include "cll.h"
CLL_EXPERIMENT(cll_outer, "outer_c", "outer_c[0]", "part.c", 4, "n", 1, "", "", CLL_MODE_TRACE, 1, "");
CLL_EXPERIMENT(cll_inner, "inner_c", "inner_c[0]", "part.c", 5, "", 0, "", "", 0, 1, "");
extern int in_rust(int n);
int in_c(int n)
{
    int value;
    CLL_REGION(guard, cll_outer, 1, (double)n);
    value = in_rust(n);
    CLL_DONE(guard);
    return value;
}
int leaf(int n)
{
    CLL_REGION(guard, cll_inner, 0, 0.0);
    if (n == 2) return 0;
    n *= 2;
    CLL_DONE(guard);
    return n;
}
"#;

const BESIDE_C: &str = r#"
use runcast_cll::{cll, prelude::*};

unsafe extern "C" {
    safe fn in_c(n: i32) -> i32;
    safe fn leaf(n: i32) -> i32;
}

#[cll(vars(n))]
#[unsafe(no_mangle)]
extern "C" fn in_rust(n: i32) -> i32 {
    let one = cll!("deeper", { leaf(n) });
    one + if n > 0 { in_c(n - 1) } else { 0 }
}

fn main() {
    println!("{}", in_c(3));
}
"#;

/// Both languages share the library: one file, one stack of regions.
#[test]
fn in_one_program_with_c() {
    let folder = TempDir::new().expect("a folder");
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime");
    std::fs::write(folder.path().join("part.c"), IN_C).expect("a source");
    let compiled = Command::new("cc")
        .args(["-O1", "-fPIC", "-c", "part.c", "-I"])
        .arg(runtime)
        .current_dir(folder.path())
        .status();
    assert!(compiled.expect("a C compiler").success());
    compile(folder.path(), BESIDE_C, &["--edition=2024", "-C", "link-arg=part.o"]);
    let (output, trace) = run(folder.path());
    // 6 and 2 and 0 from the leaves of 3, 1 and 0; that of 2 leaves early.
    assert_eq!(String::from_utf8_lossy(&output.stdout), "8\n");
    for region in ["outer_c", "in_rust"] {
        assert_eq!(trace.column(region, "n"), ["0", "1", "2", "3"], "the innermost ends first");
        assert_eq!(trace.column(region, "level"), ["3", "2", "1", "0"]);
        assert_eq!(trace.column(region, "status"), ["ok"; 4]);
    }
    assert_eq!(trace.column("inner_c", "status"), ["ok", "exit", "ok", "ok"]);
    assert_eq!(trace.column("deeper", "status"), ["ok"; 4]);
    let outermost = &trace.of("outer_c")[3]["time_s"];
    assert!(trace.of("in_rust").iter().all(|row| number(&row["time_s"]) <= number(outermost)));
}

fn number(cell: &str) -> f64 {
    cell.parse().expect("a number")
}
