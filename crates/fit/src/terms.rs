//! The terms of the performance-model normal form: `p^i * log2(p)^j`.
//!
//! \[C\] A. Calotoiu et al., *Using automated performance modeling to find scalability bugs in complex codes* (SC13).

use crate::text::number;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// `x^(numerator/denominator) * log2(x)^log_power`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PmnfTerm {
    /// Numerator of the exponent.
    pub numerator: i8,
    /// Denominator of the exponent.
    pub denominator: i8,
    /// Exponent of the logarithm.
    pub log_power: i8,
}

const fn term(numerator: i8, denominator: i8, log_power: i8) -> PmnfTerm {
    PmnfTerm { numerator, denominator, log_power }
}

/// The 42 terms of Extra-P's default search, in its order: the first of equal scores wins.
pub const DEFAULT_TERMS: [PmnfTerm; 42] = [
    term(0, 1, 1),
    term(0, 1, 2),
    term(1, 4, 0),
    term(1, 3, 0),
    term(1, 4, 1),
    term(1, 3, 1),
    term(1, 4, 2),
    term(1, 3, 2),
    term(1, 2, 0),
    term(1, 2, 1),
    term(1, 2, 2),
    term(2, 3, 0),
    term(3, 4, 0),
    term(2, 3, 1),
    term(3, 4, 1),
    term(4, 5, 0),
    term(2, 3, 2),
    term(3, 4, 2),
    term(1, 1, 0),
    term(1, 1, 1),
    term(1, 1, 2),
    term(5, 4, 0),
    term(5, 4, 1),
    term(4, 3, 0),
    term(4, 3, 1),
    term(3, 2, 0),
    term(3, 2, 1),
    term(3, 2, 2),
    term(5, 3, 0),
    term(7, 4, 0),
    term(2, 1, 0),
    term(2, 1, 1),
    term(2, 1, 2),
    term(9, 4, 0),
    term(7, 3, 0),
    term(5, 2, 0),
    term(5, 2, 1),
    term(5, 2, 2),
    term(8, 3, 0),
    term(11, 4, 0),
    term(3, 1, 0),
    term(3, 1, 1),
];

/// The falling terms: the 19 pure powers with their sign reversed, and three with a logarithm. A negative power of a logarithm
/// would be infinite at one process, so there is none.
pub const NEGATIVE_TERMS: [PmnfTerm; 22] = [
    term(-1, 4, 0),
    term(-1, 3, 0),
    term(-1, 2, 0),
    term(-2, 3, 0),
    term(-3, 4, 0),
    term(-4, 5, 0),
    term(-1, 1, 0),
    term(-5, 4, 0),
    term(-4, 3, 0),
    term(-3, 2, 0),
    term(-5, 3, 0),
    term(-7, 4, 0),
    term(-2, 1, 0),
    term(-9, 4, 0),
    term(-7, 3, 0),
    term(-5, 2, 0),
    term(-8, 3, 0),
    term(-11, 4, 0),
    term(-3, 1, 0),
    term(-1, 2, 1),
    term(-2, 3, 1),
    term(-1, 1, 1),
];

impl PmnfTerm {
    /// Exponent of `x`.
    pub fn power(&self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }

    /// Its value at `x`.
    pub fn at(&self, x: f64) -> f64 {
        let power = match (self.numerator, self.denominator) {
            (0, _) => 1.0,
            (n, 1) => x.powi(i32::from(n)),
            (1, 2) => x.sqrt(),
            _ => x.powf(self.power()),
        };
        match self.log_power {
            0 => power,
            j => power * x.log2().powi(i32::from(j)),
        }
    }

    /// `p^(3/2)*log2(p)^2`
    ///
    /// # Examples
    /// ```
    /// # use runcast_fit::terms::PmnfTerm;
    /// let term = PmnfTerm { numerator: 3, denominator: 2, log_power: 2 };
    /// assert_eq!(term.class("p"), "p^(3/2)*log2(p)^2");
    /// ```
    pub fn class(&self, parameter: &str) -> String {
        let power = match (self.numerator, self.denominator) {
            (0, _) => String::new(),
            (1, 1) => parameter.to_owned(),
            (n, 1) if n > 0 => format!("{parameter}^{n}"),
            (n, 1) => format!("{parameter}^({n})"),
            (n, d) => format!("{parameter}^({n}/{d})"),
        };
        let log = match self.log_power {
            0 => String::new(),
            1 => format!("log2({parameter})"),
            j => format!("log2({parameter})^{j}"),
        };
        match (power.is_empty(), log.is_empty()) {
            (false, false) => format!("{power}*{log}"),
            _ => power + &log,
        }
    }
}

