//! The launcher of task processes, and their sandbox.

use super::process::{Process, Spec};
use super::protocol::{Probed, Work};
use super::{Limits, Stop};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
}

impl Launcher {
    /// Starts a trial child of an executable of runcast, and finds out which sandbox this machine gives.
    pub async fn new(executable: &Path) -> Launcher {
        let trial = Launcher::unknown(executable, Sandbox::Limits, Probed::default());
        let limits = Limits { cpu_s: 5, wall_ms: 10_000, ..Limits::default() };
        let spec = Spec { work: Work::Probe, files: Vec::new(), limits, stop: Stop::default() };
        let (_, probed) = Process::probe(&trial, spec).await;
        let sandbox = match &probed {
            Some(probed) if probed.seccomp && probed.landlock && probed.allowed.is_empty() => Sandbox::Full,
            Some(probed) if probed.seccomp || probed.landlock => Sandbox::Partial,
            _ => Sandbox::Limits,
        };
        Launcher::unknown(executable, sandbox, probed.unwrap_or_default())
    }

    /// The executable that this program is.
    pub async fn own() -> std::io::Result<Launcher> {
        // The file may be replaced while the program runs; what runs is still there.
        let link = Path::new("/proc/self/exe");
        if link.exists() { Ok(Launcher::new(link).await) } else { Ok(Launcher::new(&std::env::current_exe()?).await) }
    }

    fn unknown(executable: &Path, sandbox: Sandbox, probed: Probed) -> Launcher {
        Launcher { inner: Arc::new(Inner { executable: executable.to_owned(), sandbox, probed }) }
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
}
