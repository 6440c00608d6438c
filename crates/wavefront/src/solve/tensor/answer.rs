//! From an engine to a solution.

use super::closure::{Closure, closure};
use super::engine::Limit;
use super::krylov::{self, absolute};
use super::waits::Waits;
use super::wavefronts::wavefront;
use super::whole::Whole;
use super::{Options, TensorError};
use crate::markov::divisor;
use crate::model::{Model, Semantics};
use crate::solve::bound::Bound;
use crate::solve::solution::{Class, Extremes, Method, Moments, Solution, States, Ties};

/// Phases from the start after which the law is a first guess.
const FIRST_GUESS: usize = 3;

/// What may be left of a residual, in rounding errors.
const GOAL: f64 = 4e-16;

/// The largest error of a stationary law that is taken.
const MOST_ERROR: f64 = 1e-10;

/// What may be left of the equation for all later phases, by what was given.
const MOST_LEFT: f64 = 1e-10;

/// Amplification of errors that is taken for granted where there was nothing to correct.
const UNSEEN: f64 = 1e3;

/// Differences of probabilities that are rounding errors.
const ROUNDING: f64 = 2e-15;

/// Weight below which a state cannot belong to another closed class.
const NO_WEIGHT: f64 = 1e-10;

/// How the stationary law was found.
#[derive(Debug, Clone, Copy, Default)]
pub struct Effort {
    /// Applications of one phase, in total.
    pub steps: usize,
    /// Those for the stationary law.
    pub stationary_steps: usize,
    /// |pi P - pi|, in the sum of absolute values.
    pub residual: f64,
    /// The residual times the amplification of errors by slow mixing.
    pub error: f64,
}

struct Stationary {
    law: Vec<f64>,
    classes: Vec<Found>,
}

struct Found {
    weight: f64,
    closure: Closure,
}

pub(super) fn solution(
    model: &Model,
    waits: &Waits<'_>,
    lags: &[usize],
    options: &Options,
) -> Result<(Solution, Effort), TensorError> {
    let whole = waits.whole;
    let mut effort = Effort::default();
    let first = whole.first(lags);
    let reachable = reachable(whole, &first, lags)?;
    let stationary = stationary(whole, &first, &mut effort)?;
    symmetric(whole, &stationary)?;
    let counted = |member: &dyn Fn(usize) -> bool| count(whole, member);
    let recurrent = |place: usize| stationary.classes.iter().any(|class| class.closure.reached[place]);
    let process = process_one(waits, &stationary.law);
    let iterations = iterations(model, waits, &stationary.law, &process, options.tie_bracket)?;
    let one_class = stationary.classes.len() == 1;
    let asymptotic = if one_class { Some(asymptotic(whole, &stationary.law, &process, &iterations)?) } else { None };
    let mut classes = Vec::with_capacity(stationary.classes.len());
    for class in &stationary.classes {
        let members: Vec<f64> = stationary
            .law
            .iter()
            .zip(&class.closure.reached)
            .map(|(weight, member)| if *member { weight / class.weight } else { 0.0 })
            .collect();
        let (phase_mean, iterations_mean) = if one_class {
            (process.mean, iterations.mean)
        } else {
            let process = process_one(waits, &members);
            (process.mean, self::iterations(model, waits, &members, &process, false)?.mean)
        };
        classes.push(Class {
            weight: class.weight,
            states: counted(&|place| class.closure.reached[place]).1,
            period: class.closure.period,
            phase_mean,
            iterations_mean,
        });
    }
    let period = stationary.classes.iter().fold(1, |lcm, class| {
        let period = class.closure.period.max(1);
        lcm / divisor(lcm, period) * period
    });
    let updates_mean = (0..model.size())
        .map(|process| {
            let alpha = f64::from(model.processes[process].alpha_updates);
            alpha + waits.updates(&stationary.law, process, model.tie)
        })
        .collect();
    let outside = whole.engine.place(lags).is_none();
    let started = model.modes.start.iter().filter(|weight| **weight > 0.0).count() as u64;
    let (lumped, listed) = counted(&|place| reachable[place]);
    effort.steps = whole.steps.get();
    let bound = Bound::of(model);
    let solution = Solution {
        method: Method::Exact,
        extremes: Extremes::Exact,
        states: States {
            bound: bound.states,
            bound_log10: bound.log10,
            reachable: Some(listed + if outside { started } else { 0 }),
            recurrent: Some(counted(&recurrent).1),
            closed_classes: Some(classes.len() as u64),
            period: Some(period),
            solved: Some(lumped),
        },
        classes,
        phase: Moments {
            phase_mean: process.mean,
            phase_var: process.var,
            iterations_mean: iterations.mean,
            iterations_var: iterations.var,
            cov: iterations.cov,
        },
        iterations_min: iterations.least,
        iterations_max: iterations.most,
        ties: (model.semantics == Semantics::Abort).then_some(iterations.ties),
        updates_mean,
        asymptotic,
        wavefront: wavefront(whole, &stationary.law),
        iterations_pmf: iterations.pmf.clone(),
        phase_pmf: options.phase_pmf.then(|| process.pmf.clone()),
        half_widths: None,
    };
    Ok((solution, effort))
}

