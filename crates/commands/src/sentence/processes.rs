//! How many processes to ask for.

use super::{Amount, processes, share};
use crate::human;
use runcast_core::prediction::Verdict;
use runcast_fit::advise::processes::{Advice, Choice, Deadline, Objective};

/// `Ask for 32 processes: 79.1 ms (71.9 to 87.1 ms, 90 %). Beyond that it gets slower.`, or that none will do.
pub fn of(advice: &Advice, objective: &Objective, level: f64) -> String {
    let most = advice.choices.iter().map(|choice| choice.p).fold(0.0, f64::max);
    let Some(best) = &advice.recommended else {
        if matches!(objective, Objective::Front) {
            let front: Vec<String> = advice.front.iter().map(|p| human::parameter(*p)).collect();
            return format!("None of {} processes is better in everything than another of them.", front.join(", "));
        }
        return format!("No number up to {} meets {}.", human::parameter(most), goal(objective));
    };
    let time = best.time_s.map_or(String::new(), |time_s| {
        let range = best.low_s.zip(best.high_s).map(|(low, high)| [low, high]);
        let amount = Amount { value: time_s, range, level: Some(level), unit: "s" };
        format!(": {}", amount.told("the model gives none"))
    });
    let doubt =
        if best.verdict == Verdict::Disagree { " The models disagree there: measure nearer to it first." } else { "" };
    format!("Ask for {}{time}. {}{doubt}", processes(best.p), reason(advice, best, objective, most))
}

fn goal(objective: &Objective) -> String {
    match objective {
        Objective::Deadline(Deadline { time_s, probability: None }) => human::quantity(*time_s, "s"),
        Objective::Deadline(Deadline { time_s, probability: Some(wanted) }) => {
            format!("{} with a probability of {}", human::quantity(*time_s, "s"), share(*wanted))
        }
        Objective::Efficiency(least) => format!("an efficiency of {}", share(*least)),
        other => format!("the goal {}", other.text()),
    }
}

/// Why this number and no other.
fn reason(advice: &Advice, best: &Choice, objective: &Objective, most: f64) -> String {
    let is_last = best.p >= most;
    match objective {
        Objective::Time if is_last => "No larger number was looked at.".to_owned(),
        Objective::Time => "Beyond that it gets slower.".to_owned(),
        Objective::Efficiency(_) if is_last => "No larger number was looked at.".to_owned(),
        Objective::Efficiency(least) => format!("Beyond that the efficiency falls below {}.", share(*least)),
        Objective::Deadline(Deadline { time_s, probability: Some(wanted) }) => {
            let limit = human::quantity(*time_s, "s");
            format!("That is the least that meets {limit} with a probability of {}.", share(*wanted))
        }
        Objective::Deadline(Deadline { time_s, probability: None }) => {
            let limit = human::quantity(*time_s, "s");
            match advice.safe_p {
                Some(safe) if safe <= best.p => format!("That meets {limit} even at the upper end of the range."),
                Some(safe) => format!(
                    "That is the least that meets {limit}; {} do so even at the upper end of the range.",
                    processes(safe)
                ),
                None => {
                    format!("That is the least that meets {limit}; no number does so at the upper end of the range.")
                }
            }
        }
        Objective::CoreHours => {
            let spent = best.core_hours.map_or(String::new(), |hours| format!(": {}", human::significant(hours, 3)));
            format!("That takes the fewest core-hours{spent}.")
        }
        Objective::Energy => {
            let spent = best.energy_j.map_or(String::new(), |energy| format!(": {}", human::quantity(energy, "J")));
            format!("That takes the least energy{spent}.")
        }
        Objective::Front => String::new(),
        Objective::Money => {
            let spent = best.money.map_or(String::new(), |money| format!(": {}", human::significant(money, 3)));
            format!("That costs least{spent}.")
        }
        Objective::Cost(_) => {
            let spent = best.cost.map_or(String::new(), |cost| format!(": {}", human::significant(cost, 3)));
            format!("That costs least{spent}.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::Configuration;

    fn choice(p: f64, time_s: f64) -> Choice {
        Choice {
            p,
            at: Configuration::default(),
            time_s: Some(time_s),
            low_s: Some(0.0719),
            high_s: Some(0.0871),
            speedup: None,
            speedup_against_p: 1.0,
            efficiency: None,
            core_hours: None,
            energy_j: None,
            cost: None,
            probability: None,
            money: None,
            on_front: false,
            input: None,
            verdict: Verdict::Ok,
        }
    }

    fn advice(best: Option<f64>) -> Advice {
        let choices = vec![choice(32.0, 0.0791), choice(128.0, 0.2)];
        Advice {
            objective: String::new(),
            recommended: best.and_then(|p| choices.iter().find(|choice| choice.p == p).cloned()),
            near_best_p: None,
            safe_p: None,
            front: Vec::new(),
            choices,
        }
    }

    #[test]
    fn the_sentence_gives_number_time_range_and_reason() {
        let told = of(&advice(Some(32.0)), &Objective::Time, 0.9);
        assert_eq!(told, "Ask for 32 processes: 79.1 ms (71.9 to 87.1 ms, 90 %). Beyond that it gets slower.");
        let last = of(&advice(Some(128.0)), &Objective::Time, 0.9);
        assert!(last.ends_with("No larger number was looked at."), "{last}");
    }

    #[test]
    fn a_goal_that_no_number_meets_is_named() {
        assert_eq!(
            of(&advice(None), &Objective::Deadline(Deadline { time_s: 10.0, probability: None }), 0.9),
            "No number up to 128 meets 10 s."
        );
        let told = of(&advice(None), &Objective::Efficiency(0.5), 0.9);
        assert_eq!(told, "No number up to 128 meets an efficiency of 50 %.");
    }
}
