//! Held against a plain solver that starts from nothing at every change, and against numbers.

use super::*;
use crate::tick::{NANOSECOND, PICOSECOND};
use proptest::prelude::*;

fn link(bandwidth: f64, shared: bool) -> Link {
    Link { name: String::new(), network: 0, bandwidth, latency_s: 0.0, shared }
}

/// Start, route, bytes, limit.
type Planned = (Tick, Vec<LinkId>, f64, f64);

/// Flows of the slow way: route, limit, what is left, whether it has started and ended.
#[derive(Clone)]
struct Plain {
    route: Vec<LinkId>,
    limit: f64,
    left: f64,
    running: bool,
}

/// All rates are raised together until a link is full, or a limit is reached; then again for the rest.
fn plain_rates(links: &[Link], flows: &[Plain]) -> Vec<f64> {
    let mut rates = vec![0.0; flows.len()];
    let mut open: Vec<bool> = flows.iter().map(|flow| flow.running).collect();
    let mut level = 0.0;
    while open.iter().any(|open| *open) {
        let mut next = f64::INFINITY;
        for (flow, _) in flows.iter().zip(&open).filter(|(_, open)| **open) {
            next = next.min(flow.limit);
            for at in &flow.route {
                if !links[*at as usize].shared {
                    next = next.min(links[*at as usize].bandwidth);
                }
            }
        }
        for (at, link) in links.iter().enumerate().filter(|(_, link)| link.shared) {
            let crosses = |flow: &Plain| flow.route.contains(&(at as u32));
            let fixed: f64 = (0..flows.len()).filter(|f| !open[*f] && crosses(&flows[*f])).map(|f| rates[f]).sum();
            let count = (0..flows.len()).filter(|f| open[*f] && crosses(&flows[*f])).count();
            if count > 0 {
                next = next.min((link.bandwidth - fixed) / count as f64);
            }
        }
        level = f64::max(level, next);
        let mut stopped = false;
        let full: Vec<bool> = links
            .iter()
            .enumerate()
            .map(|(at, link)| {
                let sum: f64 = (0..flows.len())
                    .filter(|f| flows[*f].route.contains(&(at as u32)))
                    .map(|f| if open[f] { level } else { rates[f] })
                    .sum();
                link.shared && sum >= link.bandwidth * (1.0 - 1e-12)
            })
            .collect();
        for (f, flow) in flows.iter().enumerate() {
            let alone = flow
                .route
                .iter()
                .map(|at| &links[*at as usize])
                .filter(|link| !link.shared)
                .fold(flow.limit, |least, link| least.min(link.bandwidth));
            if open[f] && (alone <= level * (1.0 + 1e-12) || flow.route.iter().any(|at| full[*at as usize])) {
                rates[f] = level;
                open[f] = false;
                stopped = true;
            }
        }
        assert!(stopped, "the plain solver stands still");
    }
    rates
}

