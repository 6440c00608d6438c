//! One start of the launcher, watched to its end.

use super::judge::{End, Ended};
use super::lost::Why;
use super::starter::Starter;
use super::watch::Seen;
use super::{Launch, signs};
use crate::context::{Context, Progress};
use runcast_bench::Ends;
use runcast_bench::supervise::{Stream, Supervised};
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
/// The first line that rank 0 gets, so that it can tell a pipe from nothing, and the line that makes it stop.
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
        let what = format!("{} under {}", count(self.launch), self.starter.words.join(" "));
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
        let ended = Ended {
            finished,
            why,
            seen: inside(seen),
            printed: inside(printed),
            is_interrupted: interrupt.load(Ordering::Relaxed),
        };
        ended.judge(self.restarts < self.launch.args.retries)
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

fn count(launch: &Launch<'_>) -> String {
    match launch.are_equal {
        true => crate::human::count(launch.workers + 1, "process", "processes"),
        false => crate::human::count(launch.workers, "worker", "workers"),
    }
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

    /// Rank 0 finishes its iteration, saves, and ends the run. If it cannot be reached, the launcher is ended.
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
