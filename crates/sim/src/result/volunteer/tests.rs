//! Formulas against draws, and campaigns against formulas.

use super::*;
use crate::noise::RunKey;
use std::sync::atomic::AtomicBool;

const HOUR: f64 = 3600.0;

fn host(keeps_progress: bool) -> Volunteer {
    Volunteer { on_mean_s: 8.0 * HOUR, off_mean_s: 16.0 * HOUR, keeps_progress, ..Volunteer::default() }
}

#[test]
fn two_hours_of_computing() {
    assert_eq!(host(true).mean_job(2.0 * HOUR), 6.0 * HOUR);
    // 24*(exp(1/4) - 1) = 6.816610000505.., by hand with mpmath.
    assert!((host(false).mean_job(2.0 * HOUR) / HOUR - 6.816_610_000_505_794).abs() < 1e-13);
    assert_eq!(host(true).availability(), 1.0 / 3.0);
    assert_eq!(Volunteer::default().mean_job(5.0), 5.0);
}

#[test]
fn draws_have_the_mean_of_the_formula() {
    for (volunteer, work) in
        [(host(true), 2.0), (host(false), 2.0), (host(false), 30.0), (host(true), 1e6), (host(false), 80.0)]
    {
        let mut random = SplitMix::new(1, 2);
        let draws: Vec<f64> = (0..20_000).map(|_| volunteer.draw_job(work * HOUR, &mut random)).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        let error = (variance / draws.len() as f64).sqrt();
        let expected = volunteer.mean_job(work * HOUR);
        assert!((mean - expected).abs() < 4.0 * error, "{work} {mean} {expected} {error}");
    }
}

#[test]
fn attempts_have_the_moments_of_a_truncated_law() {
    // By summing numerically over the density exp(-x/a)/a, 0 < x < W.
    let volunteer = host(false);
    let (a, work) = (8.0 * HOUR, 30.0 * HOUR);
    let steps = 200_000;
    let (mut mass, mut mean, mut square) = (0.0, 0.0, 0.0);
    for step in 0..steps {
        let x = work * (f64::from(step) + 0.5) / f64::from(steps);
        let density = (-x / a).exp();
        mass += density;
        mean += x * density;
        square += x * x * density;
    }
    let (mean, square) = (mean / mass, square / mass);
    let seen = volunteer.attempt(work);
    assert!((seen.0 / mean - 1.0).abs() < 1e-6 && (seen.1 / (square - mean * mean) - 1.0).abs() < 1e-6, "{seen:?}");
}

fn run(campaign: &Campaign, repetition: u64) -> Finished {
    simulate(campaign, RunKey { seed: 5, configuration: 0, repetition }, &AtomicBool::new(false)).expect("finishes")
}

#[test]
fn many_jobs_take_the_mean_that_the_formula_says() {
    for (volunteer, jobs) in [
        (host(true), 100_000),
        (host(false), 100_000),
        (Volunteer { error_rate: 0.2, replicas: 2, ..host(true) }, 50_000),
    ] {
        let campaign = Campaign { jobs, work_s: 2.0 * HOUR, hosts: 50, volunteer };
        let seen = run(&campaign, 0).makespan_s;
        // Each wrong result is one more.
        let expected = volunteer.mean_makespan(jobs, 2.0 * HOUR, 50) / (1.0 - volunteer.error_rate);
        // The tail, when some hosts have nothing to do, is a few jobs of 2000.
        assert!(seen > 0.99 * expected && seen < 1.02 * expected, "{seen} {expected}");
    }
}

#[test]
fn wrong_results_are_done_again() {
    let volunteer = Volunteer { error_rate: 0.25, replicas: 3, ..host(true) };
    let campaign = Campaign { jobs: 4000, work_s: HOUR, hosts: 20, volunteer };
    let finished = run(&campaign, 0);
    assert_eq!(finished.results - finished.wrong, 12_000);
    // Binomial: 16,000 results expected, of which a quarter is wrong.
    assert!(
        (finished.results as f64 - 16_000.0).abs() < 4.0 * (12_000.0 * 0.25_f64).sqrt() / 0.75,
        "{}",
        finished.results
    );
}

#[test]
fn always_on_without_errors_is_plain_arithmetic() {
    let campaign = Campaign { jobs: 10, work_s: 3.0, hosts: 4, volunteer: Volunteer::default() };
    assert_eq!(run(&campaign, 0), Finished { makespan_s: 9.0, mean_job_s: 3.0, results: 10, wrong: 0 });
    let none = Campaign { jobs: 0, ..campaign.clone() };
    assert_eq!(run(&none, 0), Finished::default());
    let nobody = Campaign { hosts: 0, ..campaign };
    assert!(simulate(&nobody, RunKey::default(), &AtomicBool::new(false)).is_err());
}

#[test]
fn the_same_seed_gives_the_same_and_another_another() {
    let campaign = Campaign { jobs: 500, work_s: 2.0 * HOUR, hosts: 7, volunteer: host(false) };
    assert_eq!(run(&campaign, 0), run(&campaign, 0));
    assert_ne!(run(&campaign, 0), run(&campaign, 1));
}

#[test]
fn jobs_that_are_always_lost_are_told() {
    let campaign = Campaign { jobs: 1, work_s: 1e6 * HOUR, hosts: 1, volunteer: host(false) };
    let problem = simulate(&campaign, RunKey::default(), &AtomicBool::new(false)).expect_err("never");
    assert_eq!(problem.code, "does_not_finish");
}
