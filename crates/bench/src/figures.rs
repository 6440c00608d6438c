//! Figures picked out of the output of a program by regular expressions.

use regex::Regex;
use runcast_core::problem::shorten;
use runcast_core::{Metric, Problem, Warning};
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};

use crate::supervise::Stream;

/// A number to be found in the output of a program.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Name of its column, which tells its unit unless `unit` does.
    pub name: String,
    /// Its unit, as in `ms` or `GB/s`; `1` for a bare number.
    pub unit: Option<String>,
    /// Matches a line; its one group holds the number.
    pub pattern: Regex,
    /// Which number, when several lines match.
    pub choice: Choice,
    /// A run without it has failed (`no_figure`).
    pub required: bool,
}

/// Which number, when several lines match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// The first; of standard output, if it has one.
    First,
    /// The last; of standard output, if it has one.
    #[default]
    Last,
    Sum,
    Max,
    Min,
}

/// A figure as it is in journals and tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FigureRecord {
    /// Name of the column.
    pub name: String,
    /// The unit, where one is given beside the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    pub pattern: String,
    pub choice: Choice,
    /// Whether a run without it has failed.
    pub required: bool,
}

impl Figure {
    /// Reads `NAME[:UNIT][:first|last|sum|max|min][:required]=REGEX`.
    ///
    /// # Errors
    /// `bad_figure`: what is wrong with it.
    ///
    /// # Examples
    /// ```
    /// use runcast_bench::Figure;
    /// let figure = Figure::parse(r"solve_s=^elapsed: ([0-9.eE+-]+) ?s")?;
    /// assert_eq!(figure.name, "solve_s");
    /// assert_eq!(Figure::parse(r"solve:ms=took ([0-9.]+)")?.unit.as_deref(), Some("ms"));
    /// assert!(Figure::parse("step_s:sum:required=step ([0-9.]+)")?.required);
    /// # Ok::<(), runcast_core::Problem>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let bad = |message: String, hint: &str| {
            Problem::new("bad_figure", message).at("--figure").value(text).hint(hint.to_owned())
        };
        let shape = "write NAME=REGEX, as in 'solve_s=^elapsed: ([0-9.eE+-]+) ?s'";
        let (head, pattern) = text.split_once('=').ok_or_else(|| bad(format!("{text:?} has no ="), shape))?;
        let mut words = head.split(':');
        let name = words.next().unwrap_or_default().trim();
        if name.is_empty() || name.contains([',', '"', '\n', '\r', '#']) {
            return Err(bad(format!("{name:?} cannot name a column"), shape));
        }
        let (mut unit, mut choice, mut required) = (None, Choice::default(), false);
        for word in words {
            match word.trim() {
                "first" => choice = Choice::First,
                "last" => choice = Choice::Last,
                "sum" => choice = Choice::Sum,
                "max" => choice = Choice::Max,
                "min" => choice = Choice::Min,
                "required" => required = true,
                other if unit.is_none() && !other.is_empty() && Metric::named(name, Some(other)).is_ok() => {
                    unit = Some(other.to_owned());
                }
                other => {
                    return Err(bad(
                        format!("{other:?} is not an option of a figure"),
                        "allowed are one unit (s, ms, GB/s, .., 1 for a bare number), first, last, sum, max, min and required",
                    ));
                }
            }
        }
        let pattern = Regex::new(pattern).map_err(|error| {
            bad(format!("this is not a regular expression: {error}"), "quote the whole for the shell")
        })?;
        match pattern.captures_len() {
            2 => Ok(Figure { name: name.to_owned(), unit, pattern, choice, required }),
            1 => Err(bad(format!("{:?} captures nothing", pattern.as_str()), "put the number into parentheses")),
            more => Err(bad(
                format!("{:?} has {} groups, one is needed", pattern.as_str(), more - 1),
                "write (?:...) for groups that do not hold the number",
            )),
        }
    }

    pub(crate) fn record(&self) -> FigureRecord {
        FigureRecord {
            name: self.name.clone(),
            unit: self.unit.clone(),
            pattern: self.pattern.as_str().to_owned(),
            choice: self.choice,
            required: self.required,
        }
    }

    /// What it measures, if its unit or its name tells.
    pub(crate) fn metric(&self) -> Option<Metric> {
        match &self.unit {
            Some(unit) => Metric::named(&self.name, Some(unit)).ok(),
            None => Metric::from_name(&self.name).or_else(|| Metric::from_word(&self.name)),
        }
    }

    /// A problem if its unit is unknown.
    pub(crate) fn check_unit(&self) -> Result<(), Problem> {
        if self.metric().is_some() {
            return Ok(());
        }
        let name = &self.name;
        Err(Problem::new("unknown_unit", format!("the unit of the figure {name} is not known"))
            .at("--figure")
            .value(name.as_str())
            .allowed("a name that ends in a unit (solve_s, io_gb_per_s), or NAME:UNIT")
            .hint(format!("--figure '{name}:s=..' if it is in seconds, '{name}:1=..' if it is a bare number")))
    }

    /// A warning if its unit is a guess.
    pub(crate) fn unit_warning(&self) -> Option<Warning> {
        let metric = self.metric()?;
        metric.unit_assumed.then(|| {
            let (name, unit) = (&self.name, &metric.unit);
            let message =
                format!("the figure {name} is taken to be in {unit}; {name}:{unit} says so, {name}:ms another");
            Warning::new("unit_assumed", message)
        })
    }
}

