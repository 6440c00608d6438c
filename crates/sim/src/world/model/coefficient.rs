//! Coefficients `c.NAME` of models, and files that override them.

use super::file::{coefficient_at, quantities, read_rule};
use super::uncertainty::MOST_NAMES;
use super::{Location, Model, Operand, Rule, Scale, Uncertainty};
use indexmap::IndexMap;
use runcast_core::toml::{Reader, Source, Table, document, out_of_range};
use runcast_core::{Problem, Problems};
use runcast_formula::nearest;
use runcast_formula::units::Powers;

/// A coefficient: a number in SI base units, with an interval where it was fitted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Coefficient {
    pub value: f64,
    /// Least plausible value.
    pub low: Option<f64>,
    /// Greatest plausible value.
    pub high: Option<f64>,
    /// Its unit: times and rates follow when hardware is exchanged.
    pub unit: Powers,
    /// Kind and id of the catalogue entry that it was measured on; none: that of the system file.
    pub on: Option<(String, String)>,
    /// What it depends on; none: what is usual for its unit.
    pub scales: Option<Scale>,
    pub location: Location,
}

impl Coefficient {
    /// With what is known of one that it replaces and it leaves open: its unit and what it depends on.
    fn after(&self, before: Option<&Coefficient>) -> Coefficient {
        let Some(before) = before.filter(|_| self.unit == Powers::default()) else { return self.clone() };
        Coefficient {
            unit: before.unit,
            on: self.on.clone().or_else(|| before.on.clone()),
            scales: self.scales.or(before.scales),
            location: before.location.clone(),
            ..self.clone()
        }
    }
}

impl From<f64> for Coefficient {
    fn from(value: f64) -> Self {
        Coefficient { value, ..Coefficient::default() }
    }
}

/// Coefficients by model, as `runcast sim calibrate` writes them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CoefficientFile {
    /// By model, then by name.
    pub models: IndexMap<String, IndexMap<String, Coefficient>>,
    /// Laws that were chosen, by model: they take the place of its rules about the same, for blocks of the same type.
    pub rules: IndexMap<String, Vec<Rule>>,
    /// Sizes of noise, by name ([`crate::noise::NoiseSpec::set`]).
    pub noise: IndexMap<String, Coefficient>,
    /// What the calibration that found them does not know.
    pub uncertainty: Option<Uncertainty>,
}

/// The largest file that is read, in bytes.
const LARGEST: usize = 1 << 20;

impl CoefficientFile {
    /// Reads `[model.NAME.coeff]` sections, and `[noise]`. `[origin]` records where they come from, and may hold anything.
    ///
    /// # Errors
    /// All its errors.
    pub fn read(text: &str, name: &str) -> Result<Self, Problems> {
        let source = Source { name, text };
        let document = document(source, LARGEST)?;
        let mut reader = Reader::new(source);
        let top = reader.top(&document);
        reader.allow(&top, &["format", "model", "noise", "uncertainty", "origin"], "a file of coefficients");
        let mut file = CoefficientFile::default();
        if let Some(models) = reader.table_at(&top, "model") {
            for (name, node) in models.named() {
                let Some(model) = reader.table(node, models.at(name), "a table of a model") else { continue };
                reader.allow(&model, &["coeff", "rule"], "a model in a file of coefficients");
                let tables = reader.tables(&model, "rule");
                let rules: Vec<Rule> = tables.iter().filter_map(|rule| read_rule(&mut reader, rule)).collect();
                if !rules.is_empty() {
                    file.rules.insert(name.to_owned(), rules);
                }
                let coefficients = quantities(&mut reader, &model, "coeff", coefficient_at);
                file.models.insert(name.to_owned(), coefficients.into_iter().collect());
            }
        }
        file.noise = quantities(&mut reader, &top, "noise", coefficient_at).into_iter().collect();
        if let Some(table) = reader.table_at(&top, "uncertainty") {
            file.uncertainty = uncertainty(&mut reader, &table);
        }
        reader.take_problems().map_or(Ok(file), Err)
    }

    /// Overrides the coefficients of a system's models, and the rules that laws replace.
    ///
    /// # Errors
    /// A model that the system does not have; a rule that names a coefficient which its model does not have.
    pub fn lay_over(&self, models: &mut [Model]) -> Result<(), Problem> {
        for name in self.models.keys().chain(self.rules.keys()) {
            if !models.iter().any(|model| model.name == *name) {
                let problem =
                    Problem::new("unknown_model", format!("the system has no model {name}")).value(name.as_str());
                let known: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
                let mut problem = problem.allowed(known.join(", "));
                problem.hint = nearest(name, known).map(|near| format!("did you mean {near}?"));
                return Err(problem);
            }
        }
        for (name, coefficients) in &self.models {
            for (key, coefficient) in coefficients {
                set(models, name, key, coefficient);
            }
        }
        for (name, rules) in &self.rules {
            for rule in rules {
                replace(models, name, rule)?;
            }
        }
        Ok(())
    }
}

