//! The root of tasks, seen from outside.

use super::{MOST_BYTES, READY, message, send};
use crate::task::sys::Reaped;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Signal, pidfd_send_signal};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Forks of a root; then it is replaced, and with it the layout of its memory.
const MOST_FORKS: u32 = 1000;
/// Age of a root at which it is replaced.
const MOST_AGE: Duration = Duration::from_mins(10);
/// How long a fork may take; then a process is started in the usual way.
const FORK_WITHIN: Duration = Duration::from_millis(50);
/// How long a root may take to get ready.
const READY_WITHIN: Duration = Duration::from_secs(10);
/// How long the end of a process may take that was killed.
const END_WITHIN: Duration = Duration::from_secs(10);

/// A root that waits for tasks. Dropped, with the last of its children, it ends.
#[derive(Debug)]
pub struct Root {
    socket: OwnedFd,
    process: Child,
    begun: Instant,
    forks: AtomicU32,
    is_dead: AtomicBool,
}

/// A process that a root forked.
#[derive(Debug)]
pub struct Forked {
    root: Arc<Root>,
    pidfd: OwnedFd,
    control: OwnedFd,
}

impl Root {
    /// Starts one and waits until it is ready.
    ///
    /// # Errors
    /// It cannot be started, or it cannot give up its rights.
    pub fn start(executable: &Path) -> io::Result<Root> {
        let (socket, theirs) = pair()?;
        let mut command = Command::new(executable);
        command.arg("task-root").env_clear().current_dir("/");
        let process = command.stdin(Stdio::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        // The end of the socket that the root has got goes with the command.
        drop(command);
        let (begun, forks, is_dead) = (Instant::now(), AtomicU32::new(0), AtomicBool::new(false));
        let root = Root { socket, process, begun, forks, is_dead };
        let mut bytes = [0; MOST_BYTES];
        await_message(&root.socket, READY_WITHIN)?;
        match message(root.socket.as_fd(), &mut bytes)? {
            (length, _) if &bytes[..length] == READY => Ok(root),
            _ => Err(io::Error::other("the root of tasks did not get ready")),
        }
    }

    /// Whether the next task had better come from another one.
    pub fn is_worn(&self) -> bool {
        self.is_dead() || self.forks.load(Ordering::Relaxed) >= MOST_FORKS || self.begun.elapsed() >= MOST_AGE
    }

    /// Whether it has ended.
    pub fn is_dead(&self) -> bool {
        self.is_dead.load(Ordering::Relaxed)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// A child, with its pipes.
    ///
    /// # Errors
    /// The root has ended, or takes too long.
    pub fn fork(self: &Arc<Root>) -> io::Result<(Forked, ChildStdin, ChildStdout, ChildStderr)> {
        let (input, stdin) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stdout, output) = pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, error) = pipe_with(PipeFlags::CLOEXEC)?;
        let (control, theirs) = pair()?;
        let given = [input.as_fd(), output.as_fd(), error.as_fd(), theirs.as_fd()];
        self.forks.fetch_add(1, Ordering::Relaxed);
        let pidfd = send(self.socket.as_fd(), b"fork", &given).and_then(|()| {
            drop((input, output, error, theirs));
            await_message(&control, FORK_WITHIN)?;
            let (_, mut descriptors) = message(control.as_fd(), &mut [0; MOST_BYTES])?;
            descriptors.pop().ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))
        });
        let pidfd = pidfd.inspect_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                self.is_dead.store(true, Ordering::Relaxed);
            }
        })?;
        let forked = Forked { root: Arc::clone(self), pidfd, control };
        Ok((forked, stdin.into(), stdout.into(), stderr.into()))
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Forked {
    /// The process that its parent is.
    pub fn parent(&self) -> u32 {
        self.root.pid()
    }

    /// Ends it.
    pub fn kill(&self) {
        let _ = pidfd_send_signal(&self.pidfd, Signal::KILL);
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// The root has died, and the process with it.
    pub fn reap(&self) -> io::Result<Reaped> {
        await_message(&self.control, END_WITHIN)?;
        let mut bytes = [0; MOST_BYTES];
        let (length, _) = message(self.control.as_fd(), &mut bytes)?;
        let ended = bytes[..length].split_first_chunk::<4>().and_then(|(status, rest)| {
            Some(Reaped::of(i32::from_le_bytes(*status), u64::from_le_bytes(rest.try_into().ok()?) as f64 * 1e-6))
        });
        ended.ok_or_else(|| {
            self.root.is_dead.store(true, Ordering::Relaxed);
            io::Error::from(io::ErrorKind::BrokenPipe)
        })
    }
}

/// Two ends of a socket that keeps messages apart.
fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// Waits for a message, or the end of the other side.
fn await_message(socket: &OwnedFd, within: Duration) -> io::Result<()> {
    let until = Instant::now() + within;
    loop {
        let rest = until.saturating_duration_since(Instant::now());
        let rest = Timespec { tv_sec: rest.as_secs().cast_signed(), tv_nsec: rest.subsec_nanos().into() };
        match poll(&mut [PollFd::new(socket, PollFlags::IN)], Some(&rest)) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
