//! What holds for any costs.

use crate::cost::{Collective, Costs, Form, Times, Work};
use proptest::prelude::*;

/// Every form with every collective.
pub(super) fn curves() -> impl Iterator<Item = (Form, Collective)> {
    Form::ALL.into_iter().flat_map(|form| Collective::ALL.map(|collective| (form, collective)))
}

/// A time of some size, or none at all.
fn time_s(least: f64, most: f64) -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 9 => (least.ln()..most.ln()).prop_map(f64::exp)]
}

fn costs(longest: u64) -> impl Strategy<Value = Costs> {
    let times = (time_s(1e-9, 1e-3), 0.0..=1.0f64, time_s(1e-9, 1e-3), time_s(1e-9, 1e-3), time_s(1e-9, 1e-4));
    let work = (any::<bool>(), time_s(1e-6, 1e2), time_s(1e-9, 1e-2));
    (1..=longest, times, work).prop_map(|(list_length, times, (is_fused, work_s, compute_s))| {
        let (latency_s, share, send_s, receive_s, fold_s) = times;
        let overhead_s = (share < 0.9).then_some(share * latency_s);
        let work = if is_fused { Work::Fused(work_s) } else { Work::Map(work_s) };
        let times = Times { list_length, latency_s, overhead_s, send_s, receive_s, work, fold_s, compute_s };
        Costs::new(times).expect("good costs")
    })
}

/// The fewest workers with the least time, by trying all; times within rounding are equal.
fn scan(costs: &Costs, form: Form, collective: Collective) -> u64 {
    let time_s = |workers| costs.time_s(form, collective, workers);
    let mut best = 1;
    for workers in 2..=costs.list_length {
        if time_s(workers) < time_s(best) * (1.0 - 4.0 * f64::EPSILON) {
            best = workers;
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn speedup_of_one_worker_is_one(costs in costs(1 << 53)) {
        for (form, collective) in curves() {
            prop_assert_eq!(costs.speedup(form, collective, 1), 1.0);
            prop_assert_eq!(costs.efficiency(form, collective, 1), 1.0);
        }
    }

    #[test]
    fn best_is_what_a_scan_finds(costs in costs(700)) {
        for (form, collective) in curves() {
            let (best, scanned) = (costs.best(form, collective), scan(&costs, form, collective));
            let least_s = costs.time_s(form, collective, scanned);
            prop_assert!((best.time_s - least_s).abs() <= 1e-14 * least_s, "{form} {collective} {best:?} {scanned}");
            // Where the last digits decide, other counts are as good.
            let is_tie = best.workers != scanned
                && (costs.time_s(form, collective, best.workers) - least_s).abs() <= 1e-14 * least_s;
            prop_assert!(best.workers == scanned || is_tie, "{form} {collective} {best:?} {scanned}");
        }
    }

    #[test]
    fn the_boundary_maximizes_the_speedup(costs in costs(1_000_000)) {
        let boundary = costs.k_max_clamped();
        let best = costs.best(Form::Smooth, Collective::Flat);
        prop_assert!((best.workers as f64 - boundary).abs() <= 1.0);
        for form in [Form::Smooth, Form::Exact] {
            let at_best = costs.best(form, Collective::Flat).speedup;
            for workers in [1, 2, 3, 10, 100, 1000, 10_000, costs.list_length] {
                let workers = workers.min(costs.list_length);
                prop_assert!(costs.speedup(form, Collective::Flat, workers) <= at_best * (1.0 + 1e-14));
            }
        }
        prop_assert_eq!(costs.applicable(), costs.k_max().is_none_or(|k_max| k_max > 1.0));
    }

    #[test]
    fn a_tree_is_never_slower_where_all_of_the_latency_is_overhead(costs in costs(100_000)) {
        let costs = Costs::new(Times { overhead_s: None, ..costs.times() }).expect("good costs");
        for form in Form::ALL {
            for workers in (1..=40).chain([63, 64, 1000, 65_536]).filter(|&workers| workers <= costs.list_length) {
                let [flat_s, tree_s] = Collective::ALL.map(|collective| costs.time_s(form, collective, workers));
                prop_assert!(tree_s <= flat_s * (1.0 + 4.0 * f64::EPSILON), "{form} {workers}: {tree_s} {flat_s}");
                prop_assert!(workers > 2 || tree_s == flat_s, "{form} {workers}: {tree_s} {flat_s}");
            }
        }
    }

    #[test]
    fn the_crossover_is_the_first_win_of_the_tree(costs in costs(3000)) {
        let wins = |&workers: &u64| {
            let [flat_s, tree_s] = Collective::ALL.map(|collective| costs.time_s(Form::Smooth, collective, workers));
            tree_s < flat_s * (1.0 - 1e-12)
        };
        prop_assert_eq!(costs.crossover_workers(), (2..=costs.list_length).find(wins));
    }

    #[test]
    fn granular_is_smooth_where_the_workers_divide_the_list(costs in costs(5000)) {
        for collective in Collective::ALL {
            for workers in (1..=costs.list_length).filter(|workers| costs.list_length % workers == 0) {
                let [smooth_s, granular_s] =
                    [Form::Smooth, Form::Granular].map(|form| costs.time_s(form, collective, workers));
                prop_assert_eq!(smooth_s, granular_s);
            }
        }
    }

    #[test]
    fn nothing_is_ever_not_a_number(costs in costs(1 << 53), workers in any::<u64>()) {
        let workers = workers % costs.list_length + 1;
        for (form, collective) in curves() {
            let best = costs.best(form, collective);
            let numbers = [
                best.time_s,
                best.speedup,
                best.speedup_serial,
                costs.time_s(form, collective, workers),
                costs.speedup(form, collective, workers),
                costs.speedup_serial(form, collective, workers),
                costs.k_max_clamped(),
                costs.k_max_tree_clamped(),
            ];
            prop_assert!(numbers.iter().all(|number| number.is_finite() && *number >= 0.0), "{numbers:?}");
        }
    }
}
