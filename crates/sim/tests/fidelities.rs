//! One program at several levels of detail: where they must agree to the tick, and where they may differ by how much.

use proptest::prelude::*;
use runcast_core::Problem;
use runcast_sim::application::{Block, CollectiveKind, Label, Op, Peer, Program, Programs, Schedule, Site, Source};
use runcast_sim::budget::Budget;
use runcast_sim::build::{Any, Builder, CollectiveCall, Compute, FarmCall, proc};
use runcast_sim::job::{Collectives, Engine, Job};
use runcast_sim::outcome::{Activity, Blind};
use runcast_sim::platform::{Endpoint, Link, LinkId, LogGops, NetworkLaw, Platform, Routing};
use runcast_sim::world::PlainWorld;
use runcast_sim::{Application, Outcome, label, plain};

fn run_with(engine: Engine, application: &mut Application, parameters: LogGops) -> Result<Outcome, Problem> {
    let processes = application.processes() as u32;
    let (platform, world) = (Platform::uniform(processes, parameters), PlainWorld { processes });
    let budget = Budget::default();
    let job = Job::new(&platform, &world, &budget);
    engine(&job, application, &mut Blind)
}

fn run(engine: Engine, application: &mut Application) -> Outcome {
    run_with(engine, application, LogGops::default()).expect("a program that ends")
}

fn built(describe: impl FnOnce(&mut Builder)) -> Application {
    let mut builder = Builder::new("test");
    describe(&mut builder);
    builder.build().expect("a program without mistakes")
}

/// Sums of the accounts are the times of the processes.
fn consistent(outcome: &Outcome) {
    for label in &outcome.labels {
        assert_eq!(label.ticks.iter().sum::<u128>(), label.finish, "{outcome:?}");
    }
}

/// Both levels end at the same tick, label by label, with the same accounts.
fn same(application: &mut Application) -> Outcome {
    let by_class = run(label::engine, application);
    let by_process = run(plain::engine, application);
    consistent(&by_class);
    assert_eq!(by_class.end, by_process.end);
    for (class, process) in by_class.labels.iter().zip(&by_process.labels) {
        assert_eq!((class.last, class.finish, class.messages, class.bytes), {
            (process.last, process.finish, process.messages, process.bytes)
        });
        assert_eq!(class.ticks, process.ticks);
    }
    by_class
}

/// Section 5, row 1: the barrier of P = 16 with messages of 8 B takes 22,168 ns on all, one class.
#[test]
fn dissemination_is_lg_p_pairs() {
    let mut application = built(|app| {
        app.label("cell", 16, |process| {
            let rank = process.rank();
            let mut receives = Vec::new();
            for round in 0..4 {
                receives.push(process.irecv((rank + 16 - (1 << round)) % 16, round));
            }
            for (round, receive) in receives.into_iter().enumerate() {
                process.send((rank + (1 << round)) % 16, 8, round as i64);
                process.wait(receive);
            }
        });
    });
    let outcome = same(&mut application);
    assert_eq!((outcome.end, outcome.labels[0].classes), (22_168, 1));
    assert_eq!(outcome.labels[0].finish, 16 * 22_168);
}

