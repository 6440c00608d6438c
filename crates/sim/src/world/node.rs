//! Blocks at work on a node: the cores and the memory that they share (docs/theory/sim.md, section 4).
//!
//! At every start and stop of a block, over all that run:
//!
//! ```text
//! k  = sum of the threads on the cores of a domain      s = thr(k)/k      h = 1 + turbo*(1 - (min(k,C)-1)/(C-1))
//! km = that of the threads that move bytes from memory
//! pool = ((1/(km*s*core))^S + (1/machine)^S)^(-1/S)     S infinite: the least
//! x    = max-min share of the pool, by threads, no more than min(threads*s*core, bytes*rc)
//! rate = min(rc, x/bytes, s/cache_s)                    rc = s*h/computing_s
//! ```
//!
//! A block ends when the integral of its rate is 1. Sources: S. Williams et al., *Roofline*, CACM 2009; max-min fairness:
//! D. Bertsekas, R. Gallager, *Data Networks*, 1992.

use super::{DeviceId, MemoryLaw, turbo_factor};
use crate::application::Block;
use runcast_core::Problem;
use runcast_core::hash::MixMap;
use std::cell::RefCell;
use std::hash::Hash;

/// What a block asks of the cores and the memory of its node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Need {
    /// Cores alone: its time is given, or a rule names nothing that others change.
    Cores,
    /// A rule that names `bw`: it is asked for its seconds with what a thread gets.
    Rule,
    /// Operations, bytes from memory, bytes from the last-level cache: whichever takes longest.
    Roofline {
        /// Seconds of the operations on cores of their own, without turbo.
        computing_s: f64,
        /// Bytes from memory.
        memory: f64,
        /// Seconds of the bytes from the last-level cache, on cores of their own.
        cache_s: f64,
    },
}

impl Need {
    /// Whether it moves bytes from memory.
    fn uses_memory(&self) -> bool {
        match self {
            Need::Cores => false,
            Need::Rule => true,
            Need::Roofline { memory, .. } => *memory > 0.0,
        }
    }

    /// That of a share of its threads.
    #[must_use]
    pub fn part(self, share: f64) -> Need {
        match self {
            Need::Roofline { computing_s, memory, cache_s } => {
                Need::Roofline { computing_s, memory: memory * share, cache_s }
            }
            other => other,
        }
    }
}

/// Like blocks at work on the cores of one domain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Running {
    /// Domain of the node.
    pub domain: u32,
    /// How many there are.
    pub count: f64,
    /// Threads of each.
    pub threads: f64,
    /// Number of the block, among those of the application.
    pub block: u32,
    /// Class of the places.
    pub class: u32,
    /// Seconds in which progress is counted: at a rate of 1 a block takes so long.
    pub seconds: f64,
    pub need: Need,
}

/// All blocks at work on a node.
#[derive(Debug, Clone, Copy)]
pub struct AtWork<'a> {
    pub node: DeviceId,
    /// Those of the application, by their numbers.
    pub blocks: &'a [Block],
    pub running: &'a [Running],
    /// What rules have said.
    pub answered: &'a Answered,
}

/// What rules have said of these blocks: as others begin and end they are asked the same again and again.
#[derive(Debug, Default)]
pub struct Answered {
    throughput: Kept<(u32, u64)>,
    seconds: Kept<(u32, u32, u64)>,
}

/// Numbers by what was asked.
#[derive(Debug)]
struct Kept<K>(RefCell<MixMap<K, f64>>);

/// Answers of a kind that are kept; then all are forgotten.
const MOST_KEPT: usize = 1 << 16;

impl<K> Default for Kept<K> {
    fn default() -> Self {
        Kept(RefCell::default())
    }
}

impl<K: Copy + Eq + Hash> Kept<K> {
    fn or(&self, key: K, ask: impl FnOnce() -> Result<f64, Problem>) -> Result<f64, Problem> {
        if let Some(known) = self.0.borrow().get(&key) {
            return Ok(*known);
        }
        let new = ask()?;
        let mut kept = self.0.borrow_mut();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(key, new);
        Ok(new)
    }
}

impl Answered {
    /// Cores' worth of work of this many threads on a device of a class.
    ///
    /// # Errors
    /// Those of the rule.
    pub fn throughput(
        &self,
        (class, threads): (u32, f64),
        ask: impl FnOnce() -> Result<f64, Problem>,
    ) -> Result<f64, Problem> {
        self.throughput.or((class, threads.to_bits()), ask)
    }

    /// Seconds of a block at a class, with this memory bandwidth of a thread.
    ///
    /// # Errors
    /// Those of the rule.
    pub fn seconds(
        &self,
        (block, class, bw): (u32, u32, f64),
        ask: impl FnOnce() -> Result<f64, Problem>,
    ) -> Result<f64, Problem> {
        self.seconds.or((block, class, bw.to_bits()), ask)
    }
}

/// Cores that take their bytes from one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Domain {
    /// Class of the device.
    pub class: u32,
    /// Its number among those of the machine.
    pub device: u32,
    /// Whether it is a processor: turbo of the machine counts the threads of these.
    pub is_processor: bool,
    /// Its share of the cores of the device.
    pub share: f64,
    pub cores: f64,
    pub turbo: f64,
    /// Which of the node's memories.
    pub memory: usize,
    /// Threads placed on it.
    pub placed: f64,
    /// Whether these count, rather than those that run.
    pub counts_placed: bool,
}

