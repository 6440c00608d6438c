//! Scripts become applications: what each call leaves.

use runcast_core::Problem;
use runcast_sim::Application;
use runcast_sim::application::{CollectiveKind, Counts, Direction, Op, Peer, Programs, Schedule, Site, Source};
use runcast_sim::budget::Budget;
use runcast_sim::build::{Any, Builder, CollectiveCall, Comm, Compute, CopyCall, FarmCall, LabelOptions, cart, proc};
use runcast_sim::job::{Engine, Feedback, Job, Received};
use runcast_sim::outcome::Blind;
use runcast_sim::platform::{LogGops, Platform};
use runcast_sim::script::{Limits, Recorded, Value, record};
use runcast_sim::world::PlainWorld;
use runcast_sim::{flow, plain};
use std::collections::BTreeMap;

const HEAT: &str = include_str!("../../../testdata/sim/scripts/heat.luau");

fn set(values: &[(&str, f64)]) -> BTreeMap<String, Value> {
    values.iter().map(|(name, value)| ((*name).to_owned(), Value::Number(*value))).collect()
}

fn recorded(source: &str) -> Recorded {
    record(source, "app.luau", &BTreeMap::new(), &Limits::default()).expect("the script is right")
}

fn problem(source: &str) -> Problem {
    match record(source, "app.luau", &BTreeMap::new(), &Limits::default()) {
        Ok(_) => panic!("the script is wrong: {source}"),
        Err(problems) => problems[0].clone(),
    }
}

fn ops(application: &Application, process: u64) -> Vec<Op> {
    let program = application.program_of(process).expect("recorded");
    application.programs[program as usize].ops.iter().map(|(op, _)| *op).collect()
}

#[test]
fn heat_of_the_paper() {
    let heat = record(HEAT, "heat.luau", &set(&[("p", 27.0), ("iters", 7.0)]), &Limits::default()).expect("heat");
    let app = &heat.application;
    assert_eq!(app.processes(), 27);
    assert_eq!(app.name, "heat");
    let parameters: Vec<_> = app.parameters.iter().map(|one| (one.name.as_str(), one.value, one.default)).collect();
    assert_eq!(parameters, [("n", 2000.0, 2000.0), ("iters", 7.0, 100.0), ("p", 27.0, 8.0)]);
    // A corner has 3 neighbors, an edge 4, a face 5, the middle 6; each is sent to (pack, send) and received from.
    let exchanges = |process: u64| ops(app, process).iter().filter(|op| matches!(op, Op::Recv { .. })).count();
    assert_eq!([0, 1, 4, 13].map(exchanges), [3, 4, 5, 6]);
    let middle = ops(app, 13);
    assert_eq!(middle[0], Op::Repeat { count: 7, len: 19 });
    assert_eq!(middle.len(), 20);
    // Coordinates (1, 1, 1) are odd: it receives first, from above, when faces travel down the first dimension.
    assert_eq!(middle[1], Op::Recv { from: Source::Peer(Peer::Offset(9)), tag: 1 });
    let face = 8 * (2000.0_f64 / 3.0 * (2000.0 / 3.0) + 0.5).floor() as u64;
    assert_eq!(middle[3], Op::Send { to: Peer::Offset(-9), size: face, tag: 1 });
    assert!(matches!(middle[19], Op::Compute(block) if app.blocks[block as usize].kind == "stencil"));
    let Op::Compute(pack) = middle[2] else { panic!("{:?}", middle[2]) };
    assert_eq!(app.blocks[pack as usize].bytes, 2.0 * face as f64);
    // Places: the send stands on line 10 of the script.
    let program = app.program_of(13).expect("recorded");
    assert_eq!(app.place_of(app.programs[program as usize].ops[3].1), "heat.luau:10");
    assert!(heat.warnings.is_empty() && heat.unused.is_empty() && heat.live.is_none());
}

#[test]
fn master_and_slaves_of_the_specification() {
    let source = r#"
        local pc, ds, k = param("pc", 5000), param("ds", 1000), param("k", 100); local groups = pc/k
        label{ "master", run = function() farm{ tasks = groups*(groups+1)/2, to = "slave", task_size = 16*k*ds, result_size = 8*k*k,
          master_work = { type = "collect" }, work = { type = "similarity", size = k*k*ds } } end }
        label{ "slave", count = param("slaves", 8), run = function() farm_worker{ from = "master" } end }
    "#;
    let app = recorded(source).application;
    assert_eq!(app.farms.len(), 1);
    let farm = &app.farms[0];
    assert_eq!((farm.master, farm.to, farm.tasks, farm.task_size, farm.result_size), (0, 1, 1275, 1_600_000, 80_000));
    assert_eq!((farm.window, farm.schedule), (1, Schedule::Dynamic));
    assert_eq!(app.blocks[farm.work as usize].ops, 1e7);
    assert_eq!(app.labels[1].programs, Programs::Same(1));
    assert_eq!(ops(&app, 5), [Op::FarmWorker(0)]);
    assert_eq!(ops(&app, 0), [Op::Farm(0)]);
}

