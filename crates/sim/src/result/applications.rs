//! The accounts of several applications on one system: what each of them costs (docs/theory/sim.md, section 9).
//!
//! ```text
//! w(t)      cores of a component that an application reserves / cores that all reserve, from its start to its end
//! idle      integral of P_idle*w           price: integral of price_hour*w
//! load      the energy beyond that, by busy threads
//! ```
//!
//! Nobody reserves: `unallocated`. All accounts and that add up to the whole. Rates of failure do not: a fault of what several
//! applications use ends all of them.

use crate::energy::{Energy, used_by};
use crate::outcome::Outcome;
use crate::reliability::rates;
use crate::world::SystemWorld;
use runcast_core::Problem;

/// When an application runs, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    pub start_s: f64,
    pub end_s: f64,
}

/// What an application uses.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Account {
    /// Joules at rest; none: not known.
    pub idle_j: Option<f64>,
    /// Joules of the load; none: not known.
    pub load_j: Option<f64>,
    /// Its part of the price of the machines; none: nothing has a price.
    pub price: Option<f64>,
    /// Failures per second of all that it uses; none: none is known.
    pub failure_rate_per_s: Option<f64>,
    /// Cores that it reserves, times seconds.
    pub core_s: f64,
}

/// What all applications use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Accounts {
    /// By application.
    pub apps: Vec<Account>,
    /// What nobody reserves.
    pub unallocated: Account,
}

/// The accounts of applications; `app_of` is the application of each label.
///
/// # Errors
/// Those of a rule on rates of failure.
pub fn accounts(
    world: &SystemWorld,
    outcome: &Outcome,
    energy: &Energy,
    (app_of, spans): (&[u32], &[Span]),
    end_s: f64,
) -> Result<Accounts, Problem> {
    let components = &world.system().components;
    let apps = spans.len();
    // By component: the time that each application holds it (and nobody, at the end), and its threads that compute.
    let mut held = vec![Held::new(apps); components.len()];
    let mut core_s = vec![0.0; apps];
    for zone in world.placement().zones().iter().filter(|zone| zone.processes() > 0) {
        let machines = f64::from(zone.count);
        let (mut cores, mut threads) = (vec![0.0; apps], vec![0.0; apps]);
        for part in &zone.parts {
            let (label, app) = (part.label as usize, app_of[part.label as usize] as usize);
            let of = &world.label_uses()[label];
            cores[app] += machines * part.count as f64 * of.threads;
            threads[app] += machines * part.count as f64 * outcome.labels[label].thread_ticks / of.count.max(1) as f64;
        }
        for (app, span) in spans.iter().enumerate() {
            core_s[app] += cores[app] * (span.end_s - span.start_s).max(0.0);
        }
        let times = times(&cores, spans, end_s);
        let above = world.path(zone.first).into_iter().map(|(component, _)| component);
        let within = (0..components.len()).filter(|one| components[*one].parent == Some(zone.component));
        for component in above.chain([zone.component]).chain(within) {
            let is_machine = component == zone.component || components[component].parent == Some(zone.component);
            let held = &mut held[component];
            if is_machine {
                held.add(&times, machines);
            }
            held.cores.iter_mut().zip(&cores).for_each(|(sum, cores)| *sum += cores);
            held.threads.iter_mut().zip(&threads).for_each(|(sum, threads)| *sum += threads);
        }
    }
    let mut accounts = Accounts { apps: vec![Account::default(); apps], unallocated: Account::default() };
    for (app, account) in accounts.apps.iter_mut().enumerate() {
        account.core_s = core_s[app];
        let used = used_by(world, &|label| app_of[label as usize] as usize == app);
        account.failure_rate_per_s = rates(world, &used)?.total_per_s;
    }
    for (index, component) in components.iter().enumerate() {
        let of = &energy.components[index];
        if of.used == 0 {
            continue;
        }
        // What is in no machine is held with the machines of the group that it is in.
        let from = if held[index].is_empty() { component.parent.unwrap_or(index) } else { index };
        let shares = held[from].shares(spans, end_s);
        let price = component.attributes.get("price_hour").map(|price| price * of.used as f64 * end_s / 3600.0);
        let all = accounts.apps.iter_mut().chain([&mut accounts.unallocated]);
        for (account, share) in all.zip(&shares) {
            add(&mut account.idle_j, of.idle_j.map(|idle| idle * share));
            if let Some(price) = price {
                *account.price.get_or_insert(0.0) += price * share;
            }
        }
        let busy: f64 = held[from].threads.iter().sum();
        for (account, threads) in accounts.apps.iter_mut().zip(&held[from].threads) {
            // Nothing computes where there is no load.
            let share = if busy > 0.0 { threads / busy } else { 1.0 / apps as f64 };
            add(&mut account.load_j, of.load_j.map(|load| load * share));
        }
    }
    if energy.total_j.is_none() {
        for account in accounts.apps.iter_mut().chain([&mut accounts.unallocated]) {
            (account.idle_j, account.load_j) = (None, None);
        }
    }
    Ok(accounts)
}

