//! Ranks of both MPIs: one file for all, or one for each, and never a hang.

use crate::support::{Compiler, Place, Ran, build, have, number};
use std::path::PathBuf;
use std::time::{Duration, Instant};

struct Mpi {
    launcher: &'static str,
    program: PathBuf,
    /// Of the same job, with one experiment more.
    apart: PathBuf,
}

fn families() -> Vec<Mpi> {
    let families = [("mpicc.openmpi", "mpirun.openmpi"), ("mpicc.mpich", "mpirun.mpich")];
    let here = families.into_iter().filter(|(compiler, launcher)| have(&[compiler, launcher]));
    here.map(|(program, launcher)| {
        let compiler = Compiler { program, flags: "" };
        Mpi { launcher, program: build(compiler, &["mpi.c"], ""), apart: build(compiler, &["mpi.c"], "-DAPART") }
    })
    .collect()
}

impl Mpi {
    fn options(&self) -> &'static str {
        if self.launcher.ends_with("openmpi") { "--oversubscribe " } else { "" }
    }

    fn run(&self, place: &Place, ranks: usize, mode: &str, variables: &[(&str, &str)]) -> Ran {
        let arguments = format!("{}-n {ranks} {} {mode}", self.options(), self.program.display());
        place.run(self.launcher.as_ref(), &arguments, variables)
    }

    fn well(&self, place: &Place, ranks: usize, mode: &str, variables: &[(&str, &str)]) -> Ran {
        let ran = self.run(place, ranks, mode, variables);
        assert_eq!(ran.code, Some(0), "{} {mode}: {ran:?}", self.launcher);
        ran
    }
}

/// Rows of F and G in all files.
fn rows(place: &Place) -> (usize, usize) {
    let traces: Vec<_> = place.files().iter().map(|file| place.trace(file)).collect();
    (traces.iter().map(|trace| trace.of("F").len()).sum(), traces.iter().map(|trace| trace.of("G").len()).sum())
}

#[test]
fn a_report_is_one_file() {
    for mpi in families() {
        let place = Place::new();
        mpi.well(&place, 3, "report", &[]);
        assert_eq!(place.files(), ["p.cll.0.csv"], "{}", mpi.launcher);
        let trace = place.trace("p.cll.0.csv");
        // 3 + rank, and one more; G in rank 0 alone.
        for rank in 0..3 {
            let own: Vec<_> = trace.of("F").into_iter().filter(|row| row["rank"] == rank.to_string()).collect();
            assert_eq!(own.len(), 4 + rank);
            assert!(own.iter().all(|row| row["P"] == "3"));
        }
        let run = trace.note("run");
        assert_eq!((&run["processes"], &run["gathered"], &run["run"]), (&3.into(), &true.into(), &0.into()));
        assert_eq!(trace.end()["rows"], trace.rows.len());
        mpi.well(&place, 2, "late", &[]);
        assert_eq!(place.files().len(), 2);
        mpi.well(&place, 1, "report", &[("CLL_NAME", "one")]);
        assert!(place.files().contains(&"one.cll.0.csv".to_owned()));
    }
}

#[test]
fn what_does_not_fit_into_a_message_is_gathered_too() {
    for mpi in families() {
        let place = Place::new();
        mpi.well(&place, 2, "large", &[("CLL_MODE", "trace")]);
        assert_eq!((place.files(), rows(&place)), (vec!["p.cll.0.csv".to_owned()], (80_002, 1)), "{}", mpi.launcher);
    }
}

