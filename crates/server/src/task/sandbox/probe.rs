//! Tries what a sandbox should not allow.

use super::Enforced;
use crate::task::protocol::Probed;
use std::fs::{self, File};
use std::net::{TcpListener, UdpSocket};
use std::process::Command;

/// What is tried: whether it could be done.
type Attempt = (&'static str, fn() -> bool);

/// Tries each, and reports which it could do.
pub fn probe(enforced: Enforced) -> Probed {
    let attempts: [Attempt; 10] = [
        ("read_file", || File::open("/proc/self/status").is_ok() || File::open("/etc/passwd").is_ok()),
        ("list_folder", || fs::read_dir("/").is_ok()),
        ("write_file", || {
            let path = std::env::temp_dir().join(format!("runcast-probe-{}", std::process::id()));
            let is_written = File::create(&path).is_ok();
            let _ = fs::remove_file(path);
            is_written
        }),
        ("tcp_socket", || TcpListener::bind("127.0.0.1:0").is_ok()),
        ("udp_socket", || UdpSocket::bind("127.0.0.1:0").is_ok()),
        ("unix_socket", unix_socket),
        ("new_process", || Command::new("/bin/true").status().is_ok()),
        ("signal_parent", signal_parent),
        ("signal_all", signal_group),
        ("raise_limits", raise_limits),
    ];
    let mut probed = Probed { seccomp: enforced.seccomp, landlock: enforced.landlock, ..Probed::default() };
    for (name, attempt) in attempts {
        let list = if attempt() { &mut probed.allowed } else { &mut probed.denied };
        list.push(name.to_owned());
    }
    probed
}

#[cfg(unix)]
fn unix_socket() -> bool {
    std::os::unix::net::UnixStream::pair().is_ok()
}

#[cfg(unix)]
fn signal_parent() -> bool {
    rustix::process::getppid().is_some_and(|parent| rustix::process::test_kill_process(parent).is_ok())
}

/// The signal that changes nothing, to its own group of processes.
#[cfg(unix)]
fn signal_group() -> bool {
    rustix::process::test_kill_current_process_group().is_ok()
}

#[cfg(unix)]
fn raise_limits() -> bool {
    use rustix::process::{Resource, Rlimit, setrlimit};
    setrlimit(Resource::Data, Rlimit { current: None, maximum: None }).is_ok()
}

#[cfg(not(unix))]
fn unix_socket() -> bool {
    true
}
#[cfg(not(unix))]
fn signal_parent() -> bool {
    true
}
#[cfg(not(unix))]
fn signal_group() -> bool {
    true
}
#[cfg(not(unix))]
fn raise_limits() -> bool {
    true
}
