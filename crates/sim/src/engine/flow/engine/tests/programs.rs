//! Small situations with times that follow by hand.

use super::stage::{application, irecv, isend, plain_star, play, play_in, recv, seconds, send, star, wait};
use crate::application::{ANY_TAG, Collective, CollectiveKind, Group, Op, Peer, Source};
use crate::outcome::{Activity, Cause, Delivered, Interval, Observer};
use crate::platform::{NetworkLaw, Segment};
use crate::world::PlainWorld;

const US: u64 = 1_000_000;

#[derive(Default)]
struct Watch {
    intervals: Vec<(u32, Interval)>,
    delivered: Vec<Delivered>,
}

impl Observer for Watch {
    fn interval(&mut self, process: u32, interval: Interval) {
        self.intervals.push((process, interval));
    }

    fn delivered(&mut self, message: Delivered) {
        self.delivered.push(message);
    }
}

/// 0.5 us and 1 ns a byte on both sides; eager below 1,000 B, detached below 10,000 B.
fn law() -> NetworkLaw {
    let segment = Segment {
        send_overhead_s: 0.5e-6,
        send_overhead_per_byte_s: 1e-9,
        recv_overhead_s: 0.5e-6,
        recv_overhead_per_byte_s: 1e-9,
        ..Segment::default()
    };
    NetworkLaw { segments: vec![segment], eager_limit: 1000, detach_limit: 10_000, ..NetworkLaw::plain("law") }
}

#[test]
fn eager_detached_and_rendezvous_against_a_late_receive() {
    let platform = star(2, (1e9, 1e-6), None, (1e9, 1e-6), law());
    let blocks = vec![seconds(20e-6)];
    // 500 B: overhead 1 us, latency 2 us, transfer 0.5 us: there at 3.5 us, taken at 20 us for 1 us.
    let mut app = application(vec![vec![send(1, 500)], vec![Op::Compute(0), recv(0)]], blocks.clone());
    let outcome = play(&platform, &mut app).expect("runs");
    assert_eq!(outcome.finish, [US, 21 * US]);
    // 2,000 B: sender busy 2.5 us; the transfer starts at 20 us, takes 4 us, and 2.5 us to take.
    let mut app = application(vec![vec![send(1, 2000)], vec![Op::Compute(0), recv(0)]], blocks.clone());
    let outcome = play(&platform, &mut app).expect("runs");
    assert_eq!(outcome.finish, [5 * US / 2, 53 * US / 2]);
    // 10,000 B: both at 20 + 2 + 10 us.
    let mut app = application(vec![vec![send(1, 10_000)], vec![Op::Compute(0), recv(0)]], blocks);
    let outcome = play(&platform, &mut app).expect("runs");
    assert_eq!(outcome.finish, [32 * US, 32 * US]);
    assert_eq!(outcome.labels[0].ticks[Activity::Wait as usize], u128::from(20 * US));
    assert_eq!(outcome.labels[0].ticks[Activity::Transfer as usize], u128::from(24 * US));
    assert_eq!(outcome.devices[1].computing, [(1.0, u128::from(20 * US))]);
    assert_eq!(outcome.devices[0].blocked, u128::from(32 * US));
}

#[test]
fn a_message_is_taken_between_two_blocks() {
    // There at 3.5 us, in the first block; taken before the second, though it is waited for after it.
    let platform = star(2, (1e9, 1e-6), None, (1e9, 1e-6), law());
    let program = vec![irecv(0, 0), Op::Compute(0), Op::Compute(0), wait(0)];
    let mut app = application(vec![vec![send(1, 500)], program], vec![seconds(10e-6)]);
    let mut watch = Watch::default();
    let outcome = play_in(&platform, &mut app, &PlainWorld { processes: 2 }, &mut watch).expect("runs");
    assert_eq!(outcome.finish, [US, 21 * US]);
    let activities: Vec<(Activity, u64, u64)> = watch
        .intervals
        .iter()
        .filter(|(process, _)| *process == 1)
        .map(|(_, interval)| (interval.activity, interval.from, interval.to))
        .collect();
    let expected = [
        (Activity::Compute, 0, 10 * US),
        (Activity::Overhead, 10 * US, 11 * US),
        (Activity::Compute, 11 * US, 21 * US),
    ];
    assert_eq!(activities, expected);
    assert_eq!(watch.delivered, [Delivered { from: 0, to: 1, size: 500, sent: 0, received: 11 * US }]);
}

#[test]
fn a_wait_tells_who_was_late_and_what_was_slow() {
    // 0 computes 5 us, then sends 1 MB: 2 us and 1 ms.
    let mut app = application(vec![vec![Op::Compute(0), send(1, 1_000_000)], vec![recv(0)]], vec![seconds(5e-6)]);
    let mut watch = Watch::default();
    let outcome = play_in(&plain_star(2), &mut app, &PlainWorld { processes: 2 }, &mut watch).expect("runs");
    assert_eq!(outcome.end, 1007 * US);
    let of_receiver: Vec<&Interval> = watch.intervals.iter().filter(|(who, _)| *who == 1).map(|(_, i)| i).collect();
    assert_eq!((of_receiver[0].activity, of_receiver[0].to), (Activity::Wait, 5 * US));
    assert_eq!(of_receiver[0].cause, Some(Cause { process: 0, at: 5 * US, link: None }));
    assert_eq!((of_receiver[1].activity, of_receiver[1].to), (Activity::Transfer, 1007 * US));
    assert_eq!(of_receiver[1].cause.and_then(|cause| cause.link), Some(0));
    assert_eq!(outcome.links[0].busy, 1000 * US);
    assert_eq!(outcome.links[3].bytes, 1e6);
}

