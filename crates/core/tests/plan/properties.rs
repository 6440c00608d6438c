//! What holds for every plan.

use super::solve;
use runcast_core::plan::Plan;
use runcast_formula::Formula;

/// Complexities that grow, with constants that they reach at sizes from 1 to 1e9.
const COMPLEXITIES: [(&str, f64); 7] = [
    ("2/3*N^3", 1.3e11),
    ("N", 17.0),
    ("N*log2(N)", 5e4),
    ("5*N^1.5 + 3*N", 777.0),
    ("exp(N/50)", 1e5),
    ("sqrt(N)", 31.0),
    ("floor(N/7)*100", 900.0),
];

fn work(formula: &str, p: f64, n: f64) -> f64 {
    Formula::parse(formula).expect("a formula").evaluate_at(&[("p", p), ("N", n)]).expect("a value")
}

fn plans(round: &str, mut look: impl FnMut(&str, f64, f64, &Plan)) {
    for (formula, constant) in COMPLEXITIES {
        for multiple in [1.0, 3.0, 100.0] {
            let plan = solve(&format!(
                "complexity = '{formula}'\nconstant = {constant:?}\nprocesses = 'range:1..60:1'\nround = '{round}'\n\
                 [size.N]\nmultiple = {multiple}\nmax = 1e12\n"
            ));
            look(formula, constant, multiple, &plan);
        }
    }
}

#[test]
fn nearest_is_nearer_than_both_neighbors() {
    plans("nearest", |formula, constant, multiple, plan| {
        assert_eq!(plan.configurations.len(), 60);
        for planned in &plan.configurations {
            let (p, n) = (planned.at.get("p").expect("p"), planned.at.get("N").expect("N"));
            assert_eq!(n % multiple, 0.0);
            let error = |n: f64| (work(formula, p, n) / p / constant).ln().abs();
            for neighbor in [n - multiple, n + multiple] {
                if neighbor >= multiple {
                    assert!(error(n) <= error(neighbor) + 1e-12, "{formula}, {}: not {neighbor}", planned.at);
                }
            }
        }
    });
}

#[test]
fn down_exact_and_up_are_in_order() {
    plans("down", |formula, constant, multiple, plan| {
        for planned in &plan.configurations {
            let (p, n) = (planned.at.get("p").expect("p"), planned.at.get("N").expect("N"));
            assert!(work(formula, p, n) / p <= constant * (1.0 + 1e-12), "{formula}, {}", planned.at);
            assert!(work(formula, p, n + multiple) / p > constant * (1.0 - 1e-12), "{formula}, {}", planned.at);
            let exact = planned.exact.as_ref().and_then(|exact| exact.get("N")).expect("an exact size");
            assert!(n <= exact * (1.0 + 1e-12) || formula.starts_with("floor"), "{formula}: {n} > {exact}");
        }
    });
    plans("up", |formula, constant, multiple, plan| {
        for planned in &plan.configurations {
            let (p, n) = (planned.at.get("p").expect("p"), planned.at.get("N").expect("N"));
            assert!(work(formula, p, n) / p >= constant * (1.0 - 1e-12), "{formula}, {}", planned.at);
            if n > multiple {
                assert!(work(formula, p, n - multiple) / p < constant * (1.0 + 1e-12), "{formula}, {}", planned.at);
            }
            let exact = planned.exact.as_ref().and_then(|exact| exact.get("N")).expect("an exact size");
            assert!(n >= exact * (1.0 - 1e-12), "{formula}: {n} < {exact}");
        }
    });
}

#[test]
fn work_and_deviation_agree_with_the_complexity() {
    plans("nearest", |formula, constant, _, plan| {
        for planned in &plan.configurations {
            let (p, n) = (planned.at.get("p").expect("p"), planned.at.get("N").expect("N"));
            let per_process = planned.work_per_process.expect("work");
            assert!((per_process * p / work(formula, p, n) - 1.0).abs() < 1e-14);
            let deviation = 100.0 * (work(formula, p, n) / (constant * p) - 1.0);
            assert!((planned.deviation_pct.expect("a deviation") - deviation).abs() < 1e-9);
        }
    });
}

#[test]
fn the_exact_size_has_the_constant() {
    plans("nearest", |formula, constant, _, plan| {
        // A complexity with steps jumps over the constant.
        for planned in plan.configurations.iter().filter(|_| !formula.starts_with("floor")) {
            let p = planned.at.get("p").expect("p");
            let exact = planned.exact.as_ref().and_then(|exact| exact.get("N")).expect("an exact size");
            assert!((work(formula, p, exact) / p / constant - 1.0).abs() < 1e-11, "{formula}: {exact}");
        }
    });
}

#[test]
fn several_sizes_are_the_best_of_all_combinations() {
    for constant in [37.0, 1000.0, 12345.6] {
        let plan = solve(&format!(
            "complexity = 'A^2*B + 5*A'\nconstant = {constant:?}\nprocesses = 'range:1..30:1'\n\
             [size.A]\nmin = 2\nmax = 40\nmultiple = 2\n[size.B]\nmax = 50\n"
        ));
        for planned in &plan.configurations {
            let [p, a, b] = ["p", "A", "B"].map(|name| planned.at.get(name).expect("a value"));
            let error = |a: f64, b: f64| ((a * a * b + 5.0 * a) / p / constant).ln().abs();
            let all = (1..=20).flat_map(|half| (1..=50).map(move |b| (f64::from(2 * half), f64::from(b))));
            let best = all.clone().map(|(a, b)| error(a, b)).fold(f64::INFINITY, f64::min);
            assert!(error(a, b) <= best + 1e-12, "{}", planned.at);
            let first = all.filter(|&(a, b)| error(a, b) <= best + 1e-13).map(|(a, _)| a).next();
            assert_eq!(first, Some(a), "the smallest first-named size of equally good ones");
        }
    }
}

#[test]
fn several_unbounded_sizes_are_the_best_of_all_combinations() {
    let plan = solve("complexity = 'A*B^2'\nconstant = 101\nprocesses = 'range:1..20:1'");
    for planned in &plan.configurations {
        let [p, a, b] = ["p", "A", "B"].map(|name| planned.at.get(name).expect("a value"));
        let error = |a: f64, b: f64| (a * b * b / p / 101.0).ln().abs();
        let all = (1..=3000).flat_map(|a| (1..=60).map(move |b| (f64::from(a), f64::from(b))));
        let best = all.map(|(a, b)| error(a, b)).fold(f64::INFINITY, f64::min);
        assert!(error(a, b) <= best + 1e-12, "{}: {} against {best}", planned.at, error(a, b));
    }
}

#[test]
fn a_complexity_with_steps_takes_the_smallest_size_of_a_step() {
    let plan = solve("complexity = 'floor(N/7)*100'\nconstant = 900\nprocesses = [1, 2]");
    let sizes: Vec<_> = plan.configurations.iter().map(|planned| planned.at.get("N")).collect();
    assert_eq!(sizes, [Some(63.0), Some(126.0)]);
}
