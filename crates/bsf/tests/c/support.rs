//! Compiling and running programs of `programs/` against the library that Cargo has built for the tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// How a program is linked with the library.
#[derive(Debug, Clone, Copy)]
pub enum Linked {
    Static,
    Shared,
}

/// Whether a compiler can be used. On machines that must run all (`RUNCAST_REQUIRE_ALL=1`), a missing one is a failure.
pub fn have(compiler: &str) -> bool {
    let is_here = Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success());
    let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
    assert!(is_here || !must, "missing: {compiler}");
    if !is_here {
        eprintln!("NOT RUN: {compiler} is missing");
    }
    is_here
}

/// Compiles a program of `programs/` into a folder of its own.
pub fn build(compiler: &str, flags: &[&str], source: &str, linked: Linked) -> (TempDir, PathBuf) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program");
    let mut command = Command::new(compiler);
    command.current_dir(folder.path()).args(flags).arg("-O1").arg("-I").arg(here.join("include"));
    if source.ends_with(".f90") {
        command.arg(here.join("include/bsf.f90"));
    }
    command.arg(here.join("tests/c/programs").join(source)).arg("-o").arg(&program);
    let libraries = libraries();
    match linked {
        Linked::Static => {
            command.arg("-x").arg("none").arg(libraries.join("libbsf.a")).args(["-lpthread", "-ldl", "-lm"])
        }
        Linked::Shared => command
            .arg("-L")
            .arg(&libraries)
            .arg(format!("-Wl,-rpath,{}", libraries.display()))
            .args(["-x", "none", "-lbsf", "-lm"]),
    };
    let built = command.output().expect("the compiler starts");
    assert!(built.status.success(), "{compiler} {source}: {}", String::from_utf8_lossy(&built.stderr));
    let noise = String::from_utf8_lossy(&built.stderr).into_owned();
    assert!(noise.is_empty(), "{compiler} {source}: {noise}");
    (folder, program)
}

/// Where Cargo puts what the tests depend on: beside them.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    test.parent().expect("in a folder").to_owned()
}

pub fn run(program: &Path, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().expect("the program starts")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
