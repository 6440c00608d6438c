//! Machines shared out among several applications that run together, against running them one after another.

/// What is to be least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// The time until all have ended.
    Makespan,
    Energy,
}

runcast_core::words!(Aim::word: Makespan = "makespan", Energy = "energy");

/// An application on a number of machines, alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alone {
    pub machines: u64,
    /// Seconds.
    pub time_s: f64,
    /// Joules.
    pub energy_j: f64,
}

/// For each application the index of its choice, so that all choices fit onto the machines together and the aim is least;
/// none: they do not fit. Of equally good ones the one of less time in total, then of fewer machines.
///
/// Exact: dynamic programming over the machines that are left. Steps: applications x machines x choices.
pub fn together(choices: &[Vec<Alone>], machines: u64, aim: Aim) -> Option<Vec<usize>> {
    // By machines used: the least value so far, and the choices.
    let mut best: Vec<Option<(Value, Vec<usize>)>> = vec![None; usize::try_from(machines).ok()?.checked_add(1)?];
    best[0] = Some((Value::default(), Vec::new()));
    for options in choices {
        let mut next: Vec<Option<(Value, Vec<usize>)>> = vec![None; best.len()];
        for (used, state) in best.iter().enumerate() {
            let Some((value, taken)) = state else { continue };
            for (index, option) in options.iter().enumerate() {
                let Some(after) = usize::try_from(option.machines).ok().and_then(|more| used.checked_add(more)) else {
                    continue;
                };
                let Some(slot) = next.get_mut(after) else { continue };
                let added = value.with(option, aim);
                if slot.as_ref().is_none_or(|(there, _)| added.less_than(there)) {
                    let mut taken = taken.clone();
                    taken.push(index);
                    *slot = Some((added, taken));
                }
            }
        }
        best = next;
    }
    let mut found: Option<(Value, Vec<usize>)> = None;
    for state in best.into_iter().flatten() {
        if found.as_ref().is_none_or(|(value, _)| state.0.less_than(value)) {
            found = Some(state);
        }
    }
    found.map(|(_, taken)| taken)
}

/// For each application the index of its best choice when it has all machines for itself; none: one of them fits nowhere.
pub fn one_after_another(choices: &[Vec<Alone>], machines: u64, aim: Aim) -> Option<Vec<usize>> {
    let best = |options: &Vec<Alone>| {
        let fitting = options.iter().enumerate().filter(|(_, option)| option.machines <= machines);
        let value = |option: &Alone| Value::default().with(option, aim);
        fitting
            .reduce(|best, next| if value(next.1).less_than(&value(best.1)) { next } else { best })
            .map(|(index, _)| index)
    };
    choices.iter().map(best).collect()
}

#[derive(Debug, Clone, Copy, Default)]
struct Value {
    aim: f64,
    time_s: f64,
}

impl Value {
    fn with(self, option: &Alone, aim: Aim) -> Value {
        Value {
            aim: match aim {
                Aim::Makespan => self.aim.max(option.time_s),
                Aim::Energy => self.aim + option.energy_j,
            },
            time_s: self.time_s + option.time_s,
        }
    }

    fn less_than(&self, other: &Value) -> bool {
        self.aim < other.aim || (self.aim == other.aim && self.time_s < other.time_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn alone(machines: u64, time_s: f64, energy_j: f64) -> Alone {
        Alone { machines, time_s, energy_j }
    }

    #[test]
    fn two_applications_share_eight_machines() {
        // The first scales, the second hardly: 6 + 2 machines end at 10 s; one after the other takes 7.5 + 9.
        let scales: Vec<Alone> = [1, 2, 4, 6, 8].iter().map(|&m| alone(m, 60.0 / m as f64, 60.0)).collect();
        let hardly = vec![alone(1, 11.0, 11.0), alone(2, 10.0, 20.0), alone(8, 9.0, 72.0)];
        let choices = [scales, hardly];
        assert_eq!(together(&choices, 8, Aim::Makespan), Some(vec![3, 1]));
        assert_eq!(together(&choices, 8, Aim::Energy), Some(vec![3, 0]));
        assert_eq!(one_after_another(&choices, 8, Aim::Makespan), Some(vec![4, 2]));
        assert_eq!(together(&choices, 1, Aim::Makespan), None);
    }

    proptest! {
        #[test]
        fn it_is_as_good_as_trying_everything(
            times in prop::collection::vec(prop::collection::vec((1u64..5, 1u8..20, 1u8..20), 1..4), 1..4),
            machines in 1u64..10,
        ) {
            let choices: Vec<Vec<Alone>> = times.iter().map(|options| {
                options.iter().map(|&(m, t, e)| alone(m, f64::from(t), f64::from(e))).collect()
            }).collect();
            for aim in [Aim::Makespan, Aim::Energy] {
                let mut least = f64::INFINITY;
                let mut odometer = vec![0; choices.len()];
                'all: loop {
                    let taken: Vec<&Alone> = odometer.iter().zip(&choices).map(|(&index, options)| &options[index]).collect();
                    if taken.iter().map(|one| one.machines).sum::<u64>() <= machines {
                        let value = match aim {
                            Aim::Makespan => taken.iter().map(|one| one.time_s).fold(0.0, f64::max),
                            Aim::Energy => taken.iter().map(|one| one.energy_j).sum(),
                        };
                        least = least.min(value);
                    }
                    for place in 0..odometer.len() {
                        odometer[place] += 1;
                        if odometer[place] < choices[place].len() { continue 'all; }
                        odometer[place] = 0;
                    }
                    break;
                }
                let found = together(&choices, machines, aim).map(|taken| {
                    let taken: Vec<&Alone> = taken.iter().zip(&choices).map(|(&index, options)| &options[index]).collect();
                    match aim {
                        Aim::Makespan => taken.iter().map(|one| one.time_s).fold(0.0, f64::max),
                        Aim::Energy => taken.iter().map(|one| one.energy_j).sum(),
                    }
                });
                prop_assert_eq!(found.unwrap_or(f64::INFINITY), least);
            }
        }
    }
}