fn add(sum: &mut Option<f64>, joules: Option<f64>) {
    *sum = Some(sum.unwrap_or(0.0) + joules.unwrap_or(0.0));
}

/// Who holds a component.
#[derive(Debug, Clone)]
struct Held {
    /// Seconds times machines, by application, and of nobody.
    seconds: Vec<f64>,
    machines: f64,
    /// Cores reserved, by application.
    cores: Vec<f64>,
    /// Thread-ticks of computing, by application.
    threads: Vec<f64>,
}

impl Held {
    fn new(apps: usize) -> Held {
        Held { seconds: vec![0.0; apps + 1], machines: 0.0, cores: vec![0.0; apps], threads: vec![0.0; apps] }
    }

    fn is_empty(&self) -> bool {
        self.cores.iter().all(|cores| *cores == 0.0)
    }

    fn add(&mut self, times: &[f64], machines: f64) {
        self.seconds.iter_mut().zip(times).for_each(|(sum, seconds)| *sum += seconds * machines);
        self.machines += machines;
    }

    /// Parts of the whole time, by application and of nobody.
    fn shares(&self, spans: &[Span], end_s: f64) -> Vec<f64> {
        let seconds = if self.machines > 0.0 { self.seconds.clone() } else { times(&self.cores, spans, end_s) };
        let sum: f64 = seconds.iter().sum();
        if sum > 0.0 {
            return seconds.into_iter().map(|seconds| seconds / sum).collect();
        }
        // No time passes: nobody holds anything.
        let mut none = vec![0.0; seconds.len()];
        if let Some(last) = none.last_mut() {
            *last = 1.0;
        }
        none
    }
}

/// The integral of each application's share of the reserved cores, and of the time in which nobody reserves any.
fn times(cores: &[f64], spans: &[Span], end_s: f64) -> Vec<f64> {
    let mut cuts: Vec<f64> = spans.iter().flat_map(|span| [span.start_s, span.end_s]).chain([0.0, end_s]).collect();
    cuts.retain(|cut| (0.0..=end_s).contains(cut));
    cuts.sort_by(f64::total_cmp);
    let mut held = vec![0.0; cores.len() + 1];
    for pair in cuts.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        let is_on = |span: &Span| span.start_s <= from && to <= span.end_s;
        let on: Vec<f64> =
            cores.iter().zip(spans).map(|(cores, span)| if is_on(span) { *cores } else { 0.0 }).collect();
        let all: f64 = on.iter().sum();
        if all > 0.0 {
            held.iter_mut().zip(&on).for_each(|(sum, cores)| *sum += (to - from) * cores / all);
        } else {
            held[cores.len()] += to - from;
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_time_follow_the_cores_that_are_reserved() {
        // 4 cores for 10 s, 2 for the first 4 s: 4*4/6 + 6 and 4*2/6; the last 2 s are nobody's.
        let spans = [Span { start_s: 0.0, end_s: 10.0 }, Span { start_s: 0.0, end_s: 4.0 }];
        let seen = times(&[4.0, 2.0], &spans, 12.0);
        let expected = [4.0 * 4.0 / 6.0 + 6.0, 4.0 * 2.0 / 6.0, 2.0];
        assert!(seen.iter().zip(expected).all(|(seen, expected)| (seen - expected).abs() < 1e-12), "{seen:?}");
        let seen = times(&[0.0, 0.0], &spans, 12.0);
        assert_eq!(seen, [0.0, 0.0, 12.0]);
    }
}
