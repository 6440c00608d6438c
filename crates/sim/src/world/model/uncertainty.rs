//! The uncertainty of a calibration: errors of what it found, of its model, and of single runs.
//!
//! ```text
//! d = sqrt(degrees/chi^2) * L z,  L L' = covariance         value * exp(d); of a value of either sign value * (1 + d)
//! time * exp(sqrt(degrees/chi^2)*misfit*z1 + spread*z2)      z standard normal, chi^2 of `degrees` degrees of freedom
//! ```
//!
//! A multivariate t distribution: with few degrees of freedom the size of the errors is itself uncertain. Source: A. Gelman et
//! al., *Bayesian Data Analysis*, 3rd edition, 14.2.

use runcast_core::numeric::normal;
use runcast_core::random::SplitMix;

/// Draws of which a range is made.
pub const DRAWS: u64 = 200;
/// Names that are drawn together at most.
pub const MOST_NAMES: usize = 100;
/// Beyond this nothing is known: a factor of 150.
const MOST_ERROR: f64 = 5.0;
/// From so many degrees of freedom on, the size of the errors is known.
const MANY_DEGREES: u64 = 1000;

/// Errors of what was found, all of them relative.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Uncertainty {
    /// `c.NAME`, `noise.NAME`.
    pub names: Vec<String>,
    /// Those of them that may have either sign.
    pub signed: Vec<String>,
    /// Covariance of their relative errors, row by row.
    pub covariance: Vec<Vec<f64>>,
    /// Degrees of freedom that it was estimated with.
    pub degrees: u64,
    /// Of the model: standard deviation of means of runs.
    pub misfit: f64,
    /// Of a single run beside what is simulated: standard deviation.
    pub spread: f64,
}

/// One possible truth.
#[derive(Debug, Clone, PartialEq)]
pub struct Draw {
    /// Factor on each name's value.
    pub factors: Vec<f64>,
    /// Factor on the time.
    pub time: f64,
}

impl Uncertainty {
    /// A draw by its number: the same whatever else is drawn.
    pub fn draw(&self, seed: u64, number: u64) -> Draw {
        let (errors, time) = self.errors(seed, number);
        let of = |(name, error): (&String, &f64)| match self.signed.contains(name) {
            true => 1.0 + error,
            false => error.exp(),
        };
        Draw { factors: self.names.iter().zip(&errors).map(of).collect(), time: time.exp() }
    }

    /// Relative errors of the names, and the logarithm of the factor on the time.
    pub fn errors(&self, seed: u64, number: u64) -> (Vec<f64>, f64) {
        let mut random = SplitMix::new(seed ^ 0x6365_7274_6169_6e74, number);
        let mut normal = || normal::quantile(random.uniform().clamp(1e-16, 1.0 - 1e-16));
        let degrees = self.degrees.max(1);
        let scale = if degrees >= MANY_DEGREES {
            1.0
        } else {
            let chi: f64 = (0..degrees).map(|_| normal().powi(2)).sum();
            (degrees as f64 / chi).sqrt()
        };
        let time = scale * self.misfit * normal() + self.spread * normal();
        let root = root(&self.covariance);
        let draws: Vec<f64> = self.names.iter().map(|_| normal()).collect();
        let of = |row: &Vec<f64>| scale * row.iter().zip(&draws).map(|(part, draw)| part * draw).sum::<f64>();
        let bounded = |error: f64| error.clamp(-MOST_ERROR, MOST_ERROR);
        (root.iter().map(of).map(bounded).collect(), bounded(time))
    }

    /// Standard deviation of each name's relative error.
    pub fn deviations(&self) -> Vec<f64> {
        (0..self.names.len()).map(|index| self.covariance[index][index].max(0.0).sqrt()).collect()
    }
}

/// The lower triangle L with L L' = matrix (A.-L. Cholesky); what is not determined is left out.
fn root(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut root = vec![vec![0.0; size]; size];
    for row in 0..size {
        for column in 0..=row {
            let known: f64 = (0..column).map(|index| root[row][index] * root[column][index]).sum();
            let left = matrix[row][column] - known;
            root[row][column] = if row == column {
                left.max(0.0).sqrt()
            } else if root[column][column] > 0.0 {
                left / root[column][column]
            } else {
                0.0
            };
        }
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_covariance() {
        let covariance = vec![vec![0.04, 0.018], vec![0.018, 0.01]];
        let of = Uncertainty {
            names: vec!["c.a".to_owned(), "c.b".to_owned()],
            covariance: covariance.clone(),
            degrees: MANY_DEGREES,
            misfit: 0.03,
            spread: 0.04,
            ..Uncertainty::default()
        };
        let draws: Vec<(Vec<f64>, f64)> = (0..20_000).map(|number| of.errors(7, number)).collect();
        let count = draws.len() as f64;
        for row in 0..2 {
            for column in 0..2 {
                let seen = draws.iter().map(|(errors, _)| errors[row] * errors[column]).sum::<f64>() / count;
                assert!((seen / covariance[row][column] - 1.0).abs() < 0.05, "{row} {column}: {seen}");
            }
        }
        let seen = (draws.iter().map(|(_, time)| time * time).sum::<f64>() / count).sqrt();
        assert!((seen / 0.05 - 1.0).abs() < 0.03, "3 % and 4 % make 5 %: {seen}");
        assert_eq!(of.draw(7, 3), of.draw(7, 3));
        assert!(of.draw(7, 3) != of.draw(8, 3));
    }

    #[test]
    fn few_degrees_of_freedom_have_long_tails() {
        // Student's t with 3 degrees of freedom lies beyond 2.353 with a chance of 0.05 on either side (tables).
        let of = Uncertainty { degrees: 3, misfit: 1.0, ..Uncertainty::default() };
        let beyond = (0..20_000).filter(|number| of.errors(1, *number).1.abs() > 2.353).count() as f64 / 20_000.0;
        assert!((beyond - 0.1).abs() < 0.01, "{beyond}");
    }

    #[test]
    fn a_matrix_that_is_not_of_full_rank_is_taken() {
        let seen = root(&[vec![4.0, 2.0], vec![2.0, 1.0]]);
        assert_eq!(seen, [vec![2.0, 0.0], vec![1.0, 0.0]]);
        assert_eq!(root(&[vec![0.0, 0.0], vec![0.0, 9.0]]), [vec![0.0, 0.0], vec![0.0, 3.0]]);
    }
}
