//! Histograms of the samples.

use super::Sampled;
use runcast_core::statistics::quantile_of_sorted;
use runcast_report::plot::{Axis, Line, Plot};
use runcast_wavefront::sample::series::{Series, Subject};

/// Bars of a histogram.
const BARS: usize = 50;
/// More curves than this hide each other.
const MOST: usize = 8;
/// The axis ends here: a few late samples would leave the rest in one bar.
const END: f64 = 0.995;

/// The share of updates over their time, a curve a process; of messages where there are no updates.
pub(super) fn plot(sampled: &Sampled<'_>) -> Plot {
    let of = |wants_processes: bool| -> Vec<&Series> {
        let is_process = |series: &&Series| matches!(series.subject, Subject::Process(_)) == wants_processes;
        sampled.series.iter().filter(is_process).take(MOST).collect()
    };
    let (series, what) = match of(true) {
        none if none.is_empty() => (of(false), "messages"),
        processes => (processes, "updates"),
    };
    let axis = Axis::new("time", "s");
    let mut plot =
        Plot::new(format!("Times of {what}"), axis, Axis::new("share of samples in a fiftieth of the axis", ""));
    let sorted: Vec<Vec<f64>> = series.iter().map(|series| sorted(series)).collect();
    let ends = |q: f64| sorted.iter().map(move |times| quantile_of_sorted(times, q));
    let (least, most) = (ends(0.0).fold(f64::INFINITY, f64::min), ends(END).fold(0.0, f64::max));
    for (series, times) in series.iter().zip(&sorted) {
        plot = plot.with(Line::new(series.subject.name(), steps(times, least, most)));
    }
    plot
}

fn sorted(series: &Series) -> Vec<f64> {
    let mut times = series.time_s.clone();
    times.sort_by(f64::total_cmp);
    times
}

/// The outline of a histogram.
fn steps(times: &[f64], least: f64, most: f64) -> Vec<(f64, f64)> {
    let width = (most - least) / BARS as f64;
    if width.is_nan() || width <= 0.0 {
        return vec![(least, 0.0), (least, 1.0)];
    }
    let edge = |bar: usize| least + width * bar as f64;
    let before = |value: f64| times.partition_point(|time| *time < value) as f64;
    let share = |bar: usize| {
        let last = bar + 1 == BARS;
        let to = if last { times.partition_point(|time| *time <= most) as f64 } else { before(edge(bar + 1)) };
        (to - before(edge(bar))) / times.len() as f64
    };
    (0..BARS).flat_map(|bar| [(edge(bar), share(bar)), (edge(bar + 1), share(bar))]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        let times: Vec<f64> = (0..1000).map(|index| f64::from(index) / 999.0).collect();
        let sum: f64 = steps(&times, 0.0, 1.0).iter().map(|(_, share)| share / 2.0).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        assert_eq!(steps(&[1.0, 1.0], 1.0, 1.0), [(1.0, 0.0), (1.0, 1.0)]);
    }
}
