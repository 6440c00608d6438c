//! A gradient method on a polynomial of degree 4: a nonlinear operator with a bound.
//!
//! ```text
//! Op(x) = x - s grad f(x),   d = x - x*
//! f = 1/2 d'Qd + (g/4) (sum d_i^4 + sum d_i^2 d_{i+1}^2)                      indices cyclic
//! grad_i = (Qd)_i + g d_i^3 + (g/2) d_i (d_{i-1}^2 + d_{i+1}^2)
//! on |d_i| <= q with s (Q_ii + 4 g q^2) <= 1:   A_ii = 1 - s Q_ii,   A_ij = s |Q_ij| + s g q^2 [j = i +- 1]
//! ```
//!
//! Q is symmetric with a diagonal in \[1, 2\], and dominated by it: the sizes of the others in a row sum to 0.75 at
//! most. \[C\] runs a gradient method on a polynomial of 30 variables, which is not printed there; this one is ours.

use super::radius::{Gap, gap};
use super::{Operator, Rate};
use runcast_core::random::SplitMix;
use std::ops::Range;

/// The most variables; Q is dense.
pub const MOST_VARIABLES: usize = 1000;
/// The sizes off the diagonal of a row of Q sum to this at most.
const OFF_DIAGONAL: f64 = 0.75;

/// Signs off the diagonal of Q.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Signs {
    /// All negative: then I - s Q, the operator near the solution, has no negative entry.
    #[default]
    Negative,
    /// Negative and positive alike.
    Mixed,
}

/// What a polynomial is made from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// How many variables, from 3 on.
    pub variables: usize,
    /// What Q and the solution are drawn from.
    pub seed: u64,
    /// Signs off the diagonal of Q.
    pub signs: Signs,
    /// s: how far a step goes along the gradient.
    pub step_size: f64,
    /// g: the weight of the terms of degree 4.
    pub quartic: f64,
    /// q: the box in which the bound holds reaches so far from the solution on either side.
    pub half_width: f64,
}

/// A polynomial, and the gradient method on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Polynomial {
    /// What it was made from.
    pub choice: Choice,
    /// Q, row by row.
    pub quadratic: Vec<Vec<f64>>,
    /// x*: where the gradient is 0.
    pub solution: Vec<f64>,
}

impl Choice {
    /// A choice that has defaults for all but the number of variables and the seed: negative signs, s = 0.4, g = 0.1,
    /// q = 0.1.
    pub fn new(variables: usize, seed: u64) -> Choice {
        Choice { variables, seed, signs: Signs::Negative, step_size: 0.4, quartic: 0.1, half_width: 0.1 }
    }
}

impl Polynomial {
    /// Draws it.
    pub fn new(choice: Choice) -> Polynomial {
        let size = choice.variables;
        let mut random = SplitMix::new(choice.seed, 1);
        let mut quadratic = vec![vec![0.0; size]; size];
        let mut row_sums = vec![0.0; size];
        for i in 0..size {
            for j in 0..i {
                let part = 0.1 + 0.9 * random.uniform();
                let is_positive = random.uniform() < 0.5 && choice.signs == Signs::Mixed;
                let entry = if is_positive { part } else { -part };
                (quadratic[i][j], quadratic[j][i]) = (entry, entry);
                row_sums[i] += part;
                row_sums[j] += part;
            }
        }
        let largest = row_sums.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        for (i, row) in quadratic.iter_mut().enumerate() {
            row.iter_mut().for_each(|entry| *entry *= OFF_DIAGONAL / largest);
            row[i] = 1.0 + random.uniform();
        }
        let solution = (0..size).map(|_| 2.0 * random.uniform() - 1.0).collect();
        Polynomial { choice, quadratic, solution }
    }

    /// The largest s (Q_ii + 4 g q^2); the bound holds where it is 1 at most.
    pub fn steepest(&self) -> f64 {
        let Choice { step_size, quartic, half_width, .. } = self.choice;
        let diagonal = self.quadratic.iter().enumerate().map(|(i, row)| row[i]);
        diagonal.fold(0.0_f64, |most, entry| most.max(step_size * (entry + 4.0 * quartic * half_width * half_width)))
    }

    /// Entry `i` of the gradient at `x`.
    pub fn gradient(&self, x: &[f64], i: usize) -> f64 {
        let size = x.len();
        let d = |j: usize| x[j] - self.solution[j];
        let linear: f64 = self.quadratic[i].iter().enumerate().map(|(j, entry)| entry * d(j)).sum();
        let (before, after, own) = (d((i + size - 1) % size), d((i + 1) % size), d(i));
        linear + self.choice.quartic * own * (own * own + 0.5 * (before * before + after * after))
    }

    /// Op for some rows: `next[k]` becomes Op(x) in row `rows.start + k`.
    ///
    /// # Panics
    /// `x` is not as long as there are variables, or `next` not as long as there are rows.
    pub fn step(&self, x: &[f64], rows: Range<usize>, next: &mut [f64]) {
        assert_eq!(x.len(), self.solution.len(), "a value for each variable");
        assert_eq!(rows.len(), next.len(), "a place for each row");
        for (place, row) in next.iter_mut().zip(rows) {
            *place = x[row] - self.choice.step_size * self.gradient(x, row);
        }
    }

    /// The bound A on the box, with the signs that the operator has near the solution: |M| = A.
    pub fn bound(&self) -> Vec<Vec<(usize, f64)>> {
        self.rows(self.choice.half_width)
    }

