//! Laws on the lattice, and what is wrong with them there.

use super::{Parts, described};
use crate::model::Model;
use crate::model::binning::{Binning, MOST_TICKS};
use crate::model::distribution::{Shape, Trouble};
use crate::model::file::law::Described;
use crate::model::file::refused;
use crate::model::law::Law;
use runcast_core::Problem;
use runcast_core::toml::Reader;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of ticks of named laws in one model: about 10 s.
const MOST_EFFORT: f64 = 2e7;
/// Maximum number of products for the sum of the updates of alpha.
const MOST_PRODUCTS: f64 = 1e10;
/// A mean that binning has moved by more than this share is reported.
const MOVED: f64 = 0.01;

/// All laws of the file.
pub(super) fn laws(reader: &mut Reader<'_>, described: &[Described], step_s: f64) -> Option<Vec<Arc<Law>>> {
    let before = reader.problem_count();
    let mut effort = 0.0;
    let longest_s =
        described.iter().filter_map(|one| one.distribution.range_s()).fold(0.0_f64, |most, (_, s)| most.max(s));
    let fitting_s = 10_f64.powf((longest_s / MOST_TICKS as f64).log10().ceil());
    let mut laws = Vec::with_capacity(described.len());
    for one in described {
        effort += one.distribution.effort(step_s).min(MOST_TICKS as f64);
        if effort > MOST_EFFORT {
            let problem = Problem::new("too_large", "the laws of this model have too many ticks in total");
            let allowed = format!("{MOST_EFFORT:e} ticks");
            return refused(
                reader,
                &one.place,
                problem.allowed(allowed).hint("a larger step, or narrower laws (upper, clip)"),
            );
        }
        match one.distribution.law(step_s) {
            Ok(law) => {
                tell(reader, one, &law, step_s);
                laws.push(Arc::new(law));
            }
            Err(Trouble::NoLaw(error)) => {
                reader.wrong(&one.place, Problem::new("no_law", format!("{}: {error}", one.who)));
            }
            Err(Trouble::TooLong(ticks)) => {
                let problem = Problem::new("too_long", format!("the times of {} reach {ticks:.3e} ticks", one.who));
                let problem = problem.allowed(format!("at most {MOST_TICKS} ticks"));
                let hint = format!("a larger step, such as {}", time(fitting_s));
                reader.wrong(&one.place, problem.hint(hint));
            }
        }
    }
    (reader.problem_count() == before).then_some(laws)
}

/// The laws of a file on the lattice.
pub(super) struct Lattice {
    /// All of them, in the order of the file.
    pub laws: Vec<Arc<Law>>,
    /// Those that are multiplied, by their number and the bits of the factor.
    pub scaled: HashMap<(usize, u64), Arc<Law>>,
}

impl Lattice {
    /// A law, every time of it multiplied by a factor of the pilot.
    pub(super) fn times(&self, index: usize, factor: f64) -> &Arc<Law> {
        self.scaled.get(&(index, factor.to_bits())).unwrap_or(&self.laws[index])
    }
}

/// The laws that the pilot multiplies: on a lattice whose step is divided by the factor they are the same.
pub(super) fn scaled(
    reader: &mut Reader<'_>,
    parts: &Parts<'_, '_>,
    step_s: f64,
) -> Option<HashMap<(usize, u64), Arc<Law>>> {
    let before = reader.problem_count();
    let mut scaled = HashMap::new();
    for (index, factor) in parts.multiplied().into_iter().filter(|(_, factor)| *factor != 1.0) {
        let one = described(parts, index);
        if matches!(one.distribution.shape, Shape::Ticks(_)) {
            let problem =
                Problem::new("ticks", format!("[pilot] multiplies the times of {}, which are ticks", one.who));
            reader.wrong(&one.place, problem.allowed("times in seconds: values, samples, dist"));
            continue;
        }
        match one.distribution.law(step_s / factor) {
            Ok(law) => drop(scaled.insert((index, factor.to_bits()), Arc::new(law))),
            Err(_) => {
                let message = format!("{} times the factor {factor} of [pilot] is no law on this lattice", one.who);
                reader.wrong(&one.place, Problem::new("no_law", message).hint("another step"));
            }
        }
    }
    (reader.problem_count() == before).then_some(scaled)
}

