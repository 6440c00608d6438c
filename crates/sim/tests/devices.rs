//! Devices behind a switch, rails, collectives within and across machines: against numbers by hand.

#![cfg(feature = "luau")]

mod support;

use proptest::prelude::*;
use runcast_core::Problem;
use runcast_sim::job::Collectives;
use runcast_sim::run::RunResult;
use support::run;

/// 16 machines of 8 devices: 1 us and 450 GB/s between two in a machine, 4 us and 50 GB/s a rail between machines.
fn system(fabric: &str) -> String {
    format!(
        r#"format = "runcast-system/1"
name = "devices"
component = [
  {{ id = "site", kind = "group" }}, {{ id = "node", kind = "machine", parent = "site", count = 16 }},
  {{ id = "gpu", kind = "gpu", parent = "node", count = 8, set = {{ flops_bf16 = "1Tflop/s", flops_single = "1Tflop/s" }} }},
]
network = [
  {{ id = "fabric", of = "site", {fabric}, set = {{ bandwidth = "50GB/s", latency = "2us" }} }},
  {{ id = "switch", of = "node", between = ["gpu"], topology = {{ kind = "star" }}, set = {{ bandwidth = "450GB/s", latency = "0.5us" }} }},
]
"#
    )
}

const PLANES: &str = "rails = 8, planes = true";

fn time(fabric: &str, script: &str) -> f64 {
    run(&system(fabric), script, "flow", Collectives::Usual).expect("runs").time_s
}

fn near(seen: f64, expected: f64, what: &str) {
    assert!((seen / expected - 1.0).abs() < 2e-6, "{what}: {seen}, expected {expected}");
}

/// A collective of the first processes, in microseconds.
fn collective(call: &str, processes: u64, fidelity: &str, how: Collectives) -> Result<f64, Problem> {
    let script = format!("label{{ \"rank\", count = {processes}, on = \"gpu\", run = function() {call} end }}");
    Ok(run(&system(PLANES), &script, fidelity, how)?.time_s * 1e6)
}

/// m, g, R; bytes; ring, tree, hierarchical in microseconds. The formulas, evaluated by hand.
const BY_HAND: [(u64, u64, [f64; 3]); 4] = [
    (8, 1 << 20, [18.07780, 22.73813, 18.07780]),
    (16, 1 << 20, [46.91520, 36.56356, 28.69924]),
    (128, 1 << 10, [350.00508, 46.02958, 134.00878]),
    (128, 1 << 30, [5676.766, 5464.808, 9342.827]),
];

#[test]
fn collectives_of_devices_take_the_time_of_their_formulas() {
    for (processes, size, expected) in BY_HAND {
        for (algorithm, expected) in ["ring", "tree", "hierarchical"].iter().zip(expected) {
            let call = format!("allreduce{{ size = {size}, algorithm = \"{algorithm}\" }}");
            for fidelity in ["flow", "loggops", "label"] {
                for how in [Collectives::Usual, Collectives::Closed] {
                    let seen = collective(&call, processes, fidelity, how).expect("runs");
                    near(seen, expected, &format!("{algorithm} of {processes} at {fidelity}"));
                }
            }
        }
        // The least of them is taken.
        let seen = collective(&format!("allreduce{{ size = {size} }}"), processes, "flow", Collectives::Usual);
        near(seen.expect("runs"), expected.into_iter().fold(f64::INFINITY, f64::min), "the least");
    }
}

/// Rails that messages are cut for anyway are not counted twice.
#[test]
fn stripes_take_as_long_as_channels() {
    let script = "label{ \"rank\", count = 16, on = \"gpu\", run = function() allreduce{ size = 2^20, algorithm = \"ring\" } end }";
    for how in [Collectives::Usual, Collectives::Closed] {
        let striped = run(&system("rails = 8, rail = \"stripe\", stripe_min = 1"), script, "flow", how).expect("runs");
        near(striped.time_s * 1e6, 46.91520, "stripes");
    }
}

#[test]
fn the_messages_of_a_ring_take_as_long_as_in_a_schedule_by_hand() {
    let ring = |processes, size| {
        let call = format!("allreduce{{ size = {size}, algorithm = \"ring\" }}");
        collective(&call, processes, "flow", Collectives::Expanded).expect("runs")
    };
    near(ring(8, 1 << 20), 18.07780, "one machine");
    near(ring(16, 1 << 20), 46.44188, "two machines");
    near(ring(128, 1 << 30), 5330.766, "sixteen machines");
    let hierarchical = "allreduce{ size = 2^20, algorithm = \"hierarchical\" }";
    near(collective(hierarchical, 16, "flow", Collectives::Expanded).expect("runs"), 28.69924, "a hierarchy");
    // Latency alone: the chunks of a tree are as small as the formula has them.
    let tree = "allreduce{ size = 1024, algorithm = \"tree\" }";
    let seen = collective(tree, 128, "flow", Collectives::Expanded).expect("runs");
    assert!((seen / 46.02958 - 1.0).abs() < 1e-3, "{seen}");
}