/// What a calibration does not know.
fn uncertainty(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Uncertainty> {
    reader.allow(table, &["names", "signed", "covariance", "degrees", "misfit", "spread"], "what is uncertain");
    let before = reader.problem_count();
    let mut texts = |key: &str| -> Option<Vec<String>> {
        let Some(node) = table.get(key) else { return Some(Vec::new()) };
        let all = reader.list(node, &table.at(key), "a list of names")?;
        all.into_iter().map(|node| reader.text_at(node, &table.at(key), "a name").map(|(text, _)| text)).collect()
    };
    let (names, signed) = (texts("names")?, texts("signed")?);
    let mut covariance = Vec::new();
    if let Some(node) = table.get("covariance") {
        let at = table.at("covariance");
        for row in reader.list(node, &at, "a list of rows of numbers")? {
            covariance.push(reader.numbers(row, &at, "a row of numbers")?);
        }
        let is_square = covariance.len() == names.len() && covariance.iter().all(|row| row.len() == names.len());
        let is_sound = covariance.iter().enumerate().all(|(row, parts)| {
            parts[row.min(parts.len().saturating_sub(1))] >= 0.0 && parts.iter().all(|part| part.is_finite())
        });
        if !is_square || !is_sound || names.len() > MOST_NAMES {
            let message = format!("{} rows for {} names", covariance.len(), names.len());
            let problem = Problem::new("bad_covariance", "this is no covariance of the names").value(message);
            let allowed = "a row of finite numbers for each name, at most 100, with 0 or more in the diagonal";
            reader.wrong(&reader.place(node, &at), problem.allowed(allowed));
        }
    } else if !names.is_empty() {
        reader.missing(table, "covariance", "a row of numbers for each name");
    }
    let degrees = reader.whole(table, "degrees", 1, 1_000_000_000).unwrap_or(1);
    let mut number = |key: &str| match reader.number(table, key, "a number from 0") {
        Some((number, place)) if !(0.0..=100.0).contains(&number) => {
            reader.wrong(&place, out_of_range(key, &number.to_string(), "0 to 100"));
            0.0
        }
        given => given.map_or(0.0, |(number, _)| number),
    };
    let (misfit, spread) = (number("misfit"), number("spread"));
    (reader.problem_count() == before).then_some(Uncertainty { names, signed, covariance, degrees, misfit, spread })
}

/// Puts a rule in place of those that are alike, in a model and in those that inherit them.
fn replace(models: &mut [Model], name: &str, rule: &Rule) -> Result<(), Problem> {
    let alike = |model: &Model| model.rules.iter().filter(|known| known.is_alike(rule)).cloned().collect::<Vec<_>>();
    let before = models.iter().find(|model| model.name == name).map(alike).unwrap_or_default();
    let mut changed = vec![name.to_owned()];
    let mut next = 0;
    while let Some(parent) = changed.get(next).cloned() {
        next += 1;
        for model in models.iter_mut() {
            let inherits = model.extends.as_deref() == Some(&*parent) && alike(model) == before;
            if inherits && !changed.contains(&model.name) {
                changed.push(model.name.clone());
            }
        }
    }
    for model in models.iter_mut().filter(|model| changed.contains(&model.name)) {
        model.rules.retain(|known| !known.is_alike(rule));
        model.add(rule.clone());
        for used in rule.value.iter().flat_map(|value| &value.names) {
            let Operand::Coefficient(key) = &used.operand else { continue };
            if !model.coefficients.contains_key(key) {
                let message = format!("the model {} has no coefficient {key}", model.name);
                let problem = Problem::new("unknown_name", message).value(used.name.as_str());
                let hint = format!("give it a value: [model.{name}.coeff] {key} = ..");
                return Err(used.location.locate(problem.hint(hint)));
            }
        }
    }
    Ok(())
}

/// Sets a coefficient of a model, and of those that inherit it.
pub(crate) fn set(models: &mut [Model], name: &str, key: &str, coefficient: &Coefficient) {
    let own = |model: &Model| model.coefficients.get(key).cloned();
    let before = models.iter().find(|model| model.name == name).and_then(own);
    let mut changed = vec![name.to_owned()];
    let mut next = 0;
    while let Some(parent) = changed.get(next).cloned() {
        next += 1;
        for model in models.iter_mut() {
            let inherits = model.extends.as_deref() == Some(&*parent) && own(model) == before;
            if model.name == parent || (inherits && !changed.contains(&model.name)) {
                let coefficient = coefficient.after(model.coefficients.get(key));
                model.coefficients.insert(key.to_owned(), coefficient);
                if !changed.contains(&model.name) {
                    changed.push(model.name.clone());
                }
            }
        }
    }
}
