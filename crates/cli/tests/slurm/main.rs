//! `runcast bench --launcher slurm` from the command line, under a real Slurm on loopback.
#![expect(clippy::print_stderr, reason = "whoever runs the tests without Slurm should know")]

#[cfg(feature = "serve")]
mod dispatch;
#[path = "../../../bench/tests/integration/slurm_cluster.rs"]
mod slurm_cluster;
#[cfg(feature = "serve")]
#[path = "../task/sweep.rs"]
mod sweep;

use slurm_cluster::{Cluster, PROGRAMS};
use std::path::Path;
use std::process::{Command, Output};

/// Whether Slurm is installed; where everything must run, it has to be.
fn have_slurm() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<_> = std::env::split_paths(&path).collect();
    folders.extend(["/usr/sbin", "/sbin"].map(Into::into));
    let found = |program: &str| folders.iter().any(|folder| folder.join(program).is_file());
    if PROGRAMS.iter().all(|program| found(program)) {
        return true;
    }
    assert!(std::env::var_os("RUNCAST_REQUIRE_ALL").is_none_or(|value| value != "1"), "Slurm is missing");
    eprintln!("NOT RUN: Slurm is missing");
    false
}

fn bench(cluster: &Cluster, folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_runcast"))
        .args(["bench", "--at", "p=1", "--at", "p=2", "--repetitions", "2", "--launcher", "slurm", "--poll", "500ms"])
        .args(["--figure", "solve_s=^solved in ([0-9.]+) s", "-o", "runs.csv", "--", "echo", "solved in {1/p} s"])
        .env("SLURM_CONF", cluster.configuration())
        .current_dir(folder)
        .output()
        .expect("it starts")
}

#[test]
fn job_arrays_become_a_table_that_fit_takes() {
    if !have_slurm() {
        return;
    }
    let (cluster, folder) = (Cluster::start(), tempfile::tempdir().expect("a folder"));
    let first = bench(&cluster, folder.path());
    let errors = String::from_utf8_lossy(&first.stderr).into_owned();
    assert!(first.status.success(), "{errors}");
    let table = std::fs::read_to_string(folder.path().join("runs.csv")).expect("a table");
    assert_eq!(table.lines().filter(|line| line.contains(",ok,")).count(), 4, "{table}");
    assert!(table.lines().any(|line| line.starts_with("2,") && line.contains(",0.5,")), "{table}");

    let again = bench(&cluster, folder.path());
    assert!(String::from_utf8_lossy(&again.stdout).contains("4 there already"), "nothing is run twice");

    let fit = Command::new(env!("CARGO_BIN_EXE_runcast"))
        .args(["predict", "runs.csv", "--metric", "solve_s", "--at", "p=4"])
        .current_dir(folder.path())
        .output()
        .expect("it starts");
    assert!(String::from_utf8_lossy(&fit.stdout).contains("250 ms"), "1/p s on 4 processes");
}
