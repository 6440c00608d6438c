//! The measured line that `auto` works on.

use crate::models::one_term::Transform;
use crate::models::search::LEAP;
use crate::sample::Sample;
use runcast_core::statistics::{mean, median};

/// Positive times over ascending, distinct x.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
}

impl Points {
    /// The line of a sample along its axis, transformed. Runs that share an x (where another parameter follows it
    /// roughly) become their median.
    pub fn of(sample: &Sample<'_>, transform: Transform) -> Points {
        let mut pairs: Vec<(f64, f64)> =
            sample.x().into_iter().zip(&sample.y).map(|(x, y)| (x, transform.forward(x, *y))).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (x, y) = pairs
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| (same[0].0, median(&same.iter().map(|pair| pair.1).collect::<Vec<f64>>())))
            .unzip();
        Points { x, y }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// The first `count`.
    pub fn first(&self, count: usize) -> Points {
        Points { x: self.x[..count].to_vec(), y: self.y[..count].to_vec() }
    }

    /// The last x and y. There is at least one point.
    pub fn last(&self) -> (f64, f64) {
        (self.x[self.len() - 1], self.y[self.len() - 1])
    }

    /// Whether the metric falls from the first point to the last.
    pub fn falls(&self) -> bool {
        self.y[self.len() - 1] < self.y[0]
    }

    /// Whether it rises at every step.
    pub fn rises_throughout(&self) -> bool {
        self.len() >= 2 && self.y.windows(2).all(|pair| pair[0] < pair[1])
    }

    /// Mean of log2 x.
    pub fn center(&self) -> f64 {
        mean(&self.x.iter().map(|x| x.log2()).collect::<Vec<f64>>())
    }
}

/// A larger point, to be predicted from the first ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fold {
    /// Number of points to learn from.
    pub train: usize,
    /// Index of the point held out.
    pub held: usize,
    pub weight: f64,
    /// `ln(x_held / x_train)`: how far it is beyond the last that is learnt from.
    pub reach: f64,
    /// `ln(y_held / y_train)`
    pub truth: f64,
}

/// At most two forward folds: the last point (weight 1) and the last but one (1/2), each learnt from those at least
/// 1.9 times smaller, or from the three smallest if these are fewer.
pub fn folds(points: &Points) -> Vec<Fold> {
    let n = points.len();
    [(1, 1.0), (2, 0.5)]
        .into_iter()
        .filter(|(back, _)| n > *back)
        .map(|(back, weight)| (n - back, weight))
        .filter_map(|(held, weight)| {
            let train = points.x.partition_point(|x| *x <= points.x[held] / LEAP).max(3);
            (train <= held).then(|| Fold {
                train,
                held,
                weight,
                reach: (points.x[held] / points.x[train - 1]).ln(),
                truth: (points.y[held] / points.y[train - 1]).ln(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(x: &[f64]) -> Points {
        Points { x: x.to_vec(), y: x.iter().map(|x| 100.0 / x).collect() }
    }

    #[test]
    fn folds_reach_about_a_doubling_beyond_what_they_learn_from() {
        let of = |x: &[f64]| folds(&points(x)).iter().map(|fold| (fold.train, fold.held)).collect::<Vec<_>>();
        assert_eq!(of(&[1.0, 2.0, 4.0]), []);
        assert_eq!(of(&[1.0, 2.0, 4.0, 8.0]), [(3, 3)]);
        assert_eq!(of(&[1.0, 2.0, 4.0, 8.0, 16.0]), [(4, 4), (3, 3)]);
        assert_eq!(of(&[8.0, 16.0, 24.0, 32.0, 40.0, 48.0]), [(3, 5), (3, 4)]);
    }
}
