//! One start of the launcher, watched to its end.

use super::envelope::{self, Opened};
use super::lost::{self, Lost, Why};
use super::starter::Starter;
use super::watch::Seen;
use super::{Launch, signs};
use crate::context::{Context, Progress};
use crate::failure::Failure;
use crate::output::Output;
use runcast_bench::Ends;
use runcast_bench::supervise::{self, Finished, Stream, Supervised};
use runcast_core::{Problem, Problems};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ChildStdin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the ranks are looked at.
const TICK: Duration = Duration::from_millis(50);
/// What rank 0 is told first, so that it can tell a pipe from nothing, and what it is told to stop.
pub const HELLO: &str = "watched";
pub const STOP: &str = "stop";

/// One start of the launcher.
pub struct Attempt<'a> {
    /// What starts the ranks.
    pub starter: &'a Starter,
    /// What is run.
    pub launch: &'a Launch<'a>,
    /// So many starts were before.
    pub restarts: u32,
    /// The checkpoint to go on from.
    pub resume: Option<&'a Path>,
}

/// How an attempt ended.
pub enum End {
    /// With a result, also one of a run that was stopped.
    Output(Box<Output>),
    /// With an error that comes again when it is tried again.
    Failed(Failure),
    /// Without a result, because somebody asked to stop.
    Interrupted,
    /// Without a result.
    Lost(Lost),
}

/// What the threads of the parent share.
struct Shared<'a> {
    seen: Mutex<Seen>,
    printed: Mutex<String>,
    progress: Mutex<&'a mut (dyn Progress + Send)>,
    stdin: Mutex<Option<ChildStdin>>,
    /// Raised to end the launcher and all below it.
    end: AtomicBool,
}

impl Attempt<'_> {
    /// Starts the launcher and watches until it has ended, with everything below it.
    pub fn run(&self, context: &mut Context) -> End {
        let program = self.program(context);
        let shared = Shared {
            seen: Mutex::default(),
            printed: Mutex::default(),
            progress: Mutex::new(context.progress.as_mut()),
            stdin: Mutex::default(),
            end: AtomicBool::new(false),
        };
        let what = format!("{} under {}", count(self.launch.workers), self.starter.words.join(" "));
        if let Some(iterations) = self.launch.iterations {
            lock(&shared.progress).begin(&what, iterations);
        }
        let is_done = AtomicBool::new(false);
        let interrupt = context.interrupt.as_ref();
        let given = self.launch.args.stall_timeout.and_then(|s| Duration::try_from_secs_f64(s).ok());
        let (finished, why) = std::thread::scope(|scope| {
            let watching = scope.spawn(|| shared.watch(interrupt, given, &is_done));
            // In this thread: the program ends with the thread that has started it.
            let finished = program.run_talking(&shared.end, &|stream, line| shared.line(stream, line), &mut |stdin| {
                shared.connect(stdin);
            });
            is_done.store(true, Ordering::Relaxed);
            (finished, watching.join().unwrap_or_default())
        });
        lock(&shared.progress).end();
        let Shared { seen, printed, .. } = shared;
        let (seen, printed) = (inside(seen), inside(printed));
        self.judge(&finished, why, &seen, &printed, interrupt.load(Ordering::Relaxed))
    }

    fn judge(&self, finished: &Finished, why: Option<Why>, seen: &Seen, printed: &str, is_interrupted: bool) -> End {
        if let supervise::End::NotStarted(message) = &finished.end {
            return End::Failed(Failure::undone(Problem::new("launcher_failed", message.clone())));
        }
        let may_retry = self.restarts < self.launch.args.retries;
        // Launchers that lose a rank ask the others to stop: this is then not what rank 0 was meant to tell.
        let was_stopped = |code: Option<&str>| !is_interrupted && code == Some("interrupted");
        match envelope::open(printed) {
            Some(Opened::Output(output)) if !(may_retry && was_stopped(status(&output).as_deref())) => {
                return End::Output(output);
            }
            Some(Opened::Problems(problems)) if !was_stopped(code(&problems)) => {
                return failed(problems, exit_of(finished), seen);
            }
            _ => {}
        }
        if let Some((problems, exit)) = seen.failed.clone() {
            return failed(Problems(problems), exit, seen);
        }
        if is_interrupted {
            return End::Interrupted;
        }
        match why {
            Some(why) => End::Lost(Lost { why, iteration: seen.iteration }),
            None if seen.ranks.is_empty() && lost::signal(&finished.end).is_none() => {
                End::Failed(launcher_failed(finished, seen))
            }
            None => End::Lost(Lost::of(seen, &finished.end)),
        }
    }

    /// The launcher, with this executable and its arguments.
    fn program(&self, context: &Context) -> Supervised {
        let mut argv: Vec<OsString> = self.starter.words.iter().map(Into::into).collect();
        argv.push(context.executable.clone().into());
        let arguments = context.command_line.get(1..).unwrap_or_default();
        argv.extend(arguments.iter().map(Into::into));
        if !arguments.iter().any(|word| word == "--json") {
            argv.push("--json".into());
        }
        argv.extend(["--launched".into(), self.restarts.to_string().into()]);
        if let (Some(file), true) = (self.resume, self.restarts > 0) {
            argv.extend(["--resume-instead".into(), file.into()]);
        }
        let mut program = Supervised::new(argv);
        program.env = self.starter.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        program
    }
}

