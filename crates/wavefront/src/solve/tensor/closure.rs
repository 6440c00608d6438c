//! Which states can be reached, and in how many phases.

use super::whole::Whole;
use crate::markov::divisor;

/// States that are reached from some others, with the period of their returns.
pub(super) struct Closure {
    pub reached: Vec<bool>,
    /// Greatest common divisor of the lengths of all ways that lead from a state to one that was reached otherwise: the
    /// period, where the states are one closed class.
    pub period: u64,
}

/// Everything that can be reached from `start`; none where it takes more than `most` phases, or a stop was asked for.
pub(super) fn closure(whole: &Whole<'_>, start: &[usize], most: usize) -> Option<Closure> {
    let places = whole.places();
    let mut reached = vec![false; places];
    let mut level = vec![0_u32; places];
    let mut front = vec![0.0; places];
    for place in start {
        reached[*place] = true;
        front[*place] = 1.0;
    }
    let mut after = vec![0.0; places];
    let mut period = 0;
    for step in 1..=most {
        if !whole.step(&front, &mut after) {
            return None;
        }
        let mut grew = false;
        for place in 0..places {
            front[place] = 0.0;
            if after[place] > 0.0 {
                if reached[place] {
                    period = divisor(period, u64::from(step as u32 - level[place]));
                } else {
                    reached[place] = true;
                    level[place] = step as u32;
                    front[place] = 1.0;
                    grew = true;
                }
            }
        }
        if !grew {
            return Some(Closure { reached, period });
        }
    }
    None
}
