//! The structure of a program from recordings of several sizes: who talks to whom as a function of the rank, how often
//! and how much as formulas of the number of processes.
//!
//! Calls of a rank come in a normal form (`normal`); partners become functions (`reach`) over a grid (`grid`); ranks of
//! one position in the grid do the same, and their trees are laid over each other, over all recordings (`align`).
//! `rules` are the formulas, `emit` writes a script, `check` goes through the calls of the recordings again.

mod align;
mod block;
mod check;
mod emit;
pub mod grid;
mod left;
mod normal;
mod reach;
mod rules;

pub use align::Item;
pub use block::Block;
pub use check::Checked;
pub use emit::{Coefficient, Emitted};
pub use left::LeftOut;
pub(crate) use normal::split;
pub use reach::Reach;
pub use rules::{Rule, Told, Unforeseen};

use crate::recording::Recording;
use crate::stream::Stream;
use crate::tables::address;
use crate::tree::{Leaf, events};
use crate::vocabulary::{Field, Flags, call, shown};
use align::{Column, lay_over, pure};
use grid::{Grid, infer};
use indexmap::{IndexMap, IndexSet};
use left::{Refusal, Traffic, take_out};
use normal::{Call, Law, Piece, for_each_call, normal, written_out};
use reach::{Sample, fixed, looped, single};
use runcast_core::Problem;
use std::collections::HashSet;

/// A recording, and the parameters of its run.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// It.
    pub recording: &'a Recording,
    /// By name.
    pub params: &'a [(String, f64)],
}

/// A call site of a form of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Number of the call.
    pub call: u16,
    /// Its flags.
    pub flags: Flags,
    /// Number of the call site among those of all recordings.
    pub site: usize,
}

impl Key {
    /// Of a leaf whose call site has this number among those of all recordings.
    fn of(leaf: &Leaf, site: usize) -> Self {
        let flags = leaf.flags.without(Flags::RELATIVE).without(Flags::IRREGULAR).without(Flags::POLLED);
        Key { call: leaf.call, flags, site }
    }
}

/// What was learnt.
#[derive(Debug, Clone)]
pub struct Learnt {
    /// Names of the symbols of formulas: p, parameters that vary, sizes of the grid.
    pub symbols: Vec<String>,
    /// Their values in each recording.
    pub rows: Vec<Vec<f64>>,
    /// Processes of each recording.
    pub p: Vec<u32>,
    /// The grid, if partners follow one.
    pub grid: Option<Grid>,
    /// How ranks are told apart.
    pub apart: Apart,
    /// Positions of ranks, each with the number of its ranks in each recording.
    pub cells: IndexMap<Cell, Vec<u32>>,
    /// Calls and loops.
    pub items: Vec<Item>,
    /// Turns of loops that come from the data of the runs: their symbols are the last.
    pub unforeseen: Vec<Unforeseen>,
    /// Names of call sites.
    pub sites: Vec<String>,
    /// Calls that the model does without.
    pub left: Vec<LeftOut>,
    /// Whether messages of one call to several partners are in the order of their steps in the grid, not in the program's.
    pub is_sorted: bool,
}

/// How ranks are told apart, the first that is enough.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Apart {
    /// They all do the same.
    #[default]
    All,
    /// By their position in the grid.
    Grid,
    /// The first, and the others.
    Root,
    /// By the zeros at the end of the number of the rank, `z`: the first rank, inner nodes and leaves of a binomial tree.
    Bits,
}

/// Symbols of a rank in a binomial tree: the zeros at the end of its number, log2 p of the first rank; 2 to that power, the
/// ranks of its part of the tree.
const ZEROS: [&str; 2] = ["z", "w"];

/// Where a rank is in each dimension: first, middle, last, or the only one. Without a grid: the root (R), others (O);
/// inner nodes (I) and leaves (L) of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Cell(pub Vec<char>);

impl Cell {
    /// The cell of coordinates.
    fn of(coordinates: &[i64], sizes: &[i64]) -> Self {
        let one = |(at, size): (&i64, &i64)| match () {
            () if *size == 1 => 'o',
            () if *at == 0 => 'f',
            () if at + 1 == *size => 'l',
            () => 'm',
        };
        Cell(coordinates.iter().zip(sizes).map(one).collect())
    }

