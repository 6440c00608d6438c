//! Whether the 90 % intervals hold in 90 % of cases.

use super::made::{self, Noise};
use runcast_call::piecewise::{Repeated, fit};
use runcast_core::random::SplitMix;
use runcast_core::{Configuration, statistics};
use std::fmt::Write as _;

const SEEDS: u64 = 100;

/// Of new measurements, of the truth, and of the constants.
pub fn table() -> Result<String, String> {
    let mut text = format!(
        "Coverage of the 90 % intervals on the jumps above, {SEEDS} seeds: of the median of five new runs at sizes between\n\
         the measured ones, of such medians up to 8 times beyond them, of the true constants, of the true breaks where the\n\
         two breaks were found, and of the true times between the measured sizes, for which the interval is not made.\n\n\
         | noise | between, % | beyond, % | constants, % | breaks, % | truth, % |\n|---|---|---|---|---|---|\n"
    );
    for sigma in [0.02, 0.05] {
        let shares = coverage(Noise { sigma, outliers: 0.05 })?;
        let told: Vec<String> = shares.iter().map(|share| format!("{share:.0}")).collect();
        let _ = writeln!(text, "| {} % | {} |", 100.0 * sigma, told.join(" | "));
    }
    Ok(text)
}

fn coverage(noise: Noise) -> Result<[f64; 5], String> {
    let sizes = made::sizes();
    let settings = made::settings("F[0] + F[1]*N", &["N"], true)?;
    let truth = [[300e-9, 2500e-9, 40_000e-9], [1e-9, 1.9e-9, 6e-9]];
    let mut counts = [Share::default(); 5];
    for seed in 0..SEEDS {
        let mut random = SplitMix::new(seed, 79);
        let runs = sizes.iter().map(|&n| Repeated::new(vec![n], noise.repeat(made::jumps_s(n), 5, &mut random)));
        let samples = made::samples(&["N"], runs.collect());
        let model = fit(&samples, &settings).map_err(|error| error.to_string())?;
        let mut check = |n: f64, which: usize| -> Result<(), String> {
            let target = Configuration::from_pairs(&samples.parameters, &[n]);
            let (prediction, _) = model.predict(&target, 0.9).map_err(|problem| problem.to_string())?;
            let measured = statistics::median(&noise.repeat(made::jumps_s(n), 5, &mut random));
            let inside = prediction.low.zip(prediction.high);
            counts[which].count(inside.is_some_and(|(low, high)| low <= measured && measured <= high));
            if which == 0 {
                let truth = made::jumps_s(n);
                counts[4].count(inside.is_some_and(|(low, high)| low <= truth && truth <= high));
            }
            Ok(())
        };
        for pair in sizes.windows(2) {
            check((pair[0] * pair[1]).sqrt().round(), 0)?;
        }
        let last = sizes[sizes.len() - 1];
        for factor in [1.5, 2.0, 3.0, 4.0, 6.0, 8.0] {
            check(factor * last, 1)?;
        }
        if model.breaks().len() != 2 {
            continue;
        }
        for (constant, truth) in model.constants().iter().zip(truth) {
            for (piece, truth) in constant.pieces.iter().zip(truth) {
                let inside = piece.low.zip(piece.high);
                counts[2].count(inside.is_some_and(|(low, high)| low <= truth && truth <= high));
            }
        }
        for (found, truth) in model.breaks().iter().zip([4096.0, 131_072.0]) {
            // Any place between two measured sizes is as good as any other.
            let inside = found.low.zip(found.high);
            let next = |x: f64| sizes.iter().copied().find(|size| *size > x).unwrap_or(x);
            let before = |x: f64| sizes.iter().copied().rfind(|size| *size < x).unwrap_or(x);
            counts[3].count(inside.is_some_and(|(low, high)| before(low) <= truth && truth <= next(high)));
        }
    }
    Ok(counts.map(Share::percent))
}

#[derive(Default, Clone, Copy)]
struct Share {
    inside: u32,
    of: u32,
}

impl Share {
    fn count(&mut self, inside: bool) {
        self.inside += u32::from(inside);
        self.of += 1;
    }

    fn percent(self) -> f64 {
        100.0 * f64::from(self.inside) / f64::from(self.of.max(1))
    }
}
