//! Minima of functions without derivatives.
//!
//! Source: J. A. Nelder and R. Mead, *A simplex method for function minimization*, The Computer Journal 7 (1965).

/// Steps of the first simplex along each coordinate.
const STEP: f64 = 0.5;

/// Where `function` is least, as far as so many evaluations find, and its value there.
pub(super) fn minimize(start: &[f64], evaluations: usize, function: impl Fn(&[f64]) -> f64) -> (Vec<f64>, f64) {
    // What has no value is worse than all that have one.
    let value = |at: &[f64]| Some(function(at)).filter(|value| !value.is_nan()).unwrap_or(f64::INFINITY);
    let mut corners: Vec<(Vec<f64>, f64)> = Vec::with_capacity(start.len() + 1);
    corners.push((start.to_vec(), value(start)));
    for coordinate in 0..start.len() {
        let mut at = start.to_vec();
        at[coordinate] += STEP;
        corners.push((at.clone(), value(&at)));
    }
    let mut left = evaluations.saturating_sub(corners.len());
    while left > 0 && !start.is_empty() {
        corners.sort_by(|a, b| a.1.total_cmp(&b.1));
        let worst = corners.len() - 1;
        let center: Vec<f64> = (0..start.len())
            .map(|k| corners[..worst].iter().map(|(at, _)| at[k]).sum::<f64>() / worst as f64)
            .collect();
        let along = |factor: f64| -> (Vec<f64>, f64) {
            let at: Vec<f64> = center.iter().zip(&corners[worst].0).map(|(c, w)| c + factor * (c - w)).collect();
            let here = value(&at);
            (at, here)
        };
        let reflected = along(1.0);
        left = left.saturating_sub(1);
        let next = if reflected.1 < corners[0].1 {
            left = left.saturating_sub(1);
            let expanded = along(2.0);
            if expanded.1 < reflected.1 { expanded } else { reflected }
        } else if reflected.1 < corners[worst - 1].1 {
            reflected
        } else {
            left = left.saturating_sub(1);
            along(if reflected.1 < corners[worst].1 { 0.5 } else { -0.5 })
        };
        if next.1 < corners[worst].1 {
            corners[worst] = next;
            continue;
        }
        let best = corners[0].0.clone();
        for corner in &mut corners[1..] {
            corner.0.iter_mut().zip(&best).for_each(|(at, best)| *at = 0.5 * (*at + best));
            corner.1 = value(&corner.0);
        }
        left = left.saturating_sub(start.len());
    }
    corners.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::minimize;

    #[test]
    fn the_valley_of_rosenbrock() {
        let valley = |at: &[f64]| (1.0 - at[0]).powi(2) + 100.0 * (at[1] - at[0] * at[0]).powi(2);
        let (at, least) = minimize(&[-1.2, 1.0], 400, valley);
        assert!(least < 1e-8 && (at[0] - 1.0).abs() < 1e-3, "{at:?}: {least}");
        assert_eq!(minimize(&[], 400, |_| 3.0).1, 3.0);
    }
}