/// Pairs of mode and state that are reached from the start, among those with a place.
fn reachable(whole: &Whole<'_>, first: &[f64], lags: &[usize]) -> Result<Vec<bool>, TensorError> {
    let mut start: Vec<usize> = (0..whole.places()).filter(|place| first[*place] > 0.0).collect();
    if let Some(place) = whole.engine.place(lags) {
        let started = whole.modes.start.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        start.extend(started.map(|(mode, _)| mode * whole.engine.places() + place));
    }
    start.sort_unstable();
    start.dedup();
    closure(whole, &start, whole.most_steps).map(|closure| closure.reached).ok_or_else(|| given_up(whole))
}

fn given_up(whole: &Whole<'_>) -> TensorError {
    if whole.goes_on() { TensorError::SlowMixing { steps: whole.steps.get() } } else { TensorError::Interrupted }
}

/// The law in the long run, weighted over the closed classes that are reached.
///
/// The law of the modes is known exactly, so that only deviations that do not change it are left to be solved for: these
/// die out as the wavefront forgets, however slow the modes are. Such a correction does not change the probability to end
/// in a class either.
fn stationary(whole: &Whole<'_>, first: &[f64], effort: &mut Effort) -> Result<Stationary, TensorError> {
    let mut law = first.to_vec();
    let mut after = law.clone();
    fit(whole, &mut law);
    for _ in 0..FIRST_GUESS {
        if !whole.step(&law, &mut after) {
            return Err(TensorError::Interrupted);
        }
        std::mem::swap(&mut law, &mut after);
        fit(whole, &mut law);
    }
    let (mut error, mut amplification) = (f64::INFINITY, 1.0_f64);
    let before = whole.steps.get();
    for _ in 0..3 {
        if !whole.step(&law, &mut after) {
            return Err(TensorError::Interrupted);
        }
        let mut residual: Vec<f64> = after.iter().zip(&law).map(|(after, law)| after - law).collect();
        let shape = law.clone();
        let center = |measure: &mut [f64]| center(whole, &shape, measure);
        center(&mut residual);
        effort.residual = absolute(&residual);
        let goal = GOAL;
        if effort.residual <= goal || error <= MOST_ERROR * 1e-3 {
            error = error.min(effort.residual * amplification.max(UNSEEN));
            break;
        }
        let correction =
            krylov::solve(&residual, goal, whole.most_steps, &mut |measure, out| whole.step(measure, out), &center)
                .ok_or_else(|| given_up(whole))?;
        law.iter_mut().zip(&correction.value).for_each(|(law, correction)| *law += correction);
        law.iter_mut().for_each(|law| *law = law.max(0.0));
        fit(whole, &mut law);
        effort.residual = correction.left;
        // The largest that was seen: what is left in the end is mostly rounding errors, which soon die out.
        amplification = amplification.max(correction.amplification);
        error = correction.left * amplification;
    }
    effort.error = error;
    effort.stationary_steps = whole.steps.get() - before;
    if error > MOST_ERROR {
        return Err(TensorError::SlowMixing { steps: whole.steps.get() });
    }
    let classes = classes(whole, &mut law)?;
    // States that rounding has left without their weight get it from those before them.
    if !whole.step(&law, &mut after) {
        return Err(TensorError::Interrupted);
    }
    for (place, weight) in after.iter_mut().enumerate() {
        if !classes.iter().any(|class| class.closure.reached[place]) {
            *weight = 0.0;
        }
    }
    fit(whole, &mut after);
    Ok(Stationary { law: after, classes })
}

