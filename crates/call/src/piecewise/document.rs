//! Models to document entries, and back.

use super::check;
use super::error::NoFit;
use super::model::{Piecewise, fit};
use super::regimes::Bend;
use super::samples::{Repeated, Samples};
use super::settings::{Method, Settings};
use super::spread::Spread;
use indexmap::IndexMap;
use runcast_core::model::{ModelEntry, Segment, Training, TrainingPoint};
use runcast_core::{Configuration, Metric, Problem, json};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The name of these models in documents.
pub const MODEL: &str = "piecewise";

/// The name of those whose constants change gradually.
pub const REGIMES: &str = "regimes";

/// Whether a model of a document is one of these.
pub fn is_of_llac(model: &str) -> bool {
    [MODEL, REGIMES].contains(&model)
}

/// The settings of a saved model.
#[derive(Serialize, Deserialize)]
struct Options {
    #[serde(flatten)]
    settings: Settings,
    /// Visits of every sample, where some are not 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    visits: Vec<Vec<f64>>,
    /// The run of every sample, where some are told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    runs: Vec<Vec<u32>>,
    /// Samples excluded by the reader, by reason.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    rejected: IndexMap<String, usize>,
    /// Every parameter of the samples, in order.
    parameters: Vec<String>,
}

impl Piecewise {
    /// The entry of the model in a document.
    pub fn entry(&self) -> ModelEntry {
        let samples = &self.samples;
        let metric = &samples.metric;
        ModelEntry {
            group: samples.group.clone(),
            metric: metric.name.clone(),
            unit: metric.unit.clone(),
            direction: metric.direction,
            model: self.model_name().to_owned(),
            formula: self.formula(),
            class: self.class(),
            terms: Vec::new(),
            coefficients: self.coefficients_by_name(),
            rank: (!self.checked.underdetermined).then_some(self.data.constants()),
            condition: self.condition.filter(|condition| condition.is_finite()),
            scaling: self.scaling().to_owned(),
            points: self.data.len(),
            repetitions: self.data.repetitions.iter().map(|repeated| repeated.values.len()).sum(),
            range: self.ranges(),
            aggregate: self.settings.aggregate.name().to_owned(),
            dropped: Vec::new(),
            members: Vec::new(),
            segments: self.segments(),
            warnings: self.warnings.clone(),
            quality: self.quality.clone(),
            training: Some(self.training()),
            extra: self.extra(),
        }
    }

    /// A saved model, refitted to the runs in the document, which reproduces the same numbers.
    ///
    /// # Errors
    /// A [`Problem`] when the entry is of another model, holds no runs or contradicts itself.
    pub fn reload(entry: &ModelEntry) -> Result<Piecewise, Problem> {
        let bad = |message: String| Problem::new("bad_model", message);
        if !is_of_llac(&entry.model) {
            return Err(bad(format!("\"{}\" is not the model {MODEL} or {REGIMES}", entry.model)));
        }
        let training =
            entry.training.as_ref().ok_or_else(|| bad("the model holds no runs (field training)".to_owned()))?;
        let options: Options = serde_json::from_value(training.options.clone())
            .map_err(|error| bad(format!("training.options: {error}")))?;
        let mut configurations = Vec::with_capacity(training.points.len());
        for (index, point) in training.points.iter().enumerate() {
            let at: Option<Vec<f64>> = options.parameters.iter().map(|name| point.at.get(name)).collect();
            let at = at.ok_or_else(|| bad(format!("the run at {} lacks a parameter", point.at)))?;
            let mut repeated = Repeated::new(at, point.values.clone());
            if !options.visits.is_empty() {
                let visits = options.visits.get(index).filter(|visits| visits.len() == point.values.len());
                repeated.visits = visits
                    .ok_or_else(|| bad(format!("the run at {} lacks its visits (training.options.visits)", point.at)))?
                    .clone();
            }
            if !options.runs.is_empty() {
                let runs = options.runs.get(index).filter(|runs| runs.is_empty() || runs.len() == point.values.len());
                repeated.runs = runs
                    .ok_or_else(|| bad(format!("the run at {} lacks its numbers (training.options.runs)", point.at)))?
                    .clone();
            }
            configurations.push(repeated);
        }
        let samples = Samples {
            group: entry.group.clone(),
            metric: Metric::new(entry.metric.clone(), entry.unit.clone(), entry.direction),
            parameters: options.parameters,
            process_parameter: training.process_parameter.clone(),
            configurations,
            rejected: options.rejected,
        };
        fit(&samples, &options.settings).map_err(|reason: NoFit| bad(reason.to_string()))
    }

