//! The cost of a collective by its formula.

use super::algorithm::Algorithm;
use super::devices::costs;
use super::shape::Shape;
use super::{Decision, members, process_of};
use crate::application::Application;
use crate::job::Job;
use crate::platform::{LinkId, Platform, Way};
use runcast_core::Problem;

/// The costs of messages and reductions.
pub trait Prices {
    /// Fixed seconds of a message (`a`), and seconds per byte (`b`), for messages of this size.
    fn message(&self, bytes: u64) -> (f64, f64);
    /// Seconds for the reduction of a byte (`c`).
    fn reduce_per_byte(&self) -> f64;
}

/// The same for messages of every size: `(a, b, c)`.
impl Prices for (f64, f64, f64) {
    fn message(&self, _: u64) -> (f64, f64) {
        (self.0, self.1)
    }

    fn reduce_per_byte(&self) -> f64 {
        self.2
    }
}

/// Seconds of an algorithm: the sum over its rounds.
pub fn seconds(algorithm: &'static Algorithm, shape: &Shape, prices: &dyn Prices) -> f64 {
    let reduce = prices.reduce_per_byte();
    let cost = |term: &super::pattern::Term| {
        let (start, per_byte) = prices.message(term.message);
        term.rounds * start + term.bytes * per_byte + term.reduced * reduce
    };
    algorithm.terms(shape).iter().map(cost).sum()
}

/// Seconds of a collective call: a rule of the user's, or the formula of its algorithm.
///
/// Its messages cost as much as the most expensive of three pairs: the first member with the second, the middle and
/// the last one. In block placement these are a neighbor and two distant members.
///
/// # Errors
/// An unknown algorithm; those of the user's rule.
pub fn closed(application: &Application, job: &Job<'_>, collective: u32) -> Result<f64, Problem> {
    let call = &application.collectives[collective as usize];
    let processes = members(application, call.group);
    if let Some(seconds) = job.world.collective(call, processes)? {
        return Ok(seconds);
    }
    if processes < 2 {
        return Ok(0.0);
    }
    let chosen = match job.decision(application, collective)? {
        Decision::Members(chosen) => chosen,
        Decision::Devices(algorithm, layout) => return Ok(costs(algorithm, call, &layout, job).seconds()),
    };
    let pairs = Pairs::new(application, job, call.group)?;
    if let Some(counts) = &call.counts {
        return Ok(counts.seconds(call.kind, &pairs));
    }
    let shape = chosen.shape(processes, call.size);
    Ok(seconds(chosen.algorithm, &shape, &pairs))
}

/// Fixed seconds of a message of this size on a way (`a = 2o + L`), and seconds per byte (`b = max(G, O)`).
pub(super) fn price(platform: &Platform, way: &Way, bytes: u64) -> (f64, f64) {
    let (parameters, receive) = platform.loggops(way, bytes);
    (parameters.o + receive + parameters.L, parameters.G.max(parameters.O))
}

/// Representative pairs of a group.
struct Pairs<'a> {
    job: &'a Job<'a>,
    ways: Vec<Way>,
    reduce: f64,
}

impl<'a> Pairs<'a> {
    fn new(application: &Application, job: &'a Job<'a>, group: u32) -> Result<Self, Problem> {
        let last = members(application, group) - 1;
        let place = |member| job.world.place(process_of(application, group, member));
        let first = place(0);
        let mut links: Vec<LinkId> = Vec::new();
        let mut others = vec![1, last.div_ceil(2), last];
        others.dedup();
        let ways = others.into_iter().map(|other| job.platform.way(first, place(other), &mut links)).collect();
        Ok(Pairs { job, ways, reduce: job.world.reduce_per_byte(first.class) })
    }
}

impl Prices for Pairs<'_> {
    fn message(&self, bytes: u64) -> (f64, f64) {
        let mut dearest = (0.0, 0.0);
        let mut most = -1.0;
        for way in &self.ways {
            let (start, per_byte) = price(self.job.platform, way, bytes);
            let cost = start + bytes as f64 * per_byte;
            if cost > most {
                (most, dearest) = (cost, (start, per_byte));
            }
        }
        dearest
    }

    fn reduce_per_byte(&self) -> f64 {
        self.reduce
    }
}
