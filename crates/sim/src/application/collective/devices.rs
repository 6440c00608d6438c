//! Collectives of devices within and across machines: a ring through all of them, two trees of machines, or rings in a
//! hierarchy.
//!
//! ```text
//! P = m g processes on m machines; (ai, bi) of a device's port, (ae, be) of a rail; R rails; z = min(n/R, 256 KiB)
//! ring          I*ae + (2(P-1)-I)*ai + 2(P-1)/P*n*max(bi, be/R)
//!               I = 2m (g >= 3), 2m-1 (g = 2), 2(P-1) (g = 1), 0 (m = 1); no bi if g = 1, no be if m = 1
//! tree          2((g-1)(ai + z*bi) + ceil(lg m)(ae + z*be)) + 2n*max(bi, be/R)
//! hierarchical  2(g-1)ai + 2(g-1)/g*n*bi + 2(m-1)ae + 2(m-1)/m*(n/g)*be*max(1, g/R)
//! ```
//!
//! `reduce_scatter` and `allgather` are half of a ring or of a hierarchy. The least of them is taken, the first of equals. A
//! reduction adds (P-1)/P n c.
//!
//! Sources: S. Jeaugey, *Massively Scale Your Deep Learning Training with NCCL 2.4*, NVIDIA, 2019; P. Sanders, J. Speck,
//! J. L. Träff, *Two-tree algorithms for full bandwidth broadcast, reduction and scan*, Parallel Computing 35, 2009; NCCL,
//! `src/graph/trees.cc`.

mod messages;
#[cfg(test)]
mod tests;

use super::choice::{Chosen, named};
use super::{Layout, algorithm_of, members};
use crate::application::{Application, Collective, CollectiveKind};
use crate::job::Job;
use crate::platform::Way;
use runcast_core::Problem;
use runcast_core::words::Words;
use std::sync::{Arc, PoisonError, RwLock};

pub(super) use messages::expand;

/// How devices do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceAlgorithm {
    Ring,
    Tree,
    Hierarchical,
}

runcast_core::words!(DeviceAlgorithm::word: Ring = "ring", Tree = "tree", Hierarchical = "hierarchical");

/// Bytes of a chunk on a rail that a tree hands on.
const CHUNK: u64 = 256 * 1024;

/// The algorithm of a call.
#[derive(Debug, Clone)]
pub enum Decision {
    /// Any pair of members costs the same.
    Members(Chosen),
    /// Members of one machine are nearer.
    Devices(DeviceAlgorithm, Arc<Layout>),
}

/// Layouts of groups, and the algorithms of calls, each found once.
#[derive(Debug, Default)]
pub struct Decisions {
    layouts: RwLock<Vec<Option<Option<Arc<Layout>>>>>,
    calls: RwLock<Vec<Option<Decision>>>,
}

impl Decisions {
    /// Nothing known yet.
    pub fn new() -> Self {
        Decisions::default()
    }

    /// The algorithm of a call.
    ///
    /// # Errors
    /// An unknown algorithm; one of devices for a group that is not laid out for it.
    pub fn of(&self, application: &Application, job: &Job<'_>, collective: u32) -> Result<Decision, Problem> {
        find(&self.calls, collective, || decide(application, job, &application.collectives[collective as usize]))
    }
}

fn layout(application: &Application, job: &Job<'_>, group: u32) -> Option<Arc<Layout>> {
    let make = || Ok(Layout::new(application, job, group).map(Arc::new));
    match job.decisions {
        Some(known) => find(&known.layouts, group, make).ok().flatten(),
        None => make().ok().flatten(),
    }
}

/// What is known by number, or found out.
fn find<T: Clone>(
    known: &RwLock<Vec<Option<T>>>,
    number: u32,
    make: impl FnOnce() -> Result<T, Problem>,
) -> Result<T, Problem> {
    let at = number as usize;
    let found = known.read().unwrap_or_else(PoisonError::into_inner).get(at).cloned().flatten();
    if let Some(found) = found {
        return Ok(found);
    }
    let made = make()?;
    let mut all = known.write().unwrap_or_else(PoisonError::into_inner);
    if all.len() <= at {
        all.resize(at + 1, None);
    }
    all[at] = Some(made.clone());
    Ok(made)
}

