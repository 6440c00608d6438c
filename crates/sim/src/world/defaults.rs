//! The formulas that hold where no rule of a model does (docs/theory/sim.md, sections 3 and 4).

use crate::application::{Precision, Rate, Rates};

/// What a device, with the machine that it is in, can do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceLaw {
    /// Cores, C.
    pub cores: f64,
    /// Hardware threads of a core, T.
    pub threads_per_core: f64,
    /// Work of a core with all its threads busy, y.
    pub smt_gain: f64,
    /// Operations per second of the whole device.
    pub rates: Rates,
}

/// Cores' worth of work that k busy processes do on a device.
///
/// ```text
/// thr(k) = k  (k <= C);   C*(1 + (y-1)*min(1, (k-C)/(C*(T-1))))  (k > C, T > 1);   C  (k > C, T = 1)
/// ```
///
/// ```
/// # use runcast_sim::world::{DeviceLaw, throughput};
/// let law = DeviceLaw {
///     cores: 12.0, threads_per_core: 2.0, smt_gain: 1.22, rates: Default::default(),
/// };
/// let seen = [12.0, 16.0, 24.0, 32.0].map(|busy| throughput(&law, busy));
/// assert!(seen.iter().zip([12.0, 12.88, 14.64, 14.64]).all(|(seen, expected)| (seen - expected).abs() < 1e-12));
/// ```
pub fn throughput(law: &DeviceLaw, busy: f64) -> f64 {
    let cores = law.cores;
    if busy <= cores {
        return busy;
    }
    if law.threads_per_core <= 1.0 {
        return cores;
    }
    let share = ((busy - cores) / (cores * (law.threads_per_core - 1.0))).min(1.0);
    cores * (1.0 + (law.smt_gain - 1.0) * share)
}

/// The factor h on the speed of a core when k threads are placed on C cores: 1 + turbo alone, falling linearly to 1.
///
/// ```text
/// h = 1 + turbo*(1 - (min(k,C)-1)/(C-1))     1 if C = 1
/// ```
pub fn turbo_factor(turbo: f64, placed: f64, cores: f64) -> f64 {
    if cores <= 1.0 {
        return 1.0;
    }
    1.0 + turbo * (1.0 - (placed.clamp(1.0, cores) - 1.0) / (cores - 1.0))
}

/// Memory that threads share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryLaw {
    /// Bytes per second that a core can take; none: any.
    pub core: Option<f64>,
    /// Bytes per second of all together; none: any.
    pub all: Option<f64>,
    /// How sharp the lesser of the two limits: infinite is a minimum.
    pub sharpness: f64,
}

impl MemoryLaw {
    /// Bytes per second that threads get together that could take `most`.
    ///
    /// ```text
    /// ( (1/most)^s + (1/all)^s )^(-1/s)     infinite s: min(most, all)
    /// ```
    ///
    /// What is not known limits nothing.
    pub fn pool(&self, most: f64) -> f64 {
        self.soft(most, self.all.unwrap_or(f64::INFINITY))
    }

    /// Bytes per second of a thread when `placed` take part.
    ///
    /// ```text
    /// bw = ( (1/mem_bandwidth_core)^s + (k/mem_bandwidth)^s )^(-1/s)
    /// ```
    pub fn of_a_thread(&self, placed: f64) -> f64 {
        let share = self.all.map_or(f64::INFINITY, |all| all / placed.max(1.0));
        self.soft(self.core.unwrap_or(f64::INFINITY), share)
    }

    fn soft(&self, core: f64, share: f64) -> f64 {
        let least = core.min(share);
        if self.sharpness.is_infinite() || core.is_infinite() || share.is_infinite() || least <= 0.0 {
            return least;
        }
        let s = self.sharpness;
        // With the least as the unit neither power overflows.
        least * ((least / core).powf(s) + (least / share).powf(s)).powf(-1.0 / s)
    }
}

/// Seconds of a block behind the factor of the software stack, given the memory bandwidth of one thread.
///
/// ```text
/// max( ops / (n * F/C * efficiency * h),  bytes / (n * bandwidth) )     n = thr(min(threads, C*T))
/// ```
///
/// The threads share out both the operations and the bytes: a block moves its bytes once, however many threads do it.
/// None: there are operations, and the speed of the device is unknown.
pub fn compute_time(law: &DeviceLaw, work: &Work, h: f64, bandwidth: f64) -> Option<f64> {
    let threads = throughput(law, work.threads.min(law.cores * law.threads_per_core));
    let computing = if work.ops > 0.0 {
        let Rate { flops, efficiency } = law.rates.get(work.precision)?;
        work.ops / (threads * flops / law.cores * efficiency * h)
    } else {
        0.0
    };
    let moving = if work.bytes > 0.0 { work.bytes / (threads * bandwidth) } else { 0.0 };
    Some(computing.max(moving))
}

