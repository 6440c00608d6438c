//! What a campaign found, for people.

use super::document::{DegreeEntry, Document};
use crate::context::Screen;
use crate::human::{self, DASH, Table, percent};
use crate::wavefront::solve::text::title;
use crate::wavefront::solve::words::seconds;
use runcast_report::plot::{Axis, Bar, Bars, Place, Plot, Rule, Scale};

/// The error table: a row a degree, a column an estimate; and the times.
pub(super) fn text(document: &Document, screen: Screen) -> String {
    let digits = human::significant(document.digits, 4);
    let runs = human::count(usize::try_from(document.runs).unwrap_or(usize::MAX), "run", "runs");
    let heading = format!(
        "{}\n{runs} of each degree to {digits} digits, {} operator of {} numbers\n",
        title(&document.model),
        document.operator.kind,
        document.operator.dimension
    );
    let names: Vec<&str> =
        document.degrees.first().map_or(Vec::new(), |degree| degree.estimates.iter().map(|of| of.name).collect());
    let optional = |value: Option<f64>, shown: &dyn Fn(f64) -> String| value.map_or(DASH.to_owned(), shown);
    let number = |value: f64| human::significant(value, 4);
    let mut times = Table::new().text("degree").number("reached").number("time").number("sd");
    times = times.number("phases").number("iterations").number("forecast").number("error");
    let mut errors = Table::new().text("error of the rate").number("observed");
    for name in &names {
        errors = errors.number(*name);
    }
    for degree in &document.degrees {
        let forecast = forecast(degree);
        times.row([
            degree.name.clone(),
            format!("{} of {}", degree.reached, degree.runs),
            optional(degree.time_mean_s, &seconds),
            optional(degree.time_sd_s, &seconds),
            optional(degree.phases_mean, &number),
            optional(degree.iterations_mean, &number),
            optional(forecast.and_then(|(_, time_s, _)| time_s), &seconds),
            human::signed_percent(forecast.and_then(|(_, _, error)| error).map(|error| 100.0 * error), 1),
        ]);
        let observed = optional(degree.rate_per_iteration, &number);
        let of = |name: &&str| degree.estimates.iter().find(|of| of.name == *name).and_then(|of| of.rate_error);
        let off = names.iter().map(|name| percent(of(name).map(|error| 100.0 * error)));
        errors.row([degree.name.clone(), observed].into_iter().chain(off));
    }
    format!("{heading}\n{}\n{}", times.render(screen), errors.render(screen))
}

/// Name, time and error of the estimate to go by: what the operator gains, where that is known.
fn forecast(degree: &DegreeEntry) -> Option<(&'static str, Option<f64>, Option<f64>)> {
    let of = |name: &str| degree.estimates.iter().find(|of| of.name == name && of.time_s.is_some());
    of("operator").or_else(|| of("average")).map(|of| (of.name, of.time_s, of.time_error))
}

/// Histograms of the times, with the forecasts.
pub(super) fn plot(document: &Document) -> Plot {
    let axis = Axis::new("time of a run", "s").scaled(Scale::Linear);
    let title = format!("Time to {} digits", human::significant(document.digits, 4));
    let mut plot = Plot::new(title, axis, Axis::new("runs", "").scaled(Scale::Linear));
    for degree in &document.degrees {
        let bar = |bar: &super::document::BarEntry| Bar { from: bar.from_s, to: bar.to_s, value: bar.count as f64 };
        plot = plot.with(Bars { name: degree.name.clone(), bars: degree.histogram.iter().map(bar).collect() });
    }
    for degree in &document.degrees {
        if let Some((name, Some(time_s), _)) = forecast(degree) {
            plot = plot.with(Rule { place: Place::Vertical(time_s), label: format!("{} by {name}", degree.name) });
        }
    }
    plot
}
