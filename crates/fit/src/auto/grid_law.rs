//! The law of a grid itself, where a short sum of products hits every run.

use crate::sample::Sample;
use crate::terms::{self, PmnfTerm};
use crate::text;
use runcast_core::numeric::dot;
use runcast_core::numeric::linear::{Design, Robust, solve_nonnegative};

/// What misses by more than this, in ln, is no exact law: as along a line.
const EXACT: f64 = 5e-4;
/// A sum has at most so many products.
const MOST_PRODUCTS: usize = 4;
/// So many sums of two, and of three products are carried on to longer ones.
const BEAM: [usize; 2] = [800, 200];
/// A sum that misses by less than this, in ln, needs no further product.
const CLOSE: f64 = 1e-5;
/// Sums of so many products are not lengthened if the best misses by more than this, in the root of the mean square.
const HOPELESS: [f64; 3] = [f64::INFINITY, 0.1, 0.02];
/// So many sums of each length are fitted by orthogonal columns.
const REFINED: usize = 12;
/// A grid needs at least so many configurations, and no more of them are looked at in the search.
const CONFIGURATIONS: [usize; 2] = [6, 400];

/// What may stand for the processes, and for a size, in a product.
const OF_PROCESSES: [PmnfTerm; 13] = [
    of(-1, 1, 0),
    of(-2, 3, 0),
    of(-1, 2, 0),
    of(-1, 3, 0),
    of(0, 1, 0),
    of(1, 3, 0),
    of(1, 2, 0),
    of(2, 3, 0),
    of(1, 1, 0),
    of(-1, 1, 1),
    of(-1, 2, 1),
    of(0, 1, 1),
    of(1, 1, 1),
];
const OF_SIZE: [PmnfTerm; 14] = [
    of(0, 1, 0),
    of(1, 3, 0),
    of(1, 2, 0),
    of(2, 3, 0),
    of(1, 1, 0),
    of(4, 3, 0),
    of(3, 2, 0),
    of(5, 3, 0),
    of(2, 1, 0),
    of(5, 2, 0),
    of(3, 1, 0),
    of(0, 1, 1),
    of(1, 1, 1),
    of(2, 1, 1),
];

const fn of(numerator: i8, denominator: i8, log_power: i8) -> PmnfTerm {
    PmnfTerm { numerator, denominator, log_power }
}

/// `T(p, N) = sum_k c_k f_k(p) g_k(N)`, `c_k > 0`, at most four products.
///
/// Found among all sums of 182 products: each pair by the normal equations of relative residuals, the best pairs and
/// triples lengthened by every product. It is one where `|ln|` misses by at most 0.0005 over every run, and over the runs of
/// the largest p and of the largest N, each predicted from all others.
#[derive(Debug, Clone)]
pub struct GridLaw {
    axes: [usize; 2],
    names: [String; 2],
    products: Vec<(PmnfTerm, PmnfTerm)>,
    coefficients: Vec<f64>,
}

impl GridLaw {
    /// The shortest sum that hits every run of a grid of times over processes and one size; none where there is none.
    pub fn find(sample: &Sample<'_>) -> Option<GridLaw> {
        let &[p, size] = sample.dimensions.as_slice() else { return None };
        let is_time = sample.along_processes && sample.axis == p && !sample.series.metric.is_rate();
        let is_known = (CONFIGURATIONS[0]..=CONFIGURATIONS[1]).contains(&sample.len());
        let is_positive = sample.y.iter().all(|y| *y > 0.0) && sample.at.iter().all(|at| at[p] > 0.0 && at[size] > 0.0);
        // Runs that differ by more follow no law so closely.
        let is_quiet = sample.repetition_variance(f64::ln).sqrt() <= EXACT;
        if !(is_time && is_known && is_positive && is_quiet) {
            return None;
        }
        let has_logarithms = |axis: usize| sample.at.iter().all(|at| at[axis] >= 1.0);
        let usable = |term: &PmnfTerm, axis: usize| term.log_power == 0 || has_logarithms(axis);
        let products: Vec<(PmnfTerm, PmnfTerm)> = OF_PROCESSES
            .iter()
            .filter(|f| usable(f, p))
            .flat_map(|f| OF_SIZE.iter().filter(|g| usable(g, size)).map(move |g| (*f, *g)))
            .collect();
        let search = Search::new(sample, [p, size], products);
        let names = [p, size].map(|axis| sample.series.parameters[axis].clone());
        let Refined { products, coefficients, .. } = search.best()?;
        let products = products.iter().map(|&k| search.products[k]).collect();
        Some(GridLaw { axes: [p, size], names, products, coefficients })
    }

