//! Factors of parallel efficiency: what a run loses to imbalance, to waiting, to the network, and to more work.
//!
//! ```text
//! T    greatest wall time of a rank       U_r  computing time of rank r       T_i  time on an ideal network
//! load_balance = mean U / max U       communication = max U / T
//! serialization = max U / T_i         transfer = T_i / T
//! parallel = load_balance * serialization * transfer = mean U / T
//! computation_scaling = s sum U_ref / sum U         s: work, as a multiple of that of the reference
//! global = parallel * computation_scaling           speedup = s T_ref / T
//! ```
//!
//! Source: the methodology of the POP Centre of Excellence (M. Wagner, S. Mohr, J. Giménez, J. Labarta, *A Structured
//! Approach to Performance Analysis*, Tools for High Performance Computing 2017).

use serde::Serialize;

/// How the problem grows with the number of processes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scaling {
    /// The same problem.
    #[default]
    Strong,
    /// The same problem for each process.
    Weak,
}

runcast_core::words!(Scaling::word: Strong = "strong", Weak = "weak");

/// What the factors of a run follow from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Processes.
    pub processes: f64,
    /// Greatest wall time of a rank.
    pub time_s: f64,
    /// Mean computing time of a rank.
    pub useful_mean_s: f64,
    /// Greatest computing time of a rank.
    pub useful_max_s: f64,
    /// Time on an ideal network, if it is known.
    pub ideal_time_s: Option<f64>,
    /// Instructions and cycles of all blocks, where they were counted.
    pub counted: Option<(f64, f64)>,
}

/// Factors of one run. A factor is absent where what it follows from is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Factors {
    /// How evenly computing is spread.
    pub load_balance: Option<f64>,
    /// What the rank that computes most spends outside of MPI.
    pub communication: Option<f64>,
    /// What dependencies between ranks leave of that, on a network that costs nothing.
    pub serialization: Option<f64>,
    /// What the network leaves.
    pub transfer: Option<f64>,
    /// Load balance, serialization and transfer together.
    pub parallel: Option<f64>,
    /// Computing time against that of the reference, for the same work.
    pub computation_scaling: Option<f64>,
    /// Instructions against those of the reference.
    pub instruction_scaling: Option<f64>,
    /// Instructions a cycle against those of the reference.
    pub ipc_scaling: Option<f64>,
    /// Cycles a second against those of the reference.
    pub frequency_scaling: Option<f64>,
    /// All together.
    pub global: Option<f64>,
}

impl Scaling {
    /// Work as a multiple of that of the reference.
    pub fn work(self, processes: f64, reference: f64) -> f64 {
        match self {
            Scaling::Strong => 1.0,
            Scaling::Weak => processes / reference,
        }
    }
}

