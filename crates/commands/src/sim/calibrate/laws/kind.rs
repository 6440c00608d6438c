//! A type of blocks with the laws that it may follow.

use super::{Tried, Wanted};
use crate::sim::calibrate::file::toml_key;
use crate::sim::calibrate::simulated::Trial;
use runcast_core::{Problem, Problems, statistics};
use runcast_sim::calibrate::Free;
use runcast_sim::calibrate::blocks::{Blocks, Ruled, ruled};
use runcast_sim::calibrate::laws::{self, Candidate, LEAST_SIZES, Scored, Sized};
use runcast_sim::model::{CoefficientFile, Law};
use runcast_sim::run::Prepared;
use std::fmt::Write;
use std::sync::Arc;

/// A type of blocks with its laws.
pub(super) struct Kind {
    pub name: String,
    /// In front of the names of its coefficients.
    pub prefix: String,
    pub ruled: Ruled,
    pub candidates: Vec<Choice>,
    /// By row to calibrate on.
    pub sizes: Vec<f64>,
    /// Index of the law that holds now.
    pub now: usize,
    pub scored: Vec<Scored>,
}

/// A law that may be chosen; or why not.
pub(super) struct Choice {
    pub law: Law,
    pub candidate: Result<(Candidate, Option<Trial>), String>,
}

impl Kind {
    pub fn new(
        name: &str,
        wanted: &Wanted,
        before: &[Kind],
        training: &[&Prepared],
        real: &[f64],
    ) -> Result<Kind, Problems> {
        let wrong = |code, message: String| Problem::new(code, message).at("--free").value(format!("law.{name}"));
        let blocks: Vec<Blocks> = training.iter().map(|prepared| Blocks::of(prepared, name)).collect();
        if blocks.iter().all(|one| one.sizes.is_empty()) {
            let (message, hint) = if blocks.iter().any(|one| one.timed > 0) {
                (format!("the script gives the seconds of blocks of type {name}"), "give their size in place of time")
            } else if blocks.iter().any(|one| one.is_live) {
                let message = format!("the sizes of blocks of type {name} are not known before the run");
                (message, "a law can be found where the script does not act on what messages bring")
            } else {
                (format!("the runs execute no block of type {name}"), "choose other rows: --train")
            };
            return Err(wrong("no_blocks", message).hint(hint).into());
        }
        let sizes: Vec<f64> = blocks.iter().map(Blocks::largest).collect();
        let distinct = Sized { real, sizes: &sizes }.distinct();
        if distinct.len() < LEAST_SIZES {
            let message = {
                let sizes = crate::human::count(distinct.len(), "size", "sizes");
                format!("the runs have {sizes} of blocks of type {name}")
            };
            let problem = wrong("too_few_sizes", message).allowed(format!("{LEAST_SIZES} different sizes or more"));
            return Err(problem.hint("add runs of other sizes").into());
        }
        let (least, most) = (order(&sizes, false), order(&sizes, true));
        let mut found = ruled(training[least], name)?;
        let other = ruled(training[most], name)?;
        found.has_rule |= other.has_rule;
        found.models.extend(other.models);
        found.coefficients.extend(other.coefficients);
        found.own.extend(other.own);
        found.scales.extend(other.scales);
        let prefix: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let prefix = if prefix.starts_with(|c: char| c.is_ascii_digit()) { format!("t{prefix}") } else { prefix };
        let again = before.iter().filter(|kind| kind.prefix == prefix).count();
        let prefix = if again > 0 { format!("{prefix}{}", again + 1) } else { prefix };
        let mut kind = Kind {
            name: name.to_owned(),
            prefix,
            ruled: found,
            candidates: Vec::new(),
            sizes,
            now: 0,
            scored: Vec::new(),
        };
        for law in Law::ALL {
            if law == Law::Rule && !kind.ruled.has_rule {
                continue;
            }
            let candidate = match law {
                Law::Rule => rule(&kind, wanted, training[least]).map(|candidate| (candidate, None)),
                _ => kind.of_library(law, &blocks, &distinct, real),
            };
            kind.candidates.push(Choice { law, candidate });
        }
        // Until it is chosen, one whose start fits the runs; else the first that can be tried.
        let can = |choice: &Choice| choice.candidate.is_ok();
        let linear = kind.candidates.iter().position(|choice| choice.law == Law::Linear && can(choice));
        kind.now = linear.or_else(|| kind.candidates.iter().position(can)).unwrap_or(0);
        Ok(kind)
    }

