//! A chain in the long run.

use super::Matrix;
use nalgebra::{DMatrix, DVector};

/// The closed classes that are reached, and how often each state is entered (time averages, where a class is periodic).
pub(crate) struct LongRun {
    /// Each ascending, in the order of their first members.
    pub classes: Vec<Vec<usize>>,
    /// Probabilities of the states; 0 for what is left for good.
    pub law: Vec<f64>,
}

impl LongRun {
    /// Of a chain with these rows, begun with the law `start`.
    pub fn of(transition: &[Vec<f64>], start: &[f64]) -> LongRun {
        let start: Vec<(usize, f64)> = start.iter().copied().enumerate().filter(|(_, share)| *share > 0.0).collect();
        let found = Matrix::of(transition).classes(&start, None);
        let mut classes: Vec<Vec<usize>> = found.list.into_iter().map(|class| class.members).collect();
        classes.sort();
        LongRun { classes, law: found.stationary }
    }

    /// The same, begun in every state alike.
    pub fn evenly_begun(transition: &[Vec<f64>]) -> LongRun {
        LongRun::of(transition, &vec![1.0 / transition.len() as f64; transition.len()])
    }

    /// The state at the share `at` (0 to 1) of all, those of a class side by side: evenly spread shares give each class
    /// its weight.
    pub fn state_at(&self, at: f64) -> usize {
        let mut sum = 0.0;
        let reached = |state: &&usize| {
            sum += self.law[**state];
            at < sum
        };
        let found = self.classes.iter().flatten().find(reached);
        found.or(self.classes.last().and_then(|class| class.last())).copied().unwrap_or(0)
    }

    /// The measure m of weight 0 with m (I - P) = `given`, within the only class there is.
    pub fn later(&self, transition: &[Vec<f64>], given: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; given.len()];
        let [class] = self.classes.as_slice() else { return out };
        if class.len() < 2 {
            return out;
        }
        let size = class.len();
        let mut matrix = DMatrix::zeros(size, size);
        for (row, from) in class.iter().enumerate() {
            for (column, to) in class.iter().enumerate().filter(|(column, _)| *column != row) {
                matrix[(column, row)] -= transition[*from][*to];
                // Not 1 - P, whose digits are gone for slow chains.
                matrix[(row, row)] += transition[*from][*to];
            }
        }
        matrix.row_mut(size - 1).fill(1.0);
        let mut right = DVector::from_iterator(size, class.iter().map(|state| given[*state]));
        right[size - 1] = 0.0;
        if let Some(solved) = matrix.lu().solve(&right) {
            class.iter().zip(solved.iter()).for_each(|(state, value)| out[*state] = *value);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(seen: &[f64], expected: &[f64]) {
        assert_eq!(seen.len(), expected.len());
        assert!(seen.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{seen:?} instead of {expected:?}");
    }

    #[test]
    fn calm_and_busy() {
        let run = LongRun::of(&[vec![0.99, 0.01], vec![0.03, 0.97]], &[1.0, 0.0]);
        assert_close(&run.law, &[0.75, 0.25]);
        assert_eq!((run.classes.len(), run.state_at(0.7499), run.state_at(0.7501), run.state_at(1.0)), (1, 0, 1, 1));
    }

    #[test]
    fn a_mode_that_is_left_for_good() {
        let rows = [vec![0.0, 0.25, 0.75], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
        let run = LongRun::of(&rows, &[1.0, 0.0, 0.0]);
        assert_close(&run.law, &[0.0, 0.25, 0.75]);
        assert_eq!(run.classes, [[1], [2]]);
        // From the second mode the third is never reached.
        assert_eq!(LongRun::of(&rows, &[0.0, 1.0, 0.0]).classes.len(), 1);
    }

    #[test]
    fn modes_in_turn() {
        let run = LongRun::of(&[vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0], vec![1.0, 0.0, 0.0]], &[1.0, 0.0, 0.0]);
        assert_close(&run.law, &[1.0 / 3.0; 3]);
    }

    #[test]
    fn transient_modes_that_lead_to_each_other() {
        let rows =
            [vec![0.5, 0.5, 0.0, 0.0], vec![0.5, 0.0, 0.25, 0.25], vec![0.0, 0.0, 1.0, 0.0], vec![0.0, 0.0, 0.0, 1.0]];
        assert_close(&LongRun::of(&rows, &[1.0, 0.0, 0.0, 0.0]).law, &[0.0, 0.0, 0.5, 0.5]);
    }
}
