//! The columns that are metrics.

use super::assignment::Assignment;
use super::read_as::{Role, Unused};
use super::statistics::is_spread;
use super::{RoleOption, SPECIAL, column_index, identifiers, inputs};
use crate::metric::Metric;
use crate::prediction::bound_name;
use crate::problem::{Problem, shorten};
use crate::spelling::words_of;
use crate::table::Column;

/// The metrics with their columns, and those columns that were found by their values alone.
type Found = (Vec<(usize, Metric)>, Vec<usize>);

impl Assignment<'_> {
    /// The metrics, and those of them that were found by their values alone.
    pub(super) fn metrics(&self, by: Option<&[usize]>, params: Option<&[usize]>) -> Result<Found, Problem> {
        let taken = |index: usize| [by, params].into_iter().flatten().any(|list| list.contains(&index));
        let mut metrics = Vec::new();
        if !self.options.metrics.is_empty() {
            for option in &self.options.metrics {
                let (index, metric) = self.metric_option(option)?;
                if taken(index) {
                    let message = format!("\"{}\" is named by --metric and by --params or --by", metric.name);
                    return Err(Problem::new("two_roles", message).at("--metric").value(option.as_str()));
                }
                if !metrics.iter().any(|&(other, _)| other == index) {
                    metrics.push((index, metric));
                }
            }
        } else if let Some(roles) = self.table.roles.as_ref().filter(|roles| !roles.metrics.is_empty()) {
            for name in &roles.metrics {
                let Some(index) = self.table.columns.iter().position(|column| column.name == *name) else { continue };
                if !taken(index) {
                    metrics.push((index, self.declared_metric(name)?));
                }
            }
        } else {
            let declared = |name: &str| {
                self.table.roles.as_ref().is_some_and(|roles| roles.parameters.iter().any(|declared| declared == name))
            };
            let bounded = self.bounded();
            for (index, column) in self.table.columns.iter().enumerate() {
                let is_moment = || identifiers::by_text(column, true) == Some(Unused::Timestamp);
                if taken(index) || self.is_special(column) || declared(&column.name) || is_moment() {
                    continue;
                }
                if bounded.contains(&index) {
                    metrics.push((index, self.declared_metric(&column.name)?));
                } else if bounded.is_empty() {
                    let metric = Metric::from_name(&column.name).or_else(|| self.wide_metric(&column.name));
                    metrics.extend(metric.map(|metric| (index, metric)));
                }
            }
            if bounded.is_empty() {
                let found: Vec<usize> = metrics.iter().map(|&(index, _)| index).collect();
                let free = |index: &usize| !taken(*index) && !found.contains(index) && !declared(self.name(*index));
                let suggested = (0..self.table.columns.len()).filter(free).filter(|&index| self.may_be_measured(index));
                metrics.extend(suggested.filter_map(|index| Some((index, self.suggested_metric(index)?))));
                if !metrics.iter().any(|(_, metric)| is_measure(metric)) {
                    metrics.extend(self.times_of_a_ratio(&taken));
                }
                // Bytes of a message are set.
                if metrics.iter().any(|(index, _)| !is_size_in_bytes(self.name(*index))) {
                    metrics.retain(|(index, _)| !is_size_in_bytes(self.name(*index)));
                }
                // The length of a test that a rate was measured in is none either.
                let is_length = |name: &str| words_of(name) == ["duration"];
                if metrics.iter().any(|(index, metric)| is_measure(metric) && !is_length(self.name(*index))) {
                    metrics.retain(|(index, _)| !is_length(self.name(*index)));
                }
                // Neither is the time in a simulated world, beside one that was measured, nor what took no time in any run.
                let is_none = |index: usize| {
                    let column = &self.table.columns[index];
                    inputs::is_length_of_run(column) || column.constant() == Some(0.0)
                };
                if metrics.iter().any(|(index, metric)| metric.is_time() && !is_none(*index)) {
                    metrics.retain(|(index, metric)| !metric.is_time() || !is_none(*index));
                }
                // What follows from a time that is there is no metric of its own.
                if metrics.iter().any(|(_, metric)| is_measure(metric)) {
                    metrics.retain(|(index, metric)| is_measure(metric) || !is_ratio_of_times(self.name(*index)));
                }
                metrics.sort_by_key(|&(index, _)| index);
            }
        }
        for RoleOption { column, role, unit } in &self.options.roles {
            let index = column_index(self.table, column, "--roles")?;
            if *role == Role::Metric && !metrics.iter().any(|&(other, _)| other == index) {
                let metric = match unit {
                    Some(unit) => Metric::named(column, Some(unit)).map_err(|problem| problem.at("--roles"))?,
                    None => Metric::from_word(column).map_or_else(|| self.declared_metric(column), Ok)?,
                };
                metrics.push((index, metric));
            }
        }
        metrics.retain(|&(index, _)| !self.is_other(index, Role::Metric));
        let is_spread = |index: usize| is_spread(&words_of(self.name(index)));
        if self.options.metrics.is_empty() && self.options.roles.is_empty() && self.table.roles.is_none() {
            // How much runs differ is no value of theirs, and a calculated curve is none of a run's.
            let is_beside = |index: usize| is_spread(index) || inputs::is_curve(self.name(index));
            let has_others = metrics.iter().any(|&(index, _)| !is_beside(index));
            metrics.retain(|&(index, _)| !has_others || !is_beside(index));
        }
        let mut by_behavior = Vec::new();
        if metrics.is_empty() && self.table.roles.is_none() {
            metrics = self.metrics_by_statistic(&taken);
            if metrics.is_empty() {
                metrics = self.metrics_by_behavior(&taken);
            }
            if metrics.is_empty() {
                metrics = self.ratios_of_times(&taken);
            }
            by_behavior.extend(metrics.iter().map(|&(index, _)| index));
        }
        if metrics.is_empty() {
            return Err(self.no_metric());
        }
        if let Some(direction) = self.options.direction {
            metrics.iter_mut().for_each(|(_, metric)| metric.direction = direction);
        }
        Ok((metrics, by_behavior))
    }

    /// Whether a column may hold results: numbers that differ.
    pub(super) fn may_be_measured(&self, index: usize) -> bool {
        let column = &self.table.columns[index];
        !self.is_special(column) && column.as_numbers().is_some_and(|values| values.iter().any(|value| !value.is_nan()))
    }

    /// The metric that the cells of a table in wide form hold.
    fn wide_metric(&self, name: &str) -> Option<Metric> {
        let is_wide = self.table.wide.metrics.iter().any(|metric| metric == name);
        if is_wide { Metric::named(name, None).ok() } else { None }
    }

    /// Whether two columns of numbers and more are called by ways to run the program, and hold what differs from row to row.
    fn has_ways(&self) -> bool {
        let differs = |index: usize| {
            let values = self.table.columns[index].as_numbers().unwrap_or_default();
            values.len() > 2 && 2 * values.distinct().len() > values.len() && values.iter().any(|value| *value > 1.0)
        };
        let is_of_way = |index: &usize| is_way(self.name(*index)) && self.may_be_measured(*index) && differs(*index);
        (0..self.table.columns.len()).filter(is_of_way).nth(1).is_some()
    }

    /// The metric that a name suggests; `real`, `user` and `sys` are times where they stand together.
    fn suggested_metric(&self, index: usize) -> Option<Metric> {
        const CLOCKS: [&str; 3] = ["real", "user", "sys"];
        let name = self.name(index);
        let are_clocks = CLOCKS.contains(&name) && CLOCKS.iter().all(|name| self.table.column(name).is_some());
        if are_clocks {
            return Metric::named(name, Some("s")).ok();
        }
        if is_way(name)
            && (self.has_ways() || self.table.columns[index].as_numbers().is_some_and(inputs::looks_measured))
        {
            let metric = Metric::named(name, Some("s")).ok()?;
            return Some(Metric { unit_assumed: true, ..metric });
        }
        let looks_measured = || self.table.columns[index].as_numbers().is_some_and(inputs::looks_measured);
        Metric::from_word(name).or_else(|| Metric::from_first_word(name).filter(|_| looks_measured()))
    }

    /// Columns of a table of predictions that have both bounds beside them: its metrics, whatever their names.
    pub(super) fn bounded(&self) -> Vec<usize> {
        if !self.is_of_predictions {
            return Vec::new();
        }
        let has = |name: &str, word| self.table.column(&bound_name(name, word)).is_some();
        let is_bounded = |column: &Column| has(&column.name, "low") && has(&column.name, "high");
        let columns = self.table.columns.iter().enumerate();
        columns
            .filter(|(_, column)| column.as_numbers().is_some() && is_bounded(column))
            .map(|(index, _)| index)
            .collect()
    }

    /// `NAME`, `NAME:UNIT`; of `NAME=ATTRIBUTE:UNIT`, which a reader has dealt with, the name.
    fn metric_option(&self, option: &str) -> Result<(usize, Metric), Problem> {
        let option = option.trim();
        let exists = |name: &str| self.table.columns.iter().any(|column| column.name == name);
        if exists(option) {
            return Ok((column_index(self.table, option, "--metric")?, self.declared_metric(option)?));
        }
        if let Some((name, _)) = option.split_once('=')
            && exists(name)
        {
            return Ok((column_index(self.table, name, "--metric")?, self.declared_metric(name)?));
        }
        let Some((name, unit)) = option.rsplit_once(':') else {
            return Err(match column_index(self.table, option, "--metric") {
                Ok(_) => Problem::new("unknown_column", "no such column").at("--metric"),
                Err(problem) => problem,
            });
        };
        let index = column_index(self.table, name, "--metric")?;
        let metric = Metric::named(name, Some(unit)).map_err(|problem| problem.at("--metric"))?;
        Ok((index, metric))
    }

    /// The metric of a column, with the unit that the file declares for it.
    fn declared_metric(&self, name: &str) -> Result<Metric, Problem> {
        let units = self.table.roles.as_ref().map_or(&[][..], |roles| roles.units.as_slice());
        let unit = units.iter().find(|(column, _)| column == name).map(|(_, unit)| unit.as_str());
        Metric::named(name, unit).map_err(|problem| match self.table.files.as_slice() {
            [file] => problem.in_file(file.as_str()).at(name),
            _ => problem.at(name),
        })
    }

    fn no_metric(&self) -> Problem {
        let numeric: Vec<&str> = self
            .table
            .columns
            .iter()
            .filter(|column| column.as_numbers().is_some() && !SPECIAL.contains(&column.name.as_str()))
            .map(|column| column.name.as_str())
            .collect();
        let problem =
            Problem::new("no_metric", "no column is a metric: none has a name that ends in a unit, like time_s");
        let problem = match self.table.files.as_slice() {
            [file] => problem.in_file(file.as_str()),
            _ => problem,
        };
        let problem = problem.at("--metric");
        if numeric.is_empty() {
            return problem.hint("the table has no column of numbers; is the delimiter a comma?");
        }
        let list = shorten(&numeric.join(", "), 400);
        problem
            .allowed(format!("the columns of numbers: {list}"))
            .hint("say which one is: --metric NAME:UNIT, such as --metric time:s")
    }
}

