//! Information about the launcher from the environment, before MPI is initialized and also in a build without MPI.

use std::fmt;

/// The MPI family of a library or a launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MpiFamily {
    OpenMpi,
    /// MPICH and its relatives: MVAPICH, Intel MPI, Cray MPI.
    Mpich,
    /// Another one, or one that works with several, such as `srun`.
    Other,
}

/// This process as its MPI launcher sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct World {
    /// Its rank, from 0.
    pub rank: usize,
    /// Number of ranks, if the launcher provides it.
    pub size: Option<usize>,
    /// Whose launcher it is.
    pub family: MpiFamily,
}

/// This process as the MPI launcher that started it sees it; none if it was started in another way.
pub fn under_launcher() -> Option<World> {
    world_of(&|name| std::env::var(name).ok(), super::library_family())
}

impl MpiFamily {
    /// Recognizes the family by the library's version text.
    pub fn of_version(version: &str) -> MpiFamily {
        let lower = version.to_ascii_lowercase();
        let has = |names: &[&str]| names.iter().any(|name| lower.contains(name));
        if has(&["open mpi", "openmpi"]) {
            MpiFamily::OpenMpi
        } else if has(&["mpich", "mvapich", "intel(r) mpi"]) {
            MpiFamily::Mpich
        } else {
            MpiFamily::Other
        }
    }
}

impl fmt::Display for MpiFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MpiFamily::OpenMpi => "Open MPI",
            MpiFamily::Mpich => "MPICH",
            MpiFamily::Other => "another MPI",
        })
    }
}

type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A launcher inside the job of another leaves both marks; then that of our own library wins.
fn world_of(environment: Environment<'_>, library: Option<MpiFamily>) -> Option<World> {
    let mut found = [open_mpi(environment), pmi(environment), pmix(environment), slurm(environment)];
    found.sort_by_key(|world| world.is_none_or(|world| Some(world.family) != library));
    found.into_iter().flatten().next()
}

fn open_mpi(environment: Environment<'_>) -> Option<World> {
    let rank = number(environment, "OMPI_COMM_WORLD_RANK")?;
    Some(World { rank, size: number(environment, "OMPI_COMM_WORLD_SIZE"), family: MpiFamily::OpenMpi })
}

/// Hydra, the launcher of MPICH; under Slurm `srun --mpi=pmi2`, which serves others, too.
fn pmi(environment: Environment<'_>) -> Option<World> {
    let rank = number(environment, "PMI_RANK")?;
    let family = if is_slurm_step(environment) { MpiFamily::Other } else { MpiFamily::Mpich };
    let size = number(environment, "PMI_SIZE").or_else(|| number(environment, "SLURM_STEP_NUM_TASKS"));
    Some(World { rank, size, family })
}

fn pmix(environment: Environment<'_>) -> Option<World> {
    let rank = number(environment, "PMIX_RANK")?;
    Some(World { rank, size: number(environment, "SLURM_STEP_NUM_TASKS"), family: MpiFamily::Other })
}

/// `srun` without a plug-in for MPI. Batch scripts and shells inside an allocation have a SLURM_PROCID, too, but they
/// are one process: `mpirun` is to be started from there.
fn slurm(environment: Environment<'_>) -> Option<World> {
    let size = number(environment, "SLURM_STEP_NUM_TASKS").filter(|&size| size > 1 && is_slurm_step(environment))?;
    Some(World { rank: number(environment, "SLURM_PROCID")?, size: Some(size), family: MpiFamily::Other })
}

fn is_slurm_step(environment: Environment<'_>) -> bool {
    number(environment, "SLURM_STEP_ID").is_some()
}

fn number(environment: Environment<'_>, name: &str) -> Option<usize> {
    environment(name)?.trim().parse().ok()
}

/// The first words of a library's version text: `Open MPI v4.1.4, package: ..` and
/// `MPICH Version:\t4.0.2\nMPICH Release date:..` are `Open MPI v4.1.4` and `MPICH 4.0.2`.
#[cfg(any(test, feature = "mpi"))]
pub(super) fn short_version(text: &str) -> String {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let first = first.split(',').next().unwrap_or_default();
    let words = first.split_whitespace().filter(|word| !word.eq_ignore_ascii_case("version:"));
    words.take(8).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(variables: &[(&str, &str)], library: Option<MpiFamily>) -> Option<(usize, Option<usize>, MpiFamily)> {
        let of = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        world_of(&of, library).map(|world| (world.rank, world.size, world.family))
    }

    #[test]
    fn launchers_are_told_by_their_variables() {
        use MpiFamily::{Mpich, OpenMpi, Other};
        let ompi = [("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "3"), ("PMIX_RANK", "2")];
        assert_eq!(world(&ompi, None), Some((2, Some(3), OpenMpi)));
        assert_eq!(world(&ompi, Some(Mpich)), Some((2, Some(3), OpenMpi)), "also when the program is of another MPI");
        assert_eq!(world(&[("PMI_RANK", "1"), ("PMI_SIZE", "2")], None), Some((1, Some(2), Mpich)));
        assert_eq!(world(&[("PMIX_RANK", "0")], None), Some((0, None, Other)));
        assert_eq!(world(&[("PATH", "/bin"), ("PMI_RANK", "x")], None), None);
        let nested = [ompi.as_slice(), &[("PMI_RANK", "0"), ("PMI_SIZE", "5")]].concat();
        assert_eq!(world(&nested, Some(Mpich)), Some((0, Some(5), Mpich)));
        assert_eq!(world(&nested, Some(OpenMpi)), Some((2, Some(3), OpenMpi)));
    }

    #[test]
    fn slurm_is_a_launcher_only_where_srun_started_several_tasks() {
        use MpiFamily::Other;
        let batch = [("SLURM_JOB_ID", "7"), ("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")];
        assert_eq!(world(&batch, None), None);
        let shell = [("SLURM_PROCID", "0"), ("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "1")];
        assert_eq!(world(&shell, None), None);
        let step = [("SLURM_PROCID", "3"), ("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "4")];
        assert_eq!(world(&step, None), Some((3, Some(4), Other)));
        let pmi2 = [step.as_slice(), &[("PMI_RANK", "3"), ("PMI_SIZE", "4")]].concat();
        assert_eq!(world(&pmi2, None), Some((3, Some(4), Other)));
    }

    #[test]
    fn versions_are_cut_to_name_and_number() {
        for (text, short, family) in [
            ("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "Open MPI v4.1.4", MpiFamily::OpenMpi),
            ("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr", "MPICH 4.0.2", MpiFamily::Mpich),
            (
                "Intel(R) MPI Library 2021.11 for Linux* OS\n",
                "Intel(R) MPI Library 2021.11 for Linux* OS",
                MpiFamily::Mpich,
            ),
            ("MVAPICH2 Version :\t2.3.7", "MVAPICH2 Version : 2.3.7", MpiFamily::Mpich),
            ("", "", MpiFamily::Other),
        ] {
            assert_eq!(short_version(text), short);
            assert_eq!(MpiFamily::of_version(short), family, "{short}");
        }
    }
}
