//! Least squares for small designs, by singular values: never by normal equations.

use super::dot;
use super::statistics::median;
use nalgebra::{DMatrix, DVector, Dyn, SVD};

/// Singular values below this share of the largest count as zero.
const RANK_TOLERANCE: f64 = 1e-10;

/// A least-squares problem: residual `weight[i] * (y[i] - rows[i] . c)`.
#[derive(Debug, Clone)]
pub struct Design {
    /// A row per configuration, all of one length.
    pub rows: Vec<Vec<f64>>,
    /// The right-hand side.
    pub y: Vec<f64>,
    /// Weight of each residual.
    pub weights: Vec<f64>,
    /// Squares added to the objective: `(lambda * c[column])^2`.
    pub ridge: Option<Ridge>,
    /// Whether columns are scaled to length one first. Without it a rank-deficient design has the minimum-norm
    /// solution in its own columns.
    pub scale_columns: bool,
}

/// A penalty on one coefficient.
#[derive(Debug, Clone, Copy)]
pub struct Ridge {
    pub column: usize,
    /// Factor applied before squaring.
    pub lambda: f64,
}

/// Loss function of the residuals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Robust {
    /// Huber when there are at least 8 configurations and 4 degrees of freedom, else none.
    Auto,
    /// Plain squares.
    #[default]
    None,
    /// Huber's loss, linear beyond 1.345 robust standard deviations.
    Huber,
    /// Tukey's biweight, constant beyond 4.685 robust standard deviations.
    Tukey,
    /// Least absolute deviations.
    Lad,
}

crate::words!(Robust::word: Auto = "auto", None = "none", Huber = "huber", Tukey = "tukey", Lad = "lad");

impl Robust {
    /// Whether the user insists on it.
    pub fn is_asked_for(self) -> bool {
        !matches!(self, Robust::None | Robust::Auto)
    }
}

/// A solved [`Design`].
#[derive(Debug, Clone)]
pub struct LinearFit {
    /// One coefficient per column.
    pub coefficients: Vec<f64>,
    /// Numerical rank.
    pub rank: usize,
    /// Largest singular value over smallest, of the weighted design as solved; infinite when the rank is deficient.
    pub condition: f64,
    /// Sum of the squares of the weighted residuals, without the ridge.
    pub rss: f64,
    /// Leverage of each row, 0 to 1.
    pub leverage: Vec<f64>,
    /// The final weights, including those of a robust loss.
    pub weights: Vec<f64>,
    /// `(X'WX)^-1`, or its pseudo-inverse.
    covariance: DMatrix<f64>,
}

impl LinearFit {
    /// `row . c`
    pub fn at(&self, row: &[f64]) -> f64 {
        dot(&self.coefficients, row)
    }

    /// `x' (X'WX)^-1 x`
    pub fn variance_factor(&self, row: &[f64]) -> f64 {
        let x = DVector::from_column_slice(row);
        (x.transpose() * &self.covariance * &x)[(0, 0)].max(0.0)
    }

    /// What `row . c` would be without configuration `index` (exact for plain least squares).
    pub fn at_without(&self, row: &[f64], index: usize, design: &Design) -> Option<f64> {
        let left = &design.rows[index];
        let free = 1.0 - self.leverage[index];
        if free < 1e-9 {
            return None;
        }
        let x = DVector::from_column_slice(left);
        let residual = design.y[index] - self.at(left);
        let step = &self.covariance * x * (self.weights[index].powi(2) * residual / free);
        Some(self.at(row) - dot(step.as_slice(), row))
    }
}

/// Solves by singular values; `None` when something is not finite or there are no rows.
pub fn solve(design: &Design) -> Option<LinearFit> {
    solve_weighted(design, &design.weights)
}

/// Solves with a robust loss, by iteratively reweighted least squares.
pub fn solve_robust(design: &Design, robust: Robust) -> Option<LinearFit> {
    let mut fit = solve(design)?;
    let n = design.rows.len();
    let robust = match robust {
        Robust::Auto if n >= 8 && n >= fit.rank + 4 => Robust::Huber,
        Robust::Auto | Robust::None => return Some(fit),
        asked => asked,
    };
    for _ in 0..100 {
        let residuals: Vec<f64> =
            design.rows.iter().zip(&design.y).zip(&design.weights).map(|((row, y), w)| w * (y - fit.at(row))).collect();
        let absolute: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
        let scale = 1.4826 * median(&absolute);
        if scale <= 1e-14 * design.y.iter().fold(0.0, |most: f64, y| most.max(y.abs())) {
            break;
        }
        let weights: Vec<f64> = residuals
            .iter()
            .zip(&design.weights)
            .map(|(residual, weight)| weight * loss_weight(robust, residual / scale).sqrt())
            .collect();
        let next = solve_weighted(design, &weights)?;
        let moved = next
            .coefficients
            .iter()
            .zip(&fit.coefficients)
            .map(|(a, b)| (a - b).abs() / (a.abs() + b.abs() + 1e-300))
            .fold(0.0, f64::max);
        fit = next;
        if moved < 1e-12 {
            break;
        }
    }
    Some(fit)
}

