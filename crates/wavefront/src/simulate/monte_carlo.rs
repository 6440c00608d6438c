//! A model solved by simulation: independent replications, each with random numbers of its own.

use super::summary::{self, Parts};
use super::tally::{Batch, Counting, Frequencies, Tally};
use super::trace::{Traced, Tracer};
use super::wavefronts::Numbering;
use super::{Engine, EngineKind, Events, Ignore, Recursion, See, Tables};
use crate::markov::LongRun;
use crate::model::{Laws, Model};
use crate::solve::solution::Solution;
use rayon::prelude::*;
use runcast_core::random::SplitMix;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Phases between two checks of the interrupt.
const SLICE: u64 = 1 << 18;
/// Intervals come from at least this many pieces of runs.
const PIECES: u64 = 32;
/// Batches that are kept of all pieces together.
const BATCHES: u64 = 20_000;
/// Batches of one piece, where there are as many phases.
const BATCHES_OF_A_PIECE: u64 = 512;
/// Random numbers that [`MonteCarloOptions::within_seconds`] counts on, a second and core.
const DRAWS_PER_SECOND: f64 = 1.5e8;

/// How a model is simulated.
#[derive(Clone)]
pub struct MonteCarloOptions {
    /// Phases that count, of all replications together.
    pub phases: u64,
    /// Independent replications.
    pub replications: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// The engine that plays the phases.
    pub engine: EngineKind,
    pub beginning: Beginning,
    /// Whether the law of Phi is wanted.
    pub phase_pmf: bool,
    /// Whether every phase of every process is recorded.
    pub trace: bool,
    /// Memory that the wavefronts of a replication may take, in bytes.
    pub memory_bytes: usize,
    /// Raised from outside to stop: what was played until then counts.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Called with the number of phases played since the last call.
    pub progress: Option<Arc<dyn Fn(u64) + Send + Sync>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    /// In the long run: modes from their limit law, offsets from the start of the model after a warm-up.
    LongRun,
    /// At the start of the model; every phase counts.
    Start,
}

/// The result of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated {
    /// The answers, with their intervals.
    pub solution: Solution,
    /// Standard errors of E\[Phi\] (in ticks) and E\[N\]; none where there is one piece only.
    pub errors: Option<(f64, f64)>,
    /// Phases that count.
    pub phases: u64,
    /// Replications that count.
    pub replications: u64,
    /// Phases that each replication played before.
    pub warm_up: u64,
    /// Phi summed up over each complete replication, in ticks.
    pub totals: Vec<u64>,
    /// Phases that ended in a wavefront that found no room.
    pub dropped: u64,
    /// Whether phases are correlated over longer than the replications show.
    pub is_short: bool,
    /// Whether it was stopped from outside.
    pub is_interrupted: bool,
    /// The records of each replication.
    pub traces: Vec<Vec<Traced>>,
}

impl MonteCarloOptions {
    /// A million phases by the recursion, in the long run.
    pub fn new(seed: u64) -> MonteCarloOptions {
        MonteCarloOptions {
            phases: 1_000_000,
            replications: 40,
            seed,
            engine: EngineKind::Recursion,
            beginning: Beginning::LongRun,
            phase_pmf: false,
            trace: false,
            memory_bytes: 16 << 20,
            interrupt: None,
            progress: None,
        }
    }

    /// As many phases as one core plays in about this many seconds, between 20,000 and a billion; the number depends on the
    /// model, not on a clock.
    #[must_use]
    pub fn within_seconds(mut self, model: &Model, seconds: f64) -> MonteCarloOptions {
        let size = model.size() as f64;
        let draws = 4.0 + size * size + beta_draws(model);
        let phases = (seconds * DRAWS_PER_SECOND / draws).clamp(5e3, 1e9);
        // Replications of a round length: those of a chain with a period then show it completely.
        self.phases = ((phases / self.replications as f64 / 120.0).ceil() * 120.0) as u64 * self.replications;
        self
    }

    /// Phases that will be played in total, those of warm-ups included.
    pub fn steps(&self) -> u64 {
        self.phases + self.replications * self.warm_up()
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
    }

    /// Phases before those that count: even, so that chains of period 2 show both sides equally often.
    fn warm_up(&self) -> u64 {
        match self.beginning {
            Beginning::Start => 0,
            Beginning::LongRun => (self.phases / self.replications.max(1) / 10).clamp(100, 10_000) / 2 * 2,
        }
    }
}

/// Updates that all processes together may begin in beta, about: no more than fit into the longest message.
fn beta_draws(model: &Model) -> f64 {
    let longest = model.longest_message() as f64;
    let of_mode = |laws: &Laws| {
        let processes = model.processes.iter().zip(&laws.update);
        processes.map(|(process, update)| f64::from(process.beta_updates).min(longest / update.mean() + 1.0)).sum()
    };
    model.modes.laws.iter().map(of_mode).fold(0.0, f64::max)
}

/// A model solved by simulation; none where it was stopped before anything was complete.
///
/// # Examples
/// ```
/// use runcast_wavefront::cases;
/// use runcast_wavefront::simulate::{MonteCarloOptions, monte_carlo};
/// let solution = monte_carlo(&cases::barrier(), &MonteCarloOptions::new(0)).unwrap();
/// let half_width = solution.half_widths.unwrap().phase.phase_mean;
/// // Phi = 1 + 2 Bernoulli(3/4): the mean is 2.5, its standard error 0.87/1000.
/// assert!((solution.phase.phase_mean - 2.5).abs() < 2.0 * half_width);
/// assert!((half_width / 0.0017 - 1.0).abs() < 0.5);
/// ```
pub fn monte_carlo(model: &Model, options: &MonteCarloOptions) -> Option<Solution> {
    simulate(model, options).map(|simulated| simulated.solution)
}

