//! The degrees or the law of the time, as pictures.

use super::document::{Document, TimeEntry};
use super::table::around;
use super::text;
use super::words::{seconds, sentence_of_degrees, spoken};
use runcast_report::plot::Plot;
use runcast_report::wavefront_report::{Degree, EstimatedTime, TimeLaw, degrees_plot, time_plot};

/// A point for each degree and estimate.
pub(crate) fn degrees(document: &Document, level: f64) -> Option<Plot> {
    let degrees = document.degrees.as_ref()?.iter().map(|degree| Degree {
        name: spoken(degree),
        times: degree
            .estimates
            .named()
            .into_iter()
            .filter_map(|(name, estimate)| {
                let time_s = estimate.time_s?;
                let range_s = estimate.sd_autocov_s.map(|sd_s| around(time_s, sd_s, level));
                Some(EstimatedTime { estimate: name.to_owned(), time_s, range_s })
            })
            .collect(),
    });
    let title = format!("Time to {} digits by degree of asynchronism", document.model.omega);
    Some(degrees_plot(&title, &sentence_of_degrees(document), &degrees.collect::<Vec<_>>()))
}

/// The distribution function.
pub(crate) fn law(document: &Document, time: &TimeEntry) -> Plot {
    time_plot(&TimeLaw {
        title: format!("Time of {} phases, {}", time.phases, text::title(&document.model)),
        subtitle: format!("{} on average", seconds(time.mean_s)),
        mean_s: time.mean_s,
        distribution: time.cdf.iter().map(|at| (at.time_s, at.probability)).collect(),
        quantiles: time.quantiles.iter().map(|quantile| (quantile.q, quantile.time_s)).collect(),
        deadlines_s: time.tails.iter().map(|tail| tail.threshold_s).collect(),
    })
}
