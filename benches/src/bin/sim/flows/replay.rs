//! G8: a trace of a halo exchange of 10^3 processes, 10 iterations: 142,000 actions.

use super::halo::neighbor;
use super::peers::Peers;
use super::stage::{cpu_s, platform, run, torus};
use runcast_sim::ti;
use std::fmt::Write as _;

const SIDE: u64 = 10;
const ITERATIONS: u64 = 10;
const BYTES: u64 = 8_192;
/// At 1 Gflop/s 100 us.
const FLOPS: u64 = 100_000;
/// CPU seconds that parsing and playing may take together.
const GOAL_S: f64 = 0.1;

/// The trace: types of messages are bytes.
fn trace() -> String {
    let mut text = String::new();
    for rank in 0..SIDE.pow(3) {
        let _ = writeln!(text, "{rank} init");
        for _ in 0..ITERATIONS {
            for direction in 0..6 {
                let _ = writeln!(text, "{rank} irecv {} {} {BYTES} 6", neighbor(SIDE, rank, direction), direction ^ 1);
            }
            for direction in 0..6 {
                let _ = writeln!(text, "{rank} isend {} {direction} {BYTES} 6", neighbor(SIDE, rank, direction));
            }
            let _ = writeln!(text, "{rank} waitall 12\n{rank} compute {FLOPS}");
        }
        let _ = writeln!(text, "{rank} finalize");
    }
    text
}

/// The torus as SimGrid reads it, without factors and overheads.
fn xml() -> String {
    let free = ["os", "or", "ois"].map(|key| format!("  <prop id=\"smpi/{key}\" value=\"0:0:0\"/>\n")).concat();
    format!(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n \
         <config>\n  <prop id=\"smpi/lat-factor\" value=\"0:1\"/>\n  <prop id=\"smpi/bw-factor\" value=\"0:1\"/>\n{free}  \
         <prop id=\"smpi/async-small-thresh\" value=\"65536\"/>\n  <prop id=\"network/crosstraffic\" value=\"0\"/>\n  \
         <prop id=\"network/TCP-gamma\" value=\"1e18\"/>\n </config>\n <zone id=\"AS0\" routing=\"Full\">\n  \
         <cluster id=\"torus\" prefix=\"n\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" bw=\"1.25GBps\" lat=\"1us\" \
         sharing_policy=\"SPLITDUPLEX\" topology=\"TORUS\" topo_parameters=\"{SIDE},{SIDE},{SIDE}\"/>\n </zone>\n</platform>\n",
        SIDE.pow(3) - 1
    )
}

pub fn part(peers: Option<&Peers>) -> Result<String, String> {
    let trace = trace();
    let actions = trace.lines().count();
    let platform = platform(&torus(SIDE))?;
    let begun = cpu_s();
    let file = ti::Text { file: "halo.ti", bytes: trace.as_bytes() };
    let parsed = ti::parse(&[file], "halo").map_err(|problem| problem.message)?;
    let parse_s = cpu_s() - begun;
    let ours = run(&platform, &parsed.application, None, 5)?;
    let ours_s = parse_s + ours.cpu_s;
    let mut text = format!(
        "A time-independent trace of a halo of {SIDE}^3 processes, {ITERATIONS} iterations, {actions} actions, on the same kind of \
         torus. Goal: {GOAL_S} s, time within 5 % of SMPI's.\n\n\
         | | time, us | CPU, s |\n|---|---|---|\n\
         | runcast | {:.3} | {ours_s:.3}, of it {parse_s:.3} to read it |\n",
        ours.time_s * 1e6
    );
    let theirs = match peers {
        Some(peers) => peers.replay(&trace, SIDE.pow(3), &xml())?,
        None => None,
    };
    if let Some(theirs) = theirs {
        let _ = writeln!(
            text,
            "| SMPI | {:.3} | {:.3} |\n\nDifference in time {:.4} %, {:.0} times faster; the goal of {GOAL_S} s is {}.",
            theirs.time_s * 1e6,
            theirs.cpu_s,
            (ours.time_s / theirs.time_s - 1.0) * 100.0,
            theirs.cpu_s / ours_s,
            if ours_s <= GOAL_S { "met" } else { "missed" }
        );
    }
    text.push('\n');
    Ok(text)
}
