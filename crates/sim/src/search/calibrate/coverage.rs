//! Ranges of what was calibrated cover as many fresh runs as their level says.

use super::{Free, Moments, Observed, Options, calibrate, with_noise};
use crate::model::{DRAWS, Uncertainty};
use runcast_core::numeric::normal;
use runcast_core::random::SplitMix;
use runcast_core::statistics::{mean, quantile_of_sorted, sample_variance};

fn free(name: &str, start: f64) -> Free {
    Free { name: name.to_owned(), start, low: 0.0, high: f64::INFINITY }
}

/// The 90 % range of what is made of each draw.
fn range(of: &Uncertainty, seed: u64, time: impl Fn(&[f64], u64) -> f64) -> (f64, f64) {
    let one = |number: u64| {
        let draw = of.draw(seed, number);
        time(&draw.factors, number) * draw.time
    };
    let mut times: Vec<f64> = (0..DRAWS).map(one).collect();
    times.sort_by(f64::total_cmp);
    (quantile_of_sorted(&times, 0.05), quantile_of_sorted(&times, 0.95))
}

/// Of 600 sets of runs, each with its fresh run at twice the largest number of processes, at how many the range covers it. The
/// model is right, runs have errors of 2 % and configurations of `misfit` besides; some coefficients are badly determined.
fn covered(misfit: f64, repetitions: usize, points: &[f64]) -> f64 {
    let model = |a: f64, b: f64, p: f64| a / p + b * p;
    let trials = 600;
    let mut hits = 0;
    for trial in 0..trials {
        let mut random = SplitMix::new(11, trial);
        let mut normal = || normal::quantile(random.uniform().clamp(1e-12, 1.0 - 1e-12));
        let mut runs = |p: f64, count: usize| -> Vec<f64> {
            let off = 1.0 + misfit * normal();
            (0..count).map(|_| model(40.0, 0.05, p) * off * (1.0 + 0.02 * normal())).collect()
        };
        let all: Vec<Vec<f64>> = points.iter().map(|p| runs(*p, repetitions)).collect();
        let real: Vec<f64> = all.iter().map(|runs| mean(runs)).collect();
        let names = [free("c.a", 3.0), free("c.b", 0.5)];
        let options = Options { starts: 1, ..Options::default() };
        let found = calibrate(&real, &names, &options, &|values| {
            Ok(points.iter().map(|p| model(values[0], values[1], *p)).collect())
        })
        .expect("determined");
        // The spread of single runs, of which the means hold a part.
        let pooled = mean(
            &all.iter()
                .zip(&real)
                .map(|(runs, mean)| sample_variance(runs).unwrap_or(0.0) / (mean * mean))
                .collect::<Vec<_>>(),
        );
        let spread = (pooled * (1.0 - 1.0 / repetitions as f64)).sqrt();
        let of = Uncertainty { spread, ..found.uncertainty };
        let values: Vec<f64> = found.coefficients.iter().map(|one| one.value).collect();
        let p = 2.0 * points[points.len() - 1];
        let (low, high) = range(&of, trial, |factors, _| model(values[0] * factors[0], values[1] * factors[1], p));
        let fresh = runs(p, 1)[0];
        hits += usize::from(low <= fresh && fresh <= high);
    }
    hits as f64 / trials as f64
}

#[test]
fn ranges_cover_fresh_runs() {
    for (misfit, repetitions, points) in [
        (0.0, 1, vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0]),
        (0.01, 5, vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0]),
        (0.03, 3, vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]),
        // Two degrees of freedom.
        (0.01, 3, vec![4.0, 8.0, 16.0, 32.0]),
    ] {
        let share = covered(misfit, repetitions, &points);
        assert!((0.85..=0.95).contains(&share), "{misfit} {repetitions} {points:?}: {share}");
    }
}

/// The same where the size of the noise is found, too: runs of c/p with exponential noise of 5 % a run.
#[test]
fn ranges_with_noise_cover_fresh_runs() {
    let points = [1.0, 2.0, 4.0, 8.0];
    let run = |seed: u64, stream: u64, c: f64, size: f64, p: f64| {
        let u = SplitMix::new(SplitMix::new(seed, stream).bits(), p.to_bits()).uniform();
        c / p * (1.0 - size * (1.0 - u).ln())
    };
    let (mut hits, trials) = (0, 300);
    for trial in 0..trials {
        let moments = |all: &[f64]| (mean(all), sample_variance(all).unwrap_or(0.0).sqrt());
        let observed = |p: &f64| {
            let all: Vec<f64> = (0..8).map(|rep| run(1000 + trial, rep, 8.0, 0.05, *p)).collect();
            let (mean, sd) = moments(&all);
            Observed { mean, sd, runs: all.len() }
        };
        let seen: Vec<Observed> = points.iter().map(observed).collect();
        let names = [free("c.a", 10.0), free("noise.run.mean", 0.02)];
        let options = Options { starts: 1, ..Options::default() };
        let found = with_noise(&seen, &names, &options, &|free, values, seeds| {
            let size = free.iter().position(|one| one.name.starts_with("noise")).map_or(0.0, |at| values[at]);
            let one = |p: &f64| {
                let all: Vec<f64> = (0..seeds).map(|rep| run(7, rep, values[0], size, *p)).collect();
                let (mean, sd) = moments(&all);
                Moments { mean, sd }
            };
            Ok(points.iter().map(one).collect())
        })
        .expect("determined");
        let values: Vec<f64> = found.found.iter().map(|one| one.as_ref().expect("told").value).collect();
        let of = |factors: &[f64], number: u64| {
            run(99 + trial, number, values[0] * factors[0], values[1] * factors[1], 16.0)
        };
        let (low, high) = range(&found.uncertainty, trial, of);
        let fresh = run(5000 + trial, 3, 8.0, 0.05, 16.0);
        hits += usize::from(low <= fresh && fresh <= high);
    }
    let share = hits as f64 / trials as f64;
    assert!((0.85..=0.95).contains(&share), "{share}");
}
