//! Which of several machines is best.

use super::{amount::span, share};
use crate::human;
use runcast_core::words;

/// By what machines are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Time of the run.
    Time,
    /// Energy that the run takes.
    Energy,
    /// Price of the run.
    Price,
}

words! { By::word: Time = "time", Energy = "energy", Price = "price" }

/// Times closer than this are too close to call.
const CLOSE: f64 = 0.01;

/// A machine, and what the program takes there.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    pub name: String,
    pub time_s: f64,
    /// Both ends of the range of the time.
    pub range_s: Option<[f64; 2]>,
    pub energy_j: Option<f64>,
    pub price: Option<f64>,
}

impl Machine {
    fn value(&self, by: By) -> Option<f64> {
        match by {
            By::Time => Some(self.time_s),
            By::Energy => self.energy_j,
            By::Price => self.price,
        }
    }
}

/// `galera is faster: 2.13 s against 2.60 s (without a range: no noise given); cluster needs 12 % less energy.`
///
/// None where a machine has no such figure.
pub fn of(machines: &[Machine], by: By) -> Option<String> {
    let mut order: Vec<(&Machine, f64)> =
        machines.iter().map(|machine| Some((machine, machine.value(by)?))).collect::<Option<_>>()?;
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let [(best, least), (second, next), ..] = order.as_slice() else { return None };
    let told = |machine: &Machine, value: f64| match (by, machine.range_s) {
        (By::Time, Some([low, high])) => format!("{} ({})", written(by, value), span(low, high, "s")),
        _ => written(by, value),
    };
    let times = format!("{} against {}", told(best, *least), told(second, *next));
    let bare = match by {
        By::Time if machines.iter().all(|machine| machine.range_s.is_none()) => " (without a range: no noise given)",
        By::Time => "",
        By::Energy | By::Price => " (without a range)",
    };
    let overlaps = by == By::Time && best.range_s.zip(second.range_s).is_some_and(|([_, high], [low, _])| low <= high);
    if overlaps || next - least <= CLOSE * next {
        return Some(format!("Too close to call: {} and {}, {times}{bare}.", best.name, second.name));
    }
    let more = match (by, order.len() > 2) {
        (By::Time, false) => "is faster".to_owned(),
        (By::Time, true) => format!("is the fastest of {}", order.len()),
        (By::Energy, false) => "needs less energy".to_owned(),
        (By::Energy, true) => format!("needs the least energy of {}", order.len()),
        (By::Price, false) => "costs less".to_owned(),
        (By::Price, true) => format!("costs least of {}", order.len()),
    };
    let of_second = if order.len() > 2 { format!(" on {}", second.name) } else { String::new() };
    Some(format!("{} {more}: {times}{of_second}{bare}{}.", best.name, but(best, machines, by)))
}

fn written(by: By, value: f64) -> String {
    match by {
        By::Time => human::quantity(value, "s"),
        By::Energy => human::quantity(value, "J"),
        By::Price => human::significant(value, 3),
    }
}

/// What another machine is better at.
fn but(best: &Machine, machines: &[Machine], by: By) -> String {
    let other = if by == By::Time { By::Energy } else { By::Time };
    let valued = machines.iter().filter_map(|machine| Some((machine, machine.value(other)?)));
    let Some((winner, least)) = valued.min_by(|a, b| a.1.total_cmp(&b.1)) else { return String::new() };
    let Some(own) = best.value(other).filter(|own| winner.name != best.name && *own > 0.0) else {
        return String::new();
    };
    let saved = 1.0 - least / own;
    if saved < CLOSE {
        return String::new();
    }
    match other {
        By::Energy => format!("; {} needs {} less energy", winner.name, share(saved)),
        _ => format!("; {} is {} faster", winner.name, share(saved)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(name: &str, time_s: f64, energy_j: Option<f64>) -> Machine {
        Machine { name: name.to_owned(), time_s, range_s: None, energy_j, price: None }
    }

    #[test]
    fn the_faster_one_is_named_with_what_speaks_for_the_other() {
        let both = [machine("cluster", 2.6, Some(88.0)), machine("galera", 2.13, Some(100.0))];
        let told = of(&both, By::Time).expect("times");
        assert_eq!(
            told,
            "galera is faster: 2.13 s against 2.6 s (without a range: no noise given); cluster needs 12 % less energy."
        );
        let told = of(&both, By::Energy).expect("energies");
        assert_eq!(told, "cluster needs less energy: 88 J against 100 J (without a range); galera is 18.1 % faster.");
        assert_eq!(of(&both, By::Price), None);
    }

    #[test]
    fn what_is_alike_is_too_close_to_call() {
        let alike = [machine("a", 1.0, None), machine("b", 1.005, None)];
        assert!(of(&alike, By::Time).expect("times").starts_with("Too close to call: a and b"));
        let ranged = |name: &str, time_s: f64| Machine {
            range_s: Some([0.8 * time_s, 1.2 * time_s]),
            ..machine(name, time_s, None)
        };
        let told = of(&[ranged("a", 1.0), ranged("b", 1.3)], By::Time).expect("times");
        assert!(told.starts_with("Too close to call"), "{told}");
        let told = of(&[ranged("a", 1.0), ranged("b", 2.0)], By::Time).expect("times");
        assert_eq!(told, "a is faster: 1 s (800 ms to 1.2 s) against 2 s (1.6 to 2.4 s).");
    }
}
