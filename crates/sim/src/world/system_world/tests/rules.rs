//! Rules about every subject, and the errors of wrong ones.

use super::*;
use crate::application::{Direction, Group};
use crate::world::LabelCall;
use crate::world::node::{Answered, AtWork, Need, Running};

const SMALL: &str = r#"
format = "runcast-system/1"
default_model = "m"
component = [
  { id = "site", kind = "group" },
  { id = "node", kind = "machine", parent = "site", count = 4, set = { speed = 7 } },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 4, flops_double = "4Gflop/s", flops_single = "8Gflop/s" } },
  { id = "gpu", kind = "gpu", parent = "node", count = 2, set = { flops_double = "100Gflop/s", tune = 3 } },
  { id = "disk", kind = "storage", parent = "node", set = { read_bandwidth = "1GB/s", write_bandwidth = "0.5GB/s", latency = "1ms" } },
  { id = "shared", kind = "storage", parent = "site", count = 3, set = { read_bandwidth = "2GB/s" } },
]
[[network]]
of = "site"
set = { bandwidth = "1GB/s", latency = "1us" }
[[network]]
of = "node"
id = "pcie"
topology = { kind = "bus" }
set = { bandwidth = "8GB/s", latency = "2us" }
[model.m]
"#;

fn small(rules: &str) -> String {
    format!("{SMALL}{rules}")
}

fn plain_block() -> Block {
    Block { size: 10.0, ops: 4e9, bytes: 3.0, threads: 1.0, kind: "k".to_owned(), ..Block::default() }
}

/// The seconds that a rule of this value gives on four processes a machine.
fn value(rules: &str) -> f64 {
    let block = plain_block();
    let mut application = application(&[("a", 3, vec![block.clone()])]);
    application.parameters.push(Parameter { name: "n".to_owned(), value: 5.0, default: 1.0, ..Parameter::default() });
    seconds(&world(&small(rules), &application, &[]), 0, &block)
}

fn problem(rules: &str) -> Problem {
    let block = plain_block();
    let application = application(&[("a", 3, vec![block.clone()])]);
    let world = world(&small(rules), &application, &[]);
    world.compute(&block, world.place(0).class).expect_err("wrong")
}

#[test]
fn all_names_have_their_values() {
    let of = |formula: &str| {
        value(&format!("coeff = {{ x = 0.25 }}\nrule = [{{ on = \"compute\", value = \"{formula}\" }}]"))
    };
    assert_eq!(of("size + ops + bytes + threads"), 10.0 + 4e9 + 3.0 + 1.0);
    assert_eq!(of("node.procs*100 + node.cores*10 + device.procs"), 343.0);
    assert_eq!(of("busy + h"), 4.0);
    assert_eq!(of("hw.flops_double"), 4e9);
    assert_eq!(of("hw.smt_gain + hw.speed"), 8.0);
    assert_eq!(of("node.speed"), 7.0);
    assert_eq!(of("net.bandwidth*net.latency"), 1e9 * 1e-6);
    assert_eq!(of("par.n + c.x"), 5.25);
    assert_eq!(of("if(size > 5, 1, 2)"), 1.0);
}

#[test]
fn names_that_are_not_there_are_told_at_their_place() {
    let rule = |formula: &str| format!("rule = [{{ on = \"compute\", value = \"{formula}\" }}]");
    let line = SMALL.lines().count() as u64 + 1;
    // The text of the formula begins at column 36.
    let at = |formula: &str| {
        let problem = problem(&rule(formula));
        assert_eq!((problem.code.as_str(), problem.line), ("unknown_name", Some(line)), "{formula}");
        assert_eq!(problem.file.as_deref(), Some("galera.toml"));
        (problem.column.expect("a column"), problem.hint.unwrap_or_default())
    };
    assert_eq!(at("1 + hw.flops_duoble"), (40, "did you mean flops_double?".to_owned()));
    assert_eq!(at("node.sped"), (36, "did you mean speed?".to_owned()));
    assert_eq!(at("par.n").0, 36);
    assert_eq!(at("2*net.color").0, 38);
    let infinite = problem(&rule("1/(size - 10)"));
    assert_eq!((infinite.code.as_str(), infinite.line), ("bad_value", Some(line)));
    assert!(infinite.message.contains("1/(size - 10)"), "{}", infinite.message);
    assert_eq!(problem(&rule("-size")).code, "bad_value");
}

#[test]
fn overhead_multiplies_whatever_computes() {
    assert_eq!(value("rule = [{ on = \"overhead\", value = 3 }]"), 12.0 / 4.0 * 4.0);
    assert_eq!(value("rule = [{ on = \"overhead\", value = 3 }, { on = \"compute\", value = 2 }]"), 6.0);
    assert_eq!(value("rule = [{ on = \"overhead\", stack = \"Hadoop\", value = 3 }]"), 4.0);
}

