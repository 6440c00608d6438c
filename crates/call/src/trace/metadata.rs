//! The metadata of traces, of one file or several.

use indexmap::IndexMap;
use runcast_core::{Problem, Warning};
use runcast_formula::template::Template;

/// The metadata of one or several traces.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata {
    /// The experiments by name, in the order of the files.
    pub experiments: IndexMap<String, Experiment>,
    /// The run of each file; indexed like [`Table::files`](runcast_core::Table::files).
    pub files: Vec<FileFacts>,
    /// Requested counters that were unavailable, with the reason.
    pub counters: IndexMap<String, String>,
}

/// An experiment: a region of the source with its formula.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    pub name: String,
    /// Its formula, if it has one.
    pub template: Option<Template>,
    /// The source file that contains it.
    pub file: String,
    /// The line there; 0 if unknown.
    pub line: u64,
    /// The names that are recorded.
    pub names: Vec<String>,
    /// Expressions along which to search for pieces; empty: not given.
    pub seg: Vec<String>,
    /// Whether the values were read at the end of the region.
    pub at_end: bool,
    /// Whether samples that were left early count.
    pub exits_ok: bool,
    /// `auto`, `trace` or `aggregate`.
    pub mode: String,
    /// The trace that declares it.
    pub trace: String,
    pub trace_line: u64,
}

/// A trace's description of its run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileFacts {
    /// The run, if the file describes it.
    pub run: Option<RunFacts>,
    pub clock: Option<Clock>,
    /// The counts at the end of the file; none if it has no end.
    pub end: Option<Tally>,
}

/// A run of a program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFacts {
    /// Name of the program.
    pub name: String,
    /// Number of the run.
    pub run: Option<u64>,
    /// The rank that wrote the file.
    pub rank: Option<u64>,
    pub processes: Option<u64>,
    pub host: String,
    /// How rank and processes became known: `mpi`, `environment`, `pragma` or `alone`; empty where the trace is older.
    pub placed: String,
}

/// The clock of a run, and what measuring costs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clock {
    /// `mono` or `tsc`.
    pub kind: String,
    /// Part of a pair that lies between the two readings \[s\].
    pub o_in_s: Option<f64>,
    /// Cost of a pair \[s\].
    pub o_pair_s: Option<f64>,
    /// Cost of a recorded value \[s\].
    pub o_value_s: Option<f64>,
    /// Cost of an aggregate that was not the last one \[s\].
    pub o_miss_s: Option<f64>,
}

/// The counts at the end of a trace.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Rows of the file.
    pub rows: Option<u64>,
    /// Samples that were never closed.
    pub open: u64,
    /// Samples that were left early.
    pub exit: u64,
    /// Times that would have been negative and were set to 0.
    pub clamped: u64,
    /// Samples that the run-time library dropped.
    pub rejected: u64,
    /// Time spent on writing samples to the file \[s\].
    pub spill_s: f64,
}

impl Metadata {
    /// Merges the metadata of another trace into this one; adds to `warnings`.
    ///
    /// # Errors
    /// Two formulas for one experiment, with both places.
    pub fn unite(&mut self, other: Metadata, warnings: &mut Vec<Warning>) -> Result<(), Problem> {
        self.files.extend(other.files);
        for (name, reason) in other.counters {
            self.counters.entry(name).or_insert(reason);
        }
        for (name, experiment) in other.experiments {
            match self.experiments.get_mut(&name) {
                Some(known) => known.unite(experiment, warnings)?,
                None => {
                    self.experiments.insert(name, experiment);
                }
            }
        }
        Ok(())
    }

    /// The sums of the counts at the ends of the files.
    pub fn tally(&self) -> Tally {
        let mut sum = Tally::default();
        for end in self.files.iter().filter_map(|file| file.end) {
            sum.open += end.open;
            sum.exit += end.exit;
            sum.clamped += end.clamped;
            sum.rejected += end.rejected;
            sum.spill_s += end.spill_s;
        }
        sum
    }
}

impl Experiment {
    /// Merges another trace's description of the same experiment.
    fn unite(&mut self, other: Experiment, warnings: &mut Vec<Warning>) -> Result<(), Problem> {
        match (&self.template, &other.template) {
            (Some(one), Some(two)) if one != two => {
                let message = format!(
                    "the experiment {} has the formula {two} here and {one} in {}:{}",
                    self.name, self.trace, self.trace_line
                );
                return Err(Problem::new("formula_differs", message)
                    .in_file(other.trace)
                    .at_line(other.trace_line)
                    .value(two.to_string())
                    .allowed(one.to_string())
                    .hint("load traces of different versions of a program as separate tables"));
            }
            (None, Some(_)) => self.template = other.template,
            _ => {}
        }
        if self.exits_ok != other.exits_ok {
            self.exits_ok = false;
            let message = format!("{} keeps early exits in one trace and drops them in another: dropped", self.name);
            warnings.push(Warning::new("exits_differ", message).in_file(other.trace, other.trace_line));
        }
        for (mine, more) in [(&mut self.names, other.names), (&mut self.seg, other.seg)] {
            for name in more {
                if !mine.contains(&name) {
                    mine.push(name);
                }
            }
        }
        Ok(())
    }
}
