//! `sim replay`: schedules, their numbers and errors.

use crate::Place;
use serde_json::json;

/// Public numbers, confirmed with LogGOPSim: 8,638 and 19,276 ns; with O = 2 ns 10,684 and 19,276 ns.
const TWICE: &str = "num_ranks 2\nrank 0 {\nl1: send 1024b to 1 tag 0 cpu 0 nic 0\nl2: send 1024b to 1\n}\nrank 1 {\n\
                     recv 1024b from 0\nrecv 1024b from 0\n}\n";

#[test]
fn a_schedule_gives_the_public_numbers() {
    let place = Place::new();
    place.write("twice.goal", TWICE);
    let document = place.run(&["sim", "replay", "twice.goal", "--json"]).code(0).document();
    assert_eq!(document["kind"], json!("sim-replay"));
    assert_eq!(document["version"], json!(1));
    assert_eq!(document["finish_ns"], json!([8_638, 19_276]));
    assert_eq!((&document["time_ticks"], &document["system"]), (&json!("19276"), &json!(null)));
    assert_eq!(document["counts"]["messages"], json!(2));
    let label = &document["labels"][0];
    let parts = ["compute_s", "overhead_s", "transfer_s", "wait_s", "collective_s", "io_s"];
    let sum: f64 = parts.iter().map(|part| label[*part].as_f64().expect("a number")).sum();
    assert!((sum - label["time_s"].as_f64().expect("a number")).abs() < 1e-15);
    assert!((sum - (8_638.0 + 19_276.0) / 2.0 * 1e-9).abs() < 1e-15);
    let loggops = "L=2.5us,o=1500ns,g=1000ns,G=6ns,O=2ns,S=65535";
    let document = place
        .run(&["sim", "replay", "twice.goal", "--format", "goal", "--loggops", loggops, "--json"])
        .code(0)
        .document();
    assert_eq!(document["finish_ns"], json!([10_684, 19_276]));
    let text = place.run(&["sim", "replay", "twice.goal"]).code(0).out;
    assert!(text.starts_with("19,276 ns: 2 ranks, 4 operations, 2 messages of 2,048 bytes\n"), "{text}");
}

#[test]
fn another_simulator_is_reproduced_on_demand() {
    let place = Place::new();
    let text = "num_ranks 1\nrank 0 {\na: calc 1000 cpu 0\nb: calc 500 cpu 1\nc: calc 500 cpu 1\nb requires a\nc requires b\n}\n";
    place.write("cpus.goal", text);
    let right = place.run(&["sim", "replay", "cpus.goal", "--json"]).code(0).document();
    assert_eq!(right["finish_ns"], json!([2_000]));
    let other = place.run(&["sim", "replay", "cpus.goal", "--compat", "loggopsim", "--json"]).code(0).document();
    assert_eq!(other["finish_ns"], json!([1_000]));
}

#[test]
fn errors_name_their_place_and_a_deadlock_its_circle() {
    let place = Place::new();
    place.write("many.goal", "num_ranks 1000000000\nrank 0 {\n}\n");
    let answer = place.run(&["sim", "replay", "many.goal"]).code(2);
    assert!(answer.err.contains("many.goal:1:10"), "{}", answer.err);
    place.write("circle.goal", "num_ranks 1\nrank 0 {\nl1: calc 1\nl2: calc 1\nl1 requires l2\nl2 requires l1\n}\n");
    let answer = place.run(&["sim", "replay", "circle.goal"]).code(2);
    assert!(answer.err.contains("circle.goal:"), "{}", answer.err);
    place.write("dead.goal", "num_ranks 2\nrank 0 {\nrecv 8b from 1\n}\nrank 1 {\nrecv 8b from 0\n}\n");
    let answer = place.run(&["sim", "replay", "dead.goal"]).code(1);
    let circle = "rank 0 recv 8b from 1 tag 0 (dead.goal:3) <- rank 1 recv 8b from 0 tag 0 (dead.goal:6)";
    assert!(answer.err.contains(circle), "{}", answer.err);
    let answer = place.run(&["sim", "replay", "dead.goal", "--loggops", "L=x"]).code(2);
    assert!(answer.err.contains("--loggops"), "{}", answer.err);
}

/// Two machines, one link each: 1 GB/s, 1 us; cores of 1 Gflop/s.
const PAIR: &str = r#"
format = "runcast-system/1"
name = "pair"
component = [
  { id = "pair", kind = "group" },
  { id = "node", kind = "machine", parent = "pair", count = 2 },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 1, flops_double = "1Gflop/s" } },
]
[[network]]
of = "pair"
set = { bandwidth = "1GB/s", latency = "1us" }
"#;

/// Rank 0 computes 1 ms, then sends 10^6 bytes.
const SEND: &str = "0 init\n1 init\n0 compute 1e6\n0 send 1 0 1e6 6\n1 recv 0 0 1e6 6\n0 finalize\n1 finalize\n";

