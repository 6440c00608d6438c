//! The forms that `auto` weighs against each other.

use super::points::Points;
use crate::models::one_term::{Transform, fastest};
use crate::models::search::{self, Folds, Problem, select};
use crate::options::Recency;
use crate::terms::{self, PmnfTerm};
use crate::text::number;
use runcast_core::numeric::linear::{Design, Ridge, Robust, coefficients, nonnegative_coefficients};

/// A known function of x in a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    One,
    Inverse,
    Log2,
    CubeRoot,
    Root,
    Identity,
}

impl Base {
    fn at(self, x: f64) -> f64 {
        match self {
            Base::One => 1.0,
            Base::Inverse => 1.0 / x,
            Base::Log2 => x.log2(),
            Base::CubeRoot => x.cbrt(),
            Base::Root => x.sqrt(),
            Base::Identity => x,
        }
    }

    /// Its power of x; a logarithm's is next to none.
    fn growth(self) -> f64 {
        match self {
            Base::Inverse => -1.0,
            Base::One => 0.0,
            Base::Log2 => 0.01,
            Base::CubeRoot => 1.0 / 3.0,
            Base::Root => 0.5,
            Base::Identity => 1.0,
        }
    }

    fn text(self, coefficient: f64, x: &str) -> String {
        let c = number(coefficient);
        match self {
            Base::One => c,
            Base::Inverse => format!("{c}/{x}"),
            Base::Log2 => format!("{c}*log2({x})"),
            Base::CubeRoot => format!("{c}*cbrt({x})"),
            Base::Root => format!("{c}*sqrt({x})"),
            Base::Identity => format!("{c}*{x}"),
        }
    }
}

/// A kind of form, before it is fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A power law, residuals weighted by recency.
    Power(f64),
    /// A power law through the points within a factor 2.05 of the last, at least two.
    LastTwo,
    /// A quadratic in logs, x centered, with a penalty on the curvature.
    Quadratic,
    /// Coefficients of at least zero, relative residuals weighted by recency.
    Sum(&'static [Base], f64),
    /// The normal form, chosen on forward folds or leaving one out.
    Normal(Folds),
    /// The last value.
    Flat,
}

impl Kind {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Power(2.0) => "power-2",
            Kind::Power(_) => "power",
            Kind::LastTwo => "power-last",
            Kind::Quadratic => "quadratic",
            Kind::Sum([Base::Inverse, Base::One], _) => "amdahl",
            Kind::Sum([Base::Inverse, Base::One, Base::Log2], _) => "amdahl-log",
            Kind::Sum([Base::One, Base::Log2], _) => "log",
            Kind::Sum([Base::One, Base::CubeRoot], _) => "cube-root",
            Kind::Sum([Base::One, Base::Root], _) => "root",
            Kind::Sum([Base::One, Base::Identity], _) => "linear",
            Kind::Sum(..) => "amdahl-linear",
            Kind::Normal(Folds::LeaveOneOut) => "pmnf-pt-loo",
            Kind::Normal(_) => "pmnf-pt",
            Kind::Flat => "constant",
        }
    }
}

/// What the forms must know of a series besides its points.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Whether the normal form is fitted to `x y`: the time of all processes together.
    pub times_x: bool,
    /// The terms that it may have.
    pub terms: Vec<PmnfTerm>,
    pub robust: Robust,
}

/// A fitted form.
#[derive(Debug, Clone)]
pub struct Expert {
    pub kind: Kind,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    /// `2^(sum_k c_k (log2 x - center)^k)`
    Logs {
        center: f64,
        coefficients: Vec<f64>,
    },
    Sum(Vec<(Base, f64)>),
    Normal {
        term: Option<PmnfTerm>,
        line: search::Line,
        times_x: bool,
    },
    Flat(f64),
}

impl Expert {
    /// Fits a kind of form; `None` where it has no solution.
    pub fn fit(kind: Kind, points: &Points, setting: &Setting) -> Option<Expert> {
        let form = match kind {
            Kind::Power(r) => logs(points, Recency::Gentle(r).weights(&points.x), 0.0, 1, setting.robust)?,
            Kind::LastTwo => {
                let (last, _) = points.last();
                let from = points.x.partition_point(|x| *x < last / 2.05).min(points.len().saturating_sub(2));
                let part = Points { x: points.x[from..].to_vec(), y: points.y[from..].to_vec() };
                logs(&part, vec![1.0; part.len()], 0.0, 1, setting.robust)?
            }
            Kind::Quadratic => logs(points, vec![1.0; points.len()], points.center(), 2, setting.robust)?,
            Kind::Sum(bases, r) => sum(points, bases, &Recency::Gentle(r).weights(&points.x), setting.robust)?,
            Kind::Normal(folds) => normal(points, folds, setting)?,
            Kind::Flat => Form::Flat(points.last().1),
        };
        Some(Expert { kind, form })
    }

    /// The value at x; not always positive.
    pub fn at(&self, x: f64) -> f64 {
        match &self.form {
            Form::Logs { center, coefficients } => {
                let z = x.log2() - center;
                coefficients.iter().rev().fold(0.0, |sum, c| sum * z + c).exp2()
            }
            Form::Sum(parts) => parts.iter().map(|(base, c)| c * base.at(x)).sum(),
            Form::Normal { term, line, times_x } => {
                let value = term.map_or(line.c0, |term| line.at(term.at(x)));
                if *times_x { value / x } else { value }
            }
            Form::Flat(value) => *value,
        }
    }