    /// The condition on the coordinates c of a rank.
    pub fn condition(&self) -> String {
        if self.0.is_empty() { "true".to_owned() } else { emit::where_(std::slice::from_ref(self)) }
    }

    /// Its letters; `all` where ranks are not told apart.
    pub fn text(&self) -> String {
        match self.0.as_slice() {
            [] => "all".to_owned(),
            ['R'] => "root".to_owned(),
            ['O'] => "others".to_owned(),
            ['I'] => "inner".to_owned(),
            ['L'] => "leaf".to_owned(),
            letters => letters.iter().collect(),
        }
    }
}

impl Learnt {
    /// The cell of a rank of a recording.
    pub(crate) fn cell_of(&self, recording: usize, rank: i64) -> Cell {
        let letter = match self.apart {
            Apart::All => return Cell::default(),
            Apart::Grid => {
                let shape = self.grid.as_ref().map(|grid| grid.shape(recording));
                return shape.map_or_else(Cell::default, |shape| Cell::of(&shape.coordinates(rank), shape.sizes));
            }
            _ if rank == 0 => 'R',
            Apart::Root => 'O',
            Apart::Bits => {
                if rank % 2 == 0 {
                    'I'
                } else {
                    'L'
                }
            }
        };
        Cell(vec![letter])
    }

    /// The symbols of a rank.
    pub(crate) fn row_of(&self, recording: usize, rank: i64) -> Vec<f64> {
        let mut row = self.rows[recording].clone();
        if let (Apart::Bits, [.., zeros, part]) = (self.apart, row.as_mut_slice()) {
            *zeros = zeros_of(rank, self.p[recording].into()).into();
            *part = zeros.exp2();
        }
        row
    }

    /// Calls that the script leaves out, by name, each once.
    pub fn left_out(&self) -> Vec<String> {
        fn find(learnt: &Learnt, items: &[Item], found: &mut IndexSet<String>) {
            for item in items {
                if let Some(key) = item.key.filter(|key| learnt.is_left_out(key.call)) {
                    found.insert(shown(key.call, key.flags));
                }
                find(learnt, &item.body, found);
            }
        }
        let mut found = IndexSet::new();
        find(self, &self.items, &mut found);
        found.into_iter().collect()
    }

    /// Sizes of the grid in a recording.
    pub(crate) fn sizes(&self, recording: usize) -> &[i64] {
        self.grid.as_ref().map_or(&[], |grid| &grid.sizes[recording])
    }
}

/// Zeros at the end of the number of a rank; of the first rank so many as p has.
fn zeros_of(rank: i64, p: i64) -> u32 {
    if rank == 0 { p.trailing_zeros() } else { rank.trailing_zeros() }
}

/// The symbol of the rounds in which p ranks reach each other.
const LOG: &str = "lg";

/// log2 p, rounded up.
fn log(p: u32) -> f64 {
    f64::from(p.max(1).next_power_of_two().ilog2())
}

/// Turns of loops that are written out for a rank.
const MOST_TURNS: i64 = 2_048;

/// Calls and loops of a position: laying trees over each other takes their product.
const MOST_NODES: usize = 4_096;

/// Calls that are gone through one by one.
const MOST_CALLS: u64 = 100_000_000;

/// One rank of one recording.
struct Own {
    recording: usize,
    rank: i64,
    pieces: Vec<Piece>,
    /// Communicators of a part of the ranks that it calls collectives on: number and members.
    parts: Vec<(u32, Vec<i64>)>,
}