/// Weight of a squared residual under a robust loss, at `u` robust standard deviations.
fn loss_weight(robust: Robust, u: f64) -> f64 {
    let u = u.abs();
    match robust {
        Robust::Huber => (1.345 / u).min(1.0),
        Robust::Tukey if u < 4.685 => (1.0 - (u / 4.685).powi(2)).powi(2),
        Robust::Tukey => 0.0,
        Robust::Lad => 1.0 / u.max(1e-6),
        Robust::None | Robust::Auto => 1.0,
    }
}

/// The coefficients of [`solve_robust`] alone, which take half of the time.
pub fn coefficients(design: &Design, robust: Robust) -> Option<Vec<f64>> {
    let is_plain = match robust {
        Robust::None => true,
        Robust::Auto => design.rows.len() < 8,
        _ => false,
    };
    if is_plain {
        return Decomposed::of(design, &design.weights).map(|decomposed| decomposed.coefficients());
    }
    solve_robust(design, robust).map(|fit| fit.coefficients)
}

/// A weighted design by its singular values.
struct Decomposed {
    svd: SVD<f64, Dyn, Dyn>,
    /// The weighted right-hand side.
    y: DVector<f64>,
    /// What the columns were divided by.
    lengths: Vec<f64>,
    /// Singular values that do not count as zero.
    kept: Vec<usize>,
}

impl Decomposed {
    fn of(design: &Design, weights: &[f64]) -> Option<Decomposed> {
        let n = design.rows.len();
        let columns = design.rows.first()?.len();
        if columns == 0 {
            return None;
        }
        let rows = n + usize::from(design.ridge.is_some());
        // The decomposition needs at least as many rows as columns.
        let mut x = DMatrix::zeros(rows.max(columns), columns);
        let mut y = DVector::zeros(rows);
        for (i, row) in design.rows.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                x[(i, j)] = weights[i] * value;
            }
            y[i] = weights[i] * design.y[i];
        }
        if let Some(ridge) = design.ridge {
            x[(n, ridge.column)] = ridge.lambda;
        }
        if x.iter().chain(y.iter()).any(|value| !value.is_finite()) {
            return None;
        }
        let lengths: Vec<f64> = (0..columns)
            .map(|j| if design.scale_columns { x.view((0, j), (rows, 1)).norm() } else { 1.0 })
            .map(|length| if length > 0.0 { length } else { 1.0 })
            .collect();
        for (j, length) in lengths.iter().enumerate() {
            x.column_mut(j).scale_mut(1.0 / length);
        }
        let svd = x.try_svd(true, true, f64::EPSILON, 10_000)?;
        let largest = svd.singular_values.max();
        let kept = (0..svd.singular_values.len()).filter(|&k| svd.singular_values[k] > RANK_TOLERANCE * largest);
        let kept = kept.collect();
        (svd.u.is_some() && svd.v_t.is_some()).then_some(Decomposed { svd, y, lengths, kept })
    }

    fn coefficients(&self) -> Vec<f64> {
        let mut scaled = vec![0.0; self.lengths.len()];
        let (Some(u), Some(v_t)) = (&self.svd.u, &self.svd.v_t) else { return scaled };
        for &k in &self.kept {
            let along: f64 = (0..self.y.len()).map(|i| u[(i, k)] * self.y[i]).sum();
            let step = along / self.svd.singular_values[k];
            scaled.iter_mut().enumerate().for_each(|(j, c)| *c += v_t[(k, j)] * step);
        }
        scaled.iter_mut().zip(&self.lengths).for_each(|(c, length)| *c /= length);
        scaled
    }

    /// Leverage of the first `n` rows.
    fn leverage(&self, n: usize) -> Vec<f64> {
        let mut leverage = vec![0.0; n];
        if let Some(u) = &self.svd.u {
            for &k in &self.kept {
                leverage.iter_mut().enumerate().for_each(|(i, hat)| *hat += u[(i, k)].powi(2));
            }
        }
        leverage
    }

    fn covariance(&self) -> DMatrix<f64> {
        let columns = self.lengths.len();
        let mut covariance = DMatrix::zeros(columns, columns);
        let Some(v_t) = &self.svd.v_t else { return covariance };
        for &k in &self.kept {
            let sigma = self.svd.singular_values[k];
            let direction = v_t.row(k).transpose();
            covariance += &direction * direction.transpose() / (sigma * sigma);
        }
        for i in 0..columns {
            for j in 0..columns {
                covariance[(i, j)] /= self.lengths[i] * self.lengths[j];
            }
        }
        covariance
    }
}

