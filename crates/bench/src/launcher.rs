//! How a program is started: by itself, by an MPI launcher, or as a job of Slurm.

use crate::error::BenchError;
use crate::machine;
use crate::sys;
use crate::template::{Filled, Filling, Template, TextTemplate};
use runcast_core::{Problem, Warning};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// How a program is started.
#[derive(Debug, Clone, PartialEq)]
pub enum Launcher {
    /// By itself, on this machine.
    Local,
    /// By an MPI launcher, on this machine or from inside an allocation.
    Mpirun(Mpirun),
    /// As tasks of job arrays.
    Slurm(Slurm),
}

/// An MPI launcher: `mpirun OPTIONS -np {p} PROGRAM ..`.
#[derive(Debug, Clone, PartialEq)]
pub struct Mpirun {
    /// `mpirun`, `mpiexec` or a path.
    pub program: String,
    /// How many processes: a template, usually `{p}`.
    pub processes: TextTemplate,
    /// Allow more processes than cores (Open MPI needs an option; MPICH allows it anyway).
    pub oversubscribe: bool,
    /// Further options, passed as they are.
    pub options: Vec<String>,
}

/// Job arrays of Slurm.
#[derive(Debug, Clone, PartialEq)]
pub struct Slurm {
    /// The runcast executable, as seen from the compute nodes.
    pub executable: PathBuf,
    /// How many tasks (`--ntasks`) a job asks for: a template, usually `{p}`.
    pub ntasks: TextTemplate,
    /// How the program is started inside a job.
    pub step: Step,
    /// Further options of `sbatch`, passed as they are.
    pub sbatch_options: Vec<String>,
    /// Folder on a file system that the nodes share; default: beside the table.
    pub spool: Option<PathBuf>,
    /// At most this many tasks wait or run at once.
    pub max_queued: usize,
    /// Runs that one task makes one after another; a task costs Slurm about a second.
    pub bundle: usize,
    /// Interval of polling the queue.
    pub poll: Duration,
    /// How long after a task has left the queue its result may still appear (network file systems are slow).
    pub lost_after: Duration,
}

/// How a program is started inside a job of Slurm.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// By itself, on the first node.
    Direct,
    /// `srun -n NTASKS`. CPU time and memory are not measured: they are used outside the reach of the launcher.
    Srun,
    /// By an MPI launcher.
    Mpirun(Mpirun),
}

impl Default for Mpirun {
    fn default() -> Self {
        Mpirun { program: "mpirun".to_owned(), processes: processes(), oversubscribe: false, options: Vec::new() }
    }
}

impl Slurm {
    /// Plain jobs of `{p}` tasks, in which `executable` measures the program.
    pub fn new(executable: impl Into<PathBuf>) -> Self {
        Slurm {
            executable: executable.into(),
            ntasks: processes(),
            step: Step::Direct,
            sbatch_options: Vec::new(),
            spool: None,
            max_queued: 500,
            bundle: 1,
            poll: Duration::from_secs(2),
            lost_after: Duration::from_secs(30),
        }
    }
}

/// `{p}`
fn processes() -> TextTemplate {
    TextTemplate::parse("{p}").unwrap_or_else(|_| TextTemplate::literal("1"))
}

/// Which MPI a launcher belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MpiFamily {
    /// Open MPI and its relatives.
    OpenMpi,
    /// MPICH, MVAPICH, Intel MPI: started by Hydra.
    Hydra,
    /// Something else.
    Unknown,
}

impl MpiFamily {
    /// By what `mpirun --version` prints.
    pub fn of_version(text: &str) -> MpiFamily {
        let lower = text.to_ascii_lowercase();
        if ["open mpi", "openmpi", "openrte", "prrte"].iter().any(|name| lower.contains(name)) {
            MpiFamily::OpenMpi
        } else if ["hydra", "mpich", "intel(r) mpi", "mvapich"].iter().any(|name| lower.contains(name)) {
            MpiFamily::Hydra
        } else {
            MpiFamily::Unknown
        }
    }

    /// The family of a launcher, which is asked for its version; none when there is no such program.
    pub fn of_launcher(program: &str) -> Option<MpiFamily> {
        find_program(program)?;
        Some(MpiFamily::of_version(&machine::said(&[program, "--version"]).unwrap_or_default()))
    }

    /// Variables without which its launcher refuses us: that of Open MPI refuses root unless confirmed twice.
    pub fn root_variables(self) -> Vec<(String, String)> {
        if self != MpiFamily::OpenMpi || !sys::is_root() {
            return Vec::new();
        }
        // The second pair is that of PRRTE in Open MPI 5.
        let pair = |name: &str| [(name.to_owned(), "1".to_owned()), (format!("{name}_CONFIRM"), "1".to_owned())];
        ["OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT"].into_iter().flat_map(pair).collect()
    }
}

/// A launcher resolved on this machine: the words before the program, and the environment.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Prefix {
    words: Vec<String>,
    processes: Option<TextTemplate>,
    env: Vec<(String, String)>,
    /// CPU time and memory of the program can be measured.
    pub measures_usage: bool,
    pub warnings: Vec<Warning>,
}

impl Launcher {
    /// For the journal: what decides on how a run behaves.
    pub(crate) fn record(&self) -> Value {
        let mpirun = |mpirun: &Mpirun| {
            json!({
                "program": mpirun.program, "processes": mpirun.processes.source(),
                "oversubscribe": mpirun.oversubscribe, "options": mpirun.options,
            })
        };
        match self {
            Launcher::Local => json!({"name": "local"}),
            Launcher::Mpirun(launcher) => json!({"name": "mpirun", "mpirun": mpirun(launcher)}),
            Launcher::Slurm(slurm) => {
                let step = match &slurm.step {
                    Step::Direct => json!("direct"),
                    Step::Srun => json!("srun"),
                    Step::Mpirun(launcher) => mpirun(launcher),
                };
                json!({
                    "name": "slurm", "ntasks": slurm.ntasks.source(), "step": step,
                    "sbatch_options": slurm.sbatch_options,
                })
            }
        }
    }

