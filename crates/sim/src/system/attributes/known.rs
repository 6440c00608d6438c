//! Keys that mean something to the simulator (docs/reference/sim-system.md).

use runcast_formula::units::Dimension;

/// A key that means something.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    pub key: &'static str,
    /// What its value is.
    pub what: What,
    /// Which numbers are allowed.
    pub bound: Bound,
    pub help: &'static str,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A number with this dimension.
    Quantity(Dimension),
    /// Yes or no.
    Flag,
    Word(&'static [&'static str]),
    /// Watts against busy threads.
    Curve,
    /// Power states.
    States,
    /// A name that the file gives.
    Name,
}

/// Which numbers are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Above 0.
    Positive,
    /// 0 or more.
    NotNegative,
    /// 1 or more.
    Count,
    /// From 0 to 1.
    Share,
}

impl Bound {
    /// Whether a number is allowed.
    pub fn allows(self, value: f64) -> bool {
        match self {
            Bound::Positive => value > 0.0,
            Bound::NotNegative => value >= 0.0,
            Bound::Count => value >= 1.0,
            Bound::Share => (0.0..=1.0).contains(&value),
        }
    }

    /// For messages.
    pub fn words(self) -> &'static str {
        match self {
            Bound::Positive => "above 0",
            Bound::NotNegative => "0 or more",
            Bound::Count => "1 or more",
            Bound::Share => "from 0 to 1",
        }
    }
}

impl Known {
    /// The unit of its numbers in SI base units.
    pub fn unit(&self) -> &'static str {
        match self.what {
            What::Quantity(dimension) => dimension.si_unit(),
            What::Curve => "W",
            What::Flag | What::Word(_) | What::States | What::Name => "",
        }
    }
}

/// The key of this name, if it means something.
pub fn known(key: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.key == key)
}

const fn number(key: &'static str, dimension: Dimension, bound: Bound, help: &'static str) -> Known {
    Known { key, what: What::Quantity(dimension), bound, help }
}

const fn flag(key: &'static str, help: &'static str) -> Known {
    Known { key, what: What::Flag, bound: Bound::NotNegative, help }
}

