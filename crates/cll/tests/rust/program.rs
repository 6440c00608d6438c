//! Starts the programs of this test again, each in a process of its own with a folder for its trace.

use std::process::{Command, Output};
use std::{env, fs};

use tempfile::TempDir;

use crate::programs;
use crate::trace::Trace;

/// Tells a process which program it is.
pub const PROGRAM: &str = "CLL_TEST_PROGRAM";

/// What a program left behind.
pub struct Ran {
    pub output: Output,
    pub folder: TempDir,
}

/// Runs a program to its end, with these variables in its environment.
pub fn run_with(name: &str, environment: &[(&str, &str)]) -> Ran {
    let folder = TempDir::new().expect("a folder");
    let mut command = Command::new(env::current_exe().expect("this test"));
    command.args(["--exact", "program::entrance", "--nocapture", "--test-threads=1"]);
    for (variable, _) in env::vars_os() {
        let starts = |prefix| variable.to_str().is_some_and(|variable| variable.starts_with(prefix));
        if ["CLL_", "OMPI_", "PMI_", "MV2_", "SLURM_"].into_iter().any(starts) {
            command.env_remove(variable);
        }
    }
    command.env(PROGRAM, name).env("CLL_DIR", folder.path()).env("CLL_NAME", name).envs(environment.iter().copied());
    let output = command.current_dir(folder.path()).output().expect("the program starts");
    Ran { output, folder }
}

/// Runs a program that ends well and leaves one trace.
pub fn run(name: &str) -> Trace {
    let ran = run_with(name, &[]);
    assert!(ran.output.status.success(), "{name}: {}", ran.errors());
    ran.trace()
}

impl Ran {
    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    pub fn traces(&self) -> Vec<Trace> {
        let mut files: Vec<_> =
            fs::read_dir(self.folder.path()).expect("a folder").flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "csv"));
        files.sort();
        files.iter().map(|file| Trace::read(file)).collect()
    }

    pub fn trace(&self) -> Trace {
        let mut traces = self.traces();
        assert_eq!(traces.len(), 1, "{traces:?} {}", self.errors());
        traces.remove(0)
    }
}

/// Where a process that was started as a program begins; in the test itself it looks at the list of programs.
#[test]
fn entrance() {
    match env::var(PROGRAM) {
        Ok(name) => {
            let (_, program) = programs::ALL.iter().find(|(known, _)| *known == name).expect("a program");
            program();
        }
        Err(_) => {
            let mut names: Vec<&str> = programs::ALL.iter().map(|(name, _)| *name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), programs::ALL.len(), "two programs of one name");
        }
    }
}