/// Rows 2 to 4 of section 5: what they send between labels.
#[test]
fn operations_between_labels_cost_what_the_formulas_say() {
    let ends = |outcome: &Outcome| outcome.labels.iter().map(|label| label.last).collect::<Vec<_>>();
    // 0 sends 1024 B twice to 1.
    let mut twice = built(|app| {
        app.label("a", 1, |process| process.one2one_send("b", 1024, 2));
        app.label("b", 1, |process| process.one2one_recv("a"));
    });
    let outcome = run(label::engine, &mut twice);
    assert_eq!(ends(&outcome), [8_638, 19_276]);
    assert_eq!(ends(&run(plain::engine, &mut twice)), [8_638, 19_276]);
    // 0 sends to 1, 2, 3, 4.
    let mut scatter = built(|app| {
        app.label("a", 1, |process| process.scatter_send(&["b"], 1024));
        app.label("b", 4, |process| process.scatter_recv("a"));
    });
    assert_eq!(ends(&run(label::engine, &mut scatter))[1], 33_052);
    assert_eq!(ends(&run(plain::engine, &mut scatter))[1], 33_052);
    // 1 to 4 send to 0.
    let mut gather = built(|app| {
        app.label("a", 1, |process| process.gather_recv("b"));
        app.label("b", 4, |process| process.gather_send(&["a"], 1024));
    });
    assert_eq!(ends(&run(label::engine, &mut gather)), [34_552, 1_500]);
    assert_eq!(ends(&run(plain::engine, &mut gather)), [34_552, 1_500]);
    // 0 sends four times to 1.
    let mut four = built(|app| {
        app.label("a", 1, |process| process.one2one_send("b", 1024, 4));
        app.label("b", 1, |process| process.one2one_recv("a"));
    });
    assert_eq!(ends(&run(label::engine, &mut four))[1], 34_552);
    // Two send to three, all pairs: 25,914 here, 26,414 message by message.
    let mut pairs = built(|app| {
        app.label("a", 2, |process| process.p2p_send("b", 1024));
        app.label("b", 3, |process| process.p2p_recv("a"));
    });
    let outcome = run(label::engine, &mut pairs);
    assert_eq!(ends(&outcome), [15_776, 25_914]);
    assert_eq!((outcome.labels[0].messages, outcome.labels[0].bytes), (6, 6 * 1024));
    assert_eq!(ends(&run(plain::engine, &mut pairs)), [15_776, 26_414]);
}

/// A billion processes are a formula away.
#[test]
fn multiplicity_costs_nothing() {
    let mut application = built(|app| {
        app.label("a", 1, |process| {
            process.compute(Compute { time_s: Some(1e-3), ..Compute::default() });
            process.scatter_send(&["b"], 8);
        });
        app.label("b", 1_000_000_000, |process| {
            process.scatter_recv("a");
            process.barrier(CollectiveCall::default());
            process.gather_send(&["c"], 1);
        });
        app.label("c", 1, |process| process.gather_recv("b"));
    });
    let outcome = run(label::engine, &mut application);
    assert_eq!(outcome.labels[1].classes, 1);
    // The last receiver: after 10^9 - 1 gaps of sigma = max(g + 7 G, o) = 1500; a barrier of 30 rounds of 2o + L = 5500.
    let scattered = 1_000_000 + 5_500 + 42 + 999_999_999 * 1_500;
    assert_eq!(outcome.labels[2].last, scattered + 30 * 5_500 + 5_500 + 999_999_999 * 1_500);
    assert_eq!(outcome.labels[1].messages, 1_000_000_000);
    consistent(&outcome);
}

/// Trees and dissemination cost what their formulas say for powers of two, but for one byte a message.
#[test]
fn expanded_trees_cost_their_formulas() {
    let per_byte = 6;
    for lg in 1..7_u32 {
        for (name, kind, size) in
            [("binomial", 0, 1024), ("binomial", 1, 1024), ("dissemination", 2, 0), ("tree", 2, 0)]
        {
            let mut application = built(|app| {
                app.label("cell", 1 << lg, move |process| {
                    let call = CollectiveCall { size, algorithm: Some(name), ..CollectiveCall::default() };
                    match kind {
                        0 => process.bcast(call),
                        1 => process.reduce(call),
                        _ => process.barrier(call),
                    }
                });
            });
            let closed = run(label::engine, &mut application);
            let expanded = run(plain::engine, &mut application);
            let bytes = if size > 0 { u64::from(lg) * per_byte } else { 0 };
            assert_eq!(closed.end, expanded.end + bytes, "{name} {kind} {lg}");
            assert_eq!(closed.counts.collectives, 1);
            assert_eq!(closed.labels[0].ticks[Activity::Collective as usize], closed.labels[0].finish);
        }
    }
}

