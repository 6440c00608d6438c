//! Programs of others: exports to GOAL and to traces, and traces read.

use proptest::prelude::*;
use runcast_sim::application::{ANY_TAG, Block, Label, Op, Peer, Program, Programs, Site, Source};
use runcast_sim::budget::Budget;
use runcast_sim::job::Job;
use runcast_sim::outcome::Blind;
use runcast_sim::platform::{LogGops, Platform};
use runcast_sim::schedule::{Control, Parameters, replay};
use runcast_sim::ti::Text;
use runcast_sim::tick::NANOSECOND;
use runcast_sim::world::PlainWorld;
use runcast_sim::{Application, goal, plain, ti};

/// Odd values, so that events of different ranks do not meet by chance.
const ODD: LogGops = LogGops { L: 2503e-9, o: 1511e-9, g: 1009e-9, G: 6e-9, O: 1e-9, S: 3000 };

fn with_job<T>(application: &mut Application, act: impl FnOnce(&Job<'_>, &mut Application) -> T) -> T {
    let processes = application.processes() as u32;
    let (platform, world) = (Platform::uniform(processes, ODD), PlainWorld { processes });
    let budget = Budget::default();
    let job = Job::new(&platform, &world, &budget);
    act(&job, application)
}

fn finish(application: &mut Application) -> Option<Vec<u64>> {
    with_job(application, |job, application| {
        plain::engine(job, application, &mut Blind).ok().map(|outcome| outcome.finish)
    })
}

/// Each rank computes by another time, and exchanges with others by every kind of operation.
///
/// A wait in a trace names source, target and tag, and is for the oldest of these: requests are waited for in order.
fn applications(largest: u64, sleeps: bool) -> impl Strategy<Value = Application> {
    let step = (0_u64..5, 1_u64..5, 0..largest, any::<u8>());
    prop::collection::vec(step, 1..50).prop_map(move |steps| {
        let mut ops: Vec<Vec<Op>> = (0..5).map(|rank| vec![Op::Compute(rank)]).collect();
        let mut requests = [0_u32; 5];
        let mut waited = [0_u32; 5];
        for (from, offset, size, kind) in steps {
            let to = (from + offset) % 5;
            let (sender, receiver) = (from as usize, to as usize);
            if kind & 1 == 0 {
                ops[sender].push(Op::Compute(5 + u32::from(kind / 64)));
            }
            if sleeps && kind & 48 == 0 {
                ops[receiver].push(Op::Sleep((f64::from(kind) * 1.003e-6).to_bits()));
            }
            let partner = |process| Peer::Process(process);
            let tag = i64::from(kind % 3);
            let (send_request, receive_request) = (requests[sender], requests[receiver]);
            if kind & 4 == 0 {
                ops[sender].push(Op::Send { to: partner(to), size, tag });
            } else {
                ops[sender].push(Op::Isend { to: partner(to), size, tag, request: send_request, persistent: false });
                requests[sender] += 1;
                if kind & 128 == 0 {
                    // The receive of a message to itself may come later.
                    let until = if from == to { send_request } else { send_request + 1 };
                    ops[sender].extend((waited[sender]..until).map(|request| Op::Wait { request }));
                    waited[sender] = until;
                }
            }
            let from = if kind & 2 == 0 { Source::Any } else { Source::Peer(partner(from)) };
            let tag = if kind & 64 == 0 { ANY_TAG } else { tag };
            if kind & 8 == 0 {
                ops[receiver].push(Op::Recv { from, tag });
            } else {
                ops[receiver].push(Op::Irecv { from, tag, request: receive_request });
                requests[receiver] += 1;
            }
        }
        for rank in 0..5 {
            ops[rank].extend((waited[rank]..requests[rank]).map(|request| Op::Wait { request }));
        }
        let times = [101.0, 7_013.0, 20_011.0, 33_037.0, 0.0, 503.0, 1_201.0, 9_001.0, 77.0];
        Application {
            name: "test".to_owned(),
            file: "test.luau".to_owned(),
            labels: vec![Label::new("cell", 0, 5, Programs::PerRank((0..5).collect()))],
            programs: ops
                .into_iter()
                .zip(requests)
                .map(|(ops, requests)| Program { ops: ops.into_iter().map(|op| (op, Site(0))).collect(), requests })
                .collect(),
            // Operations rather than times: a world without a system takes a nanosecond for each.
            blocks: times.iter().map(|ops| Block { ops: *ops, ..Block::default() }).collect(),
            sites: vec![1],
            ..Application::default()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, max_global_rejects: 100_000, ..ProptestConfig::default() })]
    /// Two messages of one instant included: the schedule keeps the order of programs.
    #[test]
    fn an_exported_schedule_replays_to_the_same_ticks(mut application in applications(6_000, false)) {
        let played = finish(&mut application);
        prop_assume!(played.is_some());
        let exported = with_job(&mut application, |job, application| goal::export(application, job)).expect("exports");
        let mut text = String::new();
        goal::write(&exported.schedule, &mut text).expect("writes");
        let schedule = goal::parse(text.as_bytes(), "out.goal").expect("reads").schedule;
        let budget = Budget::default();
        let control = Control { tick: NANOSECOND, budget: &budget, line: &|_, _| None };
        let parameters = Parameters { loggops: ODD, as_loggopsim: false };
        let replayed = replay(&schedule, &parameters, &control).expect("plays");
        prop_assert_eq!(Some(replayed.finish), played);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, max_global_rejects: 100_000, ..ProptestConfig::default() })]
    #[test]
    fn exported_traces_are_the_same_program(mut application in applications(6_000, true)) {
        let played = finish(&mut application);
        prop_assume!(played.is_some());
        let exported = with_job(&mut application, |job, application| ti::export(application, job)).expect("exports");
        prop_assert!(ti::is_list(exported.files[0].1.as_bytes()));
        let files: Vec<Text<'_>> =
            exported.files[1..].iter().map(|(file, text)| Text { file, bytes: text.as_bytes() }).collect();
        let mut read = ti::parse(&files, "traces").expect("reads").application;
        // Words of a message's line: rank, verb, partner, tag, bytes, type. Receives have room for whatever comes.
        let lines: Vec<Vec<&str>> =
            exported.files[1..].iter().flat_map(|(_, text)| text.lines().map(|line| line.split(' ').collect())).collect();
        let number = |line: &[&str], at: usize| line[at].parse::<u64>().expect("a number");
        for receive in lines.iter().filter(|line| line[1].ends_with("recv")) {
            let sends = lines.iter().filter(|line| line[1].ends_with("send") && line[2] == receive[0]);
            let most = sends.map(|line| number(line, 4)).max().unwrap_or(0);
            prop_assert_eq!(number(receive, 4), most);
        }
        prop_assert_eq!(finish(&mut read), played);
    }
}

