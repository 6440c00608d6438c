//! The result for people.

use super::{Document, MetricArg};
use crate::context::Screen;
use crate::human::{DASH, Table, count, parameter, quantity, significant};
use serde_json::Value;

/// Rows that are shown of the configurations.
const MOST_ROWS: usize = 40;

pub(super) fn text(document: &Document, metric: MetricArg, screen: Screen) -> String {
    let unit = match metric {
        MetricArg::Time => "s",
        MetricArg::Energy => "J",
    };
    let range = format!("{} % range", significant(100.0 * document.level, 4));
    let mut table = Table::new().text("name").number("value").number("standard error").number(range);
    for one in &document.coefficients {
        table.row([
            one.name.clone(),
            significant(one.value, 5),
            significant(one.stderr, 2),
            format!("{} to {}", significant(one.low, 4), significant(one.high, 4)),
        ]);
    }
    for one in &document.noise {
        let number =
            |value: Option<f64>, digits| value.map_or_else(|| DASH.to_owned(), |value| significant(value, digits));
        let ends = match (one.low, one.high) {
            (Some(low), Some(high)) => format!("{} to {}", significant(low, 4), significant(high, 4)),
            _ => "not told from none".to_owned(),
        };
        table.row([one.name.clone(), number(one.value, 5), DASH.to_owned(), ends]);
    }
    let mut text = table.render(screen);
    if !document.laws.is_empty() {
        text += &format!("\n{}", laws(document, screen));
    }
    if let Some(misfit) = document.misfit_pct {
        text += &format!("\nBeside the noise, the model is {} % off\n", significant(misfit, 2));
    }
    text += &format!(
        "\nCalibrated on {}: mean error {:.2} %, largest {:.2} %\n",
        count(document.train.rows, "configuration", "configurations"),
        document.train.d_avg_pct,
        document.train.d_max_pct
    );
    match &document.holdout {
        Some(holdout) => {
            text += &format!(
                "Held out, {}: mean error {:.2} %, largest {:.2} %\n",
                count(holdout.rows, "configuration", "configurations"),
                holdout.d_avg_pct,
                holdout.d_max_pct
            );
        }
        None => text += "Nothing is held out: --train EXPR says on which rows to calibrate\n",
    }
    text += &format!("Condition {}, {} simulations\n\n", significant(document.condition, 3), document.evaluations);
    text + &rows(document, unit, screen)
}

fn laws(document: &Document, screen: Screen) -> String {
    let mut table = Table::new().text("type").text("law").number("error of the next size").text("").text("");
    for one in &document.laws {
        let score = one.score_pct.map_or_else(|| DASH.to_owned(), |score| format!("{} %", significant(score, 4)));
        let chosen = if one.chosen { "chosen" } else { "" };
        table.row([one.kind.clone(), one.law.to_owned(), score, chosen.to_owned(), one.why.clone()]);
    }
    table.render(screen)
}

fn rows(document: &Document, unit: &str, screen: Screen) -> String {
    let names: Vec<&String> = document.rows.first().map(|row| row.params.keys().collect()).unwrap_or_default();
    let mut table = Table::new();
    for name in &names {
        table = table.number(name.as_str());
    }
    table = table.text("set").number("real").number("simulated").number("error");
    for row in document.rows.iter().take(MOST_ROWS) {
        let of =
            |name: &str| row.values.iter().find(|(key, _)| key.starts_with(name)).and_then(|(_, value)| value.as_f64());
        let value = |value: Option<&Value>| match value {
            Some(Value::Number(number)) => number.as_f64().map_or_else(|| number.to_string(), parameter),
            Some(Value::String(text)) => text.clone(),
            _ => DASH.to_owned(),
        };
        let mut cells: Vec<String> = names.iter().map(|name| value(row.params.get(name.as_str()))).collect();
        cells.push(row.set.clone());
        for name in ["real", "simulated"] {
            cells.push(of(name).map_or_else(|| DASH.to_owned(), |value| quantity(value, unit)));
        }
        cells.push(of("d_pct").map_or_else(|| DASH.to_owned(), |error| format!("{error:.2} %")));
        table.row(cells);
    }
    let left = document.rows.len().saturating_sub(MOST_ROWS);
    table.render(screen) + &if left > 0 { format!("and {left} more: --json\n") } else { String::new() }
}
