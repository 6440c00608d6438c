//! Same bits as without MPI.

use crate::support::{MPICH, Mpi, OPEN_MPI, Place, mpi};

const PROGRAMS: [&str; 4] = [
    "jacobi --size 60",
    "cimmino --size 10 --iterations 20",
    "gravity --size 13 --iterations 10",
    "stats --size 30 --skip 3",
];

fn same(mpi: &Mpi, place: &Place, arguments: &str) {
    let serial = place.bsf_run(mpi, arguments).digest();
    let ran = place.bsf_run(mpi, &format!("{arguments} --backend mpi"));
    assert_eq!(ran.document["backend"], "mpi", "{ran:?}");
    assert_eq!(ran.digest(), serial, "{} {arguments}", mpi.name);
}

fn programs(name: &'static str, workers: &[usize]) {
    let Some(mpi) = mpi(name) else { return };
    let place = Place::new();
    for program in PROGRAMS {
        for workers in workers {
            for collective in ["flat", "tree"] {
                same(&mpi, &place, &format!("{program} --workers {workers} --collective {collective}"));
            }
        }
    }
}

#[test]
fn open_mpi_with_2_and_3_ranks() {
    programs(OPEN_MPI, &[1, 2]);
}

#[test]
fn open_mpi_with_5_ranks() {
    programs(OPEN_MPI, &[4]);
}

#[test]
fn mpich_with_2_and_3_ranks() {
    programs(MPICH, &[1, 2]);
}

#[test]
fn mpich_with_5_ranks() {
    programs(MPICH, &[4]);
}

fn with_threads_and_reproducible(name: &'static str) {
    let Some(mpi) = mpi(name) else { return };
    let place = Place::new();
    same(&mpi, &place, "jacobi --size 60 --workers 2 --threads 3");
    same(&mpi, &place, "jacobi --size 60 --workers 2 --wait spin");
    let digest =
        |arguments: &str| place.bsf_run(&mpi, &format!("jacobi --size 60 --reproducible {arguments}")).digest();
    let one = digest("--workers 1");
    for arguments in ["--workers 1", "--workers 2 --threads 2", "--workers 4 --collective tree", "--workers 3"] {
        assert_eq!(digest(&format!("{arguments} --backend mpi")), one, "{name} {arguments}");
    }
}

#[test]
fn open_mpi_with_threads_and_reproducible() {
    with_threads_and_reproducible(OPEN_MPI);
}

#[test]
fn mpich_with_threads_and_reproducible() {
    with_threads_and_reproducible(MPICH);
}
