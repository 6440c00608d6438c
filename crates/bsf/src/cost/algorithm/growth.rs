//! How the scalability boundary grows with the size of a problem.

use super::{Algorithm, Machine};

/// The counts of one iteration at a size that need not be whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Amounts {
    /// `l`
    pub length: f64,
    /// `c_s`
    pub send: f64,
    /// `c_Map`
    pub map: f64,
    /// `c_a`
    pub fold: f64,
    /// `c_r`
    pub receive: f64,
    /// `c_p`
    pub compute: f64,
}

/// The law of the boundary for large sizes: `K_max -> constant * n^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct GrowthLaw {
    pub constant: f64,
    pub exponent: f64,
    /// The size at which latency and what grows with the size cost a worker the same; below it the boundary grows faster.
    /// None where nothing that a worker costs grows.
    pub half_size: Option<f64>,
}

/// Relative step of the central difference.
const STEP: f64 = 1e-3;
/// A size at which all but the leading terms are below the precision of a number.
const LARGE: f64 = 1e30;

impl Algorithm {
    /// The exponent with which the boundary grows at a size: `d ln K_max / d ln n`, by a central difference at
    /// `n (1 +- 1e-3)`.
    ///
    /// For Jacobi it is `1 - u/2` with `u = n c/(2L + n c)` and `c = 2 tau_tr + tau_op`: it falls from 1 to 1/2. Eqs. 32 to
    /// 35 of \[S\] mean the limit.
    ///
    /// # Examples
    /// ```
    /// use runcast_bsf::cost::{Algorithm, Machine};
    /// let machine = Machine { latency_s: 1.5e-5, overhead_s: None, op_time_s: 2.9e-8, transfer_time_s: 1.9e-7 };
    /// let jacobi = Algorithm::find("jacobi").unwrap();
    /// assert!((jacobi.growth(1500.0, None, &machine).unwrap() - 0.523310).abs() < 1e-6);
    /// let law = jacobi.growth_law(None, &machine).unwrap();
    /// assert!((law.constant - 0.376575744).abs() < 1e-9 && law.exponent == 0.5);
    /// assert!((law.half_size.unwrap() - 73.3496).abs() < 1e-4);
    /// ```
    pub fn growth(&self, size: f64, inequalities: Option<f64>, machine: &Machine) -> Option<f64> {
        let (low, high) = (size * (1.0 - STEP), size * (1.0 + STEP));
        let boundary = |size: f64| self.boundary(size, inequalities, machine);
        let growth = (boundary(high)? / boundary(low)?).ln() / (high / low).ln();
        growth.is_finite().then_some(growth)
    }

    /// The law for large sizes; none where there is no boundary.
    pub fn growth_law(&self, inequalities: Option<f64>, machine: &Machine) -> Option<GrowthLaw> {
        let slope =
            (self.boundary(2.0 * LARGE, inequalities, machine)? / self.boundary(LARGE, inequalities, machine)?).log2();
        // The counts are polynomials, so that the exponent is a multiple of one half.
        let exponent = (2.0 * slope).round() / 2.0;
        let constant = self.boundary(LARGE, inequalities, machine)? / LARGE.powf(exponent);
        let per_worker = |size: f64| self.per_worker_s(size, inequalities, machine);
        let (fixed, grown) = (per_worker(0.0), (per_worker(LARGE) - per_worker(0.0)) / LARGE);
        let half_size = Some(fixed / grown).filter(|half| half.is_finite() && *half > 0.0 && grown > fixed / LARGE);
        Some(GrowthLaw { constant, exponent, half_size })
    }

    /// [S, Eq. 17] at a size that need not be whole.
    fn boundary(&self, size: f64, inequalities: Option<f64>, machine: &Machine) -> Option<f64> {
        let amounts = (self.amounts)(size, inequalities);
        let work_s = (amounts.map + amounts.length * amounts.fold) * machine.op_time_s;
        let boundary = (work_s / self.per_worker_s(size, inequalities, machine)).sqrt();
        (boundary.is_finite() && boundary > 0.0).then_some(boundary)
    }

    /// What each worker costs \[s\]: `2 o + t_s + t_r + t_a`.
    fn per_worker_s(&self, size: f64, inequalities: Option<f64>, machine: &Machine) -> f64 {
        let Amounts { send, receive, fold, .. } = (self.amounts)(size, inequalities);
        let overhead_s = machine.overhead_s.unwrap_or(machine.latency_s);
        2.0 * overhead_s + (send + receive) * machine.transfer_time_s + fold * machine.op_time_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: Machine =
        Machine { latency_s: 1.5e-5, overhead_s: None, op_time_s: 2.9e-8, transfer_time_s: 1.9e-7 };

    fn of(name: &str) -> &'static Algorithm {
        Algorithm::find(name).expect("a built-in algorithm")
    }

    #[test]
    fn jacobi_grows_as_its_closed_form() {
        let c = 2.0 * MACHINE.transfer_time_s + MACHINE.op_time_s;
        for (size, growth) in [(100.0, 0.711566), (1500.0, 0.523310), (1e4, 0.503641), (1e6, 0.500037)] {
            let found = of("jacobi").growth(size, None, &MACHINE).expect("it grows");
            let u = size * c / (2.0 * MACHINE.latency_s + size * c);
            assert!((found - growth).abs() < 1e-6 && (found - (1.0 - u / 2.0)).abs() < 1e-6, "{size}: {found}");
        }
    }

    #[test]
    fn gravity_grows_with_the_root_at_every_size_and_cimmino_twice_as_high_as_jacobi() {
        for size in [10.0, 1000.0, 1e7] {
            let growth = of("gravity").growth(size, None, &MACHINE).expect("it grows");
            assert!((growth - 0.5).abs() < 1e-9);
        }
        let law = |name: &str| of(name).growth_law(None, &MACHINE).expect("a law");
        assert_eq!(law("gravity").half_size, None);
        // Eq. 46: sqrt(23 op/(2L + 9 tr + 3 op)).
        let constant = f64::sqrt(23.0 * 2.9e-8 / (3e-5 + 9.0 * 1.9e-7 + 3.0 * 2.9e-8));
        assert!((law("gravity").constant / constant - 1.0).abs() < 1e-12);
        assert!((law("cimmino").constant / law("jacobi").constant - 2.0).abs() < 1e-9);
        assert_eq!((law("cimmino").exponent, law("cimmino").half_size), (0.5, law("jacobi").half_size));
    }

    #[test]
    fn messages_that_cost_nothing_leave_no_law() {
        let free = Machine { latency_s: 0.0, overhead_s: None, op_time_s: 0.0, transfer_time_s: 0.0 };
        assert_eq!((of("jacobi").growth(100.0, None, &free), of("jacobi").growth_law(None, &free)), (None, None));
    }
}
