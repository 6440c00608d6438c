//! How long a larger run takes.

use super::{Amount, processes};
use crate::human;
use runcast_core::prediction::{Prediction, Verdict};
use runcast_fit::Model;

/// A run that would decide between models that disagree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Next {
    pub processes: f64,
    /// What it costs, by the forecast.
    pub core_hours: Option<f64>,
}

/// The prediction that a sentence is about: of the last target, a time where one is predicted.
pub fn main(predictions: &[Prediction]) -> Option<&Prediction> {
    let last = &predictions.last()?.at;
    let of_last = || predictions.iter().filter(|prediction| prediction.at == *last);
    of_last().find(|prediction| prediction.unit == "s").or_else(|| of_last().next())
}

/// `About 18 min (12 to 27 min, 90 %) on 256 processes, 4 times beyond what was measured.`
pub fn of(prediction: &Prediction, model: Option<&Model>, next: Option<Next>) -> String {
    let place = Place::of(prediction, model);
    let Some(value) = prediction.value else {
        let why = prediction.warnings.first().map_or(String::new(), |code| format!(" ({})", code.replace('_', " ")));
        return format!("There is no forecast {}: it was refused{why}.", place.on);
    };
    if prediction.verdict == Verdict::Disagree
        && let Some([least, most]) = extremes(prediction)
    {
        let [least, most] = [least, most].map(|value| human::quantity(value, &prediction.unit));
        return format!("The models disagree {}: {least} or {most}.{}", place.at, told(next));
    }
    let range = prediction.low.zip(prediction.high).map(|(low, high)| [low, high]);
    let level = Some(prediction.level).filter(|level| level.is_finite());
    let amount = Amount { value, range, level, unit: &prediction.unit };
    let beyond = match prediction.horizon {
        horizon if horizon > 1.0 => format!("{} times beyond what was measured", human::significant(horizon, 3)),
        horizon if horizon.is_finite() => "within what was measured".to_owned(),
        _ => return format!("About {} {}.", amount.told("the model gives none"), place.on),
    };
    format!("About {} {}, {beyond}.", amount.told("the model gives none"), place.on)
}

fn told(next: Option<Next>) -> String {
    let Some(next) = next else { return " A run nearer to it would tell.".to_owned() };
    let cost =
        next.core_hours.map_or(String::new(), |hours| format!(" (about {} core-hours)", human::significant(hours, 2)));
    format!(" A run on {} would tell{cost}.", human::parameter(next.processes))
}

/// The least and the largest member.
fn extremes(prediction: &Prediction) -> Option<[f64; 2]> {
    let values = || prediction.members.iter().filter_map(|member| member.value).filter(|value| *value > 0.0);
    let [least, most] = [values().reduce(f64::min)?, values().reduce(f64::max)?];
    (least < most).then_some([least, most])
}

/// Where a prediction is made, in words.
struct Place {
    /// `on 256 processes`
    on: String,
    /// `at 256`
    at: String,
}

impl Place {
    /// Parameters that never varied say nothing, unless the target is beyond them.
    fn of(prediction: &Prediction, model: Option<&Model>) -> Place {
        let counts = model.and_then(|model| Some(&model.series.parameters[model.series.process_parameter?]));
        let count = counts.and_then(|name| prediction.at.get(name));
        let varies = |name: &str| {
            let Some(model) = model else { return true };
            let Some(index) = model.series.parameters.iter().position(|known| known == name) else { return false };
            let first = model.series.points.first().map(|point| point.at[index]);
            model.series.points.iter().any(|point| Some(point.at[index]) != first)
        };
        let is_beyond = |name: &str| prediction.distance.get(name).is_some_and(|distance| *distance > 1.0);
        let others = prediction.at.0.iter().filter(|(name, _)| count.is_none() || Some(*name) != counts);
        let others: Vec<String> = others
            .filter(|(name, _)| varies(name) || is_beyond(name))
            .map(|(name, value)| format!("{name} = {}", human::parameter(*value)))
            .collect();
        match count {
            Some(count) => {
                let rest = if others.is_empty() { String::new() } else { format!(" at {}", others.join(", ")) };
                Place {
                    on: format!("on {}{rest}", processes(count)),
                    at: format!("at {}{rest}", human::parameter(count)),
                }
            }
            None => {
                let at = if others.is_empty() { prediction.at.to_string() } else { others.join(", ") };
                Place { on: format!("at {at}"), at: format!("at {at}") }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::Configuration;
    use runcast_core::prediction::MemberValue;

    fn at_256(value: Option<f64>) -> Prediction {
        let at = Configuration([("N".to_owned(), 256.0)].into_iter().collect());
        let bare = Prediction::new("fit", "auto", "time_s", at, value);
        Prediction { horizon: 4.0, ..bare.within(0.9, Some(720.0), Some(1620.0)) }
    }

    #[test]
    fn the_sentence_gives_time_range_and_distance() {
        let told = of(&at_256(Some(1080.0)), None, None);
        assert_eq!(told, "About 18 min (720 s to 27 min, 90 %) at N = 256, 4 times beyond what was measured.");
        assert!(of(&at_256(None), None, None).starts_with("There is no forecast at N = 256"));
    }

    #[test]
    fn models_that_disagree_are_told_with_the_run_that_decides() {
        let members = [540.0, 1860.0].map(|value| MemberValue { model: "m".to_owned(), value: Some(value) });
        let torn = Prediction { verdict: Verdict::Disagree, members: members.to_vec(), ..at_256(Some(1000.0)) };
        let told = of(&torn, None, Some(Next { processes: 128.0, core_hours: Some(0.6) }));
        assert_eq!(
            told,
            "The models disagree at N = 256: 540 s or 31 min. A run on 128 would tell (about 0.6 core-hours)."
        );
    }
}
