//! Conjugate gradient on a grid in three dimensions: all 26 neighbors, and sums over all processes, as one trace for both
//! simulators, on the same fat tree.

use super::fat_tree;
use crate::flows::peers::Peers;
use crate::flows::stage::{cpu_s, platform, run};
use runcast_sim::ti;
use std::fmt::Write as _;

/// Points of a process along each dimension.
const POINTS: u64 = 32;
const ITERATIONS: u64 = 10;
/// At 1 Gflop/s 200 us.
const FLOPS: u64 = 200_000;
/// Process grid, machines below a leaf switch and leaf switches, and the goal in microseconds a message.
const SIZES: [([u64; 3], [u64; 2], f64); 2] = [([5, 6, 7], [42, 5], 3.0), ([10, 10, 14], [70, 20], 4.0)];

/// The neighbors of a process, inside of the grid, with the bytes that go to them.
fn neighbors(grid: [u64; 3], rank: u64) -> Vec<(u64, u64)> {
    let at = [rank % grid[0], rank / grid[0] % grid[1], rank / grid[0] / grid[1]];
    let mut all = Vec::new();
    for number in 0..27_u64 {
        let step = [number % 3, number / 3 % 3, number / 9];
        let inside = (0..3).all(|along| (1..=grid[along]).contains(&(at[along] + step[along])));
        if number == 13 || !inside {
            continue;
        }
        let to: Vec<u64> = (0..3).map(|along| at[along] + step[along] - 1).collect();
        let flat = step.iter().filter(|step| **step == 1).count() as u32;
        all.push((to[0] + grid[0] * (to[1] + grid[1] * to[2]), 8 * POINTS.pow(flat)));
    }
    all
}

/// The trace, and how many messages it has besides the sums.
fn trace(grid: [u64; 3]) -> (String, u64) {
    let mut text = String::new();
    let mut messages = 0;
    for rank in 0..grid.iter().product() {
        let near = neighbors(grid, rank);
        let _ = writeln!(text, "{rank} init");
        for _ in 0..ITERATIONS {
            for (from, bytes) in &near {
                let _ = writeln!(text, "{rank} irecv {from} 0 {bytes} 6");
            }
            for (to, bytes) in &near {
                let _ = writeln!(text, "{rank} isend {to} 0 {bytes} 6");
            }
            let _ = writeln!(text, "{rank} waitall {}\n{rank} compute {FLOPS}", 2 * near.len());
            let _ = writeln!(text, "{rank} allreduce 1 0 0\n{rank} allreduce 1 0 0");
            messages += near.len() as u64;
        }
        let _ = writeln!(text, "{rank} finalize");
    }
    (text, messages)
}

/// The tree as SimGrid reads it, without factors and overheads.
fn xml([below, leaves]: [u64; 2]) -> String {
    let free = ["os", "or", "ois"].map(|key| format!("  <prop id=\"smpi/{key}\" value=\"0:0:0\"/>\n")).concat();
    format!(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n \
         <config>\n  <prop id=\"smpi/lat-factor\" value=\"0:1\"/>\n  <prop id=\"smpi/bw-factor\" value=\"0:1\"/>\n{free}  \
         <prop id=\"smpi/async-small-thresh\" value=\"65536\"/>\n  <prop id=\"network/crosstraffic\" value=\"0\"/>\n  \
         <prop id=\"network/TCP-gamma\" value=\"1e18\"/>\n </config>\n <zone id=\"AS0\" routing=\"Full\">\n  \
         <cluster id=\"tree\" prefix=\"n\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" bw=\"1.25GBps\" lat=\"1us\" \
         sharing_policy=\"SPLITDUPLEX\" topology=\"FAT_TREE\" topo_parameters=\"2;{below},{leaves};1,{};1,1\"/>\n </zone>\n\
         </platform>\n",
        below * leaves - 1,
        below / 2
    )
}

pub fn part(peers: Option<&Peers>) -> Result<String, String> {
    let mut text = format!(
        "\nConjugate gradient on a fat tree of 1.25 GB/s and 1 us with half of the up-links, at `flow`: {ITERATIONS} iterations of \
         messages to all neighbors in three dimensions ({} to {} B) and two sums over all, as a time-independent trace of the \
         same text for both programs. A message: of the neighbors and of the sums.\n\n\
         | processes | messages | read, CPU s | simulate, CPU s | us a message | goal | SMPI: CPU s | times less | difference in \
         time |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        8,
        8 * POINTS.pow(2)
    );
    for (grid, tree, goal) in SIZES {
        let processes: u64 = grid.iter().product();
        let (trace, to_neighbors) = trace(grid);
        let begun = cpu_s();
        let file = ti::Text { file: "gradient.ti", bytes: trace.as_bytes() };
        let parsed = ti::parse(&[file], "gradient").map_err(|problem| problem.message)?;
        let read_s = cpu_s() - begun;
        let ours = run(&platform(&fat_tree(tree[0], tree[1]))?, &parsed.application, None, 3)?;
        // Doubling: each sends once a round, and those beyond a power of two once before and get one after.
        let below = 1_u64 << processes.ilog2();
        let of_sum = below * u64::from(processes.ilog2()) + 2 * (processes - below);
        let messages = to_neighbors + 2 * ITERATIONS * of_sum;
        let each_us = ours.cpu_s * 1e6 / messages as f64;
        let met = if each_us <= goal { "met" } else { "missed" };
        let _ = write!(
            text,
            "| {processes} | {messages} | {read_s:.3} | {:.3} | {each_us:.2} | {goal}, {met} |",
            ours.cpu_s
        );
        let theirs = peers.map(|peers| peers.replay(&trace, processes, &xml(tree))).transpose()?.flatten();
        let _ = match theirs {
            Some(theirs) => writeln!(
                text,
                " {:.2} | {:.0} | {:.2} % |",
                theirs.cpu_s,
                theirs.cpu_s / (ours.cpu_s + read_s),
                (ours.time_s / theirs.time_s - 1.0) * 100.0
            ),
            None => writeln!(text, " - | - | - |"),
        };
    }
    Ok(text)
}
