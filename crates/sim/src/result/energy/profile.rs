//! Time by number of busy threads on a device, and its energy.

use crate::outcome::DeviceAccount;
use crate::system::Component;
use crate::tick::TickLength;
use crate::world::{Class, idle_of};

/// Power against busy threads.
#[derive(Debug, Clone, PartialEq)]
pub enum Power {
    /// A straight line up to all cores.
    Line {
        /// Watts at rest.
        idle_w: f64,
        /// Watts with all cores busy.
        load_w: f64,
    },
    /// Points by ascending threads, linear between, constant past the ends.
    Curve(Vec<(f64, f64)>),
}

/// Watts at rest where they are not given.
fn assume(component: &Component, what: &str, load_w: f64, assumed: &mut Vec<String>) -> f64 {
    let told = format!("{}: {what} = {} W, {IDLE_SHARE} of power_load", component.id, IDLE_SHARE * load_w);
    if !assumed.contains(&told) {
        assumed.push(told);
    }
    IDLE_SHARE * load_w
}

/// A missing `power_idle` is this share of `power_load`.
pub(crate) const IDLE_SHARE: f64 = 0.4;

impl Power {
    /// The power of a component; none if its load is not given. Missing values are assumed, and reported.
    pub fn of(component: &Component, assumed: &mut Vec<String>) -> Option<Power> {
        let states = component.attributes.states();
        if let Some(state) = states.get(component.attributes.own_state()) {
            for state in states.iter().filter(|state| state.power_idle.is_none()) {
                let of = format!("power_idle of {}", state.name);
                assume(component, &of, state.power_load, assumed);
            }
            return Some(Power::Line { idle_w: idle_of(state), load_w: state.power_load });
        }
        if let Some(points) = component.attributes.curve("power_threads").filter(|points| !points.is_empty()) {
            return Some(Power::Curve(points.to_vec()));
        }
        let load_w = component.attributes.get("power_load")?;
        let idle_w = component.attributes.get("power_idle");
        let idle_w = idle_w.unwrap_or_else(|| assume(component, "power_idle", load_w, assumed));
        Some(Power::Line { idle_w, load_w })
    }

    /// Watts with this many threads busy on this many cores.
    ///
    /// ```
    /// # use runcast_sim::energy::Power;
    /// let machine = Power::Curve(vec![(0.0, 100.0), (1.0, 130.0), (6.0, 180.0), (12.0, 200.0)]);
    /// assert_eq!([0.0, 0.5, 1.0, 3.5, 12.0, 24.0].map(|busy| machine.watts(busy, 12.0)), [100.0, 115.0, 130.0, 155.0, 200.0, 200.0]);
    /// ```
    pub fn watts(&self, busy: f64, cores: f64) -> f64 {
        match self {
            Power::Line { idle_w, load_w } => idle_w + (load_w - idle_w) * (busy.min(cores) / cores),
            Power::Curve(points) => {
                let after = points.partition_point(|(threads, _)| *threads <= busy);
                match (after.checked_sub(1).map(|before| points[before]), points.get(after)) {
                    (None, Some((_, first))) => *first,
                    (Some((_, last)), None) => last,
                    (Some((from, low)), Some((to, high))) => low + (high - low) * (busy - from) / (to - from),
                    (None, None) => 0.0,
                }
            }
        }
    }
}

/// Seconds by number of busy threads, most threads first; together they are the time of the run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    levels: Vec<(f64, f64)>,
}

impl Profile {
    /// Of a device, as an engine counted it.
    pub fn of_device(account: &DeviceAccount, class: &Class, activity: f64, end_s: f64, tick: TickLength) -> Self {
        let computing = account.computing.iter().map(|(threads, ticks)| (*threads, *ticks as f64 * tick.seconds()));
        Self::with_blocked(computing.collect(), account.blocked as f64 * tick.seconds(), class, activity, end_s)
    }

    /// Of a device on which processes of some labels sit: how many, how long each computes, and how long it is blocked. Those
    /// of one label compute at the same time, and all begin together.
    pub fn of_labels(on: &[(f64, f64, f64)], class: &Class, activity: f64, end_s: f64) -> Self {
        let threads = if class.device_procs > 0.0 { class.device_threads / class.device_procs } else { 1.0 };
        let mut times: Vec<(f64, f64)> = on.iter().map(|(count, compute_s, _)| (*compute_s, count * threads)).collect();
        times.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut busy: f64 = times.iter().map(|(_, threads)| threads).sum();
        let (mut at, mut computing) = (0.0, Vec::new());
        for (until, threads) in times {
            if until > at {
                computing.push((busy, until - at));
                at = until;
            }
            busy -= threads;
        }
        let blocked = on.iter().map(|(count, _, blocked_s)| count * blocked_s).sum();
        Self::with_blocked(computing, blocked, class, activity, end_s)
    }

