//! The result for people.

use super::document::{Shown, ShownRecording};
use crate::context::Screen;
use crate::human::{Table, count, quantity, significant};
use std::fmt::Write;

/// All recordings, one after the other, then the forecasts.
pub(super) fn text(shown: &Shown, screen: Screen) -> String {
    let mut out = String::new();
    for recording in &shown.recordings {
        one(&mut out, recording, shown.top, screen);
    }
    out.push_str(&factors(shown, screen));
    if !shown.forecast.is_empty() {
        let mut table = Table::new().number("p").number("time").number("low").number("high");
        for forecast in &shown.forecast {
            let times = [forecast.time_s, forecast.time_low_s, forecast.time_high_s];
            table.row(std::iter::once(forecast.p.to_string()).chain(times.map(|time| quantity(time, "s"))));
        }
        let _ = write!(out, "\nforecast at level {}\n{}", shown.forecast[0].level, table.render(screen));
    }
    out
}

fn one(out: &mut String, recording: &ShownRecording, top: usize, screen: Screen) {
    let partial = if recording.partial { ", partial" } else { "" };
    let _ = writeln!(
        out,
        "{}: p {}, {} by {}{partial}",
        recording.path,
        recording.p,
        quantity(recording.time_s, "s"),
        count(recording.events as usize, "call", "calls"),
    );
    if let Some(limits) = &recording.limits {
        let _ = writeln!(out, "limited by {limits}");
    }
    let mut table = Table::new()
        .text("call")
        .text("site")
        .number("calls")
        .number("bytes")
        .number("in MPI")
        .number("before")
        .number("share");
    for site in recording.sites.iter().take(top) {
        table.row([
            site.call.clone(),
            format!("s{} {}", site.site, site.place),
            site.calls.to_string(),
            quantity(site.bytes as f64, "B"),
            quantity(site.call_time_s, "s"),
            quantity(site.block_time_s, "s"),
            format!("{} %", significant(100.0 * site.share, 3)),
        ]);
    }
    let _ = writeln!(out, "\n{}", table.render(screen));
}

/// Factors by recording: a column each.
fn factors(shown: &Shown, screen: Screen) -> String {
    let mut table = Table::new().text("factor");
    for recording in &shown.recordings {
        table = table.number(format!("p = {}", recording.p));
    }
    let value = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| significant(value, 3));
    let names = shown.recordings.first().map(|one| one.factors.named()).into_iter().flatten();
    for (row, (name, _)) in names.enumerate() {
        let values: Vec<Option<f64>> = shown.recordings.iter().map(|one| one.factors.named()[row].1).collect();
        if values.iter().any(Option::is_some) {
            table.row(std::iter::once(name.replace('_', " ")).chain(values.into_iter().map(value)));
        }
    }
    let speedups = shown.recordings.iter().map(|one| value(one.speedup));
    table.row(std::iter::once("speedup".to_owned()).chain(speedups));
    table.render(screen)
}
