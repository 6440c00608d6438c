//! Diagnostics of series whose correlations are known.

use super::*;
use crate::sample::series::series_of;
use crate::sample::table::Samples;
use runcast_core::random::SplitMix;

/// A series of a process in which one sample follows the other.
fn process(name: &str, time_s: Vec<f64>) -> Series {
    let mut clock = 0.0;
    let next = |time: &f64| {
        clock += time;
        clock - time
    };
    let start_s = time_s.iter().map(next).collect();
    let rows = (0..time_s.len()).collect();
    Series { subject: Subject::Process(name.to_owned()), host: String::new(), start_s, time_s, rows }
}

/// The sum of 12 uniform numbers less 6: mean 0, variance 1.
fn normal(random: &mut SplitMix) -> f64 {
    (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0
}

/// An AR(1) series: correlation `phi` at lag 1.
fn ar1(phi: f64, count: usize, random: &mut SplitMix) -> Vec<f64> {
    let mut state = 0.0;
    let mut next = || {
        state = phi * state + (1.0 - phi * phi).sqrt() * normal(random);
        10.0 + state
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn the_correlation_of_an_autoregressive_series_is_found() {
    for (phi, seed) in [(0.0, 1), (0.3, 2), (0.7, 3), (0.95, 4), (-0.5, 5)] {
        let series = process("p1", ar1(phi, 20_000, &mut SplitMix::new(seed, 0)));
        let found = diagnose(&[series]);
        let r = found.lag1[0].r.expect("it varies");
        // The estimate's standard deviation is sqrt((1 - phi^2)/n), at most 0.007.
        assert!((r - phi).abs() < 0.03, "{phi}: {r}");
        assert_eq!(found.lag1[0].is_beyond(), phi != 0.0);
        assert_eq!(found.lag1[0].limit, 0.1);
        let codes: Vec<String> = found.warnings().into_iter().map(|warning| warning.code).collect();
        assert_eq!(codes.contains(&"not_independent".to_owned()), phi != 0.0, "{codes:?}");
    }
}

#[test]
fn what_a_correlation_costs_is_told() {
    // The variance of a mean of an AR(1) series is (1+r)/(1-r) times that of independent values.
    assert!((spread_factor(0.5) - 3.0_f64.sqrt()).abs() < 1e-15);
    let series = process("p1", ar1(0.5, 200_000, &mut SplitMix::new(7, 0)));
    let warning = diagnose(&[series]).warnings().remove(0);
    assert!(warning.message.contains("too small, by a factor of about 1.7"), "{}", warning.message);
    assert!(warning.message.contains("--fit-modes"));
    let series = process("p1", ar1(-0.5, 200_000, &mut SplitMix::new(7, 0)));
    let warning = diagnose(&[series]).warnings().remove(0);
    assert!(warning.message.contains("too large, by a factor of about 1.7"), "{}", warning.message);
}

#[test]
fn limits_widen_where_samples_are_few() {
    assert_eq!(correlation_limit(100), 0.3);
    assert_eq!(correlation_limit(900), 0.1);
    assert_eq!(correlation_limit(1_000_000), 0.1);
    assert!(correlation_limit(0).is_finite());
}

#[test]
fn independent_samples_raise_few_alarms() {
    // 500 tables of two processes with 400 samples each, from laws with light and heavy tails. 3/sqrt(n) is passed in
    // 0.27 % of cases by normal estimates, the ratio of windows in 0.1 %.
    let (mut lag1, mut cross, mut windows) = (0, 0, 0);
    for seed in 0..500 {
        let mut random = SplitMix::new(seed, 1);
        let heavy = |random: &mut SplitMix| 1.0 - (1.0 - random.uniform()).ln() * random.uniform();
        let a = process("a", (0..400).map(|_| heavy(&mut random)).collect());
        let b = process("b", (0..400).map(|_| 1.0 + random.uniform()).collect());
        let found = diagnose(&[a, b]);
        lag1 += found.lag1.iter().filter(|lag1| lag1.is_beyond()).count();
        cross += found.cross.iter().filter(|cross| cross.is_beyond()).count();
        windows += found.windows.iter().filter(|window| window.is_beyond()).count();
    }
    assert!(lag1 <= 12, "{lag1} of 1,000");
    assert!(cross <= 8, "{cross} of 500");
    assert!(windows <= 8, "{windows} of 1,000");
}

#[test]
fn processes_that_slow_down_together_are_found() {
    let mut random = SplitMix::new(3, 0);
    let common: Vec<f64> = (0..300).map(|_| normal(&mut random)).collect();
    let mut member = |weight: f64| {
        let times = (0..3000).map(|index| 10.0 + weight * common[index / 10] + 0.1 * normal(&mut random)).collect();
        let mut series = process("", times);
        // Both are measured on the same grid of time.
        series.start_s = (0..3000).map(|index| 20.0 * f64::from(index)).collect();
        series
    };
    let named = |name: &str, mut series: Series| {
        series.subject = Subject::Process(name.to_owned());
        series
    };
    let all = [named("a", member(1.0)), named("b", member(1.0)), named("c", member(0.0))];
    let found = diagnose(&all);
    assert_eq!(found.cross.len(), 3);
    let between = |a: &str, b: &str| found.cross.iter().find(|cross| (cross.a.as_str(), cross.b.as_str()) == (a, b));
    assert!(between("a", "b").and_then(|cross| cross.r).is_some_and(|r| r > 0.9), "{found:?}");
    assert!(!between("a", "c").expect("there").is_beyond() && !between("b", "c").expect("there").is_beyond());
    assert!(found.warnings().iter().any(|warning| warning.message.starts_with("a and b slow down together")));
}

#[test]
fn a_mean_that_moves_is_found() {
    let mut random = SplitMix::new(8, 0);
    let times = (0..2000).map(|index| if index < 1000 { 1.0 } else { 1.5 } + 0.1 * random.uniform()).collect();
    let found = diagnose(&[process("p1", times)]);
    let window = &found.windows[0];
    assert!(window.is_beyond() && (window.ratio.expect("defined") - 1.55 / 1.05).abs() < 0.02, "{window:?}");
    assert!(found.warnings().iter().any(|warning| warning.code == "not_stationary"));
}

#[test]
fn what_never_changes_or_is_hardly_there_is_undefined() {
    let found = diagnose(&[process("a", vec![0.1; 50]), process("b", vec![0.3; 50])]);
    assert_eq!((found.lag1[0].r, found.cross[0].r, found.cross[0].limit), (None, None, None));
    assert_eq!(found.windows[0].ratio, Some(1.0));
    assert!(found.warnings().is_empty());
    let found = diagnose(&[process("a", vec![0.1, 0.2])]);
    assert_eq!((found.lag1[0].r, found.windows[0].ratio), (None, None));
    // Clocks too coarse for what they measure.
    let found = diagnose(&[process("a", vec![0.0; 50])]);
    assert_eq!((found.lag1[0].r, found.windows[0].ratio, found.windows[0].limit), (None, None, None));
    assert!(serde_json::to_string(&found).expect("plain data").contains("\"ratio\":null"));
}

#[test]
fn hints_tell_of_few_samples_and_rare_messages() {
    let link = |times: Vec<f64>| Series {
        subject: Subject::Link { from: "a".to_owned(), to: "b".to_owned() },
        ..process("", times)
    };
    let codes = |series: &[Series]| hints(series).into_iter().map(|hint| hint.code).collect::<Vec<_>>();
    let mut random = SplitMix::new(8, 0);
    let mut times: Vec<f64> = (0..3000).map(|_| 1.0 + random.uniform()).collect();
    assert!(codes(&[link(times.clone())]).is_empty());
    times[77] = 3.5;
    assert_eq!(codes(&[link(times.clone())]), ["long_tail"]);
    assert_eq!(codes(&[process("p1", times.clone())]), [""; 0], "updates make no states");
    times.truncate(1500);
    assert_eq!(codes(&[link(times)]), ["few_samples", "long_tail"]);
    let table = Samples::read("s.csv", b"kind,process,time_s\nupdate,1,2\nupdate,1,3\n").expect("good");
    assert_eq!(codes(&series_of(&table)), ["few_samples", "no_start"]);
}
