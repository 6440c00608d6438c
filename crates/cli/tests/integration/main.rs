//! The program as a user meets it: exit codes, the two outputs, documents, help.

mod advise_methods;
mod bench;
mod bsp_learn;
mod bsp_predict;
mod chain;
mod client;
mod cll_cc;
mod cll_examples;
mod cll_measure;
mod cll_run;
mod cll_suggest;
mod cll_translate;
mod compare;
mod contract;
mod errors;
mod fit_joint;
mod help;
mod llac;
mod llac_terminal;
mod memory;
mod pages;
mod plan_and_import;
mod plan_inverse;
mod quickstart;
mod record;
mod record_show;
mod report;
mod serve;
mod sim_calibrate;
mod sim_jobs;
mod sim_laws;
mod sim_new;
mod sim_optimize;
mod sim_replay;
mod sim_run;
mod sim_sweep;
mod sim_system;
mod streams;
mod wavefront_cases;
mod wavefront_run;
mod wavefront_sample;
mod wavefront_simulate;
mod wavefront_solve;
mod worked_examples;

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

/// A folder of its own for a test, and the program in it.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        Place { folder: tempfile::tempdir().expect("a folder") }
    }

    /// A place with runs of a program whose time is `1 + 100/p`.
    fn with_runs() -> Place {
        let place = Place::new();
        let mut table = String::from("p,rep,time_s\n");
        for p in [1, 2, 4, 8, 16, 32] {
            for rep in 0..3 {
                let noise = 1.0 + 0.001 * f64::from(rep);
                table.push_str(&format!("{p},{rep},{}\n", (1.0 + 100.0 / f64::from(p)) * noise));
            }
        }
        place.write("runs.csv", &table);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.folder.path()).args(arguments).env("COLUMNS", "80").env_remove("NO_COLOR");
        command
    }

    fn run(&self, arguments: &[&str]) -> Answer {
        Answer::of(&self.command(arguments).output().expect("started"))
    }
}

/// What the program said.
struct Answer {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Answer {
    fn of(output: &Output) -> Answer {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        Answer { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    #[track_caller]
    fn code(self, expected: i32) -> Answer {
        assert_eq!(self.code, Some(expected), "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// The one document on the standard output.
    #[track_caller]
    fn document(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}:\n{}", self.out))
    }

    /// Exit code, standard output and standard error, for snapshots.
    fn whole(&self) -> String {
        format!("exit code: {}\n----- stdout\n{}----- stderr\n{}", self.code.unwrap_or(-1), self.out, self.err)
    }
}

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_runcast"))
}
