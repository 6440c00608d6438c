//! Benchmarks under the MPI launcher of this machine.

use crate::support::{have, plan, rows, shell};
use runcast_bench::{Figure, Launcher, Mpirun};

#[test]
fn as_many_processes_as_the_configuration_says() {
    if !have(&["mpirun"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("runs.csv");
    let mut bench = shell(&table, "echo here 1", plan(&[1.0, 2.0, 3.0], 2));
    bench.launcher = Launcher::Mpirun(Mpirun { oversubscribe: true, ..Mpirun::default() });
    bench.options.figures.push(Figure::parse("ranks_per_s:sum=^here ([0-9])").expect("a good figure"));
    let outcome = bench.run(&mut ()).expect("it runs");
    assert_eq!((outcome.ok, outcome.failed), (6, 0), "{:?}", crate::support::records(&table));
    let rows = rows(&table);
    assert!(rows.iter().all(|row| row["ranks_per_s"] == row["p"]), "{rows:?}");
    assert!(rows.iter().all(|row| row["cpu_s"].parse::<f64>().expect("measured") > 0.0));
}

#[test]
fn ranks_are_ended_when_time_is_up() {
    if !have(&["mpirun"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("runs.csv");
    let mark = format!("{}", 4000.0 + f64::from(std::process::id()) * 1e-6);
    let mut bench = shell(&table, &format!("sleep {mark}"), plan(&[2.0], 1));
    bench.launcher = Launcher::Mpirun(Mpirun { oversubscribe: true, ..Mpirun::default() });
    bench.options.time_limit = Some(std::time::Duration::from_secs(2));
    bench.run(&mut ()).expect("it runs");
    assert_eq!(rows(&table)[0]["status"], "timeout");
    assert!(!crate::support::is_running(&format!("sleep {mark}")), "a rank lives on");
}
