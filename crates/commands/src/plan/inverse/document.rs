//! The document, the table and the text of an inverse.

use super::Question;
use crate::context::Screen;
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::output::Output;
use runcast_core::prediction::Verdict;
use runcast_core::table::{Column, Origins, Table as Runs};
use runcast_core::{Configuration, Warning};
use serde::Serialize;
use std::path::Path;

/// The document of kind `plan` with its field `inverse`.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Document {
    kind: &'static str,
    version: u32,
    inverse: Inverse,
    level: f64,
    /// The parameter that was solved for.
    parameter: String,
    /// The fewest processes at the upper end of the range, or with the probability; of deadlines alone.
    pub safe_p: Option<f64>,
    pub warnings: Vec<Warning>,
    pub rows: Vec<Row>,
    #[serde(skip)]
    process: String,
}

#[derive(Debug, Clone, Serialize)]
struct Inverse {
    /// `time_s` or `memory_bytes`.
    of: &'static str,
    limit: f64,
}

/// A configuration within the limit.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub at: Configuration,
    /// What was found, before rounding.
    pub exact: Option<f64>,
    /// From the upper end of the forecast.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub time_s: Option<f64>,
    pub time_low_s: Option<f64>,
    pub time_high_s: Option<f64>,
    pub verdict: Verdict,
}

impl Row {
    pub fn bare(at: Configuration, verdict: Verdict) -> Row {
        Row { at, exact: None, low: None, high: None, time_s: None, time_low_s: None, time_high_s: None, verdict }
    }
}

impl Document {
    pub fn new(question: &Question<'_>, of: &'static str, limit: f64) -> Self {
        let parameter = if question.size.is_empty() { &question.process } else { &question.size };
        Document {
            kind: "plan",
            version: 1,
            inverse: Inverse { of, limit },
            level: question.level,
            parameter: parameter.clone(),
            safe_p: None,
            warnings: Vec::new(),
            rows: Vec::new(),
            process: question.process.clone(),
        }
    }

    /// The table as a plan, the document and the text.
    pub fn output(self, table: Option<&Path>, screen: Screen) -> Result<Output, Failure> {
        let mut csv = Vec::new();
        self.table().write_csv(&mut csv).map_err(|error| Failure::writing("the plan".as_ref(), &error))?;
        let exit = u8::from(self.rows.iter().all(|row| row.verdict == Verdict::Refused));
        let output = Output::default().human(self.text(screen)).warned(self.warnings.iter().cloned());
        let mut output = output.with_file(table, csv).exit(exit);
        output.document = Some(crate::document::Document::new(self));
        Ok(output)
    }

    fn is_of_sizes(&self) -> bool {
        self.parameter != self.process
    }

    /// Rows that can be run.
    fn table(&self) -> Runs {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.at.get(&self.parameter).is_some()).collect();
        let numbers = |name: &str, of: &dyn Fn(&Row) -> Option<f64>| {
            Column::numbers(name, rows.iter().map(|row| of(row).unwrap_or(f64::NAN)).collect())
        };
        let names: Vec<&String> = rows.first().map(|row| row.at.0.keys().collect()).unwrap_or_default();
        let mut columns = Vec::new();
        for name in names {
            columns.push(numbers(name, &|row| row.at.get(name)));
            if *name == self.parameter && self.is_of_sizes() {
                columns.push(numbers(&format!("{name}_low"), &|row| row.low));
                columns.push(numbers(&format!("{name}_high"), &|row| row.high));
            }
        }
        columns.push(numbers("time_s", &|row| row.time_s));
        columns.push(Column::text("verdict", rows.iter().map(|row| row.verdict.name())));
        Runs { columns, origins: Origins::unknown(rows.len()), ..Runs::default() }
    }

    fn text(&self, screen: Screen) -> String {
        let mut table = Table::new().number(&self.process);
        if self.is_of_sizes() {
            table = table.number(&self.parameter).number("exact").number("from").number("to");
        }
        let mut table = table.number("time").number("low").number("high").text("verdict");
        let digits = |value: Option<f64>| value.map_or(String::new(), |value| human::significant(value, 7));
        let seconds = |value: Option<f64>| value.map_or(String::new(), |value| human::quantity(value, "s"));
        for row in &self.rows {
            let parameter = |name: &str| row.at.get(name).map_or(human::DASH.to_owned(), human::parameter);
            let mut cells = vec![parameter(&self.process)];
            if self.is_of_sizes() {
                cells.extend([parameter(&self.parameter), digits(row.exact), digits(row.low), digits(row.high)]);
            }
            cells.extend([row.time_s, row.time_low_s, row.time_high_s].map(seconds));
            cells.push(row.verdict.name().to_owned());
            table.row(cells);
        }
        format!("{}\n{}\n", table.render(screen), self.sentence())
    }

    fn sentence(&self) -> String {
        let unit = if self.inverse.of == "time_s" { "s" } else { "B" };
        let limit = human::quantity(self.inverse.limit, unit);
        if self.is_of_sizes() {
            return format!("{} is the largest within {limit}, rounded down", self.parameter);
        }
        let safe = match self.safe_p {
            Some(p) => format!("; to be safe: {}", human::parameter(p)),
            None => "; none of the numbers tried is safe".to_owned(),
        };
        let first = self.rows.iter().find(|row| row.time_s.is_some_and(|time_s| time_s <= self.inverse.limit));
        let first = first.and_then(|row| row.exact).map_or(human::DASH.to_owned(), human::parameter);
        format!("the fewest processes within {limit}: {first}{safe}")
    }
}
