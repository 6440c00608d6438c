//! Patterns of messages beside SimGrid SMPI (`testdata/sim/simgrid/patterns.csv`; what they are: `benches/peers/simgrid`).

use super::stage::{application, ethernet, galera, irecv, isend, play, recv, seconds, send, wait};
use crate::application::Op;
use crate::tick::PICOSECOND;

fn programs(pattern: &str, count: u64, size: u64) -> Vec<Vec<Op>> {
    let others = |own: u64, sign: i64| {
        let around = move |other: i64| (own as i64 + sign * other).rem_euclid(count as i64) as u64;
        (1..count as i64).map(around)
    };
    let posted = |own: u64| others(own, -1).enumerate().map(|(request, from)| irecv(from, request as u32));
    let all = |requests: u64| (0..requests as u32).map(wait);
    let one = |own: u64| -> Vec<Op> {
        match pattern {
            "gather_burst" if own > 0 => vec![send(0, size)],
            "gather_burst" => (1..count).map(|from| irecv(from, from as u32 - 1)).chain(all(count - 1)).collect(),
            "ring" => {
                let round = [irecv((own + count - 1) % count, 0), send((own + 1) % count, size), wait(0)];
                vec![round; 3].concat()
            }
            "one_by_one" => posted(own).chain(others(own, 1).map(|to| send(to, size))).chain(all(count - 1)).collect(),
            "many_to_many" => {
                let first = count as u32 - 1;
                let sends = others(own, 1).enumerate().map(|(at, to)| isend(to, size, first + at as u32));
                posted(own).chain(sends).chain(all(2 * (count - 1))).collect()
            }
            "cross" => {
                let half = count / 2;
                let other = |at: u64| {
                    let request = at as u32;
                    if own < half {
                        isend(half + (own + at) % half, size, request)
                    } else {
                        irecv((own - at) % half, request)
                    }
                };
                (0..half).map(other).chain(all(half)).collect()
            }
            "bisection" if own < count / 2 => vec![send(own + count / 2, size)],
            "bisection" => vec![recv(own - count / 2)],
            "late" if own == 0 => vec![send(1, size)],
            "late" => vec![Op::Compute(0), recv(0)],
            _ => panic!("no pattern {pattern}"),
        }
    };
    (0..count).map(one).collect()
}

#[test]
fn every_pattern_takes_as_long_as_in_smpi() {
    let rows = include_str!("../../../../../../../testdata/sim/simgrid/patterns.csv");
    let mut bad = Vec::new();
    let mut checked = 0;
    for row in rows.lines().filter(|row| !row.starts_with('#')).skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let [platform, pattern, count, size, time] = cells[..] else { panic!("{row}") };
        let built = if platform == "galera" { galera() } else { ethernet() };
        let count: u64 = count.parse().expect("a number of processes");
        let size: u64 = size.parse().expect("a size");
        let time: f64 = time.parse().expect("a time");
        let mut app = application(programs(pattern, count, size), vec![seconds(100e-6)]);
        let outcome = play(&built, &mut app).expect("runs");
        let difference = PICOSECOND.to_seconds(outcome.end) / time - 1.0;
        // Many small messages are mostly overhead: SMPI spends that of a receive in the wait, we when the message is there.
        let tolerance = if size < 4096 && count > 2 { 0.04 } else { 0.02 };
        if difference.abs() > tolerance {
            bad.push(format!("{row}: {:.2} %", difference * 100.0));
        }
        checked += 1;
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert_eq!(checked, 37);
}