#[test]
fn without_a_report_each_rank_writes_its_own() {
    for mpi in families() {
        let place = Place::new();
        let ran = mpi.well(&place, 3, "none", &[]);
        assert_eq!(place.files(), ["p.cll.0.r0.csv", "p.cll.0.r1.csv", "p.cll.0.r2.csv"], "{ran:?}");
        assert_eq!(rows(&place), (4 + 5 + 6, 1));
        let own = place.trace("p.cll.0.r2.csv");
        assert_eq!((&own.note("run")["rank"], &own.note("run")["processes"]), (&2.into(), &3.into()));
        assert!(own.rows.iter().all(|row| row["rank"] == "2" && row["P"] == "3"));
        assert_eq!(own.notes_of("end").len(), 1);
        // The number of the next run is agreed on, and so is one that is given.
        mpi.well(&place, 2, "report", &[("CLL_GATHER", "0")]);
        mpi.well(&place, 2, "report", &[("CLL_GATHER", "0"), ("CLL_RUN", "9")]);
        let files = place.files();
        assert_eq!(files[3..], ["p.cll.1.r0.csv", "p.cll.1.r1.csv", "p.cll.9.r0.csv", "p.cll.9.r1.csv"]);
        mpi.well(&place, 2, "report", &[("CLL_OFF", "1"), ("CLL_NAME", "off")]);
        assert_eq!(place.files().len(), 7);
    }
}

/// Not all arrive: those present write their own and name the missing.
#[test]
fn a_report_that_only_some_reach_does_not_hang() {
    for mpi in families() {
        for (mode, said) in [("some", "misses rank 2"), ("notroot", "misses rank 0"), ("twice", "misses rank")] {
            let place = Place::new();
            let start = Instant::now();
            let ran = mpi.well(&place, 3, mode, &[("CLL_GATHER_TIMEOUT", "1")]);
            assert!(start.elapsed() < Duration::from_secs(30), "{} {mode}", mpi.launcher);
            assert!(ran.stderr.contains(said), "{} {mode}: {ran:?}", mpi.launcher);
            let extra = if mode == "twice" { 3 } else { 0 };
            assert_eq!(rows(&place), (4 + 5 + 6 + extra, 1), "{} {mode}: {:?}", mpi.launcher, place.files());
        }
    }
}

#[test]
fn files_of_a_name_and_what_comes_after() {
    for mpi in families() {
        let place = Place::new();
        mpi.well(&place, 3, "named", &[]);
        assert_eq!(place.files(), ["named.csv", "p.cll.0.csv"], "{}", mpi.launcher);
        assert_eq!((place.trace("named.csv").rows.len(), place.trace("p.cll.0.csv").rows.len()), (3 + 4 + 5, 3 + 1));
        let place = Place::new();
        mpi.well(&place, 2, "after", &[]);
        assert_eq!(rows(&place), (4 + 5 + 2, 1), "{}: {:?}", mpi.launcher, place.files());
        for file in place.files() {
            assert_eq!(place.trace(&file).notes_of("end").len(), 1);
        }
        let place = Place::new();
        mpi.well(&place, 2, "around", &[]);
        assert_eq!(rows(&place), (4 + 5, 3), "{}: {:?}", mpi.launcher, place.files());
        let place = Place::new();
        mpi.well(&place, 2, "before", &[]);
        assert_eq!(rows(&place).0, 4 + 5 + 4, "{}: {:?}", mpi.launcher, place.files());
    }
}

/// A communicator of the program: ranks and P are those in it.
#[test]
fn communicators_report_for_themselves() {
    for mpi in families() {
        let place = Place::new();
        mpi.well(&place, 4, "halves", &[("CLL_GATHER_TIMEOUT", "10")]);
        let traces: Vec<_> = place.files().iter().map(|file| place.trace(file)).collect();
        assert_eq!(rows(&place), (3 + 4 + 5 + 6 + 4, 1), "{}: {:?}", mpi.launcher, place.files());
        for trace in &traces {
            assert!(trace.rows.iter().all(|row| row["P"] == "2" && number(row, "rank") < 2.0), "{}", mpi.launcher);
        }
    }
}

