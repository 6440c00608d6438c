//! Time and bytes by call site, call, class of ranks and pair of ranks.

use super::document::{ShownCall, ShownClass, ShownMatrix, ShownSite};
use indexmap::IndexMap;
use runcast_record::factors::Factors;
use runcast_record::tree::leaves;
use runcast_record::vocabulary::{Field, call, shown};
use runcast_record::{Program, Recording};

/// Rows of a matrix of messages.
const MOST_ROWS: u32 = 64;

/// Values of a field that are added up one by one, beyond which their sum is spread evenly.
const MOST_VALUES: u64 = 1 << 22;

/// Calls by site, the one with the most time first.
pub(super) fn sites(recording: &Recording, names: &[String]) -> Vec<ShownSite> {
    let mut found: IndexMap<(u32, String), ShownSite> = IndexMap::new();
    for program in &recording.programs {
        let ranks = program.ranks.len() as u64;
        for ((leaf, executions), stat) in leaves(&program.tree).into_iter().zip(&program.stats) {
            let name = shown(leaf.call, leaf.flags);
            let entry = found.entry((leaf.site, name.clone())).or_insert_with(|| ShownSite {
                site: leaf.site,
                place: names.get(leaf.site as usize).cloned().unwrap_or_else(|| "unknown".to_owned()),
                call: name,
                calls: 0,
                bytes: 0,
                block_time_s: 0.0,
                call_time_s: 0.0,
                share: 0.0,
                is_io: (90..96).contains(&leaf.call),
            });
            entry.calls += executions * ranks;
            let is_block_list = matches!(leaf.call, call::GATHERV | call::SCATTERV | 47 | call::ALLTOALLV | 50);
            let bytes = leaf.field(Field::Size).map_or(0, |stream| match is_block_list {
                true if stream.len() <= MOST_VALUES => {
                    let each = stream.len().checked_div(executions).unwrap_or(1).max(1) as usize;
                    stream.values().step_by(each).map(i128::from).sum()
                }
                _ => stream.sum(),
            });
            entry.bytes = entry.bytes.saturating_add(u64::try_from(bytes).unwrap_or(0).saturating_mul(ranks));
            entry.block_time_s += stat.block_s;
            entry.call_time_s += stat.call_s;
        }
    }
    let mut sites: Vec<ShownSite> = found.into_values().collect();
    let all: f64 = sites.iter().map(|site| site.call_time_s).sum();
    if all > 0.0 {
        sites.iter_mut().for_each(|site| site.share = site.call_time_s / all);
    }
    sites.sort_by(|a, b| b.call_time_s.total_cmp(&a.call_time_s));
    sites
}

/// The same by call.
pub(super) fn calls(sites: &[ShownSite]) -> Vec<ShownCall> {
    let mut found: IndexMap<&str, ShownCall> = IndexMap::new();
    for site in sites {
        let entry = found.entry(&site.call).or_insert_with(|| ShownCall {
            call: site.call.clone(),
            calls: 0,
            bytes: 0,
            time_s: 0.0,
        });
        entry.calls += site.calls;
        entry.bytes = entry.bytes.saturating_add(site.bytes);
        entry.time_s += site.call_time_s;
    }
    let mut calls: Vec<ShownCall> = found.into_values().collect();
    calls.sort_by(|a, b| b.time_s.total_cmp(&a.time_s));
    calls
}

/// Time in calls that read and write files.
pub(super) fn io_s(sites: &[ShownSite]) -> f64 {
    sites.iter().filter(|site| site.is_io).fold(0.0, |sum, site| sum + site.call_time_s)
}

/// What limits the run, in a sentence.
pub(super) fn limits(factors: &Factors, sites: &[ShownSite]) -> Option<String> {
    let (name, value) = factors.least()?;
    let computes = ["load balance", "computation scaling"].contains(&name);
    let time = |site: &&ShownSite| if computes { site.block_time_s } else { site.call_time_s };
    let all: f64 = sites.iter().map(|site| time(&site)).sum();
    let most = sites.iter().max_by(|a, b| time(a).total_cmp(&time(b))).filter(|_| all > 0.0);
    let Some(most) = most else { return Some(format!("{name} ({value:.2})")) };
    let share = 100.0 * time(&most) / all;
    let what = if computes { "computing time before" } else { "MPI time in" };
    Some(format!("{name} ({value:.2}): {share:.0} % of {what} {}, {}", most.call, most.place))
}

/// Ranks that did the same.
pub(super) fn classes(recording: &Recording) -> Vec<ShownClass> {
    let of = |(number, program): (usize, &Program)| ShownClass {
        class: number + 1,
        ranks: program.ranks.clone(),
        count: program.ranks.len(),
        useful_s: program.stats.iter().map(|stat| stat.block_s).sum::<f64>() / program.ranks.len().max(1) as f64,
    };
    recording.programs.iter().enumerate().map(of).collect()
}

/// Bytes of sends from rank to rank; collectives are not in it.
pub(super) fn matrix(recording: &Recording) -> Option<ShownMatrix> {
    let width = recording.p.div_ceil(MOST_ROWS).max(1);
    let rows = recording.p.div_ceil(width);
    if rows == 0 {
        return None;
    }
    let mut bytes = vec![vec![0_u64; rows as usize]; rows as usize];
    for program in &recording.programs {
        for &rank in &program.ranks {
            let comms = recording.comms_of(rank);
            for (leaf, _) in leaves(&recording.tree_of(program, rank)) {
                let is_send = leaf.call <= call::PSEND || leaf.call == call::SENDRECV;
                let (Some(peers), Some(sizes), true) = (leaf.field(Field::Peer), leaf.field(Field::Size), is_send)
                else {
                    continue;
                };
                let Some(comm) = comms.get(leaf.comm as usize) else { continue };
                let mut add = |peer: i64, size: i64, times: u64| {
                    let peer =
                        if leaf.comm == 0 { Some(peer) } else { comm.members.values().nth(peer.max(0) as usize) };
                    let target = peer.filter(|_| size > 0).and_then(|peer| u32::try_from(peer).ok());
                    if let Some(target) = target.filter(|target| *target < recording.p) {
                        let cell = &mut bytes[(rank / width) as usize][(target / width) as usize];
                        *cell = cell.saturating_add((size as u64).saturating_mul(times));
                    }
                };
                match (peers.only(), sizes.only()) {
                    (Some(peer), Some(size)) if peer >= 0 => add(peer, size, peers.len()),
                    _ if peers.len() <= MOST_VALUES => {
                        peers
                            .values()
                            .zip(sizes.values())
                            .filter(|(peer, _)| *peer >= 0)
                            .for_each(|(peer, size)| add(peer, size, 1));
                    }
                    _ => {}
                }
            }
        }
    }
    Some(ShownMatrix { ranks: (0..rows).map(|row| row * width).collect(), bytes })
}
