//! G7: a periodic halo exchange of 20^3 processes on a torus.

use super::peers::Peers;
use super::stage::{BANDWIDTH, LATENCY_S, label, platform, program, run, torus};
use runcast_sim::application::{Application, Block, Op, Peer, Programs, Source};
use std::fmt::Write as _;

const SIDE: u64 = 20;
const ITERATIONS: u64 = 10;
const BYTES: u64 = 8_192;
const CALC_S: f64 = 100e-6;
/// Times that SimGrid's CPU time must be ours.
const GOAL_TIMES: f64 = 5.0;
/// Bytes a process that may be needed.
const GOAL_BYTES: f64 = 1000.0;

/// x fastest; neighbors +x -x +y -y +z -z.
pub fn neighbor(side: u64, rank: u64, direction: usize) -> u64 {
    let mut place = [rank % side, rank / side % side, rank / side / side];
    let coordinate = &mut place[direction / 2];
    *coordinate = (*coordinate + if direction.is_multiple_of(2) { 1 } else { side - 1 }) % side;
    place[0] + side * (place[1] + side * place[2])
}

/// The halo: in each iteration six receives, six sends, and a block that needs all of them.
pub fn application(side: u64, iterations: u64) -> Application {
    let count = side.pow(3);
    let mut programs = Vec::new();
    let mut numbers = std::collections::HashMap::new();
    let mut of = Vec::new();
    for rank in 0..count {
        let near: Vec<i64> = (0..6).map(|direction| neighbor(side, rank, direction) as i64 - rank as i64).collect();
        let number = *numbers.entry(near.clone()).or_insert_with(|| {
            let mut ops = vec![Op::Repeat { count: iterations, len: 25 }];
            for (direction, offset) in near.iter().enumerate() {
                let from = Source::Peer(Peer::Offset(*offset));
                ops.push(Op::Irecv { from, tag: (direction ^ 1) as i64, request: direction as u32 });
            }
            for (direction, offset) in near.iter().enumerate() {
                let (to, request) = (Peer::Offset(*offset), 6 + direction as u32);
                ops.push(Op::Isend { to, size: BYTES, tag: direction as i64, request, persistent: false });
            }
            ops.extend((0..12).map(|request| Op::Wait { request }));
            ops.push(Op::Compute(0));
            programs.push(program(ops, 12));
            programs.len() as u32 - 1
        });
        of.push(number);
    }
    Application {
        name: "halo".to_owned(),
        labels: vec![label("cell", 0, count, Programs::PerRank(of))],
        programs,
        blocks: vec![Block { time_s: Some(CALC_S), ..Block::default() }],
        sites: vec![0],
        ..Application::default()
    }
}

pub fn part(peers: Option<&Peers>) -> Result<String, String> {
    let processes = SIDE.pow(3);
    let ours = run(&platform(&torus(SIDE))?, &application(SIDE, ITERATIONS), None, 3)?;
    let a_process = ours.grown_bytes / processes as f64;
    let mut text = format!(
        "A halo of {SIDE}^3 processes, {ITERATIONS} iterations, {BYTES} B, on a torus of 1.25 GB/s and 1 us. Goal: SimGrid's CPU \
         time over ours at least {GOAL_TIMES}, {GOAL_BYTES} B a process, time within 5 %.\n\n\
         | | time, us | CPU, s | memory, B a process |\n|---|---|---|---|\n\
         | runcast | {:.3} | {:.3} | {a_process:.0} |\n",
        ours.time_s * 1e6,
        ours.cpu_s
    );
    let arguments = [SIDE as f64, ITERATIONS as f64, BYTES as f64, CALC_S, BANDWIDTH, LATENCY_S];
    let theirs = match peers {
        Some(peers) => peers.run("halo", &arguments)?,
        None => None,
    };
    if let Some(theirs) = theirs {
        let _ = writeln!(
            text,
            "| SimGrid | {:.3} | {:.3} | {:.0} |\n\nDifference in time {:.4} %, {:.1} times faster.",
            theirs.time_s * 1e6,
            theirs.cpu_s,
            theirs.peak_bytes / processes as f64,
            (ours.time_s / theirs.time_s - 1.0) * 100.0,
            theirs.cpu_s / ours.cpu_s
        );
    }
    text.push('\n');
    Ok(text)
}
