//! The costs of one iteration, in seconds.

use super::error::CostError;
use serde::Serialize;

/// The longest list that a double counts exactly: 2^53 elements.
pub const MOST_ELEMENTS: u64 = 1 << 53;
/// The longest time allowed, so that nothing overflows.
pub(super) const MOST_S: f64 = 1e30;
/// The shortest time allowed apart from 0, so that no quotient of two times overflows.
pub(super) const LEAST_S: f64 = 1e-30;

/// Times of one iteration as given, unchecked; [`Costs::new`] checks them.
///
/// `T` is `f64`, or [`Uncertain`](super::Uncertain).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times<T = f64> {
    /// `l`: length of the list.
    pub list_length: u64,
    /// `L`: latency of a message \[s\].
    pub latency_s: T,
    /// `o`: the part of `L` in which the master itself is busy \[s\]; none: all of it, as in \[S\].
    pub overhead_s: Option<T>,
    /// `t_s`: transfer of the approximation to one worker, without `L` \[s\].
    pub send_s: T,
    /// `t_r`: transfer of a partial result from one worker, without `L` \[s\].
    pub receive_s: T,
    /// `t_Map` or `W`.
    pub work: Work<T>,
    /// `t_a`: one fold \[s\]; 0 for an algorithm that only maps.
    pub fold_s: T,
    /// `t_p`: the next approximation and the stop condition \[s\].
    pub compute_s: T,
}

/// The work over the whole list on one worker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Work<T = f64> {
    /// `t_Map`: the map alone \[s\]; `l` folds come on top of it.
    Map(T),
    /// `W`: map and folds together \[s\]. Where they are fused they are faster than their parts, and `W - l t_a` can
    /// be negative: never derive a map from it.
    Fused(T),
}

/// The costs of one iteration of an algorithm on a machine, in seconds: checked [`Times`].
///
/// | symbol | field | count of the built-in algorithms |
/// |---|---|---|
/// | `l` | `list_length` | |
/// | `L` | `latency_s` | |
/// | `o` | `overhead_s` | |
/// | `t_s`, `t_r` | `send_s`, `receive_s` | `c_s`, `c_r` numbers |
/// | `t_Map` | `map_s` | `c_Map` operations |
/// | `W = t_Map + l t_a` | `work_s` | |
/// | `t_a` | `fold_s` | `c_a` operations |
/// | `t_p` | `compute_s` | `c_p` operations |
///
/// # Examples
/// ```
/// use runcast_bsf::cost::{Collective, CostError, Costs, Form, Times, Work};
/// // BSF-Jacobi, n = 1500, on the machine of [S], section 6.
/// let costs = Costs::new(Times {
///     list_length: 1500,
///     latency_s: 1.5e-5,
///     overhead_s: None,
///     send_s: 1500.0 * 1.9e-7,
///     receive_s: 1500.0 * 1.9e-7,
///     work: Work::Map(1500.0 * 1500.0 * 2.9e-8),
///     fold_s: 1500.0 * 2.9e-8,
///     compute_s: 4.0 * 1500.0 * 2.9e-8,
/// })?;
/// assert!((costs.k_max().unwrap() / 14.2407 - 1.0).abs() < 1e-5);
/// assert!((costs.speedup(Form::Smooth, Collective::Flat, 16) / 7.06429 - 1.0).abs() < 1e-5);
/// assert_eq!(costs.best(Form::Smooth, Collective::Flat).workers, 14);
/// assert_eq!(costs.best(Form::Granular, Collective::Tree).workers, 125);
/// # Ok::<(), CostError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Costs {
    /// `l`: length of the list.
    pub list_length: u64,
    /// `L`: latency of a message \[s\].
    pub latency_s: f64,
    /// `o`: the part of `L` in which the master itself is busy \[s\].
    pub overhead_s: f64,
    /// `t_s`: transfer of the approximation to one worker \[s\].
    pub send_s: f64,
    /// `t_r`: transfer of a partial result from one worker \[s\].
    pub receive_s: f64,
    /// `t_Map`: the map over the whole list on one worker \[s\]; none if only `W` is known.
    pub map_s: Option<f64>,
    /// `W`: map and fold over the whole list on one worker \[s\].
    pub work_s: f64,
    /// `t_a`: one fold \[s\].
    pub fold_s: f64,
    /// `t_p`: the next approximation and the stop condition \[s\].
    pub compute_s: f64,
}

