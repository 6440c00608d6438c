//! The universal scalability law.

use super::relative::{KnownSum, Signs, times_along_one_axis, weights};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::FitOptions;
use crate::sample::{Sample, Scaling};
use crate::text::{name, number};
use runcast_core::Warning;
use std::sync::Arc;

/// `T(p) = T1 (1 + s (p-1) + q p (p-1)) / p`, `s, q >= 0`; weak scaling: not divided by p.
///
/// `s` is contention, `q` coherency. Under strong scaling the time is shortest at `p = sqrt((1-s)/q)`.
///
/// N. Gunther, *Guerrilla Capacity Planning* (2007).
pub struct Usl;

impl Regression for Usl {
    fn name(&self) -> &'static str {
        "usl"
    }

    fn summary(&self) -> &'static str {
        "universal scalability law: contention and coherency"
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        times_along_one_axis(sample)?;
        if sample.scaling == Scaling::Wide {
            return Err("it needs a varying number of processes".to_owned());
        }
        Ok(())
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        self.applies(sample).map_err(NoFit::Unsuitable)?;
        let axis = sample.axis;
        let strong = sample.is_strong();
        let divided = move |at: &[f64]| if strong { at[axis] } else { 1.0 };
        let sum = KnownSum::fit(
            sample,
            "usl",
            vec![
                Arc::new(move |at| 1.0 / divided(at)),
                Arc::new(move |at| (at[axis] - 1.0) / divided(at)),
                Arc::new(move |at| at[axis] * (at[axis] - 1.0) / divided(at)),
            ],
            &weights(sample, options),
            Signs::Nonnegative,
            options,
        )?;
        let t1 = sum.coefficients[0];
        if t1 <= 0.0 {
            return Err(NoFit::Unsuitable("usl finds no positive time for one process".to_owned()));
        }
        let (sigma, kappa) = (sum.coefficients[1] / t1, sum.coefficients[2] / t1);
        let p = name(&sample.series.parameters[axis]);
        let law = format!("{}*(1 + {}*({p} - 1) + {}*{p}*({p} - 1))", number(t1), number(sigma), number(kappa));
        let (formula, power) = if strong { (format!("{law}/{p}"), -1i32) } else { (law, 0) };
        let growth = power + if kappa > 0.0 { 2 } else { i32::from(sigma > 0.0) };
        let class = match growth {
            0 => "constant".to_owned(),
            1 => p.clone(),
            2 => format!("{p}^2"),
            other => format!("{p}^({other})"),
        };
        let mut fitted = Fitted::new("usl", formula, class, Box::new(sum)).with_coefficients([
            ("t1", t1),
            ("sigma", sigma),
            ("kappa", kappa),
        ]);
        if strong && kappa > 0.0 && sigma < 1.0 {
            let best = ((1.0 - sigma) / kappa).sqrt();
            fitted.warnings.push(Warning::new("best_processes", format!("the time is shortest at {p} = {best:.1}")));
        }
        Ok(fitted.along_axis(sample))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;

    #[test]
    fn the_law_comes_back_with_its_best_process_count() {
        let law = |p: f64| 100.0 * (1.0 + 0.02 * (p - 1.0) + 0.0005 * p * (p - 1.0)) / p;
        let runs = series(&[1.0, 2.0, 4.0, 8.0, 16.0].map(|p| (p, law(p))));
        let sample = Sample::new(&runs, Usl.aggregate(), &FitOptions::default());
        let fitted = Usl.fit(&sample, &FitOptions::default()).expect("fits");
        assert!((fitted.coefficients["sigma"] - 0.02).abs() < 1e-9);
        assert!((fitted.coefficients["kappa"] - 0.0005).abs() < 1e-10);
        // sqrt((1 - 0.02) / 0.0005) = 44.2719
        assert!(fitted.warnings[0].message.ends_with("44.3"));
        assert!((fitted.predictor.value(&[44.0]) - 6.377273).abs() < 1e-6);
    }
}
