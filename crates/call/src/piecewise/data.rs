//! Samples as numbers: configurations, the terms of the formula there, and one measured value for each.

use super::error::NoFit;
use super::runs::{self, RunSamples};
use super::samples::{Repeated, Samples, aggregate_runs};
use super::settings::{Settings, Weights};
use indexmap::IndexMap;
use runcast_formula::{Formula, Program};
use std::collections::HashMap;

/// Maximum number of configurations; more suggest that a name is not a parameter.
const MOST_CONFIGURATIONS: usize = 2_000_000;

/// Maximum number of constants of a formula, to bound memory.
const MOST_CONSTANTS: usize = 32;

/// Maximum number of expressions along which constants may change.
const MOST_VARIABLES: usize = 64;

/// An expression along which constants may change.
#[derive(Debug, Clone)]
pub(super) struct Variable {
    pub(super) formula: Formula,
    program: Program,
}

impl Variable {
    pub(super) fn text(&self) -> &str {
        self.formula.text()
    }
}

/// The arguments of formulas: the names in use, in a fixed order.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    /// Names in use.
    pub(super) names: Vec<String>,
    /// The index of each among the parameters of the samples.
    pub(super) places: Vec<usize>,
    /// The factor of each constant.
    factors: Vec<Program>,
    /// The texts of the factors.
    pub(super) texts: Vec<String>,
    /// Whether each factor is a number, independent of the configuration.
    pub(super) is_constant: Vec<bool>,
    /// Expressions along which constants may change.
    pub(super) variables: Vec<Variable>,
}

impl Terms {
    pub(super) fn factors_at(&self, at: &[f64]) -> Vec<f64> {
        self.factors.iter().map(|factor| factor.row(at)).collect()
    }

    pub(super) fn variables_at(&self, at: &[f64]) -> Vec<f64> {
        self.variables.iter().map(|variable| variable.program.row(at)).collect()
    }
}

/// The input of a search.
#[derive(Debug, Clone)]
pub(super) struct Data {
    pub(super) terms: Terms,
    /// The values of the names in use, a row for each configuration; rows in ascending order.
    pub(super) at: Vec<Vec<f64>>,
    /// The distinct values of each name in use, ascending.
    distinct: Vec<Vec<f64>>,
    /// The value of each factor, a row for each configuration.
    pub(super) phi: Vec<Vec<f64>>,
    /// The value of each variable, a column for each.
    pub(super) z: Vec<Vec<f64>>,
    /// One measured value for each configuration.
    pub(super) y: Vec<f64>,
    /// The samples behind it.
    pub(super) repetitions: Vec<Repeated>,
    /// The same, run by run.
    pub(super) runs: Vec<Vec<RunSamples>>,
    /// Excluded samples, by reason.
    pub(super) rejected: IndexMap<String, usize>,
    /// Parameters that vary but are not in use.
    pub(super) ignored: Vec<String>,
}

impl Data {
    /// Groups samples by the names in use and evaluates the formula.
    pub(super) fn new(samples: &Samples, settings: &Settings, segmentation: &[Formula]) -> Result<Data, NoFit> {
        let terms = terms_of(samples, settings, segmentation)?;
        let ignored = (0..samples.parameters.len())
            .filter(|place| !terms.places.contains(place) && varies(samples, *place))
            .map(|place| samples.parameters[place].clone())
            .collect();
        let mut data = Data {
            at: Vec::new(),
            distinct: Vec::new(),
            phi: Vec::new(),
            z: vec![Vec::new(); terms.variables.len()],
            y: Vec::new(),
            repetitions: Vec::new(),
            runs: Vec::new(),
            rejected: samples.rejected.clone(),
            ignored,
            terms,
        };
        let grouped = grouped(samples, &data.terms.places, &mut data.rejected);
        if grouped.len() > MOST_CONFIGURATIONS {
            let message = format!("{} configurations are more than {MOST_CONFIGURATIONS}", grouped.len());
            return Err(NoFit::Setting { message });
        }
        for repeated in grouped {
            data.take(repeated, settings);
        }
        if data.y.is_empty() {
            let rejected = data.rejected.iter().map(|(reason, count)| (reason.clone(), *count)).collect();
            return Err(NoFit::Nothing { rejected });
        }
        data.find_distinct();
        Ok(data)
    }

