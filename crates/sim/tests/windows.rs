//! One-sided accesses: against times by hand.

#![cfg(feature = "luau")]

mod support;

use proptest::prelude::*;
use runcast_core::Problem;
use runcast_sim::job::Collectives;
use runcast_sim::run::RunResult;
use support::run;

/// Machines at 1 GB/s: L = 2 us from one to another, o = 1 us; summing a byte takes 2 ns.
const SYSTEM: &str = r#"format = "runcast-system/1"
name = "windows"
component = [ { id = "site", kind = "group" }, { id = "node", kind = "machine", parent = "site", count = 8 },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 1, flops_double = "1Gflop/s", reduce_per_byte = "2ns" } } ]
[[network]]
id = "lan"
of = "site"
set = { bandwidth = "1GB/s", latency = "1us" }
segments = [ { from = 0, overhead = "1us" } ]
"#;

fn play(count: u64, body: &str, fidelity: &str) -> Result<RunResult, Problem> {
    let script = format!(
        "local function near(seen, expected, what)
            if math.abs(seen - expected) > 2e-9 then error(what .. ': ' .. seen * 1e6 .. ' us, expected ' .. expected * 1e6) end
        end
        label{{ \"p\", count = {count}, run = function(rank) local w = win{{}}\n{body}\nend }}"
    );
    run(SYSTEM, &script, fidelity, Collectives::Usual)
}

/// Rank 0 does something to rank 1, which computes meanwhile; it then knows the time.
fn takes(body: &str, expected: f64) {
    let body = format!("if rank == 1 then compute{{ time = 0.1 }} return end\n{body}\nnear(now(), {expected}, 'now')");
    for fidelity in ["flow", "loggops"] {
        if let Err(problem) = play(2, &body, fidelity) {
            panic!("{fidelity}: {body}: {problem:?}");
        }
    }
}

#[test]
fn accesses_take_nothing_of_the_other_processor() {
    let within = |access: &str, then: &str| format!("lock{{ win = w, to = 1 }} {access} {then}");
    // A lock is there and back: 4 us. A put: o.
    takes("lock{ win = w, to = 1 }", 4e-6);
    takes(&within("put{ win = w, to = 1, size = 1e6 }", ""), 5e-6);
    // o + L, a megabyte, and L back.
    takes(&within("put{ win = w, to = 1, size = 1e6 }", "flush{ win = w, to = 1 }"), 4e-6 + 3e-6 + 1e-3 + 2e-6);
    takes(&within("put{ win = w, to = 1, size = 1e6 }", "unlock{ win = w, to = 1 }"), 4e-6 + 3e-6 + 1e-3 + 4e-6);
    // The request, then the bytes.
    takes(&within("get{ win = w, to = 1, size = 1e6 }", "flush{ win = w }"), 4e-6 + 3e-6 + 2e-6 + 1e-3 + 2e-6);
    // A byte summed up: 2 ns.
    takes(&within("accumulate{ win = w, to = 1, size = 1e6 }", "flush{ win = w }"), 4e-6 + 3e-6 + 3e-3 + 2e-6);
    // What is done long since is flushed at once.
    takes(
        &within("put{ win = w, to = 1, size = 8 }", "flush{ win = w } sleep(1e-3) flush{ win = w }"),
        4e-6 + 5.008e-6 + 1e-3,
    );
}

#[test]
fn a_fence_waits_for_the_accesses_of_all() {
    // Each puts a kilobyte to the next: o + L + 1 us, then a barrier of three rounds of 2o + L.
    for fidelity in ["flow", "loggops", "label"] {
        let body = "fence{ win = w } put{ win = w, to = (rank + 1) % 8, size = 1000 } fence{ win = w }";
        let seen = play(8, body, fidelity).expect("runs").time_s;
        let expected = 3.0 * 4e-6 + 4e-6 + 3.0 * 4e-6;
        assert!((seen - expected).abs() < 2e-9, "{fidelity}: {seen}, expected {expected}");
    }
}

#[test]
fn locks_go_one_after_the_other() {
    // Each holds the lock of rank 0 for a millisecond; giving it back takes L, and having it L.
    let body = "if rank == 0 then return end lock{ win = w, to = 0 } sleep(1e-3) unlock{ win = w, to = 0 }";
    for fidelity in ["flow", "loggops"] {
        let seen = play(4, body, fidelity).expect("runs").time_s;
        let expected = 2e-6 + 3.0 * (2e-6 + 1e-3 + 2e-6);
        assert!((seen - expected).abs() < 2e-9, "{fidelity}: {seen}, expected {expected}");
        let never = "if rank < 2 then lock{ win = w, to = 0 } end";
        let problem = play(2, never, fidelity).expect_err("a deadlock");
        assert_eq!(problem.code, "deadlock");
        assert!(problem.message.contains("lock of a window of p[0]"), "{}", problem.message);
    }
}

#[test]
fn what_is_not_allowed_is_told_with_its_place() {
    for (body, code) in [
        ("put{ win = w, to = 1, size = 1 }", "outside_epoch"),
        ("lock{ win = w, to = 0 } get{ win = w, to = 1, size = 1 }", "outside_epoch"),
        ("lock{ win = w, to = 1 } unlock{ win = w, to = 1 } put{ win = w, to = 1, size = 1 }", "outside_epoch"),
        ("lock{ win = w, to = 1 } lock{ win = w, to = 1 }", "locked_twice"),
        ("unlock{ win = w, to = 1 }", "not_locked"),
        ("fence{}", "missing_argument"),
        ("fence{ win = 3 }", "wrong_argument"),
        ("lock{ win = w, to = 9 }", "rank_outside"),
    ] {
        let problem = play(2, body, "flow").expect_err("an error");
        assert_eq!((problem.code.as_str(), problem.line), (code, Some(5)), "{body}: {problem:?}");
        assert!(problem.message.contains("p[0]"), "{body}: {problem:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A put ends no later than a send of as many bytes is received, and the engines agree on one alone.
    #[test]
    fn a_put_is_a_message_without_its_receiver(size in 1_u64..10_000_000) {
        let put = format!("if rank == 0 then lock{{ win = w, to = 1 }} put{{ win = w, to = 1, size = {size} }} flush{{ win = w }} end");
        let send = format!("if rank == 0 then send{{ to = 1, size = {size} }} else recv{{ from = 0 }} end");
        let time = |body: &str, fidelity| play(2, body, fidelity).expect("runs").time_s;
        let (flow, loggops) = (time(&put, "flow"), time(&put, "loggops"));
        prop_assert!((flow - loggops).abs() < 3e-9, "{flow}, {loggops}");
        // The lock and the answer are not in a send; the receiver's overhead is not in a put.
        prop_assert!((time(&send, "flow") - (flow - 4e-6 - 2e-6 + 1e-6)).abs() < 3e-9);
    }
}
