//! Opens a browser.

use std::process::{Command, Stdio};

/// Asks the desktop to open an address; nothing hangs on whether it does.
pub fn browser(url: &str) {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let started = Command::new(program)
        .args(before)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match started {
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(error) => crate::log::line(&format!("no browser was opened: {program}: {error}")),
    }
}
