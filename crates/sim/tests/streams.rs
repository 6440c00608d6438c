//! Streams of devices: kernels and copies beside the process that launched them, against times by hand.

#![cfg(feature = "luau")]

mod support;

use proptest::prelude::*;
use runcast_sim::job::Collectives;
use runcast_sim::run::RunResult;
use support::run;

/// A machine with a processor and a device: 1 Tflop/s, and 10 GB/s between them.
fn system(of_gpu: &str) -> String {
    format!(
        r#"format = "runcast-system/1"
name = "streams"
component = [
  {{ id = "node", kind = "machine" }}, {{ id = "cpu", kind = "cpu", parent = "node", set = {{ cores = 4, flops_double = "4Gflop/s" }} }},
  {{ id = "gpu", kind = "gpu", parent = "node", set = {{ flops_double = "1Tflop/s", mem_bandwidth = "1TB/s" {of_gpu} }} }},
]
network = [ {{ id = "pcie", of = "node", topology = {{ kind = "bus" }}, set = {{ bandwidth = "10GB/s", latency = "1ns" }} }} ]
"#
    )
}

const FIDELITIES: [&str; 3] = ["flow", "loggops", "label"];

/// What a number of processes with this body take.
fn of(of_gpu: &str, processes: u32, body: &str, fidelity: &str) -> RunResult {
    let helpers = r#"
        local function kernel(seconds, stream, occupancy)
            return compute{ device = "gpu", ops = seconds * 1e12, stream = stream, occupancy = occupancy, async = true }
        end
        local function up(stream) return copy{ to = "gpu", size = 10e9, stream = stream, async = true } end
        local function down(stream) return copy{ from = "gpu", size = 10e9, stream = stream, async = true } end
    "#;
    let script = format!("{helpers}\nlabel{{ \"host\", count = {processes}, run = function()\n{body}\nend }}");
    run(&system(of_gpu), &script, fidelity, Collectives::Usual).expect("runs")
}

/// The body takes so many seconds at every level.
fn takes(of_gpu: &str, processes: u32, body: &str, expected: f64) {
    for fidelity in FIDELITIES {
        let result = of(of_gpu, processes, body, fidelity);
        let seen = result.time_s;
        assert!((seen - expected).abs() < 1e-7, "{fidelity}: {seen} s, expected {expected}:\n{body}");
        assert!(result.warnings.iter().all(|warning| warning.code != "never_waited"), "{:?}", result.warnings);
    }
}

#[test]
fn a_stream_is_in_order_and_streams_share_the_device() {
    takes("", 1, "local a, b = kernel(1, 1), kernel(1, 1) wait(a) wait(b)", 2.0);
    takes("", 1, "waitall{ kernel(1, 1), kernel(1, 2) }", 2.0);
    takes("", 1, "waitall{ kernel(1, 1, 0.5), kernel(1, 2, 0.5) }", 1.0);
    takes("", 1, "waitall{ kernel(1, 1, 0.75), kernel(1, 2, 0.75) }", 1.5);
    // Together at 1/1.25 until the short one ends at 1.25 s; the other has 1 s left.
    takes("", 1, "waitall{ kernel(1, 1, 0.75), kernel(2, 2, 0.5) }", 2.25);
    // In one stream a share helps nobody.
    takes("", 1, "waitall{ kernel(1, 1, 0.5), kernel(1, 1, 0.5) }", 2.0);
    // The default stream is one of them.
    takes("", 1, "kernel(1) kernel(1, 0)", 2.0);
}

#[test]
fn a_process_goes_on_beside_its_device_and_ends_with_it() {
    takes("", 1, "local k = kernel(1) compute{ ops = 1e9 } wait(k)", 1.0);
    takes("", 1, "local k = kernel(1) compute{ ops = 3e9 } wait(k)", 3.0);
    takes("", 1, "kernel(1) compute{ time = 0.25 }", 1.0);
    takes("", 1, "local k = kernel(0) wait(k) kernel(0)", 0.0);
    // What is not launched waits for what is, in the same stream; in another it shares the device.
    takes("", 1, "kernel(1) compute{ device = 'gpu', ops = 1e12 } compute{ time = 0.5 }", 2.5);
    takes("", 1, "kernel(1) compute{ device = 'gpu', ops = 0.25e12, stream = 1 } compute{ time = 0.1 }", 1.25);
    takes("", 1, "kernel(1) copy{ to = 'gpu', size = 10e9 }", 2.000000001);
    takes("", 1, "loop(5, function() kernel(1) kernel(0) end)", 5.0);
    takes("", 1, "loop(5, function() local k = kernel(1) sleep(0.25) wait(k) end)", 5.0);
}

