//! The command that starts the ranks.

use super::Launch;
use crate::failure::Failure;
use runcast_bench::template::{Filling, TextTemplate};
use runcast_bench::{BenchError, Machine, MpiFamily, find_program};
use runcast_bsf::skeleton::mpi;
use runcast_core::{Configuration, Problem};

/// What comes before the program.
#[derive(Debug, PartialEq)]
pub struct Starter {
    /// The launcher and its options.
    pub words: Vec<String>,
    /// Variables for it.
    pub env: Vec<(String, String)>,
}

/// Names under which any MPI may install its launcher.
const BARE: [&str; 4] = ["mpirun", "mpiexec", "mpiexec.hydra", "orterun"];

/// The launcher of the MPI that this program is linked with, with all it needs.
///
/// # Errors
/// There is none, or it is of another MPI.
pub fn starter(launch: &Launch<'_>) -> Result<Starter, Failure> {
    let processes = launch.workers + 1;
    let words = filled(&launch.args.launcher, processes)?;
    let Some((program, options)) = words.split_first() else {
        let problem = Problem::new("empty_launcher", "no launcher was given").at("--launcher");
        return Err(problem.hint("write it as in --launcher 'mpirun -n {processes}'").into());
    };
    let (program, family) = chosen(program)?;
    let mut words = vec![program];
    if family == MpiFamily::OpenMpi {
        words.extend(open_mpi_options(options, processes > slots(), launch.threads > 1));
    }
    words.extend(options.iter().cloned());
    Ok(Starter { words, env: family.root_variables() })
}

/// The words of a launcher, with the number of processes.
fn filled(launcher: &str, processes: usize) -> Result<Vec<String>, Failure> {
    let at = Configuration::from_pairs(&["processes".to_owned()], &[processes as f64]);
    let fill = |word: &str| {
        let template = TextTemplate::parse(word)?;
        template.check_names(&["processes".to_owned()])?;
        template.fill(Filling { at: &at, rep: 0, seed: 0 })
    };
    let words: Result<Vec<String>, Problem> = launcher.split_whitespace().map(fill).collect();
    Ok(words.map_err(|problem| problem.at("--launcher"))?)
}

/// The launcher itself, or in place of another MPI's the one of ours that stands beside it: Debian has both as
/// `mpirun.openmpi` and `mpirun.mpich`, and one of them as `mpirun`.
fn chosen(program: &str) -> Result<(String, MpiFamily), Failure> {
    let missing = || {
        let problem = Problem::from(BenchError::ProgramNotFound { program: program.to_owned() });
        problem.at("--launcher").hint("on Debian it is in openmpi-bin or mpich; or name another one with --launcher")
    };
    let Some((own, suffix)) = own_family().filter(|_| BARE.contains(&program)) else {
        return Ok((program.to_owned(), MpiFamily::of_launcher(program).ok_or_else(missing)?));
    };
    let beside = format!("{}.{suffix}", program.split('.').next().unwrap_or(program));
    match MpiFamily::of_launcher(program) {
        Some(family) if family == own || family == MpiFamily::Unknown => Ok((program.to_owned(), family)),
        _ if find_program(&beside).is_some() => Ok((beside, own)),
        Some(_) => Err(mismatch(program).into()),
        None => Err(missing().into()),
    }
}

fn mismatch(program: &str) -> Problem {
    let library = mpi::library_version().unwrap_or_default();
    let problem =
        Problem::new("mpi_mismatch", format!("this runcast is built for {library}; {program} is of another MPI"));
    problem
        .at("--launcher")
        .value(program)
        .hint(format!("name the launcher of {library}: --launcher '/path/to/mpirun -n {{processes}}'"))
}

/// The family that this program is linked with, and what Debian adds to the names of its programs.
fn own_family() -> Option<(MpiFamily, &'static str)> {
    match mpi::library_family()? {
        mpi::MpiFamily::OpenMpi => Some((MpiFamily::OpenMpi, "openmpi")),
        mpi::MpiFamily::Mpich => Some((MpiFamily::Hydra, "mpich")),
        mpi::MpiFamily::Other => None,
    }
}

/// Open MPI refuses more ranks than cores, and ties ranks to cores, so that the threads of a rank would share one.
/// Whoever says where ranks go, or has a batch system say it, is left alone.
fn open_mpi_options(given: &[String], is_crowded: bool, has_threads: bool) -> Vec<String> {
    let says = |names: &[&str]| given.iter().any(|word| names.contains(&word.trim_start_matches('-')));
    let is_placed = says(&["host", "H", "hostfile", "machinefile", "oversubscribe", "nooversubscribe"]);
    let mut options = Vec::new();
    if is_crowded && !is_placed && !in_batch_job() {
        options.push("--oversubscribe".to_owned());
    }
    if has_threads && !says(&["bind-to", "map-by", "rank-by", "cpus-per-proc", "cpus-per-rank"]) {
        options.extend(["--bind-to".to_owned(), "none".to_owned()]);
    }
    options
}

fn in_batch_job() -> bool {
    ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "PE_HOSTFILE"].iter().any(|name| std::env::var_os(name).is_some())
}

/// Ranks that Open MPI starts here unasked: it counts cores, not their hardware threads.
fn slots() -> usize {
    let machine = Machine::observe();
    let counts = [machine.cores, machine.usable_threads];
    counts.into_iter().flatten().min().and_then(|count| usize::try_from(count).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_number_of_processes_is_filled_in() {
        assert_eq!(filled("mpirun -n {processes}", 5).expect("good"), words("mpirun -n 5"));
        assert_eq!(filled("srun -n {2*processes} x", 5).expect("good"), words("srun -n 10 x"));
        assert!(filled("mpirun -n {workers}", 5).is_err());
        assert!(filled("", 5).expect("no word").is_empty());
    }

    #[test]
    fn open_mpi_is_told_what_it_needs_and_nothing_twice() {
        let options = |given: &str, crowded, threads| open_mpi_options(&words(given), crowded, threads).join(" ");
        assert_eq!(options("-n 3", false, false), "");
        assert_eq!(options("-n 3", false, true), "--bind-to none");
        assert_eq!(options("-n 3 --map-by slot:PE=2", false, true), "");
        if !in_batch_job() {
            assert_eq!(options("-n 3", true, false), "--oversubscribe");
            assert_eq!(options("-n 3 --hostfile nodes", true, false), "");
        }
    }

    #[test]
    fn a_launcher_that_is_not_there_is_wrong_input() {
        let failure = chosen("no-such-mpirun").expect_err("not there");
        assert_eq!((failure.exit, failure.problems.0[0].code.as_str()), (2, "program_not_found"));
    }
}
