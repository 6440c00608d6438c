//! Starting a program, watching it, measuring it, and ending it with everything it started.
//!
//! Every program that runcast starts for its user goes through [`Supervised`]: benchmarks, MPI launchers, solvers.

use crate::clock;
use crate::sys;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime};

/// Longer lines are cut here; the rest of the line is dropped.
const LINE_MOST: usize = 64 * 1024;
/// How much of the end of each stream is kept.
const TAIL_MOST: usize = 8 * 1024;
/// Interval of checking the time limit and the interrupt flag.
const TICK: Duration = Duration::from_millis(20);

/// A program to be started and watched.
///
/// It runs in a process group of its own. Whatever it leaves running is killed when it ends, when its time is up, or
/// when this process dies; so nothing of it outlives [`Supervised::run`]. On systems other than Linux, processes that
/// moved to another group are left alone, and the death of this process is not noticed.
///
/// # Examples
/// ```
/// use runcast_bench::supervise::{End, Supervised};
/// let finished = Supervised::new(["sh", "-c", "echo 42; exit 3"]).run_quietly();
/// assert_eq!(finished.end, End::Exit(3));
/// assert_eq!(finished.stdout_tail, "42\n");
/// ```
#[derive(Debug, Clone)]
pub struct Supervised {
    /// The program, searched in `PATH` unless it contains a `/`, and its arguments.
    pub argv: Vec<OsString>,
    /// Added to the environment of this process.
    pub env: Vec<(OsString, OsString)>,
    /// Variables of this process that it does not get.
    pub unset: Vec<OsString>,
    /// Where it runs; here, if not given.
    pub workdir: Option<PathBuf>,
    /// The file that it reads from; nothing, if not given.
    pub stdin: Option<PathBuf>,
    /// When it is ended.
    pub time_limit: Option<Duration>,
    /// How long after SIGTERM it is killed.
    pub grace: Duration,
}

/// Which stream a line came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Exit(i32),
    /// By this signal, which was not ours.
    Signal(i32),
    /// Its time was up.
    Timeout,
    /// The interrupt flag was raised.
    Interrupted,
    /// It could not be started, and why.
    NotStarted(String),
    /// Unknown: its guardian was killed.
    Lost,
}

impl End {
    /// As in the column `status`: `ok`, `exit_3`, `signal_9`, `timeout`, `interrupted`, `not_started`, `lost`.
    pub fn status(&self) -> String {
        match self {
            End::Exit(0) => "ok".to_owned(),
            End::Exit(code) => format!("exit_{code}"),
            End::Signal(signal) => format!("signal_{signal}"),
            End::Timeout => "timeout".to_owned(),
            End::Interrupted => "interrupted".to_owned(),
            End::NotStarted(_) => "not_started".to_owned(),
            End::Lost => "lost".to_owned(),
        }
    }

    /// Whether it ended by itself with exit code 0.
    pub fn is_ok(&self) -> bool {
        *self == End::Exit(0)
    }
}

/// The result of a program and its resource use.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    pub end: End,
    /// When it was started.
    pub started_at: SystemTime,
    /// Wall time from just before its start to its end.
    pub wall_s: Option<f64>,
    /// User and system time of the program and of its descendants on this machine.
    pub cpu_s: Option<f64>,
    /// Resident memory of the largest single one of these processes. Never less than what this process itself holds,
    /// for the kernel counts from the fork on: 1 MB was seen for `true`, but 301 MB when started by a process of 300 MB.
    pub peak_bytes: Option<u64>,
    /// Processes that it left running, now killed.
    pub left_behind: u32,
    /// The end of its standard output.
    pub stdout_tail: String,
    /// The end of its standard error.
    pub stderr_tail: String,
}

impl Finished {
    /// When it was started, as RFC 3339 in UTC.
    pub fn started_at_text(&self) -> String {
        clock::rfc3339(self.started_at)
    }
}

impl Supervised {
    /// A program with its arguments and nothing else.
    pub fn new<S: Into<OsString>>(argv: impl IntoIterator<Item = S>) -> Self {
        Supervised {
            argv: argv.into_iter().map(Into::into).collect(),
            env: Vec::new(),
            unset: Vec::new(),
            workdir: None,
            stdin: None,
            time_limit: None,
            grace: Duration::from_secs(2),
        }
    }

    /// Runs it to its end, without interruption or inspection of its output.
    pub fn run_quietly(&self) -> Finished {
        self.run(&AtomicBool::new(false), &|_, _| {})
    }

