//! Programs that run as if we were not there: in our place, or with our terminal, our signals and our exit code.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};

/// Runs a program in the place of ours.
///
/// # Errors
/// It cannot be started; else this does not return.
pub fn exec(words: &[OsString]) -> io::Result<Infallible> {
    Err(command(words)?.exec())
}

/// Runs a program, and waits for its end. `input` is what it reads, if it does not read what we would.
///
/// # Errors
/// It cannot be started.
pub fn run(words: &[OsString], input: Option<&[u8]>) -> io::Result<ExitStatus> {
    let mut command = command(words)?;
    let Some(input) = input else { return command.status() };
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that reads none of it may end first.
        let _ = stdin.write_all(input);
    }
    child.wait()
}

/// Runs a program whose messages nobody needs; whether it succeeded.
pub fn succeeds(words: &[OsString]) -> bool {
    let Ok(mut command) = command(words) else { return false };
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// What a program says, whose other messages nobody needs; none if it fails.
pub fn says(words: &[OsString]) -> Option<Vec<u8>> {
    let output = command(words).ok()?.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// Our exit code for a program's; if a signal ended it, the same one ends us.
pub fn exit_code(status: ExitStatus) -> u8 {
    if let Some(signal) = status.signal() {
        end_by(signal);
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[expect(unsafe_code, reason = "a signal to ourselves has no counterpart in the standard library")]
fn end_by(signal: i32) {
    // SAFETY: sets the default disposition and sends a signal to this process; no memory is involved.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

fn command(words: &[OsString]) -> io::Result<Command> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}