    /// Looks at the programs that it needs.
    pub(crate) fn prepare(&self) -> Result<Prefix, BenchError> {
        match self {
            Launcher::Local => Ok(Prefix { measures_usage: true, ..Prefix::default() }),
            Launcher::Mpirun(launcher) => launcher.prepare(),
            Launcher::Slurm(slurm) => {
                for program in ["sbatch", "squeue", "scancel"] {
                    if find_program(program).is_none() {
                        return Err(BenchError::ProgramNotFound { program: program.to_owned() });
                    }
                }
                match &slurm.step {
                    Step::Direct => Ok(Prefix { measures_usage: true, ..Prefix::default() }),
                    Step::Mpirun(launcher) => launcher.prepare(),
                    Step::Srun => Ok(Prefix {
                        words: vec!["srun".to_owned(), "-n".to_owned()],
                        processes: Some(slurm.ntasks.clone()),
                        ..Prefix::default()
                    }),
                }
            }
        }
    }

    /// The templates that it adds to those of the command.
    pub(crate) fn templates(&self) -> Vec<&TextTemplate> {
        match self {
            Launcher::Local => Vec::new(),
            Launcher::Mpirun(launcher) => vec![&launcher.processes],
            Launcher::Slurm(slurm) => match &slurm.step {
                Step::Mpirun(launcher) => vec![&slurm.ntasks, &launcher.processes],
                Step::Direct | Step::Srun => vec![&slurm.ntasks],
            },
        }
    }
}

impl Mpirun {
    fn prepare(&self) -> Result<Prefix, BenchError> {
        let Some(family) = MpiFamily::of_launcher(&self.program) else {
            return Err(BenchError::ProgramNotFound { program: self.program.clone() });
        };
        let mut words = vec![self.program.clone()];
        let env = family.root_variables();
        let mut warnings = Vec::new();
        if family == MpiFamily::OpenMpi {
            if self.oversubscribe {
                words.push("--oversubscribe".to_owned());
            }
            if !env.is_empty() {
                warnings.push(Warning::new(
                    "mpi_as_root",
                    "running as root: OMPI_ALLOW_RUN_AS_ROOT and its confirmation are set for Open MPI",
                ));
            }
        } else if family == MpiFamily::Unknown {
            warnings.push(Warning::new(
                "unknown_mpi",
                format!("{} --version does not say which MPI it belongs to; only -np is passed", self.program),
            ));
        }
        words.extend(self.options.iter().cloned());
        words.push("-np".to_owned());
        Ok(Prefix { words, processes: Some(self.processes.clone()), env, measures_usage: true, warnings })
    }
}

impl Prefix {
    /// The whole command of a run.
    pub(crate) fn fill(&self, template: &Template, filling: Filling<'_>) -> Result<Filled, Problem> {
        let mut filled = template.fill(filling)?;
        let mut argv = self.words.clone();
        if let Some(processes) = &self.processes {
            argv.push(whole(processes, filling)?);
        }
        argv.append(&mut filled.argv);
        filled.argv = argv;
        // The user's settings win: they come later.
        filled.env.splice(0..0, self.env.iter().cloned());
        Ok(filled)
    }
}

/// A number of processes: whole and positive.
pub(crate) fn whole(template: &TextTemplate, filling: Filling<'_>) -> Result<String, Problem> {
    let text = template.fill(filling)?;
    match text.parse::<u32>() {
        Ok(count) if count > 0 => Ok(text),
        _ => Err(Problem::new("bad_process_count", format!("{text} processes at {}", filling.at))
            .value(template.source())
            .allowed("whole numbers from 1")
            .hint("give the number of processes as a template: --processes '{2*nodes}'")),
    }
}

/// Where a program is: a path with a slash as it is, others in `PATH`.
pub fn find_program(program: &str) -> Option<PathBuf> {
    let is_file = |path: &PathBuf| path.is_file();
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(is_file);
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(is_file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::Configuration;

    #[test]
    fn families_are_told_by_their_version() {
        for (text, family) in [
            ("mpirun (Open MPI) 4.1.4", MpiFamily::OpenMpi),
            ("mpirun (Open MPI) 5.0.3\n\nReport bugs to", MpiFamily::OpenMpi),
            ("HYDRA build details:\n    Version: 4.0.2", MpiFamily::Hydra),
            ("Intel(R) MPI Library for Linux* OS, Version 2021.11", MpiFamily::Hydra),
            ("something", MpiFamily::Unknown),
        ] {
            assert_eq!(MpiFamily::of_version(text), family, "{text}");
        }
    }

    #[test]
    fn process_counts_must_be_whole() {
        let template = Template::new(&["prog"]).expect("well formed");
        let prefix =
            Prefix { words: vec!["srun".into(), "-n".into()], processes: Some(processes()), ..Prefix::default() };
        let at = |p: f64| Configuration::from_pairs(&["p".to_owned()], &[p]);
        let filled = prefix.fill(&template, Filling { at: &at(4.0), rep: 0, seed: 0 }).expect("whole");
        assert_eq!(filled.argv, ["srun", "-n", "4", "prog"]);
        for p in [0.0, 2.5, -1.0] {
            let problem = prefix.fill(&template, Filling { at: &at(p), rep: 0, seed: 0 }).expect_err("not whole");
            assert_eq!(problem.code, "bad_process_count");
        }
    }
}
