//! One measured run: the same on this machine and inside a job.

use crate::figures::{Figure, FigureRecord, Scanner};
use crate::supervise::{End, Supervised};
use crate::template::Filled;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The command to run and the figures to extract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    pub argv: Vec<String>,
    pub env: Vec<(String, String)>,
    pub workdir: Option<String>,
    pub stdin: Option<String>,
    pub time_limit_s: Option<f64>,
    pub figures: Vec<FigureRecord>,
    /// CPU time and memory are those of the program, not of a launcher that started it elsewhere.
    pub measures_usage: bool,
}

/// The outcome of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// When it was started, in UTC; empty when it never was.
    pub started_at: String,
    /// On which machine.
    pub host: Option<String>,
    /// `ok`, `exit_3`, `signal_9`, `timeout`, `not_started`, `no_figure`, `lost`.
    pub status: String,
    /// Wall time.
    pub time_s: Option<f64>,
    /// User and system time of all its processes on that machine; null under `srun`.
    pub cpu_s: Option<f64>,
    /// Resident memory of the largest of these processes; null under `srun`.
    pub peak_bytes: Option<u64>,
    /// Figures found in the output.
    pub figures: IndexMap<String, f64>,
    /// Processes it left running, killed.
    #[serde(default)]
    pub left_behind: u32,
    /// Why it was not started, which figures could not be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The end of its standard output, when it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout_tail: Option<String>,
    /// The end of its standard error, when it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr_tail: Option<String>,
}

impl Measured {
    pub fn is_ok(&self) -> bool {
        self.status == "ok"
    }
}

impl Job {
    pub(crate) fn new(filled: Filled, time_limit: Option<Duration>, figures: &[Figure], measures_usage: bool) -> Self {
        let Filled { argv, env, workdir, stdin } = filled;
        Job {
            argv,
            env,
            workdir,
            stdin,
            time_limit_s: time_limit.map(|limit| limit.as_secs_f64()),
            figures: figures.iter().map(Figure::record).collect(),
            measures_usage,
        }
    }

    /// Runs it; `None` when it was interrupted.
    pub(crate) fn measure(&self, host: Option<&str>, interrupt: &AtomicBool) -> Option<Measured> {
        // These came through `Figure::parse`, so none is left out here.
        let figures: Vec<Figure> = self.figures.iter().filter_map(|record| Figure::try_from(record).ok()).collect();
        let scanner = Scanner::new(&figures);
        let finished = self.program().run(interrupt, &|stream, line| scanner.line(stream, line));
        let found = scanner.finish();
        let mut message = match &finished.end {
            End::Interrupted => return None,
            End::NotStarted(message) => Some(message.clone()),
            _ => None,
        };
        let mut status = finished.end.status();
        if finished.end.is_ok() && !found.lacking.is_empty() {
            status = "no_figure".to_owned();
            message = Some(format!("not found in the output: {}", found.lacking.join(", ")));
        } else if !found.unreadable.is_empty() && message.is_none() {
            message = Some(format!("no finite number was found for: {}", found.unreadable.join(", ")));
        }
        let failed = status != "ok";
        let started = !matches!(finished.end, End::NotStarted(_));
        Some(Measured {
            started_at: if started { finished.started_at_text() } else { String::new() },
            host: host.map(str::to_owned),
            status,
            time_s: finished.wall_s,
            cpu_s: finished.cpu_s.filter(|_| self.measures_usage),
            peak_bytes: finished.peak_bytes.filter(|_| self.measures_usage),
            figures: found.values.into_iter().collect(),
            left_behind: finished.left_behind,
            message,
            stdout_tail: Some(finished.stdout_tail).filter(|_| failed && started),
            stderr_tail: Some(finished.stderr_tail).filter(|_| failed && started),
        })
    }

    /// Runs it to warm up; false when it was interrupted.
    pub(crate) fn warm_up(&self, interrupt: &AtomicBool) -> bool {
        self.program().run(interrupt, &|_, _| {}).end != End::Interrupted
    }

    fn program(&self) -> Supervised {
        let mut program = Supervised::new(self.argv.iter().cloned());
        program.env = self.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        program.workdir = self.workdir.as_ref().map(Into::into);
        program.stdin = self.stdin.as_ref().map(Into::into);
        program.time_limit = self.time_limit_s.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
        program
    }
}
