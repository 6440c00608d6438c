//! A fitted model, from samples to pieces, constants and their intervals.

use super::bootstrap::{self, Bootstrap, Origin};
use super::check::{self, Checked};
use super::choice::{self, Choice};
use super::data::Data;
use super::error::NoFit;
use super::family::{Family, Search};
use super::parts::{Break, Constant, Piece, Where};
use super::regimes::{self, FEWEST, Regimes};
use super::resample::Residuals;
use super::runs::{self, Strata};
use super::samples::{Repeated, Samples};
use super::settings::{Method, Settings};
use super::shape::{self, Rules, Shape};
use super::spread::Spread;
use super::{variables, written};
use indexmap::IndexMap;
use runcast_core::model::Quality;
use runcast_core::{Configuration, Warning, accuracy, statistics};
use runcast_formula::{Expr, Formula};
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

/// A formula with its constants, piece by piece.
#[derive(Debug, Clone)]
pub struct Piecewise {
    pub(super) samples: Samples,
    pub(super) settings: Settings,
    pub(super) data: Data,
    pub(super) shape: Shape,
    pub(super) coefficients: Vec<f64>,
    pub(super) regimes: Option<Regimes>,
    pub(super) choice: Option<Choice>,
    pub(super) checked: Checked,
    pub(super) condition: Option<f64>,
    pub(super) bootstrap: Option<Bootstrap>,
    pub(super) spread: Option<Spread>,
    pub(super) formula: Expr,
    pub(super) breaks: Vec<Break>,
    pub(super) constants: Vec<Constant>,
    pub(super) warnings: Vec<Warning>,
    pub(super) quality: Quality,
}

/// Finds the constants of a formula, and where they change.
///
/// # Errors
/// [`NoFit`] gives the reason and a remedy.
pub fn fit(samples: &Samples, settings: &Settings) -> Result<Piecewise, NoFit> {
    fit_with(samples, settings, &AtomicBool::new(false))
}

/// The same, ended early with [`NoFit::Interrupted`] when `stop` is raised.
///
/// # Errors
/// [`NoFit`] gives the reason and a remedy.
pub fn fit_with(samples: &Samples, settings: &Settings, stop: &AtomicBool) -> Result<Piecewise, NoFit> {
    fit_deep(samples, settings, true, stop)
}

