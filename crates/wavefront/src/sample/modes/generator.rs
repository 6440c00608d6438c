//! From a stochastic matrix over windows to one over phases.

type Matrix = Vec<Vec<f64>>;

/// Terms of a series.
const TERMS: u32 = 20_000;

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let cell = |row: &[f64], column: usize| row.iter().zip(b).map(|(value, other)| value * other[column]).sum();
    a.iter().map(|row| (0..b.len()).map(|column| cell(row, column)).collect()).collect()
}

fn identity(size: usize) -> Matrix {
    (0..size).map(|row| (0..size).map(|column| f64::from(u8::from(row == column))).collect()).collect()
}

fn largest(matrix: &Matrix) -> f64 {
    matrix.iter().flatten().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

/// The generator of a chain: a matrix with rows that sum to 0 and nothing negative off its diagonal whose exponential is
/// the given stochastic matrix, and whether there is one. The logarithm is `log P = sum (-1)^(k+1) (P - I)^k / k`; what
/// is negative off the diagonal becomes 0. Where the series does not converge, it is P - I: the same mean stays.
pub fn generator(stochastic: &Matrix) -> (Matrix, bool) {
    let size = stochastic.len();
    let minus: Matrix = stochastic
        .iter()
        .zip(identity(size))
        .map(|(row, one)| row.iter().zip(one).map(|(p, i)| p - i).collect())
        .collect();
    let (mut sum, mut power) = (minus.clone(), minus.clone());
    let mut converges = false;
    for term in 2..TERMS {
        power = times(&power, &minus);
        let sign = if term.is_multiple_of(2) { -1.0 } else { 1.0 };
        for (row, added) in sum.iter_mut().zip(&power) {
            row.iter_mut().zip(added).for_each(|(value, added)| *value += sign * added / f64::from(term));
        }
        let size = largest(&power);
        converges = size / f64::from(term) < 1e-17;
        if converges || !size.is_finite() || size > 1e6 {
            break;
        }
    }
    (valid(if converges { sum } else { minus }), converges)
}

/// Nothing negative off the diagonal, rows that sum to 0.
fn valid(mut matrix: Matrix) -> Matrix {
    for (index, row) in matrix.iter_mut().enumerate() {
        row.iter_mut().for_each(|value| *value = value.max(0.0));
        row[index] = 0.0;
        row[index] = -row.iter().sum::<f64>();
    }
    matrix
}

/// The exponential of a generator: a stochastic matrix, without subtractions (uniformization).
pub fn exponential(generator: &Matrix) -> Matrix {
    let fastest = (0..generator.len()).map(|index| -generator[index][index]).fold(0.0, f64::max);
    if fastest.is_nan() || fastest <= 0.0 {
        return identity(generator.len());
    }
    // Halved until one event at most is likely, then squared as often.
    let halvings = fastest.log2().ceil().clamp(0.0, 60.0) as i32;
    let rate = fastest / 2f64.powi(halvings);
    let jump: Matrix = generator
        .iter()
        .zip(identity(generator.len()))
        .map(|(row, one)| row.iter().zip(one).map(|(rate, one)| (one + rate / fastest).max(0.0)).collect())
        .collect();
    let (mut sum, mut power, mut weight) = (identity(generator.len()), identity(generator.len()), 1.0);
    for term in 1..60 {
        power = times(&power, &jump);
        weight *= rate / f64::from(term);
        for (row, added) in sum.iter_mut().zip(&power) {
            row.iter_mut().zip(added).for_each(|(value, added)| *value += weight * added);
        }
    }
    let mut result = normalized(sum);
    for _ in 0..halvings {
        result = normalized(times(&result, &result));
    }
    result
}

fn normalized(mut matrix: Matrix) -> Matrix {
    for row in &mut matrix {
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|value| *value /= sum);
    }
    matrix
}

/// The long-run law of a chain, as the time average from an even start.
pub fn stationary(stochastic: &Matrix) -> Vec<f64> {
    let size = stochastic.len();
    // Half a step at a time: periodic chains settle, too. 2^60 steps, by squaring.
    let lazy: Matrix = stochastic
        .iter()
        .zip(identity(size))
        .map(|(row, one)| row.iter().zip(one).map(|(p, one)| 0.5 * (p + one)).collect())
        .collect();
    let far = (0..60).fold(lazy, |matrix, _| normalized(times(&matrix, &matrix)));
    let mut law = vec![0.0; size];
    for row in &far {
        law.iter_mut().zip(row).for_each(|(sum, p)| *sum += p / size as f64);
    }
    law
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(a: &Matrix, b: &Matrix, tolerance: f64) {
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
        let tenth: Matrix = rates.iter().map(|row| row.iter().map(|rate| 0.1 * rate).collect()).collect();
        let tenth = exponential(&tenth);
        let ten = (1..10).fold(tenth.clone(), |power, _| times(&power, &tenth));
        assert_close(&ten, &chain, 1e-9);
        // Many windows: the long run.
        let far: Matrix = rates.iter().map(|row| row.iter().map(|rate| 1e7 * rate).collect()).collect();
        let law = stationary(&chain);
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
        assert_eq!(stationary(&vec![vec![0.0, 1.0], vec![1.0, 0.0]]), [0.5, 0.5]);
    }
}
