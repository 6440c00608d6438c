//! Collectives whose members have different numbers of bytes, and exchanges with neighbors: against their formulas, by hand.

#![cfg(feature = "luau")]

mod support;

use proptest::prelude::*;
use runcast_core::Problem;
use runcast_sim::job::Collectives;
use runcast_sim::run::RunResult;
use support::run;

/// Machines at 1 GB/s, 2 us from one to another.
const SYSTEM: &str = r#"format = "runcast-system/1"
name = "irregular"
component = [ { id = "site", kind = "group" }, { id = "node", kind = "machine", parent = "site", count = 16 },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 1, flops_double = "1Gflop/s" } } ]
network = [ { id = "lan", of = "site", set = { bandwidth = "1GB/s", latency = "1us" } } ]
"#;

fn play(count: u64, body: &str, fidelity: &str, how: Collectives) -> Result<RunResult, Problem> {
    let script = format!("label{{ \"p\", count = {count}, run = function(rank)\n{body}\nend }}");
    run(SYSTEM, &script, fidelity, how)
}

/// Seconds of the formula for four members, at every level.
fn closed(call: &str, expected: f64) {
    for fidelity in ["flow", "loggops", "label"] {
        let seen = play(4, call, fidelity, Collectives::Closed).expect("runs").time_s;
        assert!((seen - expected).abs() < 1e-12, "{fidelity}: {call} takes {seen}, expected {expected}");
    }
}

/// Messages and bytes that are sent.
fn sent(call: &str) -> (u64, u64) {
    let of = |fidelity| {
        let result = play(4, call, fidelity, Collectives::Expanded).expect("runs");
        (result.labels[0].messages, result.labels[0].bytes_sent)
    };
    assert_eq!(of("flow"), of("loggops"), "{call}");
    of("flow")
}

const LIST: &str = "counts = { '100kB', 200e3, 300e3, 400e3 }";

#[test]
fn they_take_the_time_of_their_formulas() {
    closed(&format!("allgatherv{{ {LIST} }}"), 6e-6 + 0.9e-3);
    closed(&format!("gatherv{{ {LIST}, root = 1 }}"), 6e-6 + 1e-3);
    closed(&format!("scatterv{{ {LIST} }}"), 6e-6 + 1e-3);
    // The last member receives 400 kB from each; sums of the other parts are less.
    closed(&format!("alltoallv{{ {LIST} }}"), 6e-6 + 1.6e-3);
    closed(&format!("reduce_scatterv{{ {LIST} }}"), 6e-6 + 1.2e-3);
    closed("alltoallv{ counts = function(i, j) return 1000*(i + 1)*(j + 1) end }", 6e-6 + 40e-6);
    closed("allgatherv{ counts = function(i) return 100e3*(i + 1) end }", 6e-6 + 0.9e-3);
    closed("gatherv{ counts = {5, 5}, comm = comm{ rank % 2, rank % 2 + 2 } }", 2e-6 + 10e-9);
}

#[test]
fn their_messages_have_the_bytes_of_their_members() {
    assert_eq!(sent(&format!("allgatherv{{ {LIST} }}")), (12, 3_000_000));
    // All but what the root has already.
    assert_eq!(sent(&format!("gatherv{{ {LIST}, root = 1 }}")), (3, 800_000));
    assert_eq!(sent(&format!("scatterv{{ {LIST}, root = 3 }}")), (3, 600_000));
    assert_eq!(sent(&format!("alltoallv{{ {LIST} }}")), (12, 3_000_000));
    assert_eq!(sent(&format!("reduce_scatterv{{ {LIST} }}")), (12, 3_000_000));
    // The sum over all pairs but a member with itself: 100 - 30.
    assert_eq!(sent("alltoallv{ counts = function(i, j) return 1000*(i + 1)*(j + 1) end }"), (12, 70_000));
    // The root waits for the largest part, which others sent while it took the small ones.
    let last = "gatherv{ counts = {0, 0, 0, 1e6} }";
    let seen = play(4, last, "flow", Collectives::Expanded).expect("runs").time_s;
    assert!((seen - (1e-3 + 2e-6)).abs() < 1e-8, "{seen}");
}

