//! Both MPIs inside a job of Slurm: with `mpirun`, with `srun` as the launcher, and directly below `srun`.

#[path = "../../../bench/tests/integration/slurm_cluster.rs"]
mod slurm_cluster;

use crate::support::{MPICH, OPEN_MPI, Place, mpi};
use slurm_cluster::{Cluster, PROGRAMS};

fn have_slurm() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<_> = std::env::split_paths(&path).collect();
    folders.extend(["/usr/sbin", "/sbin"].map(Into::into));
    if PROGRAMS.iter().all(|program| folders.iter().any(|folder| folder.join(program).is_file())) {
        return true;
    }
    assert!(std::env::var_os("RUNCAST_REQUIRE_ALL").is_none_or(|value| value != "1"), "Slurm is missing");
    eprintln!("NOT RUN: Slurm is missing");
    false
}

#[test]
fn a_job_of_slurm_takes_any_of_three_ways() {
    if !have_slurm() {
        return;
    }
    let cluster = Cluster::start();
    for (mpi, plugin) in [(OPEN_MPI, "pmix"), (MPICH, "pmi2")].map(|(name, plugin)| (mpi(name), plugin)) {
        let Some(mpi) = mpi else { continue };
        let place = Place::new();
        let run = format!("{} bsf run jacobi --size 40", mpi.executable.display());
        let script = format!(
            "#!/bin/sh\nexport OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n\
             {run} --backend mpi --workers 3 --json\n\
             {run} --backend mpi --workers 3 --json --launcher 'srun --mpi={plugin} -n {{processes}}'\n\
             srun --mpi={plugin} -n 4 {run} --backend mpi --json\n"
        );
        std::fs::write(place.path().join("job.sh"), script).expect("written");
        let folder = place.path().display();
        let said =
            cluster.call(&format!("timeout 120 sbatch -W -n 4 -D {folder} -o {folder}/out {folder}/job.sh 2>&1"));
        let out = std::fs::read_to_string(place.path().join("out")).unwrap_or_default();
        let digest = place.bsf_run(&mpi, "jacobi --size 40 --workers 3").digest();
        assert_eq!(out.matches(&digest).count(), 3, "{}: {said}{out}", mpi.name);
    }
}