#[test]
fn traces_are_replayed_on_a_system() {
    let place = Place::new();
    place.write("pair.toml", PAIR);
    place.write("send.txt", SEND);
    for fidelity in ["flow", "loggops"] {
        let arguments =
            ["sim", "replay", "send.txt", "--format", "ti", "--system", "pair.toml", "--fidelity", fidelity, "--json"];
        let document = place.run(&arguments).code(0).document();
        assert_eq!(document["kind"], json!("sim-replay"));
        assert_eq!((&document["system"], &document["fidelity"]), (&json!("pair"), &json!(fidelity)));
        // 1 ms, two links of 1 us, 1 ms on the way; LogGOPS counts the bytes after the first.
        let time = document["time_s"].as_f64().expect("a number");
        assert!((time - 2.002e-3).abs() <= 1.1e-9, "{fidelity}: {time}");
        assert_eq!(document["finish_ns"].as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn traces_may_be_a_list_of_files() {
    let place = Place::new();
    place.write("pair.toml", PAIR);
    place.write("traces/list.txt", "rank-0.txt\nrank-1.txt\n");
    place.write(
        "traces/rank-0.txt",
        "0 init\n0 compute 1e6\n0 isend 1 0 1e6 6\n0 wait 0 1 0\n0 bcast 100 0 6\n0 finalize\n",
    );
    place.write("traces/rank-1.txt", "1 init\n1 irecv -333 -444 1e6 6\n1 waitall 1\n1 bcast 100 0 6\n1 finalize\n");
    let arguments =
        ["sim", "replay", "traces/list.txt", "--system", "pair.toml", "--collective", "bcast=linear", "--json"];
    let document = place.run(&arguments).code(0).document();
    assert_eq!(document["processes"], json!(2));
    assert_eq!(document["counts"]["messages"], json!(2));
    place.write("traces/list.txt", "rank-0.txt\nrank-9.txt\n");
    let answer = place.run(&["sim", "replay", "traces/list.txt", "--system", "pair.toml"]).code(2);
    assert!(answer.err.contains("traces/list.txt:2"), "{}", answer.err);
}

#[test]
fn traces_need_a_system_and_have_errors_with_lines() {
    let place = Place::new();
    place.write("send.txt", SEND);
    let answer = place.run(&["sim", "replay", "send.txt"]).code(2);
    assert!(answer.err.contains("--system FILE"), "{}", answer.err);
    place.write("pair.toml", PAIR);
    place.write("bad.txt", "0 init\n0 fly 3\n");
    let answer = place.run(&["sim", "replay", "bad.txt", "--system", "pair.toml"]).code(2);
    assert!(answer.err.contains("bad.txt:2"), "{}", answer.err);
    place.write("dead.txt", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
    let answer = place.run(&["sim", "replay", "dead.txt", "--system", "pair.toml"]).code(1);
    assert!(answer.err.contains("rank[0] recv from rank[1]"), "{}", answer.err);
}

#[test]
fn a_table_is_no_schedule_and_no_trace() {
    let place = Place::new();
    place.write("pair.toml", PAIR);
    place.write("ok.csv", "p,time_s\n1,10\n2,5\n");
    let answer = place.run(&["sim", "replay", "ok.csv", "--system", "pair.toml"]).code(2);
    for told in ["ok.csv:1", "neither a schedule nor a trace", "GOAL", "time-independent", "runcast fit"] {
        assert!(answer.err.contains(told), "{told}: {}", answer.err);
    }
    assert!(!answer.err.contains("cannot be read"), "{}", answer.err);
}

/// One message, then both compute; odd times, so that no two events meet.
const SCRIPT: &str = "label{ 'cell', count = 2, run = function(rank)\n  compute{ ops = 1000 + 7*rank }\n  if rank == 0 then \
                      send{ to = 1, size = 100 } else recv{ from = 0 } end\n  compute{ ops = 505 }\nend }\n";

#[test]
fn an_exported_program_replays_to_the_same_end() {
    let place = Place::new();
    place.write("app.luau", SCRIPT);
    let loggops = "L=2503ns,o=1511ns,g=1009ns,G=6ns,O=1ns,S=65535";
    let options = ["--app", "app.luau", "--loggops", loggops];
    let run = place.run(&[&["sim", "run"], &options[..], &["--tick", "1ns", "--json"]].concat()).code(0).document();
    place.run(&[&["sim", "run"], &options[..], &["--export", "goal", "-o", "out"]].concat()).code(0);
    let replayed = place.run(&["sim", "replay", "out/app.goal", "--loggops", loggops, "--json"]).code(0).document();
    assert_eq!(replayed["time_ticks"], run["time_ticks"]);
    place.run(&[&["sim", "run"], &options[..], &["--export", "ti", "-o", "traces"]].concat()).code(0);
    let traces = place.run(&["sim", "replay", "traces/traces.txt", "--loggops", loggops, "--json"]).code(0).document();
    assert_eq!(traces["time_s"], run["time_s"]);
}

#[test]
fn replays_end_by_their_limits() {
    let place = Place::new();
    let (sends, receives) = ("send 8b to 1\n".repeat(40_000), "recv 8b from 0\n".repeat(40_000));
    place.write("many.goal", &format!("num_ranks 2\nrank 0 {{\n{sends}}}\nrank 1 {{\n{receives}}}\n"));
    place.run(&["sim", "replay", "many.goal"]).code(0);
    let answer = place.run(&["sim", "replay", "many.goal", "--limit", "events=50000"]).code(1);
    assert!(answer.err.contains("more than 50000 events") && answer.err.contains("hint: "), "{}", answer.err);
    assert!(answer.err.contains("--limit events") && !answer.err.contains("--max-events"), "{}", answer.err);
    let actions: String = (0..20_000).map(|_| "0 send 1 0 8 6\n1 recv 0 0 8 6\n").collect();
    place.write("many.ti", &format!("0 init\n1 init\n{actions}0 finalize\n1 finalize\n"));
    let replay = ["sim", "replay", "many.ti", "--loggops", "L=2us,o=1us,G=1ns"];
    place.run(&replay).code(0);
    for fidelity in ["loggops", "label"] {
        let limited = [&replay[..], &["--fidelity", fidelity, "--limit", "events=1000"]].concat();
        let answer = place.run(&limited).code(1);
        assert!(answer.err.contains("more than 1000 events") && answer.err.contains("hint: "), "{}", answer.err);
    }
}
