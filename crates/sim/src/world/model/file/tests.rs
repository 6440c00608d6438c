//! Models as they are in files, and the errors of wrong ones.

use super::*;
use crate::model::{Case, CoefficientFile, Input};
use runcast_core::Problems;
use runcast_core::toml::{Source, document};

fn read_text(text: &str) -> Result<Vec<Model>, Problems> {
    let source = Source { name: "galera.toml", text };
    let document = document(source, 1 << 20)?;
    let mut reader = Reader::new(source);
    let top = reader.top(&document);
    let models = read(&mut reader, &top);
    reader.take_problems().map_or(Ok(models), Err)
}

const GALERA: &str = r#"
[model.mpi]
extends = "default"
coeff = { sort = "2.9ns", merge = "4.5ns", split = "1.333ns" }
rule = [ { on = "compute", type = "sort", value = "c.sort * ops / h" }, { on = "compute", type = "merge", value = "c.merge * size" }, { on = "compute", type = "split", value = "c.split * size" } ]
"#;

fn value(model: &Model, on: On, case: &Case<'_>, variables: &super::super::Variables) -> f64 {
    let rule = &model.rules[model.rule_for(on, case).expect("a rule")];
    let formula = rule.value.as_ref().expect("a formula");
    let lookup = |used: &UsedName| match &used.operand {
        Operand::Coefficient(key) => Ok(Input::Constant(model.coefficients[key].value)),
        _ => Err(Problem::new("unknown", used.name.clone())),
    };
    let inputs: Vec<Input> = formula.bind(&lookup).expect("all known");
    formula.evaluate(&inputs, variables)
}

#[test]
fn the_rules_of_a_file_give_seconds() {
    let models = read_text(GALERA).expect("models");
    let mpi = &models[1];
    let variables =
        super::super::Variables::default().with(Variable::Size, 1e6).with(Variable::Ops, 2e7).with(Variable::H, 1.1);
    let of = |kind| Case { kind, ..Case::default() };
    assert_eq!(value(mpi, On::Compute, &of("sort"), &variables), 2.9e-9 * 2e7 / 1.1);
    assert_eq!(value(mpi, On::Compute, &of("merge"), &variables), 4.5e-9 * 1e6);
    assert_eq!(mpi.rule_for(On::Compute, &of("other")), None);
    assert_eq!(mpi.rule_for(On::Overhead, &of("sort")), None);
}

#[test]
fn more_filters_win_then_the_later() {
    let models = read_text(
        r#"
        [model.base]
        rule = [{ on = "compute", value = "1" }, { on = "compute", type = "a", value = "2" },
                { on = "compute", type = "a", hardware = "x", value = "3" }, { on = "compute", op = "double", value = 4 }]
        [model.own]
        extends = "base"
        rule = [{ on = "compute", value = "5" }]
        "#,
    )
    .expect("models");
    let none = super::super::Variables::default();
    let at = |model: usize, case: Case<'_>| value(&models[model], On::Compute, &case, &none);
    assert_eq!(at(1, Case::default()), 1.0);
    assert_eq!(at(1, Case { kind: "a", ..Case::default() }), 2.0);
    assert_eq!(at(1, Case { kind: "a", op: "double", ..Case::default() }), 4.0);
    assert_eq!(at(1, Case { kind: "a", op: "double", hardware: "x", ..Case::default() }), 3.0);
    assert_eq!(at(2, Case::default()), 5.0);
    assert_eq!(at(2, Case { kind: "a", ..Case::default() }), 2.0);
}

