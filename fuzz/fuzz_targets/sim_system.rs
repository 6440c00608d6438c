//! Any text as a system file and as a file of the catalogue: a tree whose ways are finite, or problems with their place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_sim::catalogue::{self, Catalogue};
use runcast_sim::system::{Changes, read};

fuzz_target!(|text: &str| {
    match read(text, "system.toml", Catalogue::builtin(), &Changes::default()) {
        Ok(read) => {
            let system = &read.system;
            assert!(system.components.iter().enumerate().all(|(at, one)| one.parent.is_none_or(|parent| parent < at)));
            assert!(system.machines().iter().map(|run| u64::from(run.count)).sum::<u64>() <= u64::from(u32::MAX));
            let Ok(platform) = system.platform_unshared(&[]) else { return };
            let mut links = Vec::new();
            let last = platform.machines.saturating_sub(1);
            for (from, to) in [(0, last), (last, 0), (last / 2, last), (0, 0)] {
                if platform.machines > 0 {
                    let way = platform.way(from, to, &mut links);
                    assert!(way.latency_s >= 0.0 && way.latency_s.is_finite() && way.bandwidth > 0.0);
                    assert!((way.law as usize) < platform.laws.len());
                }
            }
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            assert!(problems.iter().all(|problem| problem.file.is_some() && !problem.message.is_empty()));
        }
    }
    let _ = catalogue::read(text, "catalogue.toml");
});
