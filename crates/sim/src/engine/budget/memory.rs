//! Memory of this process, and its limit, as reported by Linux.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Share of the free memory that a simulation may use.
const SHARE: f64 = 0.9;

/// `/proc/self/status`, kept open for a process that later has no right to open files.
static STATUS: OnceLock<Option<Mutex<File>>> = OnceLock::new();
static LIMIT: OnceLock<Option<u64>> = OnceLock::new();
/// Another way to the bytes in memory.
static READ: OnceLock<fn() -> Option<u64>> = OnceLock::new();

/// Opens the files that are read later: to be called before the process gives up its right to open files.
pub fn keep_in_sight() {
    let _ = resident_bytes();
    let _ = limit_bytes();
}

/// From now on the bytes in memory are what this reports: for a fork whose parent has opened the files, and which may open
/// none itself.
pub fn read_by(read: fn() -> Option<u64>) {
    let _ = READ.set(read);
}

/// Current bytes in memory; none if the system does not report it.
pub fn resident_bytes() -> Option<u64> {
    READ.get().map_or_else(|| of_status("VmRSS:"), |read| read())
}

/// Peak bytes in memory.
pub fn peak_bytes() -> Option<u64> {
    READ.get().map_or_else(|| of_status("VmHWM:"), |read| read())
}

/// The minimum of nine tenths of the free memory at the first call, the limit of the control group, and the address
/// space; none if the system does not report them.
pub fn limit_bytes() -> Option<u64> {
    *LIMIT.get_or_init(|| {
        let free = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| kibibytes(&text, "MemAvailable:"));
        let group = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
        let group = group.into_iter().find_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok());
        let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
        let space = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
        let space = space.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        let free = free.map(|free| free.saturating_add(resident_bytes().unwrap_or(0)));
        [free, group, space].into_iter().flatten().min().map(|bytes| (SHARE * bytes as f64) as u64)
    })
}

fn of_status(key: &str) -> Option<u64> {
    let status = STATUS.get_or_init(|| File::open("/proc/self/status").ok().map(Mutex::new)).as_ref()?;
    let mut file = status.lock().unwrap_or_else(PoisonError::into_inner);
    file.rewind().ok()?;
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    kibibytes(&text, key)
}

/// `VmRSS:     1234 kB` in bytes.
fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes * 1024)
}