/// The same, perhaps without intervals of breaks: with ranges of predictions alone.
pub(super) fn fit_deep(
    samples: &Samples,
    settings: &Settings,
    for_breaks: bool,
    stop: &AtomicBool,
) -> Result<Piecewise, NoFit> {
    if !(settings.level > 0.0 && settings.level < 1.0) {
        return Err(NoFit::Setting { message: format!("the level is {}, not between 0 and 1", settings.level) });
    }
    let samples = clean(samples);
    let (mut method, segmentation) = variables::choose(&samples, settings)?;
    let data = Data::new(&samples, settings, &segmentation)?;
    let rules = Rules {
        bounded: shape::bounded(&data, settings.signs),
        weights: settings.weights,
        step_must_gain: shape::step_must_gain(settings, data.terms.variables.len()),
    };
    let checked = check::check(&data, settings, &rules)?;
    if checked.underdetermined {
        method = Method::Single;
    }
    let search = Search { settings, rules: &rules, method, stop };
    let shape = search.pieces(&data, &data.y, method)?;
    let coefficients = shape::estimate(&data, &data.y, &shape, &rules);
    let (family, choice) = family(&data, &search)?;
    let regimes = match family {
        Family::Regimes => Regimes::search(&data, settings, FEWEST),
        Family::Pieces => None,
    };
    let fitted: Vec<f64> = (0..data.len())
        .map(|row| match &regimes {
            // The table of unit costs meets what was measured: the smooth form tells how far off it is.
            Some(regimes) => regimes.smooth.value(&data.phi[row], data.z[0][row]),
            None => shape.value(&coefficients, &data.phi[row], &data.z_of(row)),
        })
        .collect();
    let (piece, pieces, parameters): (Vec<usize>, usize, f64) = match &regimes {
        Some(regimes) => (vec![0; data.len()], 1, regimes.smooth.coefficients.len() as f64),
        None => {
            let piece = (0..data.len()).map(|row| shape.piece(&data.z_of(row))).collect();
            (piece, shape.pieces(), coefficients.len() as f64 / shape.pieces() as f64)
        }
    };
    let residuals = Residuals::new(&data.y, &fitted, &piece, pieces, parameters);
    let strata = Strata::new(&data);
    let origin =
        Origin { data: &data, search: &search, strata: &strata, fitted: &fitted, piece: &piece, residuals: &residuals };
    let has_ranges = settings.bootstrap && !checked.underdetermined;
    let (bootstrap, spread) = if has_ranges {
        let bootstrap = bootstrap::run(&origin, &shape, regimes.as_ref(), for_breaks)?;
        let in_sample = || residuals.logarithms();
        (Some(bootstrap), Some(Spread::new(&data, &search, family, in_sample)?))
    } else {
        (None, None)
    };
    let condition = checked.condition.map(|whole| match shape.method {
        Method::Segments => check::condition_of_pieces(&data, &shape, &rules),
        Method::Single | Method::Steps | Method::Regimes => whole,
    });
    let formula = match &regimes {
        Some(regimes) => written::smooth(settings, &data.terms, &regimes.smooth),
        None => Some(written::formula(settings, &data.terms, &shape, &coefficients)),
    };
    let too_long =
        || NoFit::Setting { message: "written out, the formula is too long or nested too deeply".to_owned() };
    let formula = formula.filter(|formula| Formula::parse(&formula.to_string()).is_ok()).ok_or_else(too_long)?;
    let quality = quality(&data, &samples, &fitted);
    let mut model = Piecewise {
        settings: settings.clone(),
        shape,
        coefficients,
        regimes,
        choice,
        checked,
        condition,
        bootstrap,
        spread,
        formula,
        breaks: Vec::new(),
        constants: Vec::new(),
        warnings: Vec::new(),
        quality,
        samples,
        data,
    };
    model.breaks = breaks(&model);
    model.constants = constants(&model);
    model.warnings = warnings(&model);
    Ok(model)
}

/// Pieces or regimes: as asked for, or the better.
fn family(data: &Data, search: &Search<'_>) -> Result<(Family, Option<Choice>), NoFit> {
    let settings = search.settings;
    let reason = || regimes::objection(data, settings, FEWEST);
    match settings.method {
        Some(Method::Regimes) => match reason() {
            Some(message) => Err(NoFit::Setting { message: format!("there are no regimes: {message}") }),
            None => Ok((Family::Regimes, None)),
        },
        None if settings.considers_regimes && search.method == Method::Segments => match reason() {
            Some(reason) => Ok((Family::Pieces, Some(Choice::without(reason)))),
            None => choice::choose(data, search).map(|(family, choice)| (family, Some(choice))),
        },
        None | Some(_) => Ok((Family::Pieces, None)),
    }
}

impl Piecewise {
    pub fn breaks(&self) -> &[Break] {
        &self.breaks
    }

    pub fn constants(&self) -> &[Constant] {
        &self.constants
    }

    /// What it was fitted to; samples without a finite value are excluded and counted.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// The requested settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How constants and where they change were searched for.
    pub fn method(&self) -> Method {
        if self.regimes.is_some() { Method::Regimes } else { self.shape.method }
    }

    pub fn family(&self) -> Family {
        if self.regimes.is_some() { Family::Regimes } else { Family::Pieces }
    }

    /// How the family was chosen; none if it was asked for, or there is only one.
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// Distinct runs that it was fitted to.
    pub fn runs(&self) -> usize {
        runs::count(&self.data)
    }

    /// Number of pieces along one variable; 1 for the methods single and steps.
    pub fn pieces(&self) -> usize {
        self.shape.pieces()
    }

    /// The expressions along which constants were allowed to change.
    pub fn variables(&self) -> impl Iterator<Item = &Formula> {
        self.data.terms.variables.iter().map(|variable| &variable.formula)
    }

    /// The names that the model uses, in the order of the samples' parameters.
    pub fn names(&self) -> &[String] {
        &self.data.terms.names
    }

