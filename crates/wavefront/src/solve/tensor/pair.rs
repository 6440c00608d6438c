//! Two processes: from states to meetings by correlations.
//!
//! Who leads, and by how much, depends on the difference of the two alphas only, so that no sum over turns is needed.

use super::depart::Timed;
use super::faces::Faces;
use super::times::{Shape, Times};

/// By leader: for each difference s the sum over a of P(alpha_leader = a) P(alpha_other = a + s), and of those up to it.
pub(super) struct Pair {
    leaders: [Leader; 2],
}

struct Leader {
    /// The first difference.
    first: i64,
    mean: f64,
    /// Weighted with powers of a less its mean; from the largest difference down, so that `behind` runs forward.
    exact: [Vec<f64>; 3],
    up_to: [Vec<f64>; 3],
}

impl Pair {
    pub fn new(times: &Times, shape: &Shape) -> Pair {
        Pair { leaders: [0, 1].map(|leader| Leader::new(times, shape, leader)) }
    }

    /// As `depart`.
    pub fn depart(
        &self,
        shape: &Shape,
        states: &Faces,
        measure: &[f64],
        meetings: &Faces,
        out: &mut [f64],
        mut timed: Option<&mut Timed<'_>>,
    ) {
        for front in 0..2 {
            for (lag, weight) in states.face(measure, front).iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
                for leader in 0..2 {
                    let own = if leader == front { 0 } else { lag as i64 };
                    let shift = if leader == front { lag as i64 } else { -(lag as i64) };
                    let law = &self.leaders[leader];
                    let clip = shape.clip[1 - leader];
                    law.add(0, *weight, shift, leader, clip, meetings.face_mut(out, leader));
                    if let Some(timed) = &mut timed {
                        // The turn is a less the leader's own lag; the tables have a less its mean.
                        let above = law.mean - own as f64 - timed.center;
                        let weighted = meetings.face_mut(timed.meetings, leader);
                        let first = law.add(1, *weight, shift, leader, clip, weighted);
                        let plain = law.add(0, above * weight, shift, leader, clip, weighted);
                        timed.squares += law.squares(*weight, shift, leader, clip) + above * (2.0 * first + plain);
                    }
                }
            }
        }
    }
}

impl Leader {
    fn new(times: &Times, shape: &Shape, leader: usize) -> Leader {
        let (own, other) = (&times.alpha[leader], &times.alpha[1 - leader]);
        let reach = (shape.lag + shape.clip[1 - leader]) as i64;
        let first = -reach;
        let differences = first..=shape.lag as i64;
        let mean = own.support().map(|(a, p)| a as f64 * p).sum::<f64>();
        let sum = |power: i32, law: &dyn Fn(i64) -> f64| -> Vec<f64> {
            let at = |difference: i64| {
                own.support().map(|(a, p)| p * law(a + difference) * (a as f64 - mean).powi(power)).sum::<f64>()
            };
            differences.clone().rev().map(at).collect()
        };
        let exact = [0, 1, 2].map(|power| sum(power, &|ticks| other.at(ticks)));
        let up_to = [0, 1, 2].map(|power| sum(power, &|ticks| other.up_to(ticks)));
        Leader { first, mean, exact, up_to }
    }

    /// Adds the meetings of a state, whose other process lags `shift` more than the leader; gives their sum.
    fn add(&self, power: usize, weight: f64, shift: i64, leader: usize, clip: usize, out: &mut [f64]) -> f64 {
        let (table, beyond) = self.meetings(power, shift, leader, clip);
        let mut total = beyond;
        for (sum, probability) in out[usize::from(leader == 1)..clip].iter_mut().zip(table) {
            *sum += weight * probability;
            total += probability;
        }
        out[clip] += weight * beyond;
        weight * total
    }

    fn squares(&self, weight: f64, shift: i64, leader: usize, clip: usize) -> f64 {
        let (table, beyond) = self.meetings(2, shift, leader, clip);
        weight * (table.iter().sum::<f64>() + beyond)
    }

    /// The sums of the meetings short of the clip point, and of those beyond.
    fn meetings(&self, power: usize, shift: i64, leader: usize, clip: usize) -> (&[f64], f64) {
        // Behind b is the difference shift - b; the tables run downward. The first process must be behind the second to
        // have it for a leader.
        let last = self.first + self.exact[power].len() as i64 - 1;
        let start = (last - shift) as usize;
        let least = usize::from(leader == 1);
        (&self.exact[power][start + least..start + clip], self.up_to[power][start + clip])
    }
}