#[test]
fn halves_of_an_allreduce_take_half_of_it() {
    for (algorithm, expected) in [("ring", 46.91520 / 2.0), ("hierarchical", 28.69924 / 2.0)] {
        for kind in ["reduce_scatter", "allgather"] {
            let call = format!("{kind}{{ size = 2^20, algorithm = \"{algorithm}\" }}");
            near(collective(&call, 16, "flow", Collectives::Usual).expect("runs"), expected, &call);
            let messages = collective(&call, 16, "flow", Collectives::Expanded).expect("runs");
            assert!((messages / expected - 1.0).abs() < 0.02, "{call}: {messages}");
        }
    }
}

#[test]
fn groups_that_are_not_laid_out_for_it_are_refused() {
    let call = "allreduce{ size = 1, algorithm = \"tree\" }";
    let problem = collective(call, 12, "flow", Collectives::Usual).expect_err("8 and 4");
    assert_eq!((problem.code.as_str(), problem.hint.is_some()), ("uneven_group", true));
    let unknown = collective("allgather{ size = 1, algorithm = \"tree\" }", 8, "flow", Collectives::Usual);
    assert_eq!(unknown.expect_err("no tree").code, "unknown_algorithm");
}

#[test]
fn devices_of_a_machine_have_ports_of_their_own() {
    // Device 0 to 1 and 2 to 3 at once: no link is shared. 0 and 1 to 2: its port is.
    let pairs = "label{ \"rank\", count = 8, on = \"gpu\", run = function(r) if r == 0 or r == 2 then send{ to = r + 1, size = 450e6 } \
                 elseif r == 1 or r == 3 then recv{ from = r - 1 } end end }";
    near(time(PLANES, pairs), 1e-6 + 1e-3, "pairs");
    let into = "label{ \"rank\", count = 8, on = \"gpu\", run = function(r) if r < 2 then send{ to = 2, size = 450e6 } \
                elseif r == 2 then recv{ from = \"any\" } recv{ from = \"any\" } end end }";
    near(time(PLANES, into), 1e-6 + 2e-3, "into one");
}

/// A message from device `from` of the first machine to device `to` of the second.
fn across(from: u64, to: u64) -> String {
    format!(
        "label{{ \"rank\", count = 16, on = \"gpu\", run = function(r) if r == {from} then send{{ to = {}, size = 5e6 }} \
         elseif r == {} then recv{{ from = {from} }} end end }}",
        8 + to,
        8 + to
    )
}

#[test]
fn a_device_takes_its_rail() {
    near(time(PLANES, &across(3, 3)), 4e-6 + 1e-4, "one rail");
    // To another rail: over the switch to the device that is on it, then along.
    near(time(PLANES, &across(3, 5)), 5e-6 + 1e-4, "two rails");
    // Rails of one network need not cross.
    near(time("rails = 8", &across(3, 5)), 4e-6 + 1e-4, "one network");
    // Two rails, four devices each.
    near(time("rails = 2, planes = true", &across(0, 3)), 4e-6 + 1e-4, "the same half");
    near(time("rails = 2, planes = true", &across(0, 4)), 5e-6 + 1e-4, "the other half");
}

/// Every device of the first machine sends to its like in the second.
const ALL: &str = "label{ \"rank\", count = 16, on = \"gpu\", run = function(r) if r < 8 then send{ to = r + 8, size = 50e6 } \
                   else recv{ from = r - 8 } end end }";

#[test]
fn rails_share_the_load() {
    for rails in [1_u64, 2, 4, 8] {
        for choice in ["affinity", "load", "hash"] {
            for planes in ["", ", planes = true"] {
                let fabric = format!("rails = {rails}, rail = \"{choice}\"{planes}");
                // From and to differ by 8, so that their sum is even: a hash uses every other rail.
                let used = if choice == "hash" { rails.div_ceil(2) } else { rails };
                near(time(&fabric, ALL), 4e-6 + 8e-3 / used as f64, &fabric);
            }
        }
    }
    near(time("rails = 8, rail = \"stripe\"", &across(0, 0)), 4e-6 + 1e-4 / 8.0, "stripes");
    near(time("rails = 8, rail = \"stripe\", stripe_min = \"5.1MB\"", &across(0, 0)), 4e-6 + 1e-4, "small");
    let at_loggops = run(&system("rails = 8, rail = \"stripe\""), &across(0, 0), "loggops", Collectives::Usual);
    near(at_loggops.expect("runs").time_s, 4e-6 + 1e-4 / 8.0, "stripes without links");
}

#[test]
fn gradients_over_eight_rails_take_what_eight_rails_take() {
    let script = "local n, p = 2^30, 128; label{ \"rank\", count = p, on = \"gpu\", run = function(r) local all = {} \
                  for i = 0, 15 do all[i + 1] = i*8 + r % 8 end allreduce{ size = n, comm = comm(all) } end }";
    let bytes = 2.0 * 15.0 / 16.0 * (1u64 << 30) as f64;
    near(time(PLANES, script), 30.0 * 4e-6 + bytes / 50e9, "a rail each");
    near(time("rails = 1", script), 30.0 * 4e-6 + 8.0 * bytes / 50e9, "one rail for eight");
    near(time("rails = 2", script), 30.0 * 4e-6 + 4.0 * bytes / 50e9, "two rails for eight");
}

