//! What to run next.

use super::model::Piecewise;
use runcast_core::{Configuration, json, statistics};
use runcast_formula::Program;
use serde::Serialize;

/// Repetitions that spread more than this share of their median, and more than twice the typical spread, are too few.
const NOISY: f64 = 0.05;

/// Those that spread more than this always are.
const VERY_NOISY: f64 = 0.1;

/// New values beyond the last break.
const BEYOND: i32 = 3;

/// The most informative runs, the most useful first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestion {
    pub runs: Vec<Run>,
}

/// An informative run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    pub at: Configuration,
    pub reason: String,
    /// Its predicted time; none if the metric is not a time or the model has no value there.
    #[serde(serialize_with = "json::as_optional_number")]
    pub expected_s: Option<f64>,
}

/// At most this many runs: in the gaps of breaks, beyond the last of them, on more processes, of parameters that never
/// varied, and again where repetitions differ.
pub fn suggest(model: &Piecewise, runs: usize) -> Suggestion {
    let mut plan = Plan { model, runs: Vec::new() };
    plan.gaps();
    plan.beyond();
    plan.processes();
    plan.never_varied();
    plan.noisy();
    plan.runs.truncate(runs);
    Suggestion { runs: plan.runs }
}

struct Plan<'m> {
    model: &'m Piecewise,
    runs: Vec<Run>,
}

impl Plan<'_> {
    /// In the middle between the neighbors of each break.
    fn gaps(&mut self) {
        for at in self.model.breaks().to_vec() {
            let Some(variable) = self.variable(&at.variable) else { continue };
            let z = &self.model.data.z[variable];
            // Next to the break, where both sides have most in common.
            let Some(row) = (0..z.len()).rev().find(|&row| z[row] == at.below) else { continue };
            let reason = format!("halves the gap of the break at {} = {}", at.variable, shown(at.at));
            self.along(variable, row, at.at, (at.below, at.above), reason);
        }
    }

    /// Further along the variable of the last break, or of the first variable or parameter.
    fn beyond(&mut self) {
        let last = self.model.breaks().iter().map(|at| at.variable.clone()).next_back();
        let variable = last.and_then(|text| self.variable(&text)).unwrap_or(0);
        let Some(z) = self.model.data.z.get(variable).cloned() else { return };
        let mut values = z.clone();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let &[.., before, most] = &values[..] else { return };
        if before <= 0.0 {
            return;
        }
        let Some(row) = z.iter().position(|value| *value == most) else { return };
        let ratio = (most / before).clamp(1.25, 4.0);
        let name = self.model.data.terms.variables[variable].text().to_owned();
        for power in 1..=BEYOND {
            let wanted = most * ratio.powi(power);
            let reason = format!("beyond the largest {name} so far, {}", shown(most));
            self.along(variable, row, wanted, (most, f64::INFINITY), reason);
        }
    }

    /// Twice and four times as many processes.
    fn processes(&mut self) {
        let Some(process) = self.model.samples.process_parameter.clone() else { return };
        let Some(place) = self.model.data.terms.names.iter().position(|name| *name == process) else { return };
        let values = self.model.data.values_of(place);
        let (1.., Some(&most)) = (values.len().saturating_sub(1), values.last()) else { return };
        let Some(row) = self.model.data.at.iter().rposition(|at| at[place] == most) else { return };
        for factor in [2.0, 4.0] {
            let mut at = self.model.data.at[row].clone();
            at[place] = factor * most;
            self.push(at, format!("more processes than the {} so far", shown(most)));
        }
    }

    /// Two more values of each parameter that has one.
    fn never_varied(&mut self) {
        for (place, name) in self.model.data.terms.names.iter().enumerate() {
            let [only] = self.model.data.values_of(place)[..] else { continue };
            for factor in [2.0, 4.0] {
                let mut at = self.model.data.at[self.model.data.len() - 1].clone();
                at[place] = if only == 0.0 { factor - 1.0 } else { factor * only };
                self.push(at, format!("{name} was always {}", shown(only)));
            }
        }
    }

    /// The configurations whose repetitions differ most.
    fn noisy(&mut self) {
        let data = &self.model.data;
        let spread = |row: usize| {
            let values = &data.repetitions[row].values;
            let median = statistics::median(values);
            let off: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
            (values.len() > 1).then(|| 1.4826 * statistics::median(&off) / median.abs())
        };
        let spreads: Vec<(usize, f64)> =
            (0..data.len()).filter_map(|row| Some((row, spread(row).filter(|s| s.is_finite())?))).collect();
        let all: Vec<f64> = spreads.iter().map(|(_, spread)| *spread).collect();
        let usual = if all.is_empty() { 0.0 } else { statistics::median(&all) };
        let mut noisy: Vec<(usize, f64)> =
            spreads.into_iter().filter(|(_, spread)| *spread > NOISY.max(2.0 * usual).min(VERY_NOISY)).collect();
        noisy.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for (row, spread) in noisy {
            let reason = format!("more repetitions: those so far differ by {:.0} %", 100.0 * spread);
            let run = self.run(self.model.data.at[row].clone(), reason);
            self.runs.push(run);
        }
    }

    fn variable(&self, text: &str) -> Option<usize> {
        self.model.data.terms.variables.iter().position(|variable| variable.text() == text)
    }

    /// Changes one parameter of a measured configuration, and those that follow it, so that the variable comes as near
    /// to a value as it can, strictly between two bounds.
    fn along(&mut self, variable: usize, row: usize, wanted: f64, between: (f64, f64), reason: String) {
        let terms = &self.model.data.terms;
        let formula = &terms.variables[variable].formula;
        let names: Vec<&str> = terms.names.iter().map(String::as_str).collect();
        let Ok(program) = formula.compile(&names) else { return };
        let process = self.model.samples.process_parameter.as_ref();
        let mut places: Vec<usize> = (0..names.len())
            .filter(|&place| {
                formula.names().contains(&terms.names[place]) && self.model.data.values_of(place).len() > 1
            })
            .collect();
        places.sort_by_key(|&place| process == Some(&terms.names[place]));
        for place in places {
            let start = self.model.data.at[row].clone();
            let whole = self.is_whole(place);
            let Some(value) = solve(&program, &start, place, wanted) else { continue };
            let choices = if whole { [value.round(), value.floor(), value.ceil()] } else { [value; 3] };
            for choice in choices {
                let mut at = start.clone();
                at[place] = choice;
                self.follow(place, &mut at);
                let z = program.row(&at);
                if z > between.0 && z < between.1 && choice.is_finite() && (!whole || choice >= 1.0) {
                    self.push(at, reason);
                    return;
                }
            }
        }
    }

    fn is_whole(&self, place: usize) -> bool {
        self.model.data.values_of(place).iter().all(|value| value.fract() == 0.0)
    }

    /// Also changes parameters that never varied without this one: the bytes of a working set with its elements.
    fn follow(&self, place: usize, at: &mut [f64]) {
        let rounded = |place: usize, value: f64| if self.is_whole(place) { value.round() } else { value };
        let lines: Vec<(usize, Vec<(f64, f64)>)> =
            (0..at.len()).filter_map(|other| Some((other, self.line(place, other)?))).collect();
        for (other, line) in &lines {
            at[*other] = rounded(*other, on_line(line, at[place]));
        }
        // 3.7 million bytes are 92,681.9 elements: with 92,682 of them there are a few bytes more.
        if let Some((other, line)) = lines.iter().find(|(other, _)| self.is_whole(*other)) {
            let back: Vec<(f64, f64)> = line.iter().map(|&(x, y)| (y, x)).collect();
            at[place] = rounded(place, on_line(&back, at[*other]));
        }
    }

    /// The values of one parameter with those of another, ascending, if each goes with one of the other.
    fn line(&self, place: usize, other: usize) -> Option<Vec<(f64, f64)>> {
        let mut pairs: Vec<(f64, f64)> = self.model.data.at.iter().map(|at| (at[place], at[other])).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        pairs.dedup();
        let rises = pairs.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
        (place != other && pairs.len() > 1 && rises && pairs[0].0 > 0.0 && pairs[0].1 > 0.0).then_some(pairs)
    }

    /// A run that was neither made nor suggested.
    fn push(&mut self, at: Vec<f64>, reason: String) {
        if self.model.data.at.contains(&at) {
            return;
        }
        let run = self.run(at, reason);
        if self.runs.iter().all(|known| known.at != run.at) {
            self.runs.push(run);
        }
    }

    fn run(&self, at: Vec<f64>, reason: String) -> Run {
        let value = self.model.value(&at);
        let is_time = self.model.samples.metric.is_time();
        let expected_s = (is_time && value.is_finite() && value > 0.0).then_some(value);
        Run { at: Configuration::from_pairs(&self.model.data.terms.names, &at), reason, expected_s }
    }
}