fn solve_weighted(design: &Design, weights: &[f64]) -> Option<LinearFit> {
    let decomposed = Decomposed::of(design, weights)?;
    let n = design.rows.len();
    let coefficients = decomposed.coefficients();
    let rss = (0..n).map(|i| (weights[i] * (design.y[i] - dot(&coefficients, &design.rows[i]))).powi(2)).sum();
    let rank = decomposed.kept.len();
    let singular = &decomposed.svd.singular_values;
    Some(LinearFit {
        condition: if rank < coefficients.len() { f64::INFINITY } else { singular.max() / singular.min() },
        coefficients,
        rank,
        rss,
        leverage: decomposed.leverage(n),
        weights: weights.to_vec(),
        covariance: decomposed.covariance(),
    })
}

/// Least squares with every coefficient at least zero (Lawson and Hanson, *Solving Least Squares Problems*, 1974,
/// chapter 23). Returns the columns in use, and the fit of these columns alone.
pub fn solve_nonnegative(design: &Design, robust: Robust) -> Option<(Vec<usize>, LinearFit)> {
    nonnegative(design, |part| solve_robust(part, robust), |fit| &fit.coefficients)
}

/// The columns in use and their coefficients of [`solve_nonnegative`] alone.
pub fn nonnegative_coefficients(design: &Design, robust: Robust) -> Option<(Vec<usize>, Vec<f64>)> {
    let (active, found) = nonnegative(design, |part| first_guess(part, robust), |found| found)?;
    // A single column was guessed: its coefficient is that of all other sets of columns, by singular values.
    if let [only] = *active.as_slice() {
        let rows = design.rows.iter().map(|row| vec![row[only]]).collect();
        let part = Design { rows, y: design.y.clone(), weights: design.weights.clone(), ridge: None, ..*design };
        return coefficients(&part, robust).map(|found| (active, found));
    }
    Some((active, found))
}

/// The coefficients; of a single column by the plain formula, which takes a tenth of the time and is as exact as the
/// choice of the next column needs.
fn first_guess(design: &Design, robust: Robust) -> Option<Vec<f64>> {
    if robust != Robust::None || design.rows.first()?.len() != 1 {
        return coefficients(design, robust);
    }
    let (mut xx, mut xy) = (0.0, 0.0);
    for ((row, y), weight) in design.rows.iter().zip(&design.y).zip(&design.weights) {
        let x = weight * row[0];
        xx += x * x;
        xy += x * weight * y;
    }
    let found = xy / xx;
    if found.is_finite() { Some(vec![found]) } else { coefficients(design, robust) }
}

