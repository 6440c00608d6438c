//! Plots time against core-hours: each number of processes is a point, and the front is joined.

use crate::failure::Failure;
use runcast_core::Problem;
use runcast_fit::advise::processes::{Advice, Choice};
use runcast_report::plot::{Axis, Line, Plot, Points, Scale};

/// An axis whose values span more than this is logarithmic.
const WIDE: f64 = 8.0;

/// # Errors
/// There is no time to draw.
pub(super) fn front(advice: &Advice) -> Result<Plot, Failure> {
    let point = |choice: &Choice| Some((choice.core_hours?, choice.time_s?));
    let mut front: Vec<(f64, f64)> = advice.choices.iter().filter(|choice| choice.on_front).filter_map(point).collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: Vec<(f64, f64)> = advice.choices.iter().filter_map(point).collect();
    if all.is_empty() {
        return Err(Problem::new("nothing_to_draw", "there is nothing to draw").at("--plot").into());
    }
    let (mut across, mut up) = (Axis::new("core-hours", ""), Axis::new("time", "s"));
    if is_wide(all.iter().map(|point| point.0)) {
        across = across.scaled(Scale::Log10);
    }
    if is_wide(all.iter().map(|point| point.1)) {
        up = up.scaled(Scale::Log10);
    }
    let title = "run time against core-hours, by number of processes";
    Ok(Plot::new(title, across, up).with(Line::new("front", front)).with(Points::new("choices", all)))
}

fn is_wide(values: impl Iterator<Item = f64>) -> bool {
    let (least, most) =
        values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
    least > 0.0 && most > WIDE * least
}
