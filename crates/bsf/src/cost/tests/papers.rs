//! The published cases of method `bsf-cost`.

use crate::cost::{Algorithm, Collective, CostModel, Form, Machine, Source, Uncertain};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Speeds {
    latency_s: f64,
    op_time_s: f64,
    transfer_time_s: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    machine: Speeds,
    algorithm: String,
    size: u64,
    inequalities: Option<u64>,
    overhead_s: Option<f64>,
    latency_within_s: Option<[f64; 2]>,
    op_time_within_s: Option<[f64; 2]>,
    transfer_time_within_s: Option<[f64; 2]>,
}

type Case = runcast_papers::Case<Given, Expected>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    k_max: f64,
    k_max_tree: Option<f64>,
    k_max_bounds: Option<[f64; 2]>,
    k_max_interval: Option<[f64; 2]>,
    best_collective: Option<Collective>,
    crossover_workers: Option<u64>,
    applicable: bool,
    #[expect(dead_code, reason = "a warning is told by the command, which is tested with it")]
    warnings: Option<Vec<String>>,
    #[serde(default)]
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

impl Given {
    fn model(&self) -> CostModel {
        let algorithm = Algorithm::find(&self.algorithm).expect("built in");
        let counts = algorithm.counts(self.size, self.inequalities).expect("counts");
        let within = |value: f64, ends: Option<[f64; 2]>| match ends {
            Some([low, high]) => Uncertain::new(value, low, high).expect("an interval"),
            None => Uncertain::exact(value),
        };
        let machine = Machine {
            latency_s: within(self.machine.latency_s, self.latency_within_s),
            overhead_s: self.overhead_s.map(Uncertain::exact),
            op_time_s: within(self.machine.op_time_s, self.op_time_within_s),
            transfer_time_s: within(self.machine.transfer_time_s, self.transfer_time_within_s),
        };
        CostModel::new(Source::Counts(counts, machine), 0.9).expect("costs")
    }
}

fn check(case: &Case) {
    let (name, expected, model) = (&case.name, &case.expected, case.given.model());
    let costs = model.costs();
    case.close("k_max", "", costs.k_max().expect("a boundary"), expected.k_max);
    assert_eq!(costs.applicable(), expected.applicable, "{name}");
    if let Some(expected) = expected.k_max_tree {
        case.close("k_max_tree", "", costs.k_max_tree().expect("a boundary"), expected);
    }
    if let Some(expected) = expected.best_collective {
        assert_eq!(costs.best_collective(), expected, "{name}");
    }
    if expected.crossover_workers.is_some() {
        assert_eq!(costs.crossover_workers(), expected.crossover_workers, "{name}");
    }
    if let Some([low, high]) = expected.k_max_bounds {
        let found = model.k_max_bounds().expect("bounds");
        case.close("k_max_bounds", "low", found.0, low);
        case.close("k_max_bounds", "high", found.1, high);
    }
    if let Some([low, high]) = expected.k_max_interval {
        let found = model.draws(10_000, 0).and_then(|draws| draws.k_max(0.9)).expect("an interval");
        case.near("k_max_interval", "low", found.low, low);
        case.near("k_max_interval", "high", found.high, high);
    }
    expected.curve.iter().for_each(|curve| curve.check(case, &model));
}

impl Curve {
    fn check(&self, case: &Case, model: &CostModel) {
        let (costs, form, collective) = (model.costs(), self.form, self.collective);
        let curve = format!("of {form} {collective}");
        let best = costs.best(form, collective);
        assert_eq!(best.workers, self.best_workers, "{}: best workers {curve}", case.name);
        case.close("best_speedup", &curve, best.speedup, self.best_speedup);
        if let Some(expected) = self.best_speedup_serial {
            case.close("best_speedup_serial", &curve, best.speedup_serial, expected);
        }
        if let Some(expected) = self.one_worker_s {
            case.close("one_worker_s", &curve, costs.time_s(form, collective, 1), expected);
        }
        if let Some(expected) = self.serial_s {
            case.close("serial_s", &curve, costs.serial_time_s(form), expected);
        }
        for &(workers, expected) in &self.speedup {
            let found = costs.speedup(form, collective, workers);
            case.close("speedup", format!("{curve} with {workers} workers"), found, expected);
        }
    }
}

#[test]
fn published_cases() {
    runcast_papers::cases("bsf-cost").iter().for_each(check);
}
