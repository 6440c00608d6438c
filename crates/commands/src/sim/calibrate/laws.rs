//! `--free law.TYPE`: the law of blocks of a type, chosen by how well it predicts the next larger size.

mod kind;

use super::names::Wanted;
use super::simulated::{Simulations, Trial};
use kind::{Choice, Kind};
use runcast_core::{Problem, Problems, Warning};
use runcast_sim::calibrate::blocks::Blocks;
use runcast_sim::calibrate::laws::{self, Scored, Sized};
use runcast_sim::calibrate::{self, Free, Options};
use runcast_sim::experiment::Value;
use runcast_sim::model::Law;
use runcast_sim::run::Prepared;
use runcast_sim::sweep;
use serde::Serialize;
use std::collections::BTreeSet;

/// A law that was tried for blocks of a type.
#[derive(Debug, Clone, Serialize)]
pub struct Tried {
    /// Type of the blocks.
    #[serde(rename = "type")]
    pub kind: String,
    /// `rule` (the system's own), `roofline`, `linear`, `nlogn`, `affine`, `power`, `quadratic`.
    pub law: &'static str,
    /// Mean error of the next larger size, in percent; none: it could not be tried.
    pub score_pct: Option<f64>,
    /// Whether it was chosen.
    pub chosen: bool,
    /// Why it was, or was not.
    pub why: String,
}

/// What came out.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// Laws to lay over the models.
    pub trials: Vec<Trial>,
    /// Their rules as files say them, by model.
    pub rules: Vec<(String, String)>,
    /// Simulations that they took.
    pub simulations: u64,
    /// Units of their coefficients.
    pub units: Vec<(String, &'static str)>,
    /// By type and law.
    pub tried: Vec<Tried>,
    pub warnings: Vec<Warning>,
}

/// Laws further apart than this at the largest size are worth a warning.
const APART: f64 = 0.10;
/// Rounds after which types that depend on one another are left.
const MOST_ROUNDS: usize = 4;
/// Simulations of a configuration, where it has noise.
const SEEDS: u64 = 16;

/// Chooses a law for each type, with the others as they are, until none changes; then `wanted` has its coefficients.
///
/// # Errors
/// Types without blocks or with too few sizes; an interrupt; what no law can do.
pub(super) fn choose(
    wanted: &mut Wanted,
    simulations: &Simulations<'_>,
    base: &Prepared,
    options: &Options,
) -> Result<Chosen, Problems> {
    if wanted.laws.is_empty() {
        return Ok(Chosen::default());
    }
    let real = simulations.real_of_training();
    if let Some(bad) = real.iter().find(|value| !(value.is_finite() && **value > 0.0)) {
        return Err(calibrate::not_above_zero(*bad).into());
    }
    let training: Vec<&Prepared> =
        simulations.prepared().filter(|(_, is_training)| *is_training).map(|(prepared, _)| prepared).collect();
    let mut kinds: Vec<Kind> = Vec::new();
    for name in wanted.laws.clone() {
        let kind = Kind::new(&name, wanted, &kinds, &training, &real)?;
        kinds.push(kind);
    }
    let noise = noise(&kinds, wanted, simulations, options)?;
    for round in 0..MOST_ROUNDS {
        let mut is_changed = false;
        for number in 0..kinds.len() {
            let before = kinds[number].now;
            let scored = scores(number, &kinds, wanted, &noise, simulations, &real, options)?;
            let scores: Vec<Option<f64>> = scored.iter().map(|one| one.score).collect();
            let kind = &mut kinds[number];
            kind.scored = scored;
            let Some(now) = laws::choose(&scores) else {
                let reason = kind.scored.iter().zip(&kind.candidates).find_map(|(one, choice)| {
                    one.reason.as_ref().map(|reason| format!("{}: {reason}", choice.law.word()))
                });
                let message = format!("no law of {} can be tried: {}", kind.name, reason.unwrap_or_default());
                return Err(Problem::new("no_law", message).at("--free").value(format!("law.{}", kind.name)).into());
            };
            kind.now = now;
            kind.start_from_here();
            is_changed |= round == 0 || now != before;
        }
        if kinds.len() == 1 || !is_changed {
            break;
        }
    }
    let mut chosen = Chosen::default();
    for number in 0..kinds.len() {
        chosen.warnings.extend(apart(number, &kinds, wanted, &noise, simulations, base));
    }
    for kind in &kinds {
        chosen.tried.extend(kind.told());
        chosen.trials.extend(kind.trial().cloned());
        if let Some(trial) = kind.trial() {
            chosen.rules.extend(kind.ruled.models.iter().map(|model| (model.clone(), trial.rules.clone())));
            let parts = kind.candidates[kind.now].law.parts();
            chosen.units.extend(kind.free().iter().zip(parts).map(|(one, part)| (one.name.clone(), part.unit)));
        }
    }
    wanted.take(&kinds);
    chosen.simulations = simulations.count();
    Ok(chosen)
}