    /// Its value at a configuration.
    pub fn at(&self, at: &[f64]) -> f64 {
        let [p, size] = self.axes.map(|axis| at[axis]);
        self.products.iter().zip(&self.coefficients).map(|((f, g), c)| c * f.at(p) * g.at(size)).sum()
    }

    /// `0.25 + 4e-11*N^3/p`
    pub fn formula(&self) -> String {
        let texts: Vec<(f64, String)> = self
            .products
            .iter()
            .zip(&self.coefficients)
            .filter(|((f, g), _)| !is_one(f) || !is_one(g))
            .map(|(product, c)| (*c, self.product_text(product)))
            .collect();
        terms::sum(self.constant(), &texts)
    }

    /// Its products, without the constant.
    pub fn class(&self) -> String {
        let texts: Vec<String> = self.products.iter().map(|product| self.product_text(product)).collect();
        let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        if texts.is_empty() { "constant".to_owned() } else { texts.join(" + ") }
    }

    fn constant(&self) -> f64 {
        let of_one = self.products.iter().zip(&self.coefficients).find(|((f, g), _)| is_one(f) && is_one(g));
        of_one.map_or(0.0, |(_, c)| *c)
    }

    /// `N^3/p`, `log2(N)*p^(1/2)`
    fn product_text(&self, (f, g): &(PmnfTerm, PmnfTerm)) -> String {
        let [p, size] = [&self.names[0], &self.names[1]].map(|name| text::name(name));
        let above = PmnfTerm { numerator: 0, ..*f };
        let below = PmnfTerm { numerator: -f.numerator, log_power: 0, ..*f };
        let factors = if f.numerator < 0 { [g.class(&size), above.class(&p)] } else { [g.class(&size), f.class(&p)] };
        let factors: Vec<String> = factors.into_iter().filter(|factor| !factor.is_empty()).collect();
        match (f.numerator < 0, factors.is_empty()) {
            (true, false) => format!("{}/{}", factors.join("*"), below.class(&p)),
            (true, true) => f.class(&p),
            (false, _) => factors.join("*"),
        }
    }
}

fn is_one(term: &PmnfTerm) -> bool {
    term.numerator == 0 && term.log_power == 0
}

/// A sum and what it misses by, in squares of relative residuals.
#[derive(Clone)]
struct Found {
    products: Vec<usize>,
    missed: f64,
}

/// A sum with its coefficients, and its largest `|ln|` misfit.
struct Refined {
    products: Vec<usize>,
    coefficients: Vec<f64>,
    off: f64,
}

struct Search<'s> {
    sample: &'s Sample<'s>,
    axes: [usize; 2],
    products: Vec<(PmnfTerm, PmnfTerm)>,
    /// Products of the columns `f g / y`, each of length 1.
    gram: Vec<Vec<f64>>,
    /// Products of these and ones.
    along: Vec<f64>,
}

impl<'s> Search<'s> {
    fn new(sample: &'s Sample<'s>, axes: [usize; 2], products: Vec<(PmnfTerm, PmnfTerm)>) -> Self {
        let columns: Vec<Vec<f64>> = products
            .iter()
            .map(|(f, g)| {
                let rows = sample.at.iter().zip(&sample.y);
                let column: Vec<f64> = rows.map(|(at, y)| f.at(at[axes[0]]) * g.at(at[axes[1]]) / y).collect();
                let length = dot(&column, &column).sqrt();
                column.iter().map(|value| value / length).collect()
            })
            .collect();
        let gram = columns.iter().map(|a| columns.iter().map(|b| dot(a, b)).collect()).collect();
        let along = columns.iter().map(|column| column.iter().sum()).collect();
        Search { sample, axes, products, gram, along }
    }

