//! The table of runs that were made: that of `bsf run --timings`, with the number of the repetition.

use super::line::Ran;
use super::plan::Plan;
use crate::failure::Failure;
use crate::output::{Content, Destination, OutFile};
use runcast_bsf::programs::Program;
use runcast_core::Warning;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// Runs that were made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Iterations of each of them.
    pub iterations: u64,
    /// What was noticed.
    pub warnings: Vec<Warning>,
    header: String,
    rows: Vec<String>,
    /// So many rows are on the disk.
    saved: usize,
}

/// What decides how a table is read, of the columns of `bsf run --timings`.
const COLUMNS: &str =
    "program,backend,collective,workers,threads,size,list_length,region,rank,count,time_s,time_total_s,cpu_time_s";

/// So many repetitions show what is wrong with a formula over them.
const MADE_UP_MOST: u32 = 100;

impl Series {
    /// No run yet; each will be of so many iterations.
    pub fn new(iterations: u64) -> Self {
        Series { iterations, ..Series::default() }
    }

    /// Runs that nobody made, to see what would become of them.
    pub fn made_up(plan: &Plan, program: &Program) -> Self {
        let mut series = Series::new(1);
        for (rep, workers) in plan.order().take_while(|(rep, _)| *rep < MADE_UP_MOST) {
            let (name, size, length) = (program.name(), program.size(), program.list_length());
            let time_s = 1.0 / workers as f64;
            let run = format!("{name},threads,{},{workers},1,{size},{length}", plan.collective);
            series.take(rep, &format!("{COLUMNS}\n{run},iteration,0,1,{time_s},{time_s},{time_s}\n"));
        }
        series
    }

    /// Takes a run.
    pub fn add(&mut self, rep: u32, workers: u64, ran: &Ran) {
        self.take(rep, &ran.csv);
        let stopped = stopped_early(ran, workers, self.iterations);
        for warning in ran.warnings.iter().cloned().chain(stopped) {
            if !self.warnings.iter().any(|known| known.code == warning.code) {
                self.warnings.push(warning);
            }
        }
    }

    fn take(&mut self, rep: u32, csv: &str) {
        let mut lines = csv.lines();
        self.header = lines.next().map_or_else(String::new, |header| format!("{header},rep"));
        self.rows.extend(lines.map(|line| format!("{line},{rep}")));
    }

    /// The table.
    pub fn csv(&self) -> String {
        format!("{}\n{}\n", self.header, self.rows.join("\n"))
    }

    /// Saves what came since the last time, lest it be lost with the next run.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&mut self, path: Option<&Path>) -> Result<(), Failure> {
        let new = self.rows.get(self.saved..).unwrap_or_default();
        match path.map(Destination::of) {
            Some(to @ Destination::Path(_)) if self.saved == 0 => {
                OutFile { to, content: Content::Bytes(self.csv().into_bytes()) }.write(None, &[])?;
            }
            Some(Destination::Path(path)) => {
                let file = OpenOptions::new().append(true).open(&path);
                let written = file.and_then(|mut file| writeln!(file, "{}", new.join("\n")));
                written.map_err(|error| Failure::writing(&path, &error))?;
            }
            Some(Destination::Stdout) | None => {}
        }
        self.saved = self.rows.len();
        Ok(())
    }
}

/// The times of such a run are good, but there are fewer of them.
fn stopped_early(ran: &Ran, workers: u64, iterations: u64) -> Option<Warning> {
    (ran.iterations < iterations).then(|| {
        let message = format!(
            "with {workers} workers the program ended as {} after {} of {iterations} iterations, whose median counts",
            ran.status, ran.iterations
        );
        Warning::new("stopped_early", message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(iterations: u64, csv: &str) -> Ran {
        let warnings = vec![Warning::new("odd", "look")];
        Ran { csv: csv.to_owned(), status: "feasible".to_owned(), iterations, iteration_time_s: 1.0, warnings }
    }

    #[test]
    fn runs_become_one_table() {
        let mut series = Series::new(20);
        series.add(0, 2, &ran(20, "workers,time_s\n2,0.5\n2,0.1\n"));
        assert_eq!(series.warnings.len(), 1);
        series.add(1, 4, &ran(3, "workers,time_s\n4,0.25\n"));
        assert_eq!(series.csv(), "workers,time_s,rep\n2,0.5,0\n2,0.1,0\n4,0.25,1\n");
        let codes: Vec<&str> = series.warnings.iter().map(|warning| warning.code.as_str()).collect();
        assert_eq!(codes, ["odd", "stopped_early"]);
    }
    #[test]
    fn what_is_saved_grows_with_the_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("runs.csv");
        let mut series = Series::new(20);
        for rep in 0..3 {
            series.add(rep, 2, &ran(20, "workers,time_s\n2,0.5\n2,0.25\n"));
            series.save(Some(&file)).expect("written");
            assert_eq!(std::fs::read_to_string(&file).expect("there"), series.csv());
        }
        series.save(Some(Path::new("-"))).expect("later");
    }
}
