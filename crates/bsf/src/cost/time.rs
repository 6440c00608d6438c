//! How long an iteration takes, and how many times faster it is.

use super::costs::Costs;
use super::form::{Collective, Form};

impl Costs {
    /// `T(K)`: the time of one iteration with this many workers \[s\].
    ///
    /// ```text
    /// T(K) = comm(K) + fold(K) + work(K) + t_p
    /// ```
    ///
    /// `workers` is 1 to `list_length` ([`Costs::check_workers`]); 0 is taken as 1.
    ///
    /// Eq. 6 of \[S\] is `T(1)` of [`Form::Exact`]; its Eq. 8 to 10 are of [`Form::Smooth`].
    pub fn time_s(&self, form: Form, collective: Collective, workers: u64) -> f64 {
        let workers = workers.max(1);
        let (comm, fold) = match collective {
            Collective::Flat => {
                let count = workers as f64;
                let per_worker = 2.0 * self.overhead_s + self.send_s + self.receive_s;
                (2.0 * (self.latency_s - self.overhead_s) + count * per_worker, (count - 1.0) * self.fold_s)
            }
            Collective::Tree => {
                let depth = f64::from(tree_depth(workers));
                (depth * (2.0 * self.latency_s + self.send_s + self.receive_s), (depth - 1.0) * self.fold_s)
            }
        };
        comm + fold + self.work_of_block_s(form, workers) + self.compute_s
    }

    /// The map and fold of the critical block \[s\].
    ///
    /// A fused `W` can be less than one fold, which would make [`Form::Exact`] negative; work never takes less than 0.
    pub(super) fn work_of_block_s(&self, form: Form, workers: u64) -> f64 {
        match form {
            Form::Smooth => self.work_s / workers as f64,
            Form::Exact => (self.work_s / workers as f64 - self.fold_s).max(0.0),
            // Written so that it has exactly the bits of the smooth form where the workers divide the list.
            Form::Granular => self.work_s / (self.list_length as f64 / self.list_length.div_ceil(workers) as f64),
        }
    }

    /// The time of one iteration on one process, without messages \[s\]: `W + t_p` (exact: `W - t_a + t_p`).
    pub fn serial_time_s(&self, form: Form) -> f64 {
        self.work_of_block_s(form, 1) + self.compute_s
    }

    /// `a(K) = T(1)/T(K)`: the speedup against one worker, that is two processes. `a(1)` is exactly 1.
    ///
    /// Erratum Eq. 45 prints `K (2L + 9 t_tr + 14 t_op)` for gravity, where Eq. 10 and 46 and `a(1) = 1` need `3 t_op`.
    pub fn speedup(&self, form: Form, collective: Collective, workers: u64) -> f64 {
        quotient(self.time_s(form, collective, 1), self.time_s(form, collective, workers))
    }

    /// The speedup against one process that sends no messages.
    pub fn speedup_serial(&self, form: Form, collective: Collective, workers: u64) -> f64 {
        quotient(self.serial_time_s(form), self.time_s(form, collective, workers))
    }

    /// `a(K)/K`.
    pub fn efficiency(&self, form: Form, collective: Collective, workers: u64) -> f64 {
        self.speedup(form, collective, workers) / workers.max(1) as f64
    }
}

/// `d(K) = ceil(log2(K+1))`: the depth of a binomial tree over a master and this many workers, in messages.
///
/// # Examples
/// ```
/// use runcast_bsf::cost::tree_depth;
/// assert_eq!([1, 2, 3, 4, 7, 8].map(tree_depth), [1, 2, 2, 3, 3, 4]);
/// ```
pub fn tree_depth(workers: u64) -> u32 {
    u64::BITS - workers.leading_zeros()
}

/// Equal times have the quotient 1, even if both are zero.
fn quotient(above: f64, below: f64) -> f64 {
    if above == below { 1.0 } else { above / below }
}
