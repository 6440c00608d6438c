//! The effect of a better part of the machine, as a sentence.

use super::share;
use crate::human;
use runcast_core::words;

/// What is made better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Bandwidth of the networks.
    Bandwidth,
    /// Latency of the networks.
    Latency,
    /// Speed of the processors.
    Processor,
    /// Bandwidth of the memory.
    Memory,
}

words! { Part::word: Bandwidth = "bandwidth", Latency = "latency", Processor = "processor", Memory = "memory" }

/// Below this share of the time nothing has changed.
const NOTHING: f64 = 5e-4;

/// A part that was made better, and the time then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Changed {
    pub part: Part,
    /// By what factor.
    pub factor: f64,
    pub time_s: f64,
}

/// `Twice the bandwidth saves 11 % (2.13 to 1.9 s); half the latency saves 24 %.`
pub fn of(now_s: f64, messages: u64, first: Changed, second: Option<Changed>) -> String {
    let is_of_network = matches!(first.part, Part::Bandwidth | Part::Latency);
    if is_of_network && messages == 0 {
        return "It would change nothing: no message passes this network.".to_owned();
    }
    let saved = |changed: Changed| 1.0 - changed.time_s / now_s;
    let first_saved = saved(first);
    let mut told = name(first);
    if first_saved.abs() < NOTHING {
        told.push_str(&format!(" would change nothing ({})", human::quantity(now_s, "s")));
    } else {
        told.push_str(&format!(
            " {} {} ({})",
            verb(first_saved),
            share(first_saved.abs()),
            super::amount::span(now_s, first.time_s, "s")
        ));
    }
    if let Some(second) = second {
        let saved = saved(second);
        let name = lowered(&name(second));
        told.push_str(&match saved.abs() < NOTHING {
            true => format!("; {name} would change nothing"),
            false => format!("; {name} {} {}", verb(saved), share(saved.abs())),
        });
    }
    told.push('.');
    told
}

fn verb(saved: f64) -> &'static str {
    if saved >= 0.0 { "saves" } else { "costs" }
}

/// With the factor in words.
fn name(changed: Changed) -> String {
    let times = match changed.factor {
        2.0 => "Twice".to_owned(),
        factor => format!("{} times", human::significant(factor, 3)),
    };
    match changed.part {
        Part::Bandwidth => format!("{times} the bandwidth"),
        Part::Memory => format!("{times} the bandwidth of the memory"),
        Part::Processor => format!("{times} the speed of the processors"),
        Part::Latency if changed.factor == 2.0 => "Half the latency".to_owned(),
        Part::Latency => format!("A latency divided by {}", human::significant(changed.factor, 3)),
    }
}

fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(part: Part, factor: f64, time_s: f64) -> Changed {
        Changed { part, factor, time_s }
    }

    #[test]
    fn both_figures_of_a_network_are_told() {
        let told = of(2.13, 9, changed(Part::Bandwidth, 2.0, 1.9), Some(changed(Part::Latency, 2.0, 1.62)));
        assert_eq!(told, "Twice the bandwidth saves 10.8 % (2.13 to 1.9 s); half the latency saves 23.9 %.");
        let told = of(2.0, 9, changed(Part::Processor, 4.0, 2.0), None);
        assert_eq!(told, "4 times the speed of the processors would change nothing (2 s).");
        let told = of(2.0, 9, changed(Part::Latency, 3.0, 2.2), None);
        assert_eq!(told, "A latency divided by 3 costs 10 % (2 to 2.2 s).");
    }

    #[test]
    fn a_network_that_nothing_passes_changes_nothing() {
        let told = of(2.13, 0, changed(Part::Latency, 2.0, 2.13), None);
        assert_eq!(told, "It would change nothing: no message passes this network.");
    }
}