/// Ways to run a program, which name the times of it: `Sequential,Parallel`.
const WAYS: [&str; 17] = [
    "sequential",
    "serial",
    "parallel",
    "openmp",
    "omp",
    "mpi",
    "cuda",
    "pthreads",
    "hybrid",
    "kokkos",
    "openacc",
    "opencl",
    "sycl",
    "hip",
    "raja",
    "tbb",
    "numba",
];

/// Whether a name is that of a way to run a program.
fn is_way(name: &str) -> bool {
    WAYS.contains(&words_of(name).concat().as_str())
}

/// Whether a metric has a unit of its own, or is a rate.
fn is_measure(metric: &Metric) -> bool {
    !metric.unit.is_empty() || (metric.is_rate() && !is_ratio_of_times(&metric.name))
}

/// Whether a name is that of a size in bytes: `message_size_bytes`, not `peak_bytes`.
pub(super) fn is_size_in_bytes(name: &str) -> bool {
    const SIZED: [&str; 12] = [
        "size", "message", "msg", "length", "len", "block", "chunk", "buffer", "packet", "problem", "array", "payload",
    ];
    let words = words_of(name);
    words.iter().any(|word| SIZED.contains(&word.as_str()))
        && Metric::from_name(name).is_some_and(|metric| metric.unit == "B")
}

/// How words for speedups and efficiencies begin, in English and other languages.
const RATIOS: [&str; 20] = [
    "ускорен",
    "эффективн",
    "przyspiesz",
    "wydajnosc",
    "hizlan",
    "加速",
    "効率",
    "高速化",
    "isoefficien",
    "efficien",
    "eficien",
    "efficacit",
    "effizien",
    "scaleup",
    "accel",
    "aceler",
    "acceler",
    "beschleunig",
    "scalability",
    "escalabilidad",
];

/// Whether a name is that of a speedup or an efficiency: `S(p)` and `E(p)`, too.
pub(crate) fn is_ratio_of_times(name: &str) -> bool {
    let words = words_of(name);
    let of_processes = ["s(p)", "e(p)", "s(n)", "e(n)"].iter().any(|of| name.trim().eq_ignore_ascii_case(of));
    of_processes
        || words.concat().contains("speedup")
        || words.iter().any(|word| word.ends_with("效率") || RATIOS.iter().any(|beginning| word.starts_with(beginning)))
}
