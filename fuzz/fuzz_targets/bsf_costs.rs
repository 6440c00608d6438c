//! Any text as a file of costs, and as the value of an option: costs, or a problem with its place. What follows from
//! costs are numbers, found at once.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_bsf::cost::file::{CostSpec, Described, KEYS};
use runcast_bsf::cost::{Collective, Form};

const TIMES: &str = "algorithm = 'times'
times = { list_length = 5000, latency = '1.9us', send = '3.9us', work = '5.2ms', fold = '2.1us', receive = '4us', compute = '14us' }
";
const COUNTS: &str = "algorithm = 'counts'
parameters = { N = 2000 }
counts = { list_length = 'N', send = 'N', map = '3*N^2', fold = 'N', receive = 'N', compute = '4*N + 10' }
machine = { latency = '15us', op_time = '29ns', transfer_time = { value = '190ns', low = '150ns', high = '240ns' } }
";

fuzz_target!(|text: &str| {
    if let Ok(spec) = CostSpec::from_toml("costs.toml", text) {
        resolve(&spec);
    }
    // The length chooses the option, so that each input is fast and each option has its turn.
    let key = &KEYS[text.len() % KEYS.len()];
    for file in [TIMES, COUNTS] {
        let mut spec = CostSpec::from_toml("costs.toml", file).expect("a good file");
        match spec.set(key.name, text) {
            Ok(()) => resolve(&spec),
            Err(problem) => assert!(problem.pointer.is_some() && !problem.message.is_empty()),
        }
    }
});

fn resolve(spec: &CostSpec) {
    match spec.resolve() {
        Ok(described) => predict(&described),
        Err(problems) => {
            assert!(!problems.0.is_empty());
            assert!(problems.0.iter().all(|problem| problem.pointer.is_some() && !problem.message.is_empty()));
        }
    }
}

fn predict(described: &Described) {
    let costs = described.model.costs();
    let mut numbers = vec![costs.k_max_clamped(), costs.k_max_tree_clamped(), costs.k_max().unwrap_or(0.0)];
    for form in Form::ALL {
        for collective in Collective::ALL {
            let best = costs.best(form, collective);
            assert!((1..=costs.list_length).contains(&best.workers));
            assert_eq!(costs.speedup(form, collective, 1), 1.0);
            numbers.extend([best.time_s, best.speedup, best.speedup_serial]);
        }
    }
    if let Some((low, high)) = described.model.k_max_bounds() {
        assert!(low <= high);
        numbers.extend([low, high]);
    }
    if let Some(interval) = described.model.draws(50, 0).and_then(|draws| draws.k_max(0.9)) {
        assert!(interval.low <= interval.high);
        numbers.extend([interval.low, interval.high]);
    }
    assert!(numbers.iter().all(|number| number.is_finite() && *number >= 0.0), "{numbers:?} of {described:?}");
}
