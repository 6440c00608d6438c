//! A model with one part of it faster or slower, for the gain that this would bring.

use super::Model;
use super::binning::{Binning, binned};
use crate::model::law::Law;
use std::sync::Arc;

/// Parts that can be made faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The updates of a process, counted from 0.
    Process(usize),
    /// The messages of a link.
    Link { from: usize, to: usize },
}

impl Model {
    /// The model with the times of one part multiplied by `factor` (0.9: 10 % faster) in every mode, on the same
    /// lattice by split binning, which keeps the mean.
    ///
    /// An update of 1 tick may become one of 0 ticks with some probability then: no file could say so, but the phase
    /// is defined all the same.
    #[must_use]
    pub fn faster(&self, part: Part, factor: f64) -> Model {
        let mut model = self.clone();
        for laws in &mut model.modes.laws {
            let law = match part {
                Part::Process(index) => laws.update.get_mut(index),
                Part::Link { from, to } => laws.message.get_mut(from).and_then(|row| row.get_mut(to)),
            };
            if let Some(law) = law {
                *law = Arc::new(scaled(law, factor));
            }
        }
        model
    }
}

/// The law of the time multiplied by a factor of 0 or more.
fn scaled(law: &Law, factor: f64) -> Law {
    let values = law.support().iter().map(|(ticks, probability)| (*ticks as f64 * factor, *probability));
    binned(values, 1.0, Binning::Split).unwrap_or_else(|_| law.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn a_part_is_faster_in_the_mean_and_the_rest_stays() {
        let model = cases::constant_network(1);
        let faster = model.faster(Part::Process(1), 0.9);
        let (before, after) = (&model.modes.laws[0].update[1], &faster.modes.laws[0].update[1]);
        assert!((after.mean() - 0.9 * before.mean()).abs() < 1e-12);
        // 5 ticks become 4.5: half 4, half 5.
        assert!((after.at(4) - 0.3).abs() < 1e-12, "{after:?}");
        assert_eq!(model.modes.laws[0].update[0], faster.modes.laws[0].update[0]);
        let faster = model.faster(Part::Link { from: 0, to: 2 }, 0.9);
        assert!((faster.modes.laws[0].message[0][2].mean() - 2.7).abs() < 1e-12);
        assert_eq!(faster.modes.laws[0].message[2][0].mean(), 3.0);
        assert_eq!(cases::barrier().faster(Part::Process(0), 0.9).modes.laws[0].update[0].least(), 0);
    }
}