impl Factors {
    /// Names and values, in the order of the document.
    pub fn named(&self) -> [(&'static str, Option<f64>); 10] {
        [
            ("load_balance", self.load_balance),
            ("communication", self.communication),
            ("serialization", self.serialization),
            ("transfer", self.transfer),
            ("parallel", self.parallel),
            ("computation_scaling", self.computation_scaling),
            ("instruction_scaling", self.instruction_scaling),
            ("ipc_scaling", self.ipc_scaling),
            ("frequency_scaling", self.frequency_scaling),
            ("global", self.global),
        ]
    }

    /// The factors of a run, against a reference.
    pub fn of(run: &Measured, reference: &Measured, scaling: Scaling) -> Self {
        let work = scaling.work(run.processes, reference.processes);
        let ideal = |one: f64, other: f64| ratio(one, other);
        let all = |of: &Measured| of.useful_mean_s * of.processes;
        let parallel = ratio(run.useful_mean_s, run.time_s);
        let both = run.counted.zip(reference.counted);
        let computation_scaling = ratio(work * all(reference), all(run));
        Factors {
            load_balance: ratio(run.useful_mean_s, run.useful_max_s),
            communication: ratio(run.useful_max_s, run.time_s),
            serialization: run.ideal_time_s.and_then(|time| ideal(run.useful_max_s, time)),
            transfer: run.ideal_time_s.and_then(|time| ideal(time, run.time_s)),
            parallel,
            computation_scaling,
            instruction_scaling: both.and_then(|((own, _), (other, _))| ratio(work * other, own)),
            ipc_scaling: both.and_then(|((i, y), (other_i, other_y))| ratio(i * other_y, y * other_i)),
            frequency_scaling: both.and_then(|((_, y), (_, other))| ratio(y * all(reference), other * all(run))),
            global: parallel.zip(computation_scaling).map(|(one, other)| one * other),
        }
    }

    /// The least of the factors that multiply up to the parallel efficiency.
    pub fn least(&self) -> Option<(&'static str, f64)> {
        let parts = [
            ("load balance", self.load_balance),
            ("serialization", self.serialization),
            ("transfer", self.transfer),
            ("computation scaling", self.computation_scaling),
        ];
        let known = parts.into_iter().filter_map(|(name, value)| Some((name, value?)));
        known.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// `T_ref / T` for the same work.
pub fn speedup(run: &Measured, reference: &Measured, scaling: Scaling) -> Option<f64> {
    ratio(scaling.work(run.processes, reference.processes) * reference.time_s, run.time_s)
}

fn ratio(one: f64, other: f64) -> Option<f64> {
    let ratio = one / other;
    (other > 0.0 && ratio.is_finite()).then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(useful: &[f64], time: f64, ideal: f64) -> Measured {
        Measured {
            processes: useful.len() as f64,
            time_s: time * 1e-9,
            useful_mean_s: useful.iter().sum::<f64>() / useful.len() as f64 * 1e-9,
            useful_max_s: useful.iter().copied().fold(0.0, f64::max) * 1e-9,
            ideal_time_s: Some(ideal * 1e-9),
            counted: None,
        }
    }

    /// 100 and 220 instructions, 50 and 100 cycles, 1 and 2 us of computing: `1/2.2`, `2.2/2`, `1`; their product is the
    /// computation scaling.
    #[test]
    fn counters_take_computation_scaling_apart() {
        let one = Measured { counted: Some((100.0, 50.0)), ..run(&[500.0, 500.0], 600.0, 600.0) };
        let more = Measured { counted: Some((220.0, 100.0)), ..run(&[500.0; 4], 600.0, 600.0) };
        let factors = Factors::of(&more, &one, Scaling::Strong);
        let near = |value: Option<f64>, expected: f64| assert!((value.unwrap_or(0.0) - expected).abs() < 1e-12);
        near(factors.instruction_scaling, 1.0 / 2.2);
        near(factors.ipc_scaling, 1.1);
        near(factors.frequency_scaling, 1.0);
        near(factors.computation_scaling, 0.5);
    }

    #[test]
    fn two_schedules_worked_out_by_hand() {
        let two = run(&[700.0, 700.0], 1_740.0, 1_400.0);
        let three = run(&[600.0, 400.0, 600.0], 1_710.0, 1_200.0);
        let cases = [
            (two, [1.0, 0.402_299, 0.5, 0.804_598, 0.402_299, 1.0, 0.402_299], 1.0),
            (three, [0.888_889, 0.350_877, 0.5, 0.701_754, 0.311_891, 0.875, 0.272_904], 1.017_544),
        ];
        for (run, expected, faster) in cases {
            let factors = Factors::of(&run, &two, Scaling::Strong);
            let seen: Vec<f64> = factors.named().into_iter().filter_map(|(_, value)| value).collect();
            for (seen, expected) in seen.iter().zip(expected) {
                assert!((seen - expected).abs() < 5e-7, "{factors:?}");
            }
            let seen = speedup(&run, &two, Scaling::Strong).expect("a speedup");
            assert!((seen - faster).abs() < 5e-7);
            // The identity of speedup and global efficiency.
            let parallel = Factors::of(&two, &two, Scaling::Strong).parallel.expect("a factor");
            let same = run.processes / two.processes * factors.global.expect("a factor") / parallel;
            assert!((seen - same).abs() < 1e-12);
        }
        assert_eq!(Factors::of(&three, &two, Scaling::Strong).least(), Some(("serialization", 0.5)));
    }

    #[test]
    fn what_is_unknown_stays_unknown() {
        let nothing = Measured { ideal_time_s: None, useful_max_s: 0.0, useful_mean_s: 0.0, ..run(&[0.0], 1.0, 1.0) };
        let factors = Factors::of(&nothing, &nothing, Scaling::Weak);
        assert_eq!((factors.load_balance, factors.transfer, factors.computation_scaling), (None, None, None));
    }
}