/// Gives each mode its stationary weight. A mode without any weight yet gets the mean of all others.
fn fit(whole: &Whole<'_>, law: &mut [f64]) {
    let marginals = whole.marginals(law);
    let mut mean = vec![0.0; whole.engine.places()];
    if marginals.iter().zip(&whole.long_run.law).any(|(weight, wanted)| *weight <= 0.0 && *wanted > 0.0) {
        for mode in 0..marginals.len() {
            mean.iter_mut().zip(whole.part(law, mode)).for_each(|(sum, weight)| *sum += weight);
        }
        let sum: f64 = mean.iter().sum();
        mean.iter_mut().for_each(|weight| *weight /= sum);
    }
    for (mode, (weight, wanted)) in marginals.iter().zip(&whole.long_run.law).enumerate() {
        let part = whole.part_mut(law, mode);
        if *weight > 0.0 {
            part.iter_mut().for_each(|place| *place *= wanted / weight);
        } else if *wanted > 0.0 {
            part.iter_mut().zip(&mean).for_each(|(place, mean)| *place = wanted * mean);
        }
    }
}

/// Takes the weight of each mode out of a measure, in the shape of the law.
fn center(whole: &Whole<'_>, shape: &[f64], measure: &mut [f64]) {
    for (mode, weight) in whole.marginals(measure).into_iter().enumerate() {
        let wanted = whole.long_run.law[mode];
        let part = whole.part_mut(measure, mode);
        if wanted > 0.0 {
            let shape = whole.part(shape, mode);
            part.iter_mut().zip(shape).for_each(|(value, shape)| *value -= weight / wanted * shape);
        } else {
            part.fill(0.0);
        }
    }
}

/// The closed classes of the law, by decreasing weight; what is in none of them loses its weight.
fn classes(whole: &Whole<'_>, law: &mut [f64]) -> Result<Vec<Found>, TensorError> {
    let mut free = law.to_vec();
    let mut classes: Vec<Found> = Vec::new();
    loop {
        let heaviest = free.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        let Some((place, _)) = heaviest.filter(|_| free.iter().sum::<f64>() > NO_WEIGHT) else { break };
        let closure = closure(whole, &[place], whole.most_steps).ok_or_else(|| given_up(whole))?;
        if classes.iter().any(|class| class.closure.reached.iter().zip(&closure.reached).any(|(a, b)| *a && *b)) {
            // It leads into another class: not yet all of what is left for good has left.
            return Err(TensorError::SlowMixing { steps: whole.steps.get() });
        }
        let mut weight = 0.0;
        for (place, value) in free.iter_mut().enumerate().filter(|(place, _)| closure.reached[*place]) {
            weight += law[place];
            *value = 0.0;
        }
        classes.push(Found { weight, closure });
    }
    let sum: f64 = classes.iter().map(|class| class.weight).sum();
    for class in &mut classes {
        class.weight /= sum;
    }
    for (place, weight) in law.iter_mut().enumerate() {
        let member = classes.iter().any(|class| class.closure.reached[place]);
        *weight = if member { *weight / sum } else { 0.0 };
    }
    classes.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    // The first guess gave the modes their weights, not the classes: right only where each class of modes holds one.
    if whole.modes.count() > 1 && classes.len() != whole.long_run.classes.len() {
        return Err(TensorError::NotIrreducible { classes: classes.len() });
    }
    Ok(classes)
}

/// Lumped states stand for whole classes only where one of them has all equal processes at one place.
fn symmetric(whole: &Whole<'_>, stationary: &Stationary) -> Result<(), TensorError> {
    let groups = whole.engine.groups();
    if groups.iter().all(|group| group.len() == 1) {
        return Ok(());
    }
    let mut lags = vec![0; groups.iter().map(Vec::len).sum()];
    let level = |lags: &[usize]| groups.iter().all(|group| group.iter().all(|member| lags[*member] == lags[group[0]]));
    for class in &stationary.classes {
        let found = (0..whole.places())
            .filter(|place| class.closure.reached[*place])
            .any(|place| whole.engine.lags(place % whole.engine.places(), &mut lags).is_some() && level(&lags));
        if !found {
            return Err(TensorError::NotLumpable);
        }
    }
    Ok(())
}

/// How many places are members, and how many states they stand for.
fn count(whole: &Whole<'_>, member: &dyn Fn(usize) -> bool) -> (u64, u64) {
    let mut lags = vec![0; whole.engine.groups().iter().map(Vec::len).sum()];
    let (mut lumped, mut listed) = (0, 0);
    for place in (0..whole.places()).filter(|place| member(*place)) {
        if let Some(arrangements) = whole.engine.lags(place % whole.engine.places(), &mut lags) {
            lumped += 1;
            listed += arrangements as u64;
        }
    }
    (lumped, listed)
}

/// Phi of process 1.
struct ProcessOne {
    pmf: Vec<(u64, f64)>,
    mean: f64,
    var: f64,
}

