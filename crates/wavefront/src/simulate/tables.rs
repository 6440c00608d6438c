//! What both engines draw from: a table for each law of each mode.

use super::alias::Alias;
use super::small::Small;
use crate::model::law::Law;
use crate::model::{Laws, Model, Modes, Semantics, Tie};
use runcast_core::random::SplitMix;
use std::collections::HashMap;
use std::sync::Arc;

/// A convolved law of more values than this is drawn in parts.
const MOST_CELLS: u64 = 4096;

/// Up to this many processes, each link has its small table to itself.
const MOST_BY_LINK: usize = 16;

/// A model as the engines need it; made once, shared by all replications.
#[derive(Debug)]
pub struct Tables {
    /// The tables of each mode.
    pub(super) modes: Vec<ModeTables>,
    /// Row of Q: the next mode.
    next: Vec<Alias>,
    start: Alias,
    pub(super) rule: Rule,
    pub(super) alpha_updates: Vec<u32>,
    pub(super) most_alpha_updates: u32,
    pub(super) beta_updates: Vec<u32>,
    pub(super) offsets: Vec<i64>,
}

/// What happens in subphase beta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Nothing: B is 0 everywhere.
    Wait,
    /// Updates until the last message arrives, and what a tie means.
    Abort(Tie),
    /// Updates, the last of which is finished.
    Complete,
}

#[derive(Debug)]
pub(super) struct ModeTables {
    /// Of one update of each process.
    pub update: Vec<Alias>,
    /// Of subphase alpha of each process.
    pub alpha: Alpha,
    /// Of the messages.
    pub network: Network,
    /// How long after alpha each process itself can go on at the earliest.
    pub own: Vec<i64>,
}

/// Times of subphase alpha, by process.
#[derive(Debug)]
pub(super) enum Alpha {
    /// All of them are small laws.
    Small(Vec<Small>),
    /// Any laws.
    Any(Vec<Sum>),
}

/// Times of messages; where there are several, by receiver, then sender.
#[derive(Debug)]
pub(super) enum Network {
    /// They take the same time always.
    Constant(Vec<i64>),
    /// One small law for all links.
    Same(Box<Small>),
    /// A small law for each link.
    Small(Vec<Small>),
    /// Any laws: each once, and which one a link has.
    Any(Vec<Alias>, Vec<u32>),
}

/// The sum of several independent times.
#[derive(Debug)]
pub(super) struct Sum {
    whole: Alias,
    times: u32,
    rest: Option<Alias>,
}

impl Tables {
    pub fn new(model: &Model) -> Arc<Tables> {
        let alpha_updates: Vec<u32> = model.processes.iter().map(|process| process.alpha_updates).collect();
        let beta_updates: Vec<u32> = model.processes.iter().map(|process| process.beta_updates).collect();
        let rule = match model.semantics {
            _ if beta_updates.iter().all(|count| *count == 0) => Rule::Wait,
            Semantics::Abort => Rule::Abort(model.tie),
            Semantics::Complete => Rule::Complete,
        };
        let Modes { transition, start, laws, .. } = &model.modes;
        let mode_tables = laws.iter().map(|laws| ModeTables {
            update: laws.update.iter().map(|law| Alias::new(law)).collect(),
            alpha: Alpha::new(laws, &alpha_updates),
            network: Network::new(laws),
            own: (laws.message.iter().enumerate())
                .map(|(process, row)| if model.has_sends { row[process].most() as i64 } else { 0 })
                .collect(),
        });
        Arc::new(Tables {
            modes: mode_tables.collect(),
            next: transition.iter().map(|row| Alias::of_weights(row)).collect(),
            start: Alias::of_weights(start),
            rule,
            most_alpha_updates: alpha_updates.iter().copied().max().unwrap_or(0),
            alpha_updates,
            beta_updates,
            offsets: model.start.clone(),
        })
    }

    /// How many processes there are.
    pub(super) fn size(&self) -> usize {
        self.offsets.len()
    }

    /// The mode of the first phase.
    pub(super) fn first_mode(&self, random: &mut SplitMix) -> usize {
        self.start.draw(random) as usize
    }

