//! Weak scaling in two steps: along the processes in each problem size, then along the sizes at the target.

use super::ka_strong;
use super::ka_wide::Curve;
use super::relative::{KnownSum, times_only};
use crate::fitted::{Answer, Fitted, NoFit, Predictor, Regression};
use crate::options::FitOptions;
use crate::sample::{Sample, Scaling};
use runcast_core::series::Aggregate;

/// `ka-strong` along p in each measured N gives `T(p_target, N)`; then `ka-wide` along N at `p_target`.
///
/// It has no closed formula, as its second step is fitted at each target.
pub struct KaChain;

impl Regression for KaChain {
    fn name(&self) -> &'static str {
        "ka-chain"
    }

    fn summary(&self) -> &'static str {
        "ka-strong in each problem size, then ka-wide over the sizes"
    }

    fn aggregate(&self) -> Aggregate {
        Aggregate::Best
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        times_only(sample)?;
        match (sample.scaling, sample.along_processes, sample.dimensions.as_slice()) {
            (Scaling::Grid, true, [_, _]) => Ok(()),
            _ => Err("it needs runs over several process counts in each of several problem sizes".to_owned()),
        }
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        self.applies(sample).map_err(NoFit::Unsuitable)?;
        let size = sample.dimensions[1];
        super::log_linear::check_logs(sample, "ka-chain", [sample.axis, size])?;
        let mut measured = sample.column(size);
        measured.sort_by(f64::total_cmp);
        measured.dedup();
        let mut lines = Vec::new();
        for n in measured {
            let points: Vec<usize> = (0..sample.len()).filter(|&k| sample.at[k][size] == n).collect();
            if points.len() < 3 {
                continue;
            }
            let series = sample.series_of(&points);
            let line = Sample { axis: sample.axis, ..Sample::new(&series, sample.aggregate, options) };
            lines.push((n, ka_strong::fit_along(&line, options)?));
        }
        if lines.len() < 3 {
            return Err(NoFit::Unsuitable(
                "ka-chain needs three problem sizes with at least three process counts each".to_owned(),
            ));
        }
        let chain = Chain { lines, size, options: options.clone() };
        let class = "a chain of fits".to_owned();
        Ok(Fitted::new("ka-chain", String::new(), class, Box::new(chain)))
    }
}

struct Chain {
    lines: Vec<(f64, KnownSum)>,
    size: usize,
    options: FitOptions,
}

impl Predictor for Chain {
    fn predict(&self, at: &[f64]) -> Answer {
        let sizes: Vec<f64> = self.lines.iter().map(|(n, _)| *n).collect();
        let times: Vec<f64> = self.lines.iter().map(|(_, line)| line.value(at)).collect();
        let positive = times.iter().all(|t| *t > 0.0 && t.is_finite());
        let value = match Curve::fit(&sizes, &times, &self.options) {
            Ok(curve) if positive => curve.at(at[self.size]),
            _ => f64::NAN,
        };
        Answer { value, ..Answer::default() }
    }
}