/// A time as it is written in a file.
fn time(seconds: f64) -> String {
    runcast_formula::units::format_quantity_digits(seconds, "s", 6).replace(' ', "")
}

/// The effects of clipping and binning.
fn tell(reader: &mut Reader<'_>, one: &Described, law: &Law, step_s: f64) {
    let distribution = &one.distribution;
    let (mean_s, lost_s, raised_s) = (distribution.mean_s(step_s), distribution.lost_s, distribution.raised_s);
    let before_s = mean_s + lost_s - raised_s;
    let percent = |moved_s: f64| match before_s > 0.0 {
        true => format!(", {:.2} %", 100.0 * moved_s / before_s),
        false => String::new(),
    };
    if lost_s > 1e-12 * mean_s {
        let message = format!("{}: clipping lowers the mean by {}{}", one.who, time(lost_s), percent(lost_s));
        reader.warn(&one.place, "clipped", message);
    }
    // A lower end far out needs no warning.
    if raised_s > 1e-6 * mean_s {
        let message = format!(
            "{}: clipping at the lower end raises the mean by {}{}",
            one.who,
            time(raised_s),
            percent(raised_s)
        );
        reader.warn(&one.place, "clipped", message);
    }
    if distribution.binning == Binning::Up {
        let message = format!("{}: bin = \"up\" makes every time longer; it is meant for comparison", one.who);
        reader.warn(&one.place, "binned_up", message);
    }
    let moved = law.mean() * step_s - mean_s;
    if !matches!(distribution.shape, Shape::Ticks(_)) && moved.abs() > MOVED * mean_s {
        let message = format!(
            "{}: on the lattice the mean is {} instead of {}: a smaller step, or bin = \"split\"",
            one.who,
            time(law.mean() * step_s),
            time(mean_s)
        );
        reader.warn(&one.place, "binning", message);
    }
}

/// Records a law of an update that can take no time.
pub(super) fn check_update(reader: &mut Reader<'_>, one: &Described, law: &Law) {
    if law.least() > 0 {
        return;
    }
    let problem = Problem::new("no_time", format!("an update of {} can take 0 ticks", one.who));
    let problem = problem.value(format!("probability {:.3e}", law.at(0))).allowed("updates of 1 tick or more");
    reader.wrong(
        &one.place,
        problem.hint(match &one.distribution.shape {
            Shape::Ticks(_) => "a smaller step, and more ticks",
            Shape::Values(values) if values.first().is_some_and(|(least, _)| *least <= 0.0) => {
                "a least time: lower, or shift"
            }
            Shape::Values(_) => "a smaller step",
            Shape::Smooth(_) => "a smaller step, or a least time: lower, or shift",
        }),
    );
}

/// The sum of A updates must be within reach: its length, and the work to add them up.
pub(super) fn check_alpha(reader: &mut Reader<'_>, parts: &Parts<'_, '_>, model: &Model) {
    for laws in &model.modes.laws {
        for (index, (process, law)) in model.processes.iter().zip(&laws.update).enumerate() {
            let (ticks, products) = cost(law, process.alpha_updates);
            if ticks <= MOST_TICKS as f64 && products <= MOST_PRODUCTS {
                continue;
            }
            let message =
                format!("A = {} updates of {} take up to {ticks:.3e} ticks", process.alpha_updates, process.name);
            let place = &described(parts, parts.processes[index].update).place;
            let problem =
                Problem::new("too_long", message).allowed(format!("at most {MOST_TICKS} ticks, in few steps"));
            return reader.wrong(place, problem.hint("a larger step, or a smaller A"));
        }
    }
}

/// The largest sum of `count` times, and about how many products their convolution takes by doubling.
fn cost(law: &Law, count: u32) -> (f64, f64) {
    let (atoms, width) = (law.support().len() as f64, (law.most() - law.least()) as f64);
    let size = |count: f64| (count * width + 1.0).min(atoms.powf(count.min(40.0)));
    let (mut products, mut power, mut left) = (0.0, 1.0, count);
    while left > 1 {
        left >>= 1;
        products += 2.0 * size(power) * size(power);
        power *= 2.0;
    }
    (law.most() as f64 * f64::from(count), products)
}