/// Runs flows that start at given ticks by both solvers; the ends of both.
fn both(links: &[Link], flows: &[Planned]) -> Result<Vec<(Tick, f64)>, TestCaseError> {
    let mut sharing = Sharing::new(links, NANOSECOND);
    let mut starts: Vec<usize> = (0..flows.len()).collect();
    starts.sort_by_key(|f| flows[*f].0);
    let numbers: Vec<FlowId> =
        flows.iter().enumerate().map(|(f, flow)| sharing.prepare(&flow.1, flow.2, flow.3, f as u32)).collect();
    let mut plain: Vec<Plain> =
        flows.iter().map(|flow| Plain { route: flow.1.clone(), limit: flow.3, left: flow.2, running: false }).collect();
    let mut ends = vec![(0, 0.0); flows.len()];
    // Both run on their own clocks: the plain one on fractions of ticks.
    let mut at = 0;
    let mut clock = 0.0;
    let mut left = flows.len();
    let mut events = 0;
    let mut plain_order = starts.clone();
    while left > 0 {
        let rates = plain_rates(links, &plain);
        let end = (0..flows.len())
            .filter(|f| plain[*f].running)
            .map(|f| (clock + plain[f].left / rates[f] * 1e9, f))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let start = plain_order.first().map(|f| flows[*f].0 as f64);
        let to = match (start, end) {
            (Some(start), Some((end, _))) => start.min(end),
            (Some(start), None) => start,
            (None, Some((end, _))) => end,
            (None, None) => break,
        };
        for f in 0..flows.len() {
            if plain[f].running {
                plain[f].left -= rates[f] * (to - clock) * 1e-9;
            }
        }
        clock = to;
        if start == Some(to) {
            let f = plain_order.remove(0);
            plain[f].running = true;
        } else if let Some((_, f)) = end {
            plain[f].running = false;
            ends[f].1 = clock;
            left -= 1;
        }
    }
    let mut done = Vec::new();
    let mut alive = flows.len();
    for flow in &mut plain {
        flow.running = false;
    }
    while alive > 0 {
        let next_start = starts.get(at).map(|f| flows[*f].0);
        let next_end = sharing.next_end();
        let Some(now) = [next_start, next_end].into_iter().flatten().min() else { break };
        if next_end == Some(now) {
            done.clear();
            sharing.take_ended(now, &mut done);
            for ended in &done {
                ends[ended.who as usize].0 = now;
                plain[ended.who as usize].running = false;
                alive -= 1;
            }
        }
        while let Some(f) = starts.get(at).copied().filter(|f| flows[*f].0 == now) {
            sharing.start(now, numbers[f], f as u64, flows[f].2);
            plain[f].running = true;
            at += 1;
        }
        sharing.settle(now);
        // The rates are those that the plain solver gives for the same set.
        let rates = plain_rates(links, &plain);
        for f in (0..flows.len()).filter(|f| plain[*f].running) {
            let rate = sharing.rate(numbers[f]);
            prop_assert!((rate / rates[f] - 1.0).abs() < 1e-9, "flow {f} at {now}: {rate} is not {}", rates[f]);
            if let Some(bottleneck) = sharing.bottleneck(numbers[f]) {
                prop_assert!(flows[f].1.contains(&bottleneck));
            }
        }
        events += 1;
        prop_assert!(events < 10 * flows.len() + 10, "too many events");
    }
    prop_assert_eq!(alive, 0);
    Ok(ends)
}

