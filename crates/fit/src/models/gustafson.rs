//! Gustafson's law.

use super::profile::{Nonlinear, minimize};
use super::relative::{times_along_one_axis, weights};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::FitOptions;
use crate::sample::{Sample, Scaling};
use crate::text::{name, number};
use std::sync::Arc;

/// `T(p) = T1 p / (f + (1-f) p)`, `0 <= f <= 1`: weak scaling, scaled speedup `p T1 / T(p) = f + (1-f) p`.
///
/// J. Gustafson, *Reevaluating Amdahl's law* (CACM 31, 1988).
pub struct Gustafson;

impl Regression for Gustafson {
    fn name(&self) -> &'static str {
        "gustafson"
    }

    fn summary(&self) -> &'static str {
        "Gustafson's law: a sequential share (weak scaling)"
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        times_along_one_axis(sample)?;
        if sample.scaling == Scaling::Wide || sample.is_strong() {
            return Err("it needs a problem that grows with the processes".to_owned());
        }
        Ok(())
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        self.applies(sample).map_err(NoFit::Unsuitable)?;
        super::log_linear::check_logs(sample, "gustafson", [sample.axis])?;
        let axis = sample.axis;
        let weights: Vec<f64> = weights(sample, options).iter().zip(&sample.y).map(|(w, y)| w / y).collect();
        let shape = |f: f64, p: f64| p / (f + (1.0 - f) * p);
        // At a given f the law is linear in T1.
        let best_t1 = |f: f64| {
            let (mut sum, mut squares) = (0.0, 0.0);
            for ((at, y), w) in sample.at.iter().zip(&sample.y).zip(&weights) {
                let g = w * shape(f, at[axis]);
                sum += g * w * y;
                squares += g * g;
            }
            sum / squares
        };
        let loss = |f: f64| -> f64 {
            let t1 = best_t1(f);
            sample
                .at
                .iter()
                .zip(&sample.y)
                .zip(&weights)
                .map(|((at, y), w)| (w * (t1 * shape(f, at[axis]) - y)).powi(2))
                .sum()
        };
        let f = minimize(0.0, 1.0, 400, loss);
        let bound = f <= 0.0 || f >= 1.0;
        let gradient = Arc::new(move |c: &[f64], at: &[f64]| {
            let p = at[axis];
            let (t1, f) = (c[0], if bound { f } else { c[1] });
            let denominator = f + (1.0 - f) * p;
            let mut row = vec![p / denominator];
            if !bound {
                row.push(t1 * p * (p - 1.0) / (denominator * denominator));
            }
            (t1 * p / denominator, row)
        });
        let start = if bound { vec![best_t1(f)] } else { vec![best_t1(f), f] };
        let noise = sample.repetition_variance(f64::ln);
        let model = Nonlinear::polish(start, gradient, &sample.at, &sample.y, &weights, noise, |c| {
            c.get(1).is_none_or(|f| (0.0..=1.0).contains(f))
        });
        let t1 = model.coefficients()[0];
        let f = model.coefficients().get(1).copied().unwrap_or(f);
        let p = name(&sample.series.parameters[axis]);
        let formula = format!("{}*{p}/({} + {}*{p})", number(t1), number(f), number(1.0 - f));
        let class = if f < 1.0 { "constant".to_owned() } else { p };
        let fitted =
            Fitted::new("gustafson", formula, class, Box::new(model)).with_coefficients([("t1", t1), ("f", f)]);
        Ok(fitted.along_axis(sample))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;

    #[test]
    fn the_law_comes_back() {
        let law = |p: f64| 40.0 * p / (0.3 + 0.7 * p);
        let runs = series(&[1.0, 2.0, 4.0, 8.0].map(|p| (p, law(p))));
        let sample = Sample::new(&runs, Gustafson.aggregate(), &FitOptions::default());
        let fitted = Gustafson.fit(&sample, &FitOptions::default()).expect("fits");
        assert!((fitted.coefficients["t1"] - 40.0).abs() < 1e-6 && (fitted.coefficients["f"] - 0.3).abs() < 1e-6);
        assert!((fitted.predictor.value(&[64.0]) / law(64.0) - 1.0).abs() < 1e-7);
    }
}
