//! How long a fit takes.

use super::made::{self, Noise};
use runcast_call::piecewise::{Repeated, fit};
use runcast_core::random::SplitMix;
use std::fmt::Write as _;
use std::time::Instant;

/// The search for pieces and for steps, with and without intervals.
pub fn table() -> Result<String, String> {
    let mut text = String::from(
        "Time of a fit, best of three.\n\n\
         | fit | samples | configurations | constants | without intervals, ms | with intervals, ms |\n|---|---|---|---|---|---|\n",
    );
    let noise = Noise { sigma: 0.02, outliers: 0.05 };
    for m in [50, 200, 1000, 20_000] {
        let template = "F[0] + F[1]*log2(N) + F[2]*N + F[3]*N*log2(N)";
        let mut random = SplitMix::new(1, 80);
        let sizes = (0..m).map(|i| 2.0f64.powf(6.0 + 17.0 * f64::from(i) / f64::from(m - 1)));
        let runs = sizes.map(|n| Repeated::new(vec![n], noise.repeat(made::jumps_s(n), 5, &mut random))).collect();
        row(&mut text, "segments", template, &["N"], made::samples(&["N"], runs))?;
    }
    let mut random = SplitMix::new(1, 82);
    let runs =
        made::sizes().into_iter().map(|n| Repeated::new(vec![n], noise.repeat(made::jumps_s(n), 20_000, &mut random)));
    row(&mut text, "segments", "F[0] + F[1]*N", &["N"], made::samples(&["N"], runs.collect()))?;
    let mut random = SplitMix::new(1, 81);
    let mut runs = Vec::new();
    for n in (8..=22).map(|e| 2.0f64.powi(e)) {
        for p in (0..=6).map(|e| 2.0f64.powi(e)) {
            runs.push(Repeated::new(vec![n, p], noise.repeat(made::parallel_s(n, p), 3, &mut random)));
        }
    }
    let template = "F[0] + F[1]*log2(P) + F[2]*(N/P)*log2(N/P) + F[3]*N*(P-1)/P";
    row(&mut text, "steps", template, &[], made::samples(&["N", "P"], runs))?;
    Ok(text)
}

fn row(
    text: &mut String,
    name: &str,
    template: &str,
    segmentation: &[&str],
    samples: runcast_call::piecewise::Samples,
) -> Result<(), String> {
    let mut best_ms = [f64::INFINITY; 2];
    for (best_ms, bootstrap) in best_ms.iter_mut().zip([false, true]) {
        let settings = made::settings(template, segmentation, bootstrap)?;
        for _ in 0..3 {
            let start = Instant::now();
            fit(&samples, &settings).map_err(|error| error.to_string())?;
            *best_ms = best_ms.min(1e3 * start.elapsed().as_secs_f64());
        }
    }
    let [without, with] = best_ms;
    let count: usize = samples.configurations.iter().map(|repeated| repeated.values.len()).sum();
    let constants = made::settings(template, &[], false)?.template.factors().len();
    let configurations = samples.configurations.len();
    let _ = writeln!(text, "| {name} | {count} | {configurations} | {constants} | {without:.1} | {with:.0} |");
    Ok(())
}