/// Runs the live processes of an application one operation at a time, messages with the time at which they are sent.
fn run_live(recorded: &mut Recorded, feedback: impl Fn(u64, &Op) -> Feedback) -> Vec<(u64, Op)> {
    let live = recorded.live.as_ref().expect("a live label");
    let app = &mut recorded.application;
    let mut done = Vec::new();
    for process in 0..app.processes() {
        if app.program_of(process).is_some() {
            continue;
        }
        let mut running = live.start(process, app).expect("it starts");
        let mut last = Feedback::default();
        while let Some((op, _)) = running.next(&last, app).expect("it goes on") {
            last = feedback(process, &op);
            done.push((process, op));
        }
    }
    done
}

const MSLAVE: &str = r#"
    local tasks, slaves = param("tasks", 10), param("slaves", 3)
    label{ "master", run = function()
        for s = 0, slaves - 1 do isend{ to = proc("slave", s), size = "1.6MB", tag = 1 } end
        local sent = slaves
        for _ = 1, tasks do
            local result = recv{ from = "any", tag = "any" }
            compute{ type = "collect", size = result.size }
            if sent < tasks then sent = sent + 1; send{ to = result.from, size = "1.6MB", tag = 1 } end
        end
        for s = 0, slaves - 1 do send{ to = proc("slave", s), size = 0, tag = 2 } end
    end }
    label{ "slave", count = slaves, run = function(rank)
        while true do
            local job = recv{ from = "master", tag = "any" }
            if job.tag == 2 then break end
            compute{ type = "similarity", size = 1e7 }
            send{ to = "master", size = "80kB" }
        end
        log("slave", rank, "ends at", now())
    end }
"#;

#[test]
fn who_looks_into_messages_runs_live() {
    let mut mslave = record(MSLAVE, "mslave.luau", &set(&[("tasks", 5.0)]), &Limits::default()).expect("mslave");
    assert_eq!(mslave.application.labels.iter().map(|label| &label.programs).collect::<Vec<_>>(), [&Programs::Live; 2]);
    let done = run_live(&mut mslave, |process, op| match (process, op) {
        // The master hears from slave 2 always; a slave gets one job.
        (0, Op::Recv { .. }) => {
            Feedback { now_s: 2.0, received: Some(Received { from: 3, size: 80_000, tag: 0 }), ..Feedback::default() }
        }
        (_, Op::Recv { .. }) => {
            Feedback { now_s: 1.5, received: Some(Received { from: 0, size: 0, tag: 2 }), ..Feedback::default() }
        }
        _ => Feedback { now_s: 1.0, received: None, ..Feedback::default() },
    });
    let of = |process: u64| done.iter().filter(|(own, _)| *own == process).map(|(_, op)| *op).collect::<Vec<_>>();
    let master = of(0);
    let to = |slave: u64| Op::Isend {
        to: Peer::Process(1 + slave),
        size: 1_600_000,
        tag: 1,
        request: slave as u32,
        persistent: false,
    };
    assert_eq!(master[..3], [to(0), to(1), to(2)]);
    assert_eq!(master[3], Op::Recv { from: Source::Any, tag: runcast_sim::application::ANY_TAG });
    let Op::Compute(block) = master[4] else { panic!("{master:?}") };
    assert_eq!(mslave.application.blocks[block as usize].size, 80_000.0);
    let again = Op::Send { to: Peer::Process(3), size: 1_600_000, tag: 1 };
    assert_eq!(master.iter().filter(|op| **op == again).count(), 2, "two of five tasks are left after the first round");
    assert_eq!(master.len(), 3 + 5 + 5 + 2 + 3);
    assert_eq!(of(2), [Op::Recv { from: Source::Peer(Peer::Process(0)), tag: runcast_sim::application::ANY_TAG }]);
    assert_eq!(mslave.application.log, ["slave 0 ends at 1.5", "slave 1 ends at 1.5", "slave 2 ends at 1.5"]);
}

