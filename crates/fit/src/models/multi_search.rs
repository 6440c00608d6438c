//! The search for a sum of products of terms: the best term along each parameter, and every form of their sum.

use super::search::{NEGLIGIBLE, POSITIVE_UP_TO};
use crate::sample::Sample;
use crate::terms::PmnfTerm;
use runcast_core::accuracy::smape_pct;
use runcast_core::numeric::dot;
use runcast_core::statistics::mean;

/// Groups of at least three points that differ in one parameter only (and in those that follow the axis), in its order.
pub(super) fn lines_along(sample: &Sample<'_>, parameter: usize) -> Vec<Vec<usize>> {
    let others: Vec<usize> = sample.dimensions.iter().copied().filter(|k| *k != parameter).collect();
    let mut lines: indexmap::IndexMap<Vec<u64>, Vec<usize>> = indexmap::IndexMap::new();
    for (index, at) in sample.at.iter().enumerate() {
        lines.entry(others.iter().map(|&k| at[k].to_bits()).collect()).or_default().push(index);
    }
    let mut lines: Vec<Vec<usize>> = lines.into_values().filter(|line| line.len() >= 3).collect();
    for line in &mut lines {
        line.sort_by(|&a, &b| sample.at[a][parameter].total_cmp(&sample.at[b][parameter]));
    }
    lines
}

/// The term with the lowest leave-one-out score, averaged over the lines.
pub(super) fn best_term(
    sample: &Sample<'_>,
    parameter: usize,
    lines: &[Vec<usize>],
    y: &[f64],
    terms: &[PmnfTerm],
) -> Option<PmnfTerm> {
    let along = |line: &[usize]| line.iter().map(|&k| sample.at[k][parameter]).collect::<Vec<f64>>();
    let x: Vec<Vec<f64>> = lines.iter().map(|line| along(line)).collect();
    let y: Vec<Vec<f64>> = lines.iter().map(|line| line.iter().map(|&k| y[k]).collect()).collect();
    let mut best: Option<(f64, PmnfTerm)> = None;
    for term in terms {
        let limit = best.map_or(f64::INFINITY, |(score, _)| score) * lines.len() as f64;
        let mut sum = 0.0;
        let mut column = Column::default();
        for (index, (x, y)) in x.iter().zip(&y).enumerate() {
            // The lines of a full grid share their coordinates.
            if index == 0 || *x != column.x {
                column = Column::new(term, x);
            }
            sum += column.leave_one_out(y);
            // Not a number, or already worse than the best.
            if sum.is_nan() || sum >= limit {
                sum = f64::INFINITY;
                break;
            }
        }
        let score = sum / lines.len() as f64;
        if score.is_finite() && best.is_none_or(|(least, _)| score < least) {
            best = Some((score, *term));
        }
    }
    best.map(|(_, term)| term)
}

/// A term along a line.
#[derive(Default)]
struct Column {
    x: Vec<f64>,
    /// The term minus its mean.
    centered: Vec<f64>,
    /// Sum of the squares of these.
    square: f64,
}

impl Column {
    fn new(term: &PmnfTerm, x: &[f64]) -> Self {
        let t: Vec<f64> = x.iter().map(|x| term.at(*x)).collect();
        let center = mean(&t);
        let centered: Vec<f64> = t.iter().map(|t| t - center).collect();
        Column { x: x.to_vec(), square: dot(&centered, &centered), centered }
    }

    /// Mean SMAPE of a constant and the term, each point predicted from the others.
    fn leave_one_out(&self, y: &[f64]) -> f64 {
        let n = y.len() as f64;
        let y_mean = mean(y);
        let slope = dot(&self.centered, y) / self.square;
        // Leaving a point out of a straight line moves its own residual by 1 / (1 - leverage).
        smape_pct(self.centered.iter().zip(y).map(|(t, y)| {
            let leverage = 1.0 / n + t * t / self.square;
            let residual = y - y_mean - slope * t;
            (y - residual / (1.0 - leverage), *y)
        }))
    }
}

/// The best terms at every configuration, computed once for all forms.
pub(super) struct TermTable {
    /// For each dimension, its term at each configuration; ones where it has none.
    values: Vec<Vec<f64>>,
    /// The term of the axis, the first dimension, at the largest measured value and sixteen times beyond.
    beyond: [f64; 2],
}

pub(super) struct Candidate {
    /// The constant, then one per product.
    pub(super) coefficients: Vec<f64>,
    /// A column per product, without the constant.
    columns: Vec<Vec<f64>>,
    residuals: Vec<f64>,
    leverage: Vec<f64>,
}

impl TermTable {
    /// The values of the terms of a sample.
    pub(super) fn new(sample: &Sample<'_>, terms: &[Option<PmnfTerm>]) -> Self {
        let at = |term: &Option<PmnfTerm>, x: f64| term.map_or(1.0, |term| term.at(x));
        let values = sample
            .dimensions
            .iter()
            .zip(terms)
            .map(|(&parameter, term)| sample.at.iter().map(|row| at(term, row[parameter])).collect())
            .collect();
        let largest = sample.range(sample.axis)[1];
        let beyond = [largest, largest * POSITIVE_UP_TO].map(|x| terms.first().map_or(1.0, |term| at(term, x)));
        TermTable { values, beyond }
    }

    /// Each product of a form at one configuration, the axis replaced where asked.
    fn product(&self, product: u8, point: usize, axis: Option<f64>) -> f64 {
        let value = |dimension: usize| match axis {
            Some(value) if dimension == 0 => value,
            _ => self.values[dimension][point],
        };
        (0..self.values.len()).filter(|dimension| product >> dimension & 1 == 1).map(value).product()
    }

