//! What a process does while it waits: how many updates count, and by how much the last of them outlasts the wait.
//!
//! With S_m the time of m updates (fresh draws),
//!
//! ```text
//! abort, ties counted     N = the largest m <= B with S_m <= wait; with ties discarded, S_m < wait
//! complete, wait > 0      N = the smallest m with S_m >= wait, at most B; the phase ends max(0, S_N - wait) after it
//! ```

use super::TooLarge;
use super::size;
use crate::model::law::Law;
use crate::model::{Model, Semantics, Tie};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// Beta of one process in one mode, for every length of the wait.
#[derive(Debug)]
pub(super) struct Waiting<'m> {
    update: &'m Law,
    most: u32,
    semantics: Semantics,
    tie: Tie,
    /// The laws of the times of 0, 1, .. updates, up to the longest wait; only those that can fit into it.
    sums: Vec<Vec<(u64, f64)>>,
    longest: u64,
    /// P(an update takes at least its n-th value), and 0.
    tails: Vec<f64>,
    known: Mutex<HashMap<u64, Arc<[Beta]>>>,
}

/// A course of beta.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Beta {
    /// Ticks from the end of the wait to the end of the phase.
    pub overrun: u64,
    pub updates: u32,
    pub probability: f64,
}

impl<'m> Waiting<'m> {
    pub fn new(model: &Model, process: usize, update: &'m Law, longest: u64) -> Result<Self, TooLarge> {
        let most = model.processes[process].beta_updates;
        let sums = size::sums(update, most, longest)?;
        let mut tails = vec![0.0; update.support().len() + 1];
        for (place, (_, probability)) in update.support().iter().enumerate().rev() {
            tails[place] = tails[place + 1] + probability;
        }
        Ok(Waiting {
            update,
            most,
            semantics: model.semantics,
            tie: model.tie,
            sums,
            longest,
            tails,
            known: Mutex::default(),
        })
    }

    /// The longest wait that makes a difference.
    pub fn longest(&self) -> u64 {
        self.longest
    }

    /// The law of beta after a wait of this many ticks.
    pub fn of(&self, wait: u64) -> Arc<[Beta]> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(wait).or_insert_with(|| self.courses(wait).into()))
    }

    fn courses(&self, wait: u64) -> Vec<Beta> {
        if self.most == 0 || wait == 0 {
            return vec![Beta { overrun: 0, updates: 0, probability: 1.0 }];
        }
        match (self.semantics, self.tie) {
            (Semantics::Abort, Tie::Counts) => self.aborted(wait),
            (Semantics::Abort, Tie::Discards) => self.aborted(wait - 1),
            (Semantics::Complete, _) => self.completed(wait),
        }
    }

    /// The number of updates that end by `end`.
    fn aborted(&self, end: u64) -> Vec<Beta> {
        let mut courses = Vec::new();
        for (updates, sums) in (0..).zip(&self.sums) {
            let fits = sums.iter().take_while(|(time, _)| *time <= end);
            // The next one would end too late; after the last there is no next one.
            let ends = |time: u64| if updates == self.most { 1.0 } else { self.longer_than(end - time) };
            let probability: f64 = fits.map(|(time, probability)| probability * ends(*time)).sum();
            if probability > 0.0 {
                courses.push(Beta { overrun: 0, updates, probability });
            }
        }
        courses
    }

    fn longer_than(&self, ticks: u64) -> f64 {
        self.tails[self.update.support().partition_point(|(place, _)| *place <= ticks)]
    }

    /// The update that is in progress when the wait ends is finished.
    fn completed(&self, wait: u64) -> Vec<Beta> {
        let mut courses: BTreeMap<(u64, u32), f64> = BTreeMap::new();
        for (updates, sums) in (0..).zip(&self.sums) {
            for (time, probability) in sums.iter().take_while(|(time, _)| *time < wait) {
                if updates == self.most {
                    *courses.entry((0, updates)).or_insert(0.0) += probability;
                    continue;
                }
                let left = wait - time;
                let late = self.update.support().partition_point(|(ticks, _)| *ticks < left);
                for (ticks, next) in &self.update.support()[late..] {
                    *courses.entry((ticks - left, updates + 1)).or_insert(0.0) += probability * next;
                }
            }
        }
        let course = |((overrun, updates), probability)| Beta { overrun, updates, probability };
        courses.into_iter().map(course).filter(|course| course.probability > 0.0).collect()
    }
}
