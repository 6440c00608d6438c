//! Noise: random factors on computing times and bandwidths, and interruptions (docs/theory/sim.md, section 4).
//!
//! | key | multiplies | drawn |
//! |---|---|---|
//! | `run` | computing times by 1 + X | once per run |
//! | `node` | computing times by 1 + X | once per machine |
//! | `block` | computing times by 1 + X | once a computing block |
//! | `link` | bandwidths by 1 - X | once per run |
//! | `detour` | adds interruptions of exponential length, Poisson in computing time | in each block |
//! | `trace` | adds the interruptions of a recorded trace | each process at a phase of its own |
//!
//! Draws come from streams that are counted by what they are for, (seed, configuration, repetition, process, block): not from
//! a generator that is passed along. So they do not depend on the order in which an engine asks, nor on what else is run.

mod distribution;
mod trace;

pub(crate) use distribution::exponential;

pub use distribution::Distribution;
pub use trace::Trace;

use crate::platform::Platform;
use runcast_core::Problem;
use runcast_core::random::SplitMix;
use std::sync::Arc;

/// The noise of an experiment. Everything is optional.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NoiseSpec {
    /// Computing times, one draw per run.
    pub run: Option<Distribution>,
    /// Computing times, one draw per machine.
    pub node: Option<Distribution>,
    /// Computing times, one draw per block.
    pub block: Option<Distribution>,
    /// Interruptions.
    pub detour: Option<Detour>,
    /// Bandwidths, one draw per run.
    pub link: Option<Distribution>,
    /// Computing times of blocks of a type, one draw per block, in place of `block`.
    pub types: Vec<(String, Distribution)>,
    /// Recorded interruptions.
    pub trace: Option<Arc<Trace>>,
}

impl NoiseSpec {
    /// The names that sizes of noise have, in place of `TYPE` the type of a block.
    pub const NAMES: &'static str = "run.mean, node.max, block.mean, block.sd, block.TYPE.mean, block.TYPE.sd";

    /// Gives a size by its name: the mean of an exponential law, the greatest value of a uniform one from 0, the standard
    /// deviation of a normal one.
    ///
    /// # Errors
    /// A name or a size that there is not.
    pub fn set(&mut self, name: &str, size: f64) -> Result<(), Problem> {
        let unknown = || {
            let problem = Problem::new("unknown_name", format!("there is no noise {name}")).value(name);
            problem.allowed(NoiseSpec::NAMES)
        };
        let (of, key) = name.rsplit_once('.').ok_or_else(unknown)?;
        match (of, key) {
            ("run", "mean") => self.run = Some(Distribution::exponential(size)?),
            ("node", "max") => self.node = Some(Distribution::uniform(0.0, size)?),
            ("block", "mean" | "sd") => self.block = Some(sized(self.block.as_ref(), key, size)?),
            (of, "mean" | "sd") => {
                let kind = of.strip_prefix("block.").ok_or_else(unknown)?;
                let at = self.types.iter().position(|(known, _)| known == kind);
                let law = sized(at.map(|at| &self.types[at].1), key, size)?;
                match at {
                    Some(at) => self.types[at].1 = law,
                    None => self.types.push((kind.to_owned(), law)),
                }
            }
            _ => return Err(unknown()),
        }
        Ok(())
    }

    /// A size by its name, where there is such a law.
    pub fn size(&self, name: &str) -> Option<f64> {
        let (of, key) = name.rsplit_once('.')?;
        let of_type = |kind: &str| self.types.iter().find(|(known, _)| known == kind).map(|(_, law)| law);
        let law = match of {
            "run" => self.run.as_ref(),
            "node" => self.node.as_ref(),
            "block" => self.block.as_ref(),
            _ => of_type(of.strip_prefix("block.")?),
        }?;
        match (law, key) {
            (Distribution::Normal { sd, .. }, "sd") => Some(*sd),
            (Distribution::Uniform { max, .. }, "max") => Some(*max),
            (law, "mean") => Some(law.mean()),
            _ => None,
        }
    }
}

/// A law of another mean, or another standard deviation.
fn sized(law: Option<&Distribution>, key: &str, size: f64) -> Result<Distribution, Problem> {
    match (key, law) {
        ("sd", law) => Distribution::normal(law.map_or(0.0, Distribution::mean), size),
        (_, Some(Distribution::Normal { sd, .. })) => Distribution::normal(size, *sd),
        _ => Distribution::exponential(size),
    }
}

/// Interruptions of computing: a Poisson process with exponential lengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detour {
    /// Interruptions in a second of computing.
    pub rate_per_s: f64,
    /// Mean length, in seconds.
    pub mean_s: f64,
}

/// Which run it is: draws of different runs are independent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RunKey {
    /// Seed of the user.
    pub seed: u64,
    /// Number that identifies the configuration: a hash of the varied values.
    pub configuration: u64,
    /// Repetition, counted from 0.
    pub repetition: u64,
}

