//! The walk from the last event back to the start.

use super::{Kept, Kind, Step, Watch};
use crate::application::{Application, Op, Site, Task};
use crate::outcome::Activity;
use crate::platform::{LinkId, Platform};
use crate::tick::{Tick, TickLength};
use crate::world::World;
use std::collections::{BTreeMap, HashMap};

/// Jumps without any time between them beyond which the walk stays where it is: processes that cause each other at one
/// moment would keep it forever.
const MOST_JUMPS_AT_ONCE: usize = 10_000;

/// What the walk needs to name what it meets.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Names of processes, blocks and places.
    pub application: &'a Application,
    /// Latencies and links.
    pub platform: &'a Platform,
    pub world: &'a dyn World,
    /// How long a tick is.
    pub tick: TickLength,
}

/// Causes with the ticks of the path that are theirs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Path {
    ticks: BTreeMap<(Kind, String), u128>,
}

impl Path {
    /// Adds ticks to a cause.
    pub fn add(&mut self, kind: Kind, what: impl Into<String>, ticks: u128) {
        if ticks > 0 {
            *self.ticks.entry((kind, what.into())).or_default() += ticks;
        }
    }

    /// Its parts, the largest first; beyond `most` the rest of a kind is one part. The shares add up to 1.
    pub fn steps(&self, most: usize, tick: TickLength) -> Vec<Step> {
        let all: u128 = self.ticks.values().sum();
        let mut parts: Vec<(Kind, String, u128)> =
            self.ticks.iter().map(|((kind, what), ticks)| (*kind, what.clone(), *ticks)).collect();
        parts.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| (a.0, &a.1).cmp(&(b.0, &b.1))));
        if parts.len() > most {
            let mut rest: BTreeMap<Kind, (u128, usize)> = BTreeMap::new();
            for (kind, _, ticks) in parts.drain(most..) {
                let entry = rest.entry(kind).or_default();
                entry.0 += ticks;
                entry.1 += 1;
            }
            parts.extend(rest.into_iter().map(|(kind, (ticks, count))| (kind, format!("{count} others"), ticks)));
        }
        let share = |ticks: u128| if all == 0 { 0.0 } else { ticks as f64 / all as f64 };
        parts
            .into_iter()
            .map(|(kind, what, ticks)| Step { kind, what, time_s: tick.to_seconds_wide(ticks), share: share(ticks) })
            .collect()
    }
}

impl Watch {
    /// The path that ends with the last process; none if nothing was seen, or too much to keep.
    pub fn path(&self, context: &Context<'_>) -> Option<Path> {
        if self.overflown {
            return None;
        }
        let ends = self.intervals.iter().enumerate();
        let (process, end) = ends
            .filter_map(|(process, list)| Some((process, list.last()?.to)))
            // The first of those that end together.
            .max_by_key(|(process, end)| (*end, std::cmp::Reverse(*process)))?;
        let mut walk = Walk { watch: self, context, names: Names::default(), path: Path::default(), links: Vec::new() };
        walk.back(process as u32, end);
        Some(walk.path)
    }
}

struct Walk<'a> {
    watch: &'a Watch,
    context: &'a Context<'a>,
    names: Names,
    path: Path,
    links: Vec<LinkId>,
}