/// All keys that mean something.
pub static KNOWN: &[Known] = &[
    number("cores", Dimension::Dimensionless, Bound::Count, "cores of the device"),
    number("threads_per_core", Dimension::Dimensionless, Bound::Count, "hardware threads of a core"),
    number("clock", Dimension::Frequency, Bound::Positive, "base clock"),
    number("ipc", Dimension::Dimensionless, Bound::Positive, "instructions a cycle, relative to the Xeon E5345"),
    number("flops_single", Dimension::OperationsPerTime, Bound::Positive, "single precision, whole device"),
    number("flops_double", Dimension::OperationsPerTime, Bound::Positive, "double precision, whole device"),
    number("flops_tf32", Dimension::OperationsPerTime, Bound::Positive, "TF32 (19 bits), whole device"),
    number("flops_bf16", Dimension::OperationsPerTime, Bound::Positive, "bfloat16, whole device"),
    number("flops_fp16", Dimension::OperationsPerTime, Bound::Positive, "half precision, whole device"),
    number("flops_fp8", Dimension::OperationsPerTime, Bound::Positive, "8-bit floating point, whole device"),
    number("flops_fp4", Dimension::OperationsPerTime, Bound::Positive, "4-bit floating point, whole device"),
    number("flops_int8", Dimension::OperationsPerTime, Bound::Positive, "8-bit integers, whole device"),
    number("flops_double_matrix", Dimension::OperationsPerTime, Bound::Positive, "double precision in matrix cores"),
    number("efficiency", Dimension::Share, Bound::Positive, "share of these that programs reach [1]"),
    number("efficiency_double", Dimension::Share, Bound::Positive, "the same in double precision [efficiency]"),
    number("efficiency_single", Dimension::Share, Bound::Positive, "the same in single precision [efficiency]"),
    number("efficiency_tf32", Dimension::Share, Bound::Positive, "the same in TF32 [efficiency]"),
    number("efficiency_bf16", Dimension::Share, Bound::Positive, "the same in bfloat16 [efficiency]"),
    number("efficiency_fp16", Dimension::Share, Bound::Positive, "the same in half precision [efficiency]"),
    number("efficiency_fp8", Dimension::Share, Bound::Positive, "the same in 8-bit floating point [efficiency]"),
    number("efficiency_fp4", Dimension::Share, Bound::Positive, "the same in 4-bit floating point [efficiency]"),
    number("efficiency_int8", Dimension::Share, Bound::Positive, "the same in 8-bit integers [efficiency]"),
    number("efficiency_double_matrix", Dimension::Share, Bound::Positive, "the same in matrix cores [efficiency]"),
    number("smt_gain", Dimension::Dimensionless, Bound::Positive, "work of a core with all its threads busy [1]"),
    number("turbo", Dimension::Share, Bound::NotNegative, "a single busy core is faster by this share [0]"),
    number("mem_bandwidth", Dimension::BytesPerTime, Bound::Positive, "of all cores together"),
    number("mem_bandwidth_core", Dimension::BytesPerTime, Bound::Positive, "of one core"),
    number("copy_engines", Dimension::Dimensionless, Bound::Count, "copies of a device at once: half each way [2]"),
    number("numa", Dimension::Dimensionless, Bound::Count, "equal parts of its cores with memory of their own [1]"),
    Known {
        key: "memory_policy",
        what: What::Word(&["local", "interleaved"]),
        bound: Bound::NotNegative,
        help: "memory near the threads, or spread over all parts of the machine [local]",
    },
    number("remote_factor", Dimension::Share, Bound::Positive, "bandwidth of a core to memory of other parts [0.6]"),
    number("mem_sharpness", Dimension::Dimensionless, Bound::Positive, "exponent of the soft minimum [infinite]"),
    number("cache", Dimension::Bytes, Bound::Positive, "last-level cache"),
    number("cache_bandwidth_core", Dimension::BytesPerTime, Bound::Positive, "of one core from the last-level cache"),
    number("memory", Dimension::Bytes, Bound::Positive, "main memory"),
    number("reduce_per_byte", Dimension::TimePerByte, Bound::NotNegative, "reduction of a byte in collectives [0]"),
    number("power_idle", Dimension::Power, Bound::NotNegative, "power when nothing is computed"),
    number("power_load", Dimension::Power, Bound::NotNegative, "power when all cores compute"),
    Known {
        key: "power_threads",
        what: What::Curve,
        bound: Bound::NotNegative,
        help: "power against busy threads, [[threads, watts], ..], linear between",
    },
    Known {
        key: "states",
        what: What::States,
        bound: Bound::NotNegative,
        help: "power states, [{ name, factor, power_idle, power_load }, ..], factor on clock and flops",
    },
    Known { key: "state", what: What::Name, bound: Bound::NotNegative, help: "its power state [the fastest]" },
    number("power_cap", Dimension::Power, Bound::Positive, "a machine takes the fastest states within this power"),
    number("wait_activity", Dimension::Share, Bound::Share, "how busy a thread is that waits for a message [0]"),
    number("mtbf", Dimension::Time, Bound::Positive, "mean time between failures of one"),
    number("failure_rate", Dimension::PerTime, Bound::NotNegative, "failures per second of one"),
    number("price", Dimension::Dimensionless, Bound::NotNegative, "price of one"),
    number("price_hour", Dimension::Dimensionless, Bound::NotNegative, "price of an hour of one"),
    number("bandwidth", Dimension::BytesPerTime, Bound::Positive, "of a link, in each direction"),
    number("latency", Dimension::Time, Bound::NotNegative, "of a link; of a storage"),
    Known {
        key: "family",
        what: What::Word(&["ethernet", "infiniband", "slingshot", "efa", "roce", "nvlink", "pcie", "memory"]),
        bound: Bound::NotNegative,
        help: "networks of one family treat messages of a size alike",
    },
    flag("shared", "whether messages share a link [true]"),
    Known {
        key: "duplex",
        what: What::Word(&["full", "half"]),
        bound: Bound::NotNegative,
        help: "whether both directions of a link have its bandwidth (full), or share it (half) [full]",
    },
    number("rails", Dimension::Dimensionless, Bound::Count, "ports of each machine [1]"),
    Known {
        key: "rail",
        what: What::Word(&["affinity", "load", "hash", "stripe"]),
        bound: Bound::NotNegative,
        help: "which a message takes: by device, bytes under way, both processes, or all in parts [affinity; load]",
    },
    flag("planes", "whether each rail is a network of its own [false]"),
    number("stripe_min", Dimension::Bytes, Bound::NotNegative, "smaller messages are not striped [1 MiB]"),
    number("window", Dimension::Bytes, Bound::Positive, "a flow is at most this over twice its latency fast [none]"),
    number("L", Dimension::Time, Bound::NotNegative, "LogGOPS: latency"),
    number("o", Dimension::Time, Bound::NotNegative, "LogGOPS: overhead of a message"),
    number("g", Dimension::Time, Bound::NotNegative, "LogGOPS: gap between messages"),
    number("G", Dimension::TimePerByte, Bound::NotNegative, "LogGOPS: gap per byte"),
    number("O", Dimension::TimePerByte, Bound::NotNegative, "LogGOPS: overhead per byte"),
    number("S", Dimension::Bytes, Bound::NotNegative, "LogGOPS: eager limit [none]"),
    number("eager_limit", Dimension::Bytes, Bound::NotNegative, "smaller transfers start without a receive [none]"),
    number("detach_limit", Dimension::Bytes, Bound::NotNegative, "senders of smaller messages need not wait [none]"),
    number("read_bandwidth", Dimension::BytesPerTime, Bound::Positive, "of a storage"),
    number("write_bandwidth", Dimension::BytesPerTime, Bound::Positive, "of a storage"),
    number("availability", Dimension::Share, Bound::Positive, "share of time that a volunteer is on"),
    number("on_mean", Dimension::Time, Bound::Positive, "mean time that a volunteer stays on"),
    number("off_mean", Dimension::Time, Bound::NotNegative, "mean time that a volunteer stays off"),
    flag("keeps_progress", "whether a volunteer goes on where it was switched off [true]"),
    number("error_rate", Dimension::Share, Bound::Share, "share of wrong results of a volunteer [0]"),
    number("quorum", Dimension::Dimensionless, Bound::Count, "equal results that a job needs, of different ones [1]"),
    number("deadline", Dimension::Time, Bound::Positive, "after which a job is given to another volunteer, too"),
    number("replicas", Dimension::Dimensionless, Bound::Count, "the same as quorum"),
];