/// The value of one name, above 0, for which the program gives `wanted`: by bisection on its logarithm.
fn solve(program: &Program, at: &[f64], place: usize, wanted: f64) -> Option<f64> {
    let start = at[place];
    if start <= 0.0 {
        return None;
    }
    let off = |value: f64| {
        let mut at = at.to_vec();
        at[place] = value;
        program.row(&at) - wanted
    };
    for factor in [2.0f64, 16.0, 1024.0, 1e9] {
        let (mut low, mut high) = (start / factor, start * factor);
        let (at_low, at_high) = (off(low), off(high));
        if !(at_low.is_finite() && at_high.is_finite()) || at_low * at_high > 0.0 {
            continue;
        }
        let rises = at_low < 0.0;
        for _ in 0..200 {
            let middle = (low * high).sqrt();
            if (off(middle) < 0.0) == rises { low = middle } else { high = middle }
        }
        return Some((low * high).sqrt());
    }
    None
}

/// Along a line of points by powers of x between two of them, and beyond the ends by the last two.
fn on_line(line: &[(f64, f64)], x: f64) -> f64 {
    let above = line.partition_point(|point| point.0 < x).clamp(1, line.len() - 1);
    let ((x0, y0), (x1, y1)) = (line[above - 1], line[above]);
    y0 * (y1 / y0).powf((x / x0).ln() / (x1 / x0).ln())
}

/// A readable value.
fn shown(value: f64) -> String {
    if value.abs() >= 1e6 { format!("{value:.4e}") } else { format!("{}", (1e3 * value).round() / 1e3) }
}
