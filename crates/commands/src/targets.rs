//! Where to predict: `N=1e3,2e3,P=4` is all combinations of the values.

use runcast_core::{Configuration, Problem};
use runcast_formula::Formula;
use runcast_formula::numbers::NumberList;
use std::fmt;

/// More configurations than this are a slip.
const MOST: usize = 100_000;

/// Values for each name.
#[derive(Debug, Clone, PartialEq)]
pub struct Targets {
    /// The names with their values, in the order in which they were named.
    pub axes: Vec<Axis>,
}

/// A name with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The parameter.
    pub name: String,
    pub values: Vec<f64>,
}

impl Targets {
    /// Reads targets. A part without `=` goes on with the list of the name before it.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn parse(text: &str) -> Result<Targets, Problem> {
        let bad = |message: String| Problem::new("bad_target", message).at("--at").value(text);
        let example = "such as p=64,N=1e5 or p=32,64,128 or p=1..1024*2,N=1e4,1e5";
        let mut axes: Vec<Axis> = Vec::new();
        for part in parts(text) {
            let part = part.trim();
            if part.is_empty() {
                continue;
            }
            let (name, value) = match part.split_once('=') {
                Some((name, value)) => (Some(name.trim()), value.trim()),
                None => (None, part),
            };
            if let Some(name) = name {
                if name.is_empty() || name.contains(char::is_whitespace) {
                    return Err(bad(format!("\"{part}\" is not NAME=VALUES")).hint(example));
                }
                if axes.iter().any(|axis| axis.name == name) {
                    return Err(bad(format!("{name} is given twice")).hint(format!("list its values: {name}=1,2,4")));
                }
                axes.push(Axis { name: name.to_owned(), values: Vec::new() });
            }
            let Some(axis) = axes.last_mut() else {
                return Err(bad(format!("\"{part}\" has no name before it")).hint(example));
            };
            axis.values.extend(values(value).map_err(|message| bad(format!("{}: {message}", axis.name)))?);
            if axis.values.len() > MOST {
                return Err(bad(format!("{} has more than {MOST} values", axis.name)));
            }
        }
        let count = axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.values.len()));
        match count {
            _ if axes.is_empty() => Err(bad("there is no target".to_owned()).hint(example)),
            Some(0) => Err(bad("a name has no values".to_owned()).hint(example)),
            Some(count) if count <= MOST => Ok(Targets { axes }),
            _ => Err(bad(format!("these are more than {MOST} configurations"))),
        }
    }

    /// The configurations of several targets, in their order.
    ///
    /// # Errors
    /// They are more than 100,000.
    pub fn all(targets: &[Targets]) -> Result<Vec<Configuration>, Problem> {
        let count: usize = targets.iter().map(Targets::count).sum();
        if count > MOST {
            let problem = Problem::new("bad_target", format!("these are {count} configurations")).at("--at");
            return Err(problem.allowed(format!("{MOST} at most")));
        }
        Ok(targets.iter().flat_map(Targets::configurations).collect())
    }

    fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.values.len()).product()
    }

    /// All combinations, the last name running fastest.
    pub fn configurations(&self) -> Vec<Configuration> {
        let mut all = vec![Configuration::default()];
        for axis in &self.axes {
            all = all
                .iter()
                .flat_map(|at| {
                    axis.values.iter().map(|value| {
                        let mut at = at.clone();
                        at.0.insert(axis.name.clone(), *value);
                        at
                    })
                })
                .collect();
        }
        all
    }
}

impl fmt::Display for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists: Vec<String> = self
            .axes
            .iter()
            .map(|axis| {
                let values: Vec<String> = axis.values.iter().map(|value| format!("{value:?}")).collect();
                format!("{}={}", axis.name, values.join(","))
            })
            .collect();
        f.write_str(&lists.join(","))
    }
}

/// Parts between commas, brackets kept together.
pub(crate) fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    let mut quote: Option<char> = None;
    for (index, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// One part: a number, a list in brackets, a rule for numbers, or a formula without names.
fn values(text: &str) -> Result<Vec<f64>, String> {
    let text = text.trim();
    if let Some(inside) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let mut all = Vec::new();
        for part in parts(inside) {
            all.extend(one(part.trim())?);
        }
        return Ok(all);
    }
    one(text)
}

fn one(text: &str) -> Result<Vec<f64>, String> {
    if text.is_empty() {
        return Err("a value is missing".to_owned());
    }
    let list = match NumberList::parse(text) {
        Ok(list) if list.is_unbounded() => return Err(format!("{text} has no end; write 1..1024*2")),
        Ok(list) => return list.expand(None, None).map_err(|error| error.to_string()),
        Err(error) => error,
    };
    let computed = Formula::parse(text).ok().filter(|formula| formula.names().is_empty());
    match computed.and_then(|formula| formula.evaluate_at(&[]).ok()) {
        Some(value) if value.is_finite() => Ok(vec![value]),
        _ => Err(list.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_targets_combine() {
        let configurations = |text: &str| {
            let all = Targets::parse(text).expect(text).configurations();
            all.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(configurations("N=1e3,2e3,P=4"), ["N=1000, P=4", "N=2000, P=4"]);
        assert_eq!(configurations("N = 1..4*2 , P = [1, 2]").len(), 6);
        assert_eq!(configurations("N=2^21"), ["N=2097152"]);
        assert_eq!(configurations("N=range:1..3:1,10"), ["N=1", "N=2", "N=3", "N=10"]);
        for bad in
            ["", "4", "N", "N=", "N=x", "=4", "N=1,N=2", "N=powers:2", "N=1..1e9", "N=inf", "N=1/0", "N=[", "N=nan"]
        {
            assert_eq!(Targets::parse(bad).expect_err(bad).code, "bad_target");
        }
        assert!(Targets::parse("a=1..1000,b=1..1000").is_err(), "a million configurations");
    }

    #[test]
    fn several_targets_are_added_up_and_limited() {
        let targets = |text: &str| Targets::parse(text).expect(text);
        let all = Targets::all(&[targets("p=32,64"), targets("p=1..4*2,N=5")]).expect("five");
        let shown: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["p=32", "p=64", "p=1, N=5", "p=2, N=5", "p=4, N=5"]);
        let many = targets("p=1..400,N=1..200");
        assert!(Targets::all(std::slice::from_ref(&many)).is_ok());
        assert!(Targets::all(&[many.clone(), many]).is_err(), "160,000 configurations");
    }
}