/// Purposes of draws. Each has its own streams, so that a new kind of noise does not change the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The run as a whole.
    Run = 1,
    Node,
    /// A block of a process.
    Block,
    /// Interruptions of a block.
    Detour,
    Link,
    /// Where a process starts in a trace.
    Phase,
    /// The random factor of a rule.
    Spread,
    Volunteer,
    /// Faults of a replay.
    Fault,
}

impl RunKey {
    /// The stream of one purpose and two numbers, such as process and block.
    #[inline]
    pub fn stream(self, purpose: Purpose, first: u64, second: u64) -> SplitMix {
        stream(self.root(purpose), first, second)
    }

    /// What all streams of a purpose begin with.
    fn root(self, purpose: Purpose) -> u64 {
        let mut root = SplitMix::new(self.seed, self.configuration).bits();
        root = SplitMix::new(root, self.repetition).bits();
        SplitMix::new(root, purpose as u64).bits()
    }
}

#[inline]
fn stream(root: u64, first: u64, second: u64) -> SplitMix {
    SplitMix::new(SplitMix::new(root, first).bits(), second)
}

#[derive(Debug, Clone)]
pub struct Noise {
    spec: NoiseSpec,
    key: RunKey,
    run_factor: f64,
    node: u64,
    block: u64,
    detour: u64,
    phase: u64,
}

impl Noise {
    /// The noise of one run; what holds for the whole run is drawn at once.
    pub fn new(spec: NoiseSpec, key: RunKey) -> Self {
        let run_factor = spec.run.as_ref().map_or(1.0, |law| 1.0 + law.draw(&mut key.stream(Purpose::Run, 0, 0)));
        Noise {
            key,
            run_factor,
            node: key.root(Purpose::Node),
            block: key.root(Purpose::Block),
            detour: key.root(Purpose::Detour),
            phase: key.root(Purpose::Phase),
            spec,
        }
    }

    /// Whether computing times differ from machine to machine or block to block.
    pub fn differs(&self) -> bool {
        let spec = &self.spec;
        spec.node.is_some()
            || spec.block.is_some()
            || !spec.types.is_empty()
            || spec.detour.is_some()
            || spec.trace.is_some()
    }

    /// The factor on all computing times of the run.
    pub fn run_factor(&self) -> f64 {
        self.run_factor
    }

    pub fn node_factor(&self, machine: u32) -> f64 {
        let law = self.spec.node.as_ref();
        law.map_or(1.0, |law| 1.0 + law.draw(&mut stream(self.node, u64::from(machine), 0)))
    }

    /// Number of the law of blocks of a type, from 1; 0: it has none of its own.
    pub fn of_type(&self, kind: &str) -> u16 {
        let at = self.spec.types.iter().position(|(known, _)| known == kind);
        at.map_or(0, |at| u16::try_from(at + 1).unwrap_or(0))
    }

    pub fn by_machine(&self) -> bool {
        self.spec.node.is_some()
    }

    /// A computing time of a block, the run's factor in it, with the factors of machine and block, and with interruptions;
    /// `kind` is the number of its type ([`Noise::of_type`]).
    #[inline]
    pub fn computing(&self, seconds: f64, machine: u32, process: u64, block: u64, kind: u16) -> f64 {
        let mut seconds = seconds;
        if self.spec.node.is_some() {
            seconds *= self.node_factor(machine);
        }
        let of_type = usize::from(kind).checked_sub(1).and_then(|at| self.spec.types.get(at)).map(|(_, law)| law);
        if let Some(law) = of_type.or(self.spec.block.as_ref()) {
            seconds *= 1.0 + law.draw(&mut stream(self.block, process, block));
        }
        if let Some(detour) = &self.spec.detour {
            seconds += detour.within(seconds, &mut stream(self.detour, process, block));
        }
        seconds
    }

    /// A computing time that begins at a point of time, with the interruptions of the trace, if there is one.
    pub fn interrupted(&self, start_s: f64, seconds: f64, process: u64) -> f64 {
        let Some(trace) = &self.spec.trace else { return seconds };
        let phase = stream(self.phase, process, 0).uniform();
        trace.interrupted(start_s, seconds, phase)
    }

    /// Whether there is a trace.
    pub fn has_trace(&self) -> bool {
        self.spec.trace.is_some()
    }

    /// The factor on all bandwidths of the run; above 0.
    pub fn link_factor(&self) -> f64 {
        let law = self.spec.link.as_ref();
        law.map_or(1.0, |law| (1.0 - law.draw(&mut self.key.stream(Purpose::Link, 0, 0))).max(LEAST_BANDWIDTH))
    }