    /// The model in the formula language.
    pub fn formula(&self) -> String {
        self.formula.to_string()
    }

    /// How well it fits.
    pub fn quality(&self) -> &Quality {
        &self.quality
    }

    /// Warnings about the model as a whole.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Excluded samples, by reason.
    pub fn rejected(&self) -> &IndexMap<String, usize> {
        &self.data.rejected
    }

    /// The criterion that chose the pieces or the shapes; the smaller, the better.
    pub fn bic(&self) -> f64 {
        self.regimes.as_ref().map_or(self.shape.bic, |regimes| regimes.smooth.bic)
    }

    /// Share of the resamples that have as many breaks; none without a bootstrap or without breaks to search for.
    pub fn stability(&self) -> Option<f64> {
        self.bootstrap.as_ref().and_then(|bootstrap| bootstrap.stability)
    }

    /// Condition of the design, columns scaled to 1: the largest of all pieces.
    pub fn condition(&self) -> Option<f64> {
        self.condition
    }

    /// The configurations that were fitted, with the one measured value of each and the fitted one: of regimes, that of
    /// the smooth form, since the table of unit costs meets what was measured.
    pub fn points(&self) -> impl Iterator<Item = (Configuration, f64, f64)> + '_ {
        (0..self.data.len()).map(|row| {
            let at = Configuration::from_pairs(&self.data.terms.names, &self.data.at[row]);
            let fitted = match &self.regimes {
                Some(regimes) => regimes.smooth.value(&self.data.phi[row], self.data.z[0][row]),
                None => self.value(&self.data.at[row]),
            };
            (at, self.data.y[row], fitted)
        })
    }

    /// The bare value of the model, without any check; `at` in the order of [`names`](Self::names).
    pub fn value(&self, at: &[f64]) -> f64 {
        let terms = &self.data.terms;
        self.value_of(&terms.factors_at(at), &terms.variables_at(at))
    }

    pub(super) fn value_of(&self, phi: &[f64], z: &[f64]) -> f64 {
        match &self.regimes {
            Some(regimes) => regimes.value(phi, z[0]),
            None => self.shape.value(&self.coefficients, phi, z),
        }
    }
}

impl Data {
    /// The value of every variable at a configuration.
    pub(super) fn z_of(&self, row: usize) -> Vec<f64> {
        self.z.iter().map(|z| z[row]).collect()
    }
}

/// Samples that can be written into a document and read back: all numbers are finite, the dropped ones counted.
fn clean(samples: &Samples) -> Samples {
    let mut clean =
        Samples { configurations: Vec::with_capacity(samples.configurations.len()), ..samples.clone_head() };
    for repeated in &samples.configurations {
        let whole = repeated.at.len() == samples.parameters.len() && repeated.at.iter().all(|value| value.is_finite());
        if !whole {
            *clean.rejected.entry("a parameter is not finite".to_owned()).or_insert(0) += repeated.values.len();
            continue;
        }
        let mut kept = Repeated::new(repeated.at.clone(), Vec::new());
        for (index, value) in repeated.values.iter().enumerate() {
            let visits = repeated.visits.get(index).copied().unwrap_or(1.0);
            if value.is_finite() && visits.is_finite() && visits > 0.0 {
                kept.values.push(*value);
                kept.visits.push(visits);
                kept.runs.extend(repeated.runs.get(index));
            } else {
                *clean.rejected.entry("the measured value is not finite".to_owned()).or_insert(0) += 1;
            }
        }
        if !kept.values.is_empty() {
            clean.configurations.push(kept);
        }
    }
    clean
}

impl Samples {
    /// All but the configurations.
    fn clone_head(&self) -> Samples {
        Samples {
            group: self.group.clone(),
            metric: self.metric.clone(),
            parameters: self.parameters.clone(),
            process_parameter: self.process_parameter.clone(),
            configurations: Vec::new(),
            rejected: self.rejected.clone(),
        }
    }
}

