//! The launcher of task processes, and their sandbox.

use super::process::{Process, Spec};
use super::protocol::{Probed, Work};
use super::{Limits, Stop};
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(target_os = "linux")]
use {
    super::root::{Forked, Root},
    std::process::{ChildStderr, ChildStdin, ChildStdout},
    std::sync::atomic::{AtomicBool, Ordering},
    std::sync::{Mutex, PoisonError},
};

/// How well processes of tasks are kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sandbox {
    /// Limits of memory and time only.
    Limits,
    /// Something is lacking.
    Partial,
    /// No file, socket, process, signal: system calls are filtered, and the file system is closed.
    Full,
}

impl Sandbox {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Sandbox::Full => "full",
            Sandbox::Partial => "partial",
            Sandbox::Limits => "limits",
        }
    }
}

/// What processes of tasks are started from. Clones share it.
#[derive(Debug, Clone)]
pub struct Launcher {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    executable: PathBuf,
    sandbox: Sandbox,
    probed: Probed,
    #[cfg(target_os = "linux")]
    roots: Roots,
}

/// The root of tasks that forks now.
#[cfg(target_os = "linux")]
#[derive(Debug, Default)]
struct Roots {
    current: Mutex<Option<Arc<Root>>>,
    is_starting: AtomicBool,
}

impl Launcher {
    /// Starts a trial child of an executable of runcast, and finds out which sandbox this machine gives. Where it is in
    /// full force, and a fork of a process that is kept ready is kept in as well, tasks are such forks.
    pub async fn new(executable: &Path) -> Launcher {
        let trial = Launcher::unknown(executable, Sandbox::Limits, Probed::default());
        let (sandbox, probed) = trial.tried().await;
        let launcher = Launcher::unknown(executable, sandbox, probed);
        #[cfg(target_os = "linux")]
        if sandbox == Sandbox::Full {
            let inner = Arc::clone(&launcher.inner);
            let _ = tokio::task::spawn_blocking(move || inner.roots.replace(&inner.executable)).await;
            if launcher.forks() && launcher.tried().await.0 != Sandbox::Full {
                return Launcher::unknown(executable, sandbox, launcher.probed().clone());
            }
        }
        launcher
    }

    /// What a trial child could do.
    async fn tried(&self) -> (Sandbox, Probed) {
        let limits = Limits { cpu_s: 5, wall_ms: 10_000, ..Limits::default() };
        let spec = Spec { work: Work::Probe, files: Vec::new(), limits, stop: Stop::default() };
        let (_, probed) = Process::probe(self, spec).await;
        let sandbox = match &probed {
            Some(probed) if probed.seccomp && probed.landlock && probed.allowed.is_empty() => Sandbox::Full,
            Some(probed) if probed.seccomp || probed.landlock => Sandbox::Partial,
            _ => Sandbox::Limits,
        };
        (sandbox, probed.unwrap_or_default())
    }

    /// The executable that this program is.
    pub async fn own() -> std::io::Result<Launcher> {
        // The file may be replaced while the program runs; what runs is still there.
        let link = Path::new("/proc/self/exe");
        if link.exists() { Ok(Launcher::new(link).await) } else { Ok(Launcher::new(&std::env::current_exe()?).await) }
    }

    fn unknown(executable: &Path, sandbox: Sandbox, probed: Probed) -> Launcher {
        let executable = executable.to_owned();
        #[cfg(target_os = "linux")]
        let inner = Inner { executable, sandbox, probed, roots: Roots::default() };
        #[cfg(not(target_os = "linux"))]
        let inner = Inner { executable, sandbox, probed };
        Launcher { inner: Arc::new(inner) }
    }

    /// The sandbox available on this machine.
    pub fn sandbox(&self) -> Sandbox {
        self.inner.sandbox
    }

    /// What the trial child found out.
    pub fn probed(&self) -> &Probed {
        &self.inner.probed
    }

    pub(super) fn executable(&self) -> &Path {
        &self.inner.executable
    }

    /// The process whose forks tasks are; none: each task is started.
    #[cfg(target_os = "linux")]
    pub fn root(&self) -> Option<u32> {
        self.inner.roots.lock().as_ref().map(|root| root.pid())
    }

    /// Whether tasks are forks of a process that is kept ready.
    pub fn forks(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.root().is_some();
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// A process for a task, with its pipes; none: it must be started.
    #[cfg(target_os = "linux")]
    pub(super) fn fork(&self) -> Option<(Forked, ChildStdin, ChildStdout, ChildStderr)> {
        let root = self.inner.roots.lock().clone()?;
        let forked = if root.is_dead() { None } else { root.fork().ok() };
        if root.is_worn() && !self.inner.roots.is_starting.swap(true, Ordering::Relaxed) {
            let inner = Arc::clone(&self.inner);
            // Where no thread can be started, the next fork tries again.
            let replaced = std::thread::Builder::new().spawn(move || inner.roots.replace(&inner.executable));
            if replaced.is_err() {
                self.inner.roots.is_starting.store(false, Ordering::Relaxed);
            }
        }
        forked
    }
}

#[cfg(target_os = "linux")]
impl Roots {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Arc<Root>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a root, for the forks that follow; what the one before has forked goes on.
    fn replace(&self, executable: &Path) {
        if let Ok(root) = Root::start(executable) {
            *self.lock() = Some(Arc::new(root));
        }
        self.is_starting.store(false, Ordering::Relaxed);
    }
}