/// Trees against their messages. Formulas have each member wait for all its sends on every level, which those that come first do
/// not. They do not count that in LogGOPS a processor is busy while a message streams in, as long as it took to send it, nor the
/// half that members of a split tree without a mirror image get from elsewhere: up to twice the formula.
#[test]
fn trees_take_about_their_formulas() {
    for (name, is_reduce) in [
        ("binary:1", false),
        ("binary:8", false),
        ("split_binary:1", false),
        ("split_binary:8", false),
        ("binary:1", true),
        ("binary:8", true),
        ("knomial:3", false),
        ("chain:4", true),
        ("linear", true),
    ] {
        for processes in 2..40_u64 {
            let mut application = built(|app| {
                app.label("cell", processes, move |process| {
                    let call = CollectiveCall { size: 65_536, algorithm: Some(name), ..CollectiveCall::default() };
                    if is_reduce { process.reduce(call) } else { process.bcast(call) }
                });
            });
            let closed = run(label::engine, &mut application).end as f64;
            let expanded = run(plain::engine, &mut application).end as f64;
            assert!(expanded <= 2.0 * closed, "{name} on {processes}: {expanded}, the formula {closed}");
            assert!(expanded >= 0.3 * closed, "{name} on {processes}: {expanded}, the formula {closed}");
        }
    }
}

/// Halo exchange on a ring: every iteration is the same, and a billion of them cost no more than a hundred.
fn ring(processes: u64, iterations: u64) -> Application {
    built(|app| {
        app.label("cell", processes, move |process| {
            let (rank, size) = (process.rank(), process.size());
            process.r#loop(iterations, |process| {
                let left = process.irecv((rank + size - 1) % size, 1);
                let right = process.irecv((rank + 1) % size, 2);
                let a = process.isend((rank + 1) % size, 8192, 1);
                let b = process.isend((rank + size - 1) % size, 8192, 2);
                process.waitall([left, right, a, b]);
                process.compute(Compute { time_s: Some(1e-4), ..Compute::default() });
            });
        });
    })
}

#[test]
fn a_ring_is_one_class_and_exact() {
    for iterations in [1, 2, 7, 100] {
        let outcome = same(&mut ring(12, iterations));
        assert_eq!(outcome.labels[0].classes, 1);
    }
}

#[test]
fn steady_loops_are_not_gone_through() {
    let time = |iterations| run(label::engine, &mut ring(12, iterations)).end;
    let (thousand, two_thousand) = (time(1_000), time(2_000));
    let period = (two_thousand - thousand) / 1_000;
    assert_eq!((two_thousand - thousand) % 1_000, 0);
    let outcome = run(label::engine, &mut ring(12, 1_000_000_000));
    assert_eq!(outcome.end, thousand + period * (1_000_000_000 - 1_000));
    assert!(outcome.counts.events < 10_000, "{}", outcome.counts.events);
    assert_eq!(outcome.labels[0].messages, 24_000_000_000);
    consistent(&outcome);
}

/// Loops in loops, a class that waits for the end, and one whose loop has another length.
#[test]
fn nested_loops_and_those_who_only_wait() {
    let nested = |outer: u64, inner: u64| {
        built(|app| {
            app.label("a", 1, move |process| {
                process.r#loop(outer, |process| {
                    process.r#loop(inner, |process| {
                        process.send(proc("b", 0), 8, 0);
                        process.recv(proc("b", 0), 0);
                    });
                    process.compute(Compute { time_s: Some(1e-5), ..Compute::default() });
                });
                process.send(proc("c", 0), 1, 5);
            });
            app.label("b", 1, move |process| {
                process.r#loop(outer * inner, |process| {
                    process.recv(proc("a", 0), 0);
                    process.compute(Compute { time_s: Some(3e-6), ..Compute::default() });
                    process.send(proc("a", 0), 8, 0);
                });
            });
            app.label("c", 1, |process| {
                process.recv(proc("a", 0), 5);
                process.sleep(1e-3);
            });
        })
    };
    for (outer, inner) in [(1, 50), (50, 1), (30, 40), (7, 3)] {
        same(&mut nested(outer, inner));
    }
    let outcome = run(label::engine, &mut nested(30_000, 30_000));
    let (one, two) = (run(label::engine, &mut nested(10, 30_000)).end, run(label::engine, &mut nested(20, 30_000)).end);
    assert_eq!(outcome.end, one + (two - one) / 10 * (30_000 - 10));
    assert!(outcome.counts.events < 100_000, "{}", outcome.counts.events);
}

