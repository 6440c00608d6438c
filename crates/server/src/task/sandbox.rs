//! Gives up rights, for good.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
pub mod probe;

use super::limits::Limits;

/// The rights given up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Enforced {
    /// System calls are filtered.
    pub seccomp: bool,
    /// The file system is closed by Landlock.
    pub landlock: bool,
}

/// Address space beyond the memory: threads reserve much that they never use.
#[cfg(unix)]
const RESERVED_BYTES: u64 = 16 << 30;
/// Descriptors: three pipes, and what a random generator or a clock may want.
#[cfg(unix)]
const MOST_DESCRIPTORS: u64 = 16;
/// Stack of the main thread.
#[cfg(unix)]
const STACK_BYTES: u64 = 64 << 20;

/// Limits of the system; a fork has so many bytes beside its own.
#[cfg(unix)]
pub fn limit(limits: &Limits, beside: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let set = |resource: Resource, soft: u64, hard: u64| {
        // Lower limits are kept.
        let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let (soft, hard) = (soft.min(most), hard.min(most));
        let _ = setrlimit(resource, Rlimit { current: Some(soft), maximum: Some(hard) });
    };
    let both = |resource, value| set(resource, value, value);
    both(Resource::Core, 0);
    both(Resource::Data, limits.memory_bytes.saturating_add(beside));
    both(Resource::As, limits.memory_bytes.saturating_mul(2).saturating_add(RESERVED_BYTES));
    both(Resource::Stack, STACK_BYTES);
    // The signal of the soft limit ends it; the hard one is for programs that ignore signals.
    set(Resource::Cpu, limits.cpu_s.max(1), limits.cpu_s.max(1).saturating_add(1));
    // Pipes have no size: only files are meant.
    both(Resource::Fsize, 0);
    both(Resource::Nofile, MOST_DESCRIPTORS);
}

/// What the root of tasks gives up: all but forking, and the rights that its children give up themselves.
#[cfg(target_os = "linux")]
pub fn enter_root() -> Enforced {
    let landlock = files::close();
    Enforced { landlock, seccomp: calls::filter_root() }
}

/// What a child of the root gives up beside that; files are closed already.
#[cfg(target_os = "linux")]
pub fn enter_forked(root: Enforced) -> Enforced {
    Enforced { seccomp: root.seccomp && calls::filter_forked(), ..root }
}

/// Gives up files, sockets, processes and signals; to be called while there is one thread.
pub fn enter() -> Enforced {
    #[cfg(target_os = "linux")]
    {
        // First the files: restricting them needs calls that are filtered afterwards.
        let landlock = files::close();
        Enforced { landlock, seccomp: calls::filter() }
    }
    #[cfg(not(target_os = "linux"))]
    Enforced::default()
}
