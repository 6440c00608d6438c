//! What each method models: where two forecasts differ, what only one of them has is what may explain it.

use super::ask::Competitor;

/// What programs and machines do that a method may or may not model.
pub(super) const CODES: [&str; 10] = [
    "cache",
    "messages",
    "protocol_switch",
    "contention",
    "imbalance",
    "serial_part",
    "overlap",
    "noise",
    "shared_machine",
    "io",
];

/// How a method deals with something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stance {
    Modeled,
    Absent,
    /// It is in the runs that the method learns from, as far as they go.
    InData,
}

impl Stance {
    pub(super) fn word(self) -> &'static str {
        match self {
            Stance::Modeled => "modeled",
            Stance::Absent => "absent",
            Stance::InData => "in_data",
        }
    }
}

/// A stance for each code, with what a file models beyond its method; all absent for a method that is not known.
pub(super) fn of(method: &str, features: &[&str]) -> [Stance; CODES.len()] {
    let modeled = |code: &str| match method {
        "bsf" => ["messages", "serial_part"].contains(&code),
        "bsp" => ["messages", "imbalance", "serial_part"].contains(&code),
        "wavefront" => ["messages", "imbalance", "overlap", "noise", "shared_machine"].contains(&code),
        "sim" => code != "shared_machine",
        _ => false,
    };
    let learns = matches!(method, "fit" | "llac" | "factors");
    CODES.map(|code| match (modeled(code) || features.contains(&code), learns) {
        (true, _) => Stance::Modeled,
        (false, true) => Stance::InData,
        (false, false) => Stance::Absent,
    })
}

/// What one method models and the other does not: the code, and whether it is the first that has it.
pub(super) fn differences(a: &Competitor, b: &Competitor) -> Vec<(&'static str, bool)> {
    let (of_a, of_b) = (of(&a.method, &a.features), of(&b.method, &b.features));
    let each = CODES.iter().zip(of_a.iter().zip(&of_b));
    each.filter_map(|(code, stances)| match stances {
        (Stance::Modeled, Stance::Absent) => Some((*code, true)),
        (Stance::Absent, Stance::Modeled) => Some((*code, false)),
        _ => None,
    })
    .collect()
}