/// Learns the structure; of all calls this share may follow none, and is left out.
///
/// # Errors
/// Recordings of one number of processes alone, profiles, missing ranks; more calls that do not follow one structure.
pub fn learn(sources: &[Source<'_>], most_left: f64) -> Result<Learnt, Problem> {
    admissible(sources)?;
    let mut sites: IndexSet<String> = IndexSet::new();
    let mut owns: Vec<Own> = Vec::new();
    for (recording, source) in sources.iter().enumerate() {
        ranks(source.recording, recording, &mut sites, &mut owns)?;
    }
    let mut gone: IndexMap<Key, String> = IndexMap::new();
    let mut traffic: Option<Traffic> = None;
    let mut first: Option<Problem> = None;
    for _ in 0..=MOST_LEFT {
        let pieces = |own: &Own| take_out(own.pieces.clone(), &gone, &mut Vec::new());
        let kept = || owns.iter().map(|own| Own { pieces: pieces(own), parts: own.parts.clone(), ..*own }).collect();
        let left = traffic.as_ref().map_or_else(Vec::new, |all| all.left_out(&gone));
        let try_in = |is_sorted| in_order((sources, &sites), kept(), left.clone(), is_sorted);
        // Ranks in like positions may go through the same partners in another order.
        let found = try_in(false).or_else(|first| if first.keys.is_empty() { Err(first) } else { try_in(true) });
        let Refusal { problem, keys } = match found {
            Ok(learnt) => return Ok(learnt),
            Err(refusal) => refusal,
        };
        let why = problem.message.to_string();
        let all = traffic.get_or_insert_with(|| Traffic::of(sources, &sites));
        let before = gone.len();
        for key in keys.into_iter().flat_map(|key| all.with_partners(key)) {
            gone.entry(key).or_insert_with(|| why.clone());
        }
        let share: f64 = all.left_out(&gone).iter().map(|one| one.share).sum();
        if gone.len() == before || share > most_left {
            return Err(first.unwrap_or(problem));
        }
        first = first.or(Some(problem));
    }
    Err(first.unwrap_or_else(|| Problem::new("unexplained", "too many calls follow no structure")))
}

/// Call sites that are left out one after the other.
const MOST_LEFT: usize = 64;

fn in_order(
    (sources, sites): (&[Source<'_>], &IndexSet<String>),
    mut owns: Vec<Own>,
    left: Vec<LeftOut>,
    is_sorted: bool,
) -> Result<Learnt, Refusal> {
    let p: Vec<u32> = sources.iter().map(|source| source.recording.p).collect();
    let samples = sampled(&owns, &p);
    let mut reaches: IndexMap<(Key, Field), Reach> = IndexMap::new();
    let mut pairs: Vec<grid::Pairs> = p.iter().map(|p| (*p, Vec::new())).collect();
    let is_wild = samples.keys().any(|(key, _)| key.flags.has(Flags::ANY));
    let is_answer = |(key, field): (Key, Field), samples: &[Sample]| {
        let is_send = is_wild && field == Field::Peer && key.call < call::RECV;
        let is_first = is_send && samples.iter().all(|sample| sample.rank == 0);
        is_first && looped(samples).is_none() && single(samples, None).is_none()
    };
    for (place, samples) in &samples {
        let known = match () {
            () if place.0.flags.has(Flags::ANY) => Some(Reach::Matched),
            // Who has answered is sent the next: no function of the rank.
            () if is_answer(*place, samples) => Some(Reach::Answer),
            () => None,
        };
        match known.or_else(|| fixed(samples, p.len())).or_else(|| looped(samples)) {
            Some(reach) => drop(reaches.insert(*place, reach)),
            None => samples.iter().for_each(|sample| {
                let ranks = sample.peers.iter().filter(|peer| **peer >= 0);
                pairs[sample.recording].1.extend(ranks.map(|peer| (sample.rank, *peer)));
            }),
        }
    }
    let lines: Vec<(usize, &[i64])> =
        owns.iter().flat_map(|own| own.parts.iter().map(|(_, members)| (own.recording, members.as_slice()))).collect();
    let carts: Vec<Option<&[(u64, bool)]>> = sources.iter().map(|source| cart_of(source.recording)).collect();
    let grid = grid::of_carts(&carts, &pairs, &lines).or_else(|| infer(&pairs, &lines));
    for (place, samples) in samples.iter().filter(|(place, _)| !reaches.contains_key(*place)).collect::<Vec<_>>() {
        if let Some(reach) = single(samples, grid.as_ref()) {
            reaches.insert(*place, reach);
        }
    }
    for own in &mut owns {
        on_lines(own, grid.as_ref(), sites)?;
    }
    let is_apart = |call: &Call| {
        let unknown = |field| call.law(field).is_some() && !reaches.contains_key(&(call.key, field));
        unknown(Field::Peer) || unknown(Field::Peer2)
    };
    if let Some(grid) = grid.as_ref().filter(|_| is_sorted) {
        for own in &mut owns {
            let (shape, rank) = (grid.shape(own.recording), own.rank);
            let steps = |peer: i64| if peer < 0 { Vec::new() } else { shape.offset(rank, peer) };
            normal::sort_partners(&mut own.pieces, 0, &is_apart, &steps);
        }
    }
    let mut starts = HashSet::new();
    owns.iter().for_each(|own| normal::starts(&own.pieces, 0, &is_apart, &mut starts));
    for own in &mut owns {
        own.pieces = written_out(std::mem::take(&mut own.pieces), 0, &is_apart, (&mut { MOST_TURNS }, &starts));
    }
    let (symbols, rows) = symbols(sources, grid.as_ref());
    let mut learnt = Learnt {
        symbols,
        rows,
        p,
        grid,
        apart: Apart::All,
        cells: IndexMap::new(),
        items: Vec::new(),
        unforeseen: Vec::new(),
        sites: sites.iter().cloned().collect(),
        left,
        is_sorted,
    };
    let columns = columns(&mut learnt, owns, &reaches)?;
    learnt.items = lay_over(&columns, &learnt);
    rules::explain(&mut learnt, &columns, sources)?;
    check::requests(&mut learnt, &columns, sources);
    Ok(learnt)
}

fn admissible(sources: &[Source<'_>]) -> Result<(), Problem> {
    let mut sizes: Vec<u32> = sources.iter().map(|source| source.recording.p).collect();
    sizes.dedup();
    if sizes.len() < 2 {
        let problem = Problem::new("one_size", "structure follows from recordings of different numbers of processes");
        return Err(problem.hint("record the program at two or three numbers of processes, such as 8, 27 and 64"));
    }
    for source in sources {
        let programs = &source.recording.programs;
        let calls = programs.iter().map(|program| events(&program.tree).saturating_mul(program.ranks.len() as u64));
        if calls.fold(0_u64, u64::saturating_add) > MOST_CALLS {
            let message = format!("a recording has more than {MOST_CALLS} calls");
            return Err(Problem::new("too_large", message).hint("record fewer iterations"));
        }
        if source.recording.is_profile() {
            let message = "a recording holds counts and sums only: the order of calls is not known";
            return Err(Problem::new("profile", message).hint("record with a larger --limit"));
        }
        if source.recording.missing() > 0 {
            let message = format!("{} ranks of a recording are missing", source.recording.missing());
            return Err(Problem::new("ranks_missing", message));
        }
        if source.recording.programs.iter().any(|program| program.thread > 0) {
            return Err(Problem::new("threads", "several threads of a rank call MPI: their structure is not learnt"));
        }
    }
    Ok(())
}

/// The calls of all ranks, partners as ranks of the world.
fn ranks(
    recording: &Recording,
    number: usize,
    sites: &mut IndexSet<String>,
    owns: &mut Vec<Own>,
) -> Result<(), Problem> {
    let names: Vec<usize> = recording.sites.iter().map(|site| sites.insert_full(frames(site, recording)).0).collect();
    for program in &recording.programs {
        for rank in &program.ranks {
            let tree = recording.tree_of(program, *rank);
            let mut pieces = normal(tree, &|site| names.get(site as usize).copied().unwrap_or(usize::MAX));
            let comms = recording.comms_of(*rank);
            let mut parts: Vec<(u32, Vec<i64>)> = Vec::new();
            to_world(&mut pieces, &mut |call| {
                let Some(comm) = comms.get(call.comm as usize).filter(|_| call.comm > 1) else { return };
                let members: Vec<i64> = comm.members.values().collect();
                let is_world = members.iter().copied().eq(0..i64::from(recording.p));
                if is_message(call.key.call) && !is_world {
                    call.peers_among(&members);
                }
                if is_world || call.key.call >= 70 || is_message(call.key.call) {
                    call.comm = 0;
                } else if members.len() < 2 {
                    call.comm = 1;
                } else if parts.iter().all(|(number, _)| *number != call.comm) {
                    parts.push((call.comm, members));
                }
            });
            owns.push(Own { recording: number, rank: i64::from(*rank), pieces, parts });
        }
    }
    owns.sort_by_key(|own| (own.recording, own.rank));
    Ok(())
}

/// The first Cartesian communicator of all ranks: sizes of its dimensions, and whether they are periodic.
fn cart_of(recording: &Recording) -> Option<&[(u64, bool)]> {
    let is_world = |members: &Stream| members.values().eq(0..i64::from(recording.p));
    let cart = recording.comms.iter().find(|comm| !comm.dims.is_empty() && is_world(&comm.members));
    cart.map(|comm| comm.dims.as_slice())
}

/// Numbers communicators of a part of the ranks anew: 2 and a bit for each dimension of the grid that their members differ in.
fn on_lines(own: &mut Own, grid: Option<&Grid>, sites: &IndexSet<String>) -> Result<(), Refusal> {
    let mask = |members: &[i64]| grid.and_then(|grid| grid.shape(own.recording).line(members));
    let masks: Vec<(u32, Option<u32>)> = own.parts.iter().map(|(number, members)| (*number, mask(members))).collect();
    let mut strange: IndexSet<Key> = IndexSet::new();
    to_world(&mut own.pieces, &mut |call| {
        if let Some((_, mask)) = masks.iter().find(|(number, _)| *number == call.comm).filter(|_| call.key.call < 70) {
            match mask {
                Some(mask) => call.comm = 2 + mask,
                None => drop(strange.insert(call.key)),
            }
        }
    });
    let Some(first) = strange.first() else { return Ok(()) };
    let message = "calls on a communicator whose members are no line or plane of a grid of all ranks";
    let problem = Problem::new("unexplained", message).value(sites.get_index(first.site).cloned().unwrap_or_default());
    Err(Refusal { problem, keys: strange.into_iter().collect() })
}

/// The addresses of a site without those of the library that loaded it, which differ from run to run.
fn frames(site: &crate::tables::Site, recording: &Recording) -> String {
    let one = |frame: &(u32, u64)| address(&crate::tables::Site { frames: vec![*frame] }, &recording.modules);
    site.frames.iter().map(one).collect::<Vec<_>>().join(" < ")
}

fn to_world(pieces: &mut [Piece], change: &mut impl FnMut(&mut Call)) {
    for piece in pieces {
        match piece {
            Piece::Call(call) => change(call),
            Piece::Loop { body, .. } => to_world(body, change),
        }
    }
}

/// Partners by call site and field.
fn sampled(owns: &[Own], p: &[u32]) -> IndexMap<(Key, Field), Vec<Sample>> {
    let mut samples: IndexMap<(Key, Field), Vec<Sample>> = IndexMap::new();
    for own in owns {
        for_each_call(&own.pieces, &mut |one| {
            if !is_message(one.key.call) {
                return;
            }
            for field in [Field::Peer, Field::Peer2] {
                let Some(law) = one.law(field) else { continue };
                let peers = law.listed().to_vec();
                let sample = Sample { recording: own.recording, rank: own.rank, p: p[own.recording].into(), peers };
                samples.entry((one.key, field)).or_default().push(sample);
            }
        });
    }
    samples
}

/// Whether a call has partners.
pub(crate) fn is_message(code: u16) -> bool {
    (call::SEND..call::WAIT).contains(&code) || (call::PROBE..call::BARRIER).contains(&code) || (70..80).contains(&code)
}

/// p, parameters that vary, sizes of the grid: each unless it varies as one before.
fn symbols(sources: &[Source<'_>], grid: Option<&Grid>) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut all: Vec<(String, Vec<f64>)> =
        vec![("p".to_owned(), sources.iter().map(|source| source.recording.p.into()).collect())];
    let names: IndexSet<&String> =
        sources.iter().flat_map(|source| source.params.iter().map(|(name, _)| name)).collect();
    for name in names {
        let value =
            |source: &Source<'_>| source.params.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        if let Some(values) = sources.iter().map(value).collect::<Option<Vec<f64>>>() {
            all.push((name.clone(), values));
        }
    }
    if let Some(grid) = grid.filter(|grid| grid.dims > 1) {
        for dim in 0..grid.dims {
            all.push((format!("q[{}]", dim + 1), grid.sizes.iter().map(|sizes| sizes[dim] as f64).collect()));
        }
    }
    all.push((LOG.to_owned(), sources.iter().map(|source| log(source.recording.p)).collect()));
    let mut kept: Vec<(String, Vec<f64>)> = Vec::new();
    for (name, values) in all {
        let varies = values.iter().any(|value| *value != values[0]);
        if name == "p" || varies && kept.iter().all(|(_, known)| *known != values) {
            kept.push((name, values));
        }
    }
    let rows = (0..sources.len()).map(|row| kept.iter().map(|(_, values)| values[row]).collect()).collect();
    (kept.into_iter().map(|(name, _)| name).collect(), rows)
}

/// One tree for each recording and cell: ranks are told apart by their place in the grid only if they have to.
fn columns(
    learnt: &mut Learnt,
    owns: Vec<Own>,
    reaches: &IndexMap<(Key, Field), Reach>,
) -> Result<Vec<Column>, Refusal> {
    let with_reach: Vec<(usize, i64, Vec<align::Node>)> =
        owns.iter().map(|own| (own.recording, own.rank, align::nodes(&own.pieces, own, learnt, reaches))).collect();
    // Who turns once what others turn more often has no loop.
    let most = with_reach.iter().max_by_key(|(recording, _, nodes)| (learnt.p[*recording], align::loops(nodes)));
    let most = most.map_or_else(Vec::new, |(_, _, nodes)| nodes.clone());
    let with_reach: Vec<(usize, i64, Vec<align::Node>)> = with_reach
        .into_iter()
        .map(|(recording, rank, nodes)| (recording, rank, align::turned_once(&most, nodes, 0)))
        .collect();
    let is_wild = reaches.values().any(|reach| *reach == Reach::Matched);
    let has_grid = learnt.grid.as_ref().is_some_and(|grid| grid.dims > 0);
    let has_bits = learnt.p.iter().all(|p| p.is_power_of_two());
    let all = [(Apart::All, true), (Apart::Grid, has_grid), (Apart::Root, true), (Apart::Bits, has_bits)];
    let mut odd: Option<Key> = None;
    for apart in all.into_iter().filter(|(_, can)| *can).map(|(apart, _)| apart) {
        learnt.apart = apart;
        let is_shared = is_wild && apart == Apart::Root;
        let mut cells: IndexMap<(usize, Cell, u32), Column> = IndexMap::new();
        let mut first = None;
        // Who has done one turn of what others have done more of has no loop.
        let template = with_reach.iter().filter(|(_, rank, _)| is_shared && *rank > 0);
        let template = template.max_by_key(|(_, _, nodes)| align::loops(nodes)).map(|(_, _, nodes)| nodes.as_slice());
        for (recording, rank, nodes) in &with_reach {
            let shaped = template.filter(|_| *rank > 0).map(|template| align::shaped(template, nodes));
            let nodes = shaped.as_ref().unwrap_or(nodes);
            let cell = learnt.cell_of(*recording, *rank);
            let zeros = if apart == Apart::Bits { zeros_of(*rank, learnt.p[*recording].into()) } else { 0 };
            match cells.entry((*recording, cell.clone(), zeros)) {
                indexmap::map::Entry::Vacant(new) => {
                    new.insert(Column { recording: *recording, cell, ranks: vec![*rank as u32], nodes: nodes.clone() });
                }
                indexmap::map::Entry::Occupied(mut known) => {
                    let column = known.get_mut();
                    first = first.or(pure(&mut column.nodes, nodes, (column.ranks.len() as f64, is_shared)));
                    column.ranks.push(*rank as u32);
                }
            }
        }
        if first.is_none() {
            if apart == Apart::Bits {
                learnt.symbols.extend(ZEROS.map(str::to_owned));
                learnt.rows.iter_mut().for_each(|row| row.extend([0.0, 1.0]));
            }
            return Ok(divided(learnt, cells.into_values().collect())?);
        }
        // What the grid or all together show is nearer to the program than what the last try does.
        odd = if apart == Apart::Grid { first } else { odd.or(first) };
    }
    let key = odd.unwrap_or(Key { call: 0, flags: Flags::default(), site: 0 });
    let site = learnt.sites.get(key.site).cloned().unwrap_or_default();
    let message = "ranks in like positions do different things, beginning here";
    let problem = Problem::new("unexplained", message).value(format!("{} at {site}", shown(key.call, key.flags)));
    let hint = "runcast record dump shows what each class of ranks did; --allow-unexplained PCT leaves such calls out";
    let problem = problem.hint(hint);
    Err(Refusal { problem, keys: odd.into_iter().collect() })
}

fn divided(learnt: &mut Learnt, mut columns: Vec<Column>) -> Result<Vec<Column>, Problem> {
    let recordings = learnt.p.len();
    for column in &columns {
        let ranks = learnt.cells.entry(column.cell.clone()).or_insert_with(|| vec![0; recordings]);
        ranks[column.recording] += column.ranks.len() as u32;
    }
    let grid = learnt.grid.as_ref().filter(|grid| learnt.apart == Apart::Grid && !grid.wrap);
    if let Some(grid) = grid {
        let is_short = |dim: usize| grid.sizes.iter().all(|sizes| sizes[dim] < 3);
        if let Some(dim) = (0..grid.dims).find(|dim| is_short(*dim)) {
            let message = format!("no recording has a rank in the middle of dimension {} of the grid", dim + 1);
            let problem = Problem::new("no_middle", message);
            return Err(problem.hint("record a run with at least three ranks in each dimension"));
        }
    }
    if columns.iter().any(|column| align::size(&column.nodes) > MOST_NODES) {
        let message = format!("a rank has more than {MOST_NODES} calls and loops of its own");
        return Err(Problem::new("too_large", message).hint("record fewer iterations, or with a larger --window"));
    }
    // The largest first: it has the most positions and the most calls.
    columns.sort_by_key(|column| std::cmp::Reverse((learnt.p[column.recording], align::size(&column.nodes))));
    Ok(columns)
}

/// The fields whose values a formula has to give.
const EXPLAINED: [Field; 3] = [Field::Size, Field::Tag, Field::Root];

/// A law's values by the index, and the depth of the loop.
fn depth_of(law: &Law) -> Option<usize> {
    if let Law::List { depth, .. } = law { Some(*depth) } else { None }
}

impl Learnt {
    /// Takes in a configuration that nothing was learnt from; its number.
    ///
    /// # Errors
    /// A parameter is not given.
    pub fn with(&mut self, p: u32, params: &[(String, f64)]) -> Result<usize, Problem> {
        let sizes = self.sizes_at(p);
        let value = |name: &String| -> Option<f64> {
            let dim = name.strip_prefix("q[").and_then(|rest| rest.strip_suffix(']')?.parse::<usize>().ok());
            match (name.as_str(), dim) {
                ("p", _) => Some(p.into()),
                (LOG, _) => Some(log(p)),
                (name, _) if self.apart == Apart::Bits && ZEROS.contains(&name) => Some(f64::from(name == ZEROS[1])),
                (_, Some(dim)) => sizes.get(dim - 1).map(|size| *size as f64),
                _ => params.iter().find(|(known, _)| known == name).map(|(_, value)| *value),
            }
        };
        let first = self.symbols.len() - self.unforeseen.len();
        let missing = self.symbols[..first].iter().find(|name| value(name).is_none());
        if let Some(name) = missing {
            return Err(Problem::new("missing_parameter", "a parameter has no value").value(name));
        }
        let mut row: Vec<f64> = self.symbols[..first].iter().filter_map(value).collect();
        let given = |one: &Unforeseen| params.iter().find(|(name, _)| *name == one.name).map(|(_, value)| *value);
        let near = |one: &Unforeseen| {
            let near = one.rule.at(&row, 0);
            if one.is_whole { near.round() } else { near }
        };
        let turns: Vec<f64> = self.unforeseen.iter().map(|one| given(one).unwrap_or_else(|| near(one))).collect();
        row.extend(turns);
        self.rows.push(row);
        let last = self.p.clone();
        self.p.push(p);
        if let Some(grid) = &mut self.grid {
            grid.sizes.push(sizes);
        }
        rooted(&mut self.items, &last, p);
        Ok(self.p.len() - 1)
    }
}

/// The partner that all have in one more configuration: the last rank, or the same as ever.
fn rooted(items: &mut [Item], processes: &[u32], p: u32) {
    for item in items {
        for reach in [&mut item.to, &mut item.from] {
            if let Reach::Fixed(roots) = reach {
                let is_last = roots.iter().zip(processes).all(|(root, p)| root + 1 == i64::from(*p));
                let same = roots.first().copied().unwrap_or(-1);
                roots.push(if is_last { i64::from(p) - 1 } else { same });
            }
        }
        rooted(&mut item.body, processes, p);
    }
}

#[cfg(test)]
mod tests;
