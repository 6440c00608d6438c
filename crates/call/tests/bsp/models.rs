//! Fitted models in formulas.

use crate::{Given, near, with};
use runcast_call::bsp::{Models, Prepared, Program};
use runcast_core::Problems;

/// `2*n + P`, refused beyond n = 1000.
fn model() -> Models {
    let function = |at: &[f64]| match at {
        [n, _] if *n > 1000.0 => Err("nothing was measured there".to_owned()),
        [n, p] => Ok(2.0 * n + p),
        _ => Err("two inputs are needed".to_owned()),
    };
    let model = Given { parameters: vec!["n".to_owned(), "P".to_owned()], function };
    Models::from([("F".to_owned(), Box::new(model) as Box<dyn runcast_call::bsp::Model>)])
}

fn prepared(text: &str) -> Result<Prepared, Problems> {
    Program::from_toml("p.toml", text)?.prepare(&model())
}

const MACHINE: &str = "parameters = { N = 100, P = 4 }\nmachine = { processors = \"P\", task = \"main\" }\n";

#[test]
fn a_name_is_the_prediction_at_the_names_in_scope() {
    let text = format!(
        "{MACHINE}models.F = {{ file = \"f.json\", with = {{ n = \"N/procs + me\" }} }}\ntask.main.step = [ {{ work = \"10*F\" }} ]"
    );
    let program = prepared(&text).expect("good");
    let outcome = with(&program, &[], &model()).expect("predicted");
    // n = 25 + me, P as it is called in the program.
    let expected: Vec<f64> = (0..4).map(|me| 10.0 * (2.0 * (25.0 + f64::from(me)) + 4.0)).collect();
    near(outcome.obsp_finish_s(), &expected);
}

#[test]
fn arguments_of_a_task_are_inputs_too() {
    let text = format!(
        "{MACHINE}models.F = {{ file = \"f.json\" }}\ntask.main.step = [ {{ call = \"inner\", args = {{ n = 3 }}, work = 1 }} ]\n\
         task.inner.step = [ {{ work = \"F\", send = [ {{ to = \"all\", bytes = 1 }} ], block = \"b\" }} ]\nblock.b = {{ g = 0, L = \"F\" }}"
    );
    let program = prepared(&text).expect("good");
    near(with(&program, &[], &model()).expect("predicted").obsp_finish_s(), &[10.0 + 10.0 + 1.0; 4]);
}

#[test]
fn a_refused_prediction_names_model_place_and_processor() {
    let text = format!(
        "{MACHINE}models.F = {{ file = \"f.json\", with = {{ n = \"400*me\" }} }}\ntask.main.step = [ {{ name = \"far\", work = \"F\" }} ]"
    );
    let program = prepared(&text).expect("good");
    let problem = with(&program, &[], &model()).expect_err("refused");
    let told = problem.to_string();
    for part in [
        "p.toml:4:",
        "task main, step 1 (far)",
        "processor 3",
        "model F",
        "n = 1200, P = 4",
        "nothing was measured there",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert_eq!(problem.code, "refused");
}

#[test]
fn what_a_model_lacks_is_told() {
    for (models, expected) in [
        ("models.F = { file = \"f.json\" }", "there is no n, which the model needs"),
        ("models.F = { file = \"f.json\", with = { m = 1, n = 1 } }", "m is not a parameter of f.json"),
        ("models.F = { file = \"f.json\", with = { n = \"x\" } }", "unknown name `x`"),
        ("models.F = { file = \"f.json\", with = { n = \"F\" } }", "a model inside a model's inputs"),
        ("models.F = { with = { n = 1 } }", "file is not given"),
        ("models.N = { file = \"f.json\" }", "N is also a parameter"),
        ("models.G = { file = \"g.json\" }", "the model G is not loaded"),
    ] {
        let text = format!("{MACHINE}{models}\ntask.main.step = [ {{ work = \"F\" }} ]");
        let problems = prepared(&text).expect_err(expected).to_string();
        assert!(problems.contains(expected), "{expected} in {problems}");
    }
}

#[test]
fn a_model_that_nobody_uses_needs_no_inputs() {
    let text = format!("{MACHINE}models.F = {{ file = \"f.json\" }}\ntask.main.step = [ {{ work = 1 }} ]");
    let program = prepared(&text).expect("good");
    near(with(&program, &[], &model()).expect("predicted").obsp_finish_s(), &[1.0; 4]);
}
