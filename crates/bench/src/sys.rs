//! The guardian: a process between us and the program that is measured.
//!
//! The guardian is a fork of ours that never executes anything: it starts the program in a process group of its own,
//! takes the time around it, adopts what the program orphans, and when the program ends, or when *we* die however
//! suddenly, it kills everything that is left. Only then does it report. So nothing stays behind to disturb the next
//! run, also after `kill -9` of ourselves (Linux; elsewhere after a normal end only).
//!
//! Between `fork` and `_exit` the guardian may call only what is safe in a signal handler: it was forked from a
//! process with several threads, so it must not allocate.
//!
//! | signal to the guardian | what it does |
//! |---|---|
//! | SIGTERM | passes it on to the program's group |
//! | SIGUSR1, also sent by the kernel when our thread ends | kills the group |

#![expect(unsafe_code, reason = "fork, wait4 and prctl have no safe counterpart in the standard library")]

use std::io::{self, Read};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The guardian's report when everything has ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Report {
    /// As of `wait4`.
    pub wait_status: i32,
    /// From just before the fork to the end of the program.
    pub wall_s: f64,
    /// User and system time of the program and of its descendants.
    pub cpu_s: f64,
    /// Resident memory of the largest of these processes.
    pub peak_bytes: u64,
    /// Processes that outlived the program and were killed.
    pub left_behind: u32,
}

/// Words of a report: wait status, wall and CPU time in nanoseconds, peak memory, processes left behind.
const WORDS: usize = 5;

/// Makes `command` start under a guardian that reports into `report`.
pub(crate) fn guard(command: &mut Command, report: &impl AsRawFd) {
    let report = report.as_raw_fd();
    let parent = i32::try_from(std::process::id()).unwrap_or(0);
    command.process_group(0);
    // SAFETY: the closure and all that it calls are async-signal-safe (see the top of the file).
    unsafe {
        command.pre_exec(move || become_guardian(report, parent));
    }
}

/// The process group of the program, then the report when all is over; `None` when the guardian itself was killed.
pub(crate) fn read_report(mut pipe: impl Read) -> (Option<i32>, Option<Report>) {
    let mut bytes = Vec::new();
    let _ = pipe.by_ref().take(8 * (1 + WORDS as u64)).read_to_end(&mut bytes);
    let words: Vec<u64> =
        bytes.chunks_exact(8).map(|word| word.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))).collect();
    let group = words.first().and_then(|&pid| i32::try_from(pid).ok());
    let report = words.get(1..=WORDS).map(|words| Report {
        wait_status: i32::try_from(words[0]).unwrap_or(0),
        wall_s: words[1] as f64 / 1e9,
        cpu_s: words[2] as f64 / 1e9,
        peak_bytes: words[3],
        left_behind: u32::try_from(words[4]).unwrap_or(u32::MAX),
    });
    (group, report)
}

/// Asks the guardian to end the program: `hard` kills, else SIGTERM.
pub(crate) fn end(guardian: u32, hard: bool) {
    let signal = if hard { libc::SIGUSR1 } else { libc::SIGTERM };
    if let Ok(pid) = i32::try_from(guardian) {
        // SAFETY: sends a signal; the guardian was not waited for yet, so the number is still its own.
        unsafe { libc::kill(pid, signal) };
    }
}

/// Kills a process group whose guardian is gone.
pub(crate) fn kill_group(group: i32) {
    if group > 1 {
        // SAFETY: sends a signal.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

/// The exit code of a program that ended by itself.
pub(crate) fn exit_code(wait_status: i32) -> Option<i32> {
    libc::WIFEXITED(wait_status).then(|| libc::WEXITSTATUS(wait_status))
}

/// The signal that ended a program.
pub(crate) fn term_signal(wait_status: i32) -> Option<i32> {
    libc::WIFSIGNALED(wait_status).then(|| libc::WTERMSIG(wait_status))
}

/// Whether we run as root.
pub(crate) fn is_root() -> bool {
    // SAFETY: only reads.
    unsafe { libc::geteuid() == 0 }
}

/// Runs in the child of the fork; comes back in the grandchild, which then executes the program.
fn become_guardian(report: RawFd, parent: i32) -> io::Result<()> {
    // SAFETY: plain system calls on values of our own; nothing allocates.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        die_with_parent(libc::SIGUSR1, parent);
        adopt_orphans();
        let guardian = libc::getpid();
        let started_ns = now_ns();
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                libc::setpgid(0, 0);
                die_with_parent(libc::SIGKILL, guardian);
                libc::sigprocmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
                Ok(())
            }
            program => {
                libc::setpgid(program, program);
                watch(program, started_ns, report, &all)
            }
        }
    }
}

/// Waits for the program, clears up, reports, and ends.
unsafe fn watch(program: i32, started_ns: u64, report: RawFd, all: &libc::sigset_t) -> ! {
    // SAFETY: as above.
    unsafe {
        close_all_but(report);
        send(report, &[program as u64]);
        let mut sum = Sum { cpu_ns: 0, peak_bytes: 0 };
        let mut wait_status = 0;
        let ended_ns = loop {
            let mut signal = 0;
            libc::sigwait(all, &raw mut signal);
            match signal {
                libc::SIGTERM => {
                    libc::kill(-program, libc::SIGTERM);
                }
                libc::SIGUSR1 => {
                    libc::kill(-program, libc::SIGKILL);
                }
                libc::SIGCHLD => {
                    // The dead program keeps its number until it is waited for, so its group is surely its own.
                    if has_ended(program) {
                        let ended_ns = now_ns();
                        libc::kill(-program, libc::SIGKILL);
                        let mut usage: libc::rusage = std::mem::zeroed();
                        libc::wait4(program, &raw mut wait_status, 0, &raw mut usage);
                        sum.add(&usage);
                        break ended_ns;
                    }
                    reap(program, &mut sum);
                }
                _ => {}
            }
        };
        let left_behind = clear_up(&mut sum);
        let wall_ns = ended_ns.saturating_sub(started_ns);
        send(report, &[wait_status as u32 as u64, wall_ns, sum.cpu_ns, sum.peak_bytes, left_behind]);
        libc::_exit(0)
    }
}

