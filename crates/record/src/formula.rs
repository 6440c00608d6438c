//! Exact formulas of whole numbers over configurations: sizes of messages, trips of loops, roots.
//!
//! ```text
//! (i)   a m                 a rational, its denominator at most 64; m one symbol to +-1/2, +-1, +-2, or two to +-1, +-2
//! (ii)  a (s + c)           a one of 1, 2, 1/2; c one of +-1, +-2
//! (iii) a m + b m'          m' may be 1
//! (iv)  u ceil(a m / u), u floor(a m / u)      u one of 1, 8
//! ```
//!
//! The first that gives every value is taken, monomials in the order of their complexity. Many formulas fit few numbers:
//! a formula has to be shorter than the values that it explains, counted in bits.

mod monomial;
mod rational;

pub(crate) use monomial::{Monomial, monomials};
use rational::{Rational, simplest_within};
use std::fmt;

/// A formula that gives all values.
#[derive(Debug, Clone, PartialEq)]
pub enum Exact {
    /// A sum of one or two multiples of monomials.
    Sum(Vec<(Rational, Monomial)>),
    /// `a (s + c)`: a, the number of the symbol, c.
    Shifted(Rational, usize, i64),
    /// `u ceil(a m / u)`, or `floor`.
    Rounded {
        /// Multiples of this.
        unit: i64,
        /// Whether up.
        up: bool,
        /// `a`.
        factor: Rational,
        /// `m`.
        of: Monomial,
    },
}

/// Bits that a formula must save.
const SLACK: u32 = 4;
/// The same for formulas of more freedom.
const MORE_SLACK: u32 = 8;
/// Bits of a symbol.
const SYMBOL: u32 = 4;

/// The first formula over the symbols that gives every value; `rows` are the values of the symbols in each configuration.
pub fn exact(rows: &[Vec<f64>], values: &[i64]) -> Option<Exact> {
    let (first, symbols) = (*values.first()?, rows.first()?.len());
    if rows.len() != values.len() {
        return None;
    }
    if values.iter().all(|value| *value == first) {
        return Some(Exact::Sum(vec![(Rational::whole(first), Monomial::one())]));
    }
    let monomials = monomials(symbols);
    let configurations = different(rows);
    if configurations < 2 {
        return None;
    }
    let budget = budget(values);
    let single = monomials
        .iter()
        .find_map(|m| multiple(m, rows, values).filter(|a| bits(a, m) + SLACK <= budget).map(|a| (a, m)));
    if let Some((a, m)) = single {
        return Some(Exact::Sum(vec![(a, m.clone())]));
    }
    if configurations < 3 {
        return None;
    }
    shifted(rows, values, symbols)
        .or_else(|| pair(&monomials, rows, values, budget))
        .or_else(|| rounded(&monomials, rows, values, budget))
}

impl Exact {
    /// A symbol and so many more.
    pub(crate) fn symbol(symbol: usize, shift: i64) -> Self {
        if shift == 0 {
            return Exact::Sum(vec![(Rational::whole(1), Monomial::symbol(symbol))]);
        }
        Exact::Shifted(Rational::whole(1), symbol, shift)
    }

    /// Its symbols get other numbers.
    pub(crate) fn renumber(&mut self, number: &impl Fn(usize) -> usize) {
        match self {
            Exact::Sum(terms) => terms.iter_mut().for_each(|(_, m)| m.renumber(number)),
            Exact::Shifted(_, symbol, _) => *symbol = number(*symbol),
            Exact::Rounded { of, .. } => of.renumber(number),
        }
    }

    /// The value in a configuration.
    pub fn at(&self, row: &[f64]) -> f64 {
        match self {
            Exact::Sum(terms) => terms.iter().map(|(a, m)| a.value() * m.at(row)).sum(),
            Exact::Shifted(a, symbol, shift) => {
                a.value() * (row.get(*symbol).copied().unwrap_or(f64::NAN) + *shift as f64)
            }
            Exact::Rounded { unit, up, factor, of } => {
                let units = factor.value() * of.at(row) / *unit as f64;
                *unit as f64 * if *up { (units - CLOSE).ceil() } else { (units + CLOSE).floor() }
            }
        }
    }

    /// The formula with these names of the symbols.
    pub fn text(&self, names: &[&str]) -> String {
        match self {
            Exact::Sum(terms) => {
                terms.iter().map(|(a, m)| product(*a, m, names)).collect::<Vec<_>>().join(" + ").replace("+ -", "- ")
            }
            Exact::Shifted(a, symbol, shift) => {
                let sign = if *shift < 0 { '-' } else { '+' };
                let sum = format!("{} {sign} {}", names.get(*symbol).unwrap_or(&"?"), shift.abs());
                if *a == Rational::whole(1) { sum } else { format!("{a}*({sum})") }
            }
            Exact::Rounded { unit, up, factor, of } => {
                let name = if *up { "ceil" } else { "floor" };
                let inner = product(factor.over(*unit), of, names);
                if *unit == 1 { format!("{name}({inner})") } else { format!("{unit}*{name}({inner})") }
            }
        }
    }
}

pub(crate) fn term_text(m: &Monomial, names: &[&str]) -> String {
    Shown(m, names).to_string()
}

