//! Gives memory back that a load has left: the allocator keeps what was freed, in case that it is wanted again.

use crate::task::give_back;
use std::time::Duration;

/// How often it is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// Bytes below which nothing is worth the trouble.
const SMALL: u64 = 32 << 20;
/// Bytes by which it has grown when there may be something to give back.
const GROWN: u64 = 1 << 20;

/// Looks now and then; while it grows, what was freed is taken again at once.
pub async fn run() {
    let (mut before, mut rest) = (0, 0);
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let now = resident();
        if now > SMALL && now <= before && now > rest + GROWN {
            // It walks through all that is free.
            let _ = tokio::task::spawn_blocking(give_back).await;
            rest = resident();
        }
        before = resident();
    }
}

/// Resident memory in bytes; 0 where it is not known.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn what_was_freed_goes_back_to_the_system() {
        // Small pieces, and one behind them that stays: the end of the heap alone would not be enough.
        let pieces: Vec<Box<[u8; 1000]>> = (0..64_000).map(|number| Box::new([number as u8; 1000])).collect();
        let stays = Box::new([1_u8; 1000]);
        let full = resident();
        drop(pieces);
        give_back();
        let left = resident();
        assert!(full > left + (32 << 20), "{full} bytes, then {left}");
        drop(stays);
    }
}