/// Loops with collectives and with operations between labels: with their formulas both levels say the same, skipped or not.
#[test]
fn loops_with_meetings_are_skipped_exactly() {
    let closed = |engine: Engine, application: &mut Application| {
        let processes = application.processes() as u32;
        let (platform, world) = (Platform::uniform(processes, LogGops::default()), PlainWorld { processes });
        let budget = Budget::default();
        let job = Job { collectives: Collectives::Closed, ..Job::new(&platform, &world, &budget) };
        engine(&job, application, &mut Blind).expect("a program that ends")
    };
    let program = |times: u64| {
        built(|app| {
            app.label("cell", 6, move |process| {
                let (rank, size) = (process.rank(), process.size());
                process.compute(Compute { time_s: Some(1e-6 * rank as f64), ..Compute::default() });
                process.r#loop(times, |process| {
                    let call = CollectiveCall { size: 800, ..CollectiveCall::default() };
                    let reduced = process.icollective(CollectiveKind::Allreduce, call);
                    let receive = process.irecv((rank + size - 1) % size, 0);
                    process.send((rank + 1) % size, 5000, 0);
                    process.wait(receive);
                    process.compute(Compute { time_s: Some(2e-6 * (rank % 3) as f64), ..Compute::default() });
                    process.wait(reduced);
                    process.r#loop(3, |process| process.barrier(CollectiveCall::default()));
                });
            });
        })
    };
    for times in [1, 2, 3, 10, 60] {
        let (by_class, by_process) =
            (closed(label::engine, &mut program(times)), closed(plain::engine, &mut program(times)));
        assert_eq!(by_class.end, by_process.end, "{times}");
        assert_eq!(by_class.labels[0].finish, by_process.labels[0].finish);
        assert_eq!(by_class.labels[0].ticks, by_process.labels[0].ticks);
        assert_eq!(by_class.counts.collectives, 4 * times);
    }
    let (one, two) = (closed(label::engine, &mut program(100)).end, closed(label::engine, &mut program(200)).end);
    let many = closed(label::engine, &mut program(1_000_000_000));
    assert_eq!(many.end, one + (two - one) / 100 * (1_000_000_000 - 100));
    assert_eq!(many.counts.collectives, 4_000_000_000);
    assert!(many.counts.events < 10_000, "{}", many.counts.events);
}

/// A pipeline is not a class: each rank waits for the one before it.
#[test]
fn a_pipeline_is_split_and_exact() {
    let mut pipeline = built(|app| {
        app.label("stage", 40, |process| {
            let (rank, size) = (process.rank(), process.size());
            process.r#loop(10, |process| {
                if rank > 0 {
                    process.recv(rank - 1, 0);
                }
                process.compute(Compute { time_s: Some(1e-5), ..Compute::default() });
                if rank + 1 < size {
                    process.send(rank + 1, 100, 0);
                }
            });
        });
    });
    let outcome = same(&mut pipeline);
    assert_eq!(outcome.labels[0].classes, 40);
    let few = label::Options { max_classes: 39 };
    let (platform, world) = (Platform::uniform(40, LogGops::default()), PlainWorld { processes: 40 });
    let budget = Budget::default();
    let job = Job::new(&platform, &world, &budget);
    let problem = label::simulate(&job, &pipeline, &mut Blind, &few).expect_err("one class too many");
    assert_eq!(problem.code, "too_many_classes");
    assert!(problem.hint.is_some_and(|hint| hint.contains("--fidelity loggops")));
}

/// Blocking sends beyond the eager limit wait for their receives, whoever comes first.
#[test]
fn large_messages_wait_for_their_receives() {
    for size in [65_535, 65_536, 200_000] {
        for late in [0.0, 1e-6, 5e-3] {
            let mut pair = built(|app| {
                app.label("cell", 2, move |process| {
                    let rank = process.rank();
                    if rank == 0 {
                        process.send(1, size, 0);
                        process.compute(Compute { time_s: Some(1e-8), ..Compute::default() });
                    } else {
                        process.compute(Compute { time_s: Some(late), ..Compute::default() });
                        process.recv(0, 0);
                    }
                });
            });
            same(&mut pair);
        }
    }
}

#[test]
fn a_deadlock_is_named() {
    let mut application = built(|app| {
        app.label("cell", 2, |process| {
            let rank = process.rank();
            process.recv(1 - rank, 1);
            process.send(1 - rank, 8, 1);
        });
    });
    let problem = run_with(label::engine, &mut application, LogGops::default()).expect_err("both wait");
    assert_eq!(problem.code, "deadlock");
    assert!(problem.message.contains("cell[0] recv from cell[1] tag 1"), "{}", problem.message);
}