/// What a block does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// Operations.
    pub ops: f64,
    /// Bytes to and from memory.
    pub bytes: f64,
    pub threads: f64,
    /// What it computes in.
    pub precision: Precision,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn law(cores: f64, threads_per_core: f64, smt_gain: f64) -> DeviceLaw {
        let double = |key: &str| match key {
            "flops_double" => Some(6e9),
            "efficiency" => Some(0.5),
            _ => None,
        };
        DeviceLaw { cores, threads_per_core, smt_gain, rates: Rates::of(double) }
    }

    fn memory(core: Option<f64>, all: Option<f64>, sharpness: f64) -> MemoryLaw {
        MemoryLaw { core, all, sharpness }
    }

    #[test]
    fn blocks_take_the_longer_of_computing_and_moving() {
        let work = Work { ops: 3e9, bytes: 1e9, threads: 2.0, precision: Precision::Double };
        // 2 of 6 cores of 1 Gop/s each, half of it reached, 1.5 times faster: 2 s; 1 GB at 0.125 GB/s a thread: 4 s.
        assert_eq!(compute_time(&law(6.0, 1.0, 1.0), &work, 1.5, 1e9), Some(2.0));
        assert_eq!(compute_time(&law(6.0, 1.0, 1.0), &work, 1.5, 0.125e9), Some(4.0));
        assert_eq!(compute_time(&law(6.0, 1.0, 1.0), &Work { threads: 99.0, ..work }, 1.0, 1e12), Some(1.0));
        assert_eq!(compute_time(&law(6.0, 1.0, 1.0), &Work { precision: Precision::Single, ..work }, 1.5, 1e9), None);
        assert_eq!(compute_time(&law(6.0, 1.0, 1.0), &Work { ops: 0.0, ..work }, 1.5, f64::INFINITY), Some(0.0));
    }

    #[test]
    fn the_bytes_of_a_block_are_moved_once() {
        // 400 GB on 48 cores that take 12 GB/s each, 400 GB/s together: by hand, bytes / min(12 GB/s * threads, 400 GB/s).
        let law = law(48.0, 1.0, 1.0);
        let seconds = |threads: f64| {
            let bandwidth = memory(Some(12e9), Some(400e9), f64::INFINITY).of_a_thread(threads);
            let work = Work { ops: 0.0, bytes: 400e9, threads, precision: Precision::Double };
            compute_time(&law, &work, 1.0, bandwidth).expect("no operations")
        };
        for (threads, expected) in
            [(1.0, 100.0 / 3.0), (8.0, 25.0 / 6.0), (33.0, 100.0 / 99.0), (34.0, 1.0), (48.0, 1.0)]
        {
            let seen = seconds(threads);
            assert!((seen / expected - 1.0).abs() < 1e-12, "{threads} threads: {seen}");
        }
    }

    #[test]
    fn a_lone_core_is_faster() {
        assert_eq!(turbo_factor(0.1, 1.0, 12.0), 1.1);
        assert_eq!(turbo_factor(0.1, 12.0, 12.0), 1.0);
        assert_eq!(turbo_factor(0.1, 32.0, 12.0), 1.0);
        assert_eq!(turbo_factor(0.1, 1.0, 1.0), 1.0);
        assert!((turbo_factor(0.22, 7.0, 12.0) - 1.1).abs() < 1e-15);
    }

    #[test]
    fn bandwidth_is_a_soft_minimum() {
        // 7.5 and 36/12 = 3 GB/s, exponent 4: (7.5^-4 + 3^-4)^(-1/4), by hand with Python.
        let seen = memory(Some(7.5e9), Some(36e9), 4.0).of_a_thread(12.0);
        assert!((seen / 2.981_101_421_832_264_4e9 - 1.0).abs() < 1e-12, "{seen}");
        assert_eq!(memory(Some(7.5e9), Some(36e9), f64::INFINITY).of_a_thread(12.0), 3e9);
        assert_eq!(memory(Some(7.5e9), None, 4.0).of_a_thread(12.0), 7.5e9);
        assert_eq!(memory(None, Some(36e9), 4.0).of_a_thread(2.0), 18e9);
        assert_eq!(memory(None, None, 4.0).of_a_thread(2.0), f64::INFINITY);
    }

    proptest! {
        #[test]
        fn more_busy_processes_never_do_less(cores in 1_u32..128, threads in 1_u32..8, gain in 1.0_f64..2.0, busy in 0_u32..1000) {
            let law = law(f64::from(cores), f64::from(threads), gain);
            let (less, more) = (throughput(&law, f64::from(busy)), throughput(&law, f64::from(busy + 1)));
            prop_assert!(more >= less);
            prop_assert!(more <= f64::from(cores) * gain * (1.0 + 1e-12));
            // Each of them gets no more than a core, and no more than before.
            let before = if busy == 0 { 1.0 } else { less / f64::from(busy) };
            prop_assert!(more / f64::from(busy + 1) <= before + 1e-12);
        }

        #[test]
        fn soft_minima_lie_below_hard_ones(core in 1e6_f64..1e12, shared in 1e6_f64..1e12, s in 0.5_f64..200.0, k in 1.0_f64..100.0) {
            let soft = memory(Some(core), Some(shared), s).of_a_thread(k);
            let hard = memory(Some(core), Some(shared), f64::INFINITY).of_a_thread(k);
            prop_assert!(soft <= hard * (1.0 + 1e-12) && soft >= hard * 2.0_f64.powf(-1.0 / s) * (1.0 - 1e-12));
        }
    }
}