fn decide(application: &Application, job: &Job<'_>, call: &Collective) -> Result<Decision, Problem> {
    use CollectiveKind::{Allgather, Allreduce, ReduceScatter};
    if call.counts.is_some()
        && let Some(algorithm) = algorithm_of(call.kind)
    {
        return Ok(Decision::Members(named(call.kind, algorithm)?));
    }
    let processes = members(application, call.group);
    let asked = job.choice.asked(call.kind, call.algorithm.as_deref())?;
    let has_any = matches!(call.kind, Allreduce | Allgather | ReduceScatter) && processes > 1;
    let named = asked.as_ref().filter(|_| has_any).map(|chosen| chosen.algorithm.name);
    let of_devices = named.and_then(DeviceAlgorithm::of_word);
    let may_be = has_any && (of_devices.is_some() || asked.is_none() && job.world.has_accelerators());
    let layout = if may_be { layout(application, job, call.group) } else { None };
    let is_only_of_devices = of_devices.is_some_and(|algorithm| algorithm != DeviceAlgorithm::Ring);
    match (asked, of_devices, layout) {
        (_, Some(algorithm), Some(layout)) if layout.on_devices || is_only_of_devices => {
            Ok(Decision::Devices(algorithm, layout))
        }
        (None, _, Some(layout)) if layout.on_devices => {
            let seconds = |algorithm: &DeviceAlgorithm| costs(*algorithm, call, &layout, job).seconds();
            let fits = |algorithm: &DeviceAlgorithm| *algorithm != DeviceAlgorithm::Tree || call.kind == Allreduce;
            let least = DeviceAlgorithm::ALL.into_iter().filter(fits).reduce(|best, other| {
                // Equal up to rounding: the first.
                if seconds(&other) < seconds(&best) * (1.0 - 1e-12) { other } else { best }
            });
            Ok(Decision::Devices(least.unwrap_or(DeviceAlgorithm::Ring), layout))
        }
        (Some(chosen), ..) if is_only_of_devices => {
            let message =
                format!("{} {} needs equally many members on each machine", call.kind.name(), chosen.algorithm.name);
            Err(Problem::new("uneven_group", message).hint("place them with per = N, or name another algorithm"))
        }
        (Some(chosen), ..) => Ok(Decision::Members(chosen)),
        (None, ..) => Ok(Decision::Members(job.choice.usual(call.kind, call.size, processes)?)),
    }
}

/// What a call costs, part after part.
#[derive(Debug, Clone, PartialEq)]
pub struct Costs {
    pub parts: Vec<Part>,
}

/// Bytes that flow at the same time, after some latency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Seconds before bytes flow.
    pub latency_s: f64,
    /// From each member to the next on its machine.
    pub inner: Stream,
    /// From machine to machine.
    pub outer: Stream,
}

/// What flows from one to the next.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stream {
    pub bytes: f64,
    /// Seconds per byte of a port, or of a rail.
    pub per_byte_s: f64,
    /// Rails that it has, side by side; below 1 where several share one.
    pub lanes: f64,
}

impl Stream {
    fn seconds(&self) -> f64 {
        if self.bytes > 0.0 { self.bytes * self.per_byte_s / self.lanes } else { 0.0 }
    }
}

impl Part {
    fn seconds(&self) -> f64 {
        self.latency_s + self.inner.seconds().max(self.outer.seconds())
    }
}

impl Costs {
    /// Seconds where nothing else uses the links.
    pub fn seconds(&self) -> f64 {
        self.parts.iter().map(Part::seconds).sum()
    }
}

/// What a call costs.
pub fn costs(algorithm: DeviceAlgorithm, call: &Collective, layout: &Layout, job: &Job<'_>) -> Costs {
    let price = |way: Option<Way>, bytes: f64| match way {
        Some(way) => super::closed::price(job.platform, &way, bytes.ceil() as u64),
        None => (0.0, 0.0),
    };
    let (m, g) = (layout.machines as f64, layout.each as f64);
    let (p, r, n) = (m * g, layout.rail_count() as f64, call.size as f64);
    let share = if call.kind == CollectiveKind::Allreduce { 2.0 } else { 1.0 };
    let reduce_s = match call.kind {
        CollectiveKind::Allgather => 0.0,
        _ => (p - 1.0) / p * n * layout.reduce_per_byte_s,
    };
    let stream = |bytes: f64, per_byte_s: f64, lanes: f64| Stream { bytes, per_byte_s, lanes };
    let parts = match algorithm {
        DeviceAlgorithm::Ring => {
            let ((ai, bi), (ae, be)) = (price(layout.inner, n / p), price(layout.outer, n / p / r));
            // Machines are left so often on the longest of all ways, of a block through both halves.
            let leaves = match layout.each {
                _ if layout.machines == 1 => 0.0,
                1 => 2.0 * (p - 1.0),
                2 => 2.0 * m - 1.0,
                _ => 2.0 * m,
            };
            let latency_s = share / 2.0 * (leaves * ae + (2.0 * (p - 1.0) - leaves) * ai) + reduce_s;
            let bytes = share * (p - 1.0) / p * n;
            vec![Part { latency_s, inner: stream(bytes, bi, 1.0), outer: stream(bytes, be, r) }]
        }
        DeviceAlgorithm::Tree => {
            let chunk = (n / r).min(CHUNK as f64);
            let ((ai, bi), (ae, be)) = (price(layout.inner, chunk), price(layout.outer, chunk));
            let depth = f64::from(layout.machines.next_power_of_two().trailing_zeros());
            let latency_s = 2.0 * ((g - 1.0) * (ai + chunk * bi) + depth * (ae + chunk * be)) + reduce_s;
            vec![Part { latency_s, inner: stream(2.0 * n, bi, 1.0), outer: stream(2.0 * n, be, r) }]
        }
        DeviceAlgorithm::Hierarchical => {
            let ((ai, bi), (ae, be)) = (price(layout.inner, n / g), price(layout.outer, n / g / m));
            let latency_s = share * ((g - 1.0) * ai + (m - 1.0) * ae) + reduce_s;
            let inner = stream(share * (g - 1.0) / g * n, bi, 1.0);
            let outer = stream(share * (m - 1.0) / m * (n / g), be, (r / g).min(1.0));
            let inside = Part { latency_s, inner, outer: Stream::default() };
            vec![inside, Part { latency_s: 0.0, inner: Stream::default(), outer }]
        }
    };
    Costs { parts }
}