/// Receives from anybody take what comes first.
#[test]
fn anybody_comes_first() {
    let mut application = built(|app| {
        app.label("master", 1, |process| {
            for _ in 0..3 {
                process.recv(Any, 7);
            }
            process.send(proc("slow", 0), 8, 1);
        });
        for (name, ns) in [("slow", 9e-6), ("quick", 1e-6), ("middle", 5e-6)] {
            app.label(name, 1, move |process| {
                process.compute(Compute { time_s: Some(ns), ..Compute::default() });
                process.send(proc("master", 0), 64, 7);
                if name == "slow" {
                    process.recv(proc("master", 0), 1);
                }
            });
        }
    });
    same(&mut application);
}

fn farm(workers: u64, tasks: u64, work_s: f64, master_s: f64, schedule: Schedule) -> Application {
    built(|app| {
        app.label("master", 1, move |process| {
            process.farm(FarmCall {
                tasks,
                to: "slave",
                task_size: 1000,
                result_size: 100,
                work: Compute { time_s: Some(work_s), ..Compute::default() },
                master_work: Some(Compute { time_s: Some(master_s), ..Compute::default() }),
                schedule,
                ..FarmCall::default()
            });
        });
        app.label("slave", workers, |process| process.farm_worker(proc("master", 0)));
    })
}

/// One slave is not a queue: the formula is exact, but for the empty message at the end and what overlaps.
#[test]
fn a_farm_is_a_queueing_network() {
    // Z = 50 ms, one station of 10 ms (docs/theory/sim.md): 60, 30.833333, 16.620763, 10.753241, 10.000491 s.
    let free = LogGops { L: 0.0, o: 0.0, g: 0.0, G: 0.0, O: 0.0, S: u64::MAX };
    for (workers, expected) in [(1, 60.0), (2, 30.833333), (4, 16.620763), (8, 10.753241), (16, 10.000491)] {
        let mut application = farm(workers, 1000, 0.05, 0.01, Schedule::Dynamic);
        let closed = run_with(label::engine, &mut application, free).expect("a farm");
        assert!((closed.end as f64 * 1e-9 - expected).abs() < 1e-6 * expected, "{workers}: {}", closed.end);
        consistent(&closed);
        assert_eq!(closed.labels[0].ticks[Activity::Compute as usize], 10_000_000_000);
        // Tasks take all the same time: there is less waiting than the network, which thinks of chance, says.
        let simulated = run_with(plain::engine, &mut application, free).expect("a farm").end as f64 * 1e-9;
        let ratio = closed.end as f64 * 1e-9 / simulated;
        assert!((0.99..1.22).contains(&ratio), "{workers}: {ratio}");
    }
}

#[test]
fn schedules_of_farms_are_near_their_messages() {
    for (schedule, low, high) in [(Schedule::Static, 0.97, 1.03), (Schedule::Guided, 0.97, 1.03)] {
        for workers in [1, 3, 8, 20] {
            let mut application = farm(workers, 500, 2e-3, 1e-5, schedule);
            let closed = run(label::engine, &mut application);
            consistent(&closed);
            let simulated = run(plain::engine, &mut application);
            let ratio = closed.end as f64 / simulated.end as f64;
            assert!((low..high).contains(&ratio), "{schedule:?} {workers}: {ratio}");
            assert_eq!(closed.counts.messages, simulated.counts.messages, "{schedule:?} {workers}");
        }
    }
}

/// One link between all machines that limits each message alone, with overheads: what the levels have in common.
#[derive(Debug)]
struct OneLink;

impl Routing for OneLink {
    fn route(&self, _: Endpoint, _: Endpoint, _: Option<u32>, links: &mut Vec<LinkId>) -> u32 {
        links.push(0);
        0
    }

    fn class(&self, _: Endpoint, _: Endpoint) -> Option<u32> {
        Some(0)
    }
}

fn run_on_link(engine: Engine, application: &mut Application) -> Outcome {
    let processes = application.processes() as u32;
    let mut law = NetworkLaw::plain("net");
    law.segments[0].send_overhead_s = 500e-9;
    law.segments[0].recv_overhead_s = 700e-9;
    let link = Link { name: "link".to_owned(), network: 0, bandwidth: 1e9, latency_s: 3e-6, shared: false };
    let platform = Platform { machines: processes, links: vec![link], routing: Box::new(OneLink), laws: vec![law] };
    let (world, budget) = (PlainWorld { processes }, Budget::default());
    let job = Job::new(&platform, &world, &budget);
    engine(&job, application, &mut Blind).expect("a program that ends")
}