    /// Some of the configurations, in their order.
    pub(super) fn kept(&self, rows: &[usize]) -> Data {
        let mut kept = Data {
            terms: self.terms.clone(),
            at: rows.iter().map(|&row| self.at[row].clone()).collect(),
            distinct: Vec::new(),
            phi: rows.iter().map(|&row| self.phi[row].clone()).collect(),
            z: self.z.iter().map(|z| rows.iter().map(|&row| z[row]).collect()).collect(),
            y: rows.iter().map(|&row| self.y[row]).collect(),
            repetitions: Vec::new(),
            runs: Vec::new(),
            rejected: IndexMap::new(),
            ignored: Vec::new(),
        };
        kept.find_distinct();
        kept
    }

    fn find_distinct(&mut self) {
        for name in 0..self.terms.names.len() {
            let mut values: Vec<f64> = self.at.iter().map(|at| at[name]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            self.distinct.push(values);
        }
    }

    fn take(&mut self, repeated: Repeated, settings: &Settings) {
        let phi = self.terms.factors_at(&repeated.at);
        let z = self.terms.variables_at(&repeated.at);
        let runs = runs::of(&repeated, settings.aggregate);
        let mut values: Vec<f64> = runs.iter().map(|run| run.value).collect();
        let y = aggregate_runs(&mut values, settings.aggregate);
        let texts = self.terms.texts.iter().map(String::as_str);
        let variables = self.terms.variables.iter().map(Variable::text);
        let wrong = texts.zip(&phi).chain(variables.zip(&z)).find(|(_, value)| !value.is_finite());
        // Values too far apart for a quotient have no relative error either.
        let too_small = y <= 0.0 || phi.iter().any(|phi| !(phi / y).is_finite()) || !(1.0 / y).is_finite();
        let reason = match wrong {
            Some((text, _)) => format!("{text} is not finite"),
            None if !y.is_finite() => "the measured value is not finite".to_owned(),
            None if too_small && settings.weights != Weights::None => "the measured value is not above 0".to_owned(),
            None => {
                self.at.push(repeated.at.clone());
                self.phi.push(phi);
                for (column, z) in self.z.iter_mut().zip(z) {
                    column.push(z);
                }
                self.y.push(y);
                self.repetitions.push(repeated);
                self.runs.push(runs);
                return;
            }
        };
        *self.rejected.entry(reason).or_insert(0) += repeated.values.len();
    }

    /// Configurations.
    pub(super) fn len(&self) -> usize {
        self.y.len()
    }

    pub(super) fn constants(&self) -> usize {
        self.terms.factors.len()
    }

    /// What each residual is multiplied by, for these values.
    pub(super) fn weights(&self, y: &[f64], weights: Weights) -> Vec<f64> {
        let mean = y.iter().map(|y| y.abs()).sum::<f64>() / y.len() as f64;
        let mean = if mean > 0.0 { mean } else { 1.0 };
        match weights {
            Weights::Relative => y.iter().map(|y| 1.0 / y).collect(),
            Weights::None => vec![1.0 / mean; y.len()],
            Weights::Sqrt => y.iter().map(|y| 1.0 / (mean * y).sqrt()).collect(),
        }
    }

    /// The distinct values of a name in use, ascending.
    pub(super) fn values_of(&self, name: usize) -> &[f64] {
        &self.distinct[name]
    }
}

/// Whether a parameter has more than one value.
pub(super) fn varies(samples: &Samples, place: usize) -> bool {
    let mut values = samples.configurations.iter().map(|repeated| repeated.at[place]);
    let first = values.next();
    values.any(|value| Some(value) != first)
}

fn terms_of(samples: &Samples, settings: &Settings, segmentation: &[Formula]) -> Result<Terms, NoFit> {
    let (constants, variables) = (settings.template.factors().len(), segmentation.len());
    if constants > MOST_CONSTANTS || variables > MOST_VARIABLES {
        let message = format!(
            "{constants} constants and {variables} expressions to segment by: at most {MOST_CONSTANTS} and {MOST_VARIABLES}"
        );
        return Err(NoFit::Setting { message });
    }
    let mut wanted: Vec<&str> = settings.template.names().iter().map(String::as_str).collect();
    for formula in segmentation {
        wanted.extend(formula.names().iter().map(String::as_str));
    }
    if let Some(name) = wanted.iter().find(|name| !samples.parameters.iter().any(|known| known == **name)) {
        return Err(NoFit::UnknownName { name: (*name).to_owned(), known: samples.parameters.clone() });
    }
    let places: Vec<usize> =
        (0..samples.parameters.len()).filter(|&place| wanted.contains(&samples.parameters[place].as_str())).collect();
    let names: Vec<String> = places.iter().map(|&place| samples.parameters[place].clone()).collect();
    let inputs: Vec<&str> = names.iter().map(String::as_str).collect();
    let not_numbers = |error: runcast_formula::FormulaError| NoFit::Setting { message: error.to_string() };
    let mut factors = Vec::new();
    for factor in settings.template.factors() {
        factors.push(Program::new(factor, &inputs).map_err(not_numbers)?);
    }
    let mut variables = Vec::new();
    for formula in segmentation {
        let program = formula.compile(&inputs).map_err(not_numbers)?;
        if program.compares_texts() {
            return Err(NoFit::Setting { message: format!("{} compares texts", formula.text()) });
        }
        variables.push(Variable { formula: formula.clone(), program });
    }
    Ok(Terms {
        texts: settings.template.factors().iter().map(ToString::to_string).collect(),
        is_constant: settings.template.factors().iter().map(|factor| factor.names().is_empty()).collect(),
        names,
        places,
        factors,
        variables,
    })
}

/// One entry for each configuration of the names in use, in ascending order, independent of the order of the samples.
fn grouped(samples: &Samples, places: &[usize], rejected: &mut IndexMap<String, usize>) -> Vec<Repeated> {
    let mut index: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut grouped: Vec<Repeated> = Vec::new();
    // Samples that tell no run have numbers past those that do.
    let most = samples.configurations.iter().flat_map(|repeated| repeated.runs.iter().copied()).max();
    let mut own = most.map_or(0, |most| most.saturating_add(1));
    for repeated in &samples.configurations {
        // The sum turns a negative zero into zero.
        let at: Vec<f64> = places.iter().map(|&place| repeated.at[place] + 0.0).collect();
        let key = at.iter().map(|value| value.to_bits()).collect();
        let place = *index.entry(key).or_insert_with(|| {
            grouped.push(Repeated::new(at, Vec::new()));
            grouped.len() - 1
        });
        for (position, value) in repeated.values.iter().enumerate() {
            let visits = repeated.visits.get(position).copied().unwrap_or(1.0);
            if value.is_finite() && visits > 0.0 && visits.is_finite() {
                let run = repeated.runs.get(position).copied().unwrap_or_else(|| {
                    own = own.saturating_add(1);
                    own - 1
                });
                grouped[place].values.push(*value);
                grouped[place].visits.push(visits);
                grouped[place].runs.push(run);
            } else {
                *rejected.entry("the measured value is not finite".to_owned()).or_insert(0) += 1;
            }
        }
    }
    grouped.retain(|repeated| !repeated.values.is_empty());
    grouped.sort_by(|a, b| {
        let different = a.at.iter().zip(&b.at).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
        different.unwrap_or(std::cmp::Ordering::Equal)
    });
    grouped
}