    /// Of a volunteer that computes for so many seconds: those of a crowd are alike, whichever of them takes a job.
    pub fn of_volunteer(computing_s: f64, end_s: f64) -> Self {
        let levels = [(1.0, computing_s), (0.0, (end_s - computing_s).max(0.0))];
        Profile { levels: levels.into_iter().filter(|(_, seconds)| *seconds > 0.0).collect() }
    }

    /// Adds blocked processes to those that compute, and the time in which none does.
    fn with_blocked(mut levels: Vec<(f64, f64)>, blocked_s: f64, class: &Class, activity: f64, end_s: f64) -> Self {
        let computing_s: f64 = levels.iter().map(|(_, seconds)| seconds).sum();
        levels.push((0.0, (end_s - computing_s).max(0.0)));
        if activity > 0.0 && blocked_s > 0.0 {
            // Of a process's threads one waits. Processes that do not compute while this many threads do:
            let each = if class.device_procs > 0.0 { class.device_threads / class.device_procs } else { 1.0 };
            let free = |threads: f64| (class.device_procs - threads / each.max(1.0)).max(0.0);
            let room: f64 = levels.iter().map(|(threads, seconds)| free(*threads) * seconds).sum();
            let share = if room > 0.0 { (blocked_s / room).min(1.0) } else { 0.0 };
            for (threads, _) in &mut levels {
                *threads += activity * share * free(*threads);
            }
        }
        levels.retain(|(_, seconds)| *seconds > 0.0);
        levels.sort_by(|one, other| other.0.total_cmp(&one.0));
        Profile { levels }
    }

    /// Busy threads with seconds, most threads first.
    pub fn levels(&self) -> impl Iterator<Item = (f64, f64)> {
        self.levels.iter().copied()
    }

    /// Joules at rest, and of the load.
    pub fn energy(&self, power: &Power, cores: f64) -> (f64, f64) {
        let rest = power.watts(0.0, cores);
        let mut sums = (0.0, 0.0);
        for (busy, seconds) in &self.levels {
            sums.0 += rest * seconds;
            sums.1 += (power.watts(*busy, cores) - rest) * seconds;
        }
        sums
    }

    /// Seconds with at least one busy thread.
    pub fn busy_s(&self) -> f64 {
        self.levels.iter().filter(|(busy, _)| *busy > 0.0).map(|(_, seconds)| seconds).sum()
    }

    /// Integral of the share of cores that is busy.
    pub fn share_s(&self, cores: f64) -> f64 {
        self.levels.iter().map(|(busy, seconds)| busy.min(cores) / cores * seconds).sum()
    }
}

/// Threads of several devices, when the busiest times of all fall together.
pub(super) fn together<'p>(profiles: impl Iterator<Item = &'p Profile>) -> Profile {
    let all: Vec<&Profile> = profiles.collect();
    let [first, rest @ ..] = all.as_slice() else { return Profile::default() };
    if rest.iter().all(|other| other == first) {
        let count = all.len() as f64;
        return Profile { levels: first.levels.iter().map(|(busy, seconds)| (busy * count, *seconds)).collect() };
    }
    // Walks all of them at once, from the busiest time on.
    let mut at = vec![(0_usize, 0.0_f64); all.len()];
    let mut levels: Vec<(f64, f64)> = Vec::new();
    loop {
        let mut busy = 0.0;
        let mut next = f64::INFINITY;
        for (profile, (level, used)) in all.iter().zip(&at) {
            if let Some((threads, seconds)) = profile.levels.get(*level) {
                busy += threads;
                next = next.min(seconds - used);
            }
        }
        if next.is_infinite() {
            return Profile { levels };
        }
        levels.push((busy, next));
        for (profile, (level, used)) in all.iter().zip(&mut at) {
            let Some((_, seconds)) = profile.levels.get(*level) else { continue };
            *used += next;
            if *used >= seconds * (1.0 - 1e-12) {
                (*level, *used) = (*level + 1, 0.0);
            }
        }
    }
}
