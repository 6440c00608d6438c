//! How a number of visits grows: a sum of products of powers and logarithms.

use std::collections::BTreeMap;

/// A factor for each name: its power, and that of its logarithm.
pub(super) type Product = BTreeMap<String, (i32, i32)>;

/// A sum of products with their coefficients.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Size {
    pub(super) terms: BTreeMap<Product, f64>,
}

/// More terms than this are no formula that anybody reads.
const MOST_TERMS: usize = 64;

impl Size {
    pub(super) fn number(value: f64) -> Self {
        Size { terms: BTreeMap::from([(Product::new(), value)]) }
    }

    pub(super) fn name(name: &str) -> Self {
        Size { terms: BTreeMap::from([(Product::from([(name.to_owned(), (1, 0))]), 1.0)]) }
    }

    /// The logarithm of what grows most in it.
    pub(super) fn log2(&self) -> Option<Self> {
        let [name] = self.names().try_into().ok()?;
        Some(Size { terms: BTreeMap::from([(Product::from([(name, (0, 1))]), 1.0)]) })
    }

    pub(super) fn plus(&self, other: &Size, factor: f64) -> Self {
        let mut sum = self.clone();
        for (product, coefficient) in &other.terms {
            *sum.terms.entry(product.clone()).or_insert(0.0) += factor * coefficient;
        }
        sum.terms.retain(|_, coefficient| *coefficient != 0.0);
        sum
    }

    /// None where it has too many terms.
    pub(super) fn times(&self, other: &Size) -> Option<Self> {
        let mut product = Size::default();
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                *product.terms.entry(joined(a, b, 1)).or_insert(0.0) += x * y;
            }
        }
        (product.terms.len() <= MOST_TERMS).then_some(product)
    }

    /// Divided by a single term.
    pub(super) fn over(&self, other: &Size) -> Option<Self> {
        let mut terms = other.terms.iter();
        let (Some((below, &divisor)), None) = (terms.next(), terms.next()) else { return None };
        let quotient = self.terms.iter().map(|(above, value)| (joined(above, below, -1), value / divisor));
        (divisor != 0.0).then(|| Size { terms: quotient.collect() })
    }

    /// With a size in the place of a name, which must not be in a product with itself.
    pub(super) fn with(&self, name: &str, size: &Size) -> Option<Self> {
        let mut sum = Size::default();
        for (product, &coefficient) in &self.terms {
            let mut rest = product.clone();
            let mut part = Size { terms: BTreeMap::new() };
            let power = match rest.remove(name) {
                None => 0,
                Some((power @ 1..=3, 0)) => power,
                Some(_) => return None,
            };
            part.terms.insert(rest, coefficient);
            for _ in 0..power {
                part = part.times(size)?;
            }
            sum = sum.plus(&part, 1.0);
        }
        Some(sum)
    }

    /// The names in it.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.terms.keys().flat_map(BTreeMap::keys) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// The terms that no other one exceeds in every name, as formulas, the fastest first; without numbers.
    pub fn leading(&self) -> Vec<String> {
        let positive: Vec<&Product> =
            self.terms.iter().filter(|(product, value)| **value > 0.0 && !product.is_empty()).map(|(p, _)| p).collect();
        let mut kept: Vec<&Product> =
            positive.iter().filter(|a| !positive.iter().any(|b| a != &b && is_below(a, b))).copied().collect();
        let degree = |product: &Product| {
            product.values().fold((0, 0), |(powers, logs), (power, log)| (powers + power, logs + log))
        };
        kept.sort_by(|a, b| degree(b).cmp(&degree(a)).then(a.cmp(b)));
        kept.into_iter().map(text).collect()
    }

    /// The highest sum of powers, by which nests are ordered.
    pub fn degree(&self) -> (i32, i32) {
        let of = |product: &Product| product.values().fold((0, 0), |sum, (power, log)| (sum.0 + power, sum.1 + log));
        self.terms.keys().map(of).max().unwrap_or((0, 0))
    }
}

fn joined(a: &Product, b: &Product, sign: i32) -> Product {
    let mut product = a.clone();
    for (name, (power, log)) in b {
        let entry = product.entry(name.clone()).or_insert((0, 0));
        *entry = (entry.0 + sign * power, entry.1 + sign * log);
    }
    product.retain(|_, factor| *factor != (0, 0));
    product
}

/// Whether a product grows no faster than another one, whatever the names stand for.
fn is_below(a: &Product, b: &Product) -> bool {
    let of = |product: &Product, name: &String| product.get(name).copied().unwrap_or((0, 0));
    a.keys().chain(b.keys()).all(|name| of(a, name) <= of(b, name))
}

fn text(product: &Product) -> String {
    let mut above: Vec<String> = Vec::new();
    let mut below: Vec<String> = Vec::new();
    for (name, &(power, log)) in product {
        let raised = |of: &str, power: i32| if power == 1 { of.to_owned() } else { format!("{of}^{power}") };
        match power {
            0 => {}
            1.. => above.push(raised(name, power)),
            _ => below.push(raised(name, -power)),
        }
        if log > 0 {
            above.push(raised(&format!("log2({name})"), log));
        }
    }
    // A formula's term is a product; division follows it.
    let product = if above.is_empty() { "1".to_owned() } else { above.join("*") };
    below.into_iter().fold(product, |text, divisor| format!("{text}/{divisor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_terms_are_dropped() {
        let (n, m) = (Size::name("n"), Size::name("m"));
        let square = n.times(&n).expect("small");
        let all = square.plus(&n, 3.0).plus(&Size::number(7.0), 1.0).plus(&m, 1.0);
        assert_eq!(all.leading(), ["n^2", "m"]);
        assert_eq!(square.plus(&n.times(&m).expect("small"), -1.0).leading(), ["n^2"]);
        assert_eq!(n.times(&n.log2().expect("a name")).expect("small").plus(&n, 1.0).leading(), ["n*log2(n)"]);
        assert_eq!(n.over(&m).expect("one term").leading(), ["n/m"]);
        assert_eq!(n.plus(&n, -1.0).leading(), [""; 0]);
    }
}
