//! What the answers of all inputs say about each other and about the runs.

use super::CompareArgs;
use super::ask::Competitor;
use super::assumptions;
use super::document::{
    Agreement, Asked, Assumption, Combined, Compared, Decider, Difference, Document, Forecast, Measured, Member, Needs,
    Ranking,
};
use super::rows::{Row, Rows};
use runcast_core::comparison::{self, ASSUMED, Law, Side, deviate, separation};
use runcast_core::evaluation::{EvaluationPoint, ModelSummary, summarize};
use runcast_core::prediction::Prediction;
use runcast_core::{Direction, Warning, statistics};
use serde_json::{Map, Value, json};

/// Weighs and ranks; what inputs are called becomes unique.
pub(super) fn judge(
    args: &CompareArgs,
    rows: &Rows,
    mut competitors: Vec<Competitor>,
    mut warnings: Vec<Warning>,
) -> Document {
    name(&mut competitors);
    let shown: Vec<usize> = (0..rows.list.len()).filter(|&index| !rows.list[index].is_candidate).collect();
    let configurations = shown.iter().map(|&index| compared(&rows.list[index], index, &competitors)).collect();
    let inputs: Vec<Asked> = competitors.iter().map(|one| asked(one, rows, &shown)).collect();
    let ranking = ranking(&competitors, rows, &shown, args.seed.seed);
    let (agreement, differences) = differences(args, &competitors, rows, &shown);
    let combined = args.combine.then(|| combined(args, &competitors, rows, &shown));
    let silent: Vec<&str> =
        competitors.iter().filter(|one| one.answered() == 0).map(|one| one.input.as_str()).collect();
    if !silent.is_empty() {
        let reason = competitors.iter().filter(|one| one.answered() == 0).find_map(|one| one.reasons.first());
        let message =
            format!("{} says nothing here: {}", silent.join(", "), reason.map_or("no reason is known", String::as_str));
        warnings.push(Warning::new("no_answer", message));
    }
    Document {
        kind: "compare".to_owned(),
        version: 1,
        metric: rows.metric.name.clone(),
        unit: rows.metric.unit.clone(),
        level: args.level.level,
        parameters: rows.parameters.clone(),
        configurations,
        inputs,
        ranking,
        agreement,
        differences,
        combined,
        warnings,
    }
}

/// Several models of one input are distinguished by their names.
pub(super) fn name(competitors: &mut [Competitor]) {
    let files: Vec<String> = competitors.iter().map(|one| one.input.clone()).collect();
    for (index, one) in competitors.iter_mut().enumerate() {
        let is_alone = files.iter().filter(|file| **file == files[index]).count() == 1;
        if !is_alone && !one.model.is_empty() {
            one.input = format!("{}/{}", one.input, one.model);
        }
    }
}

pub(super) fn median(row: &Row) -> Option<f64> {
    (!row.values.is_empty()).then(|| statistics::median(&row.values))
}

fn compared(row: &Row, index: usize, competitors: &[Competitor]) -> Compared {
    let extreme = |start: f64, of: fn(f64, f64) -> f64| row.values.iter().copied().fold(start, of);
    let measured = median(row).map(|value| Measured {
        value,
        low: extreme(f64::INFINITY, f64::min),
        high: extreme(f64::NEG_INFINITY, f64::max),
        runs: row.values.len(),
    });
    let forecasts = competitors.iter().filter_map(|one| {
        let said = one.answers[index].as_ref()?;
        let point = point(one, row, said);
        let in_range =
            |value: &&f64| said.low.is_some_and(|low| low <= **value) && said.high.is_some_and(|high| **value <= high);
        let has_range = said.low.is_some() && said.high.is_some() && !row.values.is_empty();
        Some(Forecast {
            input: one.input.clone(),
            method: one.method.clone(),
            model: one.model.clone(),
            value: said.value,
            low: said.low,
            high: said.high,
            error_pct: point.as_ref().and_then(|point| point.error_pct),
            covered: point.as_ref().and_then(|point| point.covered),
            covered_runs: has_range.then(|| row.values.iter().filter(in_range).count()),
            seen: one.seen[index],
            extrapolates: said.extrapolates,
            horizon: said.horizon,
            verdict: said.verdict,
            warnings: said.warnings.clone(),
        })
    });
    Compared { at: row.at.clone(), group: row.group.clone(), measured, forecasts: forecasts.collect() }
}