    /// The sum that hits every run most closely; of those that hit it as closely as numbers allow, one of the shortest.
    fn best(&self) -> Option<Refined> {
        let all = 0..self.products.len();
        let mut found: Vec<Found> =
            all.filter(|&k| self.along[k].is_finite()).filter_map(|k| self.sum(vec![k])).collect();
        let mut best: Option<Refined> = None;
        for length in 1..=MOST_PRODUCTS {
            found.sort_by(|a, b| a.missed.total_cmp(&b.missed).then_with(|| a.products.cmp(&b.products)));
            found.dedup_by(|a, b| a.products == b.products);
            let refined = found.iter().take(REFINED).filter_map(|found| self.refined(&found.products));
            best = best.into_iter().chain(refined).min_by(|a, b| a.off.total_cmp(&b.off));
            let missed = found.first().map_or(0.0, |found| (found.missed.max(0.0) / self.sample.len() as f64).sqrt());
            let limit = HOPELESS.get(length - 1).copied().unwrap_or(0.0);
            if missed > limit || best.as_ref().is_some_and(|best| best.off < CLOSE) {
                break;
            }
            // One product may lie in any pair; of longer sums only the best go on.
            let beam = if length == 1 { found.len() } else { *BEAM.get(length - 2).unwrap_or(&0) };
            found.truncate(beam);
            let longer = |found: &Found| {
                let products = found.products.clone();
                let last = if length == 1 { products[0] + 1 } else { 0 };
                let open = (last..self.products.len()).filter(move |k| !products.contains(k));
                let products = found.products.clone();
                open.filter_map(move |k| {
                    let mut longer = products.clone();
                    longer.push(k);
                    longer.sort_unstable();
                    self.sum(longer)
                })
                .collect::<Vec<Found>>()
            };
            found = found.iter().flat_map(longer).collect();
        }
        best
    }

    /// A sum by the normal equations; none where a coefficient is not positive or its products cannot be told apart.
    fn sum(&self, products: Vec<usize>) -> Option<Found> {
        const K: usize = MOST_PRODUCTS;
        let count = products.len();
        let mut a = [[0.0; K]; K];
        let mut c = [0.0; K];
        for (row, &i) in products.iter().enumerate() {
            c[row] = self.along[i];
            for (column, &j) in products.iter().enumerate() {
                a[row][column] = self.gram[i][j];
            }
        }
        // Gauss without pivots: the matrix is symmetric and positive.
        for pivot in 0..count {
            if a[pivot][pivot].is_nan() || a[pivot][pivot] < 1e-9 {
                return None;
            }
            let (done, rest) = a.split_at_mut(pivot + 1);
            let (known, left) = c.split_at_mut(pivot + 1);
            for (row, right) in rest[..count - pivot - 1].iter_mut().zip(left) {
                let factor = row[pivot] / done[pivot][pivot];
                row.iter_mut().zip(&done[pivot]).for_each(|(value, above)| *value -= factor * above);
                *right -= factor * known[pivot];
            }
        }
        let mut explained = 0.0;
        let mut solution = [0.0; K];
        for row in (0..count).rev() {
            let known: f64 = (row + 1..count).map(|column| a[row][column] * solution[column]).sum();
            solution[row] = (c[row] - known) / a[row][row];
            explained += c[row] * c[row] / a[row][row];
        }
        let is_sum = solution[..count].iter().all(|coefficient| *coefficient > 0.0);
        is_sum.then(|| Found { products, missed: self.sample.len() as f64 - explained })
    }

    /// The same by orthogonal columns; none where it is no law.
    fn refined(&self, products: &[usize]) -> Option<Refined> {
        let all: Vec<usize> = (0..self.sample.len()).collect();
        let coefficients = self.fitted(products, &all)?;
        let mut off = self.misfit(products, &coefficients, &all);
        for axis in self.axes {
            if off > EXACT {
                return None;
            }
            let largest = self.sample.range(axis)[1];
            let (held, train): (Vec<usize>, Vec<usize>) =
                all.iter().partition(|&&row| self.sample.at[row][axis] == largest);
            if train.len() <= products.len() {
                return None;
            }
            let again = self.fitted(products, &train)?;
            off = off.max(self.misfit(products, &again, &held));
        }
        (off <= EXACT).then(|| Refined { products: products.to_vec(), coefficients, off })
    }

