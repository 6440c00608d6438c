//! Reference values to 12 digits, from an enumeration that is not ours (testdata/wavefront/golden.json).

use super::{close, solved};
use crate::model::{Laws, Modes, Semantics, Tie};
use crate::solve::rates::estimates;
use crate::{Law, Model, cases};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

#[test]
fn golden_cases_agree() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/wavefront/golden.json");
    let text = std::fs::read_to_string(own).expect("the golden cases");
    let golden: Value = serde_json::from_str(&text).expect("JSON");
    let cases = golden["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 5);
    for case in cases {
        check(&model(&case["input"]), &case["expected"], case["name"].as_str().expect("a name"));
    }
}

/// The model of a golden case.
pub(crate) fn model(input: &Value) -> Model {
    let number = |name: &str| input[name].as_f64().expect("a number");
    let list = |name: &str| input[name].as_array().expect("a list").clone();
    let update: Vec<Arc<Law>> = list("update").iter().map(|ticks| Arc::new(law(ticks))).collect();
    let row = |row: &Value| row.as_array().expect("a row").iter().map(|ticks| Arc::new(law(ticks))).collect();
    let message = list("msg").iter().map(row).collect();
    let integers =
        |name: &str| -> Vec<u32> { list(name).iter().map(|value| value.as_u64().expect("a count") as u32).collect() };
    let updates: Vec<(u32, u32)> = integers("A").into_iter().zip(integers("B")).collect();
    let plain = cases::plain(number("step"), number("rho"), vec![Law::constant(1); updates.len()], Law::constant(0));
    let start = input.get("x0").map_or_else(
        || vec![0; updates.len()],
        |x0| x0.as_array().expect("a list").iter().map(|offset| offset.as_i64().expect("ticks")).collect(),
    );
    Model {
        modes: Modes::single(Laws { update, message }),
        omega: number("omega"),
        start,
        semantics: if input["semantics"] == "complete" { Semantics::Complete } else { Semantics::Abort },
        tie: if input.get("tie").is_some_and(|tie| tie == "discards") { Tie::Discards } else { Tie::Counts },
        ..plain.with_updates(&updates)
    }
}

fn law(ticks: &Value) -> Law {
    let Some(ticks) = ticks.as_object() else { return Law::constant(0) };
    let pairs = ticks.iter().map(|(ticks, p)| (ticks.parse().expect("ticks"), p.as_f64().expect("a probability")));
    Law::new(pairs).expect("a law")
}

fn check(model: &Model, expected: &Value, name: &str) {
    let solution = solved(model);
    let (step, phase) = (model.step_s, &solution.phase);
    let asymptotic = solution.asymptotic.expect("one class");
    let estimates = estimates(model, &solution);
    let numbers: BTreeMap<&str, f64> = [
        ("n_states", solution.states.reachable.unwrap_or(0) as f64),
        ("n_recurrent", solution.states.recurrent.unwrap_or(0) as f64),
        ("n_closed", solution.states.closed_classes.unwrap_or(0) as f64),
        ("period", solution.states.period.unwrap_or(0) as f64),
        ("E_phi", phase.phase_mean * step),
        ("var_phi", phase.phase_var * step * step),
        ("E_N", phase.iterations_mean),
        ("var_N", phase.iterations_var),
        ("cov_N_phi", phase.cov * step),
        ("N_min", solution.iterations_min as f64),
        ("N_max", solution.iterations_max as f64),
        ("speed", estimates.speed_per_s),
        ("sigma_phase_fixed", estimates.sd_fixed_phases_s.expect("one class")),
        ("phases_avg", estimates.phases_needed.expect("a rate")),
    ]
    .into();
    for (field, found) in numbers {
        close(&format!("{name}: {field}"), found, expected[field].as_f64().expect("a number"));
    }
    for (index, value) in expected["absorption"].as_array().expect("a list").iter().enumerate() {
        close(&format!("{name}: absorption"), solution.classes[index].weight, value.as_f64().expect("a number"));
    }
    for (index, value) in expected["E_N_per_proc"].as_array().expect("a list").iter().enumerate() {
        close(&format!("{name}: E_N_per_proc"), solution.updates_mean[index], value.as_f64().expect("a number"));
    }
    let asym = [
        ("var_phi", asymptotic.phase_var * step * step),
        ("var_N", asymptotic.iterations_var),
        ("cov", asymptotic.cov * step),
    ];
    for (field, found) in asym {
        close(&format!("{name}: asym.{field}"), found, expected["asym"][field].as_f64().expect("a number"));
    }
    let all = [
        ("worst", estimates.worst),
        ("average", estimates.average),
        ("best", estimates.best),
        ("baudet", estimates.baudet),
    ];
    for (which, estimate) in all {
        let estimate = estimate.expect("a rate");
        let fields = [
            ("R", estimate.rate_per_iteration),
            ("theta1", estimate.time_s),
            ("sigma2_iid", estimate.sd_published_s.expect("one class")),
            ("sigma2_autocov", estimate.sd_autocov_s.expect("one class")),
        ];
        for (field, found) in fields {
            let expected = expected[field][which].as_f64().expect("a number");
            close(&format!("{name}: {field}.{which}"), found, expected);
        }
    }
    let offsets = |offsets: &[i64]| offsets.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let wavefront = solution.wavefront.iter().map(|state| (offsets(&state.offsets), state.probability));
    law_is(&format!("{name}: pi"), wavefront, &expected["pi"]);
    let pmf = solution.iterations_pmf.iter().map(|(value, probability)| (value.to_string(), *probability));
    law_is(&format!("{name}: pmf_N"), pmf, &expected["pmf_N"]);
    let pmf = solution.phase_pmf.iter().flatten().map(|(value, probability)| (value.to_string(), *probability));
    law_is(&format!("{name}: pmf_phi_ticks"), pmf, &expected["pmf_phi_ticks"]);
}

fn law_is(what: &str, found: impl Iterator<Item = (String, f64)>, expected: &Value) {
    let found: BTreeMap<String, f64> = found.collect();
    let expected = expected.as_object().expect("a law");
    assert_eq!(found.len(), expected.len(), "{what}: {found:?}");
    for (key, value) in expected {
        let found = *found.get(key).unwrap_or_else(|| panic!("{what}: {key} is missing"));
        close(&format!("{what} at {key}"), found, value.as_f64().expect("a number"));
    }
}