/// A forecast beside the runs.
fn point(one: &Competitor, row: &Row, said: &Prediction) -> Option<EvaluationPoint> {
    let measured = median(row)?;
    let point = EvaluationPoint {
        method: one.method.clone(),
        model: one.model.clone(),
        measured,
        predicted: said.value,
        low: said.low,
        high: said.high,
        ..EvaluationPoint::default()
    };
    Some(point.scored_by_runs(&row.values))
}

fn asked(one: &Competitor, rows: &Rows, shown: &[usize]) -> Asked {
    let answers = || shown.iter().filter_map(|&index| Some((index, one.answers[index].as_ref()?)));
    let answered = answers().filter(|(_, said)| said.value.is_some()).count();
    let unseen = || answers().filter(|(index, _)| !one.seen[*index]);
    let points: Vec<EvaluationPoint> =
        unseen().filter_map(|(index, said)| point(one, &rows.list[index], said)).collect();
    let summary = summarize(&points).into_iter().next();
    let none = ModelSummary { method: one.method.clone(), model: one.model.clone(), ..ModelSummary::default() };
    let (mut inside, mut of) = (0usize, 0usize);
    for (index, said) in unseen() {
        let (Some(low), Some(high)) = (said.low, said.high) else { continue };
        let values = &rows.list[index].values;
        inside += values.iter().filter(|value| (low..=high).contains(*value)).count();
        of += values.len();
    }
    let stances = assumptions::CODES.iter().zip(assumptions::of(&one.method, &one.features));
    Asked {
        input: one.input.clone(),
        file: one.file.clone(),
        asked: shown.len(),
        answered,
        refused: shown.len() - answered,
        reasons: one.reasons.clone(),
        held_out: points.iter().filter(|point| point.predicted.is_some()).count(),
        summary: summary.unwrap_or(none),
        covered_runs_pct: (of > 0).then(|| 100.0 * inside as f64 / of as f64),
        needs: Needs {
            runs: one.runs,
            core_hours: one.core_hours,
            files: vec![one.file.clone()],
            machine_measured: one.machine_measured,
        },
        range: one.range.iter().map(|(name, ends)| (name.clone(), json!(ends))).collect(),
        assumptions: stances
            .map(|(code, stance)| ((*code).to_owned(), json!(stance.word())))
            .collect::<Map<_, Value>>(),
        warnings: one.warnings.clone(),
    }
}

/// `ln(measured/predicted)`, of a rate its reciprocal, on a row that the input has not seen.
pub(super) fn error(one: &Competitor, rows: &Rows, index: usize) -> Option<f64> {
    let predicted = one.answers[index].as_ref()?.value.filter(|value| *value > 0.0)?;
    let measured = median(&rows.list[index]).filter(|value| *value > 0.0)?;
    let error = (measured / predicted).ln();
    let error = if rows.metric.direction == Direction::Higher { -error } else { error };
    (!one.seen[index]).then_some(error)
}