impl Costs {
    /// Checks the times and adds up the work.
    ///
    /// # Errors
    /// [`CostError`] names the first key whose value is not allowed.
    pub fn new(times: Times) -> Result<Self, CostError> {
        let length = times.list_length;
        if !(1..=MOST_ELEMENTS).contains(&length) {
            return Err(CostError::ListLength { length });
        }
        times.check_times()?;
        let costs = Costs::unchecked(&times);
        check("work", costs.work_s)?;
        if costs.overhead_s > costs.latency_s {
            return Err(CostError::Overhead { overhead_s: costs.overhead_s, latency_s: costs.latency_s });
        }
        Ok(costs)
    }

    /// The costs of times that are known to be valid.
    pub(super) fn unchecked(times: &Times) -> Self {
        let (map_s, work_s) = match times.work {
            Work::Map(map_s) => (Some(map_s), map_s + times.list_length as f64 * times.fold_s),
            Work::Fused(work_s) => (None, work_s),
        };
        Costs {
            list_length: times.list_length,
            latency_s: times.latency_s,
            overhead_s: times.overhead_s.unwrap_or(times.latency_s),
            send_s: times.send_s,
            receive_s: times.receive_s,
            map_s,
            work_s,
            fold_s: times.fold_s,
            compute_s: times.compute_s,
        }
    }

    /// The times behind these costs.
    pub fn times(&self) -> Times {
        Times {
            list_length: self.list_length,
            latency_s: self.latency_s,
            overhead_s: Some(self.overhead_s),
            send_s: self.send_s,
            receive_s: self.receive_s,
            work: self.map_s.map_or(Work::Fused(self.work_s), Work::Map),
            fold_s: self.fold_s,
            compute_s: self.compute_s,
        }
    }

    /// Checks that this many workers can have an element each.
    ///
    /// # Errors
    /// There are none, or more than there are elements.
    pub fn check_workers(&self, workers: u64) -> Result<(), CostError> {
        let most = self.list_length;
        if (1..=most).contains(&workers) { Ok(()) } else { Err(CostError::Workers { workers, most }) }
    }
}

impl Times {
    fn check_times(&self) -> Result<(), CostError> {
        check("latency", self.latency_s)?;
        self.overhead_s.map_or(Ok(()), |overhead_s| check("overhead", overhead_s))?;
        check("send", self.send_s)?;
        check("receive", self.receive_s)?;
        match self.work {
            Work::Map(map_s) => check("map", map_s),
            Work::Fused(work_s) => check("work", work_s),
        }?;
        check("fold", self.fold_s)?;
        check("compute", self.compute_s)
    }
}

impl<T> Times<T> {
    /// Maps the times, in the order of the fields.
    pub fn map<U>(&self, mut each: impl FnMut(&T) -> U) -> Times<U> {
        Times {
            list_length: self.list_length,
            latency_s: each(&self.latency_s),
            overhead_s: self.overhead_s.as_ref().map(&mut each),
            send_s: each(&self.send_s),
            receive_s: each(&self.receive_s),
            work: match &self.work {
                Work::Map(map_s) => Work::Map(each(map_s)),
                Work::Fused(work_s) => Work::Fused(each(work_s)),
            },
            fold_s: each(&self.fold_s),
            compute_s: each(&self.compute_s),
        }
    }
}

/// Whether a time is allowed.
pub(super) fn is_time(seconds: f64) -> bool {
    seconds == 0.0 || (LEAST_S..=MOST_S).contains(&seconds)
}

fn check(key: &'static str, seconds: f64) -> Result<(), CostError> {
    if is_time(seconds) { Ok(()) } else { Err(CostError::Time { key, seconds }) }
}
