//! This test program started again: a benchmark in a process that can be killed, and a step inside a Slurm job.

use crate::support;
use runcast_bench::{Bench, Figure, Launcher, Options, Slurm, Template};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A benchmark for another process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Work {
    pub table: PathBuf,
    pub script: String,
    pub values: Vec<f64>,
    pub repetitions: u32,
    pub time_limit_s: Option<f64>,
    pub figures: Vec<String>,
    pub slurm: Option<OnSlurm>,
}

/// How it goes to Slurm.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OnSlurm {
    pub executable: PathBuf,
    pub bundle: usize,
    pub max_queued: usize,
    pub srun: bool,
    pub lost_after_s: f64,
    pub sbatch_options: Vec<String>,
}

/// What came of it, as far as tests look at it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Told {
    pub ok: usize,
    pub failed: usize,
    pub skipped: usize,
    pub interrupted: bool,
    pub warnings: Vec<String>,
    pub events: Vec<String>,
}

impl Work {
    pub fn new(table: &Path, script: &str, values: &[f64], repetitions: u32) -> Self {
        Work {
            table: table.to_owned(),
            script: script.to_owned(),
            values: values.to_vec(),
            repetitions,
            time_limit_s: None,
            figures: Vec::new(),
            slurm: None,
        }
    }

    /// Starts it in a process of its own.
    pub fn start(&self, variables: &[(&str, &Path)]) -> Child {
        let _ = std::fs::remove_file(told_path(&self.table));
        Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "child::a_benchmark_in_a_process_of_its_own", "--nocapture"])
            .env("RUNCAST_TEST_WORK", serde_json::to_string(self).expect("plain data"))
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .spawn()
            .expect("started")
    }

    /// Runs it to its end in a process of its own.
    pub fn run(&self, variables: &[(&str, &Path)]) -> Told {
        let status = finish(self.start(variables));
        assert!(status.success(), "{status}");
        self.told()
    }

    pub fn told(&self) -> Told {
        let text = std::fs::read(told_path(&self.table)).expect("it told");
        serde_json::from_slice(&text).expect("the same shape")
    }

    /// The file that interrupts it.
    pub fn stop_path(&self) -> PathBuf {
        self.table.with_extension("stop")
    }

    fn bench(&self) -> Bench {
        let mut options = Options::new(&self.table);
        options.time_limit = self.time_limit_s.map(Duration::from_secs_f64);
        options.figures = self.figures.iter().map(|text| Figure::parse(text).expect("a good figure")).collect();
        let launcher = match &self.slurm {
            None => Launcher::Local,
            Some(on) => {
                let mut slurm = Slurm::new(&on.executable);
                slurm.sbatch_options = on.sbatch_options.clone();
                slurm.bundle = on.bundle;
                slurm.max_queued = on.max_queued;
                slurm.poll = Duration::from_millis(200);
                slurm.lost_after = Duration::from_secs_f64(on.lost_after_s);
                if on.srun {
                    slurm.step = runcast_bench::Step::Srun;
                }
                Launcher::Slurm(slurm)
            }
        };
        Bench {
            plan: support::plan(&self.values, self.repetitions),
            template: Template::new(&["sh", "-c", &self.script]).expect("a good template"),
            launcher,
            options,
        }
    }
}

/// Waits for a benchmark, but not for ever.
pub fn finish(mut bench: Child) -> ExitStatus {
    let mut status = None;
    let start = Instant::now();
    while status.is_none() && start.elapsed() < Duration::from_secs(100) {
        std::thread::sleep(Duration::from_millis(20));
        status = bench.try_wait().expect("a child of ours");
    }
    status.unwrap_or_else(|| {
        let _ = bench.kill();
        panic!("a benchmark has not ended after 100 s")
    })
}

/// A script that does inside a job what `runcast bench-task --spool SPOOL --index INDEX` does.
pub fn write_task_program(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let program = std::env::current_exe().expect("this program");
    let text = format!(
        "#!/bin/sh\n[ \"$1 $2 $4\" = 'bench-task --spool --index' ] || exit 2\nRUNCAST_TEST_SPOOL=\"$3\" \
         RUNCAST_TEST_INDEX=\"$5\" exec '{}' --exact child::a_task_inside_a_job\n",
        program.display()
    );
    std::fs::write(path, text).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("ours");
}

fn told_path(table: &Path) -> PathBuf {
    table.with_extension("told")
}

#[test]
fn a_benchmark_in_a_process_of_its_own() {
    let Ok(work) = std::env::var("RUNCAST_TEST_WORK") else { return };
    let work: Work = serde_json::from_str(&work).expect("the same shape");
    let bench = work.bench();
    let (interrupt, stop) = (bench.options.interrupt.clone(), work.stop_path());
    let parent = std::os::unix::process::parent_id();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(20));
            if std::os::unix::process::parent_id() != parent {
                std::process::exit(1); // The test is gone.
            }
            if stop.exists() {
                interrupt.store(true, Ordering::Relaxed);
            }
        }
    });
    let mut events = Vec::new();
    let outcome = bench.run(&mut |event: runcast_bench::Event<'_>| {
        use runcast_bench::Event;
        events.push(match event {
            Event::Submitted { tasks, .. } => format!("submitted {tasks}"),
            Event::Reattached { .. } => "reattached".to_owned(),
            Event::Warned(warning) => format!("warned {} {}", warning.code, warning.message),
            _ => return,
        });
    });
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}"));
    let told = Told {
        ok: outcome.ok,
        failed: outcome.failed,
        skipped: outcome.skipped,
        interrupted: outcome.interrupted,
        warnings: outcome.warnings.iter().map(|warning| warning.code.clone()).collect(),
        events,
    };
    std::fs::write(told_path(&work.table), serde_json::to_vec(&told).expect("plain data")).expect("written");
}

#[test]
fn a_task_inside_a_job() {
    let (Ok(spool), Ok(index)) = (std::env::var("RUNCAST_TEST_SPOOL"), std::env::var("RUNCAST_TEST_INDEX")) else {
        return;
    };
    let index = index.parse().expect("a number");
    runcast_bench::slurm::run_task(Path::new(&spool), index, &AtomicBool::new(false)).expect("a task");
}
