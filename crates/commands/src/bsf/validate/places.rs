//! The cells of a table that must be counts or times, with their places.

use super::rows::{LIST_LENGTH, WORKERS};
use runcast_bsf::cost::MOST_ELEMENTS;
use runcast_core::series::Series;
use runcast_core::{Point, Problem, Table};

/// The cells of a series, to be checked one by one.
pub(super) struct Places<'a> {
    pub table: &'a Table,
    pub series: &'a Series,
}

impl Places<'_> {
    /// The one length of the list: the column's, which an option may confirm, or the option's.
    pub(super) fn list_length(&self, option: Option<u64>) -> Result<Option<u64>, Problem> {
        let Some(column) = self.series.parameter(LIST_LENGTH) else { return Ok(option) };
        let mut known = option;
        for point in &self.series.points {
            let length = self.whole(point, point.at[column], LIST_LENGTH)?;
            if known.is_some_and(|known| known != length) {
                let problem = Problem::new("several_lists", format!("a list of {length} elements among others"));
                let allowed = known.map_or_else(String::new, |known| format!("{known} in every row"));
                let problem = problem.at(LIST_LENGTH).value(length.to_string()).allowed(allowed);
                return Err(self.at(
                    point,
                    0,
                    problem.hint(format!("choose rows: --where '{LIST_LENGTH} == {length}'")),
                ));
            }
            known = Some(length);
        }
        Ok(known)
    }

    /// Workers are whole numbers that the list can occupy, times are positive.
    pub(super) fn check(&self, list_length: Option<u64>) -> Result<(), Problem> {
        for point in &self.series.points {
            let workers = self.whole(point, self.workers(point), WORKERS)?;
            if let Some(most) = list_length.filter(|most| workers > *most) {
                return Err(self.at(point, 0, too_many_workers(workers, most)));
            }
            if let Some(index) = point.values.iter().position(|value| *value <= 0.0) {
                let seen = point.values[index];
                let problem = Problem::new("not_positive", format!("a time of {seen} s")).value(seen.to_string());
                let problem = problem.at(self.series.metric.name.as_str()).allowed("times above 0");
                return Err(self.at(point, index, problem));
            }
        }
        Ok(())
    }

    fn whole(&self, point: &Point, value: f64, name: &str) -> Result<u64, Problem> {
        if value.fract() == 0.0 && (1.0..=MOST_ELEMENTS as f64).contains(&value) {
            return Ok(value as u64);
        }
        let problem = Problem::new("not_a_count", format!("{value} is no number of {name}")).at(name);
        Err(self.at(point, 0, problem.value(value.to_string()).allowed("a whole number, 1 or more")))
    }

    /// The workers of a point.
    pub(super) fn workers(&self, point: &Point) -> f64 {
        self.series.parameter(WORKERS).map_or(f64::NAN, |column| point.at[column])
    }

    /// File and line of a repetition.
    pub(super) fn of(&self, point: &Point, repetition: usize) -> Option<(String, u64)> {
        if let Some(file) = &self.series.file {
            return Some((file.to_string(), u64::from(*point.lines.get(repetition)?)));
        }
        let origin = self.table.origins.at(self.row(point, repetition)?);
        Some((self.table.files.get(origin.file as usize)?.clone(), u64::from(origin.line)))
    }

    fn at(&self, point: &Point, repetition: usize, problem: Problem) -> Problem {
        match self.row(point, repetition) {
            Some(row) => self.table.problem_at(row, problem),
            None => problem,
        }
    }

    /// The row of a repetition: of several files, the first with the line and the workers.
    fn row(&self, point: &Point, repetition: usize) -> Option<usize> {
        let (line, workers) = (*point.lines.get(repetition)?, self.workers(point));
        let counts = self.table.column(WORKERS).and_then(|column| column.as_numbers())?;
        (0..self.table.rows()).find(|&row| self.table.origins.at(row).line == line && counts[row] == workers)
    }
}

/// More workers than elements.
pub(super) fn too_many_workers(workers: u64, most: u64) -> Problem {
    let message = format!("{workers} workers for a list of {most} elements");
    let problem = Problem::new("too_many_workers", message).at(WORKERS).value(workers.to_string());
    problem.allowed(format!("1 to {most}"))
}
