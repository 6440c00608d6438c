//! Programs of the user's own, run with each number of workers: `--run './kmeans 3000'`.
//!
//! A program on the skeleton takes `--workers` and writes times of its phases to `--timings`, as C programs do by
//! `bsf_options_from_args`. Any other names its workers itself, `--run './solve -t {workers}'`: then its time is that of
//! the run, or a figure of its output.

use super::run::SettingArgs;
use crate::bench;
use crate::cll::Scratch;
use crate::context::Context;
use crate::failure::Failure;
use runcast_bench::{Bench, Figure, Launcher, Options, Template};
use runcast_bsf::cost::Collective;
use runcast_bsf::programs::PROGRAMS;
use runcast_core::plan::{PlannedConfiguration, TRAIN};
use runcast_core::{Configuration, Problem, Warning};
use std::path::Path;
use std::sync::Arc;

/// A program of the user's own.
#[derive(Debug, Clone)]
pub struct Own {
    /// What was typed.
    pub command: String,
    words: Vec<String>,
    /// Whether it leaves times of its phases.
    has_phases: bool,
    figures: Vec<Figure>,
}

/// What its runs left.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnRuns {
    /// A table with a column `rep`: that of the skeleton's phases, else that of `bench`.
    pub csv: String,
    pub warnings: Vec<Warning>,
}

/// In a command: the number of workers.
const WORKERS: &str = "{workers}";

