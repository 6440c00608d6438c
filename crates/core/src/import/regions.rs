//! Tables of regions, as profilers of nested regions give them: one row for a region of a run, with the time of all that
//! happens in it and the time of its own.

use crate::table::{Column, DeclaredRoles, Origin, Table};
use std::collections::HashMap;

/// Deeper nests would make names longer than the file.
pub(super) const DEEPEST: usize = 1000;

/// A region of a run; what is not known is NaN.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Region {
    /// Names from the outermost one on, with `/` between them.
    pub path: String,
    pub rank: f64,
    pub thread: f64,
    pub visits: f64,
    /// A value for each parameter.
    pub at: Vec<f64>,
    /// Inclusive time \[s\].
    pub time: f64,
    /// Time of the region without those in it \[s\].
    pub own: f64,
    pub line: u64,
}

/// Those of a file.
#[derive(Debug, Default)]
pub(super) struct Regions {
    pub parameters: Vec<String>,
    pub rows: Vec<Region>,
    /// Seconds of a sample, for profiles that count these; `time` and `own` are samples then.
    pub sample_s: Option<f64>,
    pub counts_samples: bool,
}

impl Regions {
    /// The table `region,run,rank,thread,visits,..,time_s,self_s`; the run is named as the file is.
    pub(super) fn table(mut self, file: &str) -> Table {
        self.complete();
        let name = file.rsplit('/').next().unwrap_or(file);
        let run = name.split_once('.').map_or(name, |(stem, _)| stem);
        let numbers =
            |name: &str, of: &dyn Fn(&Region) -> f64| Column::numbers(name, self.rows.iter().map(of).collect());
        let mut columns = vec![
            Column::text("region", self.rows.iter().map(|row| row.path.as_str())),
            Column::text("run", self.rows.iter().map(|_| run)),
            numbers("rank", &|row| row.rank),
            numbers("thread", &|row| row.thread),
            numbers("visits", &|row| row.visits),
        ];
        for (index, parameter) in self.parameters.iter().enumerate() {
            columns.push(numbers(parameter, &|row| row.at[index]));
        }
        let mut metrics = Vec::new();
        if self.counts_samples {
            columns.push(numbers("samples", &|row| row.time));
            metrics.push("samples");
        }
        let second = if self.counts_samples { self.sample_s } else { Some(1.0) };
        if let Some(second) = second {
            columns.push(numbers("time_s", &|row| row.time * second));
            columns.push(numbers("self_s", &|row| row.own * second));
            metrics.extend(["time_s", "self_s"]);
        }
        let roles = DeclaredRoles {
            parameters: self.parameters.clone(),
            metrics: metrics.into_iter().map(str::to_owned).collect(),
            units: Vec::new(),
            others: Vec::new(),
        };
        let origin = |row: &Region| Origin { file: 0, line: u32::try_from(row.line).unwrap_or(u32::MAX) };
        Table { columns, origins: self.rows.iter().map(origin).collect(), roles: Some(roles), ..Table::default() }
    }

    /// Finds one of the two times by the other, from what is nested in a region.
    fn complete(&mut self) {
        let bits = |at: &[f64]| at.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
        let place = |row: &Region| (row.rank.to_bits(), row.thread.to_bits(), bits(&row.at));
        let mut index = HashMap::new();
        for (number, row) in self.rows.iter().enumerate() {
            index.entry((row.path.clone(), place(row))).or_insert(number);
        }
        let around = |row: &Region| -> Vec<usize> {
            let ends = row.path.rmatch_indices('/').map(|(end, _)| &row.path[..end]);
            ends.filter_map(|outer| index.get(&(outer.to_owned(), place(row))).copied()).collect()
        };
        let mut more: Vec<f64> =
            self.rows.iter().map(|row| if row.time.is_nan() { row.own } else { row.time }).collect();
        let mut less: Vec<f64> =
            self.rows.iter().map(|row| if row.own.is_nan() { row.time } else { row.own }).collect();
        for row in &self.rows {
            let outer = around(row);
            for &number in outer.iter().filter(|&&number| self.rows[number].time.is_nan() && !row.own.is_nan()) {
                more[number] += row.own;
            }
            if let Some(&number) = outer.first().filter(|&&number| self.rows[number].own.is_nan() && !row.time.is_nan())
            {
                less[number] -= row.time;
            }
        }
        for (row, (more, less)) in self.rows.iter_mut().zip(more.into_iter().zip(less)) {
            (row.time, row.own) = (more, less.max(0.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(path: &str, time: f64, own: f64) -> Region {
        let nan = f64::NAN;
        Region { path: path.to_owned(), rank: nan, thread: nan, visits: 1.0, at: Vec::new(), time, own, line: 1 }
    }

    fn completed(rows: Vec<Region>) -> Vec<(f64, f64)> {
        let mut regions = Regions { rows, ..Regions::default() };
        regions.complete();
        regions.rows.iter().map(|row| (row.time, row.own)).collect()
    }

    /// By hand.
    #[test]
    fn one_time_follows_from_the_other() {
        let nan = f64::NAN;
        let inclusive =
            vec![region("a", 10.0, nan), region("a/b", 4.0, nan), region("a/b/c", 3.0, nan), region("a/d", 1.0, nan)];
        let both = [(10.0, 5.0), (4.0, 1.0), (3.0, 3.0), (1.0, 1.0)];
        assert_eq!(completed(inclusive), both);
        let exclusive =
            vec![region("a", nan, 5.0), region("a/b", nan, 1.0), region("a/b/c", nan, 3.0), region("a/d", nan, 1.0)];
        assert_eq!(completed(exclusive), both);
    }
}
