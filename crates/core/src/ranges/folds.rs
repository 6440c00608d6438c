//! Forward folds: a method judged on what lies beyond the points that it has seen.

/// A target next to the data counts as this many times beyond them.
pub const LEAST_DISTANCE: f64 = 1.2;
/// How many times a prefix's largest position is still tested.
const FARTHEST: f64 = 4.0;

/// For each prefix of at least `least` positions, its length and the later positions to test: those up to 4 times its
/// largest. Positions ascend.
///
/// # Examples
/// ```
/// use runcast_core::ranges::prefixes;
/// let all: Vec<_> = prefixes(&[1.0, 2.0, 4.0, 8.0, 40.0], 3).collect();
/// assert_eq!(all, [(3, 3..4), (4, 4..4)]);
/// ```
pub fn prefixes(positions: &[f64], least: usize) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
    (least.max(1)..positions.len()).map(move |seen| {
        let farthest = FARTHEST * positions[seen - 1] * (1.0 + 1e-12);
        (seen, seen..positions.partition_point(|position| *position <= farthest).max(seen))
    })
}

/// The square of the error per unit of distance: the mean of `e^2/max(h, ln 1.2)` over tests `(e, h)`; 0 without any.
///
/// # Examples
/// ```
/// use runcast_core::ranges::fold_square;
/// assert!((fold_square([(0.1, 0.0), (0.2, 1.0)]) - 0.5 * (0.01 / 1.2f64.ln() + 0.04)).abs() < 1e-15);
/// ```
pub fn fold_square(tests: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for (error, h) in tests {
        sum += error * error / h.max(LEAST_DISTANCE.ln());
        count += 1;
    }
    if count == 0 { 0.0 } else { sum / count as f64 }
}
