//! Amdahl's law.

use super::relative::{KnownSum, Signs, times_only, weights};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::FitOptions;
use crate::sample::Sample;
use crate::text::{name, number};
use std::sync::Arc;

/// `T(p) = T1 (f + (1-f)/p)`, `0 <= f <= 1`: strong scaling with a sequential share `f`.
///
/// G. Amdahl, *Validity of the single processor approach to achieving large scale computing capabilities* (AFIPS 1967).
pub struct Amdahl;

impl Regression for Amdahl {
    fn name(&self) -> &'static str {
        "amdahl"
    }

    fn summary(&self) -> &'static str {
        "Amdahl's law: a sequential share (strong scaling)"
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        times_only(sample)?;
        if sample.is_strong() {
            Ok(())
        } else {
            Err("it needs a constant problem on a growing number of processes".to_owned())
        }
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        self.applies(sample).map_err(NoFit::Unsuitable)?;
        let p = sample.axis;
        // T = T1 f + T1 (1-f) / p, both coefficients at least zero.
        let sum = KnownSum::fit(
            sample,
            "amdahl",
            vec![Arc::new(|_| 1.0), Arc::new(move |at| 1.0 / at[p])],
            &weights(sample, options),
            Signs::Nonnegative,
            options,
        )?;
        let t1 = sum.coefficients[0] + sum.coefficients[1];
        let f = sum.coefficients[0] / t1;
        let x = name(&sample.series.parameters[p]);
        let formula = format!("{}*({} + {}/{x})", number(t1), number(f), number(1.0 - f));
        let class = if f > 0.0 { "constant".to_owned() } else { format!("{x}^(-1)") };
        let fitted = Fitted::new("amdahl", formula, class, Box::new(sum)).with_coefficients([("t1", t1), ("f", f)]);
        Ok(fitted.along_axis(sample))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;

    #[test]
    fn the_law_comes_back() {
        let law = |p: f64| 100.0 * (0.05 + 0.95 / p);
        let runs = series(&[1.0, 2.0, 4.0, 8.0].map(|p| (p, law(p))));
        let sample = Sample::new(&runs, Amdahl.aggregate(), &FitOptions::default());
        let fitted = Amdahl.fit(&sample, &FitOptions::default()).expect("fits");
        assert!((fitted.coefficients["t1"] - 100.0).abs() < 1e-9 && (fitted.coefficients["f"] - 0.05).abs() < 1e-9);
        assert!((fitted.predictor.value(&[64.0]) - 6.484375).abs() < 1e-9);
    }
}
