//! A number with its range, in words.

use crate::human;

/// A number with its range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amount<'a> {
    pub value: f64,
    /// Both ends of the range, if it has one.
    pub range: Option<[f64; 2]>,
    /// Probability that the range holds.
    pub level: Option<f64>,
    /// SI unit.
    pub unit: &'a str,
}

impl Amount<'_> {
    /// `79.1 ms (71.9 to 87.1 ms, 90 %)`, or `2.13 s (without a range: no noise given)`.
    pub fn told(&self, why_none: &str) -> String {
        let value = human::quantity(self.value, self.unit);
        match self.range {
            Some([low, high]) => {
                let level = self.level.map_or(String::new(), |level| format!(", {}", super::share(level)));
                format!("{value} ({}{level})", span(low, high, self.unit))
            }
            None => format!("{value} (without a range: {why_none})"),
        }
    }
}

/// `71.9 to 87.1 ms`, `759 ms to 4.24 s`: the unit once where both have the same.
pub(super) fn span(low: f64, high: f64, unit: &str) -> String {
    let [low, high] = [low, high].map(|end| human::quantity(end, unit));
    match (low.rsplit_once(' '), high.rsplit_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_its_range_or_says_why_it_has_none() {
        let amount = Amount { value: 0.0791, range: Some([0.0719, 0.0871]), level: Some(0.9), unit: "s" };
        assert_eq!(amount.told(""), "79.1 ms (71.9 to 87.1 ms, 90 %)");
        let wide = Amount { range: Some([0.759, 4.236]), value: 1.381, ..amount };
        assert_eq!(wide.told(""), "1.38 s (759 ms to 4.24 s, 90 %)");
        let bare = Amount { value: 2.13, range: None, level: None, unit: "s" };
        assert_eq!(bare.told("no noise given"), "2.13 s (without a range: no noise given)");
    }
}
