//! Any bytes as a log of jobs: an error with its line, or jobs that all start, each no earlier than it was submitted.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_sim::jobs::{Policy, Window, read, schedule};

const SIZE: u64 = 64;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let Ok(log) = read(&text, "fuzz.swf", SIZE, Window::default()) else { return };
    for policy in [Policy::Fcfs, Policy::Easy] {
        let jobs = schedule(&log.jobs, SIZE, policy, None, &mut |_| Ok(())).expect("all fit");
        assert!(jobs.iter().all(|one| one.start_s >= one.job.submit_s && one.end_s >= one.start_s));
    }
});
