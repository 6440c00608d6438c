//! Numbers of the specification (section 5).

use super::stage::{application, ethernet, irecv, play, send, wait};
use crate::tick::PICOSECOND;

#[test]
fn machines_that_send_to_one_at_once() {
    // 1.6 MB each, receives posted: the link of the receiver is shared.
    for (senders, expected_ms) in [(1u64, 13.765), (2, 27.310), (4, 54.400), (8, 108.580)] {
        let mut programs = vec![Vec::new()];
        for sender in 1..=senders {
            programs[0].push(irecv(sender, sender as u32));
            programs.push(vec![send(0, 1_600_000)]);
        }
        programs[0].extend((1..=senders).map(|sender| wait(sender as u32)));
        let outcome = play(&ethernet(), &mut application(programs, Vec::new())).expect("runs");
        let end_ms = PICOSECOND.to_seconds(outcome.end) * 1e3;
        assert!((end_ms / expected_ms - 1.0).abs() < 0.001, "{senders}: {end_ms} ms");
        // The link down to the receiver is number 1.
        assert_eq!(outcome.links[1].bytes, senders as f64 * 1.6e6);
    }
}

#[test]
fn what_a_process_needs_is_small() {
    // Six messages each way are 1 kB a process (goal G7), most of it these.
    assert!(size_of::<crate::flow::engine::messages::Message>() <= 64);
    assert!(size_of::<crate::flow::engine::messages::Receive>() <= 32);
    assert!(size_of::<crate::flow::engine::process::Process>() <= 400);
}
