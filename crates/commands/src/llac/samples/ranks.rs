//! What becomes of several ranks: samples of their own, or the slowest or the mean of each visit.

use super::super::runs::Runs;
use runcast_call::piecewise::Repeated;
use runcast_core::Problem;
use runcast_core::table::Column;
use runcast_core::table::Numbers;
use std::collections::HashMap;

/// What becomes of several ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ranks {
    /// Each sample counts for itself.
    #[default]
    All,
    /// The slowest rank of each visit of a run: for outermost regions.
    Max,
    /// The mean over the ranks of each visit.
    Mean,
}

/// The samples of a table.
pub(super) struct Measured<'a> {
    pub runs: &'a Runs,
    pub values: &'a Numbers,
    pub visits: Option<&'a Numbers>,
    pub scale: f64,
}

impl Measured<'_> {
    /// The repetitions of a configuration; none where no row is outermost.
    ///
    /// # Errors
    /// Ranks are asked for where the table has none.
    pub(super) fn repeated(&self, at: Vec<f64>, rows: &[u32], ranks: Ranks) -> Result<Option<Repeated>, Problem> {
        let value = |row: u32| self.values[row as usize] * self.scale;
        let weight = |row: u32| self.visits.map_or(1.0, |visits| visits[row as usize]).max(1.0);
        let mut repeated = match ranks {
            Ranks::All => {
                let mut repeated = Repeated::new(at, rows.iter().map(|&row| value(row)).collect());
                repeated.visits = rows.iter().map(|&row| weight(row)).collect();
                repeated
            }
            Ranks::Max | Ranks::Mean => {
                let visits = self.visits_of_runs(rows)?;
                let whole = |rows: &Vec<u32>| match ranks {
                    Ranks::Max => rows.iter().map(|&row| value(row)).fold(f64::NEG_INFINITY, f64::max),
                    _ => rows.iter().map(|&row| value(row)).sum::<f64>() / rows.len() as f64,
                };
                let mut repeated = Repeated::new(at, visits.iter().map(whole).collect());
                repeated.visits =
                    visits.iter().map(|rows| rows.iter().map(|&row| weight(row)).fold(1.0, f64::min)).collect();
                repeated
            }
        };
        // A weight that is no number weighs 1.
        for weight in &mut repeated.visits {
            if !weight.is_finite() {
                *weight = 1.0;
            }
        }
        Ok((!repeated.values.is_empty()).then_some(repeated))
    }

    /// The rows of each visit of each run: the k-th time that every thread of every rank comes by, outermost only.
    fn visits_of_runs(&self, rows: &[u32]) -> Result<Vec<Vec<u32>>, Problem> {
        let table = &self.runs.table;
        let column = |name: &str| table.column(name).and_then(Column::as_numbers);
        let Some(rank) = column("rank") else {
            return Err(Problem::new("no_ranks", "the table has no column rank").at("ranks").hint("leave ranks out"));
        };
        let (thread, level) = (column("thread"), column("level"));
        let run_of_file = run_of_file(self.runs);
        let mut times: HashMap<(usize, u64, u64), usize> = HashMap::new();
        let mut place: HashMap<(usize, usize), usize> = HashMap::new();
        let mut visits: Vec<Vec<u32>> = Vec::new();
        for &row in rows {
            let index = row as usize;
            if level.is_some_and(|level| level[index] > 0.0) {
                continue;
            }
            let run = run_of_file.get(table.origins.at(index).file as usize).copied().unwrap_or(0);
            let thread = thread.map_or(0, |thread| thread[index].to_bits());
            let time = times.entry((run, rank[index].to_bits(), thread)).or_insert(0);
            let visit = *place.entry((run, *time)).or_insert(visits.len());
            *time += 1;
            match visits.get_mut(visit) {
                Some(rows) => rows.push(row),
                None => visits.push(vec![row]),
            }
        }
        Ok(visits)
    }
}

/// Files of ranks of one run belong together: a number for the run of each file.
pub(in super::super) fn run_of_file(runs: &Runs) -> Vec<usize> {
    let mut known: HashMap<(String, String, u64), usize> = HashMap::new();
    let mut next = 0;
    runs.metadata
        .files
        .iter()
        .enumerate()
        .map(|(index, file)| {
            let name = runs.table.files.get(index).map_or("", String::as_str);
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            let mut new = || {
                next += 1;
                next - 1
            };
            match file.run.as_ref().and_then(|run| Some((folder, run.name.clone(), run.run?))) {
                Some(key) => *known.entry(key).or_insert_with(new),
                None => new(),
            }
        })
        .collect()
}
