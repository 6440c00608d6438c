//! The range of a time whose coefficients were calibrated: draws of what the calibration does not know.

use super::prepare::{Prepared, Variation};
use super::repetitions;
use super::result::{RangeFrom, RunResult};
use super::simulate::{LEVEL, RunControl, repetition};
use crate::experiment::Value;
use crate::model::{DRAWS, Uncertainty};
use crate::world::{DOUBT, Scaled};
use runcast_core::random::SplitMix;
use runcast_core::statistics::quantile_of_sorted;
use runcast_core::{Problem, Problems, Warning};

/// Events of all draws together beyond which times follow the errors by derivatives: every draw simulated would take long.
const MOST_EVENTS: u64 = 20_000_000;
/// Repetitions that tell a spread.
const LEAST_FOR_SPREAD: usize = 2;

/// A name that is drawn, with its value.
struct Drawn {
    name: String,
    value: f64,
    /// Its place among the names of the file.
    index: usize,
    /// Logarithm by which it may be off on other hardware than it was measured on, either way.
    doubt: f64,
}

impl Drawn {
    /// The logarithm by which it is off for that reason, in one draw.
    fn off(&self, seed: u64, number: u64) -> f64 {
        self.doubt * (2.0 * SplitMix::new(seed ^ self.index as u64, !number).uniform() - 1.0)
    }
}

/// Puts the range of a calibration in place of that of repetitions, where the last file of coefficients that was calibrated
/// says what it does not know. What is set by hand is certain; what exchanged hardware scales is less so.
///
/// # Errors
/// An interrupt.
pub fn calibrated_range(prepared: &Prepared, result: &mut RunResult, control: &RunControl<'_>) -> Result<(), Problems> {
    let Some(number) = prepared.coefficients.iter().rposition(|file| file.uncertainty.is_some()) else {
        return Ok(());
    };
    let Some(of) = &prepared.coefficients[number].uncertainty else { return Ok(()) };
    let mut drawn = drawn(prepared, number, of);
    for one in &mut drawn {
        let is_same = |scaled: &&Scaled| one.name.strip_prefix("c.") == Some(scaled.coefficient.as_str());
        let ratio = result.scaled.iter().find(is_same).map_or(1.0, |scaled| scaled.ratio);
        one.doubt = DOUBT * ratio.ln().abs();
    }
    let is_large = result.counts.events.saturating_mul(DRAWS) > MOST_EVENTS;
    let times = match is_large {
        true => by_derivatives(prepared, result, of, &drawn, control)?,
        false => by_simulation(prepared, of, &drawn, control)?,
    };
    let mut times: Vec<f64> = times.into_iter().filter(|time| time.is_finite()).collect();
    if (times.len() as u64) < DRAWS / 2 {
        let text =
            "most draws of the calibrated coefficients cannot be simulated: there is no range of the calibration";
        result.warnings.push(Warning::new("no_range", text));
        return Ok(());
    }
    times.sort_by(f64::total_cmp);
    let level = prepared.inputs.experiment.level.unwrap_or(LEVEL);
    let tail = (1.0 - level) / 2.0;
    result.time_low_s = Some(quantile_of_sorted(&times, tail));
    result.time_high_s = Some(quantile_of_sorted(&times, 1.0 - tail));
    result.level = Some(level);
    result.range_from = Some(RangeFrom::Calibration);
    Ok(())
}

/// The names of a file that nothing behind it gives another value.
fn drawn(prepared: &Prepared, number: usize, of: &Uncertainty) -> Vec<Drawn> {
    let (file, later) = (&prepared.coefficients[number], &prepared.coefficients[number + 1..]);
    let one = |(index, name): (usize, &String)| {
        let value = match name.split_once('.')? {
            ("c", key) => {
                let is_given = prepared.variation.coefficients.contains_key(key)
                    || later.iter().any(|file| file.models.values().any(|model| model.contains_key(key)));
                file.models.values().find_map(|model| model.get(key)).filter(|_| !is_given)?.value
            }
            ("noise", key) => {
                let is_given =
                    prepared.variation.noise.contains_key(key) || later.iter().any(|file| file.noise.contains_key(key));
                file.noise.get(key).filter(|_| !is_given)?.value
            }
            _ => return None,
        };
        Some(Drawn { name: name.clone(), value, index, doubt: 0.0 })
    };
    of.names.iter().enumerate().filter_map(one).collect()
}

/// Each draw simulated, with noise of its own.
fn by_simulation(
    prepared: &Prepared,
    of: &Uncertainty,
    drawn: &[Drawn],
    control: &RunControl<'_>,
) -> Result<Vec<f64>, Problems> {
    let seed = prepared.inputs.experiment.seed;
    let one = |number: u64, _: usize| -> Result<f64, Problems> {
        let draw = of.draw(seed, number);
        let factor = |one: &Drawn| draw.factors[one.index] * one.off(seed, number).exp();
        let factors: Vec<f64> = drawn.iter().map(factor).collect();
        time_with(prepared, drawn, &factors, number, control).map(|time| time * draw.time)
    };
    let (times, ended) = repetitions::run(DRAWS, control.threads, control.interrupt, control.progress, &one);
    ended.map(|()| times)
}

/// Times that follow each name by its derivative, at one standard deviation; noise from the repetitions of the run.
fn by_derivatives(
    prepared: &Prepared,
    result: &mut RunResult,
    of: &Uncertainty,
    drawn: &[Drawn],
    control: &RunControl<'_>,
) -> Result<Vec<f64>, Problems> {
    let mut slopes = Vec::with_capacity(drawn.len());
    let deviations = of.deviations();
    let first = time_with(prepared, drawn, &vec![1.0; drawn.len()], 0, control)?;
    for (number, one) in drawn.iter().enumerate() {
        let step = deviations[one.index].clamp(1e-4, 0.1);
        let mut factors = vec![1.0; drawn.len()];
        factors[number] = 1.0 + step;
        let time = time_with(prepared, drawn, &factors, 0, control)?;
        slopes.push((time / first).ln() / factors[number].ln());
    }
    let text = "the range of the time follows each coefficient by its derivative, as the simulation is large";
    result.assumed.push(text.to_owned());
    let times = &result.times_s;
    let is_told = times.len() >= LEAST_FOR_SPREAD;
    let seed = prepared.inputs.experiment.seed;
    let one = |number: u64| {
        let (errors, time) = of.errors(seed, number);
        let change: f64 =
            drawn.iter().zip(&slopes).map(|(one, slope)| (errors[one.index] + one.off(seed, number)) * slope).sum();
        let base = if is_told { times[number as usize % times.len()] } else { result.time_s };
        base * (change + time).exp()
    };
    Ok((0..DRAWS).map(one).collect())
}

/// The time with factors on what is drawn; not a number: it cannot be simulated.
fn time_with(
    prepared: &Prepared,
    drawn: &[Drawn],
    factors: &[f64],
    number: u64,
    control: &RunControl<'_>,
) -> Result<f64, Problems> {
    let mut variation: Variation = prepared.variation.clone();
    for (one, factor) in drawn.iter().zip(factors) {
        variation.set(&one.name, Value::Number(one.value * factor))?;
    }
    match prepared.again(&variation).and_then(|prepared| repetition(&prepared, number, control.interrupt)) {
        Ok(result) => Ok(result.time_s),
        Err(problems) if problems.0.iter().any(is_end) => Err(problems),
        Err(_) => Ok(f64::NAN),
    }
}

fn is_end(problem: &Problem) -> bool {
    problem.code == super::INTERRUPTED
}