impl Walk<'_> {
    fn back(&mut self, mut process: u32, mut at: Tick) {
        let mut jumps = 0;
        while at > 0 {
            let Some((from, kept)) = self.interval(process, at) else {
                let label = self.names.label(self.context.application, process);
                self.path.add(Kind::Wait, format!("the start of {label}"), u128::from(at));
                return;
            };
            if let Some(cause) = kept.cause
                && cause.at <= at
                && (cause.at < at || jumps < MOST_JUMPS_AT_ONCE)
                && (cause.process, cause.at) != (process, at)
            {
                jumps = if cause.at == at { jumps + 1 } else { 0 };
                self.message(process, at, &kept);
                (process, at) = (cause.process, cause.at);
                continue;
            }
            jumps = 0;
            self.own(process, at - from, &kept);
            at = from;
        }
    }

    /// The interval that a process is in just before a moment, and where it begins.
    fn interval(&self, process: u32, at: Tick) -> Option<(Tick, Kept)> {
        let list = self.watch.intervals.get(process as usize)?;
        let index = list.partition_point(|kept| kept.to < at);
        let kept = *list.get(index)?;
        let from = index.checked_sub(1).map_or(0, |before| list[before].to);
        Some((from, kept))
    }

    /// Time that a process spent by itself.
    fn own(&mut self, process: u32, ticks: Tick, kept: &Kept) {
        let application = self.context.application;
        let label = self.names.label(application, process);
        let (kind, what) = match kept.activity {
            Activity::Compute => (Kind::Compute, self.names.block(application, kept.site, &label)),
            Activity::Overhead => (Kind::Overhead, format!("messages of {label}")),
            Activity::Transfer => (Kind::Link, format!("messages to {label}")),
            Activity::Wait => (Kind::Wait, label),
            Activity::Collective => (Kind::Latency, self.names.collective(application, kept.site, &label)),
            Activity::Io => (Kind::Io, label),
        };
        self.path.add(kind, what, u128::from(ticks));
    }

    /// Time from the cause in another process to now: first the latency of the way, then bytes through its narrowest link.
    fn message(&mut self, process: u32, at: Tick, kept: &Kept) {
        let Some(cause) = kept.cause else { return };
        let ticks = at - cause.at;
        if ticks == 0 {
            return;
        }
        let context = self.context;
        if kept.activity == Activity::Collective {
            let label = self.names.label(context.application, process);
            let what = self.names.collective(context.application, kept.site, &label);
            self.path.add(Kind::Latency, what, u128::from(ticks));
            return;
        }
        let place = |process: u32| context.world.place(u64::from(process));
        let (own, other) = (place(process), place(cause.process));
        let way = context.platform.way(other, own, &mut self.links);
        let size = self.size(process, cause.process, at);
        let (parameters, _) = context.platform.loggops(&way, size);
        let latency = context.tick.of(parameters.L).unwrap_or(0).min(ticks);
        let network = context.platform.laws.get(way.law as usize).map_or("", |law| law.name.as_str());
        self.path.add(Kind::Latency, network, u128::from(latency));
        let narrowest = || {
            let slower = |a: &&LinkId, b: &&LinkId| {
                let bandwidth = |link: LinkId| context.platform.links[link as usize].bandwidth;
                bandwidth(**a).total_cmp(&bandwidth(**b))
            };
            self.links.iter().min_by(slower).copied()
        };
        let link = cause.link.or_else(narrowest).and_then(|link| context.platform.links.get(link as usize));
        let what = link.map_or_else(|| network.to_owned(), |link| kin(&link.name));
        self.path.add(Kind::Link, what, u128::from(ticks - latency));
    }

    /// Bytes of the message that two processes had between them up to a moment; 0 if it is not known.
    fn size(&self, one: u32, other: u32, at: Tick) -> u64 {
        let found = |to: u32, from: u32| {
            let list = self.watch.messages.get(to as usize)?;
            let end = list.partition_point(|message| message.received <= at);
            list[..end].iter().rev().take(64).find(|message| message.from == from)
        };
        match (found(one, other), found(other, one)) {
            (Some(a), Some(b)) => (if a.received >= b.received { a } else { b }).size,
            (Some(only), None) | (None, Some(only)) => only.size,
            (None, None) => 0,
        }
    }
}

/// Links of one kind are reported together: the last number of a name is which of several alike.
fn kin(name: &str) -> String {
    let trimmed = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if trimmed.len() == name.len() || trimmed.is_empty() {
        return name.to_owned();
    }
    trimmed.trim_end_matches([' ', '-', '_', '#']).to_owned()
}

/// Names, each made once.
#[derive(Default)]
struct Names {
    labels: HashMap<usize, String>,
    blocks: HashMap<Site, Option<String>>,
    read: bool,
}

impl Names {
    fn label(&mut self, application: &Application, process: u32) -> String {
        let label = application.label_of(u64::from(process));
        let name = || match application.labels.get(label) {
            Some(known) => match application.parts.get(known.app as usize) {
                Some(part) => format!("{}: {}", part.name, known.name),
                None => known.name.clone(),
            },
            None => String::new(),
        };
        self.labels.entry(label).or_insert_with(name).clone()
    }

    /// `sort of sorter (msort.luau:12)`.
    fn block(&mut self, application: &Application, site: Site, label: &str) -> String {
        if !std::mem::replace(&mut self.read, true) {
            self.read(application);
        }
        match self.blocks.get(&site) {
            Some(Some(kind)) => format!("{kind} of {label} ({})", application.place_of(site)),
            _ => format!("{label} ({})", application.place_of(site)),
        }
    }

    fn collective(&self, application: &Application, site: Site, label: &str) -> String {
        format!("collective of {label} ({})", application.place_of(site))
    }

    /// Which kind of block stands where; none where several do.
    fn read(&mut self, application: &Application) {
        let ops = application.programs.iter().flat_map(|program| &program.ops);
        for (op, site) in ops {
            let block = match op {
                Op::Compute(block) | Op::Launch { task: Task::Block(block), .. } => Some(*block),
                Op::FarmWorker(farm) => application.farms.get(*farm as usize).map(|farm| farm.work),
                Op::Farm(farm) => application.farms.get(*farm as usize).and_then(|farm| farm.master_work),
                _ => None,
            };
            let Some(block) = block.and_then(|block| application.blocks.get(block as usize)) else { continue };
            let kind = (!block.kind.is_empty()).then(|| block.kind.clone());
            self.blocks
                .entry(*site)
                .and_modify(|known| {
                    if *known != kind {
                        *known = None
                    }
                })
                .or_insert(kind);
        }
    }
}
