//! Where more workers stop helping.

use super::costs::Costs;

impl Costs {
    /// The cost of one more worker for the flat collective \[s\]: `2 o + t_s + t_r + t_a`.
    pub fn per_worker_s(&self) -> f64 {
        2.0 * self.overhead_s + self.send_s + self.receive_s + self.fold_s
    }

    /// The cost of one more level for the tree \[s\]: `2 L + t_s + t_r + t_a`.
    pub fn per_level_s(&self) -> f64 {
        2.0 * self.latency_s + self.send_s + self.receive_s + self.fold_s
    }

    /// The scalability boundary of the flat collective: where the speedup of every form peaks, as a real number.
    ///
    /// ```text
    /// K_max = sqrt(W / (2 o + t_s + t_r + t_a))                         [S, Eq. 17]
    /// ```
    ///
    /// It needs no limit of `l`. None if one more worker costs nothing, so that there is no boundary; 0 if there is no
    /// work.
    ///
    /// # Examples
    /// ```
    /// use runcast_bsf::cost::{Machine, algorithm};
    /// let machine = Machine { latency_s: 1.5e-5, overhead_s: None, op_time_s: 2.9e-8, transfer_time_s: 1.9e-7 };
    /// let gravity = algorithm::gravity(300)?.costs(&machine)?;
    /// assert!((gravity.k_max().unwrap() / 2.50859 - 1.0).abs() < 1e-5);         // Eq. 46
    /// # Ok::<(), runcast_bsf::cost::CostError>(())
    /// ```
    pub fn k_max(&self) -> Option<f64> {
        boundary(self.work_s, self.per_worker_s(), f64::sqrt)
    }

    /// [`Costs::k_max`] between 1 and the length of the list.
    pub fn k_max_clamped(&self) -> f64 {
        self.clamped(self.k_max())
    }

    /// The boundary of the tree, with `log2 K` taken as continuous: `ln 2 * W / (2 L + t_s + t_r + t_a)`.
    pub fn k_max_tree(&self) -> Option<f64> {
        boundary(self.work_s, self.per_level_s(), |ratio| std::f64::consts::LN_2 * ratio)
    }

    /// [`Costs::k_max_tree`] between 1 and the length of the list.
    pub fn k_max_tree_clamped(&self) -> f64 {
        self.clamped(self.k_max_tree())
    }

    /// Whether a second worker can help at all: `W > 2 o + t_s + t_r + t_a`, that is `K_max > 1`.
    pub fn applicable(&self) -> bool {
        self.work_s > self.per_worker_s()
    }

    fn clamped(&self, boundary: Option<f64>) -> f64 {
        let most = self.list_length as f64;
        boundary.map_or(most, |boundary| boundary.max(1.0).min(most))
    }
}

/// Without work nothing is gained by a worker, even by one that costs nothing.
fn boundary(work_s: f64, cost_s: f64, of_ratio: fn(f64) -> f64) -> Option<f64> {
    if work_s == 0.0 {
        Some(0.0)
    } else if cost_s == 0.0 {
        None
    } else {
        Some(of_ratio(work_s / cost_s))
    }
}