    /// 1 - rho(A) in the limit q -> 0, where A is |I - s Q|.
    pub fn limit_gap(&self) -> Gap {
        gap(&self.rows(0.0))
    }

    /// The bound as the operator of a model.
    pub fn operator(&self, owner: Vec<usize>, rate: Rate) -> (Operator, Gap) {
        Operator::new(self.bound(), owner, rate)
    }

    fn rows(&self, half_width: f64) -> Vec<Vec<(usize, f64)>> {
        let Choice { step_size, quartic, .. } = self.choice;
        let size = self.solution.len();
        let row = |i: usize| {
            let entry = |j: usize| {
                let own = self.quadratic[i][j];
                if i == j {
                    return 1.0 - step_size * own;
                }
                let is_next = j == (i + 1) % size || i == (j + 1) % size;
                let more = if is_next { quartic * half_width * half_width } else { 0.0 };
                -own.signum() * step_size * (own.abs() + more)
            };
            (0..size).map(|j| (j, entry(j))).collect()
        };
        (0..size).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(signs: Signs) -> Polynomial {
        Polynomial::new(Choice { signs, ..Choice::new(30, 1) })
    }

    /// f itself, written out.
    fn value(polynomial: &Polynomial, x: &[f64]) -> f64 {
        let d: Vec<f64> = x.iter().zip(&polynomial.solution).map(|(x, s)| x - s).collect();
        let mut sum = 0.0;
        for i in 0..d.len() {
            for j in 0..d.len() {
                sum += 0.5 * d[i] * polynomial.quadratic[i][j] * d[j];
            }
            let after = d[(i + 1) % d.len()];
            sum += polynomial.choice.quartic / 4.0 * (d[i].powi(4) + d[i].powi(2) * after.powi(2));
        }
        sum
    }

    #[test]
    fn the_gradient_is_that_of_the_polynomial() {
        let polynomial = Polynomial::new(Choice { quartic: 3.0, ..Choice::new(7, 5) });
        let mut random = SplitMix::new(3, 3);
        let x: Vec<f64> = (0..7).map(|_| 4.0 * random.uniform() - 2.0).collect();
        for i in 0..7 {
            let at = |h: f64| {
                let mut moved = x.clone();
                moved[i] += h;
                value(&polynomial, &moved)
            };
            let slope = (at(1e-4) - at(-1e-4)) / 2e-4;
            assert!((polynomial.gradient(&x, i) - slope).abs() < 1e-5 * slope.abs().max(1.0), "{i}");
        }
    }

    #[test]
    fn it_is_what_it_is_said_to_be() {
        for signs in [Signs::Negative, Signs::Mixed] {
            let polynomial = made(signs);
            let mut positive = 0;
            for (i, row) in polynomial.quadratic.iter().enumerate() {
                assert!((1.0..=2.0).contains(&row[i]));
                let others: f64 = row.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, q)| q.abs()).sum();
                assert!(others < row[i]);
                for (j, entry) in row.iter().enumerate() {
                    assert_eq!(*entry, polynomial.quadratic[j][i]);
                    positive += usize::from(i != j && *entry > 0.0);
                }
            }
            assert_eq!(positive > 0, signs == Signs::Mixed);
            assert!(polynomial.steepest() <= 1.0);
            let (operator, on_box) = polynomial.operator(vec![0; 30], Rate::Auto);
            assert_eq!(operator.is_nonnegative(), signs == Signs::Negative);
            assert!(on_box.low > 0.0 && polynomial.limit_gap().low > on_box.high);
        }
        assert_eq!(made(Signs::Mixed), made(Signs::Mixed));
    }

    /// |Op(x) - Op(y)| <= A |x - y|, entry by entry, wherever x and y are in the box.
    #[test]
    fn the_bound_holds_in_the_box() {
        for signs in [Signs::Negative, Signs::Mixed] {
            let polynomial = Polynomial::new(Choice { signs, quartic: 0.1, half_width: 1.0, ..Choice::new(9, 2) });
            assert!(polynomial.steepest() <= 1.0);
            let bound = polynomial.bound();
            let mut random = SplitMix::new(1, 9);
            for _ in 0..2000 {
                let mut inside =
                    || -> Vec<f64> { polynomial.solution.iter().map(|s| s + 2.0 * random.uniform() - 1.0).collect() };
                let (x, y) = (inside(), inside());
                let (mut of_x, mut of_y) = ([0.0; 9], [0.0; 9]);
                polynomial.step(&x, 0..9, &mut of_x);
                polynomial.step(&y, 0..9, &mut of_y);
                for (i, row) in bound.iter().enumerate() {
                    let most: f64 = row.iter().map(|(j, a)| a.abs() * (x[*j] - y[*j]).abs()).sum();
                    assert!((of_x[i] - of_y[i]).abs() <= most + 1e-12);
                }
            }
        }
    }

    #[test]
    fn iterating_finds_the_solution() {
        let polynomial = made(Signs::Mixed);
        let mut x: Vec<f64> = polynomial.solution.iter().map(|s| s + 0.1).collect();
        for _ in 0..500 {
            let mut next = vec![0.0; 30];
            polynomial.step(&x, 0..30, &mut next);
            x = next;
        }
        assert!(x.iter().zip(&polynomial.solution).all(|(x, s)| (x - s).abs() < 1e-12));
    }
}
