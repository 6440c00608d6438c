//! The standard normal distribution.

use std::f64::consts::FRAC_1_SQRT_2;

/// The share of a standard normal distribution that lies below a deviate, `erfc(-x/sqrt 2)/2`; to about 16 digits.
pub fn share_below(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// The deviate that a share `p` of a standard normal distribution lies below, 0 < p < 1, to about 16 digits.
///
/// Source: M. J. Wichura, *Algorithm AS 241: the percentage points of the normal distribution*, Applied Statistics 37
/// (1988), PPND16.
pub fn quantile(p: f64) -> f64 {
    let center = p - 0.5;
    if center.abs() <= 0.425 {
        let r = 0.180_625 - center * center;
        return center * ratio(&CENTRAL, r);
    }
    let tail = if center < 0.0 { p } else { 1.0 - p };
    let r = (-tail.ln()).sqrt();
    let deviate = if r <= 5.0 { ratio(&MIDDLE, r - 1.6) } else { ratio(&FAR, r - 5.0) };
    deviate.copysign(center)
}

/// Coefficients of a polynomial above and one below, the constant first.
type Ratio = [[f64; 8]; 2];

fn ratio([above, below]: &Ratio, x: f64) -> f64 {
    let polynomial = |of: &[f64; 8]| of.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient);
    polynomial(above) / polynomial(below)
}

const CENTRAL: Ratio = [
    [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_545,
    ],
];

const MIDDLE: Ratio = [
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
];

const FAR: Ratio = [
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        0.001_242_660_947_388_078_4,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_7e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabulated_quantiles() {
        // NIST/SEMATECH e-Handbook 1.3.6.7.1, and the values that the algorithm was published with.
        for (p, expected) in [
            (0.5, 0.0),
            (0.75, 0.674_489_750_196_081_7),
            (0.95, 1.644_853_626_951_472_7),
            (0.975, 1.959_963_984_540_054),
            (0.25, -0.674_489_750_196_081_7),
            (0.001, -3.090_232_306_167_813_5),
            (1e-20, -9.262_340_089_798_408),
        ] {
            let found = quantile(p);
            assert!((share_below(found) / p - 1.0).abs() < 1e-12, "{p}: {}", share_below(found));
            assert!((found - expected).abs() <= 1e-15 * (1.0 + expected.abs()), "{p}: {found} {expected}");
        }
    }
}