#[test]
fn live_and_recorded_processes_do_the_same() {
    // The same program, once as it is and once with a look at the clock before it.
    let calls = r#"
        local g = cart{ 4, periodic = true }
        phase("exchange")
        loop(3, function()
            local r = irecv{ from = g:neighbor(rank, 1, -1), tag = 5 }
            local s = isend{ to = g:neighbor(rank, 1, 1), size = 100, tag = 5 }
            compute{ size = 10 * rank, complexity = "d^2", type = "x" }
            waitall{ r, s }
            sendrecv{ to = g:neighbor(rank, 1, 1), from = g:neighbor(rank, 1, -1), size = 7 }
        end)
        allreduce{ size = 8 }
        local b = icollective("bcast", { size = 16, root = 1 })
        sleep(0.5 + random())
        wait(b)
        read{ size = 10 }; write{ size = 10, storage = "disk" }; copy{ to = "gpu", size = 5 }
        barrier()
    "#;
    let script = |look: &str| format!("label{{ \"a\", count = 4, run = function(rank)\n{look}\n{calls}\nend }}");
    let plain = recorded(&script(""));
    let mut live = recorded(&script("local start = now()"));
    let done = run_live(&mut live, |_, op| Feedback {
        now_s: 1.0,
        received: matches!(op, Op::Wait { .. }).then_some(Received { from: 0, size: 7, tag: 0 }),
        ..Feedback::default()
    });
    for process in 0..4 {
        let mut unrolled = Vec::new();
        let ops = ops(&plain.application, process);
        let Some(at) = ops.iter().position(|op| matches!(op, Op::Repeat { .. })) else { panic!("a loop") };
        let Op::Repeat { count: 3, len } = ops[at] else { panic!("{:?}", ops[at]) };
        unrolled.extend_from_slice(&ops[..at]);
        for _ in 0..3 {
            unrolled.extend_from_slice(&ops[at + 1..at + 1 + len as usize]);
        }
        unrolled.extend_from_slice(&ops[at + 1 + len as usize..]);
        let mine: Vec<Op> = done.iter().filter(|(own, _)| *own == process).map(|(_, op)| *op).collect();
        // Numbers of blocks and the like may differ: what they stand for may not.
        let told = |app: &Application, op: &Op| match op {
            Op::Compute(block) => format!("{:?}", app.blocks[*block as usize]),
            Op::Collective(call) => format!("{:?}", app.collectives[*call as usize]),
            Op::Icollective { collective, request } => format!("{request} {:?}", app.collectives[*collective as usize]),
            Op::Phase(phase) => app.phases[*phase as usize].clone(),
            Op::Write { storage: Some(name), size } => format!("{} {size}", app.names[*name as usize]),
            Op::Copy(copy) => {
                let copy = app.copies[*copy as usize];
                format!("{} {}", app.names[copy.device as usize], copy.size)
            }
            other => format!("{other:?}"),
        };
        let left: Vec<String> = unrolled.iter().map(|op| told(&plain.application, op)).collect();
        let right: Vec<String> = mine.iter().map(|op| told(&live.application, op)).collect();
        assert_eq!(left, right, "process {process}");
    }
}

#[test]
fn a_live_script_can_be_run_again() {
    let mut mslave = record(MSLAVE, "mslave.luau", &set(&[("tasks", 5.0)]), &Limits::default()).expect("mslave");
    let feedback = |process: u64, op: &Op| match (process, op) {
        (0, Op::Recv { .. }) => {
            Feedback { now_s: 2.0, received: Some(Received { from: 1, size: 1, tag: 0 }), ..Feedback::default() }
        }
        (_, Op::Recv { .. }) => {
            Feedback { now_s: 2.0, received: Some(Received { from: 0, size: 0, tag: 2 }), ..Feedback::default() }
        }
        _ => Feedback::default(),
    };
    let untouched = mslave.application.clone();
    let first = run_live(&mut mslave, feedback);
    mslave.application = untouched.clone();
    assert_eq!(run_live(&mut mslave, feedback), first);
    let another = mslave.live.as_ref().expect("live").another().expect("it starts").expect("another");
    mslave.application = untouched;
    mslave.live = Some(another);
    assert_eq!(run_live(&mut mslave, feedback), first);
}

#[test]
fn errors_of_live_processes_have_a_place() {
    let source = "label{ \"a\", count = 2, run = function(rank)\n  local t = now()\n  send{ to = 5, size = 1 }\nend }";
    let recorded = recorded(source);
    let mut app = recorded.application;
    let live = recorded.live.expect("live");
    let mut process = live.start(1, &app).expect("it starts");
    let problem = process.next(&Feedback::default(), &mut app).expect_err("rank 5 is outside");
    assert_eq!((problem.file.as_deref(), problem.line), (Some("app.luau"), Some(3)));
    assert_eq!(problem.message, "send: rank 5 is outside label `a`, which has ranks 0 to 1 (in a[1])");
    // An endless process ends, too.
    let limits = Limits { steps: 100_000, ..Limits::default() };
    let source = "label{ \"a\", run = function()\n  local t = now()\n  while true do end\nend }";
    let recorded = record(source, "app.luau", &BTreeMap::new(), &limits).expect("recorded until it looks");
    let mut app = recorded.application;
    let mut process = recorded.live.expect("live").start(0, &app).expect("it starts");
    let problem = process.next(&Feedback::default(), &mut app).expect_err("it does not end");
    assert_eq!((problem.code.as_str(), problem.line), ("script_steps", Some(3)));
}

