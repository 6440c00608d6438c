//! Checks that the memory suffices before it is allocated: a system that overcommits kills the program later.

use crate::skeleton::{JobError, RunError};
use runcast_formula::units::format_quantity;

/// Refuses sizes that do not fit into the free memory of this machine, as far as that is known.
pub(super) fn check(needed_bytes: f64) -> Result<(), RunError> {
    let available = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| available_bytes(&text));
    // If the system does not report it: sizes that cannot be addressed.
    fits(needed_bytes, available.unwrap_or(isize::MAX as f64))
}

fn fits(needed_bytes: f64, available_bytes: f64) -> Result<(), RunError> {
    if needed_bytes <= available_bytes {
        return Ok(());
    }
    let [needed, available] = [needed_bytes, available_bytes].map(|bytes| format_quantity(bytes, "B"));
    let message = format!("the problem needs {needed} of memory, and {available} are free");
    Err(RunError::usage("not_enough_memory", message, "a smaller --size, or more machines under MPI".to_owned()))
}

fn available_bytes(meminfo: &str) -> Option<f64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0)
}

/// An empty vector with capacity for exactly this many numbers.
pub(super) fn room<T>(count: u64) -> Result<Vec<T>, JobError> {
    let mut room = Vec::new();
    let reserved = usize::try_from(count).ok().map(|count| room.try_reserve_exact(count));
    match reserved {
        Some(Ok(())) => Ok(room),
        _ => Err(JobError::new(format!("there is no memory for {count} numbers"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_and_what_is_there_is_told() {
        let error = fits(8e14, 24e9).expect_err("too much").to_string();
        assert_eq!(error, "the problem needs 800 TB of memory, and 24 GB are free");
        assert!(fits(1e9, 24e9).is_ok());
    }

    #[test]
    fn the_free_memory_is_read() {
        assert_eq!(available_bytes("MemTotal:  10 kB\nMemAvailable:    3 kB\n"), Some(3072.0));
        assert_eq!(available_bytes("MemTotal:  10 kB\n"), None);
    }

    #[test]
    fn room_that_nobody_has_is_an_error() {
        assert!(room::<f64>(u64::MAX).is_err());
        assert!(room::<f64>(1 << 62).is_err());
        assert_eq!(room::<f64>(10).expect("small").capacity(), 10);
    }
}
