//! Columns that models of several series need beside what they forecast.

use super::ModelArgs;
use runcast_core::roles::{RoleOption, TableOptions};
use runcast_core::{Metric, Table};
use runcast_fit::joint::efficiency;
use std::collections::HashMap;

/// The column of the rank that a row is of.
const RANK: &str = "rank";

impl ModelArgs {
    /// Whether models are named.
    pub fn names_any(&self) -> bool {
        !self.model.is_empty() || self.formula.is_some() || self.sum.is_some() || self.uv.is_some()
    }

    /// A table, and how it is read, so that the parts of `--sum` and the factors of `efficiency` are metrics. Of a row for
    /// each rank, those of the rank that computes longest remain.
    pub(crate) fn prepared(&self, table: Table, options: &mut TableOptions) -> Table {
        let mut columns: Vec<&str> = Vec::new();
        if let Some(sum) = &self.sum {
            columns.extend(sum.names.iter().map(String::as_str));
        }
        if self.model.iter().any(|name| name == efficiency::NAME) {
            columns.extend(efficiency::FACTORS);
        }
        columns.retain(|name| table.column(name).is_some());
        for name in columns {
            let is_told = options.roles.iter().any(|role| role.column == name);
            if !is_told && Metric::from_name(name).is_none() {
                options.roles.extend(RoleOption::parse(&format!("{name}=metric")).ok());
            }
            let is_listed =
                |metric: &String| metric == name || metric.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
            if !options.metrics.is_empty() && !options.metrics.iter().any(is_listed) {
                options.metrics.push(name.to_owned());
            }
        }
        match &self.sum {
            Some(sum) => of_longest_rank(table, &sum.names[0]),
            None => table,
        }
    }
}

/// The rows of the rank with the largest value of a column, run by run; all rows where none says its rank.
fn of_longest_rank(mut table: Table, compute: &str) -> Table {
    let Some(values) = table.column(compute).and_then(|column| column.as_numbers()).map(|values| values.to_vec())
    else {
        return table;
    };
    let Some(rank) = table.columns.iter().position(|column| column.name == RANK) else { return table };
    let tells_runs_apart = |name: &str| name != RANK && Metric::from_name(name).is_none();
    let keys: Vec<usize> = (0..table.columns.len()).filter(|&k| tells_runs_apart(&table.columns[k].name)).collect();
    let mut longest: HashMap<Vec<String>, usize> = HashMap::new();
    for row in 0..table.rows() {
        let key = keys.iter().map(|&k| table.columns[k].cell(row)).collect();
        let first = longest.entry(key).or_insert(row);
        if values[row] > values[*first] {
            *first = row;
        }
    }
    let mut keep = vec![false; table.rows()];
    longest.into_values().for_each(|row| keep[row] = true);
    table = table.kept(&keep);
    table.columns.remove(rank);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_that_computes_longest_stands_for_the_run() {
        let rows = "p,rank,rep,compute_s,communication_s\n2,0,0,3,1\n2,1,0,2,2\n2,0,1,3,1\n2,1,1,3.5,0.5\n4,0,0,1,1\n";
        let table = Table::read("runs.csv", rows.as_bytes(), &Default::default()).expect("a table");
        let kept = of_longest_rank(table, "compute_s");
        let row = |row: usize| kept.columns.iter().map(|column| column.cell(row)).collect::<Vec<_>>().join(",");
        assert_eq!((0..kept.rows()).map(row).collect::<Vec<_>>(), ["2,0,3,1", "2,1,3.5,0.5", "4,0,1,1"]);
    }

    #[test]
    fn factors_are_metrics_where_they_are_asked_for() {
        let rows = "p,time_s,load_balance\n2,3,0.9\n4,2,0.8\n";
        let table = Table::read("runs.csv", rows.as_bytes(), &Default::default()).expect("a table");
        let mut options = TableOptions { metrics: vec!["time_s".to_owned()], ..TableOptions::default() };
        let args = ModelArgs { model: vec!["efficiency".to_owned()], ..ModelArgs::default() };
        let table = args.prepared(table, &mut options);
        assert_eq!(options.metrics, ["time_s", "load_balance"]);
        let set = runcast_core::series::series_of(&table, &options).expect("series");
        assert_eq!(set.series.len(), 2);
        assert_eq!(set.series[0].parameters.as_ref(), ["p"]);
    }
}
