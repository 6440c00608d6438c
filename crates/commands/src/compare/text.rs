//! The answer for people: what was measured and forecast, who is better, three sentences.

use super::document::{Assumption, Compared, Document};
use crate::context::Screen;
use crate::human::{DASH, Table, percent, quantity, significant};
use runcast_core::configuration::group_name;
use std::fmt::Write;

/// Configurations that are shown.
const MOST_ROWS: usize = 60;
/// Pairs that are named in a sentence.
const MOST_PAIRS: usize = 3;

pub(super) fn text(document: &Document, screen: Screen) -> String {
    let mut text = configurations(document, screen);
    text.push_str(&inputs(document, screen));
    for sentence in [agreeing(document), differing(document), deciding(document)].into_iter().flatten() {
        let _ = writeln!(text, "{sentence}");
    }
    text
}

fn configurations(document: &Document, screen: Screen) -> String {
    let mut table = Table::new().text("at").number("measured").text("input").number("forecast").number("low");
    table = table.number("high").number("error").text("");
    let shown: Vec<&Compared> = document.configurations.iter().take(MOST_ROWS).collect();
    for one in &shown {
        let at = [one.at.to_string(), group_name(&one.group)];
        let at = at.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(", ");
        let measured = one.measured.map_or(DASH.to_owned(), |measured| quantity(measured.value, &document.unit));
        let mut head = [at, measured];
        if one.forecasts.is_empty() {
            let [at, measured] = head;
            table.row([
                at,
                measured,
                DASH.to_owned(),
                String::new(),
                String::new(),
                String::new(),
                String::new(),
                String::new(),
            ]);
            continue;
        }
        for forecast in &one.forecasts {
            let value = |value: Option<f64>| value.map_or(DASH.to_owned(), |value| quantity(value, &document.unit));
            let note = match (forecast.seen, forecast.covered) {
                (true, _) => "seen",
                (false, Some(false)) => "outside",
                _ => "",
            };
            let [at, measured] = std::mem::take(&mut head);
            table.row([
                at,
                measured,
                forecast.input.clone(),
                value(forecast.value),
                value(forecast.low),
                value(forecast.high),
                forecast.error_pct.map_or(String::new(), |error| percent(Some(error))),
                note.to_owned(),
            ]);
        }
    }
    let left = document.configurations.len() - shown.len();
    let more = if left > 0 { format!("and {left} more configurations: --json, -o\n") } else { String::new() };
    format!("{}{more}\n", table.render(screen))
}

fn inputs(document: &Document, screen: Screen) -> String {
    let ranking = &document.ranking;
    if ranking.order.is_empty() {
        return String::new();
    }
    let mut table =
        Table::new().number("").text("input").text("method").number("median error").number("covered").text("");
    for (place, name) in ranking.order.iter().enumerate() {
        let Some(input) = document.inputs.iter().find(|input| input.input == *name) else { continue };
        let is_tied = ranking.tied.iter().any(|group| group.contains(name));
        table.row([
            (place + 1).to_string(),
            name.clone(),
            input.summary.method.clone(),
            percent(ranking.median_error_pct.get(place).copied()),
            input.summary.coverage_pct.map_or(DASH.to_owned(), |share| percent(Some(share))),
            if is_tied { "tied" } else { "" }.to_owned(),
        ]);
    }
    let points = match ranking.points {
        1 => "1 configuration that none of them has seen".to_owned(),
        many => format!("{many} configurations that none of them has seen"),
    };
    let mut text = format!("Ranked on {points}:\n{}", table.render(screen));
    if !ranking.not_comparable.is_empty() {
        let _ = writeln!(text, "not ranked with these: {}", ranking.not_comparable.join(", "));
    }
    text.push('\n');
    if let Some(combined) = &document.combined {
        let members: Vec<String> = combined
            .members
            .iter()
            .filter(|member| member.weight > 0.0)
            .map(|member| format!("{} {}", member.input, significant(member.weight, 3)))
            .collect();
        let _ = writeln!(text, "combined, by weight: {}", members.join(", "));
        for prediction in &combined.predictions {
            let value = |value: Option<f64>| value.map_or(DASH.to_owned(), |value| quantity(value, &document.unit));
            let _ = writeln!(
                text,
                "  {}: {}, {} to {}",
                prediction.at,
                value(prediction.value),
                value(prediction.low),
                value(prediction.high)
            );
        }
        text.push('\n');
    }
    text
}

/// Who agrees wherever they both say something.
pub(super) fn agreeing(document: &Document) -> Option<String> {
    let mut pairs: Vec<(&str, &str, bool, bool)> = Vec::new();
    for one in &document.agreement {
        match pairs.iter_mut().find(|(a, b, ..)| *a == one.a && *b == one.b) {
            Some((.., agree, _)) => *agree &= one.agree,
            None => pairs.push((&one.a, &one.b, one.agree, one.independent == Some(true))),
        }
    }
    let told: Vec<String> = pairs
        .iter()
        .filter(|(_, _, agree, independent)| *agree && *independent)
        .map(|(a, b, ..)| format!("{a} and {b}"))
        .collect();
    let more = told.len().saturating_sub(MOST_PAIRS);
    let more = if more > 0 { format!(" and {more} more pairs") } else { String::new() };
    let first = told.iter().take(MOST_PAIRS).cloned().collect::<Vec<_>>().join("; ");
    let assumed = document.agreement.iter().any(|one| one.assumed_range && one.agree && one.independent == Some(true));
    let assumed = if assumed { " (10 % where one has no range)" } else { "" };
    (!told.is_empty()).then(|| format!("They agree within their ranges{assumed}, and share no runs: {first}{more}."))
}

pub(super) fn differing(document: &Document) -> Option<String> {
    let worst = document.differences.iter().max_by(|a, b| a.ratio.ln().abs().total_cmp(&b.ratio.ln().abs()))?;
    let effect = |one: &Assumption| {
        one.effect_pct.map_or(String::new(), |effect| format!(", {} of the gap", percent(Some(effect))))
    };
    let why: Vec<String> = worst
        .assumptions
        .iter()
        .map(|one| format!("{} ({}{})", one.code.replace('_', " "), one.modeled_by, effect(one)))
        .collect();
    let why = match why.is_empty() {
        true => String::new(),
        false => format!("; what only one of them models: {}", why.join(", ")),
    };
    let ratio = significant(worst.ratio.max(1.0 / worst.ratio), 3);
    Some(format!("{} and {} differ by a factor of {ratio} at {}{why}.", worst.a, worst.b, worst.at))
}

pub(super) fn deciding(document: &Document) -> Option<String> {
    let worst = document.differences.iter().max_by(|a, b| a.ratio.ln().abs().total_cmp(&b.ratio.ln().abs()))?;
    Some(match &worst.run {
        Some(run) => {
            let cost =
                run.core_hours.map_or(String::new(), |hours| format!(", at most {} core-hours", significant(hours, 2)));
            let separation = significant(run.separation, 2);
            format!("A run at {} would tell them apart ({separation} standard deviations{cost}).", run.at)
        }
        None => "No affordable run tells them apart.".to_owned(),
    })
}