fn count(workers: usize) -> String {
    crate::human::count(workers, "worker", "workers")
}

impl Shared<'_> {
    fn connect(&self, mut stdin: ChildStdin) {
        // A launcher that does not read is no reason to stop.
        let _ = writeln!(stdin, "{HELLO}");
        *lock(&self.stdin) = Some(stdin);
    }

    fn line(&self, stream: Stream, line: &str) {
        if stream == Stream::Stdout {
            let mut printed = lock(&self.printed);
            printed.push_str(line);
            printed.push('\n');
            return;
        }
        let (other, iteration) = {
            let mut seen = lock(&self.seen);
            (seen.line(line), seen.iteration)
        };
        let mut progress = lock(&self.progress);
        match other {
            Some(other) => progress.line(&other),
            None => progress.step(iteration, ""),
        }
    }

    /// Passes the wish to stop on to rank 0, and ends the launcher when nothing moves any more.
    fn watch(&self, interrupt: &AtomicBool, given: Option<Duration>, is_done: &AtomicBool) -> Option<Why> {
        let (start, host) = (Instant::now(), signs::host());
        let (mut ends, mut watched) = (Ends::new(), BTreeSet::new());
        let mut is_told = false;
        while !is_done.load(Ordering::Relaxed) {
            let ended = ends.wait(TICK);
            if !is_told && interrupt.load(Ordering::Relaxed) {
                is_told = true;
                self.tell_to_stop();
            }
            let mut seen = lock(&self.seen);
            seen.ended(&ended, &host);
            let here = seen.ranks.iter().filter(|(_, place)| place.host == host);
            here.filter(|(rank, _)| watched.insert(**rank)).for_each(|(_, place)| ends.add(place.pid));
            let verdict = seen.verdict(start, given);
            drop(seen);
            if verdict.is_some() {
                self.end.store(true, Ordering::Relaxed);
                return verdict;
            }
        }
        None
    }

    /// Rank 0 finishes its iteration, saves, and ends the run. Where it cannot be told, the launcher is ended.
    fn tell_to_stop(&self) {
        let mut stdin = lock(&self.stdin);
        let told = stdin.as_mut().map(|stdin| writeln!(stdin, "{STOP}").and_then(|()| stdin.flush()));
        if !matches!(told, Some(Ok(()))) {
            self.end.store(true, Ordering::Relaxed);
        }
    }
}

/// A thread that has panicked leaves nothing half done here.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn inside<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The field of this name in the document of a run.
fn status(output: &Output) -> Option<String> {
    Some(output.document.as_ref()?.value().ok()?.get("status")?.as_str()?.to_owned())
}

fn code(problems: &Problems) -> Option<&str> {
    problems.0.first().map(|problem| problem.code.as_str())
}

/// Codes of errors that may be the machine's fault, not that of the program.
const PASSING: [&str; 2] = ["stalled", "message_failed"];

fn failed(problems: Problems, exit: u8, seen: &Seen) -> End {
    match problems.0.first() {
        Some(first) if PASSING.contains(&first.code.as_str()) => {
            End::Lost(Lost { why: Why::Told(first.code.clone(), first.message.clone()), iteration: seen.iteration })
        }
        _ => End::Failed(Failure { problems, exit }),
    }
}

/// Launchers pass the exit code of a rank on.
fn exit_of(finished: &Finished) -> u8 {
    if finished.end == supervise::End::Exit(2) { 2 } else { 1 }
}

/// No rank has reported: the launcher did not understand its options, or found no place for the ranks.
fn launcher_failed(finished: &Finished, seen: &Seen) -> Failure {
    let last = seen.noise.iter().rev().find(|line| line.chars().any(char::is_alphanumeric));
    let said = last.map_or_else(String::new, |line| format!("; its last words: {}", line.trim()));
    let message = format!("the launcher started no rank ({}){said}", finished.end.status());
    Failure::undone(Problem::new("launcher_failed", message).at("--launcher"))
}
