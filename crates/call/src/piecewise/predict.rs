//! Predictions with a verdict on their reliability.

use super::bootstrap::interval;
use super::model::{Piecewise, cuts_of, distinct_between};
use indexmap::IndexMap;
use runcast_core::configuration::check_target;
use runcast_core::prediction::{Interval, Prediction, Verdict};
use runcast_core::random::SplitMix;
use runcast_core::{Configuration, Problem, Warning};

/// Number of residuals combined with each resample.
const RESIDUALS: usize = 5;

/// Random stream of the residuals of predictions, separate from those of the resamples.
const STREAM: u64 = 1 << 32;

/// Fewer distinct values than this do not show how a piece continues.
const ENOUGH_VALUES: usize = 3;

/// Beyond so many times the measured range a prediction is far, and the verdict says so.
const FAR: f64 = 8.0;
const TOO_FAR: f64 = 16.0;

/// Without a value in more than this share of the resamples there is no interval.
const MOST_WITHOUT: f64 = 0.05;

/// With this few configurations a prediction gets a warning.
const FEW_CONFIGURATIONS: usize = 3;

impl Piecewise {
    /// Predicts one configuration, with every warning in full.
    ///
    /// # Errors
    /// A [`Problem`] when the target lacks a parameter, has an unknown one, or the level is not one.
    pub fn predict(&self, target: &Configuration, level: f64) -> Result<(Prediction, Vec<Warning>), Problem> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Problem::new("out_of_range", format!("the level is {level}")).allowed("between 0 and 1"));
        }
        let (at, shown) = self.complete(target)?;
        let phi = self.data.terms.factors_at(&at);
        let z = self.data.terms.variables_at(&at);
        let value = if z.iter().all(|z| z.is_finite()) { self.value_of(&phi, &z) } else { f64::NAN };
        let distance = self.distances(&at);
        let horizon = distance.values().copied().fold(1.0, f64::max);
        let beyond = self.variables_beyond(&z);
        let extrapolates = horizon > 1.0 || !beyond.is_empty();
        let mut warnings = Vec::new();
        let usable = value.is_finite() && value > 0.0;
        if !usable {
            warnings.push(Warning::new(
                "nonpositive",
                format!("the formula predicts {value} at {shown}, which no run can have"),
            ));
        }
        if horizon > 1.0 {
            let message = format!("{shown} lies {} times beyond the measured range", times(horizon));
            warnings.push(Warning::new("extrapolation", message));
        } else if let Some(variable) = beyond.first() {
            let message = format!("{shown} lies beyond the measured range of {variable}");
            warnings.push(Warning::new("extrapolation", message));
        }
        if horizon > FAR && usable {
            let message =
                format!("{} times beyond the measured range is far: the form itself may change", times(horizon));
            warnings.push(Warning::new("far", message));
        }
        let few = self.few_points(&at, &phi, &z, horizon);
        if let Some(message) = few.as_ref().filter(|_| usable) {
            warnings.push(Warning::new("few_points", message.clone()));
        }
        warnings.extend(self.in_gap(&z, &phi));
        let bounds = if usable { self.interval_at(value, (&phi, &z), &distance, level) } else { None };
        if usable && self.bootstrap.is_some() && bounds.is_none() {
            let message = format!("too many resamples have no value at {shown}, so there is no interval");
            warnings.push(Warning::new("no_interval", message));
        }
        warnings.extend(self.warnings.iter().cloned());
        let mut codes: Vec<String> = Vec::new();
        for warning in &warnings {
            if !codes.contains(&warning.code) {
                codes.push(warning.code.clone());
            }
        }
        let prediction = Prediction {
            method: "llac".to_owned(),
            group: self.samples.group.clone(),
            metric: self.samples.metric.name.clone(),
            unit: self.samples.metric.unit.clone(),
            model: self.model_name().to_owned(),
            at: shown,
            value: usable.then_some(value),
            low: bounds.map(|bounds| bounds.low),
            high: bounds.map(|bounds| bounds.high),
            level,
            interval: bounds.map(|_| "runs".to_owned()),
            intervals: IndexMap::from([("runs".to_owned(), bounds)]),
            extrapolates,
            distance,
            horizon,
            verdict: match () {
                () if !usable => Verdict::Refused,
                () if horizon > TOO_FAR => Verdict::Far,
                () if few.is_some() => Verdict::FewPoints,
                () => Verdict::Ok,
            },
            members: Vec::new(),
            warnings: codes,
        };
        Ok((prediction, warnings))
    }

    /// A value for each name in use, and the target as shown: omitted parameters that never varied are filled in.
    fn complete(&self, target: &Configuration) -> Result<(Vec<f64>, Configuration), Problem> {
        let parameters = &self.samples.parameters;
        for (name, value) in &target.0 {
            if !parameters.contains(name) {
                return Err(Problem::new("unknown_parameter", format!("\"{name}\" is not a parameter of these runs"))
                    .value(name)
                    .one_of(name, parameters.iter().map(String::as_str)));
            }
            let place = self.data.terms.names.iter().position(|known| known == name);
            let least = place.and_then(|place| self.data.values_of(place).first().copied()).unwrap_or(0.0);
            check_target(name, *value, least, false)?;
        }
        let mut shown = target.clone();
        let mut at = Vec::new();
        for (place, name) in self.data.terms.names.iter().enumerate() {
            let value = match (target.get(name), self.data.values_of(place)) {
                (Some(value), _) => value,
                (None, [only]) => *only,
                (None, _) => {
                    return Err(Problem::new("missing_parameter", format!("the target has no value of {name}"))
                        .hint(self.hint_for_targets()));
                }
            };
            shown.0.insert(name.clone(), value);
            at.push(value);
        }
        Ok((at, shown))
    }

    fn hint_for_targets(&self) -> String {
        let names = self.data.terms.names.iter().enumerate();
        let values: Vec<String> = names
            .map(|(place, name)| format!("{name}={}", self.data.values_of(place).last().copied().unwrap_or(1.0)))
            .collect();
        format!("at {}", values.join(","))
    }

    fn distances(&self, at: &[f64]) -> IndexMap<String, f64> {
        let names = self.data.terms.names.iter().enumerate();
        names
            .map(|(place, name)| {
                let values = self.data.values_of(place);
                (name.clone(), distance(at[place], values[0], values[values.len() - 1]))
            })
            .collect()
    }

    /// Variables of breaks whose value was never reached.
    fn variables_beyond(&self, z: &[f64]) -> Vec<&str> {
        (0..z.len())
            .filter(|&variable| {
                let used = !self.shape.cuts.is_empty() || self.shape.steps.iter().any(|step| step.variable == variable);
                let measured = &self.data.z[variable];
                let outside =
                    !measured.iter().any(|m| *m >= z[variable]) || !measured.iter().any(|m| *m <= z[variable]);
                used && outside
            })
            .map(|variable| self.data.terms.variables[variable].text())
            .collect()
    }

    /// Why a prediction is based on too little data.
    fn few_points(&self, at: &[f64], phi: &[f64], z: &[f64], horizon: f64) -> Option<String> {
        let count = self.data.len();
        if count <= FEW_CONFIGURATIONS && !self.data.at.iter().any(|measured| measured == at) {
            return Some(format!("this prediction is based on only {count} configurations"));
        }
        for (place, name) in self.data.terms.names.iter().enumerate() {
            let values = self.data.values_of(place);
            let outside = at[place] < values[0] || at[place] > values[values.len() - 1];
            if outside && values.len() < ENOUGH_VALUES {
                return Some(format!("{name} has only {} measured values", values.len()));
            }
        }
        // Where constants changed, only values past the last change count.
        for (variable, &here) in z.iter().enumerate() {
            for (constant, phi) in phi.iter().enumerate() {
                let cuts = cuts_of(self, constant, variable);
                if cuts.is_empty() || *phi == 0.0 {
                    continue;
                }
                let from = cuts.iter().copied().filter(|cut| here > *cut).fold(f64::NEG_INFINITY, f64::max);
                let to = cuts.iter().copied().filter(|cut| here <= *cut).fold(f64::INFINITY, f64::min);
                let all = !self.shape.cuts.is_empty();
                let values = distinct_between(&self.data, (!all).then_some(constant), variable, [from, to]);
                let outside =
                    values.first().is_none_or(|first| here < *first) || values.last().is_none_or(|last| here > *last);
                let unmeasured = outside && (here > from) && (to == f64::INFINITY || from == f64::NEG_INFINITY);
                if values.len() < ENOUGH_VALUES && (unmeasured || all && horizon > 1.0) {
                    return Some(format!(
                        "{} has only {} measured values past the break where {} continues",
                        self.data.terms.variables[variable].text(),
                        values.len(),
                        super::check::name(&self.settings, constant)
                    ));
                }
            }
        }
        None
    }

    /// Whether the target lies between the two measured values of a break.
    fn in_gap(&self, z: &[f64], phi: &[f64]) -> Option<Warning> {
        let cuts = self.shape.cuts.iter().map(|cut| (0, cut));
        let steps = self.shape.steps.iter().filter(|step| phi[step.constant] != 0.0);
        let (variable, cut) = cuts
            .chain(steps.map(|step| (step.variable, &step.cut)))
            .find(|(variable, cut)| z[*variable] > cut.below && z[*variable] < cut.above)?;
        let name = self.data.terms.variables[variable].text();
        Some(Warning::new(
            "in_gap",
            format!(
                "{name} = {} lies between {} and {}, around a break, where nothing was measured",
                z[variable], cut.below, cut.above
            ),
        ))
    }

    fn interval_at(
        &self,
        value: f64,
        (phi, z): (&[f64], &[f64]),
        distance: &IndexMap<String, f64>,
        level: f64,
    ) -> Option<Interval> {
        let (bootstrap, spread) = (self.bootstrap.as_ref()?, self.spread.as_ref()?);
        let around = spread.around(z, self.furthest(z, distance));
        let mut draws = Vec::with_capacity(RESIDUALS * bootstrap.coefficients.len());
        for (index, coefficients) in bootstrap.coefficients.iter().enumerate() {
            let center = match (&self.regimes, bootstrap.regimes.get(index)) {
                (Some(regimes), Some(redrawn)) => regimes.value_of(redrawn, phi, z[0]),
                _ => self.shape.value(coefficients, phi, z),
            };
            if center > 0.0 && center.is_finite() {
                let mut random = SplitMix::new(self.settings.seed, STREAM + index as u64);
                draws.extend((0..RESIDUALS).map(|_| center * around.draw(&mut random).exp()));
            }
        }
        let all = (RESIDUALS * bootstrap.coefficients.len()) as f64;
        if (draws.len() as f64) < (1.0 - MOST_WITHOUT) * all {
            return None;
        }
        let (low, high) = interval(&draws, value, level)?;
        Some(Interval { low, high })
    }

    /// The name that lies furthest beyond its range, and how far; along one variable, that of the variable if it is more.
    fn furthest(&self, z: &[f64], distances: &IndexMap<String, f64>) -> (usize, f64) {
        let names = distances.values().copied().enumerate();
        let (name, mut most) = names.fold((0, 1.0), |most, here| if here.1 > most.1 { here } else { most });
        if let [here] = z {
            let range = self.data.z[0].iter().fold([f64::INFINITY, 0.0f64], |[a, b], &z| [a.min(z), b.max(z)]);
            most = distance(*here, range[0], range[1]).max(most);
        }
        (name, most)
    }
}

/// How many times beyond the measured range; 1 within.
fn distance(x: f64, least: f64, most: f64) -> f64 {
    let ratio = match () {
        () if x > most => x / most,
        () if x < least => least / x,
        () => return 1.0,
    };
    // Across zero there is no ratio.
    if ratio.is_finite() && ratio > 1.0 { ratio } else { f64::MAX }
}

/// A readable factor: `1.03`, `8.8`, `31250`.
fn times(factor: f64) -> String {
    match factor {
        f if f < 2.0 => format!("{f:.2}"),
        f if f < 100.0 => format!("{}", (10.0 * f).round() / 10.0),
        f if f < 1e15 => format!("{f:.0}"),
        _ => "many".to_owned(),
    }
}
