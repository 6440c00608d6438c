//! Iterations of a phase, N = max (A_i + N_i), given the meeting.
//!
//! The counts of different processes are independent given the meeting, so {N <= v} is a product. What exceeds v is
//! summed over the first process that does, so that nothing is subtracted:
//!
//! ```text
//! E[N; event] = least * P(event) + sum over v >= least of P(N > v; event)
//! ```

use crate::Model;
use crate::solve::phase::{End, TooLarge};

/// An event with what is known about N on it: P, and for each level v from the least N on P(N <= v) and P(N > v).
#[derive(Debug, Clone)]
struct Event {
    all: f64,
    up_to: Vec<f64>,
    above: Vec<f64>,
}

/// The ends of all processes after a meeting.
pub(super) struct Joint {
    least: u64,
    most: u64,
    /// Per process, the times at which it can end.
    places: Vec<Vec<(u64, Event)>>,
    /// Per process, P(A_i + N_i <= least), then P(A_i + N_i = v) for each v above.
    counts: Vec<Vec<f64>>,
}

/// The law of N, with the time on process 1.
pub(super) struct Clock {
    /// E\[N\] and E\[ticks\].
    pub iterations: f64,
    pub ticks: f64,
    /// Centered moments given the meeting.
    pub ticks_var: f64,
    pub cov: f64,
    /// Smallest N, and P(N = smallest), P(N = smallest + 1), ..
    pub least: u64,
    pub pmf: Vec<f64>,
}

impl Event {
    fn new(levels: usize) -> Event {
        Event { all: 0.0, up_to: vec![0.0; levels], above: vec![0.0; levels] }
    }

    fn add(&mut self, iterations: u64, least: u64, probability: f64) {
        self.all += probability;
        for (level, (up_to, above)) in (least..).zip(self.up_to.iter_mut().zip(&mut self.above)) {
            *(if iterations <= level { up_to } else { above }) += probability;
        }
    }

    /// Both, of different processes; N is the larger one.
    fn and(&self, other: &Event) -> Event {
        let pairs = || self.up_to.iter().zip(&other.up_to);
        let above = self.above.iter().zip(pairs().zip(&other.above));
        Event {
            all: self.all * other.all,
            above: above.map(|(above, ((up_to, _), next))| above * other.all + up_to * next).collect(),
            up_to: pairs().map(|(one, other)| one * other).collect(),
        }
    }

    /// One or the other, of the same process.
    fn or(mut self, other: &Event) -> Event {
        self.all += other.all;
        self.up_to.iter_mut().zip(&other.up_to).for_each(|(sum, more)| *sum += more);
        self.above.iter_mut().zip(&other.above).for_each(|(sum, more)| *sum += more);
        self
    }

    fn mean(&self, least: u64) -> f64 {
        least as f64 * self.all + self.above.iter().sum::<f64>()
    }
}

/// The smallest and the largest N that can be.
pub(super) fn extremes(model: &Model, ends: &[Vec<End>]) -> (u64, u64) {
    let counts = |pick: fn(&[End]) -> u32| {
        let count = |(process, ends): (usize, &Vec<End>)| {
            u64::from(model.processes[process].alpha_updates) + u64::from(pick(ends))
        };
        ends.iter().enumerate().map(count).max().unwrap_or(0)
    };
    let least = counts(|ends| ends.iter().map(|end| end.updates).min().unwrap_or(0));
    let most = counts(|ends| ends.iter().map(|end| end.updates).max().unwrap_or(0));
    (least, most)
}

impl Joint {
    /// Takes as much memory as there are ends, times the values that N can have.
    pub fn new(model: &Model, ends: &[Vec<End>]) -> Joint {
        let (least, most) = extremes(model, ends);
        let levels = (most - least) as usize;
        let places = ends.iter().zip(&model.processes).map(|(ends, process)| {
            let mut places: Vec<(u64, Event)> = Vec::new();
            for end in ends {
                if places.last().is_none_or(|(after, _)| *after != end.after) {
                    places.push((end.after, Event::new(levels)));
                }
                let iterations = u64::from(process.alpha_updates) + u64::from(end.updates);
                if let Some((_, event)) = places.last_mut() {
                    event.add(iterations, least, end.probability);
                }
            }
            places
        });
        let places = places.collect();
        let counts = ends.iter().zip(&model.processes).map(|(ends, process)| {
            let mut counts = vec![0.0; levels + 1];
            for end in ends {
                let iterations = u64::from(process.alpha_updates) + u64::from(end.updates);
                counts[iterations.saturating_sub(least) as usize] += end.probability;
            }
            counts
        });
        Joint { least, most, places, counts: counts.collect() }
    }

    /// How many combinations of times there are.
    pub fn count(&self) -> u64 {
        self.places.iter().fold(1, |count, places| count.saturating_mul(places.len() as u64))
    }

    /// Visits every combination of times with its probability and E\[N; this combination\].
    pub fn visit(&self, mut tell: impl FnMut(&[u64], f64, f64) -> Result<(), TooLarge>) -> Result<(), TooLarge> {
        let mut after = Vec::with_capacity(self.places.len());
        self.combine(&mut after, None, &mut tell)
    }

    fn combine(
        &self,
        after: &mut Vec<u64>,
        former: Option<&Event>,
        tell: &mut impl FnMut(&[u64], f64, f64) -> Result<(), TooLarge>,
    ) -> Result<(), TooLarge> {
        let Some(places) = self.places.get(after.len()) else {
            return former.map_or(Ok(()), |event| tell(after, event.all, event.mean(self.least)));
        };
        for (time, event) in places {
            let event = former.map_or_else(|| event.clone(), |former| former.and(event));
            if event.all > 0.0 {
                after.push(*time);
                self.combine(after, Some(&event), tell)?;
                after.pop();
            }
        }
        Ok(())
    }

    /// The law of N, and its moments together with the time on process 1.
    pub fn clock(&self) -> Clock {
        let whole = |places: &Vec<(u64, Event)>| {
            places.iter().fold(Event::new((self.most - self.least) as usize), |sum, (_, event)| sum.or(event))
        };
        let marginals: Vec<Event> = self.places.iter().map(whole).collect();
        let others = marginals[1..].iter().fold(None, |product: Option<Event>, event| {
            Some(product.map_or_else(|| event.clone(), |product| product.and(event)))
        });
        let with_others = |event: &Event| others.as_ref().map_or_else(|| event.clone(), |others| event.and(others));
        let times: Vec<(f64, f64, f64)> = (self.places[0].iter())
            .map(|(time, event)| (*time as f64, event.all, with_others(event).mean(self.least)))
            .collect();
        let all = with_others(&marginals[0]);
        let (iterations, ticks) = (all.mean(self.least), times.iter().map(|(time, p, _)| time * p).sum::<f64>());
        let ticks_var = times.iter().map(|(time, p, _)| (time - ticks).powi(2) * p).sum();
        let cov = times.iter().map(|(time, p, mean)| (time - ticks) * (mean - iterations * p)).sum();
        Clock { iterations, ticks, ticks_var, cov, least: self.least, pmf: self.pmf() }
    }

    /// P(N = v): the first process that reaches v does, those before stay below, those after do not exceed it.
    fn pmf(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.counts.len()];
        (0..=(self.most - self.least) as usize)
            .map(|level| {
                let (mut now, mut before) = (0.0, 1.0);
                for (counts, sum) in self.counts.iter().zip(&mut sums) {
                    let below = *sum;
                    *sum += counts[level];
                    now = now * *sum + before * counts[level];
                    before *= below;
                }
                now
            })
            .collect()
    }
}
