//! Starts a program that records, and finds the traces that it leaves.

use super::{Clock, RunArgs, RunEntry};
use crate::bench::LauncherChoice;
use crate::cll::scratch::Scratch;
use crate::context::Context;
use crate::failure::Failure;
use crate::record::{how_it_ended, watched};
use runcast_bench::supervise::End;
use runcast_bench::{MpiFamily, Supervised};
use runcast_core::{Problem, Warning};
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// What is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Full,
    /// Only regions with none around them.
    Outer,
    Off,
}

/// How a program is started.
#[derive(Debug)]
pub(super) struct Launch {
    words: Vec<String>,
    folder: PathBuf,
    /// As the user names the folder.
    shown: PathBuf,
    clock: Option<Clock>,
    root: Vec<(String, String)>,
    checks: bool,
}

/// A run that has ended.
#[derive(Debug, Clone)]
pub(super) struct Ran {
    pub entry: RunEntry,
    pub paths: Vec<PathBuf>,
    pub warnings: Vec<Warning>,
    /// Whether it makes sense to run it again.
    pub goes_on: bool,
    /// Holds the traces that nobody keeps.
    _temporary: Option<Arc<Scratch>>,
}

impl Launch {
    /// # Errors
    /// The launcher needs a number of processes, or cannot be used here; the folder cannot be made.
    pub(super) fn of(args: &RunArgs) -> Result<Self, Failure> {
        let words = with_launcher(args)?;
        std::fs::create_dir_all(&args.output).map_err(|error| Failure::writing(&args.output, &error))?;
        let folder = std::fs::canonicalize(&args.output).map_err(|error| Failure::writing(&args.output, &error))?;
        let launcher = words.first().filter(|first| starts_mpi(first));
        let root = launcher.and_then(|first| MpiFamily::of_launcher(first)).map(MpiFamily::root_variables);
        Ok(Launch {
            words,
            folder,
            shown: args.output.to_path_buf(),
            clock: args.clock,
            root: root.unwrap_or_default(),
            checks: args.check_overhead,
        })
    }

    /// Runs it once.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) fn run(&self, kind: Kind, context: &mut Context) -> Result<Ran, Failure> {
        // Traces of a check are no measurements: they do not stand among those that are.
        let temporary = match kind {
            Kind::Full => None,
            Kind::Outer | Kind::Off => Some(Arc::new(Scratch::new()?)),
        };
        let folder = temporary.as_ref().map_or(self.folder.as_path(), |temporary| temporary.path());
        let number = next_run(folder);
        let before = files(folder);
        let program = self.program(kind, folder, number);
        let finished = watched(&program, context);
        if let End::NotStarted(why) = &finished.end {
            let value = self.words.first().cloned().unwrap_or_default();
            return Err(Failure::input(Problem::new("not_started", why.clone()).value(value)));
        }
        let paths = traces_since(folder, &before);
        let named = paths.iter().map(|path| self.shown.join(path.file_name().unwrap_or_default()));
        let mut warnings: Vec<Warning> = how_it_ended(&finished.end).into_iter().collect();
        if paths.is_empty() && kind == Kind::Full && finished.end.is_ok() {
            let message = "the program left no trace: build it with `runcast cll cc --` before the compiler";
            warnings.push(Warning::new("no_trace", message));
        }
        let entry = RunEntry {
            run: number,
            status: finished.end.status(),
            wall_s: finished.wall_s,
            cpu_s: finished.cpu_s,
            traces: named.map(|path| path.display().to_string()).collect(),
        };
        let goes_on = finished.end.is_ok() && !context.is_interrupted();
        Ok(Ran { entry, paths, warnings, goes_on, _temporary: temporary })
    }

    fn program(&self, kind: Kind, folder: &Path, number: u64) -> Supervised {
        let mut program = Supervised::new(&self.words);
        let mut set = |name: &str, value: &str| program.env.push((name.into(), value.into()));
        for (name, value) in &self.root {
            set(name, value);
        }
        set("CLL_RUN", &number.to_string());
        match self.clock {
            Some(Clock::Mono) => set("CLL_CLOCK", "mono"),
            Some(Clock::Tsc) => set("CLL_CLOCK", "tsc"),
            None => {}
        }
        match kind {
            Kind::Full => {}
            Kind::Outer => set("CLL_DEPTH", "1"),
            Kind::Off => set("CLL_OFF", "1"),
        }
        program.env.push(("CLL_DIR".into(), folder.as_os_str().to_owned()));
        // A check is one of what is recorded by itself.
        let own = ["CLL_OFF", "CLL_DEPTH"].map(OsString::from);
        let is_set = |name: &OsString| program.env.iter().any(|(set, _)| set == name);
        program.unset = own.into_iter().filter(|name| self.checks && !is_set(name)).collect();
        program
    }
}