    /// Whether it is not positive somewhere.
    pub fn may_vanish(&self) -> bool {
        matches!(&self.form, Form::Normal { line, .. } if line.c0 < 0.0 || line.c1 < 0.0)
    }

    /// Its formula over `x`.
    pub fn formula(&self, x: &str) -> String {
        match &self.form {
            Form::Logs { center, coefficients } => {
                let z =
                    if *center == 0.0 { format!("log2({x})") } else { format!("(log2({x}) - {})", number(*center)) };
                let parts: Vec<String> = coefficients
                    .iter()
                    .enumerate()
                    .map(|(power, c)| match power {
                        0 => number(*c),
                        1 => format!("{}*{z}", number(*c)),
                        _ => format!("{}*{z}^{power}", number(*c)),
                    })
                    .collect();
                format!("2^({})", parts.join(" + "))
            }
            Form::Sum(parts) if parts.is_empty() => "0".to_owned(),
            Form::Sum(parts) => {
                let parts: Vec<String> = parts.iter().map(|(base, c)| base.text(*c, x)).collect();
                parts.join(" + ")
            }
            Form::Normal { term, line, times_x } => {
                let term: Vec<(f64, String)> = term.iter().map(|term| (line.c1, term.class(x))).collect();
                let sum = terms::sum(line.c0, &term);
                if *times_x { format!("({sum})/{x}") } else { sum }
            }
            Form::Flat(value) => number(*value),
        }
    }

    /// Growth class over `x` of the metric that was transformed into this.
    pub fn class(&self, x: &str, transform: Transform) -> String {
        let back = |exponent: f64| match transform {
            Transform::Reciprocal => -exponent,
            Transform::XOverRate => 1.0 - exponent,
            _ => exponent,
        };
        let power = |exponent: f64| {
            let rounded = (back(exponent) * 1e3).round() / 1e3;
            if rounded == 0.0 { "constant".to_owned() } else { format!("{x}^{}", number(rounded)) }
        };
        let of_term = |numerator: i8, denominator: i8, log_power: i8| {
            let (numerator, log_power) = match transform {
                Transform::Reciprocal => (-numerator, -log_power),
                Transform::XOverRate => (denominator - numerator, -log_power),
                _ => (numerator, log_power),
            };
            let class = PmnfTerm { numerator, denominator, log_power }.class(x);
            if class.is_empty() { "constant".to_owned() } else { class }
        };
        match &self.form {
            Form::Logs { coefficients, .. } if coefficients.len() == 2 => power(coefficients[1]),
            Form::Logs { .. } => format!("quadratic in log2({x})"),
            Form::Sum(parts) => {
                let fastest = parts.iter().map(|(base, _)| *base).max_by(|a, b| a.growth().total_cmp(&b.growth()));
                match fastest {
                    Some(Base::Log2) => of_term(0, 1, 1),
                    Some(base) => power(base.growth()),
                    None => "constant".to_owned(),
                }
            }
            Form::Normal { term, line, times_x } => {
                let term = fastest(*term, *line);
                let numerator = if *times_x { term.numerator - term.denominator } else { term.numerator };
                of_term(numerator, term.denominator, term.log_power)
            }
            Form::Flat(_) => power(0.0),
        }
    }

    /// Largest `|ln(form/measured)|` over some points; infinite where the form is not positive.
    pub fn misfit<'p>(&self, points: impl Iterator<Item = (&'p f64, &'p f64)>) -> f64 {
        points
            .map(|(x, y)| {
                let off = (self.at(*x) / y).ln().abs();
                if off.is_nan() { f64::INFINITY } else { off }
            })
            .fold(0.0, f64::max)
    }
}

/// A polynomial in `log2 x - center`, its highest coefficient shrunk where it is a quadratic.
fn logs(points: &Points, weights: Vec<f64>, center: f64, degree: usize, robust: Robust) -> Option<Form> {
    let rows = points
        .x
        .iter()
        .map(|x| {
            let z = x.log2() - center;
            (0..=degree).map(|power| z.powi(power as i32)).collect()
        })
        .collect();
    let design = Design {
        rows,
        y: points.y.iter().map(|y| y.log2()).collect(),
        weights,
        ridge: (degree == 2).then_some(Ridge { column: 2, lambda: 1.0 }),
        scale_columns: degree == 1,
    };
    Some(Form::Logs { center, coefficients: coefficients(&design, robust)? })
}

fn sum(points: &Points, bases: &[Base], recency: &[f64], robust: Robust) -> Option<Form> {
    let design = Design {
        rows: points.x.iter().map(|x| bases.iter().map(|base| base.at(*x)).collect()).collect(),
        y: points.y.clone(),
        weights: recency.iter().zip(&points.y).map(|(w, y)| w / y).collect(),
        ridge: None,
        scale_columns: true,
    };
    let (active, found) = nonnegative_coefficients(&design, robust)?;
    Some(Form::Sum(active.iter().zip(&found).map(|(&k, c)| (bases[k], *c)).collect()))
}

fn normal(points: &Points, folds: Folds, setting: &Setting) -> Option<Form> {
    if points.len() < 3 {
        return None;
    }
    let times_x = setting.times_x;
    let y: Vec<f64> = points.x.iter().zip(&points.y).map(|(x, y)| if times_x { x * y } else { *y }).collect();
    let choice = select(&Problem::new(&points.x, &y, &setting.terms, folds));
    Some(Form::Normal { term: choice.term, line: choice.line, times_x })
}
