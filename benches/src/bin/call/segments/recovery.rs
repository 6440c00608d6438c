//! How often the truth is found.

use super::made::{self, Noise};
use runcast_call::piecewise::{Repeated, fit};
use runcast_core::random::SplitMix;
use std::fmt::Write as _;

/// Seconds for a size.
type Truth = fn(f64) -> f64;

const SEEDS: u64 = 100;
const STEP_SEEDS: u64 = 100;

/// Pieces along one variable.
pub fn table() -> Result<String, String> {
    let mut text = format!(
        "`c0 + c1 N` at 52 sizes from 2^6 to 2^23, five repetitions, {SEEDS} seeds: how often exactly the two true\n\
         breaks were found, each within one size, and the mean error of the model against the truth.\n\n\
         | program | noise | found, % | mean error, % |\n|---|---|---|---|\n"
    );
    let cases: [(&str, Truth, f64, f64); 3] = [
        ("jumps", made::jumps_s, 0.02, 0.05),
        ("jumps", made::jumps_s, 0.05, 0.05),
        ("kinks", made::kinks_s, 0.02, 0.0),
    ];
    for (name, truth, sigma, outliers) in cases {
        let (found, error) = recovery(truth, Noise { sigma, outliers })?;
        let slow = if outliers > 0.0 { ", 5 % of samples 1.3 to 3 times as slow" } else { "" };
        let _ = writeln!(text, "| {name} | {} %{slow} | {found:.0} | {error:.2} |", 100.0 * sigma);
    }
    Ok(text)
}

fn recovery(truth: Truth, noise: Noise) -> Result<(f64, f64), String> {
    let sizes = made::sizes();
    let settings = made::settings("F[0] + F[1]*N", &["N"], false)?;
    let last_before = |limit: f64| sizes.iter().filter(|size| **size < limit).count();
    let wanted = [last_before(4096.0), last_before(131_072.0)];
    let (mut found, mut errors) = (0, 0.0);
    for seed in 0..SEEDS {
        let mut random = SplitMix::new(seed, 77);
        let runs = sizes.iter().map(|&n| Repeated::new(vec![n], noise.repeat(truth(n), 5, &mut random)));
        let model = fit(&made::samples(&["N"], runs.collect()), &settings).map_err(|error| error.to_string())?;
        let breaks: Vec<usize> = model.breaks().iter().map(|at| last_before(at.at)).collect();
        found +=
            usize::from(breaks.len() == 2 && breaks.iter().zip(wanted).all(|(at, wanted)| at.abs_diff(wanted) <= 1));
        errors += sizes.iter().map(|&n| (model.value(&[n]) / truth(n) - 1.0).abs()).sum::<f64>() / sizes.len() as f64;
    }
    Ok((100.0 * found as f64 / SEEDS as f64, 100.0 * errors / SEEDS as f64))
}

/// Steps of single constants along several variables.
pub fn steps_table() -> Result<String, String> {
    let mut text = format!(
        "Four terms at N = 2^8 to 2^22 on P = 1 to 64, three repetitions, {STEP_SEEDS} seeds, `seg auto`: how often exactly the\n\
         four true steps were found, each within one measured value, and the mean error at the 20 % held out.\n\n\
         | noise | found, % | mean error, % |\n|---|---|---|\n"
    );
    for sigma in [0.02, 0.05] {
        let (found, error) = steps(Noise { sigma, outliers: 0.0 })?;
        let _ = writeln!(text, "| {} % | {found:.0} | {error:.2} |", 100.0 * sigma);
    }
    Ok(text)
}

fn steps(noise: Noise) -> Result<(f64, f64), String> {
    let settings = made::settings("F[0] + F[1]*log2(P) + F[2]*(N/P)*log2(N/P) + F[3]*N*(P-1)/P", &[], false)?;
    let wanted = [("F[1]", "P", 8.0), ("F[2]", "N/P", 8192.0), ("F[2]", "N/P", 131_072.0), ("F[3]", "P", 8.0)];
    let (mut found, mut errors) = (0, 0.0);
    for seed in 0..STEP_SEEDS {
        let mut random = SplitMix::new(seed, 78);
        let (mut runs, mut held) = (Vec::new(), Vec::new());
        for n in (8..=22).map(|e| 2.0f64.powi(e)) {
            for p in (0..=6).map(|e| 2.0f64.powi(e)) {
                if random.uniform() < 0.2 {
                    held.push([n, p]);
                } else {
                    runs.push(Repeated::new(vec![n, p], noise.repeat(made::parallel_s(n, p), 3, &mut random)));
                }
            }
        }
        let model = fit(&made::samples(&["N", "P"], runs), &settings).map_err(|error| error.to_string())?;
        let is_found = model.breaks().len() == wanted.len()
            && model.breaks().iter().zip(wanted).all(|(at, (constant, variable, place))| {
                // The values are powers of two: one of them is a factor of two.
                at.constant.as_deref() == Some(constant)
                    && at.variable == variable
                    && at.below <= 2.0 * place
                    && at.above >= place
            });
        found += usize::from(is_found);
        let of = |[n, p]: &[f64; 2]| (model.value(&[*n, *p]) / made::parallel_s(*n, *p) - 1.0).abs();
        errors += held.iter().map(of).sum::<f64>() / held.len() as f64;
    }
    Ok((100.0 * found as f64 / STEP_SEEDS as f64, 100.0 * errors / STEP_SEEDS as f64))
}