    /// Runs it to its end.
    ///
    /// `on_line` gets every line of its output as it comes, without the line end (a carriage return ends a line, too),
    /// from one thread for each stream. When `interrupt` is raised, the program is ended.
    pub fn run(&self, interrupt: &AtomicBool, on_line: &(dyn Fn(Stream, &str) + Sync)) -> Finished {
        self.finished(interrupt, on_line, None)
    }

    /// As [`Supervised::run`], with a pipe as its standard input, in place of a file. `on_start` gets the other end of
    /// it as soon as the program was started.
    pub fn run_talking(
        &self,
        interrupt: &AtomicBool,
        on_line: &(dyn Fn(Stream, &str) + Sync),
        on_start: &mut dyn FnMut(ChildStdin),
    ) -> Finished {
        self.finished(interrupt, on_line, Some(on_start))
    }

    fn finished(
        &self,
        interrupt: &AtomicBool,
        on_line: &(dyn Fn(Stream, &str) + Sync),
        on_start: Option<&mut dyn FnMut(ChildStdin)>,
    ) -> Finished {
        let started_at = SystemTime::now();
        match self.watch(interrupt, on_line, on_start, started_at) {
            Ok(finished) => finished,
            Err(error) => Finished {
                end: End::NotStarted(error.to_string()),
                started_at,
                wall_s: None,
                cpu_s: None,
                peak_bytes: None,
                left_behind: 0,
                stdout_tail: String::new(),
                stderr_tail: error.to_string(),
            },
        }
    }

    fn watch(
        &self,
        interrupt: &AtomicBool,
        on_line: &(dyn Fn(Stream, &str) + Sync),
        on_start: Option<&mut dyn FnMut(ChildStdin)>,
        started_at: SystemTime,
    ) -> io::Result<Finished> {
        let (report_reader, report_writer) = io::pipe()?;
        let mut command = self.command()?;
        if on_start.is_some() {
            command.stdin(Stdio::piped());
        }
        sys::guard(&mut command, &report_writer);
        let start = Instant::now();
        let mut guardian = command.spawn().map_err(|error| self.explain(error))?;
        drop(report_writer);
        drop(command);
        if let (Some(on_start), Some(stdin)) = (on_start, guardian.stdin.take()) {
            on_start(stdin);
        }
        let (stdout, stderr) = (guardian.stdout.take(), guardian.stderr.take());
        let (reported, ended_by_us, stdout_tail, stderr_tail) = std::thread::scope(|scope| {
            let out = scope.spawn(move || stdout.map_or_else(String::new, |s| read_lines(s, Stream::Stdout, on_line)));
            let err = scope.spawn(move || stderr.map_or_else(String::new, |s| read_lines(s, Stream::Stderr, on_line)));
            let (sender, receiver) = mpsc::channel();
            scope.spawn(move || sender.send(sys::read_report(report_reader)));
            let (reported, ended_by_us) = self.await_report(guardian.id(), start, interrupt, &receiver);
            if let (Some(group), None) = reported {
                sys::kill_group(group);
            }
            (reported, ended_by_us, out.join().unwrap_or_default(), err.join().unwrap_or_default())
        });
        let _ = guardian.wait();
        let report = reported.1;
        let end = match (ended_by_us, report) {
            (Some(end), _) => end,
            (None, None) => End::Lost,
            (None, Some(report)) => match (sys::exit_code(report.wait_status), sys::term_signal(report.wait_status)) {
                (Some(code), _) => End::Exit(code),
                (None, Some(signal)) => End::Signal(signal),
                (None, None) => End::Lost,
            },
        };
        Ok(Finished {
            end,
            started_at,
            wall_s: report.map(|report| report.wall_s),
            cpu_s: report.map(|report| report.cpu_s),
            peak_bytes: report.map(|report| report.peak_bytes),
            left_behind: report.map_or(0, |report| report.left_behind),
            stdout_tail,
            stderr_tail,
        })
    }

    fn command(&self) -> io::Result<Command> {
        let [program, arguments @ ..] = self.argv.as_slice() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program was given"));
        };
        let mut command = Command::new(program);
        command.args(arguments);
        for name in &self.unset {
            command.env_remove(name);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(workdir) = &self.workdir {
            command.current_dir(workdir);
        }
        command.stdin(match &self.stdin {
            None => Stdio::null(),
            Some(path) => Stdio::from(
                File::open(path)
                    .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?,
            ),
        });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }

