//! A process that is kept ready to fork: each of its children does one task.
//!
//! ```text
//! inside   (here)   warms up, gives up rights, then forks at every message; starts no thread, reads nothing of users
//! outside  (handle) starts it, sends it the pipes of a task, hears of the end of the child
//! ```
//!
//! A task learns nothing of another: its work comes through its own pipes, after the fork. Rights only shrink: filters add
//! up, and a child takes that of every task on top. When the socket closes, the root ends, and its children with it.

mod handle;

pub use handle::{Forked, Root};

use super::child;
use super::sandbox::{self, Enforced};
use super::sys::{self, Fork};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, set_parent_process_death_signal, setpgid};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::ExitCode;

/// Descriptors of a task: the three pipes, and what tells of its process.
const OF_A_TASK: usize = 4;
/// Said once by a root that is ready.
const READY: &[u8] = b"ready";
/// Bytes of a message.
const MOST_BYTES: usize = 16;

/// A child, and where its end is reported.
struct Running {
    pid: Pid,
    pidfd: OwnedFd,
    control: OwnedFd,
}

/// `runcast task-root`, whose standard input is a socket.
pub fn main() -> ExitCode {
    sys::close_all_but_pipes();
    // What every task needs is made once.
    runcast_sim::catalogue::Catalogue::builtin();
    runcast_commands::remote::warm_up();
    runcast_sim::script::warm_up();
    runcast_sim::budget::memory::keep_in_sight();
    let enforced = sandbox::enter_root();
    if !enforced.seccomp || !enforced.landlock {
        return ExitCode::FAILURE;
    }
    let socket = rustix::stdio::stdin();
    if send(socket, READY, &[]).is_err() {
        return ExitCode::FAILURE;
    }
    let own = std::process::id();
    let mut running: Vec<Running> = Vec::new();
    while wait(socket, &mut running).is_ok() {
        let Ok(Some(given)) = receive(socket) else { break };
        match fork(given, own, enforced, &mut running) {
            Ok(None) => {}
            Ok(Some(ended)) => return ended,
            // Who asked sees the end of what tells of the process, and starts one.
            Err(_) => {}
        }
    }
    ExitCode::SUCCESS
}

/// Until there is a message; what ends meanwhile is reported.
fn wait(socket: BorrowedFd<'_>, running: &mut Vec<Running>) -> io::Result<()> {
    loop {
        let mut polled: Vec<PollFd<'_>> = Vec::with_capacity(1 + running.len());
        polled.push(PollFd::from_borrowed_fd(socket, PollFlags::IN));
        polled.extend(running.iter().map(|one| PollFd::new(&one.pidfd, PollFlags::IN)));
        match poll(&mut polled, None) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        let has_message = !polled[0].revents().is_empty();
        let ended: Vec<bool> = polled[1..].iter().map(|one| !one.revents().is_empty()).collect();
        let mut ended = ended.into_iter();
        running.retain(|one| {
            let has_ended = ended.next() == Some(true);
            if has_ended {
                report(one);
            }
            !has_ended
        });
        if has_message {
            return Ok(());
        }
    }
}

/// How a child ended: `wait4`'s status, and microseconds of processor time.
fn report(one: &Running) {
    let reaped = sys::reap(one.pid.as_raw_nonzero().get().unsigned_abs());
    if let Ok(reaped) = reaped {
        let mut bytes = [0; 12];
        bytes[..4].copy_from_slice(&reaped.status.to_le_bytes());
        bytes[4..].copy_from_slice(&((reaped.cpu_s * 1e6) as u64).to_le_bytes());
        let _ = send(one.control.as_fd(), &bytes, &[]);
    }
}

/// Forks. In the child, how the task ended; in the root, none.
fn fork(
    [input, output, error, control]: [OwnedFd; OF_A_TASK],
    root: u32,
    enforced: Enforced,
    running: &mut Vec<Running>,
) -> io::Result<Option<ExitCode>> {
    match sys::fork()? {
        Fork::Parent(pid) => {
            let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
            // One that cannot be announced ends by itself: its pipes are closed.
            let told = send(control.as_fd(), &pid.as_raw_nonzero().get().to_le_bytes(), &[pidfd.as_fd()]);
            running.push(Running { pid, pidfd, control });
            told.map(|()| None)
        }
        Fork::Child => {
            let _ = set_parent_process_death_signal(Some(Signal::KILL));
            let _ = setpgid(None, None);
            rustix::stdio::dup2_stdin(&input)?;
            rustix::stdio::dup2_stdout(&output)?;
            rustix::stdio::dup2_stderr(&error)?;
            // Their owners are never dropped: the child ends by leaving `main` of a task.
            let others = std::mem::take(running);
            std::mem::forget((input, output, error, control, others));
            sys::close_all_but_pipes();
            Ok(Some(child::forked(root, enforced)))
        }
    }
}

fn send(socket: BorrowedFd<'_>, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(OF_A_TASK))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// The bytes of a message, and its descriptors; no bytes: the other end is closed.
fn message(socket: BorrowedFd<'_>, bytes: &mut [u8; MOST_BYTES]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(OF_A_TASK))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut slices = [IoSliceMut::new(bytes)];
    let received = loop {
        match recvmsg(socket, &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Err(rustix::io::Errno::INTR) => {}
            other => break other?,
        }
    };
    let rights = |message| match message {
        RecvAncillaryMessage::ScmRights(rights) => Some(rights),
        _ => None,
    };
    Ok((received.bytes, control.drain().filter_map(rights).flatten().collect()))
}

/// The descriptors of the next task; none: nobody sends any more.
fn receive(socket: BorrowedFd<'_>) -> io::Result<Option<[OwnedFd; OF_A_TASK]>> {
    let (length, descriptors) = message(socket, &mut [0; MOST_BYTES])?;
    match length {
        0 => Ok(None),
        _ => descriptors.try_into().map(Some).map_err(|_| io::Error::other("descriptors are missing")),
    }
}
