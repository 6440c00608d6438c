//! Inside: the process of a task.
//!
//! Takes the work, gives up all rights, then looks at the files for the first time. Everything that a script could reach
//! happens after that.

mod report;
mod work;

use super::protocol::{EndFrame, Header, MOST_IN_HEADER};
use super::sandbox::{self, Enforced};
use super::sys;
use report::Report;
use std::io::{self, Read};
use std::process::ExitCode;
use std::sync::Arc;

/// How a process ends whose parent has gone.
const ORPHANED: i32 = 86;
/// How Rust ends a process whose main thread panics.
const PANICKED: u8 = 101;
/// Stack of the thread that watches the pipe.
const WATCHER_STACK: usize = 64 << 10;
/// Stack of the thread that works, in a fork.
const WORKER_STACK: usize = 16 << 20;

/// `runcast task-process`: never returns a result but through its standard output.
pub fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    {
        sys::close_all_but_pipes();
        let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
    serve(None)
}

/// A fork of the root of tasks, which has given up some rights already.
#[cfg(target_os = "linux")]
pub(super) fn forked(root: u32, enforced: Enforced) -> ExitCode {
    // Who has died since cannot send the signal.
    if std::os::unix::process::parent_id() != root {
        return ExitCode::FAILURE;
    }
    runcast_sim::budget::memory::read_by(sys::peak_bytes);
    serve(Some(enforced))
}

fn serve(root: Option<Enforced>) -> ExitCode {
    let (header, files) = match take() {
        Ok(taken) => taken,
        Err(_) => return ExitCode::FAILURE,
    };
    // The signal comes only from a parent that ends later than this.
    #[cfg(target_os = "linux")]
    if std::os::unix::process::parent_id() != header.parent {
        return ExitCode::FAILURE;
    }
    #[cfg(unix)]
    sandbox::limit(&header.limits, root.map_or(0, |_| WORKER_STACK as u64));
    let enforced = match root {
        #[cfg(target_os = "linux")]
        Some(root) => sandbox::enter_forked(root),
        _ => {
            runcast_sim::budget::memory::keep_in_sight();
            sandbox::enter()
        }
    };
    // Threads come after the sandbox: they have no more rights than who starts them.
    if watch().is_err() {
        return ExitCode::FAILURE;
    }
    let report = Arc::new(Report::default());
    // Not with the thread that works among them: it may wait for other threads that compute here.
    let threads = usize::from(header.limits.threads.max(1));
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    let work = {
        let report = Arc::clone(&report);
        move || work::run(&header, files, enforced, &report)
    };
    // Keys of hash maps belong to threads: those of a thread that starts after the fork are no other task's.
    let end = if root.is_some() { apart(work) } else { Some(work()) };
    let Some(end) = end else { return ExitCode::from(PANICKED) };
    match report.end(&end) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Computes in a thread of its own; none: it panicked, and has said so.
fn apart(work: impl FnOnce() -> EndFrame + Send + 'static) -> Option<EndFrame> {
    let thread = std::thread::Builder::new().name("task".to_owned()).stack_size(WORKER_STACK);
    thread.spawn(work).ok()?.join().ok()
}

/// Files by their paths.
type Contents = Vec<(String, Arc<[u8]>)>;

/// The header, and the files behind it.
fn take() -> io::Result<(Header, Contents)> {
    let mut pipe = io::stdin().lock();
    let mut length = [0; 4];
    pipe.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MOST_IN_HEADER {
        return Err(io::Error::other("the header is too long"));
    }
    let mut text = vec![0; length];
    pipe.read_exact(&mut text)?;
    let header: Header = serde_json::from_slice(&text)?;
    let mut files = Vec::with_capacity(header.files.len());
    for (path, size) in &header.files {
        let mut bytes = vec![0; usize::try_from(*size).map_err(io::Error::other)?];
        pipe.read_exact(&mut bytes)?;
        files.push((path.clone(), bytes.into()));
    }
    Ok((header, files))
}

/// Ends the process when the pipe from its parent ends: the signal of the system comes when the *thread* ends that started
/// it, and not at all if there is none.
fn watch() -> io::Result<()> {
    let watcher = std::thread::Builder::new().name("parent".to_owned()).stack_size(WATCHER_STACK);
    let until_its_end = || {
        let mut rest = [0; 16];
        while io::stdin().read(&mut rest).is_ok_and(|read| read > 0) {}
        std::process::exit(ORPHANED);
    };
    watcher.spawn(until_its_end).map(drop)
}
