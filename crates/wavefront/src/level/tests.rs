//! Numbers of an independent script (numpy, scipy).

use super::*;

fn series(y: impl Fn(f64) -> f64) -> Observed {
    let k = || (1..=12).map(f64::from);
    Observed {
        times_s: k().map(|k| 10.0 * k).collect(),
        end_s: 120.0,
        log_factor: k().map(y).collect(),
        variance: vec![0.002; 12],
        messages: false,
    }
}

fn wave() -> Observed {
    series(|k| 0.15 * (0.9 * k).sin() + 0.01 * k)
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
}

#[test]
fn likelihoods() {
    for (kappa, q, expected) in [
        (0.0, 1e-4, 2.272627),
        (0.0, 1e-3, 9.735806),
        (0.0, 1e-2, 1.917544),
        (0.1, 1e-4, -2.466939),
        (0.1, 1e-3, 9.031684),
        (0.1, 1e-2, 5.010580),
        (0.02, 1e-3, 10.112380),
        (0.0, 7.9057e-4, 9.834614),
    ] {
        close(Entry::of(&wave(), q, kappa).expect("positive").ln_likelihood, expected, 1e-6);
    }
}

#[test]
fn the_level_later_on() {
    let observed = wave();
    let walk = Entry::of(&observed, 7.9057e-4, 0.0).expect("positive");
    for (time_s, sd) in [(120.0, 0.0406690), (150.0, 0.1592829), (220.0, 0.2840966)] {
        let (mean, variance) = walk.average(&observed.times_s, &[time_s]);
        close(mean, -0.0113559, 1e-6);
        close(variance.sqrt(), sd, 2e-6);
    }
    // Over 150 to 250 s: P + q (30 + 100/3), of which 64 midpoints see all but q 100/(3 64^2) or so.
    let times: Vec<f64> = (0..64).map(|segment| 150.0 + 100.0 * (f64::from(segment) + 0.5) / 64.0).collect();
    close(walk.average(&observed.times_s, &times).1, 0.0517233, 2e-5);
    let reverting = Entry::of(&observed, 1e-3, 0.02).expect("positive");
    for (time_s, mean, sd) in [(150.0, 0.0241979, 0.1438205), (1000.0, 0.0675963, 0.1929158)] {
        let found = reverting.average(&observed.times_s, &[time_s]);
        close(found.0, mean, 1e-6);
        close(found.1.sqrt(), sd, 1e-6);
    }
}

#[test]
fn the_grid_and_the_law_of_a_run() {
    let cases = [
        (wave(), 0.0, [75.695, 104.313, 135.411]),
        (series(|k| 0.04 * (2.3 * k).cos()), 0.509935, [94.009, 99.727, 105.749]),
        (series(|k| 0.05 * k), 0.0, [125.490, 170.808, 237.436]),
    ];
    for (observed, still, times) in cases {
        let posterior = Posterior::of(&observed).expect("windows");
        close(posterior.no_level_probability(), still, 2e-6);
        let law = LevelNormal::over(&observed, &posterior, (100.0, 3.0), 30.0, 100.0);
        for (share, expected) in [0.05, 0.5, 0.95].into_iter().zip(times) {
            close(law.quantile(share), expected, 2e-3);
        }
    }
    let posterior = Posterior::of(&wave()).expect("windows");
    let step: f64 = posterior.entries.iter().map(|entry| entry.weight * (10.0 * entry.q).sqrt()).sum();
    close(step, 0.097320, 1e-6);
}

#[test]
fn a_constant_level() {
    // T0 = 62 + 2 Binomial(62, 3/4).
    let (mean, sd) = (155.0, (4.0f64 * 62.0 * 0.75 * 0.25).sqrt());
    for (level_sd, low, high) in [(0.1, 129.506, 185.513), (0.2, 110.674, 217.079)] {
        let law = LevelNormal::of(&Level::Fixed { sd: level_sd, mean: 0.0 }, mean, sd, 0.0).expect("a law");
        close(law.quantile(0.05), low, 1e-3);
        close(law.quantile(0.5), 155.0, 1e-6);
        close(law.quantile(0.95), high, 1e-3);
        close(law.above(law.quantile(0.9)), 0.1, 1e-8);
    }
    assert_eq!(LevelNormal::of(&Level::Fixed { sd: 0.1, mean: 0.0 }, 0.0, 0.0, 0.0), None);
}

#[test]
fn a_walk_that_is_known_at_its_start() {
    let observed =
        Observed { times_s: vec![0.0], log_factor: vec![0.0], variance: vec![1e-12], end_s: 0.0, messages: false };
    let walk = Entry::of(&observed, 1e-4, 0.0).expect("positive");
    let times: Vec<f64> = (0..64).map(|segment| 100.0 * (f64::from(segment) + 0.5) / 64.0).collect();
    let (mean, variance) = walk.average(&observed.times_s, &times);
    let ends = [-1.0, 1.0].map(|side| 100.0 * (mean + side * 1.644_853_627 * variance.sqrt()).exp());
    close(ends[0], 90.940, 2e-3);
    close(ends[1], 109.963, 2e-3);
}

/// Updates of two processes that slow down together, by 30 % in the second half.
fn samples(starts: bool) -> Vec<crate::sample::Series> {
    let mut text = String::from("kind,process,peer,start_s,time_s\n");
    for index in 0..400 {
        let slow = if index < 200 { 1.0 } else { 1.3 };
        for (process, own) in [("a", 0.01), ("b", 0.02)] {
            let jitter = 1.0 + 0.01 * f64::from((index * 7) % 11 - 5);
            let start = if starts { format!("{}", 100.0 + 0.05 * f64::from(index)) } else { String::new() };
            text.push_str(&format!("update,{process},,{start},{}\n", own * slow * jitter));
        }
    }
    crate::sample::series::series_of(&crate::sample::Samples::read("s.csv", text.as_bytes()).expect("good"))
}

#[test]
fn windows_show_what_processes_share() {
    let series = samples(true);
    let all: Vec<_> = series.iter().collect();
    let found = observed(&all, None).expect("windows");
    assert_eq!(found.times_s.len(), 16, "25 updates a window");
    assert!((found.end_s - 19.976).abs() < 0.01, "from the first sample to the end of the last: {}", found.end_s);
    // Means over all: 1.15; so 1/1.15 before, 1.3/1.15 after.
    for (k, expected) in [(2, 1.0f64 / 1.15), (13, 1.3 / 1.15)] {
        assert!((found.log_factor[k] - expected.ln()).abs() < 0.01, "{k}: {}", found.log_factor[k]);
    }
    let posterior = Posterior::of(&found).expect("windows");
    assert!(posterior.no_level_probability() < 0.01, "{}", posterior.no_level_probability());
    assert_eq!(observed(&samples(false).iter().collect::<Vec<_>>(), None), None, "starts are not known");
    assert_eq!(observed(&[], None), None);
}