#[test]
fn filters_see_devices_and_labels() {
    let rules = r#"rule = [
      { on = "compute", value = 1 }, { on = "compute", label = "b", value = 2 },
      { on = "compute", device = "gpu", value = "10 + hw.tune + device.procs" }, { on = "compute", op = "single", value = 4 } ]"#;
    let blocks = vec![plain_block(), Block { device: "gpu".to_owned(), ..plain_block() }];
    let world = world(&small(rules), &application(&[("a", 2, blocks.clone()), ("b", 2, blocks.clone())]), &[]);
    assert_eq!((seconds(&world, 0, &blocks[0]), seconds(&world, 2, &blocks[0])), (1.0, 2.0));
    // Four processes on two accelerators.
    assert_eq!(seconds(&world, 0, &blocks[1]), 15.0);
    assert_eq!(seconds(&world, 0, &Block { op: "single".to_owned(), ..blocks[0].clone() }), 4.0);
    let device = |process, block: &Block| world.device_of(process, &block.device).expect("a device");
    assert_eq!(
        (device(0, &blocks[0]), device(0, &blocks[1]), device(1, &blocks[1]), device(2, &blocks[1])),
        (0, 1, 2, 1)
    );
    let wrong = Block { device: "gup".to_owned(), ..plain_block() };
    assert_eq!(world.device_of(0, &wrong.device).expect_err("none").hint.as_deref(), Some("did you mean gpu?"));
    assert_eq!(world.compute(&wrong, world.place(0).class).expect_err("none").code, "no_device");
}

#[test]
fn devices_have_their_own_speed_by_default() {
    let on_gpu = Block { device: "gpu".to_owned(), ..plain_block() };
    let single = Block { op: "single".to_owned(), ..plain_block() };
    let world = world(&small(""), &application(&[("a", 1, vec![on_gpu.clone(), single.clone()])]), &[]);
    assert_eq!(seconds(&world, 0, &on_gpu), 4e9 / 100e9);
    assert_eq!(seconds(&world, 0, &single), 2.0);
    let problem =
        world.compute(&Block { op: "single".to_owned(), ..on_gpu }, world.place(0).class).expect_err("unknown");
    assert_eq!((problem.code.as_str(), problem.pointer.as_deref()), ("unknown_speed", Some("flops_single")));
}

#[test]
fn messages_and_collectives_may_have_rules() {
    let rules = r#"
    coeff = { a = "1us", b = "2ns" }
    rule = [ { on = "p2p", value = "c.a + c.b*size" }, { on = "p2p", network = "pcie", value = "c.b*size" },
             { on = "bcast", value = "c.a*log2(procs)" }, { on = "one2one", value = "count*concurrent*c.a" },
             { on = "contention", value = "if(concurrent <= 4, 1, 0.5*concurrent)" } ]"#;
    let mut application = application(&[("a", 8, vec![plain_block()])]);
    application.groups.push(Group { label: 0, members: None });
    let world = world(&small(rules), &application, &[]);
    assert!(world.has_message_rule() && world.has_contention_rule());
    let place = |process| world.place(process);
    let close = |seen: Option<f64>, expected: f64| assert!((seen.expect("a rule") / expected - 1.0).abs() < 1e-12);
    close(world.message(100, &place(0), &place(4)).expect("a value"), 1e-6 + 200e-9);
    close(world.message(100, &place(0), &place(1)).expect("a value"), 200e-9);
    let between = |kind| world.between_labels(&LabelCall { kind, size: 8, messages: 6, senders: 2 }, &place(0));
    close(between("one2one").expect("a value"), 12e-6);
    assert_eq!(between("scatter").expect("no rule"), None);
    assert_eq!(world.contention(4, 1, &place(0), &place(4)).expect("a value"), 1.0);
    assert_eq!(world.contention(8, 1, &place(0), &place(4)).expect("a value"), 4.0);
    let collective = |kind| Collective { kind, size: 1000, root: 0, group: 0, algorithm: None, counts: None };
    close(world.collective(&collective(CollectiveKind::Bcast), 8).expect("a value"), 3e-6);
    assert_eq!(world.collective(&collective(CollectiveKind::Barrier), 8).expect("no rule"), None);
    let none = super::world(&small(""), &application, &[]);
    assert!(!none.has_message_rule() && !none.has_contention_rule());
}