    fn explain(&self, error: io::Error) -> io::Error {
        let program = self.argv.first().map(|program| program.to_string_lossy()).unwrap_or_default();
        let place = match &self.workdir {
            Some(workdir) => format!(" in {}", workdir.display()),
            None => String::new(),
        };
        io::Error::new(error.kind(), format!("cannot start {program}{place}: {error}"))
    }

    /// Waits for the report, ending the program when its time is up or when it is interrupted.
    fn await_report(
        &self,
        guardian: u32,
        start: Instant,
        interrupt: &AtomicBool,
        receiver: &mpsc::Receiver<Reported>,
    ) -> (Reported, Option<End>) {
        let mut ended_by_us = None;
        let mut kill_at = None;
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(reported) => return (reported, ended_by_us),
                Err(RecvTimeoutError::Disconnected) => return ((None, None), ended_by_us),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if ended_by_us.is_none() {
                let late = self.time_limit.is_some_and(|limit| start.elapsed() >= limit);
                if late || interrupt.load(Ordering::Relaxed) {
                    ended_by_us = Some(if late { End::Timeout } else { End::Interrupted });
                    sys::end(guardian, false);
                    kill_at = Instant::now().checked_add(self.grace);
                }
            } else if kill_at.is_some_and(|at| Instant::now() >= at) {
                sys::end(guardian, true);
            }
        }
    }
}

type Reported = (Option<i32>, Option<sys::Report>);

/// Hands out the lines of a stream until its end; returns the end of the stream.
fn read_lines(mut stream: impl Read, which: Stream, on_line: &(dyn Fn(Stream, &str) + Sync)) -> String {
    let mut buffer = vec![0; 64 * 1024];
    let mut line = Vec::new();
    let mut tail = Vec::new();
    loop {
        let count = match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let bytes = buffer.get(..count).unwrap_or_default();
        keep_tail(&mut tail, bytes);
        let mut parts = bytes.split(|&byte| byte == b'\n' || byte == b'\r').peekable();
        while let Some(part) = parts.next() {
            let room = LINE_MOST.saturating_sub(line.len()).min(part.len());
            line.extend_from_slice(part.get(..room).unwrap_or_default());
            if parts.peek().is_some() {
                on_line(which, &String::from_utf8_lossy(&line));
                line.clear();
            }
        }
    }
    if !line.is_empty() {
        on_line(which, &String::from_utf8_lossy(&line));
    }
    let cut = tail.len().saturating_sub(TAIL_MOST);
    String::from_utf8_lossy(tail.get(cut..).unwrap_or_default()).into_owned()
}

