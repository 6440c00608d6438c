//! Running a script: its own lines first, then its processes one after another.

use super::host::{Host, Mode, in_file};
use super::raw::{Failure, Machine};
use super::{Limits, Value};
use crate::application::{Application, Programs};
use crate::budget::{BETWEEN_REPORTS, Monitor, Progress};
use crate::build::recorder::{Awaited, Recorder, too_much_memory};
use runcast_core::{Problem, Warning};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// A script, and its inputs.
#[derive(Debug, Clone)]
pub(super) struct Input {
    pub source: String,
    pub file: String,
    pub parameters: BTreeMap<String, Value>,
    pub limits: Limits,
}

/// A script whose own lines have run.
pub(super) struct Session {
    pub machine: Machine,
    pub file: String,
    source: String,
    memory_bytes: u64,
    monitor: Monitor,
}

/// Ranks that are recorded between two clock readings.
const RANKS_BETWEEN_REPORTS: u64 = 1024;

/// Result of a session.
pub(super) struct Left {
    pub application: Application,
    pub awaited: Vec<Awaited>,
    pub warnings: Vec<Warning>,
    pub asked: BTreeSet<String>,
}

impl Session {
    /// Runs the script's own lines: parameters and labels.
    pub(super) fn start(input: &Input, live: bool) -> Result<Self, Problem> {
        let Input { source, file, parameters, limits } = input;
        let name = std::path::Path::new(file).file_stem().map_or(file.as_str().into(), |stem| stem.to_string_lossy());
        let mut recorder = Recorder::new(&name, file, limits.seed, limits.memory_bytes);
        recorder.live = live;
        let mut host = Host::new(recorder, parameters.clone(), limits);
        // The machine chooses its loop(..) by this; its own lines run as such in both.
        host.mode = if live { Mode::Live } else { Mode::Recording };
        let machine = Machine::new(host, limits.memory_bytes)?;
        let (memory_bytes, monitor) = (limits.memory_bytes, limits.monitor.clone());
        let mut session = Session { machine, file: file.clone(), source: source.clone(), memory_bytes, monitor };
        session.machine.host().mode = Mode::Top;
        if let Err(failure) = session.machine.run(source) {
            return Err(session.told(failure, None));
        }
        session.machine.host().mode = if live { Mode::Live } else { Mode::Recording };
        Ok(session)
    }

    /// Number of labels.
    pub(super) fn labels(&mut self) -> u32 {
        self.machine.host().runs.len() as u32
    }

    /// Records the processes of a label: all at once where its function names no parameter. One that reads messages or
    /// the clock is left to run alongside simulated time.
    pub(super) fn record_label(&mut self, label: u32) -> Result<(), Problem> {
        let host = self.machine.host();
        let run = host.runs[label as usize];
        let recorder = &mut host.recorder;
        let count = recorder.app.labels[label as usize].count;
        let before = (recorder.mark(), recorder.app.programs.len(), recorder.unwaited);
        recorder.begin_label();
        let ranks = if run.ranked { count } else { count.min(1) };
        let mut programs = Vec::new();
        let mut reported = Instant::now();
        for rank in 0..ranks {
            if rank.is_multiple_of(RANKS_BETWEEN_REPORTS) {
                self.report(label, rank, ranks, &mut reported)?;
            }
            self.machine.host().recorder.begin(label, rank, run.ranked);
            let numbers = [rank as f64, count as f64];
            let done = self.machine.call(run.function, if run.ranked { &numbers } else { &[] });
            if std::mem::take(&mut self.machine.host().needs_live) {
                let recorder = &mut self.machine.host().recorder;
                recorder.own.running = false;
                recorder.back_to(&before.0);
                recorder.app.programs.truncate(before.1);
                recorder.unwaited = before.2;
                recorder.app.labels[label as usize].programs = Programs::Live;
                return Ok(());
            }
            if let Err(failure) = done {
                return Err(self.told(failure, Some((label, rank))));
            }
            let recorder = &mut self.machine.host().recorder;
            let program = recorder.end().and_then(|program| {
                if programs.len() == programs.capacity() {
                    recorder.charge(4 * programs.len())?;
                }
                Ok(program)
            });
            match program {
                Ok(program) => programs.push(program),
                Err(problem) => return Err(self.named(problem, Some((label, rank)))),
            }
        }
        programs.shrink_to_fit();
        self.machine.host().recorder.app.labels[label as usize].programs =
            if run.ranked || count == 0 { Programs::PerRank(programs) } else { Programs::Same(programs[0]) };
        Ok(())
    }

