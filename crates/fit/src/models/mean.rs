//! The constant.

use crate::fitted::{Answer, Fitted, NoFit, Predictor, Regression, Spread};
use crate::options::FitOptions;
use crate::sample::Sample;
use crate::text::number;
use runcast_core::statistics;

/// The mean over the configurations.
pub struct Mean;

impl Regression for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }

    fn summary(&self) -> &'static str {
        "the constant"
    }

    fn applies(&self, _: &Sample<'_>) -> Result<(), String> {
        Ok(())
    }

    fn fit(&self, sample: &Sample<'_>, _: &FitOptions) -> Result<Fitted, NoFit> {
        let value = statistics::mean(&sample.y);
        let n = sample.len();
        let variance = statistics::sample_variance(&sample.y)
            .map(|variance| variance.max(sample.repetition_variance(|y| y)) * (1.0 + 1.0 / n as f64));
        let constant = Constant { value, sd: variance.map(f64::sqrt), freedom: n.saturating_sub(1) };
        let fitted = Fitted::new("mean", number(value), "constant".to_owned(), Box::new(constant));
        Ok(fitted.with_coefficients([("c0", value)]))
    }
}

struct Constant {
    value: f64,
    sd: Option<f64>,
    freedom: usize,
}

impl Predictor for Constant {
    fn predict(&self, _: &[f64]) -> Answer {
        let spread = match self.sd {
            Some(sd) if self.value > 0.0 => Spread::Parametric { sd_ln: sd / self.value, freedom: self.freedom },
            _ => Spread::None,
        };
        Answer { value: self.value, spread, ..Answer::default() }
    }
}