/// Scores all laws of a type; the other types have the laws that hold now.
fn scores(
    number: usize,
    kinds: &[Kind],
    wanted: &Wanted,
    noise: &[(Free, f64)],
    simulations: &Simulations<'_>,
    real: &[f64],
    options: &Options,
) -> Result<Vec<Scored>, Problem> {
    let kind = &kinds[number];
    let runs = Sized { real, sizes: &kind.sizes };
    let one = |choice: &Choice| -> Result<Scored, Problem> {
        let (candidate, trial) = match &choice.candidate {
            Ok(known) => known,
            Err(reason) => {
                return Ok(Scored { score: None, values: Vec::new(), reason: Some(reason.clone()) });
            }
        };
        let others = others(number, choice.law, kinds, wanted);
        let trials: Vec<Trial> = other_trials(number, kinds).chain(trial.iter().cloned()).collect();
        let simulate = |rows: &[usize], free: &[Free], values: &[f64]| {
            let (free, values) = with_noise(noise, free, values);
            simulations.means(rows, &trials, &free, &values, if noise.is_empty() { 1 } else { SEEDS })
        };
        laws::score(&runs, candidate, &others, options, &simulate)
    };
    kind.candidates.iter().map(one).collect()
}

/// Sizes of noise with which laws are compared: those found with the first laws, as spreads tell them whatever the law. What waits
/// for the slowest takes longer on more processes; a law without noise would have to say so.
fn noise(
    kinds: &[Kind],
    wanted: &Wanted,
    simulations: &Simulations<'_>,
    options: &Options,
) -> Result<Vec<(Free, f64)>, Problem> {
    let sizes: Vec<&Free> = wanted.free.iter().filter(|one| one.name.starts_with("noise.")).collect();
    if sizes.is_empty() {
        return Ok(Vec::new());
    }
    let Some(first) = kinds.first() else { return Ok(Vec::new()) };
    let mut free: Vec<Free> = first.free().to_vec();
    free.extend(others(0, first.candidates[first.now].law, kinds, wanted));
    free.extend(sizes.iter().copied().cloned());
    let trials: Vec<Trial> = kinds.iter().filter_map(|kind| kind.trial().cloned()).collect();
    let observed = simulations.observed_of_training();
    let found = calibrate::with_noise(&observed, &free, options, &|free, values, seeds| {
        simulations.training(&trials, free, values, seeds)
    })?;
    let value = |name: &str| found.found.iter().flatten().find(|one| one.name == name).map_or(0.0, |one| one.value);
    Ok(sizes.into_iter().map(|one| (one.clone(), value(&one.name))).collect())
}

/// Names with sizes of noise besides.
fn with_noise(noise: &[(Free, f64)], free: &[Free], values: &[f64]) -> (Vec<Free>, Vec<f64>) {
    let values = values.iter().copied().chain(noise.iter().map(|(_, value)| *value)).collect();
    (free.iter().cloned().chain(noise.iter().map(|(one, _)| one.clone())).collect(), values)
}

fn other_trials(number: usize, kinds: &[Kind]) -> impl Iterator<Item = Trial> {
    let others = kinds.iter().enumerate().filter(move |(other, _)| *other != number);
    others.filter_map(|(_, kind)| kind.trial().cloned())
}

/// What is free besides the coefficients of a law of this type: those of the other types' laws, and those of `--free` that
/// something still uses.
fn others(number: usize, law: Law, kinds: &[Kind], wanted: &Wanted) -> Vec<Free> {
    let mut unused: BTreeSet<String> = BTreeSet::new();
    let mut of_laws: Vec<Free> = Vec::new();
    for (other, kind) in kinds.iter().enumerate() {
        let law = if other == number { law } else { kind.candidates[kind.now].law };
        if law != Law::Rule {
            unused.extend(kind.ruled.own.iter().map(|name| format!("c.{name}")));
        }
        if other != number {
            of_laws.extend(kind.free().iter().cloned());
        }
    }
    let mine: Vec<Free> = match kinds[number].candidates.iter().find(|choice| choice.law == law) {
        Some(Choice { candidate: Ok((candidate, _)), .. }) => candidate.free.clone(),
        _ => Vec::new(),
    };
    let is_new = |one: &&Free| {
        !one.name.starts_with("noise.")
            && !unused.contains(&one.name)
            && !mine.iter().chain(&of_laws).any(|known| known.name == one.name)
    };
    let given: Vec<Free> = wanted.free.iter().filter(is_new).cloned().collect();
    of_laws.retain(|one| !mine.iter().any(|known| known.name == one.name));
    given.into_iter().chain(of_laws).collect()
}