/// All three levels: with a message under way to each, `flow` differs from LogGOPS by one byte of transfer a message.
#[test]
fn all_three_levels_agree_without_sharing() {
    for lg in 1..5_u32 {
        for size in [1_u64, 1001, 60_000] {
            let processes = 1_u64 << lg;
            let mut application = built(|app| {
                app.label("cell", processes, move |process| {
                    let rank = process.rank();
                    for round in 0..i64::from(lg) {
                        let receive = process.irecv((rank + processes - (1 << round)) % processes, round);
                        process.send((rank + (1 << round)) % processes, size, round);
                        process.wait(receive);
                    }
                });
            });
            let by_class = run_on_link(label::engine, &mut application);
            let by_process = run_on_link(plain::engine, &mut application);
            let by_flow = run_on_link(runcast_sim::flow::engine, &mut application);
            assert_eq!(by_class.end, u64::from(lg) * (500 + 3_000 + 700 + size - 1));
            assert_eq!(by_class.end, by_process.end);
            assert_eq!(by_flow.end, by_process.end + u64::from(lg));
        }
    }
}

#[test]
fn live_labels_are_refused_with_a_hint() {
    let mut application = ring(4, 1);
    application.labels[0].programs = Programs::Live;
    let problem = run_with(label::engine, &mut application, LogGops::default()).expect_err("not recorded");
    assert_eq!(problem.code, "not_recorded");
}

/// Programs of single processes, blocks in nanoseconds; the first block of each is its own, so that none is like another.
fn of_ranks(programs: &[Vec<Op>], blocks: &[u64]) -> Application {
    let with_sites = |ops: &Vec<Op>| Program { ops: ops.iter().map(|op| (*op, Site(0))).collect(), requests: 100 };
    Application {
        labels: vec![Label::new(
            "cell",
            0,
            programs.len() as u64,
            Programs::PerRank((0..programs.len() as u32).collect()),
        )],
        programs: programs.iter().map(with_sites).collect(),
        blocks: blocks.iter().map(|ns| Block { time_s: Some(*ns as f64 * 1e-9), ..Block::default() }).collect(),
        sites: vec![1],
        ..Application::default()
    }
}

/// A program in rounds of messages between random pairs, each rank with its own block first.
fn rounds(ranks: usize, messages: &[(usize, usize, u64, bool, bool, u64)], times: u64) -> (Vec<Vec<Op>>, Vec<u64>) {
    let mut blocks: Vec<u64> = (0..ranks as u64).map(|rank| rank * 137).collect();
    let mut bodies: Vec<Vec<Op>> = vec![Vec::new(); ranks];
    for (number, (from, to, size, eager_wait, anybody, work)) in messages.iter().enumerate() {
        let (from, to) = (from % ranks, to % ranks);
        if from == to {
            continue;
        }
        let (tag, request) = (number as i64, number as u32);
        blocks.push(*work);
        bodies[to].push(Op::Irecv {
            from: if *anybody { Source::Any } else { Source::Peer(Peer::Process(from as u64)) },
            tag,
            request,
        });
        bodies[from].push(Op::Isend { to: Peer::Process(to as u64), size: *size, tag, request, persistent: false });
        bodies[from].push(Op::Compute(blocks.len() as u32 - 1));
        bodies[to].push(Op::Compute(blocks.len() as u32 - 1));
        bodies[to].push(Op::Wait { request });
        if *eager_wait {
            bodies[from].push(Op::Wait { request });
        }
    }
    // Waits that were put off come at the end of the round, where nobody needs anything of them any more.
    for (number, (from, to, _, eager_wait, ..)) in messages.iter().enumerate() {
        if from % ranks != to % ranks && !eager_wait {
            bodies[from % ranks].push(Op::Wait { request: number as u32 });
        }
    }
    let programs = bodies
        .into_iter()
        .enumerate()
        .map(|(rank, body)| {
            let mut ops = vec![Op::Compute(rank as u32), Op::Repeat { count: times, len: body.len() as u32 }];
            ops.extend(body);
            ops
        })
        .collect();
    (programs, blocks)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Where no process is like another, classes are processes: both engines say the same to the tick, loops included.
    #[test]
    fn classes_of_one_are_processes(
        ranks in 2_usize..6,
        messages in proptest::collection::vec(
            (0_usize..6, 0_usize..6, 0_u64..3000, any::<bool>(), any::<bool>(), 0_u64..20_000), 1..12),
        times in prop_oneof![Just(1_u64), Just(2), Just(40)],
        rendezvous in prop_oneof![Just(65_535_u64), Just(500)],
    ) {
        let (programs, blocks) = rounds(ranks, &messages, times);
        let mut application = of_ranks(&programs, &blocks);
        let parameters = LogGops { S: rendezvous, ..LogGops::default() };
        let by_class = run_with(label::engine, &mut application, parameters);
        let by_process = run_with(plain::engine, &mut application, parameters);
        match (by_class, by_process) {
            (Ok(by_class), Ok(by_process)) => {
                prop_assert_eq!(by_class.end, by_process.end);
                prop_assert_eq!(by_class.labels[0].finish, by_process.labels[0].finish);
                prop_assert_eq!(by_class.labels[0].ticks, by_process.labels[0].ticks);
                prop_assert_eq!(by_class.labels[0].messages, by_process.labels[0].messages);
                prop_assert_eq!(by_class.labels[0].classes, ranks as u64);
            }
            (Err(by_class), Err(by_process)) => prop_assert_eq!(by_class.code, by_process.code),
            (by_class, by_process) => prop_assert!(false, "{by_class:?} {by_process:?}"),
        }
    }
}

