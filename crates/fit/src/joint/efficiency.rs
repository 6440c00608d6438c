//! Factors of parallel efficiency, each over the processes, and the time that follows from them.
//!
//! \[R\] C. Rosas, J. Giménez, J. Labarta, *Scalability prediction for fundamental performance factors*, Supercomputing
//! Frontiers and Innovations 1(2) (2014): each factor follows Amdahl's law.

use super::{Outcome, by_group};
use crate::document;
use crate::fitted::{Answer, Fitted, NoFit, Predictor, Spread};
use crate::options::FitOptions;
use crate::predict::Model;
use crate::sample::Sample;
use crate::text;
use indexmap::IndexMap;
use runcast_core::model::ModelEntry;
use runcast_core::series::Aggregate;
use runcast_core::statistics::median;
use runcast_core::{Problem, Series};
use runcast_formula::{Formula, FormulaError, Program};
use std::sync::Arc;

pub const NAME: &str = "efficiency";

/// The factors, in the order in which they multiply.
pub const FACTORS: [&str; 4] = ["load_balance", "serialization", "transfer", "computation_scaling"];

/// A factor of up to this is one that was measured with an error, and is cut at 1.
const MOST: f64 = 1.05;

/// `1/e = a + b p`, a, b >= 0, by least squares of relative residuals.
///
/// ```text
/// minimize sum ((a + b p_i) e_i - 1)^2
/// ```
fn amdahl(points: &[(f64, f64)]) -> [f64; 2] {
    let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|&(p, e)| of(p, e)).sum::<f64>();
    let (ee, epe, epep) = (sum(&|_, e| e * e), sum(&|p, e| e * e * p), sum(&|p, e| e * e * p * p));
    let (one, p_one) = (sum(&|_, e| e), sum(&|p, e| e * p));
    let determinant = ee * epep - epe * epe;
    if determinant > 1e-12 * ee * epep {
        let (a, b) = ((one * epep - p_one * epe) / determinant, (p_one * ee - one * epe) / determinant);
        if a >= 0.0 && b >= 0.0 {
            return [a, b];
        }
    }
    // One of them is 0: what is left explains more of the ones on the right.
    match one * one / ee >= p_one * p_one / epep {
        true => [one / ee, 0.0],
        false => [0.0, p_one / epep],
    }
}

pub(super) fn fit(all: &[Series], options: &FitOptions) -> Vec<Outcome> {
    let of_group = |group: &Vec<&Series>| {
        let is_time = |series: &&&Series| series.metric.is_time() && !FACTORS.contains(&series.metric.name.as_str());
        match group.iter().find(is_time) {
            Some(time) => (Arc::new(Series::clone(time)), fit_group(time, group, options)),
            None => {
                let why = "efficiency needs a time beside its factors".to_owned();
                (Arc::new(group[0].clone()), Err(NoFit::Unsuitable(why)))
            }
        }
    };
    by_group(all).iter().map(of_group).collect()
}

