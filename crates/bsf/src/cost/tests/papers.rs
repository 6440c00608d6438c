//! The cases of `testdata/papers/bsf.toml`.

use super::assert_close;
use crate::cost::{Algorithm, Collective, CostModel, Form, Machine, Source, Uncertain};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    tolerance: f64,
    machine: Speeds,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Speeds {
    latency_s: f64,
    op_time_s: f64,
    transfer_time_s: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[expect(dead_code, reason = "for readers of the file")]
    source: String,
    algorithm: String,
    size: u64,
    inequalities: Option<u64>,
    overhead_s: Option<f64>,
    latency_within_s: Option<[f64; 2]>,
    op_time_within_s: Option<[f64; 2]>,
    transfer_time_within_s: Option<[f64; 2]>,
    k_max: f64,
    k_max_tree: Option<f64>,
    k_max_bounds: Option<[f64; 2]>,
    k_max_interval: Option<[f64; 2]>,
    interval_tolerance: Option<f64>,
    best_collective: Option<Collective>,
    crossover_workers: Option<u64>,
    applicable: bool,
    #[expect(dead_code, reason = "a warning is told by the command, which is tested with it")]
    warnings: Option<Vec<String>>,
    curve: Vec<Curve>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Curve {
    form: Form,
    collective: Collective,
    best_workers: u64,
    best_speedup: f64,
    best_speedup_serial: Option<f64>,
    one_worker_s: Option<f64>,
    serial_s: Option<f64>,
    #[serde(default)]
    speedup: Vec<(u64, f64)>,
}

impl Case {
    fn model(&self, speeds: &Speeds) -> CostModel {
        let algorithm = Algorithm::find(&self.algorithm).expect("built in");
        let counts = algorithm.counts(self.size, self.inequalities).expect("counts");
        let within = |value: f64, ends: Option<[f64; 2]>| match ends {
            Some([low, high]) => Uncertain::new(value, low, high).expect("an interval"),
            None => Uncertain::exact(value),
        };
        let machine = Machine {
            latency_s: within(speeds.latency_s, self.latency_within_s),
            overhead_s: self.overhead_s.map(Uncertain::exact),
            op_time_s: within(speeds.op_time_s, self.op_time_within_s),
            transfer_time_s: within(speeds.transfer_time_s, self.transfer_time_within_s),
        };
        CostModel::new(Source::Counts(counts, machine), 0.9).expect("costs")
    }

    fn check(&self, speeds: &Speeds, tolerance: f64) {
        let (name, model) = (&self.name, self.model(speeds));
        let costs = model.costs();
        let close = |found: f64, expected: f64, what: &str| {
            assert_close(found, expected, tolerance, &format!("{name}: {what}"));
        };
        close(costs.k_max().expect("a boundary"), self.k_max, "K_max");
        assert_eq!(costs.applicable(), self.applicable, "{name}");
        if let Some(expected) = self.k_max_tree {
            close(costs.k_max_tree().expect("a boundary"), expected, "K_max of the tree");
        }
        if let Some(expected) = self.best_collective {
            assert_eq!(costs.best_collective(), expected, "{name}");
        }
        if self.crossover_workers.is_some() {
            assert_eq!(costs.crossover_workers(), self.crossover_workers, "{name}");
        }
        if let Some([low, high]) = self.k_max_bounds {
            let found = model.k_max_bounds().expect("bounds");
            close(found.0, low, "lower bound of K_max");
            close(found.1, high, "upper bound of K_max");
        }
        if let Some([low, high]) = self.k_max_interval {
            let found = model.draws(10_000, 0).and_then(|draws| draws.k_max(0.9)).expect("an interval");
            let allowed = self.interval_tolerance.expect("a tolerance");
            assert!((found.low - low).abs() <= allowed && (found.high - high).abs() <= allowed, "{name}: {found:?}");
        }
        for curve in &self.curve {
            curve.check(&model, &close);
        }
    }
}

impl Curve {
    fn check(&self, model: &CostModel, close: &impl Fn(f64, f64, &str)) {
        let (costs, form, collective) = (model.costs(), self.form, self.collective);
        let what = |what: &str| format!("{form} {collective}, {what}");
        let best = costs.best(form, collective);
        assert_eq!(best.workers, self.best_workers, "{}", what("best workers"));
        close(best.speedup, self.best_speedup, &what("best speedup"));
        if let Some(expected) = self.best_speedup_serial {
            close(best.speedup_serial, expected, &what("best speedup against serial"));
        }
        if let Some(expected) = self.one_worker_s {
            close(costs.time_s(form, collective, 1), expected, &what("T(1)"));
        }
        if let Some(expected) = self.serial_s {
            close(costs.serial_time_s(form), expected, &what("T_serial"));
        }
        for &(workers, expected) in &self.speedup {
            close(costs.speedup(form, collective, workers), expected, &what(&format!("a({workers})")));
        }
    }
}

#[test]
fn published_cases() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/papers/bsf.toml");
    let text = std::fs::read_to_string(path).expect("the suite is there");
    let suite: Suite = toml::from_str(&text).expect("the suite reads");
    assert!(suite.case.len() >= 10, "no case was lost");
    for case in &suite.case {
        case.check(&suite.machine, suite.tolerance);
    }
}
