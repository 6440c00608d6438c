//! Paths that follow by hand.

use super::*;
use crate::application::{Application, Block, Label, Op, Peer, Program, Programs};
use crate::outcome::Cause;
use crate::platform::{Endpoint, Link, NetworkLaw, Platform, Routing};
use crate::tick::NANOSECOND;
use crate::world::PlainWorld;

#[derive(Debug)]
struct OneLink;

impl Routing for OneLink {
    fn route(&self, from: Endpoint, to: Endpoint, _: Option<u32>, links: &mut Vec<u32>) -> u32 {
        if from != to {
            links.push(0);
        }
        0
    }
}

fn platform() -> Platform {
    let link = Link { name: "net: up 3".to_owned(), network: 0, bandwidth: 1e9, latency_s: 100e-9, shared: true };
    Platform { machines: 2, links: vec![link], routing: Box::new(OneLink), laws: vec![NetworkLaw::plain("net")] }
}

fn application() -> Application {
    let label = |name: &str, first| Label::new(name, first, 1, Programs::Same(0));
    let ops = vec![(Op::Compute(0), Site(0)), (Op::Send { to: Peer::Process(1), size: 400, tag: 0 }, Site(1))];
    Application {
        file: "x.luau".to_owned(),
        labels: vec![label("a", 0), label("b", 1)],
        programs: vec![Program { ops, requests: 0 }],
        blocks: vec![Block { kind: "sort".to_owned(), ..Block::default() }],
        sites: vec![3, 4],
        ..Application::default()
    }
}

fn interval(activity: Activity, from: Tick, to: Tick, site: u32, cause: Option<(u32, Tick)>) -> Interval {
    let cause = cause.map(|(process, at)| Cause { process, at, link: None });
    Interval { activity, collective: false, from, to, site: Site(site), phase: None, cause }
}

/// a computes 1000 ns, sends 400 B (100 ns latency, 400 ns of bytes); b waits for it and computes 500.
fn watched() -> Watch {
    let mut watch = Watch::new();
    watch.interval(0, interval(Activity::Compute, 0, 600, 0, None));
    watch.interval(0, interval(Activity::Compute, 600, 1000, 0, None));
    watch.interval(1, interval(Activity::Wait, 0, 1000, 1, Some((0, 1000))));
    watch.interval(1, interval(Activity::Transfer, 1000, 1500, 1, Some((0, 1000))));
    watch.delivered(Delivered { from: 0, to: 1, size: 400, sent: 1000, received: 1500 });
    watch.interval(1, interval(Activity::Compute, 1500, 2000, 0, None));
    watch
}

fn steps(watch: &Watch, most: usize) -> Vec<Step> {
    let (application, platform, world) = (application(), platform(), PlainWorld { processes: 2 });
    let context = Context { application: &application, platform: &platform, world: &world, tick: NANOSECOND };
    watch.path(&context).expect("a path").steps(most, NANOSECOND)
}

#[test]
fn the_path_goes_through_the_message_to_its_sender() {
    let steps = steps(&watched(), 10);
    let found: Vec<_> = steps.iter().map(|step| (step.kind, step.what.as_str(), step.share)).collect();
    assert_eq!(
        found,
        [
            (Kind::Compute, "sort of a (x.luau:3)", 0.5),
            (Kind::Compute, "sort of b (x.luau:3)", 0.25),
            (Kind::Link, "net: up", 0.2),
            (Kind::Latency, "net", 0.05),
        ]
    );
    assert_eq!(steps.iter().map(|step| step.time_s).sum::<f64>(), 2e-6);
}

#[test]
fn a_message_that_was_under_way_before_its_receiver_waited_leads_to_its_sender_too() {
    let mut watch = Watch::new();
    watch.interval(0, interval(Activity::Compute, 0, 200, 0, None));
    watch.interval(1, interval(Activity::Compute, 0, 300, 0, None));
    watch.interval(1, interval(Activity::Transfer, 300, 700, 1, Some((0, 200))));
    watch.delivered(Delivered { from: 0, to: 1, size: 400, sent: 200, received: 700 });
    let steps = steps(&watch, 10);
    assert_eq!(steps[0].what, "net: up");
    assert!((steps[0].share - 4.0 / 7.0).abs() < 1e-12);
    assert!((steps.iter().map(|step| step.share).sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(steps.iter().all(|step| !step.what.contains("of b")), "what b did meanwhile is not on the path: {steps:?}");
}

#[test]
fn what_is_beyond_the_most_is_told_together_and_shares_still_add_to_one() {
    let steps = steps(&watched(), 1);
    assert_eq!(steps.len(), 4, "{steps:?}");
    assert_eq!(steps[1].what, "1 others");
    assert!((steps.iter().map(|step| step.share).sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn processes_that_cause_each_other_at_one_moment_do_not_keep_the_walk() {
    let mut watch = Watch::new();
    watch.interval(0, interval(Activity::Wait, 0, 100, 0, Some((1, 100))));
    watch.interval(1, interval(Activity::Wait, 0, 100, 0, Some((0, 100))));
    let steps = steps(&watch, 10);
    assert_eq!((steps.len(), steps[0].kind, steps[0].share), (1, Kind::Wait, 1.0));
}
