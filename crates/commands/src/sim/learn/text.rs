//! The text of a learnt model for people.

use super::document::Document;
use crate::context::Screen;
use crate::human::{Table, quantity, significant};

/// Grid, check and forecast.
pub(super) fn text(document: &Document, screen: Screen) -> String {
    let mut text = String::new();
    if let Some(grid) = &document.grid {
        let wrap = if grid.wrap { "periodic" } else { "not periodic" };
        let sizes = grid.sizes.join(", ");
        text.push_str(&format!("grid of {} dimensions, {wrap}: {sizes}\n", grid.dims));
    }
    let share = |share: f64| significant(100.0 * share, 4);
    text.push_str(&format!(
        "{} positions of ranks; {} % of calls, {} % of processor time\n\n",
        document.classes.len(),
        share(document.coverage.calls),
        share(document.coverage.time)
    ));
    let mut table = Table::new().number("p").number("calls").number("right").text("bytes").number("recorded");
    table = table.number("simulated").number("difference").text("");
    for check in &document.check {
        let time = |time: Option<f64>| time.map_or("-".to_owned(), |time| quantity(time, "s"));
        let difference = check.difference_pct.map_or("-".to_owned(), |pct| format!("{} %", significant(pct, 3)));
        table.row([
            check.p.to_string(),
            check.calls.to_string(),
            check.calls_right.to_string(),
            if check.bytes_equal { "equal" } else { "differ" }.to_owned(),
            time(check.recorded_s),
            time(check.simulated_s),
            difference,
            if check.held_out { "held out" } else { "" }.to_owned(),
        ]);
    }
    text.push_str(&table.render(screen));
    if document.unexplained.iter().any(|one| one.calls.is_some()) {
        text.push('\n');
        let mut table = Table::new().text("left out").number("calls").number("share").text("where").text("why");
        for one in document.unexplained.iter().filter(|one| one.calls.is_some()) {
            table.row([
                one.call.clone().unwrap_or_default(),
                one.calls.unwrap_or(0).to_string(),
                format!("{} %", significant(100.0 * one.share.unwrap_or(0.0), 3)),
                one.r#where.as_deref().and_then(|path| path.split(" < ").next()).unwrap_or_default().to_owned(),
                one.why.trim_start_matches("unexplained: ").to_owned(),
            ]);
        }
        text.push_str(&table.render(screen));
    }
    if !document.forecast.is_empty() {
        text.push('\n');
        let mut table = Table::new().number("p").number("time").number("low").number("high");
        for one in &document.forecast {
            let times = [one.time_s, one.time_low_s, one.time_high_s].map(|time| quantity(time, "s"));
            let [time, low, high] = times;
            table.row([one.p.to_string(), time, low, high]);
        }
        text.push_str(&table.render(screen));
    }
    text
}