impl Own {
    /// The program of a command; none where that is the name of one that comes with runcast.
    ///
    /// # Errors
    /// A word that is neither such a name nor a path; a figure that is none.
    pub fn of(command: &str, figures: &[String]) -> Result<Option<Own>, Problem> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let names = || PROGRAMS.iter().map(|info| info.name);
        let is_named = |word: &str| names().any(|name| name == word);
        match words.as_slice() {
            [word] if is_named(word) => return Ok(None),
            [word] if !word.contains('/') => {
                let problem = Problem::new("unknown_program", format!("there is no program \"{word}\""));
                let problem = problem.at("--run").value(word.as_str()).one_of(word, names());
                return Err(problem.hint(format!("a program of your own is a path or a command: --run ./{word}")));
            }
            [] => return Err(Problem::new("empty_command", "there is no program to run").at("--run")),
            _ => {}
        }
        let mut inside = command.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
        let has_phases = !inside.any(|(formula, _)| formula.contains("workers"));
        let figures: Vec<Figure> = figures.iter().map(|figure| Figure::parse(figure)).collect::<Result<_, _>>()?;
        if has_phases && !figures.is_empty() {
            let problem =
                Problem::new("unused_option", "the times of a program on the skeleton are those of its phases");
            return Err(problem
                .at("--figure")
                .hint(format!("of another program, say where its workers stand: '{command} {WORKERS}'")));
        }
        Ok(Some(Own { command: command.to_owned(), words, has_phases, figures }))
    }

    /// Options that a program of the user's own does not get: they belong in its command.
    ///
    /// # Errors
    /// Names the first one that is given.
    pub fn check_unused(given: &[(&str, bool)], settings: &SettingArgs, command: &str) -> Result<(), Problem> {
        let given = given.iter().find(|(_, is_given)| *is_given).map(|(name, _)| (*name).to_owned());
        let setting = || settings.set.first().map(|(name, _)| format!("--{name}"));
        let Some(name) = given.or_else(setting) else { return Ok(()) };
        let problem = Problem::new("unused_option", format!("{name} is for programs that come with runcast")).at(name);
        Err(problem.hint(format!("what your program is to know stands in the command: --run '{command} ..'")))
    }

    /// Whether it leaves times of its phases.
    pub fn has_phases(&self) -> bool {
        self.has_phases
    }

    /// The name of the one figure that its output is searched for.
    pub fn figure(&self) -> Option<&str> {
        let [figure] = self.figures.as_slice() else { return None };
        Some(&figure.name)
    }

    /// Runs it, the repetitions interleaved in a seeded order.
    ///
    /// # Errors
    /// It cannot be started, no run succeeds, it leaves no times, or the user asks to stop.
    pub fn measured(
        &self,
        workers: &[u64],
        repetitions: u32,
        collective: Collective,
        iterations: Option<u64>,
        context: &mut Context,
    ) -> Result<OwnRuns, Failure> {
        let folder = Scratch::new()?;
        let plan = workers.iter().map(|&count| {
            let at = Configuration([("workers".to_owned(), count as f64)].into_iter().collect());
            PlannedConfiguration::new(TRAIN, at, repetitions)
        });
        let plan: Vec<PlannedConfiguration> = plan.collect();
        let mut options = Options::new(folder.path().join("runs.csv"));
        options.figures.clone_from(&self.figures);
        options.interrupt = Arc::clone(&context.interrupt);
        let template = Template::new(&self.words_with(folder.path(), collective, iterations))?;
        let runs = Bench { plan, template, launcher: Launcher::Local, options };
        let (outcome, _) = bench::measure(&runs, "running", context)?;
        if outcome.interrupted {
            return Err(Failure::interrupted());
        }
        if outcome.ok == 0 {
            let problem = Problem::new("no_run", format!("no run of {} succeeded", self.command)).at("--run");
            return Err(Failure::undone(problem.hint(format!("try it alone: {}", self.example()))));
        }
        let csv = match self.has_phases {
            true => self.phases(folder.path(), workers, repetitions)?,
            false => read(&outcome.table)?,
        };
        let failed = (outcome.failed > 0)
            .then(|| Warning::new("failed_runs", format!("{} of {} runs failed", outcome.failed, outcome.total)));
        Ok(OwnRuns { csv, warnings: failed.into_iter().collect() })
    }

    /// The command as a template of runs.
    fn words_with(&self, folder: &Path, collective: Collective, iterations: Option<u64>) -> Vec<String> {
        let mut words = self.words.clone();
        if self.has_phases {
            words.push(format!("--workers={WORKERS}"));
            words.push(format!("--timings={}", folder.join("times-{workers}-{rep}.csv").display()));
            words.push(format!("--collective={collective}"));
            words.extend(iterations.map(|count| format!("--iterations={count}")));
        }
        words
    }

    /// What shows what is wrong with it.
    fn example(&self) -> String {
        match self.has_phases {
            true => format!("{} --workers=1 --timings=times.csv", self.command),
            false => self.command.replace(WORKERS, "1"),
        }
    }

    /// The times of all phases, as one table.
    fn phases(&self, folder: &Path, workers: &[u64], repetitions: u32) -> Result<String, Failure> {
        let (mut header, mut rows) = (None, Vec::new());
        for (count, rep) in workers.iter().flat_map(|count| (0..repetitions).map(move |rep| (count, rep))) {
            let path = folder.join(format!("times-{count}-{rep}.csv"));
            if !path.exists() {
                continue;
            }
            let text = read(&path)?;
            let mut lines = text.lines();
            header = header.or(lines.next().map(|first| format!("{first},rep")));
            rows.extend(text.lines().skip(1).map(|line| format!("{line},{rep}")));
        }
        let Some(header) = header else {
            let message = format!("{} leaves no times: it does not take --timings FILE", self.command);
            let problem = Problem::new("no_times", message).at("--run");
            let hint = format!(
                "of a program that is not on the skeleton, say where its workers stand: '{} {WORKERS}'",
                self.command
            );
            return Err(Failure::undone(problem.hint(hint)));
        };
        Ok(format!("{header}\n{}\n", rows.join("\n")))
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(command: &str) -> Own {
        Own::of(command, &[]).expect("allowed").expect("one's own")
    }

    /// A program in the shell that does as one on the skeleton: one second a worker.
    #[cfg(unix)]
    const SKELETON: &str = r#"#!/bin/sh
for word; do case $word in --workers=*) K=${word#*=} ;; --timings=*) FILE=${word#*=} ;; esac; done
printf 'program,backend,collective,workers,threads,size,list_length,region,rank,count,time_s\nmine,threads,flat,%s,1,8,8,iteration,0,9,0.%s\n' $K $K > $FILE
"#;

    #[test]
    fn a_name_is_known_or_a_path() {
        assert!(Own::of("jacobi", &[]).expect("known").is_none());
        let problem = Own::of("jacoby", &[]).expect_err("neither");
        assert_eq!((problem.code.as_str(), problem.pointer.as_deref()), ("unknown_program", Some("--run")));
        assert_eq!(
            own("./kmeans 3000").words_with(Path::new("/t"), Collective::Tree, Some(9))[2..],
            ["--workers={workers}", "--timings=/t/times-{workers}-{rep}.csv", "--collective=tree", "--iterations=9"]
        );
        assert_eq!(own("mpirun -n {workers+1} ./solve").words_with(Path::new("/t"), Collective::Flat, None).len(), 4);
        let figure = ["solve_s=took ([0-9.]+)".to_owned()];
        assert!(!own("./solve -n {3000/workers}").has_phases() && own("./kmeans {3000}").has_phases());
        assert_eq!(Own::of("./a", &figure).expect_err("no place for workers").code, "unused_option");
        assert_eq!(Own::of("./a {workers}", &figure).expect("good").expect("own").figure(), Some("solve_s"));
    }

    #[cfg(unix)]
    #[test]
    fn phases_become_one_table() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("mine");
        std::fs::write(&program, SKELETON).expect("written");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
        let runs = own(&format!("{} 8", program.display()));
        let found = runs.measured(&[1, 2], 2, Collective::Flat, None, &mut Context::new()).expect("runs");
        let rows: Vec<&str> = found.csv.lines().skip(1).collect();
        let row = |workers: u32, rep: u32| format!("mine,threads,flat,{workers},1,8,8,iteration,0,9,0.{workers},{rep}");
        assert_eq!(rows, [row(1, 0), row(1, 1), row(2, 0), row(2, 1)]);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_without_times_is_told_how() {
        let failure = own("/bin/true x")
            .measured(&[1], 1, Collective::Flat, None, &mut Context::new())
            .expect_err("nothing is left");
        assert_eq!(failure.problems.0[0].code, "no_times");
        let failure =
            own("/bin/false x").measured(&[1], 1, Collective::Flat, None, &mut Context::new()).expect_err("it fails");
        assert_eq!(failure.problems.0[0].code, "no_run");
        let found =
            own("/bin/echo {workers}").measured(&[1, 2], 1, Collective::Flat, None, &mut Context::new()).expect("runs");
        assert!(found.csv.lines().filter(|line| !line.starts_with('#')).count() == 3, "{}", found.csv);
    }
}
