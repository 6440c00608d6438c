//! Gradient steps on a polynomial of degree 4, as a running program.

use super::fixed_point::{FixedPoint, Poll, Updated};
use crate::model::operator::Operator;
use crate::model::operator::polynomial::Polynomial;
use runcast_core::random::SplitMix;

/// The gradient method on a [`Polynomial`]. It starts in the box in which the bound holds, at a point drawn from the
/// seed of the polynomial.
#[derive(Debug, Clone)]
pub struct Gradient {
    polynomial: Polynomial,
    /// Its bound, with the owners of the variables.
    bound: Operator,
    pieces: Vec<Vec<usize>>,
    start: Vec<f64>,
}

impl Gradient {
    /// With the bound of the polynomial, which says which process owns which variable.
    pub fn new(polynomial: Polynomial, bound: Operator, processes: usize) -> Self {
        let mut random = SplitMix::new(polynomial.choice.seed, 2);
        let half_width = polynomial.choice.half_width;
        let mut near = |solution: &f64| solution + half_width * (2.0 * random.uniform() - 1.0);
        let start = polynomial.solution.iter().map(&mut near).collect();
        let mut pieces = vec![Vec::new(); processes];
        for (row, owner) in bound.owner.iter().enumerate() {
            pieces[*owner].push(row);
        }
        Gradient { polynomial, bound, pieces, start }
    }
}

impl FixedPoint for Gradient {
    fn dimension(&self) -> usize {
        self.start.len()
    }

    fn pieces(&self) -> Vec<Vec<usize>> {
        self.pieces.clone()
    }

    fn start(&self) -> Vec<f64> {
        self.start.clone()
    }

    fn update(&self, piece: usize, vector: &[f64], new: &mut [f64], poll: &mut Poll<'_>) -> Updated {
        for (number, index) in new.iter_mut().zip(&self.pieces[piece]) {
            if poll.is_over() {
                return Updated::GivenUp;
            }
            let slope = self.polynomial.gradient(vector, *index);
            *number = vector[*index] - self.polynomial.choice.step_size * slope;
        }
        Updated::Done
    }

    fn polls(&self) -> bool {
        true
    }

    fn fixed_point(&self) -> Option<Vec<f64>> {
        Some(self.polynomial.solution.clone())
    }

    fn bound(&self) -> Option<Operator> {
        Some(self.bound.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::operator::Rate;
    use crate::model::operator::polynomial::{Choice, Signs};

    #[test]
    fn updates_by_pieces_are_those_of_the_polynomial() {
        let polynomial = Polynomial::new(Choice { signs: Signs::Mixed, ..Choice::new(7, 3) });
        let (bound, _) = polynomial.operator(vec![0, 1, 0, 1, 1, 0, 0], Rate::Auto);
        let gradient = Gradient::new(polynomial.clone(), bound, 2);
        assert_eq!(gradient.pieces(), [vec![0, 2, 5, 6], vec![1, 3, 4]]);
        let start = gradient.start();
        let half_width = polynomial.choice.half_width;
        assert!(start.iter().zip(&polynomial.solution).all(|(x, solution)| (x - solution).abs() <= half_width));
        let mut next = vec![0.0; 7];
        polynomial.step(&start, 0..7, &mut next);
        for (piece, indices) in gradient.pieces().iter().enumerate() {
            let mut new = vec![0.0; indices.len()];
            assert_eq!(gradient.update(piece, &start, &mut new, &mut Poll::never()), Updated::Done);
            assert!(new.iter().zip(indices).all(|(new, index)| *new == next[*index]));
        }
    }
}