/// The same with what is known about the simulation itself.
pub fn simulate(model: &Model, options: &MonteCarloOptions) -> Option<Simulated> {
    let plan = Plan::new(model, options);
    let replications = options.replications.max(1);
    let mut parts = Parts::default();
    let at_once = rayon::current_num_threads().max(1) as u64;
    let mut next = 0;
    // Those of a round are added in their order: neither memory nor sums depend on the number of threads.
    while next < replications && !options.is_interrupted() {
        let round = next..(next + at_once).min(replications);
        next = round.end;
        let played: Vec<Option<Played>> = round.into_par_iter().map(|index| plan.replication(index)).collect();
        for played in played.into_iter().flatten() {
            if played.is_complete {
                parts.totals.push(played.tallies.iter().map(|tally| tally.ticks as u64).sum());
            }
            parts.take(played.tallies, replications);
            if options.trace {
                parts.traces.push(played.trace);
            }
            match &mut parts.frequencies {
                Some(frequencies) => frequencies.add(played.frequencies),
                None => parts.frequencies = Some(played.frequencies),
            }
        }
    }
    summary::simulated(model, options, &plan, parts)
}

/// State shared by all replications.
pub(super) struct Plan<'a> {
    model: &'a Model,
    options: &'a MonteCarloOptions,
    tables: Arc<Tables>,
    pub long_run: LongRun,
    numbering: Numbering,
    pub warm_up: u64,
    /// Pieces of a replication, and phases of a batch.
    pieces: u64,
    pub batch: u64,
}

/// The result of a replication.
struct Played {
    tallies: Vec<Tally>,
    frequencies: Frequencies,
    trace: Vec<Traced>,
    is_complete: bool,
}

impl<'a> Plan<'a> {
    fn new(model: &'a Model, options: &'a MonteCarloOptions) -> Plan<'a> {
        let replications = options.replications.max(1);
        let length = (options.phases / replications).max(1);
        let pieces = PIECES.div_ceil(replications).min(length);
        let batches = (BATCHES / (pieces * replications)).clamp(8, BATCHES_OF_A_PIECE);
        Plan {
            model,
            options,
            tables: Tables::new(model),
            long_run: LongRun::of(&model.modes.transition, &model.modes.start),
            numbering: Numbering::new(model, length),
            warm_up: options.warm_up(),
            pieces,
            batch: (length / pieces / batches).max(1),
        }
    }

    /// Phases of a replication that count.
    fn length(&self, index: u64) -> u64 {
        let (phases, replications) = (self.options.phases, self.options.replications.max(1));
        phases / replications + u64::from(index < phases % replications)
    }

    /// One replication; none where it was stopped.
    fn replication(&self, index: u64) -> Option<Played> {
        let seed = self.options.seed;
        let mode = (self.options.beginning == Beginning::LongRun && self.model.modes.count() > 1).then(|| {
            // Evenly spread over the limit law, from one random number for all replications.
            let first = SplitMix::new(seed, u64::MAX).uniform();
            self.long_run.state_at((index as f64 + first) / self.options.replications.max(1) as f64)
        });
        match self.options.engine {
            EngineKind::Recursion => {
                let recursion = Recursion::of_tables(&self.tables, seed, index);
                self.play(mode.into_iter().fold(recursion, Recursion::starting_in), index)
            }
            EngineKind::Events => {
                let events = Events::of_tables(&self.tables, seed, index);
                self.play(mode.into_iter().fold(events, Events::starting_in), index)
            }
        }
    }

    fn play(&self, mut engine: impl Engine, index: u64) -> Option<Played> {
        self.pass(&mut engine, self.warm_up, |engine, phases| engine.play(phases, Ignore))?;
        let size = self.model.size();
        let (least, most) = summary::extremes(self.model);
        let memory = self.options.memory_bytes;
        let mut frequencies = Frequencies::new(least, most, self.options.phase_pmf, self.numbering, memory);
        let (mut tallies, mut tracer) = (Vec::new(), Tracer::default());
        let (length, mut is_complete) = (self.length(index), true);
        for piece in 0..self.pieces {
            let mut left = length / self.pieces + u64::from(piece < length % self.pieces);
            let mut tally = Tally::new(size);
            while left > 0 && is_complete {
                let (ticks, iterations) = (tally.ticks, tally.iterations);
                let batch = left.min(self.batch);
                let passed = self.pass(&mut engine, batch, |engine, phases| {
                    let mut counting = Counting::new(&mut tally, &mut frequencies);
                    if !self.options.trace {
                        return engine.play(phases, counting);
                    }
                    for _ in 0..phases {
                        let phase = tracer.phase(engine);
                        let (updates, offsets, mode) = engine.last();
                        counting.see(phase, updates, offsets, mode);
                    }
                });
                // Stopped: what was played counts.
                is_complete = passed.is_some();
                if passed.is_some() && batch == self.batch {
                    tally.batches.push(Batch { ticks: tally.ticks - ticks, iterations: tally.iterations - iterations });
                }
                left -= batch;
            }
            if tally.phases > 0 {
                tallies.push(tally);
            }
        }
        (!tallies.is_empty()).then(|| Played { tallies, frequencies, trace: tracer.rows(), is_complete })
    }

    /// Plays this many phases, unless it is stopped.
    fn pass<E: Engine>(&self, engine: &mut E, phases: u64, mut play: impl FnMut(&mut E, u64)) -> Option<()> {
        let mut left = phases;
        while left > 0 {
            let slice = left.min(SLICE);
            play(engine, slice);
            left -= slice;
            if let Some(progress) = &self.options.progress {
                progress(slice);
            }
            if self.options.is_interrupted() {
                return None;
            }
        }
        Some(())
    }
}