fn graphs() -> impl Strategy<Value = (Vec<Link>, Vec<Planned>)> {
    let links = prop::collection::vec((1u32..6, any::<bool>(), 0u8..4), 1..8);
    links.prop_flat_map(|links| {
        let count = links.len() as u32;
        // Round and crooked bandwidths, now and then not shared.
        let links: Vec<Link> = links
            .into_iter()
            .map(|(size, round, shared)| {
                link(if round { f64::from(size) * 1e8 } else { f64::from(size) * 0.777e8 + 3.3 }, shared > 0)
            })
            .collect();
        let flow = (
            0u64..3_000_000,
            prop::collection::vec(0..count, 1..4),
            1u32..200_000,
            prop_oneof![3 => Just(f64::INFINITY), 1 => (1u32..30).prop_map(|limit| f64::from(limit) * 1e7)],
        )
            .prop_map(|(start, route, bytes, limit)| {
                // Some start together.
                (if start % 3 == 0 { 1000 } else { start }, route, f64::from(bytes), limit)
            });
        (Just(links), prop::collection::vec(flow, 1..40))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn rates_and_ends_are_those_of_filling_from_nothing((links, flows) in graphs()) {
        // A link that comes twice counts once.
        let ends = both(&links, &flows)?;
        for (ours, plain) in ends {
            // Each end is rounded to a tick of 1 ns, and moves those behind it: a few ticks for 40 flows.
            prop_assert!((ours as f64 - plain).abs() <= 40.0 + 1e-9 * plain, "{ours} is not {plain}");
        }
    }
}

/// Hosts of two switches: a link up and one down for each, and one each way between the switches; all flows may be joined.
fn switches() -> impl Strategy<Value = (Vec<Link>, Vec<Planned>)> {
    (3u32..9, prop::bool::ANY, 1u32..4).prop_flat_map(|(hosts, are_alike, trunk)| {
        let mut links: Vec<Link> = Vec::new();
        for at in 0..2 * hosts {
            links.push(link(if are_alike { 1e8 } else { 1e8 + 0.137e8 * f64::from(at * at % 7) }, true));
        }
        links.extend([link(0.9e8 * f64::from(trunk), true), link(1.1e8 * f64::from(trunk), true)]);
        let limit = prop_oneof![4 => Just(f64::INFINITY), 1 => (1u32..9).prop_map(|limit| f64::from(limit) * 1e7)];
        let flow =
            (0u64..400_000, 0..hosts, 1..hosts, 1u32..50, limit).prop_map(move |(start, from, far, bytes, limit)| {
                let to = (from + far) % hosts;
                let mut route = vec![from, hosts + to];
                if (from < hosts / 2) != (to < hosts / 2) {
                    route.push(2 * hosts + u32::from(from < hosts / 2));
                }
                (start / 100_000 * 100_000, route, f64::from(bytes) * 1e3, limit)
            });
        (Just(links), prop::collection::vec(flow, 1..90))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_changes_spreads_as_far_as_it_must((links, flows) in switches()) {
        let ends = both(&links, &flows)?;
        for (ours, plain) in ends {
            prop_assert!((ours as f64 - plain).abs() <= 90.0 + 1e-9 * plain, "{ours} is not {plain}");
        }
    }
}

#[test]
fn three_flows_over_two_links() {
    // Spec section 5: A 10 MB/s, B 4 MB/s; A: 70 MB, A and B: 34 MB, B: 10 MB.
    let links = [link(10e6, true), link(4e6, true)];
    let mut sharing = Sharing::new(&links, PICOSECOND);
    for (number, (route, bytes)) in [(&[0][..], 70e6), (&[0, 1], 34e6), (&[1], 10e6)].into_iter().enumerate() {
        let flow = sharing.prepare(route, bytes, f64::INFINITY, number as u32);
        sharing.start(0, flow, number as u64, bytes);
    }
    let mut ends = Vec::new();
    let mut now = 0;
    sharing.settle(now);
    while let Some(next) = sharing.next_end() {
        now = next;
        let mut ended = Vec::new();
        sharing.take_ended(now, &mut ended);
        ends.extend(ended.iter().map(|ended| (ended.who, now)));
        sharing.settle(now);
    }
    let second = 1_000_000_000_000;
    assert_eq!(ends, [(2, 5 * second), (0, 10 * second), (1, 11 * second)]);
    assert_eq!(sharing.account(now, 0), (104e6, 11 * second));
    assert_eq!(sharing.account(now, 1), (44e6, 11 * second));
}

#[test]
fn no_drift_over_ten_million_changes() {
    // One long flow, and beside it one after the other: between two changes the long one gets a third (two others) or a half.
    let capacity = 1e9;
    let links = [link(capacity, true), link(capacity, true)];
    let mut sharing = Sharing::new(&links, PICOSECOND);
    let changes = 10_000_000u64;
    let mut sequence = 0;
    let mut begin = |sharing: &mut Sharing, now: Tick, bytes: f64| {
        let flow = sharing.prepare(&[0, 1], bytes, f64::INFINITY, sequence as u32);
        sharing.start(now, flow, sequence, bytes);
        sequence += 1;
        flow
    };
    // Short flows of 0.3 bytes start every 700 ticks and end after 600 at a half, the rest is alone: 100 ticks at the full rate.
    let long = begin(&mut sharing, 0, 6e6);
    let mut ended = Vec::new();
    for step in 0..changes / 2 {
        let now = step * 700;
        begin(&mut sharing, now, 0.3);
        sharing.settle(now);
        assert_eq!(sharing.next_end(), Some(now + 600));
        ended.clear();
        sharing.take_ended(now + 600, &mut ended);
        assert_eq!(ended.len(), 1);
        sharing.settle(now + 600);
    }
    // So far 0.3 bytes at a half and 0.1 alone, each time: 0.4 * 5e6.
    let now = changes / 2 * 700;
    assert!((sharing.left(now, long) - 4e6).abs() < 1e-3, "{}", sharing.left(now, long));
    let exact = now + 4_000_000_000;
    let end = sharing.next_end().expect("the long one");
    assert!(end.abs_diff(exact) <= 1, "{end} is not {exact}");
}

#[test]
fn ten_thousand_flows_on_one_link_are_never_solved_together() {
    // A star: a link of the master, one of each slave; flows come and go.
    let slaves = 10_000;
    let links: Vec<Link> = (0..=slaves).map(|_| link(1.25e9, true)).collect();
    let mut sharing = Sharing::new(&links, PICOSECOND);
    let mut ended = Vec::new();
    for round in 0..3u64 {
        for slave in 1..=slaves {
            let flow = sharing.prepare(&[0, slave], 1e5 + f64::from(slave), f64::INFINITY, slave);
            let now = round * 1_000_000_000_000 + u64::from(slave);
            sharing.start(now, flow, u64::from(slave), 1.0);
            sharing.settle(now);
        }
        while let Some(now) = sharing.next_end() {
            sharing.take_ended(now, &mut ended);
            sharing.settle(now);
        }
        // All through the master's link: the sum of the bytes at 1.25 GB/s.
        assert_eq!(ended.len(), slaves as usize * (round as usize + 1));
    }
    assert_eq!(sharing.fills(), 0);
}