/// Terms of the user's: all pairs of the exponents i of the parameter and j of its logarithm.
///
/// # Examples
/// ```
/// use runcast_fit::terms::PmnfTerms;
/// let terms: PmnfTerms = "i=0,1/2,1;j=0,1".parse()?;
/// let classes: Vec<String> = terms.terms.iter().map(|term| term.class("p")).collect();
/// assert_eq!(classes, ["log2(p)", "p^(1/2)", "p^(1/2)*log2(p)", "p", "p*log2(p)"]);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PmnfTerms {
    pub terms: Vec<PmnfTerm>,
    /// As they were given.
    text: String,
}

/// More terms than this are a slip.
const MOST_TERMS: usize = 1000;

impl FromStr for PmnfTerms {
    type Err = String;

    /// Reads `i=0,1/2,1;j=0,1`: i outer, in the order given; the pair of two zeros is the constant, which is always there.
    fn from_str(text: &str) -> Result<Self, String> {
        let (mut powers, mut logs) = (vec![(0, 1)], vec![0]);
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, list) = part.split_once('=').ok_or_else(|| wrong(part))?;
            let list = list.split(',').map(str::trim);
            match name.trim() {
                "i" => powers = list.map(fraction).collect::<Result<_, _>>()?,
                "j" => {
                    logs =
                        list.map(|j| small(j).filter(|j| *j >= 0).ok_or_else(|| wrong(j))).collect::<Result<_, _>>()?
                }
                other => return Err(wrong(other)),
            }
        }
        let pairs = powers.iter().flat_map(|&(numerator, denominator)| {
            logs.iter().map(move |&log_power| PmnfTerm { numerator, denominator, log_power })
        });
        let mut terms: Vec<PmnfTerm> = Vec::new();
        for term in pairs.filter(|term| term.numerator != 0 || term.log_power != 0) {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        match terms.len() {
            0 => Err("there is no term beside the constant: i=0,1/2,1;j=0,1".to_owned()),
            count if count > MOST_TERMS => Err(format!("these are {count} terms; {MOST_TERMS} are allowed")),
            _ => Ok(PmnfTerms { terms, text: text.to_owned() }),
        }
    }
}

fn wrong(part: &str) -> String {
    format!("\"{part}\" is neither exponents i (whole numbers or fractions) nor j (0, 1, ..), as in i=0,1/2,1;j=0,1")
}

fn small(text: &str) -> Option<i8> {
    text.parse().ok().filter(|value: &i8| value.abs() <= 20)
}

/// An exponent in lowest terms.
fn fraction(text: &str) -> Result<(i8, i8), String> {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    let found = small(above.trim()).zip(small(below.trim()).filter(|below| *below > 0));
    let (above, below) = found.ok_or_else(|| wrong(text))?;
    let divisor = (1..=below).rev().find(|d| above % d == 0 && below % d == 0).unwrap_or(1);
    Ok((above / divisor, below / divisor))
}

impl TryFrom<String> for PmnfTerms {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<PmnfTerms> for String {
    fn from(own: PmnfTerms) -> String {
        own.text
    }
}

/// `c0 + c1*p^(3/2)`: a constant and terms, in the formula language.
pub fn sum(constant: f64, terms: &[(f64, String)]) -> String {
    let mut text = number(constant);
    for (coefficient, product) in terms {
        if *coefficient < 0.0 {
            text.push_str(" - ");
        } else {
            text.push_str(" + ");
        }
        text.push_str(&number(coefficient.abs()));
        if !product.is_empty() {
            text.push('*');
            text.push_str(product);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_42_terms_of_20_powers_and_no_two_are_equal() {
        let mut powers: Vec<(i8, i8)> = DEFAULT_TERMS.iter().map(|t| (t.numerator, t.denominator)).collect();
        powers.sort_unstable();
        powers.dedup();
        assert_eq!(powers.len(), 20);
        for (k, a) in DEFAULT_TERMS.iter().enumerate() {
            assert!(DEFAULT_TERMS[..k].iter().all(|b| b != a));
        }
    }

    #[test]
    fn the_short_ways_to_a_power_equal_powf() {
        for term in DEFAULT_TERMS.iter().chain(&NEGATIVE_TERMS) {
            for x in [1.0, 2.0, 3.5, 1369.0] {
                let plain = f64::powf(x, term.power()) * x.log2().powi(i32::from(term.log_power));
                assert!((term.at(x) - plain).abs() <= 1e-14 * plain.abs(), "{term:?} at {x}");
            }
        }
    }
}