fn ranking(competitors: &[Competitor], rows: &Rows, shown: &[usize], seed: u64) -> Ranking {
    let has_any = |one: &Competitor| shown.iter().any(|&index| error(one, rows, index).is_some());
    let (mut ranked, mut left): (Vec<usize>, Vec<usize>) =
        (0..competitors.len()).partition(|&one| has_any(&competitors[one]));
    // Whoever would leave no point to all others is not ranked with them.
    let common = |ranked: &[usize]| -> Vec<usize> {
        let all_have = |index: &usize| ranked.iter().all(|&one| error(&competitors[one], rows, *index).is_some());
        shown.iter().copied().filter(all_have).collect()
    };
    while common(&ranked).is_empty() && ranked.len() > 1 {
        let count =
            |&one: &usize| shown.iter().filter(|&&index| error(&competitors[one], rows, index).is_some()).count();
        let Some(place) = (0..ranked.len()).min_by_key(|&place| count(&ranked[place])) else { break };
        left.push(ranked.remove(place));
    }
    let points = common(&ranked);
    let errors: Vec<Vec<f64>> = ranked
        .iter()
        .map(|&one| points.iter().filter_map(|&index| error(&competitors[one], rows, index)).collect())
        .collect();
    let found = comparison::rank(&errors, seed);
    let name = |place: &usize| competitors[ranked[*place]].input.clone();
    let median_pct = |place: &usize| {
        let relative: Vec<f64> = errors[*place].iter().map(|error| 100.0 * ((-error).exp() - 1.0).abs()).collect();
        statistics::median(&relative)
    };
    left.sort_unstable();
    Ranking {
        order: found.order.iter().map(name).collect(),
        tied: found.tied.iter().map(|group| group.iter().map(name).collect()).collect(),
        points: points.len(),
        not_comparable: left.iter().map(|&one| competitors[one].input.clone()).collect(),
        median_error_pct: found.order.iter().map(median_pct).collect(),
    }
}

/// A forecast with the standard deviation of its logarithm; the second value says that it was assumed.
pub(super) fn side(one: &Competitor, index: usize, level: f64) -> Option<(Side, bool)> {
    let said = one.answers[index].as_ref()?;
    let value = said.value.filter(|value| *value > 0.0)?;
    let level = if said.level.is_nan() { level } else { said.level };
    let law = said.low.zip(said.high).and_then(|(low, high)| Law::of_range(value, low, high, level));
    Some((Side { value, sd: law.map_or(ASSUMED, |law| law.sd()) }, law.is_none()))
}

fn differences(
    args: &CompareArgs,
    competitors: &[Competitor],
    rows: &Rows,
    shown: &[usize],
) -> (Vec<Agreement>, Vec<Difference>) {
    let level = args.level.level;
    let limit = deviate(level).unwrap_or(f64::INFINITY);
    let (mut agreement, mut differences) = (Vec::new(), Vec::new());
    for (number, a) in competitors.iter().enumerate() {
        for b in &competitors[number + 1..] {
            let mut most: Option<(f64, usize, f64)> = None;
            for &index in shown {
                let (Some((one, assumed)), Some((other, also))) = (side(a, index, level), side(b, index, level)) else {
                    continue;
                };
                let Some(z) = separation(one, other, 0.0) else { continue };
                if most.is_none_or(|(known, ..)| z > known) {
                    most = Some((z, index, one.value / other.value));
                }
                agreement.push(Agreement {
                    a: a.input.clone(),
                    b: b.input.clone(),
                    at: rows.list[index].at.clone(),
                    z,
                    agree: z <= limit,
                    independent: independent(a, b),
                    assumed_range: assumed || also,
                });
            }
            let Some((_, index, ratio)) = most.filter(|(z, ..)| *z > limit) else { continue };
            let of = |(code, is_first): (&'static str, bool)| {
                let modeled_by = if is_first { a.input.clone() } else { b.input.clone() };
                Assumption { code: code.to_owned(), modeled_by, effect_pct: None }
            };
            differences.push(Difference {
                a: a.input.clone(),
                b: b.input.clone(),
                at: rows.list[index].at.clone(),
                ratio,
                assumptions: assumptions::differences(a, b).into_iter().map(of).collect(),
                run: decider(args, a, b, rows),
            });
        }
    }
    (agreement, differences)
}