#[test]
fn the_same_in_rust_is_the_same_application() {
    let source = r#"
        local n, p = param("n", 1000, "cells"), param("p", 8)
        local g = cart{ p/2, 2, periodic = true }
        local half = comm{ 0, 2, 4, 6 }
        label{ "master", memory = "1MiB", on = "node", start = 2, run = function()
            phase("start")
            scatter_send{ to = { "cell", "slave" }, size = 10 }
            one2one_send{ to = "cell", size = 3, count = 20 }
            p2p_send{ to = "cell", size = 30 }
            gather_recv{ from = "cell" }
            farm{ tasks = n, to = "slave", task_size = "1kB", result_size = 8, work = { type = "work", size = 5 },
                master_work = { time = "1ms" }, window = 2, schedule = "guided" }
            farm{ tasks = 7, to = "slave", task_size = 1, work = {}, schedule = "static" }
        end }
        label{ "cell", count = p, run = function(rank, size)
            scatter_recv{ from = "master" }
            one2one_recv{ from = "master" }
            p2p_recv{ from = "master" }
            local next, before = g:neighbor(rank, 1, 1), g:neighbor(rank, 1, -1)
            loop(n, function()
                local r = irecv{ from = before, tag = "any" }
                send{ to = next, size = 8*n, tag = 3 }
                wait(r)
                sendrecv{ to = next, from = before, size = 1, tag = 4 }
                compute{ type = "stencil", size = n*n/size, complexity = "2*d*log2(n)", threads = 4, op = "single", stack = "C",
                    opt = "O3", device = "gpu", bytes = "1kB" }
            end)
            if rank == 0 then recv{ from = "any", tag = "any" } end
            if rank == 3 then isend{ to = 0, size = 5 } end
            bcast{ size = 100, root = 2 }
            reduce{ size = 100, root = 1, algorithm = "binomial" }
            scatter{ size = 1 }; gather{ size = 2 }; allgather{ size = 3 }; alltoall{ size = 4 }; reduce_scatter{ size = 5 }
            if rank % 2 == 0 then allreduce{ size = 6, comm = half } end
            waitall{ icollective("barrier"), icollective("bcast", { size = 4 }) }
            barrier()
            gather_send{ to = "master", size = 30 }
            copy{ to = "gpu", size = 10 }
            copy{ from = "gpu", size = 11, stream = 2, async = true }
            wait(compute{ device = "gpu", time = 1, stream = 2, occupancy = 0.5, async = true })
            local out, back = send_init{ to = rank, size = 3, tag = 9 }, recv_init{ from = rank, tag = 9 }
            startall{ out, back } waitall{ out, back }
            local w = win{}
            fence{ win = w } put{ win = w, to = 0, size = 1 } get{ win = w, to = 1, size = 2 }
            lock{ win = w, to = 2 } accumulate{ win = w, to = 2, size = 3 } flush{ win = w } unlock{ win = w, to = 2 }
            allgatherv{ counts = { 8, 7, 6, 5, 4, 3, 2, 1 } }
            read{ size = 20, storage = "disk" }
            write{ size = 30 }
            sleep(random())
        end }
        label{ "slave", count = 3, run = function()
            scatter_recv{ from = "master" }
            farm_worker{ from = "master" }
            farm_worker{ from = proc("master", 0) }
        end }
    "#;
    let mut script = recorded(source).application;

    let mut app = Builder::new("app");
    let n = app.param("n", 1000.0, "cells");
    let p = app.param("p", 8.0, "") as u64;
    let g = cart(&[p / 2, 2], true).expect("a grid");
    let half = Comm { label: None, members: vec![0, 2, 4, 6] };
    let options = LabelOptions { memory: 1_048_576.0, on: Some("node".to_owned()), start_s: 2.0 };
    app.label_with("master", 1, &options, move |process| {
        process.phase("start");
        process.scatter_send(&["cell", "slave"], 10);
        process.one2one_send("cell", 3, 20);
        process.p2p_send("cell", 30);
        process.gather_recv("cell");
        process.farm(FarmCall {
            tasks: n as u64,
            to: "slave",
            task_size: 1_000,
            result_size: 8,
            work: Compute { kind: "work", size: 5.0, ..Compute::default() },
            master_work: Some(Compute { time_s: Some(0.001), ..Compute::default() }),
            window: 2,
            schedule: Schedule::Guided,
        });
        process.farm(FarmCall {
            tasks: 7,
            to: "slave",
            task_size: 1,
            schedule: Schedule::Static,
            ..FarmCall::default()
        });
    });
    app.label("cell", p, move |process| {
        let rank = process.rank();
        let size = process.size() as f64;
        process.scatter_recv("master");
        process.one2one_recv("master");
        process.p2p_recv("master");
        let next = g.neighbor(rank, 1, 1).expect("inside").expect("periodic");
        let before = g.neighbor(rank, 1, -1).expect("inside").expect("periodic");
        process.r#loop(n as u64, |process| {
            let received = process.irecv(before, Any);
            process.send(next, 8 * n as u64, 3);
            process.wait(received);
            process.sendrecv(next, before, 1, 4);
            process.compute(Compute {
                kind: "stencil",
                size: n * n / size,
                complexity: "2*d*log2(n)",
                threads: 4.0,
                op: "single",
                stack: "C",
                opt: "O3",
                device: "gpu",
                bytes: 1_000.0,
                ..Compute::default()
            });
        });
        if rank == 0 {
            process.recv(Any, Any);
        }
        if rank == 3 {
            process.isend(0, 5, 0);
        }
        let sized = |size| CollectiveCall { size, ..CollectiveCall::default() };
        process.bcast(CollectiveCall { root: 2, ..sized(100) });
        process.reduce(CollectiveCall { root: 1, algorithm: Some("binomial"), ..sized(100) });
        process.scatter(sized(1));
        process.gather(sized(2));
        process.allgather(sized(3));
        process.alltoall(sized(4));
        process.reduce_scatter(sized(5));
        if rank % 2 == 0 {
            process.allreduce(CollectiveCall { comm: Some(&half), ..sized(6) });
        }
        let barrier = process.icollective(CollectiveKind::Barrier, sized(0));
        let bcast = process.icollective(CollectiveKind::Bcast, sized(4));
        process.waitall([barrier, bcast]);
        process.barrier(sized(0));
        process.gather_send(&["master"], 30);
        process.copy(CopyCall { device: "gpu", direction: Direction::ToDevice, size: 10, stream: 0 });
        process.launch_copy(CopyCall { device: "gpu", direction: Direction::FromDevice, size: 11, stream: 2 });
        let kernel = process.launch(Compute {
            device: "gpu",
            time_s: Some(1.0),
            stream: 2,
            occupancy: Some(0.5),
            ..Compute::default()
        });
        process.wait(kernel);
        let (out, back) = (process.send_init(rank, 3, 9), process.recv_init(rank, 9));
        process.start(out);
        process.start(back);
        process.wait_for_started(out);
        process.wait_for_started(back);
        let w = process.window();
        process.fence(w);
        process.put(w, 0, 1);
        process.get(w, 1, 2);
        process.lock(w, 2);
        process.accumulate(w, 2, 3);
        process.flush(w, None);
        process.unlock(w, 2);
        let counts = Counts::new(CollectiveKind::Allgather, p, (1..=8).rev().collect()).expect("one for each");
        process.allgather(CollectiveCall { counts: Some(&counts.into()), ..CollectiveCall::default() });
        process.read(Some("disk"), 20);
        process.write(None, 30);
        let seconds = process.random();
        process.sleep(seconds);
    });
    app.label("slave", 3, |process| {
        process.scatter_recv("master");
        process.farm_worker(proc("master", 0));
        process.farm_worker(proc("master", 0));
    });
    let rust = app.build().expect("the same application");

    // Rust has no lines, and its name is its file.
    for program in &mut script.programs {
        for (_, site) in &mut program.ops {
            *site = Site(0);
        }
    }
    for label in &mut script.labels {
        label.line = 0;
    }
    script.sites.truncate(1);
    script.file = "app".to_owned();
    assert!(script == rust, "{script:?}\n{rust:?}");
    // And it is what was said.
    assert_eq!(rust.farms.iter().map(|farm| (farm.tasks, farm.window)).collect::<Vec<_>>(), [(1000, 2), (7, 1)]);
    assert_eq!(ops(&rust, 9)[1..], [Op::FarmWorker(0), Op::FarmWorker(1)]);
    assert!(ops(&rust, 1).contains(&Op::One2OneRecv { label: 0, count: 20 }));
    let stencil = rust.blocks.iter().find(|block| block.kind == "stencil").expect("a block");
    assert_eq!(stencil.ops, 2.0 * 125_000.0 * 1000.0_f64.log2());
}

