//! From a stochastic matrix over windows to one over phases.

use nalgebra::DMatrix;

type Rows = Vec<Vec<f64>>;

/// Terms of a series.
const TERMS: u32 = 20_000;

fn matrix(rows: &Rows) -> DMatrix<f64> {
    DMatrix::from_fn(rows.len(), rows.len(), |row, column| rows[row][column])
}

fn rows(matrix: &DMatrix<f64>) -> Rows {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}

/// The generator of a chain: a matrix with rows that sum to 0 and nothing negative off its diagonal whose exponential is
/// the given stochastic matrix, and whether there is one. The logarithm is `log P = sum (-1)^(k+1) (P - I)^k / k`; what
/// is negative off the diagonal becomes 0. Where the series does not converge, it is P - I: the same mean stays.
pub fn generator(stochastic: &Rows) -> (Rows, bool) {
    let minus = matrix(stochastic) - DMatrix::identity(stochastic.len(), stochastic.len());
    let (mut sum, mut power) = (minus.clone(), minus.clone());
    let mut converges = false;
    for term in 2..TERMS {
        power *= &minus;
        let sign = if term.is_multiple_of(2) { -1.0 } else { 1.0 };
        sum += sign / f64::from(term) * &power;
        let size = power.amax();
        converges = size / f64::from(term) < 1e-17;
        if converges || !size.is_finite() || size > 1e6 {
            break;
        }
    }
    (valid(rows(if converges { &sum } else { &minus })), converges)
}

/// Nothing negative off the diagonal, rows that sum to 0.
fn valid(mut rates: Rows) -> Rows {
    for (index, row) in rates.iter_mut().enumerate() {
        row.iter_mut().for_each(|value| *value = value.max(0.0));
        row[index] = 0.0;
        row[index] = -row.iter().sum::<f64>();
    }
    rates
}

/// The exponential of a generator: a stochastic matrix, without subtractions (uniformization).
pub fn exponential(generator: &Rows) -> Rows {
    let size = generator.len();
    let one = DMatrix::identity(size, size);
    let fastest = (0..size).map(|index| -generator[index][index]).fold(0.0, f64::max);
    if fastest.is_nan() || fastest <= 0.0 {
        return rows(&one);
    }
    // Halved until one event at most is likely, then squared as often.
    let halvings = fastest.log2().ceil().clamp(0.0, 60.0) as i32;
    let rate = fastest / 2f64.powi(halvings);
    let jump = (&one + matrix(generator) / fastest).map(|share| share.max(0.0));
    let (mut sum, mut power, mut weight) = (one.clone(), one, 1.0);
    for term in 1..60 {
        power *= &jump;
        weight *= rate / f64::from(term);
        sum += weight * &power;
    }
    let mut result = normalized(sum);
    for _ in 0..halvings {
        result = normalized(&result * &result);
    }
    rows(&result)
}

fn normalized(mut matrix: DMatrix<f64>) -> DMatrix<f64> {
    for mut row in matrix.row_iter_mut() {
        let sum = row.sum();
        row /= sum;
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markov::LongRun;

    fn assert_close(a: &Rows, b: &Rows, tolerance: f64) {
        for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
            assert!((a - b).abs() <= tolerance, "{a} {b}");
        }
    }

    #[test]
    fn a_chain_of_two_has_its_known_generator() {
        // log P = log(1 - a - b)/(a + b) * [[-a, a], [b, -b]]
        let (a, b) = (0.2_f64, 0.35);
        let (found, exists) = generator(&vec![vec![1.0 - a, a], vec![b, 1.0 - b]]);
        let factor = -(1.0 - a - b).ln() / (a + b);
        assert!(exists);
        assert_close(&found, &vec![vec![-a * factor, a * factor], vec![b * factor, -b * factor]], 1e-12);
    }

    #[test]
    fn the_exponential_takes_the_logarithm_back() {
        let chain = vec![vec![0.9, 0.08, 0.02], vec![0.1, 0.85, 0.05], vec![0.05, 0.05, 0.9]];
        let (rates, exists) = generator(&chain);
        assert!(exists);
        assert_close(&exponential(&rates), &chain, 1e-9);
        // The tenth part of a window, ten times.
        let tenth: Rows = rates.iter().map(|row| row.iter().map(|rate| 0.1 * rate).collect()).collect();
        let tenth = exponential(&tenth);
        let ten = (1..10).fold(tenth.clone(), |power, _| rows(&(matrix(&power) * matrix(&tenth))));
        assert_close(&ten, &chain, 1e-9);
        // Many windows: the long run.
        let far: Rows = rates.iter().map(|row| row.iter().map(|rate| 1e7 * rate).collect()).collect();
        let law = LongRun::of(&chain, &[1.0, 0.0, 0.0]).law;
        assert_close(&exponential(&far), &vec![law.clone(), law.clone(), law], 1e-9);
    }

    #[test]
    fn what_has_no_generator_still_gives_a_stochastic_matrix() {
        for chain in [
            vec![vec![0.1, 0.9], vec![0.8, 0.2]],
            vec![vec![0.0, 1.0], vec![1.0, 0.0]],
            vec![vec![0.9, 0.1, 0.0], vec![0.0, 0.9, 0.1], vec![0.1, 0.0, 0.9]],
            vec![vec![1.0, 0.0], vec![0.0, 1.0]],
        ] {
            let (rates, _) = generator(&chain);
            for matrix in [
                exponential(&rates),
                exponential(&rates.iter().map(|r| r.iter().map(|v| v * 1e-3).collect()).collect()),
            ] {
                for row in &matrix {
                    assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{matrix:?}");
                    assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{matrix:?}");
                }
            }
        }
        assert!(!generator(&vec![vec![0.1, 0.9], vec![0.8, 0.2]]).1);
    }
}
