//! Which columns are inputs of a run, and which of them counts processes.

use super::assignment::Assignment;
use super::derived::Columns;
use super::metrics::{is_ratio_of_times, is_size_in_bytes};
use super::read_as::{Role, Unused};
use super::sizes::{has_size_word, is_case};
use super::{column_index, grids, inputs, processes, repetitions};
use crate::metric::Metric;
use crate::problem::Problem;

/// The columns of numbers beside the metrics.
#[derive(Default)]
pub(super) struct Inputs {
    pub(super) parameters: Vec<usize>,
    /// Columns of 0 and 1, or of a few numbers with 0 for off, that make groups.
    pub(super) flags: Vec<usize>,
    /// Columns that are none, with the reason.
    pub(super) unused: Vec<(usize, Unused)>,
}

impl Assignment<'_> {
    /// The parameters by declaration or by name. `unused_texts` make no groups.
    pub(super) fn inputs(
        &self,
        by: Option<&[usize]>,
        metrics: &[(usize, Metric)],
        repetition: Option<usize>,
        unused_texts: &[(usize, Unused)],
    ) -> Inputs {
        let free = |index: usize| {
            !metrics.iter().any(|&(metric, _)| metric == index) && !by.is_some_and(|by| by.contains(&index))
        };
        if let Some(roles) = self.table.roles.as_ref().filter(|roles| roles.names_columns()) {
            let declared = roles
                .parameters
                .iter()
                .filter_map(|name| self.table.columns.iter().position(|column| column.name == *name))
                .filter(|&index| free(index) && self.may_be_input(index))
                .collect();
            return Inputs { parameters: declared, ..Inputs::default() };
        }
        let is_bounded = !self.bounded().is_empty();
        let candidates: Vec<usize> = (0..self.table.columns.len())
            .filter(|&index| {
                let column = &self.table.columns[index];
                free(index)
                    && repetition != Some(index)
                    && !self.is_special(column)
                    && column.name != "region"
                    && self.may_be_input(index)
                    && (is_bounded
                        || is_ratio_of_times(&column.name)
                        || is_size_in_bytes(&column.name)
                        || inputs::is_length_of_run(column)
                        || Metric::from_name(&column.name).is_none())
                    && column.as_numbers().is_some_and(|values| values.iter().any(|value| !value.is_nan()))
            })
            .collect();
        if self.is_of_predictions {
            return Inputs { parameters: candidates, ..Inputs::default() };
        }
        let chosen = self.options.process_param.as_deref().map(str::trim);
        let is_said = |index: &usize| matches!(self.role(*index), Some(Role::Parameter | Role::Processes));
        let counts = |index: &usize| {
            let name = self.name(*index);
            chosen == Some(name) || self.role(*index) == Some(Role::Processes) || self.counted(*index).is_some()
        };
        let (processes, open): (Vec<usize>, Vec<usize>) = candidates.iter().partition(|index| counts(index));
        let mut unused = grids::following(self.table, &processes, &candidates);
        unused.extend(grids::products(self.table, &processes, &candidates));
        unused.extend(self.coarser_counts(&processes, &unused));
        unused.retain(|(index, _)| !is_said(index));
        let is_used = |unused: &[(usize, Unused)], index: &usize| !unused.iter().any(|(other, _)| other == index);
        let open: Vec<usize> = open.into_iter().filter(|index| is_used(&unused, index)).collect();
        let labels = by.map_or_else(|| self.labels(metrics, &candidates, unused_texts), <[usize]>::to_vec);
        unused.extend(self.derived(&labels, &open, metrics, &processes));
        let open: Vec<usize> = open.into_iter().filter(|index| is_used(&unused, index)).collect();
        let fixed = [labels.as_slice(), &processes].concat();
        unused.extend(inputs::outcomes(self.table, &fixed, &open, repetition, &processes));
        unused.retain(|(index, _)| !is_said(index));
        let parameters: Vec<usize> = candidates.into_iter().filter(|index| is_used(&unused, index)).collect();
        let is_version = |index: &usize| inputs::is_version(self.name(*index)) || is_case(self.name(*index));
        let is_flag = |index: &usize| (inputs::is_flag(self.table, *index) || is_version(index)) && !is_said(index);
        let (flags, parameters): (Vec<usize>, Vec<usize>) = parameters.into_iter().partition(is_flag);
        let frame = [labels.as_slice(), &parameters].concat();
        let (following, mut flags): (Vec<usize>, Vec<usize>) =
            flags.into_iter().partition(|&flag| inputs::follows(self.table, flag, &frame));
        unused.extend(following.into_iter().map(|flag| (flag, Unused::Derived("the other inputs".to_owned()))));
        // No law of powers holds at 0, and what the other inputs say already need not be said again.
        let mut kept = parameters.clone();
        for &index in parameters.iter().filter(|index| !is_said(index) && !processes.contains(index)) {
            let values = self.table.columns[index].as_numbers().unwrap_or_default();
            let has_zeros = values.distinct().iter().any(|value| *value <= 0.0) && values.distinct().len() > 1;
            let others: Vec<usize> =
                labels.iter().chain(kept.iter().filter(|other| **other != index)).chain(&repetition).copied().collect();
            if has_zeros && inputs::follows(self.table, index, &others) {
                kept.retain(|other| *other != index);
                unused.push((index, Unused::Derived("the other inputs".to_owned())));
            }
        }
        let is_switch =
            |index: &usize| !is_said(index) && !processes.contains(index) && inputs::is_switch(self.table, *index);
        let (switches, kept): (Vec<usize>, Vec<usize>) = kept.into_iter().partition(is_switch);
        flags.extend(switches);
        Inputs { parameters: kept, flags, unused }
    }

    /// The rank of a column among those that count processes by their names; none if it counts something else.
    fn counted(&self, index: usize) -> Option<usize> {
        let name = self.name(index);
        let values = self.table.columns[index].as_numbers().unwrap_or_default();
        processes::preference(name)
            .or_else(|| processes::is_proc(name, values).then(|| processes::preference("procs"))?)
            .filter(|_| !processes::is_of_graph(self.table, index))
    }

    /// Which of some columns counts processes by its name: one that varies, of several the finest.
    fn finest_count(&self, columns: &[usize]) -> Option<usize> {
        let is = |index: usize, value: f64| self.table.columns[index].constant() == Some(value);
        let varies = |index: usize| self.table.columns[index].constant().is_none();
        // Tools that count threads say so for serial programs, too.
        let is_serial = |index: usize| columns.len() > 1 && processes::is_threads(self.name(index)) && is(index, 1.0);
        let by_name = columns.iter().enumerate().filter_map(|(position, &index)| {
            let place = self.counted(index)?;
            (!is_serial(index) && self.role(index).is_none()).then_some((!varies(index), place, position))
        });
        by_name.min().map(|(_, _, position)| position)
    }

    /// Counts that each number of the finest one decides, such as machines beside cores: a target need not name them.
    fn coarser_counts(&self, processes: &[usize], unused: &[(usize, Unused)]) -> Vec<(usize, Unused)> {
        let chosen = self.options.process_param.as_deref().map(str::trim);
        if chosen.is_some() || self.named.iter().any(|(_, role)| *role == Role::Processes) {
            return Vec::new();
        }
        let is_open = |index: &usize| !unused.iter().any(|(other, _)| other == index);
        let open: Vec<usize> = processes.iter().copied().filter(is_open).collect();
        let Some(finest) = self.finest_count(&open).map(|position| open[position]) else { return Vec::new() };
        let varies = |index: usize| self.table.columns[index].constant().is_none();
        let is_decided =
            |index: &usize| *index != finest && varies(*index) && inputs::follows(self.table, *index, &[finest]);
        let why = || Unused::Follows(format!("follows {}", self.name(finest)));
        open.iter().copied().filter(is_decided).map(|index| (index, why())).collect()
    }

    /// Whether no option says that the column is something else than an input.
    fn may_be_input(&self, index: usize) -> bool {
        matches!(self.role(index), None | Some(Role::Parameter | Role::Processes))
    }

    /// Columns that follow from a time and the processes, with the relation; speedups and efficiencies by their names,
    /// too.
    fn derived(
        &self,
        labels: &[usize],
        open: &[usize],
        metrics: &[(usize, Metric)],
        processes: &[usize],
    ) -> Vec<(usize, Unused)> {
        let of =
            |is: fn(&Metric) -> bool| metrics.iter().filter(move |(_, metric)| is(metric)).map(|&(index, _)| index);
        let is_round = |index: &&usize| !self.table.columns[**index].as_numbers().is_some_and(inputs::looks_measured);
        // What the processes decide, such as their logarithm, would make a group of each run, and so would an identifier.
        let is_free = |index: &&usize| {
            !inputs::is_outcome(self.name(**index)) && !inputs::follows(self.table, **index, processes)
        };
        let inputs = open.iter().filter(is_round).filter(is_free).copied();
        let columns = Columns {
            table: self.table,
            frame: labels.iter().copied().chain(inputs).collect(),
            times: of(Metric::is_time).collect(),
            rates: of(Metric::is_rate).collect(),
            processes: processes.first().copied(),
        };
        let relation = |&index: &usize| {
            let found = columns.relation_of(index);
            let by_name = || is_ratio_of_times(self.name(index)).then_some("t_1/t_p");
            Some((index, Unused::Derived(found.or_else(|| by_name().map(str::to_owned))?)))
        };
        open.iter().filter_map(relation).collect()
    }

    /// The column that numbers repetitions.
    pub(super) fn repetition(&self, by: Option<&[usize]>, metrics: &[(usize, Metric)]) -> Option<usize> {
        if let Some(&(index, _)) = self.named.iter().find(|(_, role)| *role == Role::Repetition) {
            return Some(index);
        }
        let chosen = self.options.process_param.as_deref().map(str::trim);
        let numbers = |&index: &usize| {
            let column = &self.table.columns[index];
            column.as_numbers().is_some_and(|values| repetitions::numbers(&column.name, values))
                && self.role(index).is_none()
                && !by.is_some_and(|by| by.contains(&index))
                && !metrics.iter().any(|&(metric, _)| metric == index)
                && chosen != Some(column.name.as_str())
        };
        let mut all = (0..self.table.columns.len()).filter(numbers);
        let first = all.clone().next();
        all.find(|&index| self.name(index) == "rep").or(first)
    }

    /// Whether the only parameter holds every number from 1 on, and times are much shorter beyond 1: what a run is given
    /// more of is what works on it.
    fn shortens(&self, parameters: &[usize], metrics: &[(usize, Metric)]) -> bool {
        let [only] = parameters else { return false };
        let numbers = |index: usize| self.table.columns[index].as_numbers().unwrap_or_default();
        let times = || metrics.iter().filter(|(_, metric)| metric.is_time());
        let is_shorter = |&(index, _): &(usize, Metric)| {
            let pairs = || numbers(*only).iter().zip(numbers(index).iter());
            let at = |is: fn(f64) -> bool| {
                let mut times: Vec<f64> = pairs().filter(|(count, _)| is(**count)).map(|(_, time)| *time).collect();
                times.sort_by(f64::total_cmp);
                times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
            };
            1.3 * at(|count| count > 1.0) < at(|count| count == 1.0)
        };
        self.role(*only).is_none()
            && !has_size_word(self.name(*only))
            && processes::counts(numbers(*only)).is_some_and(|counts| {
                counts[0] == 1.0 && counts.len() >= 4 && counts.len() <= 256 && processes::is_every(&counts)
            })
            && times().next().is_some()
            && times().all(is_shorter)
    }

    /// Whether the only parameter, which has no name, holds whole numbers, and what was measured is at most half as much at
    /// the largest as at the smallest: more of a problem takes longer, more of what works on it shorter.
    fn falls(&self, parameters: &[usize], metrics: &[(usize, Metric)]) -> bool {
        let ([only], [(metric, _)]) = (parameters, metrics) else { return false };
        let numbers = |index: usize| self.table.columns[index].as_numbers().unwrap_or_default();
        let Some(counts) = processes::counts(numbers(*only)) else { return false };
        let mean_at = |count: f64| {
            let pairs = numbers(*only).iter().zip(numbers(*metric).iter());
            let at: Vec<f64> = pairs.filter(|(other, _)| **other == count).map(|(_, value)| *value).collect();
            at.iter().sum::<f64>() / at.len() as f64
        };
        let (first, last) = (mean_at(counts[0]), mean_at(counts[counts.len() - 1]));
        self.role(*only).is_none() && last > 0.0 && 2.0 * last <= first
    }

    /// Which parameter counts processes, and whether its values alone say so.
    ///
    /// # Errors
    /// An option names another column than a parameter.
    pub(super) fn process_parameter(
        &self,
        parameters: &[usize],
        metrics: &[(usize, Metric)],
    ) -> Result<Option<(usize, bool)>, Problem> {
        let is_named = |index: &&usize| self.role(**index) == Some(Role::Processes);
        if let Some(index) = parameters.iter().find(is_named) {
            return Ok(parameters.iter().position(|other| other == index).map(|position| (position, false)));
        }
        if let Some(name) = self.options.process_param.as_deref().map(str::trim) {
            let index = column_index(self.table, name, "--process-param")?;
            return match parameters.iter().position(|&parameter| parameter == index) {
                Some(position) => Ok(Some((position, false))),
                None => {
                    let names: Vec<&str> = parameters.iter().map(|&index| self.name(index)).collect();
                    Err(Problem::new("not_a_parameter", format!("\"{name}\" is not one of the parameters"))
                        .at("--process-param")
                        .value(name)
                        .hint("name it by --params as well")
                        .one_of(name, names.iter().copied()))
                }
            };
        }
        if let Some(position) = self.finest_count(parameters) {
            return Ok(Some((position, false)));
        }
        let values = |position: usize| self.table.columns[parameters[position]].as_numbers().unwrap_or_default();
        if self.table.roles.as_ref().is_some_and(|roles| roles.names_columns()) || self.is_of_predictions {
            return Ok(None);
        }
        let is_open = |position: usize| self.role(parameters[position]).is_none();
        let name = |position: usize| self.name(parameters[position]);
        let is_of_one =
            |&position: &usize| is_open(position) && processes::is_count_of_one(name(position), values(position));
        let counts =
            |&position: &usize| is_open(position) && processes::look_like_counts(name(position), values(position));
        let has_no_names =
            self.table.columns.iter().enumerate().all(|(index, column)| column.name == index.to_string());
        let may_count = |position: &usize| has_no_names && processes::may_be_counts(values(*position));
        let falls = || has_no_names && self.falls(parameters, metrics);
        let found = (0..parameters.len())
            .find(is_of_one)
            .or_else(|| (0..parameters.len()).find(counts))
            .or_else(|| (0..parameters.len()).find(may_count))
            .or_else(|| (self.shortens(parameters, metrics) || falls()).then_some(0));
        Ok(found.map(|position| (position, true)))
    }
}
