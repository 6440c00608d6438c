//! Factors at other numbers of processes, and the time that follows.

use super::document::{ShownFactor, ShownForecast, ShownRecording};
use super::{Looked, ShowArgs};
use crate::failure::Failure;
use runcast_core::numeric::normal;
use runcast_core::{Problem, Warning};
use runcast_record::factors::Scaling;
use runcast_record::trend::Trend;

/// Factors that multiply up to the global efficiency, and the most that each can be.
const PARTS: [(&str, f64); 4] =
    [("load_balance", 1.0), ("serialization", 1.0), ("transfer", 1.0), ("computation_scaling", f64::INFINITY)];

/// Without a time on an ideal network, the parallel efficiency is not taken apart.
const WHOLE: [(&str, f64); 2] = [("parallel", 1.0), ("computation_scaling", f64::INFINITY)];

/// A time that is this uncertain, in logarithms, is unknown: 1,000 times.
const MOST_SPREAD: f64 = 7.0;

/// Forecasts for all targets.
///
/// # Errors
/// Targets without p, or of other parameters.
pub(super) fn forecasts(
    args: &ShowArgs,
    looked: &[Looked],
    recordings: &[ShownRecording],
    warnings: &mut Vec<Warning>,
) -> Result<Vec<ShownForecast>, Failure> {
    let targets = args.at.configurations()?;
    let Some(reference) = looked.first().map(|one| &one.measured).filter(|_| !targets.is_empty()) else {
        return Ok(Vec::new());
    };
    let points = |name: &str| -> Option<Vec<(f64, f64)>> {
        let value = |one: &ShownRecording| one.factors.named().into_iter().find(|(known, _)| *known == name)?.1;
        recordings.iter().map(|one| Some((f64::from(one.p), value(one)?))).collect()
    };
    let is_known = PARTS.iter().all(|(name, _)| points(name).is_some());
    let parts: &[(&str, f64)] = if is_known { &PARTS } else { &WHOLE };
    let quantile = normal::quantile(f64::midpoint(1.0, args.level.level));
    let Some(parallel) = recordings.first().and_then(|one| one.factors.parallel) else {
        return Err(Failure::undone(Problem::new("no_factors", "the recording holds no times to forecast from")));
    };
    let mut few = false;
    let mut all = Vec::new();
    for target in &targets {
        let Some(p) = target.0.get("p").copied().filter(|p| *p >= 1.0 && target.0.len() == 1) else {
            let problem = Problem::new("bad_target", "factors are forecast over the number of processes alone");
            return Err(problem
                .at("--at")
                .value(format!("{:?}", target.0.keys().collect::<Vec<_>>()))
                .allowed("p=512")
                .into());
        };
        let mut forecast = ShownForecast {
            p: p as u64,
            factors: std::collections::BTreeMap::new(),
            time_s: 0.0,
            time_low_s: 0.0,
            time_high_s: 0.0,
            level: args.level.level,
            most_recorded: recordings.iter().map(|one| f64::from(one.p)).fold(1.0, f64::max),
        };
        let (mut value, mut spread) = (1.0, 0.0);
        for (name, most) in parts {
            let points = points(name).unwrap_or_default();
            let trend = Trend::through(&points);
            few |= !trend.is_chosen;
            let factor = trend.forecast(&points, p, quantile, *most);
            value *= factor.value;
            let half = f64::max(factor.high - factor.value, factor.value - factor.low);
            spread += (half / factor.value.max(f64::MIN_POSITIVE)).min(MOST_SPREAD).powi(2);
            let shown =
                ShownFactor { value: factor.value, low: factor.low, high: factor.high, form: trend.form.word() };
            forecast.factors.insert(name, shown);
        }
        let work = match args.scaling {
            Scaling::Strong => reference.processes / p,
            Scaling::Weak => 1.0,
        };
        // T = T_ref (p_ref s/p) parallel_ref / global; factors err independently, in logarithms.
        forecast.time_s = reference.time_s * work * parallel / value.max(f64::MIN_POSITIVE);
        let wide = spread.sqrt().min(MOST_SPREAD).exp();
        forecast.time_low_s = forecast.time_s / wide;
        forecast.time_high_s = forecast.time_s * wide;
        all.push(forecast);
    }
    if few {
        let message = "with fewer than 3 recordings factors stay as they are";
        warnings.push(Warning::new("few_recordings", message));
    }
    Ok(all)
}