#[test]
fn places_of_errors_point_into_the_formula() {
    let place = |text: &str| {
        let problem = read_text(text).expect_err("wrong").0.remove(0);
        (
            problem.code,
            problem.line.expect("a line"),
            problem.column.expect("a column"),
            problem.hint.unwrap_or_default(),
        )
    };
    let (code, line, column, _) = place("[model.m]\nrule = [{ on = 'compute', value = \"2 * (size\" }]");
    assert_eq!((code.as_str(), line, column), ("bad_formula", 2, 40));
    let (code, line, column, hint) = place("[model.m]\nrule = [{ on = 'compute', value = \"2 * siez\" }]");
    assert_eq!((code.as_str(), line, column, hint.as_str()), ("unknown_name", 2, 40, "did you mean size?"));
    let text = "[model.m]\ncoeff = { sort = 1 }\nrule = [{ on = 'compute', value = \"\"\"\n  size *\n  c.srt\"\"\" }]";
    let (code, line, column, hint) = place(text);
    assert_eq!((code.as_str(), line, column, hint.as_str()), ("unknown_name", 5, 3, "did you mean c.sort?"));
    let (code, line, column, _) = place("[model.m]\nrule = [{ on = 'power', value = 'size' }]");
    assert_eq!((code.as_str(), line, column), ("unknown_name", 2, 34));
    let (code, line, column, _) = place("[model.m]\nrule = [{ on = 'compute', value = 'type == \"a\"' }]");
    assert_eq!((code.as_str(), line, column), ("unknown_name", 2, 36));
}

#[test]
fn what_is_wrong_is_told() {
    for (text, code) in [
        ("[model.default]\nrule = []", "reserved_name"),
        ("[model.a]\nextends = 'b'", "unknown_model"),
        ("[model.a]\nextends = 'b'\n[model.b]\nextends = 'a'", "cycle"),
        ("[model.a]\nextends = 'a'", "cycle"),
        ("[model.a]\nrules = []", "unknown_key"),
        ("[model.a]\nrule = [{ on = 'computing', value = '1' }]", "unknown_name"),
        ("[model.a]\nrule = [{ value = '1' }]", "missing"),
        ("[model.a]\nrule = [{ on = 'compute' }]", "missing"),
        ("[model.a]\nrule = [{ on = 'compute', value = [1] }]", "wrong_type"),
        ("[model.a]\nrule = [{ on = 'compute', value = '1', spread = { kind = 'gauss' } }]", "unknown_name"),
        (
            "[model.a]\nrule = [{ on = 'compute', value = '1', spread = { kind = 'exp', mean = -1 } }]",
            "bad_distribution",
        ),
        ("[model.a]\nrule = [{ on = 'compute', value = '1', spread = { kind = 'exp', sd = 1 } }]", "unknown_key"),
        ("[model.a]\ncoeff = { x = '3 apples' }", "bad_quantity"),
        ("[model.a]\ncoeff = { 'a b' = 3 }", "bad_name"),
        ("[model.a]\ncoeff = { x = { value = 3, low = 4 } }", "out_of_range"),
        ("[model.a]\nsharing = 'fair'", "unknown_name"),
        ("model = 3", "wrong_type"),
    ] {
        let problems = read_text(text).expect_err(text).0;
        assert_eq!(problems[0].code, code, "{text}: {}", problems[0]);
        assert!(problems[0].line.is_some(), "{text}");
    }
}

#[test]
fn files_of_coefficients_are_laid_over() {
    let file = CoefficientFile::read(
        "[model.mpi.coeff]\nsort = { value = \"2.68ns\", low = \"2.6ns\", high = \"2.7ns\" }\n[origin]\ntable = 'runs.csv'\n",
        "coeff.toml",
    )
    .expect("coefficients");
    let mut models = read_text(&format!(
        "{GALERA}[model.own]\nextends = 'mpi'\n[model.other]\nextends = 'mpi'\ncoeff = {{ sort = 1 }}"
    ))
    .expect("models");
    file.lay_over(&mut models).expect("fits");
    let sort = |index: usize| models[index].coefficients["sort"].value;
    assert_eq!((sort(1), sort(2), sort(3)), (2.68e-9, 2.68e-9, 1.0));
    assert_eq!(models[1].coefficients["merge"].value, 4.5e-9);
    let wrong = CoefficientFile::read("[model.mip.coeff]\nsort = 1", "c").expect("reads");
    assert_eq!(wrong.lay_over(&mut models).expect_err("no such model").hint.as_deref(), Some("did you mean mpi?"));
}
