//! Calls of the system that no library wraps: the one place of this crate without Rust's guarantees.
#![expect(
    unsafe_code,
    reason = "close_range, fork, wait4 and malloc_trim have no safe wrapper; each call stands alone with its reason"
)]

use std::io;

/// Closes all descriptors but the first three.
///
/// For a process that has just begun: the owner of these descriptors was another program.
#[cfg(target_os = "linux")]
pub fn close_all_but_pipes() {
    // SAFETY: the numbers are plain arguments. It is called first thing in `main`, before anything of this program has
    // opened a descriptor, so no owner is left with a closed one.
    let _ = unsafe { libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, 0u32) };
}

/// Which of the two a process is after a fork.
#[cfg(target_os = "linux")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fork {
    /// The one that forked, and its child.
    Parent(rustix::process::Pid),
    Child,
}

/// Makes a copy of this process.
///
/// # Errors
/// There are too many processes, or this one has several threads: a copy of it would hold locks of threads that it lacks.
#[cfg(target_os = "linux")]
pub fn fork() -> io::Result<Fork> {
    // SAFETY: a process with one thread is copied as it is; the root of tasks starts none. Whether a thread was started
    // cannot be asked where files are closed, and is tested.
    let pid = unsafe { libc::fork() };
    match pid {
        0 => Ok(Fork::Child),
        pid => rustix::process::Pid::from_raw(pid)
            .filter(|_| pid > 0)
            .map(Fork::Parent)
            .ok_or_else(io::Error::last_os_error),
    }
}

/// The most bytes of memory that this process had at once.
#[cfg(target_os = "linux")]
pub fn peak_bytes() -> Option<u64> {
    // SAFETY: all zeros is a valid value of this struct of numbers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live, writable value of the right type.
    let done = unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    u64::try_from(usage.ru_maxrss).ok().filter(|_| done == 0).map(|kibibytes| kibibytes * 1024)
}

/// Gives memory that was freed back to the system, where the allocator can.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes a plain number, and touches nothing that is in use.
    let _ = unsafe { libc::malloc_trim(0) };
}

/// How a child ended, and the processor time that it took.
#[derive(Debug, Clone, Copy)]
pub struct Reaped {
    /// As the system reports it.
    pub status: i32,
    /// The code that it ended with.
    pub exit: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Processor time, in seconds.
    pub cpu_s: f64,
}

/// Waits for a child, and takes it from the list of processes.
///
/// # Errors
/// There is no such child.
#[cfg(unix)]
pub fn reap(pid: u32) -> io::Result<Reaped> {
    let pid = libc::pid_t::try_from(pid).map_err(io::Error::other)?;
    let mut status = 0;
    // SAFETY: all zeros is a valid value of this struct of numbers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live, writable values of the right types.
        let done = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
        if done == pid {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    Ok(Reaped::of(status, seconds(usage.ru_utime) + seconds(usage.ru_stime)))
}

#[cfg(unix)]
impl Reaped {
    /// What a status says.
    pub fn of(status: i32, cpu_s: f64) -> Reaped {
        Reaped {
            status,
            exit: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
            cpu_s,
        }
    }
}