fn nonnegative<F>(
    design: &Design,
    solve: impl Fn(&Design) -> Option<F>,
    coefficients_of: impl Fn(&F) -> &Vec<f64>,
) -> Option<(Vec<usize>, F)> {
    let columns = design.rows.first()?.len();
    let lengths: Vec<f64> = (0..columns)
        .map(|j| design.rows.iter().zip(&design.weights).map(|(row, w)| (w * row[j]).powi(2)).sum::<f64>().sqrt())
        .collect();
    let mut part = Design {
        rows: design.rows.iter().map(|row| Vec::with_capacity(row.len())).collect(),
        y: design.y.clone(),
        weights: design.weights.clone(),
        ridge: None,
        scale_columns: design.scale_columns,
    };
    let mut restricted = |active: &[usize]| -> Option<F> {
        for (chosen, row) in part.rows.iter_mut().zip(&design.rows) {
            chosen.clear();
            chosen.extend(active.iter().map(|&j| row[j]));
        }
        solve(&part)
    };
    let mut active: Vec<usize> = Vec::new();
    let mut current = vec![0.0; columns];
    let mut best: Option<(Vec<usize>, F)> = None;
    for _ in 0..10 * columns + 10 {
        // The column whose growth lowers the loss most steeply joins; if there is none, stop.
        let residuals: Vec<f64> = design
            .rows
            .iter()
            .zip(&design.y)
            .zip(&design.weights)
            .map(|((r, y), w)| w * (y - dot(&current, r)))
            .collect();
        let scale = residuals.iter().map(|r| r * r).sum::<f64>().sqrt();
        let gain = |j: usize| -> f64 {
            design.rows.iter().zip(&design.weights).zip(&residuals).map(|((row, w), r)| w * row[j] * r).sum::<f64>()
                / lengths[j]
        };
        let size = design.y.iter().zip(&design.weights).map(|(y, w)| (w * y).powi(2)).sum::<f64>().sqrt();
        let joining = (0..columns)
            .filter(|j| !active.contains(j) && lengths[*j] > 0.0)
            .map(|j| (j, gain(j)))
            .filter(|(_, gain)| *gain > 1e-10 * scale && *gain > 1e-13 * size)
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((joining, _)) = joining else { break };
        active.push(joining);
        active.sort_unstable();
        loop {
            let fit = restricted(&active)?;
            let found = coefficients_of(&fit);
            if found.iter().all(|c| *c > 0.0) {
                current = vec![0.0; columns];
                for (&j, c) in active.iter().zip(found) {
                    current[j] = *c;
                }
                best = Some((active.clone(), fit));
                break;
            }
            // Walk from the last feasible point towards the new one until the first coefficient reaches zero.
            let step = active
                .iter()
                .zip(found)
                .filter(|(_, c)| **c <= 0.0)
                .map(|(&j, c)| current[j] / (current[j] - c))
                .fold(1.0, |least: f64, s| if s.is_finite() { least.min(s) } else { 0.0 });
            for (&j, c) in active.iter().zip(found) {
                current[j] += step * (c - current[j]);
            }
            let before = active.len();
            active.retain(|&j| current[j] > 1e-14 * size / lengths[j]);
            if active.len() == before || active.is_empty() {
                return best;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(rows: &[&[f64]], y: &[f64]) -> Design {
        Design {
            rows: rows.iter().map(|row| row.to_vec()).collect(),
            y: y.to_vec(),
            weights: vec![1.0; y.len()],
            ridge: None,
            scale_columns: true,
        }
    }

    #[test]
    fn a_line_through_exact_points_comes_back() {
        let fit = solve(&design(&[&[1.0, 1.0], &[1.0, 2.0], &[1.0, 4.0]], &[3.0, 5.0, 9.0])).expect("solvable");
        assert!((fit.coefficients[0] - 1.0).abs() < 1e-12 && (fit.coefficients[1] - 2.0).abs() < 1e-12);
        assert_eq!(fit.rank, 2);
        assert!((fit.leverage.iter().sum::<f64>() - 2.0).abs() < 1e-12, "leverages sum to the rank");
    }

    #[test]
    fn equal_columns_share_the_coefficient() {
        let mut twice = design(&[&[1.0, 1.0], &[2.0, 2.0]], &[2.0, 4.0]);
        twice.scale_columns = false;
        let fit = solve(&twice).expect("solvable");
        assert_eq!(fit.rank, 1);
        assert!((fit.coefficients[0] - 1.0).abs() < 1e-12 && (fit.coefficients[1] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn leaving_a_point_out_by_formula_equals_refitting() {
        let full = design(&[&[1.0, 1.0], &[1.0, 2.0], &[1.0, 4.0], &[1.0, 5.0]], &[3.0, 5.5, 8.0, 12.0]);
        let fit = solve(&full).expect("solvable");
        for left in 0..4 {
            let mut rest = full.clone();
            rest.rows.remove(left);
            rest.y.remove(left);
            rest.weights.remove(left);
            let refitted = solve(&rest).expect("solvable").at(&[1.0, 10.0]);
            let formula = fit.at_without(&[1.0, 10.0], left, &full).expect("not saturated");
            assert!((refitted - formula).abs() < 1e-10);
        }
    }

    #[test]
    fn nonnegative_fit_drops_the_column_that_would_be_negative() {
        // y = 2 - x: the slope would be negative, so the best is the mean alone.
        let falling = design(&[&[1.0, 0.0], &[1.0, 1.0], &[1.0, 2.0]], &[2.0, 1.0, 0.0]);
        let (active, fit) = solve_nonnegative(&falling, Robust::None).expect("solvable");
        assert_eq!(active, vec![0]);
        assert!((fit.coefficients[0] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn huber_is_not_moved_by_one_wild_point() {
        let x: Vec<[f64; 2]> = (0..10).map(|i| [1.0, f64::from(i)]).collect();
        let rows: Vec<&[f64]> = x.iter().map(|row| row.as_slice()).collect();
        let mut y: Vec<f64> =
            (0..10).map(|i| 1.0 + 2.0 * f64::from(i) + if i % 2 == 0 { 0.01 } else { -0.01 }).collect();
        y[7] = 500.0;
        let wild = design(&rows, &y);
        let plain = solve(&wild).expect("solvable").coefficients[1];
        let tukey = solve_robust(&wild, Robust::Tukey).expect("solvable").coefficients[1];
        assert!((plain - 2.0).abs() > 1.0);
        assert!((tukey - 2.0).abs() < 0.02, "{tukey}");
    }
}