/// A warning if laws that are as good as the chosen one say something else for the largest size that is planned.
fn apart(
    number: usize,
    kinds: &[Kind],
    wanted: &Wanted,
    noise: &[(Free, f64)],
    simulations: &Simulations<'_>,
    base: &Prepared,
) -> Option<Warning> {
    let kind = &kinds[number];
    let best = kind.scored.iter().filter_map(|one| one.score).fold(f64::INFINITY, f64::min);
    let as_good = kind.scored.iter().map(|one| one.score.is_some_and(|score| laws::is_as_good(score, best)));
    let as_good: Vec<usize> =
        as_good.enumerate().filter(|(_, is_as_good)| *is_as_good).map(|(index, _)| index).collect();
    let planned = planned(base);
    let all = simulations.prepared().map(|(prepared, _)| prepared).chain(planned.as_ref());
    let sized = all.map(|prepared| (Blocks::of(prepared, &kind.name).largest(), prepared));
    let (size, largest) = sized.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let time = |index: usize| -> Option<f64> {
        let choice = &kind.candidates[index];
        let (candidate, trial) = choice.candidate.as_ref().ok()?;
        let free: Vec<Free> = candidate.free.iter().cloned().chain(others(number, choice.law, kinds, wanted)).collect();
        let trials: Vec<Trial> = other_trials(number, kinds).chain(trial.iter().cloned()).collect();
        let (free, values) = with_noise(noise, &free, &kind.scored[index].values);
        simulations.elsewhere(largest, &trials, &free, &values).ok()
    };
    let chosen = time(kind.now)?;
    let far = as_good.iter().filter(|index| **index != kind.now).filter_map(|&index| {
        let other = time(index)?;
        let ratio = (other / chosen).ln();
        (ratio.abs() > APART.ln_1p()).then_some((index, ratio))
    });
    let (other, ratio) = far.max_by(|(_, one), (_, other)| one.abs().total_cmp(&other.abs()))?;
    let text = format!(
        "the runs do not tell {} from {} for {}: at size {size:e} the second says {:.0} % {}; run a larger size",
        kind.candidates[kind.now].law.word(),
        kind.candidates[other].law.word(),
        kind.name,
        100.0 * ratio.abs().exp_m1(),
        if ratio > 0.0 { "more" } else { "less" },
    );
    Some(Warning::new("laws_not_told_apart", text))
}

/// The largest configuration that the experiment itself plans.
fn planned(base: &Prepared) -> Option<Prepared> {
    let axes = sweep::axes(&base.inputs.experiment.vary, &base.inputs).ok()?;
    let mut variation = base.variation.clone();
    for axis in axes.iter().filter(|axis| !axis.name.contains('.')) {
        let numbers = axis.values.iter().filter_map(Value::number);
        if let Some(most) = numbers.max_by(f64::total_cmp) {
            variation.set(&axis.name, Value::Number(most)).ok()?;
        }
    }
    base.again(&variation).ok()
}

impl Wanted {
    /// Takes over the coefficients of the laws that were chosen, and drops those of rules that they replace.
    fn take(&mut self, kinds: &[Kind]) {
        for kind in kinds {
            let law = kind.candidates[kind.now].law;
            if law != Law::Rule {
                let is_replaced = |name: &str| kind.ruled.own.iter().any(|own| format!("c.{own}") == name);
                self.free.retain(|one| !is_replaced(&one.name));
                self.fixed.retain(|(name, _)| !is_replaced(name));
                self.models.retain(|(name, _)| !kind.ruled.own.contains(name));
            }
            for one in kind.free() {
                match self.free.iter_mut().find(|known| known.name == one.name) {
                    Some(known) => known.start = one.start,
                    None => {
                        self.free.push(one.clone());
                        let name = one.name.trim_start_matches("c.").to_owned();
                        self.models.push((name, kind.ruled.models.iter().cloned().collect()));
                    }
                }
            }
        }
    }
}
