//! Kinds of operations, and what a device without figures for one uses in its place.

/// The kind of the operations of a block (`op`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    #[default]
    Double,
    Single,
    Tf32,
    Bf16,
    Fp16,
    Fp8,
    Fp4,
    Int8,
    DoubleMatrix,
}

impl Precision {
    /// All, with their words, and the keys of their operations per second and of the share of these that programs reach.
    pub const ALL: [(Precision, &'static str, &'static str, &'static str); 9] = [
        (Precision::Double, "double", "flops_double", "efficiency_double"),
        (Precision::Single, "single", "flops_single", "efficiency_single"),
        (Precision::Tf32, "tf32", "flops_tf32", "efficiency_tf32"),
        (Precision::Bf16, "bf16", "flops_bf16", "efficiency_bf16"),
        (Precision::Fp16, "fp16", "flops_fp16", "efficiency_fp16"),
        (Precision::Fp8, "fp8", "flops_fp8", "efficiency_fp8"),
        (Precision::Fp4, "fp4", "flops_fp4", "efficiency_fp4"),
        (Precision::Int8, "int8", "flops_int8", "efficiency_int8"),
        (Precision::DoubleMatrix, "double_matrix", "flops_double_matrix", "efficiency_double_matrix"),
    ];

    /// The one of this word.
    pub fn named(word: &str) -> Option<Precision> {
        Self::ALL.iter().find(|(_, known, ..)| *known == word).map(|(precision, ..)| *precision)
    }

    /// Key of its operations per second.
    pub fn flops(self) -> &'static str {
        Self::ALL[self as usize].2
    }

    /// Key of the share of these that programs reach.
    pub fn efficiency(self) -> &'static str {
        Self::ALL[self as usize].3
    }

    /// Which figures count, the first that there is: its own, then those of what hardware without it computes in.
    pub fn substitutes(self) -> &'static [Precision] {
        use Precision::{Bf16, Double, DoubleMatrix, Fp4, Fp8, Fp16, Int8, Single, Tf32};
        match self {
            Double => &[Double],
            Single => &[Single],
            Tf32 => &[Tf32, Single],
            Bf16 => &[Bf16, Fp16, Tf32, Single],
            Fp16 => &[Fp16, Bf16, Tf32, Single],
            Fp8 => &[Fp8, Fp16, Bf16, Tf32, Single],
            Fp4 => &[Fp4, Fp8, Fp16, Bf16, Tf32, Single],
            Int8 => &[Int8, Fp8, Fp16, Bf16, Tf32, Single],
            DoubleMatrix => &[DoubleMatrix, Double],
        }
    }

    /// Operations per second, and the share that programs reach, by figures.
    pub fn rate(self, figure: impl Fn(&str) -> Option<f64>) -> Option<Rate> {
        let (used, flops) =
            self.substitutes().iter().find_map(|used| figure(used.flops()).map(|flops| (*used, flops)))?;
        let efficiency = [self.efficiency(), used.efficiency(), "efficiency"].into_iter().find_map(figure);
        Some(Rate { flops, efficiency: efficiency.unwrap_or(1.0) })
    }
}

/// What a device can do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Operations per second of the whole device.
    pub flops: f64,
    /// The share of these that programs reach.
    pub efficiency: f64,
}

/// What a device can do by kinds of operations, in the order of [`Precision::ALL`]; none: unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rates(pub [Option<Rate>; 9]);

impl Rates {
    /// By figures.
    pub fn of(figure: impl Fn(&str) -> Option<f64>) -> Rates {
        Rates(Precision::ALL.map(|(precision, ..)| precision.rate(&figure)))
    }

    pub fn get(&self, precision: Precision) -> Option<Rate> {
        self.0[precision as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_their_kind() {
        for (precision, word, ..) in Precision::ALL {
            assert_eq!(Precision::named(word), Some(precision));
            assert_eq!(precision.flops(), format!("flops_{word}"));
            assert_eq!(precision.efficiency(), format!("efficiency_{word}"));
            assert_eq!(precision.substitutes()[0], precision);
        }
        assert_eq!(Precision::named("half"), None);
    }

    #[test]
    fn a_device_without_a_kind_computes_in_the_next() {
        // An accelerator of 2017: 8-bit and bfloat16 operations run at the speed of its half precision.
        let volta = |key: &str| match key {
            "flops_double" => Some(7.8e12),
            "flops_single" => Some(15.7e12),
            "flops_fp16" => Some(125e12),
            "efficiency_bf16" => Some(0.4),
            "efficiency_fp16" => Some(0.5),
            "efficiency" => Some(0.8),
            _ => None,
        };
        let rate = |precision: Precision| precision.rate(volta).map(|rate| (rate.flops, rate.efficiency));
        assert_eq!(rate(Precision::Fp8), Some((125e12, 0.5)));
        assert_eq!(rate(Precision::Bf16), Some((125e12, 0.4)));
        assert_eq!(rate(Precision::Tf32), Some((15.7e12, 0.8)));
        assert_eq!(rate(Precision::DoubleMatrix), Some((7.8e12, 0.8)));
        assert_eq!(Precision::Double.rate(|_| None), None);
    }
}