fn fit_group(time: &Series, group: &[&Series], options: &FitOptions) -> Result<Model, NoFit> {
    let sample = Sample::new(time, Aggregate::Median, options);
    let Some(process) = time.process_parameter.filter(|_| sample.dimensions.len() == 1 && sample.along_processes)
    else {
        return Err(NoFit::Unsuitable("efficiency takes runs over processes alone: --where chooses a line".to_owned()));
    };
    let mut laws = Vec::new();
    for name in FACTORS {
        let Some(factor) = group.iter().find(|series| series.metric.name == name) else {
            return Err(NoFit::Unsuitable(format!("efficiency needs a column {name}, beside {}", FACTORS.join(", "))));
        };
        let mut points = Vec::new();
        for point in &factor.points {
            let value = median(&point.values);
            if value <= 0.0 || value > MOST || value.is_nan() {
                let line = point.lines.first().copied().unwrap_or(0);
                let why = format!(
                    "{name} is {value} on line {line}: above 0 and at most 1 is allowed (1.05 for an error of measuring)"
                );
                return Err(NoFit::Options(why));
            }
            points.push((point.at[process], value.min(1.0)));
        }
        laws.push(amdahl(&points));
    }
    let first = (0..sample.len()).min_by(|&a, &b| sample.at[a][process].total_cmp(&sample.at[b][process])).unwrap_or(0);
    let (p0, t0) = (sample.at[first][process], sample.y[first]);
    let loss = |p: f64| laws.iter().map(|[a, b]| (a + b * p).max(1.0)).product::<f64>();
    let p = text::name(&time.parameters[process]);
    // T(p0) E(p0) = T(p0) over the losses there.
    let strong = sample.is_strong();
    let scale = t0 / loss(p0) * if strong { p0 } else { 1.0 };
    let losses = laws.iter().map(|[a, b]| format!("*max(1, {} + {}*{p})", text::number(*a), text::number(*b)));
    let work = if strong { format!("/{p}") } else { String::new() };
    let formula = format!("{}{work}{}", text::number(scale), losses.collect::<String>());
    let mut coefficients = vec![("p0".to_owned(), p0), ("t0_s".to_owned(), t0)];
    for (name, [a, b]) in FACTORS.iter().zip(&laws) {
        coefficients.extend([(format!("{name}_a"), *a), (format!("{name}_b"), *b)]);
    }
    let law = |p: f64| scale * loss(p) / if strong { p } else { 1.0 };
    let others = (0..sample.len()).filter(|k| *k != first);
    let errors: Vec<f64> =
        others.map(|k| (sample.y[k] / law(sample.at[k][process])).ln()).filter(|error| error.is_finite()).collect();
    if errors.len() > 1 {
        let sd = (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt();
        coefficients.extend([("sd_ln".to_owned(), sd), ("freedom".to_owned(), errors.len() as f64)]);
    }
    let class = if strong { format!("1/({p}*efficiency)") } else { "1/efficiency".to_owned() };
    model(time, formula, class, coefficients.into_iter().collect())
        .map_err(|problem| NoFit::Unsuitable(problem.message))
}

/// The law as a model of the times.
fn model(
    series: &Series,
    formula: String,
    class: String,
    coefficients: IndexMap<String, f64>,
) -> Result<Model, Problem> {
    let bad = |error: FormulaError| Problem::new("bad_formula", error.to_string()).at("formula").value(formula.clone());
    let names: Vec<String> = series.parameters.iter().map(|name| text::name(name)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let program = Formula::parse(&formula).and_then(|formula| formula.compile(&names)).map_err(bad)?;
    let known = |name: &str| coefficients.get(name).copied();
    let spread = known("sd_ln").zip(known("freedom"));
    let spread = spread.map_or(Spread::None, |(sd_ln, n)| Spread::Parametric { sd_ln, freedom: n as usize });
    let mut fitted = Fitted::new(NAME, formula.clone(), class, Box::new(Law { program, spread }));
    fitted.coefficients = coefficients;
    Ok(Model::of_fitted(&Arc::new(series.clone()), Aggregate::Median, fitted))
}

struct Law {
    program: Program,
    spread: Spread,
}

impl Predictor for Law {
    fn predict(&self, at: &[f64]) -> Answer {
        Answer { value: self.program.row(at), spread: self.spread, ..Answer::default() }
    }
}

/// A saved law.
pub(super) fn reload(entry: &ModelEntry) -> Result<Model, Problem> {
    let series = document::series_of(entry)?;
    model(&series, entry.formula.clone(), entry.class.clone(), entry.coefficients.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;
    use runcast_core::{Configuration, Direction, Metric};

    const P: [f64; 4] = [4.0, 8.0, 16.0, 32.0];

    fn table(load_balance: [f64; 4]) -> Vec<Series> {
        let column = |name: &str, values: [f64; 4]| {
            let mut column = series(&P.into_iter().zip(values).collect::<Vec<_>>());
            column.metric = Metric::new(name, "", Direction::Higher);
            column
        };
        let transfer = P.map(|p| 1.0 / (0.98 + 0.005 * p));
        let mut time = column("time_s", [10.0, 5.2, 2.9, 1.7]);
        time.metric = Metric::from_name("time_s").expect("a metric");
        vec![
            time,
            column("load_balance", load_balance),
            column("serialization", [0.99, 0.97, 0.94, 0.88]),
            column("transfer", transfer),
            column("computation_scaling", [1.0, 0.99, 0.985, 0.98]),
        ]
    }

    /// Numbers by an independent script.
    #[test]
    fn four_factors_at_128_processes() {
        let (_, model) = fit(&table([0.96, 0.95, 0.955, 0.95]), &FitOptions::default()).remove(0);
        let model = model.expect("a model");
        let value = |name: &str, part: &str| model.fitted.coefficients[&format!("{name}_{part}")];
        let expected = [0.928514, 0.638974, 0.617284, 0.923021];
        for (name, expected) in FACTORS.iter().zip(expected) {
            let factor = 1.0 / (value(name, "a") + 128.0 * value(name, "b"));
            assert!((factor - expected).abs() < 1e-6, "{name}: {factor}");
        }
        let at = Configuration::from_pairs(&["p".to_owned()], &[128.0]);
        let (prediction, _) = model.predict(&at, 0.9).expect("complete");
        let time = prediction.value.expect("a value");
        assert!((time - 0.870433).abs() < 1e-6, "{time}");
        let again = reload(&document::entry_of(&model)).expect("reads back");
        assert_eq!(again.predict(&at, 0.9).expect("complete").0, prediction);
    }

    #[test]
    fn factors_above_one_are_cut_or_refused() {
        let of = |largest| fit(&table([largest, 0.95, 0.955, 0.95]), &FitOptions::default()).remove(0).1;
        assert!(of(1.05).is_ok());
        for wrong in [1.06, 0.0, -0.5] {
            assert!(matches!(of(wrong), Err(NoFit::Options(_))), "{wrong}");
        }
        let (_, without) = fit(&table([0.9; 4])[..4], &FitOptions::default()).remove(0);
        assert!(without.is_err_and(|why| why.to_string().contains("computation_scaling")));
    }

    #[test]
    fn a_factor_that_does_not_change_is_a_constant() {
        assert_eq!(amdahl(&[(2.0, 0.5), (4.0, 0.5)]), [2.0, 0.0]);
        let [a, b] = amdahl(&[(2.0, 0.5), (4.0, 0.75)]);
        assert!(b == 0.0 && (a - 1.25 / 0.8125).abs() < 1e-15, "it rises, and b is not below 0");
    }
}
