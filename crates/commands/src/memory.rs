//! How much memory is free.

use std::fs::read_to_string;

/// Bytes that a table may take: what the machine, the control group and the limit of the process (`ulimit -v`) leave,
/// less a tenth. None where the system does not say.
pub fn free() -> Option<u64> {
    let free = [of_machine(), of_group(), of_process()].into_iter().flatten().min()?;
    Some(free - free / 10)
}

/// `MemAvailable:   20661936 kB`
fn of_machine() -> Option<u64> {
    kilobytes(&read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The limit of the control group of the process, less what it uses and cannot give back.
fn of_group() -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let folder = format!("/sys/fs/cgroup{}", path.trim_end_matches('/'));
    let number = |name: &str| read_to_string(format!("{folder}/{name}")).ok()?.trim().parse::<u64>().ok();
    let statistics = read_to_string(format!("{folder}/memory.stat")).unwrap_or_default();
    let cache = statistics.lines().find_map(|line| line.strip_prefix("inactive_file ")?.parse().ok()).unwrap_or(0);
    Some(number("memory.max")?.saturating_sub(number("memory.current")?.saturating_sub(cache)))
}

/// The limit of the address space, less what is in use.
fn of_process() -> Option<u64> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    let used = kilobytes(&read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(limit.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_kilobytes_are_found() {
        let text = "MemTotal:       24683744 kB\nMemAvailable:   20661936 kB\n";
        assert_eq!(kilobytes(text, "MemAvailable:"), Some(20_661_936 * 1024));
        assert_eq!(kilobytes(text, "MemFree:"), None);
    }
}