    /// A short description of its shape.
    fn class(&self) -> String {
        let breaks = self.breaks.len();
        match self.method() {
            Method::Segments if breaks > 0 => format!("{} pieces over {}", breaks + 1, self.breaks[0].variable),
            Method::Steps if breaks == 1 => "1 step".to_owned(),
            Method::Steps if breaks > 1 => format!("{breaks} steps"),
            Method::Regimes => {
                let shapes = self.regimes.as_ref().map_or(0, |regimes| regimes.smooth.bends.len());
                format!("{shapes} {} over {}", if shapes == 1 { "bend" } else { "bends" }, self.variable())
            }
            Method::Single | Method::Segments | Method::Steps => "1 piece".to_owned(),
        }
    }

    fn variable(&self) -> &str {
        self.data.terms.variables.first().map_or("", |variable| variable.text())
    }

    /// The name of the model in documents.
    pub fn model_name(&self) -> &'static str {
        if self.regimes.is_some() { REGIMES } else { MODEL }
    }

    /// The version of the shape of its document.
    pub fn document_version(&self) -> u32 {
        if self.regimes.is_some() { 2 } else { 1 }
    }

    /// The constants, if they hold everywhere.
    fn coefficients_by_name(&self) -> IndexMap<String, f64> {
        if !self.breaks.is_empty() || self.regimes.is_some() {
            return IndexMap::new();
        }
        self.constants.iter().map(|constant| (constant.name.clone(), constant.pieces[0].value)).collect()
    }

    fn segments(&self) -> Vec<Segment> {
        if self.shape.cuts.is_empty() || self.regimes.is_some() {
            return Vec::new();
        }
        let z = &self.data.z[0];
        let least = z.iter().copied().fold(f64::INFINITY, f64::min);
        let most = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ends: Vec<f64> = self.shape.cuts.iter().map(|cut| cut.at).collect();
        (0..self.shape.pieces())
            .map(|piece| {
                let coefficients: IndexMap<String, f64> = self
                    .constants
                    .iter()
                    .map(|constant| (constant.name.clone(), constant.pieces[piece].value))
                    .collect();
                let values: Vec<f64> = coefficients.values().copied().collect();
                Segment {
                    from: if piece == 0 { least } else { ends[piece - 1] },
                    to: ends.get(piece).copied().unwrap_or(most),
                    formula: self.settings.template.with_values(&values).to_string(),
                    class: self.settings.template.to_string(),
                    terms: Vec::new(),
                    coefficients,
                }
            })
            .collect()
    }

    /// The scaling of the runs.
    fn scaling(&self) -> &'static str {
        let names = &self.data.terms.names;
        let process = self.samples.process_parameter.as_ref();
        let process = process.and_then(|process| names.iter().position(|name| name == process));
        let varies = |place: usize| self.data.values_of(place).len() > 1;
        let sizes = (0..names.len()).filter(|&place| Some(place) != process && varies(place)).count();
        match process.filter(|&place| varies(place)) {
            None => "wide",
            Some(_) if names.len() == 1 => "single",
            Some(_) if sizes == 0 => "strong",
            Some(place) if self.data.values_of(place).len() == self.data.len() => "weak",
            Some(_) => "grid",
        }
    }

    fn ranges(&self) -> IndexMap<String, [f64; 2]> {
        let names = self.samples.parameters.iter().enumerate();
        names
            .map(|(place, name)| {
                let values = self.samples.configurations.iter().map(|repeated| repeated.at[place]);
                let range = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
                (name.clone(), range)
            })
            .collect()
    }

    fn training(&self) -> Training {
        let samples = &self.samples;
        let all_one = samples.configurations.iter().all(|repeated| repeated.visits.iter().all(|visits| *visits == 1.0));
        let visits = if all_one {
            Vec::new()
        } else {
            samples.configurations.iter().map(|repeated| repeated.visits.clone()).collect()
        };
        let told = samples.configurations.iter().any(|repeated| !repeated.runs.is_empty());
        let runs = samples.configurations.iter().filter(|_| told).map(|repeated| repeated.runs.clone()).collect();
        let options = Options {
            runs,
            settings: self.settings.clone(),
            visits,
            rejected: samples.rejected.clone(),
            parameters: samples.parameters.clone(),
        };
        let points = samples.configurations.iter().map(|repeated| TrainingPoint {
            at: Configuration::from_pairs(&samples.parameters, &repeated.at),
            values: repeated.values.clone(),
        });
        Training {
            process_parameter: samples.process_parameter.clone(),
            points: points.collect(),
            options: serde_json::to_value(&options).unwrap_or_default(),
        }
    }

    fn extra(&self) -> IndexMap<String, Value> {
        let value = |value: Option<f64>| value.map_or(Value::Null, json::number);
        let spread = self.spread.as_ref();
        let mut extra = IndexMap::from([
            ("template".to_owned(), json!(self.settings.template.to_string())),
            ("method".to_owned(), json!(self.method().name())),
            ("rejected".to_owned(), json!(self.data.rejected)),
            ("bic".to_owned(), value(Some(self.bic()))),
            ("stability".to_owned(), value(self.stability())),
            ("level".to_owned(), value(Some(self.settings.level))),
            ("seed".to_owned(), json!(self.settings.seed)),
            ("breaks".to_owned(), json!(self.breaks)),
            ("constants".to_owned(), json!(self.constants)),
            ("family".to_owned(), json!(self.family())),
            ("choice".to_owned(), json!(self.choice)),
            ("runs".to_owned(), json!(self.runs())),
            ("run_spread_pct".to_owned(), value(spread.map(|spread| 100.0 * spread.runs.tau))),
            ("misfit_pct".to_owned(), value(spread.map(Spread::misfit_pct))),
            ("distance_per_e".to_owned(), value(spread.map(Spread::distance_per_e))),
            ("shapes".to_owned(), Value::Array(self.shapes())),
        ]);
        if let Some(regimes) = &self.regimes {
            let knots = regimes.unit.z.iter().zip(&regimes.unit.ln_u);
            let table: Vec<Value> =
                knots.map(|(z, ln)| json!({ "z": json::number(*z), "cost": json::number(ln.exp()) })).collect();
            let smooth = &regimes.smooth.coefficients[..self.data.constants()];
            let base = smooth.iter().enumerate().map(|(k, c)| (check::name(&self.settings, k), json::number(*c)));
            extra.insert("smooth".to_owned(), Value::Object(base.collect()));
            let unit = &self.data.terms.texts[regimes.unit.term];
            let costs = json!({ "variable": self.variable(), "of": unit, "knots": table });
            extra.insert("unit_costs".to_owned(), costs);
        }
        extra
    }

    /// The bends of regimes, in the order in which they were chosen.
    fn shapes(&self) -> Vec<Value> {
        let Some(regimes) = &self.regimes else { return Vec::new() };
        let values = &regimes.smooth.coefficients[self.data.constants()..];
        let shape = |(bend, value): (&Bend, &f64)| {
            json!({
                "term": check::name(&self.settings, bend.term),
                "shape": bend.shape(),
                "C": json::number(bend.at),
                "w": bend.power(),
                "value": json::number(*value),
            })
        };
        regimes.smooth.bends.iter().zip(values).map(shape).collect()
    }
}
