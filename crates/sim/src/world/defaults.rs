//! The formulas that hold where no rule of a model does (docs/theory/sim.md, sections 3 and 4).

/// What a device, with the machine that it is in, can do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceLaw {
    /// Cores, C.
    pub cores: f64,
    /// Hardware threads of a core, T.
    pub threads_per_core: f64,
    /// Work of a core with all its threads busy, y.
    pub smt_gain: f64,
    /// Operations per second of the whole device in double precision.
    pub flops_double: Option<f64>,
    /// In single precision.
    pub flops_single: Option<f64>,
    /// The share of these that programs reach.
    pub efficiency: f64,
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
///     cores: 12.0, threads_per_core: 2.0, smt_gain: 1.22, flops_double: None, flops_single: None, efficiency: 1.0,
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

/// Memory bandwidth of a thread when k are placed: a soft minimum of what a core can take and what its share is.
///
/// ```text
/// bw = ( (1/mem_bandwidth_core)^s + (k/mem_bandwidth)^s )^(-1/s)     infinite s: min(core, node/k)
/// ```
///
/// What is not known limits nothing.
pub fn memory_bandwidth(core: Option<f64>, shared: Option<f64>, sharpness: f64, placed: f64) -> f64 {
    let core = core.unwrap_or(f64::INFINITY);
    let share = shared.map_or(f64::INFINITY, |shared| shared / placed.max(1.0));
    let least = core.min(share);
    if sharpness.is_infinite() || core.is_infinite() || share.is_infinite() {
        return least;
    }
    // With the least as the unit neither power overflows.
    least * ((least / core).powf(sharpness) + (least / share).powf(sharpness)).powf(-1.0 / sharpness)
}

/// Seconds of a block behind the factor of the software stack, given the memory bandwidth of one thread.
///
/// ```text
/// max( ops / (n * F/C * efficiency * h),  bytes / (n * bandwidth) )     n = min(threads, C)
/// ```
///
/// The threads share out both the operations and the bytes: a block moves its bytes once, however many threads do it.
/// None: there are operations, and the speed of the device is unknown.
pub fn compute_time(law: &DeviceLaw, work: &Work, h: f64, bandwidth: f64) -> Option<f64> {
    let threads = work.threads.min(law.cores);
    let computing = if work.ops > 0.0 {
        let flops = if work.is_single { law.flops_single } else { law.flops_double }?;
        work.ops / (threads * flops / law.cores * law.efficiency * h)
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
    /// Single precision.
    pub is_single: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn law(cores: f64, threads_per_core: f64, smt_gain: f64) -> DeviceLaw {
        DeviceLaw { cores, threads_per_core, smt_gain, flops_double: Some(6e9), flops_single: None, efficiency: 0.5 }
    }

    #[test]
    fn blocks_take_the_longer_of_computing_and_moving() {
        let work = Work { ops: 3e9, bytes: 1e9, threads: 2.0, is_single: false };
        // 2 of 6 cores of 1 Gop/s each, half of it reached, 1.5 times faster: 2 s; 1 GB at 0.125 GB/s a thread: 4 s.
        assert_eq!(compute_time(&law(6.0, 1.0, 1.0), &work, 1.5, 1e9), Some(2.0));
        assert_eq!(compute_time(&law(6.0, 1.0, 1.0), &work, 1.5, 0.125e9), Some(4.0));
        assert_eq!(compute_time(&law(6.0, 1.0, 1.0), &Work { threads: 99.0, ..work }, 1.0, 1e12), Some(1.0));
        assert_eq!(compute_time(&law(6.0, 1.0, 1.0), &Work { is_single: true, ..work }, 1.5, 1e9), None);
        assert_eq!(compute_time(&law(6.0, 1.0, 1.0), &Work { ops: 0.0, ..work }, 1.5, f64::INFINITY), Some(0.0));
    }

    #[test]
    fn the_bytes_of_a_block_are_moved_once() {
        // 400 GB on 48 cores that take 12 GB/s each, 400 GB/s together: by hand, bytes / min(12 GB/s * threads, 400 GB/s).
        let law = law(48.0, 1.0, 1.0);
        let seconds = |threads: f64| {
            let bandwidth = memory_bandwidth(Some(12e9), Some(400e9), f64::INFINITY, threads);
            let work = Work { ops: 0.0, bytes: 400e9, threads, is_single: false };
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
        let seen = memory_bandwidth(Some(7.5e9), Some(36e9), 4.0, 12.0);
        assert!((seen / 2.981_101_421_832_264_4e9 - 1.0).abs() < 1e-12, "{seen}");
        assert_eq!(memory_bandwidth(Some(7.5e9), Some(36e9), f64::INFINITY, 12.0), 3e9);
        assert_eq!(memory_bandwidth(Some(7.5e9), None, 4.0, 12.0), 7.5e9);
        assert_eq!(memory_bandwidth(None, Some(36e9), 4.0, 2.0), 18e9);
        assert_eq!(memory_bandwidth(None, None, 4.0, 2.0), f64::INFINITY);
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
            let soft = memory_bandwidth(Some(core), Some(shared), s, k);
            let hard = memory_bandwidth(Some(core), Some(shared), f64::INFINITY, k);
            prop_assert!(soft <= hard * (1.0 + 1e-12) && soft >= hard * 2.0_f64.powf(-1.0 / s) * (1.0 - 1e-12));
        }
    }
}