/// A function is asked again where it may say something else.
#[test]
fn a_function_may_change_what_it_gives() {
    let body = "local scale = 1
        local function counts(i, j) return 1000*scale*(i + 1)*(j + 1) end
        alltoallv{ counts = counts }
        scale = 2
        alltoallv{ counts = counts }
        for turn = 1, 2 do alltoallv{ counts = function(i, j) return turn end } end";
    assert_eq!(sent(body), (48, 70_000 + 140_000 + 12 + 24));
}

#[test]
fn wrong_counts_are_told_with_their_place() {
    for (call, code) in [
        ("alltoallv{ counts = {1, 2, 3} }", "wrong_counts"),
        ("allgatherv{ counts = {1, 2, 3, 4, 5} }", "wrong_counts"),
        ("gatherv{ counts = {1, 2, -3, 4} }", "bad_number"),
        ("scatterv{ counts = {1, 2, 0/0, 4} }", "bad_number"),
        ("alltoallv{ counts = function(i, j) return -1 end }", "bad_number"),
        ("alltoallv{ counts = function(i, j) end }", "wrong_counts"),
        ("alltoallv{ counts = function(i, j) return 'many' end }", "bad_quantity"),
        ("alltoallv{ counts = 7 }", "wrong_argument"),
        ("alltoallv{}", "missing_argument"),
        ("neighbor_alltoallv{ neighbors = {1, 2}, counts = {1} }", "missing_argument"),
        ("neighbor_alltoall{ neighbors = {9}, size = 1 }", "rank_outside"),
    ] {
        let problem = play(4, call, "flow", Collectives::Usual).expect_err("an error");
        let told = format!("{call}: {problem:?}");
        assert_eq!(problem.code, code, "{told}");
        assert_eq!(problem.line, Some(2), "{told}");
        assert!(problem.message.contains("p[0]"), "{told}");
    }
}

#[test]
fn neighbors_exchange_at_once() {
    // Two neighbors: a pair of messages, and one more behind it on the same link.
    for call in [
        "neighbor_alltoall{ neighbors = { (rank + 1) % 4, (rank + 3) % 4 }, size = 1000 }",
        "neighbor_allgather{ neighbors = { (rank + 1) % 4, (rank + 3) % 4 }, size = 1000 }",
        "neighbor_alltoallv{ neighbors = { (rank + 1) % 4, (rank + 3) % 4 }, counts = { 1000, 1000 } }",
    ] {
        assert_eq!(sent(call), (8, 8000));
        let seen = play(4, call, "flow", Collectives::Usual).expect("runs").time_s;
        assert!((seen - (2e-6 + 2e-6)).abs() < 1e-9, "{call}: {seen}");
    }
    // At the edge of a line there is one.
    let line = "local all = {} if rank > 0 then all[1] = rank - 1 end if rank < 3 then all[2] = rank + 1 end
        neighbor_alltoall{ neighbors = all, size = 10 }";
    assert_eq!(sent(line), (6, 60));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// With equal counts each is the plain operation with its algorithm; what is sent is received.
    #[test]
    fn equal_counts_are_the_plain_operation(size in 0_u64..100_000) {
        for (plain, algorithm) in [("alltoall", "spread"), ("allgather", "ring"), ("reduce_scatter", "pairwise")] {
            let one = format!("{plain}{{ size = {}, algorithm = '{algorithm}' }}", 4 * size);
            let other = format!("{plain}v{{ counts = {{ {size}, {size}, {size}, {size} }} }}");
            prop_assert_eq!(sent(&one), sent(&other));
            for how in [Collectives::Closed, Collectives::Expanded] {
                let time = |call: &str| play(4, call, "loggops", how).expect("runs").time_s;
                let (one, other) = (time(&one), time(&other));
                prop_assert!((one - other).abs() <= 1e-9 * one, "{plain}: {one}, {other}");
            }
        }
    }
}