/// Whether two share no runs: files that learned from none share none.
fn independent(a: &Competitor, b: &Competitor) -> Option<bool> {
    match (a.runs, b.runs) {
        (Some(_), Some(_)) if a.learned.is_empty() || b.learned.is_empty() => None,
        (Some(_), Some(_)) => Some(a.learned.is_disjoint(&b.learned)),
        _ => Some(a.file != b.file),
    }
}

/// The run that distinguishes two best, of those that can be paid.
fn decider(args: &CompareArgs, a: &Competitor, b: &Competitor, rows: &Rows) -> Option<Decider> {
    let (level, noise) = (args.level.level, rows.noise());
    let hours = |p: f64, seconds: f64| p * args.cores_per_process * seconds / 3600.0;
    let is_time = rows.metric.unit == "s";
    let measured = rows.list.iter().filter_map(|row| Some((rows.processes(row)?, median(row)?)));
    let largest = measured.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(p, seconds)| hours(p, seconds));
    let budget = args.budget_core_hours.or(largest).unwrap_or(f64::INFINITY);
    let mut best: Option<Decider> = None;
    for (index, row) in rows.list.iter().enumerate().filter(|(_, row)| row.values.is_empty() || row.is_candidate) {
        let (Some((one, _)), Some((other, _))) = (side(a, index, level), side(b, index, level)) else { continue };
        let (Some(z), Some(p)) = (separation(one, other, noise), rows.processes(row)) else { continue };
        let upper = |one: &Competitor| one.answers[index].as_ref().and_then(|said| said.high.or(said.value));
        let cost = upper(a).into_iter().chain(upper(b)).map(|seconds| hours(p, seconds)).fold(0.0, f64::max);
        let can_be_paid = !is_time || cost <= budget;
        if z > 1.0 && can_be_paid && best.as_ref().is_none_or(|best| z > best.separation) {
            best = Some(Decider { at: row.at.clone(), separation: z, core_hours: is_time.then_some(cost) });
        }
    }
    best
}

fn combined(args: &CompareArgs, competitors: &[Competitor], rows: &Rows, shown: &[usize]) -> Combined {
    let level = args.level.level;
    let speaking: Vec<&Competitor> = competitors.iter().filter(|one| one.answered() > 0).collect();
    let errors: Vec<Vec<f64>> =
        speaking.iter().map(|one| shown.iter().filter_map(|&index| error(one, rows, index)).collect()).collect();
    let weights = comparison::weights(&errors);
    let members = speaking.iter().zip(&weights.of).zip(&weights.errors);
    let members =
        members.map(|((one, weight), error)| Member { input: one.input.clone(), weight: *weight, error: *error });
    let mut predictions = Vec::new();
    for &index in shown {
        let each = speaking.iter().zip(&weights.of).filter_map(|(one, weight)| {
            let (side, assumed) = side(one, index, level)?;
            let said = one.answers[index].as_ref()?;
            let of_range = said.low.zip(said.high).and_then(|(low, high)| Law::of_range(side.value, low, high, level));
            let law = of_range.unwrap_or(Law { value: side.value, low_sd: side.sd, high_sd: side.sd });
            Some(((*weight, law), assumed))
        });
        let (laws, assumed): (Vec<(f64, Law)>, Vec<bool>) = each.unzip();
        let Some(found) = comparison::combine(&laws, level) else { continue };
        let row = &rows.list[index];
        let mut one = Prediction::new("compare", "combined", &rows.metric.name, row.at.clone(), Some(found.value));
        one.unit.clone_from(&rows.metric.unit);
        one = one.of_group(row.group.clone());
        // Of ranges that are all assumed nothing is known.
        if !assumed.iter().all(|assumed| *assumed) {
            one = one.within(level, Some(found.low), Some(found.high));
        }
        if assumed.contains(&true) {
            one.warnings.push("assumed_range".to_owned());
        }
        predictions.push(one);
    }
    Combined { members: members.collect(), predictions }
}