    fn of_library(
        &self,
        law: Law,
        blocks: &[Blocks],
        distinct: &[f64],
        real: &[f64],
    ) -> Result<(Candidate, Option<Trial>), String> {
        if law.is_of_size() && !blocks.iter().all(Blocks::have_sizes) {
            return Err(format!("blocks of type {} give no size", self.name));
        }
        if law == Law::Roofline && blocks.iter().all(|one| one.work == 0.0) {
            return Err(format!("blocks of type {} give neither operations nor bytes", self.name));
        }
        let reference = distinct[distinct.len() / 2];
        // Half of the time, as if the other half were something else.
        let median = |of: &dyn Fn(&Blocks) -> f64| {
            let all: Vec<f64> = blocks.iter().zip(real).map(|(one, real)| 0.5 * real / of(one)).collect();
            statistics::median(&all)
        };
        let block_s = median(&|one| one.sum(|_| 1.0));
        let of_basis = median(&|one| one.sum(|size| law.basis(size, reference)));
        let parts = law.parts();
        let names: Vec<String> = parts.iter().map(|part| format!("{}_{}", self.prefix, part.suffix)).collect();
        let one = |(part, name): (&runcast_sim::model::Part, &String)| {
            laws::free(part, format!("c.{name}"), block_s, block_s / of_basis)
        };
        let free: Vec<Free> = parts.iter().zip(&names).map(one).collect();
        // What a law replaces depended on the same hardware.
        let mut scales = self.ruled.scales.iter();
        let scales = match (scales.next(), scales.next()) {
            (Some(word), None) => Some(format!(", scales = \"{word}\"")),
            _ => None,
        };
        let rules = rules(law, &self.name, &names, reference);
        let mut text = String::new();
        for model in &self.ruled.models {
            let values = free.iter().zip(&names).zip(&parts);
            let values = values.map(|((one, name), part)| {
                let scales = scales.as_deref().filter(|_| !part.unit.is_empty()).unwrap_or_default();
                format!("{name} = {{ value = \"{:e}{}\"{scales} }}", one.start, part.unit)
            });
            let values: Vec<String> = values.collect();
            let model = toml_key(model);
            let _ = writeln!(text, "[model.{model}]\nrule = [\n  {rules},\n]");
            let _ = writeln!(text, "[model.{model}.coeff]\n{}", values.join("\n"));
        }
        let file = CoefficientFile::read(&text, "the law").map_err(|Problems(problems)| {
            problems.first().map_or_else(|| "it cannot be read".to_owned(), ToString::to_string)
        })?;
        let trial = Trial { name: format!("{}={}", self.name, law.word()), file: Arc::new(file), rules };
        Ok((Candidate { free, in_logs: law.in_logs() }, Some(trial)))
    }

    pub fn free(&self) -> &[Free] {
        match &self.candidates[self.now].candidate {
            Ok((candidate, _)) => &candidate.free,
            Err(_) => &[],
        }
    }

    pub fn trial(&self) -> Option<&Trial> {
        self.candidates[self.now].candidate.as_ref().ok()?.1.as_ref()
    }

    /// The search goes on where the law that holds now was best.
    pub fn start_from_here(&mut self) {
        let values = self.scored.get(self.now).map(|one| one.values.clone()).unwrap_or_default();
        if let Ok((candidate, _)) = &mut self.candidates[self.now].candidate {
            for (one, value) in candidate.free.iter_mut().zip(values) {
                one.start = value;
            }
        }
    }

    pub fn told(&self) -> Vec<Tried> {
        let scores: Vec<Option<f64>> = self.scored.iter().map(|one| one.score).collect();
        let best = (0..scores.len()).filter(|index| scores[*index].is_some());
        let best = best.min_by(|one, other| scores[*one].unwrap_or(0.0).total_cmp(&scores[*other].unwrap_or(0.0)));
        let best = best.unwrap_or(self.now);
        let of_best = scores[best].unwrap_or(0.0);
        let word = |index: usize| self.candidates[index].law.word();
        let one = |(index, (choice, scored)): (usize, (&Choice, &Scored))| {
            let chosen = index == self.now;
            let why = match (scored.score, chosen) {
                (None, _) => scored.reason.clone().unwrap_or_default(),
                (Some(_), true) if index == best => "the least error of the next larger size".to_owned(),
                (Some(_), true) => format!("the first whose error is within 5 % of the least, that of {}", word(best)),
                (Some(score), false) if laws::is_as_good(score, of_best) => {
                    format!("as good as {}, which comes before it", word(self.now))
                }
                (Some(score), false) => {
                    let times = score / scores[self.now].unwrap_or(score).max(f64::MIN_POSITIVE);
                    format!("{} times the error of {}", crate::human::significant(times, 3), word(self.now))
                }
            };
            let score_pct = scored.score.map(|score| 100.0 * score);
            Tried { kind: self.name.clone(), law: choice.law.word(), score_pct, chosen, why }
        };
        self.candidates.iter().zip(&self.scored).enumerate().map(one).collect()
    }
}

/// Where the least or the greatest number is.
fn order(numbers: &[f64], greatest: bool) -> usize {
    let compare = |one: &usize, other: &usize| numbers[*one].total_cmp(&numbers[*other]);
    let all = 0..numbers.len();
    if greatest { all.max_by(compare) } else { all.min_by(compare) }.unwrap_or(0)
}

/// The rules of a law, as files say them.
fn rules(law: Law, kind: &str, names: &[String], reference: f64) -> String {
    let kind = toml::Value::String(kind.to_owned());
    let value = toml::Value::String(law.formula(names, reference).unwrap_or_default());
    let rule = format!("{{ on = \"compute\", type = {kind}, value = {value} }}");
    match law {
        Law::Roofline => {
            let factor = names.first().map_or("", String::as_str);
            format!("{rule},\n  {{ on = \"overhead\", type = {kind}, value = \"c.{factor}\" }}")
        }
        _ => rule,
    }
}

/// The user's rule, with its coefficients free.
fn rule(kind: &Kind, wanted: &Wanted, prepared: &Prepared) -> Result<Candidate, String> {
    let models = prepared.models().map_err(|problem| problem.message)?;
    let mut free = Vec::new();
    for name in &kind.ruled.coefficients {
        let full = format!("c.{name}");
        if wanted.fixed.iter().any(|(fixed, _)| *fixed == full) {
            continue;
        }
        if let Some(given) = wanted.free.iter().find(|one| one.name == full) {
            free.push(given.clone());
            continue;
        }
        let value = models
            .iter()
            .filter(|model| kind.ruled.models.contains(&model.name))
            .find_map(|model| model.coefficients.get(name))
            .map_or(0.0, |known| known.value);
        if value <= 0.0 {
            return Err(format!("c.{name} is {value} in the system: no place to start at"));
        }
        free.push(Free { name: full, start: value, low: 0.0, high: f64::INFINITY });
    }
    Ok(Candidate { free, in_logs: false })
}