fn product(a: Rational, m: &Monomial, names: &[&str]) -> String {
    let shown = Shown(m, names).to_string();
    match (shown.as_str(), a == Rational::whole(1)) {
        ("1", _) => a.to_string(),
        (_, true) => shown,
        (_, false) => match shown.strip_prefix("1/") {
            Some(below) => format!("{a}/{below}"),
            None => format!("{a}*{shown}"),
        },
    }
}

struct Shown<'a>(&'a Monomial, &'a [&'a str]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.show(self.1, f)
    }
}

/// Rounding of quotients.
const CLOSE: f64 = 1e-9;

fn equal(seen: f64, value: i64) -> bool {
    (seen - value as f64).abs() <= CLOSE * (value as f64).abs().max(1.0)
}

/// Bits of different values, each with one for its place.
fn budget(values: &[i64]) -> u32 {
    let mut values = values.to_vec();
    values.sort_unstable();
    values.dedup();
    values.iter().map(|value| rational::length(*value) + 1).sum()
}

fn bits(a: &Rational, m: &Monomial) -> u32 {
    a.bits() + SYMBOL * m.symbols()
}

fn different(rows: &[Vec<f64>]) -> usize {
    let mut rows: Vec<Vec<u64>> = rows.iter().map(|row| row.iter().map(|value| value.to_bits()).collect()).collect();
    rows.sort();
    rows.dedup();
    rows.len()
}

fn multiple(m: &Monomial, rows: &[Vec<f64>], values: &[i64]) -> Option<Rational> {
    let a = Rational::near(*values.first()? as f64 / m.at(rows.first()?))?;
    rows.iter().zip(values).all(|(row, value)| equal(a.value() * m.at(row), *value)).then_some(a)
}

fn shifted(rows: &[Vec<f64>], values: &[i64], symbols: usize) -> Option<Exact> {
    let factors = [Rational::whole(1), Rational::whole(2), Rational::whole(1).over(2)];
    let all = (0..symbols).flat_map(|symbol| factors.map(|a| (a, symbol)));
    let mut all = all.flat_map(|(a, symbol)| [-1, 1, -2, 2].map(|shift| Exact::Shifted(a, symbol, shift)));
    all.find(|formula| rows.iter().zip(values).all(|(row, value)| equal(formula.at(row), *value)))
}

fn pair(monomials: &[Monomial], rows: &[Vec<f64>], values: &[i64], budget: u32) -> Option<Exact> {
    let one = Monomial::one();
    let with_one: Vec<&Monomial> = std::iter::once(&one).chain(monomials).collect();
    let columns: Vec<Vec<f64>> = with_one.iter().map(|m| rows.iter().map(|row| m.at(row)).collect()).collect();
    let mut pairs: Vec<(usize, usize)> = (1..with_one.len())
        .flat_map(|first| (0..with_one.len()).filter(move |other| *other < first).map(move |other| (first, other)))
        .collect();
    pairs.sort_by_key(|(first, other)| with_one[*first].order() + with_one[*other].order());
    pairs.into_iter().find_map(|(first, other)| {
        let (a, b) = solve(&columns[first], &columns[other], values)?;
        let cost = bits(&a, with_one[first]) + bits(&b, with_one[other]) + MORE_SLACK;
        (cost <= budget).then(|| Exact::Sum(vec![(a, with_one[first].clone()), (b, with_one[other].clone())]))
    })
}

/// `a x + b y` through the first two rows that tell them apart, if it gives all.
fn solve(x: &[f64], y: &[f64], values: &[i64]) -> Option<(Rational, Rational)> {
    let determinant = |row: usize| x[0] * y[row] - x[row] * y[0];
    let row = (1..x.len()).find(|row| determinant(*row).abs() > CLOSE * (x[0] * y[*row]).abs())?;
    let (first, then) = (values[0] as f64, values[row] as f64);
    let a = Rational::near((first * y[row] - then * y[0]) / determinant(row)).filter(|a| !a.is_zero())?;
    let b = Rational::near((x[0] * then - x[row] * first) / determinant(row)).filter(|b| !b.is_zero())?;
    let all = x.iter().zip(y).zip(values).all(|((x, y), value)| equal(a.value() * x + b.value() * y, *value));
    all.then_some((a, b))
}

fn rounded(monomials: &[Monomial], rows: &[Vec<f64>], values: &[i64], budget: u32) -> Option<Exact> {
    let kinds = [(1, true), (1, false), (8, true), (8, false)];
    let mut all = monomials.iter().flat_map(|m| kinds.map(|(unit, up)| (m, unit, up)));
    all.find_map(|(m, unit, up)| {
        if values.iter().any(|value| value % unit != 0) {
            return None;
        }
        let (mut low, mut high) = (0.0, f64::INFINITY);
        for (row, value) in rows.iter().zip(values) {
            let (value, unit, at) = (*value as f64, unit as f64, m.at(row));
            let (least, most) = if up { (value - unit, value) } else { (value, value + unit) };
            low = f64::max(low, least / at);
            high = f64::min(high, most / at);
        }
        let factor = simplest_within(low, high)?;
        let formula = Exact::Rounded { unit, up, factor, of: m.clone() };
        let fits = rows.iter().zip(values).all(|(row, value)| equal(formula.at(row), *value));
        (fits && bits(&factor, m) + MORE_SLACK <= budget).then_some(formula)
    })
}

#[cfg(test)]
mod tests;
