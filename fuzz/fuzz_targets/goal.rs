//! Any bytes as a GOAL schedule: an error with its line, or a schedule that is written and read again, and whose replay ends.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_sim::budget::Budget;
use runcast_sim::goal;
use runcast_sim::schedule::{Control, Parameters, replay};
use runcast_sim::tick::NANOSECOND;
use std::sync::atomic::AtomicBool;

fuzz_target!(|bytes: &[u8]| {
    let parsed = match goal::parse(bytes, "fuzz.goal") {
        Ok(parsed) => parsed,
        Err(problem) => {
            assert!(problem.line.is_some() && problem.column.is_some() && !problem.message.is_empty());
            return;
        }
    };
    let mut written = String::new();
    goal::write(&parsed.schedule, &mut written).expect("a text takes all");
    let again = goal::parse(written.as_bytes(), "fuzz.goal").expect("its own text").schedule;
    for rank in 0..parsed.schedule.ranks.len() as u32 {
        assert_eq!(parsed.schedule.shape(rank).operations, again.shape(rank).operations);
    }
    let interrupt = AtomicBool::new(false);
    let line = |rank, operation| goal::line_of(bytes, rank, operation);
    for as_loggopsim in [false, true] {
        let parameters = Parameters { as_loggopsim, ..Parameters::default() };
        let control = Control { tick: NANOSECOND, budget: &Budget::new(&interrupt), line: &line };
        match replay(&parsed.schedule, &parameters, &control) {
            Ok(replayed) => assert_eq!(replayed.end, replayed.finish.iter().copied().max().unwrap_or(0)),
            Err(problem) => assert!(["deadlock", "time_overflow"].contains(&problem.code.as_str()), "{problem:?}"),
        }
    }
});