fn process_one(waits: &Waits<'_>, law: &[f64]) -> ProcessOne {
    let pmf: Vec<(u64, f64)> = (0..).zip(waits.phase(law, 0)).filter(|(_, probability)| *probability > 0.0).collect();
    let sum: f64 = pmf.iter().map(|(_, probability)| probability).sum();
    let mean = pmf.iter().map(|(ticks, probability)| *ticks as f64 * probability).sum::<f64>() / sum;
    let var = pmf.iter().map(|(ticks, probability)| (*ticks as f64 - mean).powi(2) * probability).sum::<f64>() / sum;
    ProcessOne { pmf, mean, var: settled(var, mean * mean) }
}

/// A variance of rounding errors only is none.
fn settled(var: f64, scale: f64) -> f64 {
    if var.abs() <= 1e-12 * scale { 0.0 } else { var }
}

/// N.
struct Iterations {
    pmf: Vec<(u64, f64)>,
    mean: f64,
    var: f64,
    /// With Phi of process 1, and with the time from last start to last start.
    cov: f64,
    cov_last: f64,
    least: u64,
    most: u64,
    ties: Ties,
    /// What is summed over, empty where N is always the same.
    limits: Vec<Limit>,
    /// Sum of pi_s E\[(N - E N) 1{s'} | s\], by s'.
    weighted: Vec<f64>,
}

fn iterations(
    model: &Model,
    waits: &Waits<'_>,
    law: &[f64],
    process: &ProcessOne,
    both_ties: bool,
) -> Result<Iterations, TensorError> {
    let whole = waits.whole;
    let least = model.processes.iter().map(|process| process.alpha_updates).max().unwrap_or(1);
    let most = extreme(model, waits, law);
    let limits: Vec<Limit> = (u64::from(least)..most).map(|most| Limit { most: most as u32, tie: model.tie }).collect();
    let lagging = lagging(whole, law);
    let mut weighted = vec![0.0; whole.places()];
    let (mut cov, mut cov_last) = (0.0, 0.0);
    let mut up_to = Vec::with_capacity(limits.len());
    for limit in &limits {
        let (after, timed) = whole.limited(law, *limit, process.mean);
        let probability: f64 = after.iter().sum();
        let lag_after: f64 = lagging_sum(whole, &after);
        let lag_before: f64 = whole.limited(&lagging, *limit, 0.0).0.iter().sum();
        cov_last -= timed;
        cov -= timed - lag_after + lag_before;
        for ((weighted, after), law) in weighted.iter_mut().zip(&after).zip(law) {
            *weighted -= after - probability * law;
        }
        up_to.push(probability);
        if !whole.goes_on() {
            return Err(TensorError::Interrupted);
        }
    }
    let mut pmf = Vec::new();
    let mut before = 0.0;
    for (number, up_to) in (u64::from(least)..=most).zip(up_to.iter().copied().chain([1.0])) {
        // What is left of rounding between two equal sums is not a probability.
        if up_to - before > if before == 0.0 { 0.0 } else { ROUNDING } {
            pmf.push((number, up_to - before));
        }
        before = up_to;
    }
    let mean = most as f64 - up_to.iter().sum::<f64>();
    let var: f64 = pmf.iter().map(|(number, probability)| (*number as f64 - mean).powi(2) * probability).sum();
    let var = settled(var, mean * mean);
    let other = model.tie.other();
    let mut other_mean = mean;
    if both_ties && model.semantics == Semantics::Abort {
        let turned = Model { tie: other, ..model.clone() };
        let top = extreme(&turned, &Waits::new(&turned, waits.shape, whole), law);
        let below = (u64::from(least)..top).map(|most| {
            let limit = Limit { most: most as u32, tie: other };
            whole.limited(law, limit, 0.0).0.iter().sum::<f64>()
        });
        other_mean = top as f64 - below.sum::<f64>();
    }
    let ties = Ties::of(model.tie, mean, other_mean);
    let scale = mean * process.mean;
    Ok(Iterations {
        least: pmf.first().map_or(u64::from(least), |(number, _)| *number),
        pmf,
        mean,
        var,
        cov: settled(cov, scale),
        cov_last: settled(cov_last, scale),
        most,
        ties,
        limits,
        weighted,
    })
}

/// The largest N from a state with weight.
fn extreme(model: &Model, waits: &Waits<'_>, law: &[f64]) -> u64 {
    let engine = waits.whole.engine;
    let mut lags = vec![0; model.size()];
    let mut most = 0;
    for (place, _) in law.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        if engine.lags(place % engine.places(), &mut lags).is_some() {
            for (process, updates) in model.processes.iter().enumerate() {
                let beta = if updates.beta_updates == 0 {
                    0
                } else {
                    waits.most_updates(place / engine.places(), &lags, process)
                };
                most = most.max(u64::from(updates.alpha_updates) + beta);
            }
        }
    }
    most
}