#[test]
fn the_names_of_the_paper() {
    let ours = recorded(
        r#"
        label{ "m", run = function()
            scatter_send{ to = { "s" }, size = "1kB" }; p2p_send{ to = "s", size = 5 }; one2one_send{ to = "s", size = 6, count = 7 }
            compute{ size = 100, type = "t", stack = "MPI", threads = 2, complexity = "d^2", op = "single", opt = "fast" }
        end }
        label{ "s", count = 2, run = function() scatter_recv{ from = "m" }; p2p_recv{ from = "m" }; one2one_recv{ from = "m" } end }
    "#,
    );
    let papers = recorded(
        r#"
        label{ "m", run = function()
            scatterSend("1kB", { "s" }); p2pCommunicationSend(5, "s"); one2oneCommunicationSend(6, "s", 7)
            computation(100, "t", "MPI", 2, "d^2", "single", "fast")
        end }
        label{ "s", count = 2, run = function() scatterReceive("m"); p2pCommunicationReceive("m"); one2oneCommunicationReceive("m") end }
    "#,
    );
    assert_eq!(ours.application, papers.application);
}

#[test]
fn grids_and_factors() {
    let log = recorded(
        r#"
        local g = cart{ 2, 3, 4, periodic = { false, true, false } }
        local c = g:coords(23); log(c[1], c[2], c[3]); log(g:rank{ 1, 2, 3 }, g:rank{ 1, 5, 3 }, g:rank{ 2, 0, 0 }, g:size())
        log(g:neighbor(0, 1, -1), g:neighbor(0, 2, -1), g:neighbor(0, 3, 1), g:neighbor(23, 3, 1), g:neighbor(0, 2, -4))
        for _, p in { 1, 7, 12, 36, 72, 1000, 1024 } do
            local two, three = dims(p, 2), dims(p, 3)
            log(p, two[1], two[2], three[1], three[2], three[3])
        end
        log(#dims(1024, 5), dims(1024, 5)[1], dims(1024, 5)[5])
        label{ "a", run = function() end }
    "#,
    )
    .application
    .log;
    assert_eq!(log[0], "1 2 3");
    assert_eq!(log[1], "23 23 nil 24");
    assert_eq!(log[2], "nil 8 1 nil 8");
    let factors = [
        "1 1 1 1 1 1",
        "7 7 1 7 1 1",
        "12 4 3 3 2 2",
        "36 6 6 4 3 3",
        "72 9 8 6 4 3",
        "1000 40 25 10 10 10",
        "1024 32 32 16 8 8",
    ];
    assert_eq!(log[3..10], factors);
    assert_eq!(log[10], "5 4 4");
}

#[test]
fn programs_are_kept_once() {
    // Periodic in three dimensions: at either edge or between, in each. Rank 0 is named as such by its six neighbors: three
    // are alone in their class anyway, three leave one.
    let source = r#"
        local q = param("q", 6)
        local g = cart{ q, q, q, periodic = true }
        label{ "cell", count = q^3, run = function(rank)
            loop(10, function()
                local all = {}
                for d = 1, 3 do for _, dir in { 1, -1 } do table.insert(all, irecv{ from = g:neighbor(rank, d, dir), tag = d }) end end
                for d = 1, 3 do for _, dir in { 1, -1 } do send{ to = g:neighbor(rank, d, dir), size = 8192, tag = d } end end
                waitall(all)
                compute{ time = 1e-4 }
            end)
        end }
    "#;
    let app = recorded(source).application;
    assert_eq!(app.programs.len(), 27 + 3);
    assert_eq!(app.programs[0].requests, 6);
    let source = "label{ \"a\", count = 2^53, run = function() loop(2^53, function() compute{ size = 1 } end) end }";
    let app = recorded(source).application;
    assert_eq!((app.processes(), app.programs.len()), (1 << 53, 1));
}

#[test]
fn random_numbers_depend_on_seed_and_process_alone() {
    let source = |before: &str| {
        format!(
            "{before}\nlabel{{ \"a\", count = 3, run = function(rank) log(random(), math.random(6), math.random(2, 3)) end }}"
        )
    };
    let first = recorded(&source("")).application.log;
    assert_eq!(recorded(&source("random()")).application.log, first);
    let other =
        record(&source(""), "app.luau", &BTreeMap::new(), &Limits { seed: 1, ..Limits::default() }).expect("recorded");
    assert_ne!(other.application.log, first);
    assert!(first[0] != first[1] && first[1] != first[2]);
    for line in &first {
        let numbers: Vec<f64> = line.split(' ').map(|text| text.parse().expect("a number")).collect();
        assert!(
            (0.0..1.0).contains(&numbers[0]) && (1.0..=6.0).contains(&numbers[1]) && (2.0..=3.0).contains(&numbers[2])
        );
    }
    let shared = recorded("label{ \"a\", count = 3, run = function() sleep(random()) end }");
    assert_eq!(shared.warnings[0].code, "random_shared");
}

#[test]
fn parameters() {
    let source = r#"
        local n, name, on, size = param("n", 10, "how many"), param("name", "x"), param("on", false), param("size", 1)
        log(n, name, on, size, param("n", 99))
        label{ "a", run = function() end }
    "#;
    let given = BTreeMap::from([
        ("n".to_owned(), Value::Number(3.0)),
        ("name".to_owned(), Value::Text("y".to_owned())),
        ("on".to_owned(), Value::Text("true".to_owned())),
        ("size".to_owned(), Value::Text("1.6MB".to_owned())),
        ("other".to_owned(), Value::Number(1.0)),
    ]);
    let recorded = record(source, "app.luau", &given, &Limits::default()).expect("recorded");
    assert_eq!(recorded.application.log, ["3 \"y\" true 1600000 3"].map(|line| line.replace('"', "")));
    assert_eq!(recorded.unused, ["other"]);
    let parameters = &recorded.application.parameters;
    assert_eq!((parameters[0].value, parameters[0].default, parameters[0].help.as_str()), (3.0, 10.0, "how many"));
    assert_eq!(parameters[1].text.as_deref(), Some("y"));
    let given = BTreeMap::from([("n".to_owned(), Value::Text("many".to_owned()))]);
    let problems = record(source, "app.luau", &given, &Limits::default()).err().expect("no number");
    assert_eq!(problems[0].message, "param: parameter `n` is set to `many`");
}

#[test]
fn errors_say_what_where_and_why() {
    let in_process =
        |call: &str| problem(&format!("label{{ \"cell\", count = 4, run = function(rank)\n  {call}\nend }}"));
    let cases = [
        ("send{ to = 4, size = 1 }", "send: rank 4 is outside label `cell`, which has ranks 0 to 3 (in cell[0])"),
        (
            "if rank == 2 then send{ to = -1, size = 1 } end",
            "send: rank -1 is outside label `cell`, which has ranks 0 to 3 (in cell[2])",
        ),
        ("send{ to = proc(\"cel\", 0), size = 1 }", "send: there is no label `cel` (in cell[0])"),
        ("send{ to = 1, size = -1 }", "send: `size` is -1 (in cell[0])"),
        ("send{ to = 1, size = 0/0 }", "send: `size` is not a number (in cell[0])"),
        ("send{ to = 1, size = \"1.6 MX\" }", "send: `size`"),
        ("send{ to = 1, siez = 1 }", "send: there is no argument `siez` (in cell[0])"),
        ("send{ to = 1 }", "send: `size` is missing (in cell[0])"),
        ("send{ size = 1 }", "send: `to` is missing (in cell[0])"),
        ("send{ to = 1, size = 1, tag = -1 }", "send: `tag` is -1 (in cell[0])"),
        ("send(1, 2)", "send: it got 2 values (in cell[0])"),
        ("recv{ }", "recv: `from` is missing (in cell[0])"),
        ("recv{ from = \"cell\" }", "recv: `from` is label `cell`, which has 4 processes (in cell[0])"),
        ("compute{ size = 1, op = \"half\" }", "compute: `op` is `half` (in cell[0])"),
        ("compute{ ops = -1 }", "compute: `ops` is -1 (in cell[0])"),
        ("compute{ size = 1, complexity = \"d^\" }", "compute: `complexity` is not a formula"),
        ("bcast{ size = 1, root = 4 }", "bcast: root 4 is outside the group (0 to 3) (in cell[0])"),
        ("icollective(\"broadcast\", {})", "icollective: there is no collective `broadcast` (in cell[0])"),
        ("local r = isend{ to = 1, size = 1 }; wait(r); wait(r)", "wait: this request was waited for before"),
        (
            "local r = isend{ to = 1, size = 1 }; loop(2, function() wait(r) end)",
            "wait: a request is made on one side of a loop",
        ),
        ("loop(2.5, function() end)", "loop: `n` is 2.5 (in cell[0])"),
        ("loop(2, function(i) end)", "loop: its function has a parameter"),
        ("farm_worker{ from = proc(\"cell\", 0) }", "farm_worker: `cell[0]` calls no farm{to = \"cell\"}"),
        ("one2one_recv{ from = \"cell\" }", "one2one_recv: receive 1 of `cell` has no send"),
        (
            "bcast{ size = 1, root = rank }",
            "processes of one group call different collectives: `cell[0]` calls bcast of 1 bytes, root 0 (app.luau:2), but `cell[1]` calls bcast of 1 bytes, root 1 (app.luau:2)",
        ),
        ("allreduce{ size = 1, comm = comm{ 1, 2 } }", "allreduce: rank 0 is not a member of the comm (in cell[0])"),
        ("local x = nil + 1", "attempt to perform arithmetic (add) on nil and number (in cell[0])"),
        ("error(\"no\")", "no (in cell[0])"),
        ("assert(rank < 3, \"too many\")", "too many (in cell[3])"),
    ];
    for (call, message) in cases {
        let problem = in_process(call);
        assert!(problem.message.starts_with(message), "{call}: {problem}");
        assert_eq!((problem.file.as_deref(), problem.line), (Some("app.luau"), Some(2)), "{call}: {problem}");
    }
    assert_eq!(in_process("send{ to = 1, siez = 1 }").hint.as_deref(), Some("did you mean `size`?"));
    assert_eq!(problem("local x = 1").message, "the script declares no processes");
    let syntax = problem("label{ \"a\",\n run = }");
    assert_eq!((syntax.line, syntax.code.as_str()), (Some(2), "script_error"));
}

#[test]
fn collectives_of_a_group_are_compared() {
    let differs = |body: &str| problem(&format!("label{{ \"a\", count = 4, run = function(rank)\n{body}\nend }}"));
    let order = "if rank < 3 then barrier(); allreduce{ size = 8 } else allreduce{ size = 8 }; barrier() end";
    assert_eq!(differs(order).code, "collectives_differ");
    assert_eq!(differs("loop(rank < 2 and 10 or 11, function() barrier() end)").code, "collectives_differ");
    assert_eq!(differs("if rank > 0 then barrier() end").code, "collectives_differ");
    let even = "local even = comm{ 0, 2 }\nif rank % 2 == 0 then loop(3, function() barrier{ comm = even } end) end\nif rank == 2 then barrier{ comm = even } end";
    assert_eq!(differs(even).code, "collectives_differ");
    // The same in other words is the same.
    let same =
        "if rank == 0 then loop(6, function() barrier() end) else loop(3, function() barrier(); barrier() end) end";
    recorded(&format!("label{{ \"a\", count = 4, run = function(rank)\n{same}\nend }}"));
}

#[test]
fn requests_that_nobody_waits_for_are_counted() {
    let recorded =
        recorded("label{ \"a\", count = 3, run = function(rank) isend{ to = 0, size = 1 }; irecv{ from = 0 } end }");
    assert_eq!(recorded.warnings[0].code, "requests_not_waited");
    assert!(recorded.warnings[0].message.starts_with("6 "), "{}", recorded.warnings[0].message);
}

/// End of a simulation, in ticks of 1 ns, and how many messages there were.
fn simulated(engine: Engine, recorded: &mut Recorded) -> (u64, u64) {
    let processes = recorded.application.processes() as u32;
    let (platform, world) = (Platform::uniform(processes, LogGops::default()), PlainWorld { processes });
    let budget = Budget::default();
    let job = Job { live: recorded.live.as_deref(), ..Job::new(&platform, &world, &budget) };
    let outcome = engine(&job, &mut recorded.application, &mut Blind).expect("it ends");
    (outcome.end, outcome.counts.messages)
}

#[test]
fn live_processes_take_the_same_time() {
    let timed = HEAT
        .replace("type=\"pack\", bytes=2*face", "time = 1e-6")
        .replace("type=\"stencil\", size=l^3", "time = 1e-4*(1 + rank/10)");
    let looking = timed.replace("local c, face", "local start = now(); local c, face");
    assert!(looking != timed);
    for engine in [plain::engine as Engine, flow::engine] {
        for p in [1.0, 8.0, 27.0] {
            let parameters = set(&[("p", p), ("iters", 5.0), ("n", 120.0)]);
            let mut recorded = record(&timed, "heat.luau", &parameters, &Limits::default()).expect("heat");
            let mut live = record(&looking, "heat.luau", &parameters, &Limits::default()).expect("heat");
            assert!(recorded.live.is_none() && live.live.is_some());
            assert_eq!(simulated(engine, &mut recorded), simulated(engine, &mut live), "p = {p}");
        }
    }
}

#[test]
fn a_live_master_and_its_slaves_end() {
    let script = MSLAVE
        .replace("type = \"collect\", size = result.size", "time = 1e-5")
        .replace("type = \"similarity\", size = 1e7", "time = 1e-3");
    for engine in [plain::engine as Engine, flow::engine] {
        let parameters = set(&[("tasks", 50.0), ("slaves", 4.0)]);
        let mut recorded = record(&script, "mslave.luau", &parameters, &Limits::default()).expect("mslave");
        let untouched = recorded.application.clone();
        let first = simulated(engine, &mut recorded);
        assert_eq!(first.1, 50 + 50 + 4, "jobs, results, ends");
        // 1.6 MB at 6 ns a byte: a job takes 9.6 ms to send and 1 ms to do. All but the first four, which may go together
        // where links are not shared, leave the master one after the other.
        assert!(first.0 >= 47 * 9_600_000 && first.0 < 51 * 11_000_000, "{}", first.0);
        recorded.application = untouched;
        assert_eq!(simulated(engine, &mut recorded), first, "once more");
    }
}
