//! A process of a task that runs: started anew, or forked by the root of tasks.

use crate::task::launcher::Launcher;
#[cfg(target_os = "linux")]
use crate::task::root::Forked;
use crate::task::sys::{self, Reaped};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

/// A process, and its pipes.
#[derive(Debug)]
pub struct Running {
    /// None: its end of it is to be seen.
    pub stdin: Option<ChildStdin>,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
    process: Origin,
}

#[derive(Debug)]
enum Origin {
    Started(Child),
    #[cfg(target_os = "linux")]
    Forked(Forked),
}

impl Running {
    /// A fork of the root of tasks where there is one, else a process that is started.
    pub fn new(launcher: &Launcher) -> io::Result<Running> {
        #[cfg(target_os = "linux")]
        if let Some((forked, stdin, stdout, stderr)) = launcher.fork() {
            return Ok(Running { stdin: Some(stdin), stdout, stderr, process: Origin::Forked(forked) });
        }
        Running::started(launcher.executable())
    }

    fn started(executable: &Path) -> io::Result<Running> {
        let mut command = Command::new(executable);
        command.arg("task-process").env_clear().current_dir("/").process_group(0);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let no_pipes = || io::Error::other("it has no pipes");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or_else(no_pipes)?;
        let stderr = child.stderr.take().ok_or_else(no_pipes)?;
        Ok(Running { stdin, stdout, stderr, process: Origin::Started(child) })
    }

    /// Whose child it is.
    pub fn parent(&self) -> u32 {
        match &self.process {
            Origin::Started(_) => std::process::id(),
            #[cfg(target_os = "linux")]
            Origin::Forked(forked) => forked.parent(),
        }
    }

    /// Ends it. The whole group where it was started: without a sandbox, there may be more than one.
    pub fn kill(&self) {
        match &self.process {
            Origin::Started(child) => {
                let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
                if let Some(pid) = pid {
                    let _ = kill_process_group(pid, Signal::KILL);
                }
            }
            #[cfg(target_os = "linux")]
            Origin::Forked(forked) => forked.kill(),
        }
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// It is gone, and how it ended is unknown.
    pub fn reap(&self) -> io::Result<Reaped> {
        match &self.process {
            Origin::Started(child) => sys::reap(child.id()),
            #[cfg(target_os = "linux")]
            Origin::Forked(forked) => forked.reap(),
        }
    }
}