/// A measure weighted with the lag of process 1, averaged over its group.
fn lagging(whole: &Whole<'_>, measure: &[f64]) -> Vec<f64> {
    let alone = vec![0];
    let group = whole.engine.groups().iter().find(|group| group.contains(&0)).unwrap_or(&alone);
    let mut lags = vec![0; whole.engine.groups().iter().map(Vec::len).sum()];
    let mean = |place: usize, weight: f64, lags: &mut [usize]| match whole.engine.lags(place, lags) {
        Some(_) => weight * group.iter().map(|member| lags[*member] as f64).sum::<f64>() / group.len() as f64,
        None => 0.0,
    };
    let places = whole.engine.places();
    measure
        .iter()
        .enumerate()
        .map(|(place, weight)| if *weight == 0.0 { 0.0 } else { mean(place % places, *weight, &mut lags) })
        .collect()
}

fn lagging_sum(whole: &Whole<'_>, measure: &[f64]) -> f64 {
    lagging(whole, measure).iter().sum()
}

/// Covariances per phase of sums over many phases.
///
/// With r_0 the measure after a phase weighted with what is above the mean, R = r_0 + R P sums over all later phases, and
/// a = Var + 2 sum R f. Times are taken from last start to last start, which is the same in the long run as on process 1.
fn asymptotic(
    whole: &Whole<'_>,
    law: &[f64],
    process: &ProcessOne,
    iterations: &Iterations,
) -> Result<Moments, TensorError> {
    let (after, squares) = whole.timed(law, process.mean);
    let later = later(whole, law, &after)?;
    let total = |measure: &[f64]| whole.timed(measure, process.mean).0.iter().sum::<f64>();
    let limited = |measure: &[f64]| -> f64 {
        iterations.limits.iter().map(|limit| -whole.limited(measure, *limit, 0.0).0.iter().sum::<f64>()).sum()
    };
    let phase_var = settled(squares + 2.0 * total(&later), process.mean * process.mean);
    let (mut iterations_var, mut cov) = (0.0, 0.0);
    if !iterations.limits.is_empty() {
        let later_iterations = self::later(whole, law, &iterations.weighted)?;
        iterations_var = iterations.var + 2.0 * limited(&later_iterations);
        cov = iterations.cov_last + limited(&later) + total(&later_iterations);
    }
    Ok(Moments {
        phase_mean: process.mean,
        phase_var: phase_var.max(0.0),
        iterations_mean: iterations.mean,
        iterations_var: settled(iterations_var, iterations.mean * iterations.mean).max(0.0),
        cov: settled(cov, iterations.mean * process.mean),
    })
}

/// R = r_0 + R P of weight 0, the part that the modes alone make first.
fn later(whole: &Whole<'_>, law: &[f64], given: &[f64]) -> Result<Vec<f64>, TensorError> {
    let slow = whole.long_run.later(&whole.modes.transition, &whole.marginals(given));
    let mut sum = vec![0.0; whole.places()];
    for (mode, (weight, share)) in slow.iter().zip(&whole.long_run.law).enumerate() {
        if *share > 0.0 {
            let shape = whole.part(law, mode);
            let part = whole.part_mut(&mut sum, mode);
            part.iter_mut().zip(shape).for_each(|(place, shape)| *place = weight / share * shape);
        }
    }
    let mut after = vec![0.0; whole.places()];
    if !whole.step(&sum, &mut after) {
        return Err(TensorError::Interrupted);
    }
    let mut residual: Vec<f64> =
        given.iter().zip(&sum).zip(&after).map(|((given, sum), after)| given - (sum - after)).collect();
    let center = |measure: &mut [f64]| center(whole, law, measure);
    center(&mut residual);
    // Ten digits and some more of what is asked for.
    let goal = 1e-13 * absolute(given).max(1e-3 * absolute(&residual));
    let correction = krylov::solve(
        &residual,
        goal.max(f64::MIN_POSITIVE),
        whole.most_steps,
        &mut |m, out| whole.step(m, out),
        &center,
    )
    .ok_or_else(|| given_up(whole))?;
    if correction.left > MOST_LEFT * absolute(given) {
        return Err(given_up(whole));
    }
    sum.iter_mut().zip(&correction.value).for_each(|(sum, value)| *sum += value);
    Ok(sum)
}