#[test]
fn throughput_may_have_a_rule_or_follow_what_is_placed() {
    let of = |rules: &str, processes| world(&small(rules), &application(&[("a", processes, vec![plain_block()])]), &[]);
    let rule = "rule = [{ on = \"throughput\", value = \"if(busy > hw.cores, 1.5*hw.cores, busy)\" }]";
    let one = of(rule, 1);
    assert!(one.shares(0));
    assert_eq!((one.throughput(0, 4.0).expect("work"), one.throughput(0, 5.0).expect("work")), (4.0, 6.0));
    // 32 processes on 4 machines of 4 cores: half a core each, even for the last one.
    let placed = of("sharing = \"placed\"", 32);
    let running =
        |count: f64| Running { domain: 0, count, threads: 1.0, block: 0, class: 0, seconds: 1.0, need: Need::Cores };
    for count in [8.0, 1.0] {
        let mut rates = Vec::new();
        let at_work =
            AtWork { node: 0, blocks: &[plain_block()], running: &[running(count)], answered: &Answered::default() };
        placed.progress(at_work, &mut rates).expect("rates");
        assert_eq!(rates, [0.5]);
    }
    assert!(!of("", 16).shares(0) && of("", 17).shares(0));
}

#[test]
fn storages_and_buses_are_found_from_inside_out() {
    let world = world(&small(""), &application(&[("a", 8, vec![plain_block()])]), &[]);
    let io = |io, process| world.io(io, 1000, process).expect("a cost");
    let near = io(Io::Read(None), 0);
    assert_eq!((near.bandwidth, near.latency_s), (1e9, 1e-3));
    assert_eq!(io(Io::Write(Some("disk")), 0).bandwidth, 0.5e9);
    // Machines have disks of their own, and share what is beside them: three disks together.
    assert_ne!(near.resource, io(Io::Read(None), 4).resource);
    let (one, other) = (io(Io::Read(Some("shared")), 0), io(Io::Read(Some("shared")), 4));
    assert_eq!((one.bandwidth, one.resource), (6e9, other.resource));
    assert_ne!(one.resource, near.resource);
    let bus = io(Io::Copy("gpu", Direction::ToDevice), 0);
    assert_eq!((bus.bandwidth, bus.latency_s, bus.resource), (8e9, 2e-6, 0));
    assert_eq!(io(Io::Copy("gpu", Direction::ToDevice), 7).resource, 1);
    assert_eq!(world.io(Io::Write(Some("shared")), 1, 0).expect_err("slow").code, "unknown_speed");
    assert_eq!(world.io(Io::Read(Some("dsk")), 1, 0).expect_err("none").hint.as_deref(), Some("did you mean disk?"));
    assert_eq!(world.io(Io::Copy("tpu", Direction::ToDevice), 1, 0).expect_err("none").code, "no_device");
}

#[test]
fn coefficients_are_laid_over() {
    let rules = "coeff = { x = 1 }\nrule = [{ on = \"compute\", value = \"c.x\" }]";
    let block = plain_block();
    let application = application(&[("a", 1, vec![block.clone()])]);
    let file = CoefficientFile::read("[model.m.coeff]\nx = 5", "coeff.toml").expect("reads");
    let options = ModelOptions { coefficients: vec![file], ..ModelOptions::default() };
    assert_eq!(seconds(&with(&small(rules), &application, &[], &options), 0, &block), 5.0);
}

#[test]
fn what_rules_have_said_before_changes_no_answer() {
    let rules = "rule = [{ on = \"throughput\", value = \"busy/(1 + 0.1*busy)\" }, \
                 { on = \"compute\", value = \"ops/1e9 + size*1e9/bw\" }]";
    let memory = "cores = 4, mem_bandwidth = \"10GB/s\", mem_bandwidth_core = \"4GB/s\"";
    let blocks = [plain_block(), Block { size: 20.0, ..plain_block() }];
    let application = application(&[("a", 16, blocks.to_vec())]);
    let world = world(&small(rules).replace("cores = 4", memory), &application, &[]);
    let kept = Answered::default();
    let mut seen = Vec::new();
    for _ in 0..2 {
        for (first, second) in [(1.0, 1.0), (1.0, 3.0), (3.0, 1.0), (2.0, 2.0)] {
            let running = [(0, first), (1, second)].map(|(block, count)| {
                let class = world.place(0).class;
                Running { domain: 0, count, threads: 1.0, block, class, seconds: 1.0, need: Need::Rule }
            });
            let rates = |answered: &Answered| {
                let mut rates = Vec::new();
                let at_work = AtWork { node: 0, blocks: &blocks, running: &running, answered };
                world.progress(at_work, &mut rates).expect("rates");
                rates
            };
            let found = rates(&kept);
            assert_eq!(found, rates(&Answered::default()));
            // Twice the size takes longer.
            assert!(found[0] > found[1], "{found:?}");
            seen.push(found);
        }
    }
    // Four threads share 10 GB/s, and two do not.
    assert!(seen[0][0] > seen[1][0] && seen[1] == seen[2] && seen[1] == seen[3], "{seen:?}");
}
