//! A recording as a file.
//!
//! ```text
//! META JSON    MODS modules    SITE call sites    COMM communicators
//! PROG u(n){stream(ranks) u(thread) tree}
//! tree u(n) node..    node 1 u(call) u(flags) u(site) u(comm) u(mask of fields) stream..  |  2 stream(counts) tree
//! STAT leaves in preorder, by column: u64 executions, f64 sums of blocks, their wall times, calls; by rank u16 mean,
//!      deviation, most of the block, its wall time, the call; u(bins){u(bin) u(n)}; 16 means
//! ```

use crate::container::{self, Header, PARTIAL, Section};
use crate::meta::Meta;
use crate::recording::{Program, Recording};
use crate::stat::{LeafStat, get_stats, put_stats};
use crate::stream::{Stream, get_stream, put_stream};
use crate::tables::{get_comms, get_modules, get_sites, put_comms, put_modules, put_sites};
use crate::tree::{get_tree, leaves, put_tree};
use crate::wire::{Input, put_u};
use runcast_core::{Problem, Warning};

/// Ranks of a file: no machine has more.
const MOST_RANKS: u64 = 1 << 26;

/// Writes a recording.
///
/// # Errors
/// Its description cannot be JSON, which is a bug of runcast.
pub fn write(recording: &Recording) -> Result<Vec<u8>, Problem> {
    let meta = serde_json::to_vec(&recording.meta);
    let meta = meta.map_err(|error| Problem::new("internal", format!("the description cannot be written: {error}")))?;
    let ranks = recording.ranks();
    let header = Header {
        flags: recording.flags,
        ranks: ranks.len() as u32,
        first_rank: ranks.first().copied().unwrap_or(0),
        p: recording.p,
    };
    let section = |put: &dyn Fn(&mut Vec<u8>)| {
        let mut plain = Vec::new();
        put(&mut plain);
        plain
    };
    let stats: Vec<&LeafStat> = recording.programs.iter().flat_map(|program| &program.stats).collect();
    Ok(container::seal(
        header,
        &[
            (b"META", meta),
            (b"MODS", section(&|out| put_modules(out, &recording.modules))),
            (b"SITE", section(&|out| put_sites(out, &recording.sites))),
            (b"COMM", section(&|out| put_comms(out, &recording.comms))),
            (b"PROG", section(&|out| put_programs(out, &recording.programs))),
            (b"STAT", section(&|out| put_stats(out, &stats))),
        ],
    ))
}

fn put_programs(out: &mut Vec<u8>, programs: &[Program]) {
    put_u(out, programs.len() as u64);
    for program in programs {
        put_stream(out, &Stream::of(program.ranks.iter().map(|rank| i64::from(*rank))));
        put_u(out, u64::from(program.thread));
        put_tree(out, &program.tree);
    }
}

/// Reads a recording. Of a truncated or damaged one, what comes before the damage, with a warning.
///
/// # Errors
/// It is no recording, it is one of another version, or nothing of it is intact.
pub fn read(bytes: &[u8]) -> Result<Recording, Problem> {
    let opened = container::open(bytes)?;
    let mut recording = Recording { flags: opened.header.flags, p: opened.header.p, ..Recording::default() };
    let mut damage = opened.damage;
    if let (true, Some(problem)) = (opened.sections.is_empty(), &damage) {
        return Err(problem.clone());
    }
    for section in &opened.sections {
        if let Err(problem) = read_section(&mut recording, section) {
            damage = Some(problem);
            break;
        }
    }
    if let Some(problem) = damage {
        recording.flags |= PARTIAL;
        recording.warnings.push(Warning::new("truncated", format!("{}; what comes before is used", problem.message)));
    }
    for program in &mut recording.programs {
        let without = program.stats.is_empty();
        if without {
            program.stats = leaves(&program.tree).iter().map(|_| empty(program.ranks.len())).collect();
        }
    }
    let warnings = recording.meta.warnings.clone();
    recording.warnings.extend(warnings);
    Ok(recording)
}

fn empty(ranks: usize) -> LeafStat {
    LeafStat { ranks: vec![Default::default(); ranks], ..LeafStat::default() }
}

fn read_section(recording: &mut Recording, section: &Section<'_>) -> Result<(), Problem> {
    let within = format!("section {}", section.tag.escape_ascii());
    let mut input = Input::new(&section.plain, 0, &within);
    match &section.tag {
        b"META" => recording.meta = meta(&section.plain, &input)?,
        b"MODS" => recording.modules = get_modules(&mut input)?,
        b"SITE" => recording.sites = get_sites(&mut input, recording.modules.len())?,
        b"COMM" => recording.comms = get_comms(&mut input)?,
        b"PROG" => recording.programs = get_programs(&mut input, recording.p)?,
        b"STAT" => {
            let ranks = |program: &Program| vec![program.ranks.len(); leaves(&program.tree).len()];
            let ranks: Vec<usize> = recording.programs.iter().flat_map(ranks).collect();
            let mut stats = get_stats(&mut input, &ranks)?.into_iter();
            for program in &mut recording.programs {
                program.stats = stats.by_ref().take(leaves(&program.tree).len()).collect();
            }
        }
        _ => return Ok(()),
    }
    if &section.tag != b"META" && input.left() > 0 {
        return Err(input.problem(format_args!("{} bytes too many", input.left())));
    }
    Ok(())
}

fn meta(bytes: &[u8], input: &Input<'_>) -> Result<Meta, Problem> {
    serde_json::from_slice(bytes)
        .map_err(|error| input.problem(format_args!("the description is not as expected: {error}")))
}

fn get_programs(input: &mut Input<'_>, p: u32) -> Result<Vec<Program>, Problem> {
    let count = input.count(3)?;
    let mut programs = Vec::new();
    let mut all_ranks = 0;
    for _ in 0..count {
        let ranks = get_stream(input)?;
        all_ranks += ranks.len();
        let is_inside = ranks.range().is_some_and(|(least, most)| least >= 0 && most < i64::from(p));
        if !is_inside || !ranks.is_exact() || all_ranks > MOST_RANKS {
            return Err(input.problem(format_args!("ranks outside of 0 to {}", i64::from(p) - 1)));
        }
        let ranks = ranks.values().map(|rank| rank as u32).collect();
        programs.push(Program { ranks, thread: input.narrow("a thread")?, tree: get_tree(input)?, stats: Vec::new() });
    }
    Ok(programs)
}
