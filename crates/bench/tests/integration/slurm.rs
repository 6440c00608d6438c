//! Benchmarks under a real Slurm.

use crate::child::{OnSlurm, Work, finish, write_task_program};
use crate::slurm_cluster::{Cluster, PROGRAMS};
use crate::support::{entries, have, records, rows, wait_for};
use runcast_bench::journal::Entry;
use runcast_bench::journal_path;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// One cluster at a time: machines that test have few cores.
static ONE: Mutex<()> = Mutex::new(());

struct Place {
    _one: MutexGuard<'static, ()>,
    cluster: Cluster,
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Option<Place> {
        if !have(&PROGRAMS) {
            return None;
        }
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().expect("a folder");
        write_task_program(&folder.path().join("task.sh"));
        Some(Place { _one: one, cluster: Cluster::start(), folder })
    }

    fn table(&self) -> PathBuf {
        self.folder.path().join("runs.csv")
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn started(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.log()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// A script that leaves a line in the log, over a few configurations.
    fn work(&self, script: &str, values: &[f64], repetitions: u32) -> Work {
        let script = format!("echo {{p}} {{rep}} >> {}; {script}", self.log().display());
        let mut work = Work::new(&self.table(), &script, values, repetitions);
        work.slurm = Some(OnSlurm {
            executable: self.folder.path().join("task.sh"),
            bundle: 1,
            max_queued: 100,
            srun: false,
            lost_after_s: 3.0,
            sbatch_options: Vec::new(),
        });
        work
    }

    fn run(&self, work: &Work) -> crate::child::Told {
        work.run(&[("SLURM_CONF", &self.cluster.configuration())])
    }

    fn start(&self, work: &Work) -> std::process::Child {
        work.start(&[("SLURM_CONF", &self.cluster.configuration())])
    }

    fn is_swept(&self) -> bool {
        !self.folder.path().join("runs.csv.bench.spool").exists()
    }
}

/// As if lines with this text had not been written.
fn without_lines(path: &Path, text: &str) {
    let old = std::fs::read_to_string(path).expect("a journal");
    let kept: String = old.lines().filter(|line| !line.contains(text)).map(|line| format!("{line}\n")).collect();
    assert_ne!(kept, old);
    std::fs::write(path, kept).expect("written");
}

fn distinct(list: &[String]) -> usize {
    list.iter().collect::<HashSet<_>>().len()
}

#[test]
fn runs_are_measured_inside_jobs_as_they_are_here() {
    let Some(place) = Place::new() else { return };
    let script = "[ {p} = 3 ] && exit 9; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo tasks $SLURM_NTASKS";
    let mut work = place.work(script, &[1.0, 2.0, 3.0], 2);
    work.figures = vec!["tasks_per_s=^tasks ([0-9]+)".to_owned()];
    let told = place.run(&work);
    assert_eq!((told.ok, told.failed, told.interrupted), (4, 2, false), "{told:?} {:?}", records(&place.table()));
    let on_slurm = rows(&place.table());
    for row in &on_slurm {
        let status = if row["p"] == "3" { "exit_9" } else { "ok" };
        assert_eq!(row["status"], status);
        if status == "ok" {
            assert_eq!(row["tasks_per_s"], row["p"], "an array for each number of tasks");
            assert!(row["cpu_s"].parse::<f64>().expect("measured") > 0.001);
        }
    }
    assert!(place.is_swept(), "the spool is cleared away");
    assert!(entries(&place.table()).iter().all(|entry| !matches!(entry, Entry::Run(r) if r.measured.host.is_none())));
    assert_eq!(place.run(&work).skipped, 6);

    // The same plan on this machine: the same runs under the same keys.
    let mut here = work.clone();
    here.slurm = None;
    here.table = place.folder.path().join("here.csv");
    here.run(&[]);
    let keys = |rows: &[std::collections::HashMap<String, String>]| {
        let mut keys: Vec<_> = rows.iter().map(|row| (row["key"].clone(), row["status"].clone())).collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&on_slurm), keys(&rows(&here.table)));
}

#[test]
fn bundles_and_srun_work_and_the_queue_is_not_flooded() {
    let Some(place) = Place::new() else { return };
    let mut work = place.work("true", &[1.0, 2.0], 6);
    let on = work.slurm.as_mut().expect("on Slurm");
    (on.bundle, on.max_queued, on.srun) = (3, 2, true);
    let told = place.run(&work);
    assert_eq!((told.ok, told.failed), (12, 0), "{:?}", records(&place.table()));
    let submitted: Vec<usize> =
        told.events.iter().filter_map(|event| event.strip_prefix("submitted ")?.parse().ok()).collect();
    assert!(submitted.iter().all(|&tasks| tasks <= 2), "{submitted:?}");
    // srun -n 2 runs the script twice, a run is still one row; what srun starts is out of our reach.
    assert_eq!(place.started().len(), 6 + 12);
    assert!(rows(&place.table()).iter().all(|row| row["cpu_s"].is_empty() && !row["time_s"].is_empty()));
}

#[test]
fn after_kill_9_jobs_are_found_again_and_nothing_runs_twice() {
    let Some(place) = Place::new() else { return };
    let work = place.work("sleep 0.3", &[1.0, 2.0], 5);
    let kill = |when: &dyn Fn() -> bool| {
        let mut bench = place.start(&work);
        wait_for("the moment to kill", Duration::from_secs(60), || {
            when() || bench.try_wait().expect("a child of ours").is_some()
        });
        bench.kill().expect("killed");
        bench.wait().expect("a child of ours");
    };
    let submitted = || entries(&place.table()).iter().any(|entry| matches!(entry, Entry::Submitted { .. }));
    kill(&submitted);
    // As if it had died before it could note the numbers of its jobs.
    let journal = journal_path(&place.table());
    without_lines(&journal, "\"submitted\"");
    kill(&|| records(&place.table()).len() >= 3);
    let told = place.run(&work);
    assert!(told.events.iter().any(|event| event == "reattached"), "{told:?}");
    assert!(told.skipped >= 3 && told.ok + told.skipped == 10, "{told:?}");
    let started = place.started();
    assert_eq!((started.len(), distinct(&started)), (10, 10), "each run once: {started:?}");
    assert_eq!(rows(&place.table()).len(), 10);
    assert!(place.is_swept());
}

#[test]
fn the_folder_of_an_array_goes_away_though_the_benchmark_was_killed_before_it_swept() {
    let Some(place) = Place::new() else { return };
    let work = place.work("true", &[1.0], 2);
    assert_eq!(place.run(&work).ok, 2);
    assert!(place.is_swept());
    // As if it had died between its last result and the end of the array.
    for entry in entries(&place.table()) {
        if let Entry::Array(array) = entry {
            std::fs::create_dir_all(&array.spool).expect("made");
            std::fs::write(array.spool.join("batch.sh"), "").expect("written");
        }
    }
    without_lines(&journal_path(&place.table()), "\"closed\"");
    assert_eq!(place.run(&work).skipped, 2);
    assert!(place.is_swept());
    assert_eq!(place.started().len(), 2);
}

#[test]
fn an_interrupt_cancels_the_jobs_and_the_rest_is_made_later() {
    let Some(place) = Place::new() else { return };
    let released = place.folder.path().join("released");
    let script = format!("[ {{rep}} = 0 ] || [ -e {} ] || sleep 100", released.display());
    let work = place.work(&script, &[1.0], 4);
    let bench = place.start(&work);
    wait_for("the first run", Duration::from_secs(60), || records(&place.table()).len() == 1);
    std::fs::write(work.stop_path(), "").expect("written");
    assert!(finish(bench).success());
    let told = work.told();
    assert!(told.interrupted && told.failed == 0, "{told:?}");
    wait_for("an empty queue", Duration::from_secs(30), || place.cluster.call("squeue -h").trim().is_empty());
    std::fs::remove_file(work.stop_path()).expect("there");
    std::fs::write(&released, "").expect("written");
    let rest = place.run(&work);
    assert_eq!((rest.ok + rest.skipped, rest.failed), (4, 0), "{rest:?}");
}

#[test]
fn a_job_that_vanishes_is_recorded_as_lost() {
    let Some(place) = Place::new() else { return };
    let work = place.work("[ {p} = 1 ] || sleep 100", &[1.0, 2.0], 1);
    let bench = place.start(&work);
    // The other one is through: else it might be cancelled, too.
    wait_for("the runs", Duration::from_secs(60), || {
        records(&place.table()).len() == 1 && place.started().iter().any(|run| run == "2 0")
    });
    for job in place.cluster.call("squeue -h -t RUNNING -o %A").split_whitespace() {
        place.cluster.call(&format!("scancel {job}"));
    }
    assert!(finish(bench).success());
    assert_eq!((work.told().ok, work.told().failed), (1, 1));
    let lost = records(&place.table()).into_iter().find(|record| record.measured.status == "lost").expect("recorded");
    assert_eq!(lost.run.at.get("p"), Some(2.0));
    assert!(lost.measured.message.is_some_and(|message| message.contains("without a result")));
}

#[test]
fn a_refusal_of_sbatch_is_an_error_and_a_job_that_fits_nowhere_is_told() {
    let Some(place) = Place::new() else { return };
    // More tasks than the node has processors: Slurm takes the job and lets it wait for ever.
    let mut work = place.work("true", &[64.0], 1);
    let bench = place.start(&work);
    wait_for("the job", Duration::from_secs(60), || place.cluster.call("squeue -h -o %r").contains("PartitionConfig"));
    std::thread::sleep(Duration::from_secs(1));
    std::fs::write(work.stop_path(), "").expect("written");
    assert!(finish(bench).success());
    let told = work.told();
    assert!(told.interrupted && told.events.iter().any(|event| event.starts_with("warned stuck")), "{told:?}");
    std::fs::remove_file(work.stop_path()).expect("there");

    work.table = place.folder.path().join("refused.csv");
    work.slurm.as_mut().expect("on Slurm").sbatch_options = vec!["--partition=nowhere".to_owned()];
    assert!(!finish(place.start(&work)).success());
    assert!(rows(&work.table).is_empty());
    let closed = entries(&work.table).iter().filter(|entry| matches!(entry, Entry::Closed { .. })).count();
    assert_eq!(closed, 1, "nothing is waited for next time");
}