#[test]
fn messages_of_one_source_and_tag_do_not_overtake() {
    // A long one and a short one: the first receive gets the long one, though it is later.
    let program = vec![irecv(0, 0), irecv(0, 1), wait(1), wait(0)];
    let mut app = application(vec![vec![isend(1, 1_000_000, 0), isend(1, 1, 1), wait(0), wait(1)], program], vec![]);
    let mut watch = Watch::default();
    play_in(&plain_star(2), &mut app, &PlainWorld { processes: 2 }, &mut watch).expect("runs");
    assert_eq!(watch.delivered.iter().map(|message| message.size).collect::<Vec<_>>(), [1, 1_000_000]);
}

#[test]
fn wildcards_take_the_oldest_that_fits() {
    let any = |tag| Op::Recv { from: Source::Any, tag };
    let tagged = |to, tag| Op::Send { to: Peer::Process(to), size: 1, tag };
    let program = vec![Op::Compute(0), any(5), any(ANY_TAG), any(ANY_TAG)];
    let programs = vec![program, vec![tagged(0, 3), tagged(0, 4)], vec![Op::Compute(1), tagged(0, 5)]];
    let mut app = application(programs, vec![seconds(1.0), seconds(0.5)]);
    let mut watch = Watch::default();
    let outcome = play_in(&plain_star(3), &mut app, &PlainWorld { processes: 3 }, &mut watch).expect("runs");
    assert_eq!(watch.delivered.iter().map(|message| message.from).collect::<Vec<_>>(), [2, 1, 1]);
    assert!(outcome.warnings.is_empty());
}

#[test]
fn messages_and_requests_that_are_left_are_reported() {
    let mut app = application(vec![vec![isend(1, 10, 0), isend(1, 10, 1)], vec![]], vec![]);
    let outcome = play(&plain_star(2), &mut app).expect("runs");
    assert_eq!(
        outcome.warnings.iter().map(|warning| warning.code.as_str()).collect::<Vec<_>>(),
        ["never_received", "never_waited"]
    );
}

#[test]
fn a_circle_of_receives_is_named() {
    let mut app = application(vec![vec![recv(1)], vec![recv(2)], vec![recv(0)], vec![]], vec![]);
    let problem = play(&plain_star(4), &mut app).expect_err("no process sends");
    assert_eq!(problem.code, "deadlock");
    assert!(
        problem.message.contains("rank[0] recv from rank[1] tag 0 (hand.luau:7) <- rank[1] recv"),
        "{}",
        problem.message
    );
}

#[test]
fn large_sends_to_each_other_block_for_ever() {
    let law = NetworkLaw { eager_limit: 10, detach_limit: 10, ..NetworkLaw::plain("law") };
    let platform = star(2, (1e9, 1e-6), None, (1e9, 1e-6), law);
    let programs = vec![vec![send(1, 10), recv(1)], vec![send(0, 10), recv(0)]];
    assert_eq!(play(&platform, &mut application(programs, vec![])).expect_err("no receive").code, "deadlock");
    let programs = vec![vec![send(1, 9), recv(1)], vec![send(0, 9), recv(0)]];
    assert!(play(&platform, &mut application(programs, vec![])).is_ok());
}

#[test]
fn ten_thousand_processes_pass_an_empty_message_on_without_time() {
    // Without latency all happens at once: one after the other, and not one inside the other.
    let count = 10_000u64;
    let programs = (0..count)
        .map(|own| {
            let mut ops = Vec::new();
            if own > 0 {
                ops.push(recv(own - 1));
            }
            if own + 1 < count {
                ops.push(send(own + 1, 0));
            }
            ops
        })
        .collect();
    let platform = star(count as u32, (1e9, 0.0), None, (1e9, 0.0), NetworkLaw::plain("law"));
    let outcome = play(&platform, &mut application(programs, vec![])).expect("runs");
    assert_eq!(outcome.end, 0);
    assert_eq!(outcome.counts.messages, count - 1);
}

#[test]
fn a_receive_of_any_tag_takes_no_message_of_a_collective() {
    // The barrier comes first; what is sent behind it is for the receive. At all levels alike: tags of collectives are below 0.
    let any = Op::Irecv { from: Source::Any, tag: ANY_TAG, request: 0 };
    let mut app =
        application(vec![vec![any, Op::Collective(0), wait(0)], vec![Op::Collective(0), send(0, 500)]], Vec::new());
    app.groups = vec![Group { label: 0, members: None }];
    app.collectives =
        vec![Collective { kind: CollectiveKind::Barrier, size: 0, root: 0, group: 0, algorithm: None, counts: None }];
    let mut watch = Watch::default();
    play_in(&plain_star(2), &mut app, &PlainWorld { processes: 2 }, &mut watch).expect("runs");
    let last = watch.delivered.last().expect("messages");
    assert_eq!((last.to, last.size), (0, 500));
}