fn keep_tail(tail: &mut Vec<u8>, bytes: &[u8]) {
    let from = bytes.len().saturating_sub(TAIL_MOST);
    tail.extend_from_slice(bytes.get(from..).unwrap_or_default());
    if tail.len() > 4 * TAIL_MOST {
        tail.drain(..tail.len() - TAIL_MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn shell(script: &str) -> Supervised {
        Supervised::new(["sh", "-c", script])
    }

    #[test]
    fn exit_codes_and_signals_are_told_apart() {
        assert_eq!(shell("exit 0").run_quietly().end, End::Exit(0));
        assert_eq!(shell("exit 17").run_quietly().end.status(), "exit_17");
        assert_eq!(shell("kill -9 $$").run_quietly().end.status(), "signal_9");
        assert_eq!(Supervised::new(["/nonexistent/program"]).run_quietly().end.status(), "not_started");
        assert_eq!(Supervised::new(Vec::<String>::new()).run_quietly().end.status(), "not_started");
    }

    #[test]
    fn wall_and_cpu_time_and_memory_are_those_of_the_program() {
        let slept = shell("sleep 0.2").run_quietly();
        assert!((0.2..1.0).contains(&slept.wall_s.expect("measured")), "{slept:?}");
        assert!(slept.cpu_s.expect("measured") < 0.1, "{slept:?}");
        let busy = shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done").run_quietly();
        let (wall_s, cpu_s) = (busy.wall_s.expect("measured"), busy.cpu_s.expect("measured"));
        assert!(cpu_s > 0.01 && cpu_s <= wall_s * 1.1 + 0.01, "{busy:?}");
        let large = shell("head -c 300000000 /dev/zero | tail -c 200000000 | wc -c").run_quietly();
        let peak = large.peak_bytes.expect("measured");
        assert!((200_000_000..450_000_000).contains(&peak), "tail holds what it will print: {large:?}");
    }

    #[test]
    fn time_limit_ends_the_grandchildren_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let mark = folder.path().join("alive");
        // One grandchild ignores SIGTERM, one has left the process group.
        let script = format!(
            "(trap '' TERM; sleep 3; touch {0}) & setsid sh -c 'sleep 3; touch {0}' & sleep 60",
            mark.display()
        );
        let mut program = shell(&script);
        program.time_limit = Some(Duration::from_millis(200));
        program.grace = Duration::from_millis(100);
        let start = Instant::now();
        let finished = program.run_quietly();
        assert_eq!(finished.end, End::Timeout);
        assert!(start.elapsed() < Duration::from_secs(2), "{finished:?}");
        std::thread::sleep(Duration::from_secs(4));
        assert!(!mark.exists(), "a grandchild lived on");
    }

    #[test]
    fn what_ignores_sigterm_is_killed() {
        let mut program = shell("trap '' TERM; while :; do sleep 0.05; done");
        program.time_limit = Some(Duration::from_millis(100));
        program.grace = Duration::from_millis(200);
        let finished = program.run_quietly();
        assert_eq!(finished.end, End::Timeout);
        assert!(finished.wall_s.expect("measured") < 2.0);
    }

    #[test]
    fn processes_left_behind_are_killed_and_counted() {
        let start = Instant::now();
        let finished = shell("sleep 50 & setsid sleep 50 & echo done").run_quietly();
        assert_eq!((finished.end.status().as_str(), finished.left_behind), ("ok", 2));
        assert_eq!(finished.stdout_tail, "done\n");
        assert!(start.elapsed() < Duration::from_secs(5), "its pipes were held open");
    }

    #[test]
    fn the_interrupt_flag_ends_the_program() {
        let interrupt = AtomicBool::new(false);
        let finished = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                interrupt.store(true, Ordering::Relaxed);
            });
            shell("sleep 60").run(&interrupt, &|_, _| {})
        });
        assert_eq!(finished.end, End::Interrupted);
    }

    #[test]
    fn lines_come_whole_and_long_ones_are_cut() {
        let lines = Mutex::new(Vec::new());
        let script = "printf 'a\\rb\\nno end'; printf 'err\\n' >&2";
        shell(script).run(&AtomicBool::new(false), &|stream, line| {
            lines.lock().expect("unpoisoned").push((stream == Stream::Stdout, line.to_owned()));
        });
        let lines = lines.into_inner().expect("unpoisoned");
        let out: Vec<_> = lines.iter().filter(|(out, _)| *out).map(|(_, line)| line.as_str()).collect();
        assert_eq!(out, ["a", "b", "no end"]);
        assert!(lines.contains(&(false, "err".to_owned())));

        let longest = Mutex::new(0);
        let finished = shell("head -c 3000000 /dev/zero | tr '\\0' x").run(&AtomicBool::new(false), &|_, line| {
            let mut longest = longest.lock().expect("unpoisoned");
            *longest = line.len().max(*longest);
        });
        assert_eq!(longest.into_inner().expect("unpoisoned"), LINE_MOST);
        assert_eq!(finished.stdout_tail.len(), TAIL_MOST);
    }

    #[test]
    fn a_program_can_be_talked_to() {
        use std::io::Write;
        let mut pipe = None;
        let finished = shell("read word; echo got $word; cat").run_talking(
            &AtomicBool::new(false),
            &|_, _| {},
            &mut |mut stdin| {
                stdin.write_all(b"this\n").expect("it reads");
                // Held for a while, and closed by another thread: then `cat` ends.
                pipe = Some(std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(100));
                    drop(stdin);
                }));
            },
        );
        assert_eq!((finished.end, finished.stdout_tail.as_str()), (End::Exit(0), "got this\n"));
        assert!(finished.wall_s.expect("measured") >= 0.1);
    }

    #[test]
    fn environment_folder_and_input_are_passed_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let input = folder.path().join("input");
        std::fs::write(&input, "from a file").expect("written");
        let mut program = shell("cat; echo; echo $COLOR; pwd");
        program.env.push(("COLOR".into(), "blue".into()));
        program.workdir = Some(folder.path().to_owned());
        program.stdin = Some(input);
        let place = folder.path().canonicalize().expect("it exists");
        assert_eq!(program.run_quietly().stdout_tail, format!("from a file\nblue\n{}\n", place.display()));
    }
}