    fn fitted(&self, products: &[usize], rows: &[usize]) -> Option<Vec<f64>> {
        let design = Design {
            rows: rows.iter().map(|&row| self.row(products, row)).collect(),
            y: rows.iter().map(|&row| self.sample.y[row]).collect(),
            weights: rows.iter().map(|&row| self.sample.y[row].recip()).collect(),
            ridge: None,
            scale_columns: true,
        };
        let (active, fit) = solve_nonnegative(&design, Robust::None)?;
        let mut coefficients = vec![0.0; products.len()];
        active.iter().zip(&fit.coefficients).for_each(|(&k, c)| coefficients[k] = *c);
        Some(coefficients)
    }

    fn row(&self, products: &[usize], row: usize) -> Vec<f64> {
        let [p, size] = self.axes.map(|axis| self.sample.at[row][axis]);
        products.iter().map(|&k| self.products[k]).map(|(f, g)| f.at(p) * g.at(size)).collect()
    }

    /// The largest `|ln|` misfit.
    fn misfit(&self, products: &[usize], coefficients: &[f64], rows: &[usize]) -> f64 {
        let off = |&row: &usize| {
            let off = (dot(&self.row(products, row), coefficients) / self.sample.y[row]).ln().abs();
            if off.is_nan() { f64::INFINITY } else { off }
        };
        rows.iter().map(off).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::Auto;
    use crate::fitted::Regression;
    use crate::options::FitOptions;
    use crate::testing::grid;
    use runcast_formula::Formula;

    type Law = fn(f64, f64) -> f64;

    const LAWS: [(&str, Law); 6] = [
        ("three terms", |p, n| 2.0 + 4e-11 * n.powi(3) / p + 3e-9 * n * n / p.sqrt()),
        ("latency and bandwidth", |p, n| 5e-6 + 2e-6 * p.log2() + 1e-9 * n),
        ("a stencil in three dimensions", |p, n| 3e-8 * n.powi(3) / p + 2e-7 * n * n * p.powf(-2.0 / 3.0) + 0.01),
        ("work and a tree", |p, n| 1e-6 * n * n / p + 0.002 * p.log2()),
        ("a product", |p, n| 4e-7 * n.powf(1.5) * p.sqrt()),
        ("a sort", |p, n| 2e-8 * n * n.log2() / p + 1e-5 * p),
    ];

    #[test]
    fn exact_laws_come_back_far_beyond_the_grid() {
        for (name, law) in LAWS {
            let runs = grid(&[1.0, 2.0, 4.0, 8.0, 16.0], &[1000.0, 2000.0, 4000.0, 8000.0], law);
            let options = FitOptions::default();
            let fitted = Auto.fit(&Sample::new(&runs, Auto.aggregate(), &options), &options).expect("fits");
            for [p, n] in [[2.0, 20_000.0], [256.0, 4000.0], [256.0, 64_000.0], [3.0, 1500.0]] {
                let value = fitted.predictor.value(&[p, n]);
                assert!((value / law(p, n) - 1.0).abs() < 1e-3, "{name} at {p}, {n}: {value}, not {}", law(p, n));
                let formula = Formula::parse(&fitted.formula).expect("a formula");
                let told = formula.evaluate_at(&[("p", p), ("N", n)]).expect("evaluates");
                assert!((told / law(p, n) - 1.0).abs() < 1e-3, "{name}: {}", fitted.formula);
            }
        }
    }

    #[test]
    fn noise_is_no_law() {
        let noisy: Law = |p, n| (2.0 + 4e-6 * n * n / p) * (1.0 + 0.02 * (7.0 * p + n).sin());
        let runs = grid(&[1.0, 2.0, 4.0, 8.0, 16.0], &[1000.0, 2000.0, 4000.0, 8000.0], noisy);
        let options = FitOptions::default();
        assert!(GridLaw::find(&Sample::new(&runs, Auto.aggregate(), &options)).is_none());
    }
}