/// Whether a program is a launcher of MPI, which may be asked for its version: a program of the user's is not.
fn starts_mpi(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    ["mpirun", "mpiexec", "orterun", "prterun"].iter().any(|known| name.starts_with(known))
}

/// The words of the launcher, the number of processes, the program.
fn with_launcher(args: &RunArgs) -> Result<Vec<String>, Failure> {
    let mut words = match (&args.launcher, args.processes) {
        (LauncherChoice::Slurm, _) => {
            let problem = Problem::new("unsupported", "traces are not collected from jobs of Slurm").at("--launcher");
            return Err(problem.value("slurm").hint("inside a job: runcast cll run -- srun -n 4 ./solver").into());
        }
        (LauncherChoice::Local, None) => Vec::new(),
        (LauncherChoice::Local, Some(_)) => vec!["mpirun".to_owned()],
        (LauncherChoice::Mpi(words), _) => words.clone(),
    };
    match args.processes {
        Some(processes) => words.extend(["-np".to_owned(), processes.to_string()]),
        None if words.is_empty() => {}
        None => {
            let problem = Problem::new("no_processes", "an MPI launcher needs a number of processes");
            return Err(problem.at("--launcher").value(words.join(" ")).hint("--processes 4 starts four").into());
        }
    }
    words.extend(args.command.iter().cloned());
    Ok(words)
}

/// The number of the next run: behind all that are there; the first one may be given.
fn next_run(folder: &Path) -> u64 {
    let given = std::env::var("CLL_RUN").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let taken = files(folder).into_keys().filter_map(|path| run_of(&path.file_name()?.to_string_lossy()));
    taken.map(|run| run.saturating_add(1)).max().unwrap_or(0).max(given)
}

/// The number in `NAME.cll.RUN.csv`, `NAME.cll.RUN.rRANK.csv` and so on.
fn run_of(name: &str) -> Option<u64> {
    let (_, rest) = name.rsplit_once(".cll.")?;
    rest.split('.').next()?.parse().ok()
}

/// The files of a folder, and what tells whether they have changed.
fn files(folder: &Path) -> HashMap<PathBuf, (u64, Option<SystemTime>)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return HashMap::new() };
    let file = |entry: std::fs::DirEntry| {
        let data = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((entry.path(), (data.len(), data.modified().ok())))
    };
    entries.flatten().filter_map(file).collect()
}

/// Traces that were not there before, or have changed.
fn traces_since(folder: &Path, before: &HashMap<PathBuf, (u64, Option<SystemTime>)>) -> Vec<PathBuf> {
    let changed = files(folder).into_iter().filter(|(path, state)| before.get(path) != Some(state));
    let mut traces: Vec<PathBuf> = changed.map(|(path, _)| path).filter(|path| is_trace(path)).collect();
    traces.sort();
    traces
}

fn is_trace(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(256).read_to_end(&mut start));
    read.is_ok() && runcast_call::trace::is_trace(&start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_numbered_on() {
        assert_eq!(run_of("fft.cll.12.csv"), Some(12));
        assert_eq!(run_of("a.cll.x.cll.3.r1.csv"), Some(3));
        assert_eq!(run_of("fft.csv"), None);
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(next_run(folder.path()), 0);
        for name in ["a.cll.0.csv", "b.cll.7.r0.csv", "notes.txt"] {
            std::fs::write(folder.path().join(name), "").expect("written");
        }
        assert_eq!(next_run(folder.path()), 8);
    }
}