    /// Makes all links of a platform as much slower as [`Noise::link_factor`] says, and gaps per byte longer.
    pub fn apply_to(&self, platform: &mut Platform) {
        let factor = self.link_factor();
        if factor == 1.0 {
            return;
        }
        for link in &mut platform.links {
            link.bandwidth *= factor;
        }
        for law in &mut platform.laws {
            if let Some(parameters) = &mut law.loggops {
                parameters.G /= factor;
            }
        }
    }
}

/// A draw of 1 or more would leave a link without bandwidth, and messages that never end.
const LEAST_BANDWIDTH: f64 = 1e-6;

impl Detour {
    /// Seconds of interruptions within this many seconds of computing: a compound Poisson process.
    pub fn within(&self, seconds: f64, random: &mut SplitMix) -> f64 {
        let expected = self.rate_per_s * seconds;
        if expected.is_nan() || expected <= 0.0 {
            return 0.0;
        }
        if expected > MANY {
            // Mean and variance of the sum: l*m and 2*l*m^2; it is normal to about 1/sqrt(l).
            let normal = distribution::standard_normal(random);
            return (self.mean_s * (expected + (2.0 * expected).sqrt() * normal)).max(0.0);
        }
        let (mut at, mut sum) = (0.0, 0.0);
        loop {
            at += distribution::exponential(random);
            if at >= expected {
                return sum;
            }
            sum += self.mean_s * distribution::exponential(random);
        }
    }
}

/// From this many interruptions in a block on, their sum is drawn instead.
const MANY: f64 = 4096.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(repetition: u64) -> Noise {
        let exponential = Distribution::exponential(0.004).expect("a law");
        let spec = NoiseSpec {
            run: Some(exponential.clone()),
            node: Some(Distribution::uniform(0.0, 0.01).expect("a law")),
            block: Some(exponential),
            detour: Some(Detour { rate_per_s: 0.05, mean_s: 0.004 }),
            link: Some(Distribution::uniform(0.0, 0.05).expect("a law")),
            trace: None,
            types: Vec::new(),
        };
        Noise::new(spec, RunKey { seed: 7, configuration: 1, repetition })
    }

    #[test]
    fn draws_do_not_depend_on_order() {
        let noise = noise(0);
        let ask = |process, block| noise.computing(1.0, (process / 3) as u32, process, block, 0).to_bits();
        let all: Vec<(u64, u64)> = (0..20).flat_map(|process| (0..20).map(move |block| (process, block))).collect();
        let forth: Vec<u64> = all.iter().map(|(process, block)| ask(*process, *block)).collect();
        let mut back: Vec<u64> = all.iter().rev().map(|(process, block)| ask(*process, *block)).collect();
        back.reverse();
        assert_eq!(forth, back);
        let distinct: std::collections::BTreeSet<u64> = forth.iter().copied().collect();
        assert_eq!(distinct.len(), forth.len(), "every block has a draw of its own");
    }

    #[test]
    fn repetitions_differ_and_come_back() {
        assert_ne!(noise(0).run_factor(), noise(1).run_factor());
        assert_eq!(noise(1).run_factor(), noise(1).run_factor());
        assert_ne!(noise(0).link_factor(), noise(1).link_factor());
        assert_ne!(noise(0).node_factor(0), noise(0).node_factor(1));
    }

    #[test]
    fn interruptions_have_their_mean_and_variance() {
        // Compound Poisson: mean l*m, variance 2*l*m^2; both ways of drawing.
        for (rate, seconds) in [(0.05, 100.0), (50.0, 200.0)] {
            let detour = Detour { rate_per_s: rate, mean_s: 0.004 };
            let draws: Vec<f64> = (0..4000).map(|block| detour.within(seconds, &mut stream(1, 2, block))).collect();
            let expected = rate * seconds * 0.004;
            let deviation = (2.0 * rate * seconds).sqrt() * 0.004;
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let error = deviation / (draws.len() as f64).sqrt();
            assert!((mean - expected).abs() < 4.0 * error, "{mean} {expected} {error}");
            let square = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64;
            assert!((square.sqrt() / deviation - 1.0).abs() < 0.06, "{} {deviation}", square.sqrt());
        }
    }

    #[test]
    fn links_slow_down_and_never_stop() {
        let spec = NoiseSpec { link: Some(Distribution::uniform(1.0, 3.0).expect("a law")), ..NoiseSpec::default() };
        let noise = Noise::new(spec, RunKey::default());
        assert_eq!(noise.link_factor(), LEAST_BANDWIDTH);
        let mut platform = Platform::uniform(2, crate::platform::LogGops::default());
        self::noise(0).apply_to(&mut platform);
        let gap = platform.laws[0].loggops.expect("parameters").G;
        assert!((6e-9..6.4e-9).contains(&gap), "{gap}");
        assert!(gap > 6e-9);
    }
}
