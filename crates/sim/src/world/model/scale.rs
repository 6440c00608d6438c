//! The dependence of a coefficient on hardware, so that it follows when hardware is exchanged.

use super::On;
use crate::application::Precision;
use runcast_formula::units::Powers;

/// A figure of the hardware that a coefficient scales with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scale {
    /// The default law of the block, for one thread: the longer of computing and moving.
    Roofline,
    /// Operations per second of a core, in the precision of the block.
    Flops,
    /// The same in this precision, whatever the block computes in.
    FlopsOf(Precision),
    Clock,
    /// Clock times instructions a cycle.
    Scalar,
    MemBandwidthCore,
    MemBandwidth,
    /// Of a network.
    Latency,
    /// Of a network.
    Bandwidth,
    /// It is the same on any hardware.
    None,
}

impl Scale {
    /// All, with their words in files.
    pub const ALL: [(Scale, &'static str); 18] = [
        (Scale::Roofline, "roofline"),
        (Scale::Flops, "flops"),
        (Scale::FlopsOf(Precision::Double), "flops_double"),
        (Scale::FlopsOf(Precision::Single), "flops_single"),
        (Scale::FlopsOf(Precision::Tf32), "flops_tf32"),
        (Scale::FlopsOf(Precision::Bf16), "flops_bf16"),
        (Scale::FlopsOf(Precision::Fp16), "flops_fp16"),
        (Scale::FlopsOf(Precision::Fp8), "flops_fp8"),
        (Scale::FlopsOf(Precision::Fp4), "flops_fp4"),
        (Scale::FlopsOf(Precision::Int8), "flops_int8"),
        (Scale::FlopsOf(Precision::DoubleMatrix), "flops_double_matrix"),
        (Scale::Clock, "clock"),
        (Scale::Scalar, "scalar"),
        (Scale::MemBandwidthCore, "mem_bandwidth_core"),
        (Scale::MemBandwidth, "mem_bandwidth"),
        (Scale::Latency, "latency"),
        (Scale::Bandwidth, "bandwidth"),
        (Scale::None, "none"),
    ];

    /// The word of files.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(scale, _)| *scale == self).map_or("", |(_, word)| word)
    }

    /// In a sentence about one thread.
    pub fn phrase(self) -> &'static str {
        match self {
            Scale::Roofline => "what its block computes and moves in memory",
            Scale::Flops | Scale::FlopsOf(_) => "the operations of a core",
            Scale::Clock => "the clock",
            Scale::Scalar => "clock and instructions a cycle",
            Scale::MemBandwidthCore => "the memory bandwidth of a core",
            Scale::MemBandwidth => "the memory bandwidth",
            Scale::Latency => "the latency",
            Scale::Bandwidth => "the bandwidth",
            Scale::None => "nothing",
        }
    }

    /// What a coefficient of this unit scales with in a rule about this, unless it says so itself.
    pub fn usual(on: On, unit: Powers) -> Scale {
        match (on, unit.time > 0) {
            (On::Compute, true) => Scale::Roofline,
            (On::Compute | On::Overhead | On::Throughput | On::Power | On::FailureRate, _) => match unit {
                Powers { bytes: 1, .. } => Scale::MemBandwidthCore,
                Powers { operations: 1, .. } => Scale::Flops,
                _ => Scale::Scalar,
            },
            (_, true) if unit.bytes == 0 => Scale::Latency,
            _ => Scale::Bandwidth,
        }
    }
}

/// The power with which time grows with a coefficient of this unit: 1 for `ns` and `ns/B`, -1 for `GB/s` and `flop/s`, 0 for
/// what has no time in it, and for watts.
pub fn exponent(unit: Powers) -> i32 {
    if unit.energy != 0 { 0 } else { i32::from(unit.time.signum()) }
}