fn read(text: &str) -> Result<Application, runcast_core::Problem> {
    ti::parse(&[Text { file: "test.txt", bytes: text.as_bytes() }], "test").map(|parsed| parsed.application)
}

#[test]
fn every_action_is_read() {
    let text = "0 init\n1 init\n# a comment\n0 compute 1e3\n0 location main.c 3\n0 comm_size 2\n0 sleep 0.5\n0 isend 1 7 10 \
                0\n0 wait 0 1 7\n1 irecv 0 -444 10 0\n1 irecv -333 7 3\n1 waitall 2\n0 send 1 7 3\n1 test 0 1 7\n0 barrier\n1 \
                barrier\n0 bcast 5 1 1\n0 reduce 4 100 0 1\n0 allreduce 4 100 4\n0 alltoall 2 2 0 0\n0 allgather 3 3 2 2\n0 \
                gather 3 3 1 2 2\n0 scatter 3 3 1 2 2\n0 gatherv 1 1 2 0 0 0\n0 scatterv 1 2 1 1 0 0\n0 allgatherv 1 1 2 0 \
                0\n0 reducescatter 1 2 50 0\n0 alltoallv 3 1 2 3 1 2 6 6\n0 finalize\n1 finalize\n";
    let application = read(text).expect("reads");
    let sizes: Vec<u64> = application.collectives.iter().map(|call| call.size).collect();
    // Barrier, bcast, reduce, allreduce, alltoall, allgather, gather, scatter, then those with a count for each rank.
    assert_eq!(sizes, [0, 20, 16, 32, 32, 6, 6, 6, 24, 24, 24, 24]);
    assert_eq!(application.programs[0].ops[0].0, Op::Compute(0));
    assert_eq!(application.blocks[0].ops, 1e3);
    assert_eq!(
        application.programs[0].ops[2].0,
        Op::Isend { to: Peer::Offset(1), size: 80, tag: 7, request: 0, persistent: false }
    );
    assert_eq!(application.programs[1].ops[3].0, Op::Wait { request: 1 });
    let alltoallv = &application.programs[0].ops[application.programs[0].ops.len() - 8..];
    assert!(alltoallv.iter().all(|(op, _)| matches!(op, Op::Isend { .. } | Op::Irecv { .. } | Op::Wait { .. })));
}

#[test]
fn errors_name_the_line() {
    let bad = |text: &str| {
        let problem = read(text).expect_err(text);
        assert_eq!(problem.file.as_deref(), Some("test.txt"), "{text}");
        (problem.code, problem.line.unwrap_or(0))
    };
    let told = |code: &str, line| (code.to_owned(), line);
    assert_eq!(bad(""), told("empty", 0));
    assert_eq!(bad("0 init\nx init"), told("not_a_number", 2));
    assert_eq!(bad("0 init\n0 fly 3"), told("unknown_action", 2));
    assert_eq!(bad("0 init\n0"), told("missing", 2));
    assert_eq!(bad("0 compute"), told("missing", 1));
    assert_eq!(bad("0 compute -1"), told("negative", 1));
    assert_eq!(bad("0 compute nan"), told("not_a_number", 1));
    assert_eq!(bad("0 send 1 0 5"), told("bad_rank", 1));
    assert_eq!(bad("0 send -5 0 5"), told("bad_rank", 1));
    assert_eq!(bad("0 send -333 0 5"), told("bad_rank", 1));
    assert_eq!(bad("0 send 0 0 1e300"), told("too_many_bytes", 1));
    assert_eq!(bad("0 send 0 0 5 13"), told("unknown_type", 1));
    assert_eq!(bad("0 bcast 5 3"), told("bad_rank", 1));
    assert_eq!(bad("1000000000 init"), told("missing_ranks", 0));
    assert_eq!(bad("0 alltoallv 3"), told("missing", 1));
}

proptest! {
    #[test]
    fn any_lines_are_an_error_or_an_application(
        text in "([0-2] (init|compute|send|isend|recv|irecv|wait|waitall|bcast|gatherv|alltoallv|reduce|allgather) ?(-?[0-9]{1,3} ?){0,6}\n){0,12}"
    ) {
        let _ = read(&text);
    }
}
