//! Products of powers of symbols.

use std::fmt;

/// A product of at most two powers: numbers of symbols, and twice their exponents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Monomial(Vec<(usize, i32)>);

impl Monomial {
    /// The empty product.
    pub(crate) fn one() -> Self {
        Monomial(Vec::new())
    }

    /// One symbol.
    pub(crate) fn symbol(symbol: usize) -> Self {
        Monomial(vec![(symbol, 2)])
    }

    /// Its value.
    pub(crate) fn at(&self, row: &[f64]) -> f64 {
        let power = |(symbol, twice): &(usize, i32)| {
            let base = row.get(*symbol).copied().unwrap_or(f64::NAN);
            if twice % 2 == 0 { base.powi(twice / 2) } else { base.sqrt().powi(*twice) }
        };
        self.0.iter().map(power).product()
    }

    /// Its symbols get other numbers.
    pub(crate) fn renumber(&mut self, number: &impl Fn(usize) -> usize) {
        self.0.iter_mut().for_each(|(symbol, _)| *symbol = number(*symbol));
    }

    pub(crate) fn symbols(&self) -> u32 {
        self.0.len() as u32
    }

    /// Complexity in quarters: exponents, half a symbol each, three quarters a root.
    pub(crate) fn order(&self) -> i32 {
        self.0.iter().map(|(_, twice)| 2 * twice.abs() + 2 + if twice % 2 == 0 { 0 } else { 3 }).sum()
    }

    /// With the names of the symbols.
    pub(crate) fn show(&self, names: &[&str], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |(symbol, twice): &(usize, i32)| {
            let name = names.get(*symbol).unwrap_or(&"?");
            match twice.abs() {
                1 => format!("sqrt({name})"),
                2 => (*name).to_owned(),
                twice => format!("{name}^{}", twice / 2),
            }
        };
        let side = |above: bool| self.0.iter().filter(|(_, twice)| (*twice > 0) == above).map(one).collect::<Vec<_>>();
        let (above, below) = (side(true), side(false));
        f.write_str(&if above.is_empty() { "1".to_owned() } else { above.join("*") })?;
        match below.as_slice() {
            [] => Ok(()),
            [one] => write!(f, "/{one}"),
            several => write!(f, "/({})", several.join("*")),
        }
    }
}

/// All monomials over so many symbols, the simplest first.
pub(crate) fn monomials(symbols: usize) -> Vec<Monomial> {
    let singles = (0..symbols).flat_map(|symbol| [1, -1, 2, -2, 4, -4].map(|twice| Monomial(vec![(symbol, twice)])));
    let pairs = (0..symbols).flat_map(|first| (first + 1..symbols).map(move |second| (first, second)));
    let powers = [2, -2, 4, -4];
    let doubles = pairs.flat_map(|(first, second)| {
        powers.into_iter().flat_map(move |one| powers.map(|other| Monomial(vec![(first, one), (second, other)])))
    });
    let mut all: Vec<Monomial> = singles.chain(doubles).collect();
    all.sort_by_key(Monomial::order);
    all
}