impl TryFrom<&FigureRecord> for Figure {
    type Error = regex::Error;

    fn try_from(record: &FigureRecord) -> Result<Self, regex::Error> {
        let FigureRecord { name, unit, pattern, choice, required } = record;
        Ok(Figure {
            name: name.clone(),
            unit: unit.clone(),
            pattern: Regex::new(pattern)?,
            choice: *choice,
            required: *required,
        })
    }
}

/// Looks at the lines of one run.
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    figures: &'a [Figure],
    found: Mutex<Vec<[Found; 2]>>,
}

/// What one figure found in one stream.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    count: u32,
    unreadable: u32,
    first: f64,
    last: f64,
    sum: f64,
    max: f64,
    min: f64,
}

/// The figures of one run.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Figures {
    /// In the order of the figures.
    pub values: Vec<(String, f64)>,
    /// Figures that are needed and were not found.
    pub lacking: Vec<String>,
    /// Figures whose matches were not finite numbers.
    pub unreadable: Vec<String>,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(figures: &'a [Figure]) -> Self {
        Scanner { figures, found: Mutex::new(vec![Default::default(); figures.len()]) }
    }

    pub(crate) fn line(&self, stream: Stream, line: &str) {
        if self.figures.is_empty() {
            return;
        }
        for (index, figure) in self.figures.iter().enumerate() {
            let Some(text) = figure.pattern.captures(line).and_then(|captures| captures.get(1)) else { continue };
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(found) = found.get_mut(index).and_then(|both| both.get_mut(stream as usize)) {
                found.add(parse_number(text.as_str()));
            }
        }
    }

    pub(crate) fn finish(self) -> Figures {
        let mut figures = Figures::default();
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (figure, [out, err]) in self.figures.iter().zip(found) {
            let one = if out.count > 0 { out } else { err };
            let value = match (figure.choice, out.count + err.count) {
                (_, 0) => None,
                (Choice::First, _) => Some(one.first),
                (Choice::Last, _) => Some(one.last),
                (Choice::Sum, _) => Some(out.sum + err.sum),
                (Choice::Max, _) if out.count > 0 && err.count > 0 => Some(out.max.max(err.max)),
                (Choice::Min, _) if out.count > 0 && err.count > 0 => Some(out.min.min(err.min)),
                (Choice::Max, _) => Some(one.max),
                (Choice::Min, _) => Some(one.min),
            };
            match value.filter(|value| value.is_finite()) {
                Some(value) => figures.values.push((figure.name.clone(), value)),
                None if out.unreadable + err.unreadable > 0 => figures.unreadable.push(figure.name.clone()),
                None => {}
            }
            if figure.required && !figures.values.iter().any(|(name, _)| *name == figure.name) {
                figures.lacking.push(figure.name.clone());
            }
        }
        figures
    }
}