#[test]
fn files_that_lay_devices_wrongly_are_refused() {
    let refused = |text: &str| run(text, ALL, "flow", Collectives::Usual).expect_err("refused");
    for (fabric, code) in
        [("rails = 0", "out_of_range"), ("rails = 65", "out_of_range"), ("rails = 1.5", "out_of_range")]
    {
        let problem = refused(&system(fabric));
        assert_eq!((problem.code.as_str(), problem.line.is_some()), (code, true), "{fabric}: {problem}");
        assert!(problem.message.contains("rails"), "{fabric}: {}", problem.message);
    }
    let problem = refused(&system(PLANES).replace("between = [\"gpu\"]", "between = [\"gpus\"]"));
    assert_eq!((problem.code.as_str(), problem.hint.as_deref()), ("unknown_component", Some("did you mean gpu?")));
    let problem = refused(&system(PLANES).replace("between = [\"gpu\"]", "between = []"));
    assert_eq!(problem.code, "missing");
}

#[test]
fn what_is_idle_or_joined_by_nothing_is_told() {
    let told = |text: &str, code: &str| {
        let result = run(text, ALL, "flow", Collectives::Usual).expect("runs");
        result.warnings.iter().any(|warning| warning.code == code)
    };
    assert!(told(&system("rails = 16"), "rails_idle"));
    assert!(!told(&system("rails = 16, rail = \"load\""), "rails_idle"));
    assert!(!told(&system(PLANES), "no_inner_network"));
    let two = system(PLANES)
        .replace("\n]\nnetwork", "\n  { id = \"cpu\", kind = \"cpu\", parent = \"node\", count = 2 },\n]\nnetwork");
    assert!(told(&two, "no_inner_network"));
}

/// 96 layers of width 12,288 on 1,024 devices, by hand: operations of a layer 24 s h^2 + 4 s^2 h = 7.627862e12 at half of 989.4
/// Tflop/s, 24 allreduces of 209.73419 us a pass, activations of 129.82912 us, gradients of 0.203963174 s; one forward, one
/// backward (1F1B) with these messages 3.107514587 s (a walk through the graph).
#[test]
fn a_training_step_takes_what_it_takes_by_hand() {
    let template = runcast_sim::templates::find("training").expect("a template");
    let one_segment = "segments = [ { from = \"0B\" } ]";
    let system = template
        .system
        .replace("planes = true", &format!("planes = true, set = {{ latency = \"2us\" }}, {one_segment}"))
        .replace("between = [", &format!("set = {{ latency = \"0.5us\" }}, {one_segment}, between = ["));
    let lines = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines(template.app) + lines(template.system) <= 46, "a description that fits a page");
    assert!(lines(template.app) <= 40);
    for fidelity in ["flow", "loggops", "label"] {
        let result = run(&system, template.app, fidelity, Collectives::Usual).expect("runs");
        // At flow the last activations of a stage meet its gradients on a rail.
        let tolerance = if fidelity == "flow" { 1e-4 } else { 1e-8 };
        let close = |seen: f64, expected: f64, what: &str| {
            assert!((seen / expected - 1.0).abs() < tolerance, "{what} at {fidelity}: {seen}, expected {expected}");
        };
        close(result.time_s, 3.311477761, "the step");
        let phase = |name: &str| result.phases.iter().find(|phase| phase.phase == name).expect("a phase").time_s;
        close(phase("forward"), 32.0 * 0.028162371, "forward");
        close(phase("backward"), 32.0 * 0.051291121, "backward");
        close(phase("gradients"), 0.203963174, "gradients");
    }
    let one = run(&system.replace("rails = 8, planes = true", "rails = 1"), template.app, "flow", Collectives::Usual);
    let phases = one.expect("runs").phases;
    let gradients = phases.iter().find(|phase| phase.phase == "gradients").expect("a phase").time_s;
    assert!((gradients / 1.630865 - 1.0).abs() < 1e-3, "one rail for eight: {gradients}");
}

fn result_of(size: u64, fabric: &str, processes: u64) -> RunResult {
    let script = format!(
        "label{{ \"rank\", count = {processes}, on = \"gpu\", run = function() allreduce{{ size = {size} }} end }}"
    );
    run(&system(fabric), &script, "flow", Collectives::Usual).expect("runs")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// More rails are never slower; what is simulated as flows takes the time of the formula where nothing else is under way.
    #[test]
    fn more_rails_are_never_slower(size in 0_u64..1 << 32, rails in 1_u64..8, machines in 1_u64..16) {
        let few = result_of(size, &format!("rails = {rails}"), machines * 8).time_s;
        let more = result_of(size, &format!("rails = {}", rails + 1), machines * 8).time_s;
        prop_assert!(more <= few * (1.0 + 1e-9), "{rails}: {few}, {more}");
    }
}
