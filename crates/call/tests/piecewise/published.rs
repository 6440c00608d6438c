//! The published measurements of an FFT on a Cray T3E.

use crate::made::{at, close, quick, samples};
use runcast_call::piecewise::{Piecewise, Repeated, Signs, fit};

/// `N = 2^21` points, P, times and the publication's own predictions, errors in percent.
struct Table {
    case: runcast_papers::Case<toml::Table, toml::Table>,
}

impl Table {
    fn read() -> Table {
        Table { case: runcast_papers::cases("piecewise").remove(0) }
    }

    fn value(&self, name: &str) -> &toml::Value {
        self.case.given.get(name).or_else(|| self.case.expected.get(name)).expect(name)
    }

    fn numbers(&self, name: &str) -> Vec<f64> {
        let list = self.value(name).as_array().expect(name);
        list.iter().map(|value| value.as_float().or(value.as_integer().map(|i| i as f64)).expect(name)).collect()
    }

    fn number(&self, name: &str) -> f64 {
        self.value(name).as_float().expect(name)
    }

    fn fit(&self, column: &str, up_to: f64, signs: Signs) -> Piecewise {
        let runs = self.numbers("processes").into_iter().zip(self.numbers(column));
        let configurations = runs
            .filter(|(processes, _)| *processes <= up_to)
            .map(|(processes, time_s)| Repeated::new(vec![self.number("points"), processes], vec![time_s]))
            .collect();
        let template = self.value("formula").as_str().expect("formula");
        let mut settings = quick(template, &[]);
        settings.signs = signs;
        fit(&samples(&["N", "P"], configurations), &settings).expect("a fit")
    }

    fn predict(&self, model: &Piecewise, processes: f64) -> f64 {
        let target = at(&[("N", self.number("points")), ("P", processes)]);
        model.predict(&target, 0.9).expect("a target").0.value.expect("a value")
    }
}

/// `100 (measured - predicted) / measured`, as the publication counts: positive where the model is too fast.
fn error_pct(measured: f64, predicted: f64) -> f64 {
    100.0 * (measured - predicted) / measured
}

#[test]
fn the_publications_errors_have_its_sign() {
    let table = Table::read();
    let columns = table.numbers("time_s").into_iter().zip(table.numbers("predicted_s"));
    for ((measured, predicted), wanted) in columns.zip(table.numbers("error_pct")) {
        let error = error_pct(measured, predicted);
        assert!((error - wanted).abs() <= 0.006, "{error} {wanted}");
    }
}

#[test]
fn one_set_of_constants_gives_the_published_predictions() {
    let table = Table::read();
    let model = table.fit("predicted_s", 32.0, Signs::Free);
    let mut worst = 0.0f64;
    for (processes, predicted) in table.numbers("processes").into_iter().zip(table.numbers("predicted_s")) {
        let value = table.predict(&model, processes);
        worst = worst.max(100.0 * (value / predicted - 1.0).abs());
        table.case.close("predicted_s", format!("at P = {processes}"), value, predicted);
    }
    assert!(worst > 1e-6, "the column is rounded: {worst} %");
    // Constants in seconds, of 1, log2 P, (21 - log2 P)/P and 1 - 1/P; N = 2^21 is taken out.
    let n = table.number("points");
    let scales = [1.0, 1.0, n, n];
    for ((constant, scale), wanted) in model.constants().iter().zip(scales).zip(table.numbers("constants_s")) {
        let value = constant.pieces[0].value * scale;
        assert!(close(value, wanted, 2e-3), "{}: {value} {wanted}", constant.name);
    }
}

#[test]
fn three_measured_points_are_enough_where_signs_decide() {
    let table = Table::read();
    for signs in [Signs::Auto, Signs::NonNeg] {
        let model = table.fit("time_s", 4.0, signs);
        assert!(model.warnings().iter().any(|warning| warning.code == "underdetermined"));
        let n = table.number("points");
        let values: Vec<f64> = model.constants().iter().map(|constant| constant.pieces[0].value).collect();
        assert!((values[0] - 0.7072).abs() < 5e-5, "{values:?}");
        assert!((values[2] * n - 0.5280).abs() < 5e-5, "{values:?}");
        assert_eq!((values[1], values[3]), (0.0, 0.0));
        assert!(model.constants().iter().all(|constant| constant.pieces[0].low.is_none()));
        for (column, up_to) in [("error_from_4_pct", 4.0), ("error_from_8_pct", 8.0)] {
            let model = table.fit("time_s", up_to, signs);
            let targets = table.numbers("processes").into_iter().zip(table.numbers("time_s"));
            let targets = targets.filter(|(processes, _)| *processes > up_to);
            for ((processes, measured), wanted) in targets.zip(table.numbers(column)) {
                let error = error_pct(measured, table.predict(&model, processes));
                assert!((error - wanted).abs() <= 0.0051, "from {up_to} to {processes}: {error} {wanted}");
            }
        }
    }
}
