//! Numbers worked out by hand, and what must hold for all.

use super::*;
use proptest::prelude::*;

/// 1000 machines of 5 years, a year being 8,760 h; times in hours.
const RATE: f64 = 1000.0 / (5.0 * 8760.0);
const CHECKPOINT: Checkpoint = Checkpoint { cost_s: 0.1, restart_s: 0.1, downtime_s: 0.5 };

fn close(seen: f64, expected: f64, digits: f64) {
    assert!((seen - expected).abs() < digits, "{seen} is not {expected}");
}

#[test]
fn thousand_machines_for_a_day() {
    close(RATE, 0.022_831_050_2, 5e-11);
    close(failure_probability(RATE, 24.0), 0.421_863_457_5, 5e-11);
    close(expected_restart(RATE, 0.5, 24.0), 32.325_497_165_6, 5e-11);
    close(young(RATE, 0.1), 2.959_729_717_4, 5e-11);
    close(daly(RATE, 0.1), 2.893_438_460_4, 5e-11);
    close(exact(RATE, 0.1), 2.893_441_856_8, 5e-11);
    assert_eq!(best_segments(RATE, &CHECKPOINT, 24.0), Some(8.0));
    close(expected_with_checkpoints(RATE, &CHECKPOINT, 24.0, 8.0), 26.051_476_783_5, 5e-11);
    close(expected_with_checkpoints(RATE, &CHECKPOINT, 24.0, 9.0), 26.056_075_4, 5e-8);
}

#[test]
fn the_same_as_a_document() {
    let hours = |hours: f64| hours * 3600.0;
    let checkpoint = Checkpoint { cost_s: hours(0.1), restart_s: hours(0.1), downtime_s: hours(0.5) };
    let seen = Reliability::of(Some(RATE / 3600.0), hours(24.0), Some(&checkpoint));
    let plan = seen.checkpoint.expect("a plan");
    close(seen.expected_time_s.expect("a time") / 3600.0, 32.325_497_165_6, 5e-11);
    close(plan.expected_time_s.expect("a time") / 3600.0, 26.051_476_783_5, 5e-11);
    assert_eq!((plan.segments, plan.interval_s), (Some(8.0), Some(hours(3.0))));
    close(plan.interval_exact_s.expect("an interval") / 3600.0, 2.893_441_856_8, 5e-11);
}

#[test]
fn nothing_fails_without_a_rate_above_zero() {
    let none = Reliability::of(Some(0.0), 100.0, Some(&CHECKPOINT));
    assert_eq!(none.failure_probability, Some(0.0));
    assert_eq!(none.expected_time_s, Some(100.0));
    let plan = none.checkpoint.expect("a plan");
    assert_eq!((plan.segments, plan.expected_time_s), (Some(1.0), Some(100.1)));
    assert_eq!(plan.interval_young_s, None);
    let unknown = Reliability::of(None, 100.0, Some(&CHECKPOINT));
    assert_eq!((unknown.failure_probability, unknown.expected_time_s), (None, None));
    assert_eq!(unknown.checkpoint.expect("costs are told").segments, None);
}

#[test]
fn what_takes_longer_than_anything_does_not_finish() {
    let never = Reliability::of(Some(1.0), 1e4, Some(&Checkpoint { cost_s: 1e4, restart_s: 1e3, downtime_s: 0.0 }));
    assert_eq!(never.failure_probability, Some(1.0));
    assert_eq!((never.expected_time_s, never.checkpoint.as_ref().and_then(|plan| plan.expected_time_s)), (None, None));
    assert_eq!(never.notes.len(), 2);
    assert!(never.notes.iter().all(|note| note.ends_with(DOES_NOT_FINISH)));
    // With checkpoints that cost little it does.
    let saved = Reliability::of(Some(1.0), 1e4, Some(&Checkpoint { cost_s: 0.1, restart_s: 0.1, downtime_s: 0.0 }));
    assert!(saved.expected_time_s.is_none() && saved.checkpoint.expect("a plan").expected_time_s.is_some());
}

#[test]
fn tiny_rates_lose_no_digits() {
    // 1 - exp(-x) = x to all digits, E = T*(1 + x/2), tau = sqrt(2C/Lambda) - 2C/3 + ..
    assert_eq!(failure_probability(1e-20, 1.0), 1e-20);
    assert_eq!(expected_restart(1e-20, 0.0, 7.0), 7.0);
    close(exact(1e-20, 1.0) / young(1e-20, 1.0), 1.0, 1e-9);
    close(exact(1e-12, 1.0), (2e12_f64).sqrt() - 2.0 / 3.0, 1e-6);
}

proptest! {
    #[test]
    fn the_exact_interval_is_a_least_point(rate in 1e-9_f64..10.0, cost in 1e-3_f64..100.0) {
        let tau = exact(rate, cost);
        let loss = |interval: f64| (rate * (interval + cost)).exp_m1() / interval;
        prop_assert!(tau > 0.0 && tau * rate <= 1.0);
        if rate * cost < 100.0 {
            prop_assert!(loss(tau) <= loss(tau * 1.01) && loss(tau) <= loss(tau * 0.99));
        }
    }

    #[test]
    fn no_other_number_of_segments_is_better(
        rate in 1e-6_f64..0.1, cost in 0.01_f64..5.0, restart in 0.0_f64..5.0, downtime in 0.0_f64..5.0, time in 1.0_f64..2000.0,
    ) {
        let checkpoint = Checkpoint { cost_s: cost, restart_s: restart, downtime_s: downtime };
        let best = best_segments(rate, &checkpoint, time).expect("a number");
        let least = expected_with_checkpoints(rate, &checkpoint, time, best);
        for segments in 1..2000_u32 {
            let other = expected_with_checkpoints(rate, &checkpoint, time, f64::from(segments));
            prop_assert!(least <= other * (1.0 + 1e-12), "{best} {segments}");
        }
    }

    #[test]
    fn probabilities_grow_with_time_and_rate(rate in 0.0_f64..1.0, more in 0.0_f64..1.0, time in 0.0_f64..1e4) {
        let low = failure_probability(rate, time);
        prop_assert!((0.0..=1.0).contains(&low));
        prop_assert!(failure_probability(rate + more, time) >= low);
        prop_assert!(expected_restart(rate, 0.0, time) >= time * (1.0 - 1e-12));
    }
}
