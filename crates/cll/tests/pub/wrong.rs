//! Mistakes: an error that says who, where and what, and never a hang.

use crate::support::{Ended, Mpi, Program};

/// What each mistake of `wrong.c` must say.
const SAYS: &[(&str, &[&str])] = &[
    (
        "late-oblsync",
        &["process 1 of machine root, superstep 1: messages: expected 1, got at least 2", "from process 0"],
    ),
    ("late-sync", &["process 1 of machine root, superstep 1: messages: expected 1, got at least 2", "from process 0"]),
    ("late-exit", &["process 1 of machine root, superstep 1: messages: expected 1, got at least 2", "from process 0"]),
    ("at-once", &["process 1 of machine root", "superstep 2: messages: expected 1, got at least "]),
    (
        "part",
        &["process 1 of machine root/0.0", "superstep 1: messages: expected 1, got at least 2", "hint: bsp_oblsync"],
    ),
    ("few", &["process 1 of machine root (rank 1), superstep 1: messages: expected 2, got 1; all others have ended"]),
    ("few-sync", &["process 1 of machine root (rank 1), superstep 1: bsp_sync still waits for 1 of 1 others"]),
    ("both-wait", &["machine root", "superstep 1: messages: expected 1, got 0; the time of PUB_TIMEOUT is over"]),
    (
        "no-sync",
        &["process 1 of machine root, superstep 1: messages: expected 0, since no synchronization follows, got 1"],
    ),
    ("to", &["a message to process 2; there are 0 to 1"]),
    ("falling", &["bsp_partition: end 1 of group 1; the ends must increase"]),
    ("short", &["bsp_partition: the last end is 1, the machine has 2 processes"]),
    ("negative", &["bsp_oblsync for -1 messages"]),
    ("open", &["of machine root/0.", "pub_exit, but this machine is not done"]),
    ("root-done", &["bsp_done of the machine of all processes"]),
    ("used-up", &["no machine", "bsp_done has ended it"]),
    ("no-message", &["no such message"]),
];

#[test]
fn mistakes_end_the_program_and_are_named() {
    for mpi in Mpi::all() {
        let program = Program::build(mpi, &[], &["wrong.c"]);
        for (mistake, says) in SAYS {
            let environment: &[_] = if *mistake == "both-wait" { &[("PUB_TIMEOUT", "1")] } else { &[] };
            let ended = program.run(2, &[mistake], environment);
            // 124: `timeout` had to end it.
            assert!(ended.code.is_some_and(|code| code != 0 && code != 124), "{mpi:?} {mistake}: {ended:?}");
            assert_eq!(ended.count("ended"), 0, "{mpi:?} {mistake}: {ended:?}");
            for part in *says {
                assert!(named(&ended, part), "{mpi:?} {mistake} must say {part:?}: {ended:?}");
            }
        }
        let ended = program.run(2, &["none"], &[]);
        assert_eq!((ended.code, ended.count("ended")), (Some(0), 2), "{mpi:?}: {ended:?}");
    }
}

fn named(ended: &Ended, part: &str) -> bool {
    ended.err.lines().any(|line| line.contains(part))
}