/// A node: machines' processors, or a device of its own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeLaw {
    pub domains: Vec<Domain>,
    pub memories: Vec<MemoryLaw>,
    /// Turbo that counts the threads of all domains, and all their cores.
    pub turbo: Option<(f64, f64)>,
}

/// Answers that depend on rules of the user.
pub trait Rules {
    /// Cores' worth of work of this many threads on a domain.
    ///
    /// # Errors
    /// Those of the formula.
    fn throughput(&self, domain: &Domain, threads: f64) -> Result<f64, Problem>;
    /// Seconds of a block by its rule, with this memory bandwidth of a thread.
    ///
    /// # Errors
    /// Those of the formula.
    fn seconds(&self, running: &Running, bw: f64) -> Result<f64, Problem>;
}

/// What threads on a domain get: the share of a core, and the factor of turbo.
#[derive(Debug, Clone, Copy)]
struct Cores {
    s: f64,
    h: f64,
}

impl NodeLaw {
    /// Appends how fast each progresses: in its `seconds` a second.
    ///
    /// # Errors
    /// Those of rules; `bad_throughput`.
    pub fn progress(&self, running: &[Running], rules: &dyn Rules, rates: &mut Vec<f64>) -> Result<(), Problem> {
        let cores = self.cores(running, rules)?;
        let first = rates.len();
        rates.extend(running.iter().map(|one| cores[one.domain as usize].s));
        let rates = &mut rates[first..];
        let mut bytes = vec![f64::INFINITY; running.len()];
        for memory in 0..self.memories.len() {
            self.share(memory, running, &cores, &mut bytes);
        }
        for ((one, rate), bytes) in running.iter().zip(rates).zip(bytes) {
            let Cores { s, h } = cores[one.domain as usize];
            match one.need {
                Need::Cores => {}
                Need::Rule => *rate = one.seconds / rules.seconds(one, bytes / one.threads)?,
                Need::Roofline { computing_s, memory, cache_s } => {
                    let computing = s * h / computing_s;
                    let moving = if memory > 0.0 { bytes / memory } else { f64::INFINITY };
                    *rate = one.seconds * computing.min(moving).min(s / cache_s);
                }
            }
        }
        Ok(())
    }

    fn cores(&self, running: &[Running], rules: &dyn Rules) -> Result<Vec<Cores>, Problem> {
        let threads = |domain: usize| -> f64 {
            running.iter().filter(|one| one.domain as usize == domain).map(|one| one.count * one.threads).sum()
        };
        let of = |(index, domain): (usize, &Domain)| if domain.counts_placed { domain.placed } else { threads(index) };
        let busy: Vec<f64> = self.domains.iter().enumerate().map(of).collect();
        let processors = self.domains.iter().zip(&busy).filter(|(domain, _)| domain.is_processor);
        let all: f64 = processors.map(|(_, busy)| busy).sum();
        let one = |(domain, k): (&Domain, &f64)| {
            let s = if *k > 0.0 { positive(rules.throughput(domain, *k)?)? / k } else { 1.0 };
            let h = match self.turbo {
                Some((turbo, cores)) => turbo_factor(turbo, all, cores),
                None => turbo_factor(domain.turbo, *k, domain.cores),
            };
            Ok(Cores { s, h })
        };
        self.domains.iter().zip(&busy).map(one).collect()
    }

    /// Bytes per second of each block that takes them from a memory.
    fn share(&self, memory: usize, running: &[Running], cores: &[Cores], bytes: &mut [f64]) {
        let law = &self.memories[memory];
        let core = law.core.unwrap_or(f64::INFINITY);
        let of = |one: &Running| &self.domains[one.domain as usize];
        let mut asks: Vec<(f64, usize)> = Vec::with_capacity(running.len());
        let (mut taken, mut threads) = (0.0, 0.0);
        for (index, one) in running.iter().enumerate() {
            if of(one).memory != memory || !one.need.uses_memory() {
                continue;
            }
            let Cores { s, h } = cores[one.domain as usize];
            let most = match one.need {
                Need::Roofline { computing_s, memory, .. } if computing_s > 0.0 => {
                    (one.threads * s * core).min(memory * s * h / computing_s)
                }
                _ => one.threads * s * core,
            };
            asks.push((most / one.threads, index));
            taken += one.count * one.threads * s * core;
            threads += one.count * one.threads;
        }
        let here = || self.domains.iter().zip(cores).filter(|(domain, _)| domain.memory == memory);
        if here().any(|(domain, _)| domain.counts_placed) {
            taken = here().map(|(domain, cores)| domain.placed * cores.s * core).sum();
            threads = here().map(|(domain, _)| domain.placed).sum();
            let level = law.pool(taken) / threads;
            for (ask, index) in asks {
                bytes[index] = running[index].threads * ask.min(level);
            }
            return;
        }
        let mut left = law.pool(taken);
        asks.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        for (ask, index) in asks {
            let one = &running[index];
            let each = ask.min(left / threads);
            bytes[index] = one.threads * each;
            let own = one.count * one.threads;
            if left.is_finite() {
                left -= own * each;
            }
            threads -= own;
        }
    }
}

/// A throughput that makes progress.
///
/// # Errors
/// `bad_throughput`.
pub fn positive(done: f64) -> Result<f64, Problem> {
    if done.is_finite() && done > 0.0 {
        return Ok(done);
    }
    Err(Problem::new("bad_throughput", "shared cores make no progress")
        .value(done.to_string())
        .allowed("more than 0")
        .hint("see the rule for `throughput`"))
}

#[cfg(test)]
mod tests;
