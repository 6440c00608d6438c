//! Measured times over workers, from a table.

use super::places::{Places, too_many_workers};
use super::rows::{self, in_only_file};
use super::{ModelArgs, RowArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::tables;
use runcast_bsf::cost::Collective;
use runcast_bsf::fit::Measured;
use runcast_core::configuration::group_name;
use runcast_core::problem::shorten;
use runcast_core::roles::{TableOptions, rows_where};
use runcast_core::series::{Series, series_of};
use runcast_core::statistics::median;
use runcast_core::{Point, Problem, Problems, Table, Warning};

/// Measured times of one program over workers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Times {
    /// What was measured, in a few words.
    pub name: String,
    /// The runs to fit, by workers; each is the median of its repetitions.
    pub train: Vec<Run>,
    /// The other runs, by workers.
    pub test: Vec<Run>,
    /// Length of the list.
    pub list_length: Option<u64>,
    /// How messages travelled, where the table states it.
    pub collective: Option<Collective>,
    /// The file, if it is one.
    pub file: Option<String>,
    /// What was noticed on the way.
    pub warnings: Vec<Warning>,
}

/// The median of the repetitions with so many workers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    /// How many workers, and their time.
    pub measured: Measured,
    /// File and line of the repetition nearest to the median.
    pub place: Option<(String, u64)>,
}

/// Which rows are fitted.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Split {
    /// None.
    AllTest,
    /// All.
    AllTrain,
    /// Those for which a formula holds.
    Where(String),
}

impl Split {
    /// As the options say.
    pub(super) fn of(args: &ModelArgs) -> Self {
        match &args.train {
            _ if !args.fit => Split::AllTest,
            Some(formula) => Split::Where(formula.clone()),
            None => Split::AllTrain,
        }
    }

    fn mask(&self, table: &Table) -> Result<Vec<bool>, Problems> {
        match self {
            Split::AllTest => Ok(vec![false; table.rows()]),
            Split::AllTrain => Ok(vec![true; table.rows()]),
            Split::Where(formula) => rows_where(table, std::slice::from_ref(formula), "--train"),
        }
    }
}

impl Times {
    /// The times of a table; `list_length` where the table has none of its own.
    ///
    /// # Errors
    /// Columns are missing, rows belong to several programs or lists, or a cell cannot be: each with file and line.
    pub(super) fn of(
        table: &Table,
        choice: &RowArgs,
        split: &Split,
        list_length: Option<u64>,
        context: &mut Context,
    ) -> Result<Self, Failure> {
        let (table, options) = rows::prepared(table, choice)?;
        let set = tables::series(&table, &options, context)?;
        let [series] = set.series.as_slice() else { return Err(several_groups(&table, &set.series).into()) };
        let places = Places { table: &table, series };
        let list_length = places.list_length(list_length)?;
        places.check(list_length)?;
        let train = split.mask(&table)?;
        let test: Vec<bool> = train.iter().map(|train| !train).collect();
        Ok(Times {
            name: name_of(series),
            train: runs(&table.kept(&train), &options)?,
            test: runs(&table.kept(&test), &options)?,
            list_length,
            collective: series.group.get("collective").and_then(|name| name.parse().ok()),
            file: series.file.as_ref().map(|file| file.to_string()),
            warnings: set.warnings.into_iter().chain(rows::mixed_settings(&table)).collect(),
        })
    }

    /// All numbers of workers that were measured, ascending.
    pub(super) fn workers(&self) -> Vec<u64> {
        let mut workers: Vec<u64> = self.train.iter().chain(&self.test).map(|run| run.measured.workers).collect();
        workers.sort_unstable();
        workers.dedup();
        workers
    }

    /// Whether a list of this length can occupy all workers.
    ///
    /// # Errors
    /// Names the first run with more.
    pub(super) fn check_workers(&self, most: u64) -> Result<(), Problem> {
        let too_many = |run: &&Run| run.measured.workers > most;
        let Some(run) = self.train.iter().chain(&self.test).find(too_many) else { return Ok(()) };
        let problem = too_many_workers(run.measured.workers, most);
        Err(match &run.place {
            Some((file, line)) => problem.in_file(file.as_str()).at_line(*line),
            None => problem,
        })
    }
}

impl Run {
    /// A warning about this run, with its place where it is known.
    pub(super) fn warn(&self, warning: Warning) -> Warning {
        match &self.place {
            Some((file, line)) => warning.in_file(file.as_str(), *line),
            None => warning,
        }
    }
}

/// The labels that say most: the application, or the program.
fn name_of(series: &Series) -> String {
    let known = ["app", "program"].into_iter().filter_map(|label| series.group.get(label));
    let named: Vec<&str> = known.filter(|name| !name.is_empty()).map(String::as_str).collect();
    named.first().map_or_else(|| "measured times".to_owned(), |name| shorten(name, 60))
}

fn several_groups(table: &Table, series: &[Series]) -> Problem {
    let names: Vec<String> = series.iter().take(3).map(|series| shorten(&group_name(&series.group), 100)).collect();
    let first = series.first().into_iter().flat_map(|series| &series.group);
    let differs = |name: &str| series.iter().any(|other| other.group.get(name) != series[0].group.get(name));
    let varying = first.into_iter().find(|(name, _)| differs(name));
    let problem = Problem::new("several_groups", format!("runs of {} programs or settings in one table", series.len()));
    let problem =
        in_only_file(table, problem).value(names.join("; ")).allowed("runs that differ in their workers alone");
    match varying {
        Some((name, value)) => problem.at(name.as_str()).hint(format!("choose rows: --where '{name} == \"{value}\"'")),
        None => problem,
    }
}

/// The points of the runs, of which there may be none.
fn runs(table: &Table, options: &TableOptions) -> Result<Vec<Run>, Failure> {
    if table.rows() == 0 {
        return Ok(Vec::new());
    }
    let set = match series_of(table, options) {
        // Rows are there, but none of them has a time, or all of them failed.
        Err(Problems(problems)) if problems.iter().all(|p| ["no_rows", "empty_table"].contains(&p.code.as_str())) => {
            return Ok(Vec::new());
        }
        set => set?,
    };
    let Some(series) = set.series.first() else { return Ok(Vec::new()) };
    let places = Places { table, series };
    Ok(series.points.iter().map(|point| run(point, &places)).collect())
}

fn run(point: &Point, places: &Places<'_>) -> Run {
    let time_s = median(&point.values);
    let distance = |index: &usize| (point.values[*index] - time_s).abs();
    let nearest = (0..point.values.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or_default();
    Run { measured: Measured { workers: places.workers(point) as u64, time_s }, place: places.of(point, nearest) }
}
