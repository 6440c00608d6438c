//! Values for parameters of a program: `P=2,4,8`, `D1=1/3`.

use super::file::{Kind, number_or_formula};
use super::program::{Given, Place, Value};
use runcast_core::problem::shorten;
use runcast_core::{Problem, Problems};
use runcast_formula::numbers::NumberList;

/// Maximum number of combinations.
const MOST: usize = 10_000;
const POINTER: &str = "--set";

/// A value for a parameter, overriding the program's.
#[derive(Debug, Clone)]
pub struct Assignment {
    pub(super) name: String,
    pub(super) value: Value,
}

/// Lists of values for parameters.
#[derive(Debug, Clone, Default)]
pub struct Assignments(Vec<(String, Vec<Value>)>);

impl Assignment {
    /// A number for a parameter.
    pub fn number(name: impl Into<String>, value: f64) -> Self {
        Assignment { name: name.into(), value: Value { given: Given::Number(value), place: place() } }
    }
}

impl Assignments {
    /// Reads `NAME=V[,V..]`, one text per parameter; a V is a number, a quantity or a formula over earlier parameters;
    /// a list such as `1..64*2` replaces all of them.
    ///
    /// # Errors
    /// Text that cannot be read; a parameter that is given twice.
    pub fn parse(texts: &[String]) -> Result<Self, Problems> {
        let mut lists: Vec<(String, Vec<Value>)> = Vec::new();
        let mut problems = Vec::new();
        for text in texts {
            match list(text) {
                Ok((name, _)) if lists.iter().any(|(known, _)| *known == name) => {
                    let problem = Problem::new("given_twice", format!("{name} is given twice")).at(POINTER).value(text);
                    problems.push(problem.hint(format!("several values: --set {name}=1,2,4")));
                }
                Ok(list) => lists.push(list),
                Err(problem) => problems.push(problem),
            }
        }
        if problems.is_empty() { Ok(Assignments(lists)) } else { Err(Problems(problems)) }
    }

    /// All combinations, the last parameter varying fastest; one without values if nothing is set.
    ///
    /// # Errors
    /// There are more than 10,000.
    pub fn combinations(&self) -> Result<Vec<Vec<Assignment>>, Problem> {
        let count = self.0.iter().try_fold(1usize, |count, (_, values)| count.checked_mul(values.len()));
        if count.is_none_or(|count| count > MOST) {
            let problem = Problem::new("too_many", "too many combinations of values").at(POINTER);
            return Err(problem.allowed(format!("at most {MOST}")));
        }
        let mut all: Vec<Vec<Assignment>> = vec![Vec::new()];
        for (name, values) in &self.0 {
            let longer = all.iter().flat_map(|before| {
                values.iter().map(move |value| {
                    let next = Assignment { name: name.clone(), value: value.clone() };
                    before.iter().cloned().chain([next]).collect()
                })
            });
            all = longer.collect();
        }
        Ok(all)
    }
}

fn list(text: &str) -> Result<(String, Vec<Value>), Problem> {
    let Some((name, values)) = text.split_once('=').map(|(name, values)| (name.trim(), values.trim())) else {
        let message = format!("\"{}\" does not assign a value to a parameter", shorten(text, 60));
        return Err(Problem::new("not_an_assignment", message).at(POINTER).value(text).allowed("NAME=V[,V..]"));
    };
    let is_rule = values.contains("..") || ["list:", "range:"].iter().any(|rule| values.starts_with(rule));
    if is_rule {
        let numbers = NumberList::parse(values).and_then(|list| list.expand(None, None));
        let numbers = numbers.map_err(|error| {
            let problem = Problem::new("not_a_list", format!("{name}: {error}")).at(POINTER).value(text);
            problem.allowed("lists such as 1,2,4 or 1..64*2")
        })?;
        let values = numbers.into_iter().map(|number| Value { given: Given::Number(number), place: place() });
        return Ok((name.to_owned(), values.collect()));
    }
    let values: Result<Vec<Value>, Problem> = runcast_formula::split_at_commas(values)
        .into_iter()
        .map(|part| {
            number_or_formula(part.trim(), Kind::Any).map(|given| Value { given, place: place() }).map_err(
                |mut problem| {
                    problem.message = format!("{name}: {}", problem.message);
                    problem.column = None;
                    problem.at(POINTER)
                },
            )
        })
        .collect();
    Ok((name.to_owned(), values?))
}

fn place() -> Place {
    Place { offset: None, pointer: POINTER.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<Vec<String>> {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let all = Assignments::parse(&texts).and_then(|all| Ok(all.combinations()?)).expect("good");
        let told = |one: &Assignment| format!("{}={}", one.name, one.value.text());
        all.iter().map(|combination| combination.iter().map(told).collect()).collect()
    }

    #[test]
    fn lists_combine_and_formulas_keep_their_commas() {
        assert_eq!(names(&["P=1,2", "D1=max(1,2),1/3"]).len(), 4);
        assert_eq!(names(&["P=1,2", "D1=max(1,2)"])[1], ["P=2", "D1=max(1,2)"]);
        assert_eq!(names(&["P=1..8*2"]).len(), 4);
        assert_eq!(names(&["t=1.5 us"])[0], ["t=1.5e-6"]);
        assert_eq!(names(&[]), [Vec::<String>::new()]);
    }

    #[test]
    fn what_is_no_assignment_is_told() {
        for (texts, expected) in [
            (vec!["P"], "does not assign a value to a parameter"),
            (vec!["P=1", "P=2"], "given twice"),
            (vec!["P=1,"], "P: "),
            (vec!["P=1.."], "P: "),
        ] {
            let texts: Vec<String> = texts.into_iter().map(str::to_owned).collect();
            let problems = Assignments::parse(&texts).expect_err(expected);
            assert!(problems.to_string().contains(expected), "{problems}");
        }
        let many = Assignments::parse(&["a=1..200".to_owned(), "b=1..200".to_owned()]).expect("read");
        assert!(many.combinations().is_err());
    }
}