impl Found {
    fn add(&mut self, value: Option<f64>) {
        let Some(value) = value else {
            self.unreadable += 1;
            return;
        };
        if self.count == 0 {
            *self = Found { unreadable: self.unreadable, first: value, max: value, min: value, ..Found::default() };
        }
        self.count += 1;
        self.last = value;
        self.sum += value;
        self.max = self.max.max(value);
        self.min = self.min.min(value);
    }
}

/// A finite number; Fortran's `1.5D+03` and `1.5d3` count.
fn parse_number(text: &str) -> Option<f64> {
    let text = shorten(text.trim(), 100);
    text.parse().ok().or_else(|| text.replace(['d', 'D'], "e").parse().ok()).filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(figure: &str, lines: &[&str]) -> Figures {
        let figures = [Figure::parse(figure).expect("well formed")];
        let scanner = Scanner::new(&figures);
        for line in lines {
            match line.strip_prefix("2>") {
                Some(line) => scanner.line(Stream::Stderr, line),
                None => scanner.line(Stream::Stdout, line),
            }
        }
        scanner.finish()
    }

    #[test]
    fn the_choice_decides_between_several_lines() {
        let lines = ["t 3", "2>t 9", "t 1", "t 2", "u 8"];
        for (choice, expected) in [("first", 3.0), ("last", 2.0), ("sum", 15.0), ("max", 9.0), ("min", 1.0)] {
            let found = scan(&format!("t_s:{choice}=^t ([0-9]+)"), &lines);
            assert_eq!(found.values, [("t_s".to_owned(), expected)], "{choice}");
        }
        assert_eq!(scan("t_s=^t ([0-9]+)", &["2>t 4"]).values, [("t_s".to_owned(), 4.0)]);
    }

    #[test]
    fn what_is_missing_or_no_finite_number_is_told() {
        assert_eq!(scan("t_s=t (.*)", &["u 1"]), Figures::default());
        assert_eq!(scan("t_s:required=t (.*)", &["u 1"]).lacking, ["t_s"]);
        for text in ["t nan", "t inf", "t 1e999", "t fast", "t "] {
            assert_eq!(scan("t_s=t (.*)", &[text]).unreadable, ["t_s"], "{text}");
        }
        assert_eq!(scan("t_s=t (.*)", &["t 1.5D+03"]).values, [("t_s".to_owned(), 1500.0)]);
    }

    #[test]
    fn wrong_figures_are_told() {
        for figure in ["t_s", "=x(1)", "t_s=([", "t_s=abc", "t_s=(a)(b)", "t_s:often=(a)", "a,b=(a)"] {
            assert_eq!(Figure::parse(figure).expect_err(figure).code, "bad_figure");
        }
        let figure = |text: &str| Figure::parse(text).expect("well formed");
        let problem = figure("residual=(.)").check_unit().expect_err("no unit");
        assert_eq!(problem.code, "unknown_unit");
        assert!(problem.to_string().contains("hint: --figure 'residual:s=..'"), "{problem}");
        for known in ["solve_s=(.)", "residual:1=(.)", "solve:ms=(.)", "wall_time=(.)", "rate:GB/s:max=(.)", "time=(.)"]
        {
            assert_eq!(figure(known).check_unit(), Ok(()), "{known}");
        }
        assert!(figure("time=(.)").unit_warning().is_some_and(|warning| warning.message.contains("time:s says so")));
        assert!(figure("time:ms=(.)").unit_warning().is_none() && figure("solve_s=(.)").unit_warning().is_none());
        assert!(Figure::parse("x:ms:s=(.)").is_err() && Figure::parse("x:furlong=(.)").is_err());
    }
}
