//! seccomp: the system calls that computing needs, and no other.

use seccompiler::{
    SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition as Condition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// Calls that may be made with any arguments: memory, threads, clocks, the pipes that are open, the end.
const ALLOWED: &[i64] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_lseek,
    libc::SYS_ppoll,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_membarrier,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getcpu,
    libc::SYS_sigaltstack,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_restart_syscall,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_times,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getppid,
    libc::SYS_uname,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Answered by another filter, below.
    libc::SYS_clone3,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_time,
];

/// Calls that the root of tasks makes beside those: it forks, hands over pipes, and its children give up rights.
const ALLOWED_TO_ROOT: &[i64] = &[
    libc::SYS_wait4,
    libc::SYS_pidfd_open,
    libc::SYS_recvmsg,
    libc::SYS_sendmsg,
    libc::SYS_dup3,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_dup2,
    libc::SYS_close_range,
    libc::SYS_setpgid,
    libc::SYS_seccomp,
    libc::SYS_prctl,
    libc::SYS_tgkill,
    libc::SYS_prlimit64,
];

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Filters the system calls of this thread and of those that it starts; whether it could.
pub fn filter() -> bool {
    hide_clone3().and_then(|()| allow(of_task()?)).is_some()
}

/// The same for the root of tasks.
pub fn filter_root() -> bool {
    hide_clone3().and_then(|()| allow(of_root()?)).is_some()
}

/// What its children add to that.
pub fn filter_forked() -> bool {
    of_task().and_then(allow).is_some()
}

/// The flags of `clone3` are in memory, where no filter sees them: the C library takes `clone` where it is not there.
fn hide_clone3() -> Option<()> {
    apply([(libc::SYS_clone3, Vec::new())].into(), SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS as u32))
}

fn allow(rules: Rules) -> Option<()> {
    apply(rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow)
}

fn apply(rules: Rules, otherwise: SeccompAction, matched: SeccompAction) -> Option<()> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    let program: seccompiler::BpfProgram = SeccompFilter::new(rules, otherwise, matched, arch).ok()?.try_into().ok()?;
    seccompiler::apply_filter(&program).ok()
}

fn with_any_arguments(calls: &[i64]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

fn rule(conditions: Vec<Condition>) -> Option<SeccompRule> {
    SeccompRule::new(conditions).ok()
}

fn of_root() -> Option<Rules> {
    let mut rules = with_any_arguments(&[ALLOWED, ALLOWED_TO_ROOT].concat());
    // Processes and threads, but no namespaces.
    let namespaces = libc::CLONE_NEWNS
        | libc::CLONE_NEWCGROUP
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET;
    let none = Condition::new(0, Len::Dword, Op::MaskedEq(namespaces as u64), 0).ok()?;
    rules.insert(libc::SYS_clone, vec![rule(vec![none])?]);
    Some(rules)
}

fn of_task() -> Option<Rules> {
    let mut rules = with_any_arguments(ALLOWED);
    // Threads, and no processes.
    let flag = |flag: libc::c_int| {
        let flag = flag as u64;
        Condition::new(0, Len::Dword, Op::MaskedEq(flag), flag).ok()
    };
    rules.insert(libc::SYS_clone, vec![rule(vec![flag(libc::CLONE_THREAD)?, flag(libc::CLONE_VM)?])?]);
    // Who aborts sends itself a signal.
    let own = u64::from(std::process::id());
    let to_itself = || Condition::new(0, Len::Dword, Op::Eq, own).ok();
    rules.insert(libc::SYS_tgkill, vec![rule(vec![to_itself()?])?]);
    // Limits may be looked at.
    let is_own = Condition::new(0, Len::Dword, Op::Eq, 0).ok()?;
    let is_look = Condition::new(2, Len::Qword, Op::Eq, 0).ok()?;
    rules.insert(libc::SYS_prlimit64, vec![rule(vec![is_own, is_look])?]);
    // Names of threads and of pieces of memory.
    let names = [libc::PR_SET_NAME, libc::PR_SET_VMA];
    let names = names.map(|name| Condition::new(0, Len::Dword, Op::Eq, name as u64).ok());
    let names: Option<Vec<SeccompRule>> = names.into_iter().map(|name| rule(vec![name?])).collect();
    rules.insert(libc::SYS_prctl, names?);
    Some(rules)
}