    /// Least squares by orthogonal columns; `None` when there are too few points or the columns are dependent.
    pub(super) fn fit(&self, form: &[u8], y: &[f64]) -> Option<Candidate> {
        let n = y.len();
        if n <= form.len() + 1 {
            return None;
        }
        let column = |product: &u8| (0..n).map(|point| self.product(*product, point, None)).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> = form.iter().map(column).collect();
        let mut orthonormal: Vec<Vec<f64>> = vec![vec![(n as f64).sqrt().recip(); n]];
        // The columns are sums of the orthonormal ones: `triangle[k]` holds the parts of column k.
        let mut triangle: Vec<Vec<f64>> = vec![vec![(n as f64).sqrt()]];
        for column in &columns {
            let length = dot(column, column).sqrt();
            let mut rest = column.clone();
            let mut parts = vec![0.0; orthonormal.len()];
            // Twice, to remove the rounding residue of the earlier columns.
            for _ in 0..2 {
                for (direction, part) in orthonormal.iter().zip(&mut parts) {
                    let along = dot(&rest, direction);
                    rest.iter_mut().zip(direction).for_each(|(value, d)| *value -= along * d);
                    *part += along;
                }
            }
            let norm = dot(&rest, &rest).sqrt();
            if !norm.is_finite() || norm <= 1e-9 * length {
                return None;
            }
            parts.push(norm);
            triangle.push(parts);
            orthonormal.push(rest.iter().map(|value| value / norm).collect());
        }
        let mut residuals = y.to_vec();
        let mut along = Vec::with_capacity(orthonormal.len());
        let mut leverage = vec![0.0; n];
        for direction in &orthonormal {
            let part = dot(&residuals, direction);
            residuals.iter_mut().zip(direction).for_each(|(value, d)| *value -= part * d);
            leverage.iter_mut().zip(direction).for_each(|(hat, d)| *hat += d * d);
            along.push(part);
        }
        let mut coefficients = along;
        for k in (0..coefficients.len()).rev() {
            coefficients[k] /= triangle[k][k];
            for j in 0..k {
                coefficients[j] -= coefficients[k] * triangle[k][j];
            }
        }
        Some(Candidate { coefficients, columns, residuals, leverage })
    }

    /// Whether a positive metric stays positive at every configuration and when the axis grows sixteenfold from there.
    pub(super) fn stays_positive(&self, form: &[u8], coefficients: &[f64], y: &[f64]) -> bool {
        if y.iter().any(|y| *y <= 0.0) {
            return true;
        }
        (0..y.len()).all(|point| {
            [None, Some(self.beyond[0]), Some(self.beyond[1])].into_iter().all(|axis| {
                let products =
                    form.iter().zip(&coefficients[1..]).map(|(product, c)| c * self.product(*product, point, axis));
                let value = coefficients[0] + products.sum::<f64>();
                value > 0.0 && value.is_finite()
            })
        })
    }
}

impl Candidate {
    /// SMAPE of every point predicted from the others, by its leverage.
    pub(super) fn cross_validated_smape(&self, y: &[f64]) -> f64 {
        let left_out =
            self.residuals.iter().zip(&self.leverage).map(|(residual, leverage)| residual / (1.0 - leverage));
        smape_pct(y.iter().zip(left_out).map(|(y, residual)| (y - residual, *y)))
    }

    /// Whether every product contributes at least 0.05 % of the metric somewhere.
    pub(super) fn all_contribute(&self, y: &[f64]) -> bool {
        self.columns.iter().zip(&self.coefficients[1..]).all(|(column, coefficient)| {
            column.iter().zip(y).any(|(value, y)| (coefficient * value / y).abs() >= NEGLIGIBLE)
        })
    }
}

/// A sum of products: each product is a set of dimensions, by bits.
pub(super) type Form = Vec<u8>;

/// Two parameters: `ab`, `a+b`, `ab+a`, `ab+b`. Three: every sum of some of the seven products in which every
/// parameter occurs. Four: the pure sum and the pure product. Each also with parameters dropped, down to the constant.
pub(super) fn forms(terms: &[Option<PmnfTerm>]) -> Vec<Form> {
    let available: u8 = terms.iter().enumerate().filter(|(_, term)| term.is_some()).map(|(k, _)| 1u8 << k).sum();
    let mut forms: Vec<Form> = vec![Vec::new()];
    let mut add = |form: Form| {
        if form.iter().all(|product| product & !available == 0) && !forms.contains(&form) {
            forms.push(form);
        }
    };
    for used in 1..1u8 << terms.len() {
        let members: Vec<u8> = (0..terms.len()).map(|k| 1u8 << k).filter(|bit| used & bit != 0).collect();
        match *members.as_slice() {
            [a] => add(vec![a]),
            [a, b] => [vec![a | b], vec![a, b], vec![a, a | b], vec![b, a | b]].into_iter().for_each(&mut add),
            [a, b, c] => {
                let products = [a | b | c, a | b, b | c, a | c, a, b, c];
                for chosen in 1..1u8 << products.len() {
                    let form: Form =
                        (0..products.len()).filter(|k| chosen >> k & 1 == 1).map(|k| products[k]).collect();
                    if form.iter().fold(0, |union, product| union | product) == used {
                        add(form);
                    }
                }
            }
            _ => {
                add(members.clone());
                add(vec![used]);
            }
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms;

    #[test]
    fn forms_of_two_and_three_parameters() {
        let term = Some(terms::DEFAULT_TERMS[0]);
        assert_eq!(forms(&[term, term]).len(), 7, "ab, a+b, ab+a, ab+b, a, b, constant");
        let three = forms(&[term, term, term]);
        assert!(three.contains(&vec![0b111, 0b011, 0b100]), "abc + ab + c");
        assert!(three.iter().all(|form| form.len() <= 7));
    }
}