#[cfg(feature = "luau")]
mod scripts {
    use super::{LogGops, consistent, label, plain, run_with};
    use runcast_sim::script::{Limits, Value, record};
    use std::collections::BTreeMap;

    const HEAT: &str = include_str!("../../../testdata/sim/scripts/heat.luau");
    const MSORT: &str = include_str!("../../../testdata/sim/scripts/msort.luau");

    /// The time by classes over that by processes, and the number of classes.
    fn ratio(script: &str, parameters: &[(&str, f64)], network: LogGops) -> (f64, u64) {
        let values: BTreeMap<String, Value> =
            parameters.iter().map(|(name, value)| ((*name).to_owned(), Value::Number(*value))).collect();
        let mut application = record(script, "app.luau", &values, &Limits::default()).expect("a script").application;
        let by_class = run_with(label::engine, &mut application, network).expect("it ends");
        let by_process = run_with(plain::engine, &mut application, network).expect("it ends");
        consistent(&by_class);
        assert_eq!(by_class.labels[0].messages, by_process.labels[0].messages);
        assert_eq!(by_class.labels[0].bytes, by_process.labels[0].bytes);
        (by_class.end as f64 / by_process.end as f64, by_class.labels[0].classes)
    }

    /// Up to 64 processes none is like another, and both levels say the same. Then the lowest rank stands for all within the
    /// cube: it sits beside a face that has less to do and is ahead, and what is deep inside waits longer than it.
    #[test]
    fn heat_by_classes_is_near_heat_by_processes() {
        let heat = HEAT.replace("bytes=2*face", "bytes=2*face, time=2*face/6e9");
        for (processes, classes, low) in
            [(1.0, 1, 1.0), (8.0, 8, 1.0), (27.0, 27, 1.0), (64.0, 64, 1.0), (216.0, 64, 0.75)]
        {
            let (ratio, found) = ratio(&heat, &[("n", 200.0), ("iters", 10.0), ("p", processes)], LogGops::default());
            assert!((low..=1.0).contains(&ratio), "P = {processes}: {ratio}");
            assert_eq!(found, classes);
        }
    }

    #[test]
    fn merge_sort_by_classes_is_near_merge_sort_by_processes() {
        for processes in [1.0, 2.0, 4.0, 16.0, 64.0, 256.0] {
            let (ratio, classes) = ratio(MSORT, &[("n", 1048576.0), ("p", processes)], LogGops::default());
            assert!((0.98..=1.0).contains(&ratio), "P = {processes}: {ratio}");
            assert_eq!(classes, processes.log2() as u64 + 1);
        }
    }
}