#[test]
fn copies_take_an_engine_and_directions_do_not_meet() {
    let latency = 1e-9;
    takes("", 1, "waitall{ up(1), down(2) }", 1.0 + latency);
    takes(", copy_engines = 1", 1, "waitall{ up(1), down(2) }", 2.0 + 2.0 * latency);
    takes("", 1, "waitall{ up(1), up(2) }", 2.0 + 2.0 * latency);
    // Chunks in streams of their own: copies follow one another, kernels and copies back go beside them.
    let chunks = "for chunk = 1, 4 do up(chunk) kernel(1, chunk) down(chunk) end";
    takes("", 1, chunks, 6.0 + 5.0 * latency);
    // With one engine copies back stand in the line, too: 4 up, then the first back is behind them.
    takes(", copy_engines = 1", 1, chunks, 8.0 + 8.0 * latency);
    // In one stream nothing goes beside anything.
    takes("", 1, "for _ = 1, 4 do up() kernel(1) down() end", 12.0 + 8.0 * latency);
}

#[test]
fn processes_share_a_device_and_its_engines() {
    takes("", 2, "kernel(1)", 2.0);
    takes("", 4, "kernel(1, 0, 0.5)", 2.0);
    for fidelity in ["flow", "loggops"] {
        let seen = of("", 2, "up() kernel(1)", fidelity).time_s;
        assert!((seen - 3.0).abs() < 1e-7, "{fidelity}: {seen}");
    }
}

#[test]
fn what_a_call_does_not_know_is_told() {
    let fails = |body: &str| {
        let script = format!("label{{ \"host\", run = function()\n{body}\nend }}");
        run(&system(""), &script, "flow", Collectives::Usual).expect_err("an error")
    };
    assert_eq!(fails("copy{ size = 1 }").code, "no_device");
    assert_eq!(fails("copy{ to = 'gpu', from = 'gpu', size = 1 }").code, "two_devices");
    assert_eq!(fails("compute{ device = 'gpu', time = 1, occupancy = 1.5 }").code, "bad_number");
    assert_eq!(fails("compute{ device = 'gpu', time = 1, occupancy = 0 }").code, "bad_number");
    assert_eq!(fails("compute{ device = 'gpu', time = 1, stream = -1 }").code, "bad_number");
    assert_eq!(fails("compute{ device = 'gpu', time = 1, async = 1 }").code, "wrong_argument");
    let twice = fails("local k = compute{ device = 'gpu', time = 1, async = true } wait(k) wait(k)");
    assert_eq!(twice.code, "request_closed");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the streams, kernels that fill the device take the sum of their times, and the engines agree.
    #[test]
    fn a_full_device_does_all_its_work(work in prop::collection::vec((1_u32..50, 0_u32..4), 1..12)) {
        let calls: Vec<String> = work.iter().map(|(ms, stream)| format!("kernel({}, {stream})", f64::from(*ms) / 1e3)).collect();
        let expected: f64 = work.iter().map(|(ms, _)| f64::from(*ms) / 1e3).sum();
        for fidelity in FIDELITIES {
            let seen = of("", 1, &calls.join("\n"), fidelity).time_s;
            prop_assert!((seen - expected).abs() < 1e-9, "{fidelity}: {seen}, expected {expected}");
        }
    }

    /// More streams are never slower, and no set of them beats its longest stream or its device.
    #[test]
    fn streams_are_between_one_after_the_other_and_all_at_once(
        work in prop::collection::vec((1_u32..50, 0_u32..3, 1_u32..5), 1..10),
    ) {
        let calls = |streams: bool| {
            let call = |(ms, stream, quarters): &(u32, u32, u32)| {
                let stream = if streams { *stream } else { 0 };
                format!("kernel({}, {stream}, {})", f64::from(*ms) / 1e3, f64::from(*quarters) / 4.0)
            };
            work.iter().map(call).collect::<Vec<_>>().join("\n")
        };
        let (beside, after) = (of("", 1, &calls(true), "flow").time_s, of("", 1, &calls(false), "flow").time_s);
        let filled: f64 = work.iter().map(|(ms, _, quarters)| f64::from(*ms) / 1e3 * f64::from(*quarters) / 4.0).sum();
        prop_assert!(beside <= after + 1e-9 && beside >= filled - 1e-9, "{filled} <= {beside} <= {after}");
    }
}
