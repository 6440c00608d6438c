//! Combines ranks: each gives its own samples, or the slowest or the mean of each visit counts.

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
    /// The run of each row; none where each row is one.
    pub run_of_row: Option<&'a [u32]>,
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
                repeated.runs = self.runs_of(rows.iter());
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
                repeated.runs = self.runs_of(visits.iter().filter_map(|rows| rows.first()));
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

    /// The run of each of some rows; empty where each is one.
    fn runs_of<'r>(&self, rows: impl Iterator<Item = &'r u32>) -> Vec<u32> {
        self.run_of_row.map_or_else(Vec::new, |runs| rows.map(|&row| runs[row as usize]).collect())
    }

    /// The rows of each visit of each run: the k-th time that every thread of every rank comes by, outermost only.
    fn visits_of_runs(&self, rows: &[u32]) -> Result<Vec<Vec<u32>>, Problem> {
        let table = &self.runs.table;
        let column = |name: &str| table.column(name).and_then(Column::as_numbers);
        let Some(rank) = column("rank") else {
            return Err(Problem::new("no_ranks", "the table has no column rank").at("ranks").hint("leave ranks out"));
        };
        let (thread, level) = (column("thread"), column("level"));
        let mut times: HashMap<(u32, u64, u64), usize> = HashMap::new();
        let mut place: HashMap<(u32, usize), usize> = HashMap::new();
        let mut visits: Vec<Vec<u32>> = Vec::new();
        for &row in rows {
            let index = row as usize;
            if level.is_some_and(|level| level[index] > 0.0) {
                continue;
            }
            let run = self.run_of_row.map_or(0, |runs| runs[index]);
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