fn breaks(model: &Piecewise) -> Vec<Break> {
    let cuts = model.shape.cuts.iter().map(|cut| (0, None, cut));
    let steps = model.shape.steps.iter().map(|step| (step.variable, Some(step.constant), &step.cut));
    cuts.chain(steps)
        .enumerate()
        .map(|(index, (variable, constant, cut))| {
            let bounds = model.bootstrap.as_ref().and_then(|bootstrap| bootstrap.breaks[index]);
            Break {
                variable: model.data.terms.variables[variable].text().to_owned(),
                constant: constant.map(|constant| check::name(&model.settings, constant)),
                at: cut.at,
                low: bounds.map(|(low, _)| low),
                high: bounds.map(|(_, high)| high),
                below: cut.below,
                above: cut.above,
            }
        })
        .collect()
}

fn constants(model: &Piecewise) -> Vec<Constant> {
    (0..model.data.constants())
        .map(|constant| Constant {
            name: check::name(&model.settings, constant),
            pieces: cells(model, constant).iter().map(|cell| piece(model, constant, cell)).collect(),
        })
        .collect()
}

/// For each variable that affects a constant, a range between two of its cuts.
type Cell = Vec<(usize, Option<f64>, Option<f64>)>;

/// Every combination of ranges, the first variable slowest.
fn cells(model: &Piecewise, constant: usize) -> Vec<Cell> {
    let mut cells: Vec<Cell> = vec![Vec::new()];
    for variable in 0..model.data.terms.variables.len() {
        let cuts = cuts_of(model, constant, variable);
        if cuts.is_empty() {
            continue;
        }
        let mut longer = Vec::new();
        for cell in &cells {
            for index in 0..=cuts.len() {
                let from = index.checked_sub(1).map(|index| cuts[index]);
                let mut cell = cell.clone();
                cell.push((variable, from, cuts.get(index).copied()));
                longer.push(cell);
            }
        }
        cells = longer;
    }
    cells
}

/// Where a constant changes along a variable, ascending.
pub(super) fn cuts_of(model: &Piecewise, constant: usize, variable: usize) -> Vec<f64> {
    let of_all = model.shape.cuts.iter().filter(|_| variable == 0).map(|cut| cut.at);
    let own = model.shape.steps.iter().filter(|step| step.constant == constant && step.variable == variable);
    of_all.chain(own.map(|step| step.cut.at)).collect()
}

fn piece(model: &Piecewise, constant: usize, cell: &Cell) -> Piece {
    let variables = &model.data.terms.variables;
    // A value inside every range represents it: the upper end, or anything past the last cut.
    let mut z = vec![f64::NEG_INFINITY; variables.len()];
    for (variable, _, to) in cell {
        z[*variable] = to.unwrap_or(f64::INFINITY);
    }
    let k = model.data.constants();
    let of = |coefficients: &[f64]| model.shape.constants(coefficients, k, &z)[constant];
    let value = of(&model.coefficients);
    let draws: Vec<f64> =
        model.bootstrap.iter().flat_map(|bootstrap| &bootstrap.coefficients).map(|draw| of(draw)).collect();
    let bounds = bootstrap::interval(&draws, value, model.settings.level);
    let inside = |row: usize| {
        cell.iter().all(|(variable, from, to)| {
            let z = model.data.z[*variable][row];
            from.is_none_or(|from| z > from) && to.is_none_or(|to| z <= to)
        })
    };
    Piece {
        holds: cell
            .iter()
            .map(|(variable, from, to)| Where {
                variable: variables[*variable].text().to_owned(),
                from: *from,
                to: *to,
            })
            .collect(),
        value,
        low: bounds.map(|(low, _)| low),
        high: bounds.map(|(_, high)| high),
        points: (0..model.data.len()).filter(|&row| inside(row) && model.data.phi[row][constant] != 0.0).count(),
        negative: value < 0.0 && !model.data.terms.is_constant[constant],
    }
}