#[test]
fn rows_survive_an_abort() {
    for mpi in families() {
        let place = Place::new();
        let ran = mpi.run(&place, 3, "abort", &[]);
        assert_ne!(ran.code, Some(0), "{}", mpi.launcher);
        let trace = place.trace("p.cll.0.r1.csv");
        assert_eq!((trace.rows.len(), trace.notes_of("end").len()), (4, 0), "{}", mpi.launcher);
    }
}

#[test]
fn threads_that_may_not_use_mpi_do_not() {
    for mpi in families() {
        let place = Place::new();
        mpi.well(&place, 2, "threads", &[]);
        assert_eq!((place.files(), rows(&place)), (vec!["p.cll.0.csv".to_owned()], (4 + 5, 1)), "{}", mpi.launcher);
    }
}

/// A job of two programs: the other's experiments do not fit into the file.
#[test]
fn programs_with_other_experiments_write_their_own() {
    for mpi in families() {
        let place = Place::new();
        let arguments =
            format!("{}-n 1 {} apart : -n 1 {} apart", mpi.options(), mpi.program.display(), mpi.apart.display());
        let ran = place.run(mpi.launcher.as_ref(), &arguments, &[("CLL_GATHER_TIMEOUT", "5")]);
        assert_eq!(ran.code, Some(0), "{}: {ran:?}", mpi.launcher);
        assert_eq!(place.files(), ["p.cll.0.csv", "p.cll.0.r1.csv"], "{}: {ran:?}", mpi.launcher);
        assert_eq!(rows(&place), (4 + 5, 1));
    }
}

/// What a rank of `steps.c` did, without times; regions by their names.
fn events(place: &Place, rank: usize) -> Vec<String> {
    let text = std::fs::read_to_string(place.path().join(format!("p.bsp.0.r{rank}.txt"))).expect("events");
    assert!(text.starts_with(&format!("# cll-bsp: 1 rank {rank} processes 4\n")), "{text}");
    let line = |line: &str| {
        let what = line.split_once(' ').map_or("", |(_, what)| what);
        what.strip_prefix("R ").map_or(what, |region| region.split(' ').next().unwrap_or_default()).to_owned()
    };
    text.lines().skip(1).map(line).collect()
}

#[test]
fn calls_become_supersteps() {
    for (compiler, launcher) in [("mpicc.openmpi", "mpirun.openmpi"), ("mpicc.mpich", "mpirun.mpich")] {
        if !have(&[compiler, launcher]) {
            continue;
        }
        let program = build(Compiler { program: compiler, flags: "" }, &["steps.c"], "");
        let place = Place::new();
        let options = if launcher.ends_with("openmpi") { "--oversubscribe " } else { "" };
        let run = |arguments: &str, variables: &[(&str, &str)]| {
            let arguments = format!("{options}-n 4 {} {arguments}", program.display());
            let ran = place.run(launcher.as_ref(), &arguments, variables);
            assert_eq!(ran.code, Some(0), "{launcher}: {ran:?}");
        };
        run("more", &[("CLL_BSP", "1"), ("CLL_RUN", "0")]);
        let around = ["S 1 4", "S 3 4", "W", "Y received 2", "W", "Y barrier 0", "S 1 32", "all"];
        let first = events(&place, 0);
        assert_eq!(first[..8], around, "{launcher}");
        assert_eq!(first[8..], ["U a barrier of some ranks", "U a receive from anybody", "W", "Y received 1"]);
        let last = events(&place, 3);
        assert_eq!(last[..9], ["S 0 4", "S 2 4", "W", "Y received 2", "W", "Y barrier 0", "W", "Y received 1", "all"]);
        // Without the variable nothing is written.
        let other = Place::new();
        let arguments = format!("{options}-n 4 {}", program.display());
        assert_eq!(other.run(launcher.as_ref(), &arguments, &[("CLL_RUN", "0")]).code, Some(0));
        let mut written = std::fs::read_dir(other.path()).expect("a folder").flatten().map(|entry| entry.file_name());
        assert!(!written.any(|name| name.to_string_lossy().contains(".bsp.")), "{launcher}");
    }
}