    /// Shows progress: how many ranks of a label are recorded.
    fn report(&mut self, label: u32, rank: u64, ranks: u64, reported: &mut Instant) -> Result<(), Problem> {
        self.monitor.check()?;
        if let Some(show) = self.monitor.show.clone().filter(|_| reported.elapsed() >= BETWEEN_REPORTS) {
            *reported = Instant::now();
            let label = &self.machine.host().recorder.app.labels[label as usize].name;
            show(&Progress::Recording { label, rank, ranks });
        }
        Ok(())
    }

    /// What has been recorded.
    pub(super) fn into_left(self) -> Left {
        let host = self.machine.into_host();
        let recorder = host.recorder;
        let mut warnings = Vec::new();
        if recorder.unwaited > 0 {
            warnings.push(Warning {
                code: "requests_not_waited".to_owned(),
                message: format!("{} requests are never waited for", recorder.unwaited),
                ..Warning::default()
            });
        }
        if recorder.shared_random {
            warnings.push(Warning {
                code: "random_shared".to_owned(),
                message: "random() in a function without a parameter: all ranks of its label draw the same numbers"
                    .to_owned(),
                ..Warning::default()
            });
        }
        Left { application: recorder.app, awaited: recorder.awaited, warnings, asked: host.asked }
    }

    /// The problem behind a failure: that of our function which raised it, or the machine's.
    pub(super) fn told(&mut self, failure: Failure, process: Option<(u32, u64)>) -> Problem {
        let last_line = self.machine.host().last_line;
        let fault = self.machine.host().fault.take();
        let problem = match fault {
            _ if failure.memory => too_much_memory(self.memory_bytes).at_line(u64::from(last_line.max(1))),
            Some((problem, text)) if failure.text.starts_with(&text) || text.starts_with(&failure.text) => problem,
            _ => {
                let (line, text) = split_place(&failure.text);
                let problem = Problem::new("script_error", text.trim_end().to_owned());
                match line {
                    Some(line) => problem.at_line(line),
                    None if last_line > 0 => problem.at_line(u64::from(last_line)),
                    None => problem,
                }
            }
        };
        let of_call = |slip: &Problem| slip.line == problem.line && problem.message.contains("call a nil value");
        let slip = super::undefined(&self.source, &self.file).into_iter().find(of_call);
        let problem = match slip {
            Some(slip) => Problem { message: slip.message, value: slip.value, hint: slip.hint, ..problem },
            None => problem,
        };
        self.named(problem, process)
    }

    fn named(&mut self, mut problem: Problem, process: Option<(u32, u64)>) -> Problem {
        if let Some((label, rank)) = process {
            let app = &self.machine.host().recorder.app;
            if let Some(label) = app.labels.get(label as usize) {
                let name = if label.count == 1 { label.name.clone() } else { format!("{}[{rank}]", label.name) };
                problem.message = format!("{} (in {name})", problem.message);
                problem.line = problem.line.or(Some(u64::from(label.line)));
            }
        }
        in_file(problem, &self.file)
    }
}

/// `script:14: text` apart.
fn split_place(text: &str) -> (Option<u64>, &str) {
    let Some(rest) = text.strip_prefix("script:") else { return (None, text) };
    match rest.split_once(':') {
        Some((line, text)) => match line.parse() {
            Ok(line) => (Some(line), text.trim_start()),
            Err(_) => (None, rest),
        },
        None => (None, text),
    }
}