fn warnings(model: &Piecewise) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn = |code: &str, message: String| warnings.push(Warning::new(code, message));
    if model.checked.underdetermined {
        warn(
            "underdetermined",
            format!(
                "{} configurations for {} constants: only the signs make the solution unique, and there are no intervals; measure more",
                model.data.len(),
                model.data.constants()
            ),
        );
    }
    if let Some(condition) = model.condition
        && condition > check::ILL
    {
        warn(
            "ill_conditioned",
            format!(
                "the terms look alike in these configurations (condition {condition:.0}): single constants are uncertain, predictions less so"
            ),
        );
    }
    let negative: Vec<&str> = model
        .constants
        .iter()
        .filter(|constant| constant.pieces.iter().any(|piece| piece.negative))
        .map(|constant| constant.name.as_str())
        .collect();
    if !negative.is_empty() {
        warn(
            "negative",
            format!("{} is negative somewhere: its term probably compensates for a missing one", negative.join(", ")),
        );
    }
    let runs = model.runs();
    if runs < runs::ENOUGH {
        let message = match runs {
            1 => "there is only one run: ranges assume a usual spread between runs, of 5 %".to_owned(),
            runs => format!("there are only {runs} runs: ranges lean on a usual spread between runs, of 5 %"),
        };
        warn("few_runs", format!("{message}; run the program again, at least 3 times in all"));
    }
    if let Some(stability) = model.stability()
        && stability < 0.5
        && model.regimes.is_none()
    {
        warn("unstable", format!("only {:.0} % of the resamples have as many breaks", 100.0 * stability));
    }
    if !model.data.ignored.is_empty() {
        warn(
            "unused_parameter",
            format!(
                "{} varies but is not in the formula: runs that differ only in it count as repetitions",
                model.data.ignored.join(", ")
            ),
        );
    }
    let rejected: usize = model.data.rejected.values().sum();
    if rejected > 0 {
        let reasons: Vec<String> =
            model.data.rejected.iter().map(|(reason, count)| format!("{reason}: {count}")).collect();
        let samples = if rejected == 1 { "sample was" } else { "samples were" };
        warn("rejected", format!("{rejected} {samples} excluded ({})", reasons.join(", ")));
    }
    warnings
}

fn quality(data: &Data, samples: &Samples, fitted: &[f64]) -> Quality {
    let finite = |value: f64| value.is_finite().then_some(value);
    let pairs = || fitted.iter().copied().zip(data.y.iter().copied());
    let errors: Vec<f64> =
        pairs().filter(|(_, y)| *y != 0.0).map(|(f, y)| 100.0 * accuracy::relative_error(f, y)).collect();
    let center = statistics::mean(&data.y);
    let total: f64 = data.y.iter().map(|y| (y - center).powi(2)).sum();
    let left: f64 = pairs().map(|(f, y)| (y - f).powi(2)).sum();
    let spreads: Vec<f64> = samples
        .configurations
        .iter()
        .filter_map(|repeated| {
            let center = statistics::mean(&repeated.values);
            let variance = statistics::sample_variance(&repeated.values)?;
            (center != 0.0).then(|| variance / (center * center))
        })
        .collect();
    let of_errors = |f: fn(&[f64]) -> f64| if errors.is_empty() { None } else { finite(f(&errors)) };
    Quality {
        smape_pct: finite(accuracy::smape_pct(pairs())),
        validation_smape_pct: None,
        mean_error_pct: of_errors(statistics::mean),
        median_error_pct: of_errors(statistics::median),
        max_error_pct: of_errors(|errors| errors.iter().copied().fold(0.0, f64::max)),
        r2: (total > 0.0).then(|| 1.0 - left / total).and_then(finite),
        noise_pct: (!spreads.is_empty()).then(|| 100.0 * statistics::mean(&spreads).sqrt()).and_then(finite),
    }
}

/// The distinct values of a variable between two cuts, among the configurations with a term that is not 0.
pub(super) fn distinct_between(
    data: &Data,
    constant: Option<usize>,
    variable: usize,
    [from, to]: [f64; 2],
) -> Vec<f64> {
    let mut seen: HashMap<u64, f64> = HashMap::new();
    for row in 0..data.len() {
        let z = data.z[variable][row];
        let present = constant.is_none_or(|constant| data.phi[row][constant] != 0.0);
        if present && z > from && z <= to {
            seen.insert(z.to_bits(), z);
        }
    }
    let mut values: Vec<f64> = seen.into_values().collect();
    values.sort_by(f64::total_cmp);
    values
}