    /// The mode of the phase after one of `mode`.
    #[inline(always)]
    pub(super) fn next_mode(&self, mode: usize, random: &mut SplitMix) -> usize {
        self.next[mode].draw(random) as usize
    }
}

impl Alpha {
    fn new(laws: &Laws, alpha_updates: &[u32]) -> Alpha {
        let small = |(law, count): (&Arc<Law>, &u32)| match at_once(law, *count) == *count {
            true => Small::new(&law.convolved(*count)),
            false => None,
        };
        let pairs = || laws.update.iter().zip(alpha_updates);
        match pairs().map(small).collect() {
            Some(small) => Alpha::Small(small),
            None => Alpha::Any(pairs().map(|(law, count)| Sum::new(law, *count)).collect()),
        }
    }
}

impl Alpha {
    /// The time of one process.
    pub fn draw(&self, process: usize, random: &mut SplitMix) -> i64 {
        match self {
            Alpha::Small(tables) => tables[process].draw(random.bits() as u32),
            Alpha::Any(sums) => sums[process].draw(random),
        }
    }
}

impl Network {
    fn new(laws: &Laws) -> Network {
        let size = laws.message.len();
        let links = || (0..size).flat_map(|to| (0..size).map(move |from| (from, to)));
        let mut others = links().filter(|(from, to)| from != to).map(|(from, to)| &laws.message[from][to]);
        let law = |(from, to): (usize, usize)| &laws.message[from][to];
        if others.all(|law| law.support().len() == 1) {
            return Network::Constant(links().map(law).map(|law| law.least() as i64).collect());
        }
        let mut others = links().filter(|(from, to)| from != to).map(law);
        let same = others.next().filter(|first| others.all(|law| Arc::ptr_eq(law, first) || law == *first));
        if let Some(small) = same.and_then(|law| Small::new(law)) {
            return Network::Same(Box::new(small));
        }
        if size <= MOST_BY_LINK
            && let Some(small) = links().map(|link| Small::new(law(link))).collect()
        {
            return Network::Small(small);
        }
        let mut known = HashMap::new();
        let mut tables = Vec::new();
        let which = links().map(law).map(|law| {
            *known.entry(Arc::as_ptr(law)).or_insert_with(|| {
                tables.push(Alias::new(law));
                tables.len() as u32 - 1
            })
        });
        let which = which.collect();
        Network::Any(tables, which)
    }

    /// The time of one message.
    pub fn draw(&self, from: usize, to: usize, size: usize, random: &mut SplitMix) -> i64 {
        let link = to * size + from;
        match self {
            Network::Constant(times) => times[link],
            Network::Same(table) => table.draw(random.bits() as u32),
            Network::Small(tables) => tables[link].draw(random.bits() as u32),
            Network::Any(tables, which) => tables[which[link] as usize].draw(random),
        }
    }
}

/// How many of `count` times of `law` are drawn as one.
fn at_once(law: &Law, count: u32) -> u32 {
    match law.most() - law.least() {
        0 => count,
        spread => count.min((MOST_CELLS / (spread + 1)).max(1) as u32),
    }
}

impl Sum {
    /// The law of `count` times of `law`, as one table where it is small, else as a sum of parts.
    fn new(law: &Law, count: u32) -> Sum {
        let at_once = at_once(law, count);
        let rest = count % at_once.max(1);
        Sum {
            whole: Alias::new(&law.convolved(at_once)),
            times: count / at_once.max(1),
            rest: (rest > 0).then(|| Alias::new(&law.convolved(rest))),
        }
    }

    #[inline(always)]
    pub fn draw(&self, random: &mut SplitMix) -> i64 {
        if self.times == 1 && self.rest.is_none() {
            return self.whole.draw(random);
        }
        self.draw_parts(random)
    }

    fn draw_parts(&self, random: &mut SplitMix) -> i64 {
        if self.whole.is_constant() && self.rest.as_ref().is_none_or(Alias::is_constant) {
            let rest = self.rest.as_ref().map_or(0, |rest| rest.draw(random));
            return self.whole.draw(random) * i64::from(self.times) + rest;
        }
        let parts: i64 = (0..self.times).map(|_| self.whole.draw(random)).sum();
        parts + self.rest.as_ref().map_or(0, |rest| rest.draw(random))
    }
}