/// What the processes reaped so far have used.
struct Sum {
    cpu_ns: u64,
    peak_bytes: u64,
}

impl Sum {
    fn add(&mut self, usage: &libc::rusage) {
        let ns = |time: libc::timeval| (time.tv_sec as u64).wrapping_mul(1_000_000_000) + time.tv_usec as u64 * 1000;
        self.cpu_ns = self.cpu_ns.wrapping_add(ns(usage.ru_utime)).wrapping_add(ns(usage.ru_stime));
        // Linux counts in KiB, macOS in bytes.
        let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
        self.peak_bytes = self.peak_bytes.max((usage.ru_maxrss as u64).wrapping_mul(unit));
    }
}

unsafe fn has_ended(program: i32) -> bool {
    // SAFETY: as above.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_PID, program as libc::id_t, &raw mut info, flags) == 0 && info.si_pid() == program
    }
}

/// Reaps adopted orphans, but never the program itself.
unsafe fn reap(program: i32, sum: &mut Sum) {
    // SAFETY: as above.
    unsafe {
        loop {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            if libc::waitid(libc::P_ALL, 0, &raw mut info, flags) != 0 || info.si_pid() == 0 {
                return;
            }
            if info.si_pid() == program {
                return; // Its own signal is on the way.
            }
            let mut usage: libc::rusage = std::mem::zeroed();
            let mut status = 0;
            libc::wait4(info.si_pid(), &raw mut status, libc::WNOHANG, &raw mut usage);
            sum.add(&usage);
        }
    }
}

/// Kills and reaps whatever the program left, also in other sessions; gives up on what cannot be killed in 10 s.
unsafe fn clear_up(sum: &mut Sum) -> u64 {
    // SAFETY: as above.
    unsafe {
        let mut killed = 0;
        let give_up_ns = now_ns().saturating_add(10_000_000_000);
        loop {
            let mut usage: libc::rusage = std::mem::zeroed();
            let mut status = 0;
            match libc::wait4(-1, &raw mut status, libc::WNOHANG, &raw mut usage) {
                -1 => return killed,
                0 => {
                    kill_children();
                    let pause = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };
                    libc::nanosleep(&raw const pause, std::ptr::null_mut());
                    if now_ns() > give_up_ns {
                        return killed;
                    }
                }
                _ => {
                    sum.add(&usage);
                    if libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL {
                        killed += 1;
                    }
                }
            }
        }
    }
}

#[cfg(target_os = "linux")]
unsafe fn kill_children() {
    // SAFETY: as above; the buffer outlives the read.
    unsafe {
        let file = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY);
        if file < 0 {
            return;
        }
        let mut text = [0u8; 4096];
        let read = libc::read(file, text.as_mut_ptr().cast(), text.len());
        libc::close(file);
        let mut pid: i32 = 0;
        // A number cut off by the end of the buffer is not followed by a space, and is left for the next turn.
        for &byte in text.iter().take(usize::try_from(read).unwrap_or(0)) {
            if byte.is_ascii_digit() {
                pid = pid.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
            } else {
                if pid > 1 {
                    libc::kill(pid, libc::SIGKILL);
                }
                pid = 0;
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
unsafe fn kill_children() {}

/// Has the kernel send us `signal` when the thread that forked us ends.
#[cfg(target_os = "linux")]
unsafe fn die_with_parent(signal: i32, parent: i32) {
    // SAFETY: as above.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_ulong, 0, 0, 0);
        if libc::getppid() != parent {
            libc::_exit(1); // It died before we asked.
        }
    }
}

#[cfg(not(target_os = "linux"))]
unsafe fn die_with_parent(_: i32, _: i32) {}

#[cfg(target_os = "linux")]
unsafe fn adopt_orphans() {
    // SAFETY: as above.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

#[cfg(not(target_os = "linux"))]
unsafe fn adopt_orphans() {}

/// Closes every file but one: no reader must wait for the end of a pipe because the guardian holds a copy, and the
/// lock of the table must end with us.
unsafe fn close_all_but(keep: RawFd) {
    // SAFETY: as above.
    unsafe {
        #[cfg(target_os = "linux")]
        {
            let below = keep == 0 || libc::syscall(libc::SYS_close_range, 0, keep as u32 - 1, 0) == 0;
            if below && libc::syscall(libc::SYS_close_range, keep as u32 + 1, u32::MAX, 0) == 0 {
                return;
            }
        }
        let most = libc::sysconf(libc::_SC_OPEN_MAX).clamp(256, 65_536) as RawFd;
        for file in 0..most {
            if file != keep {
                libc::close(file);
            }
        }
    }
}

unsafe fn send(report: RawFd, words: &[u64]) {
    for word in words {
        let bytes = word.to_le_bytes();
        // SAFETY: as above; 8 bytes go into a pipe at once.
        unsafe { libc::write(report, bytes.as_ptr().cast(), bytes.len()) };
    }
}

unsafe fn now_ns() -> u64 {
    // SAFETY: as above.
    unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time);
        (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
    }
}
