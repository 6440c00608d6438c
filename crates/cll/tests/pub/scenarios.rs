//! What holds for any number of ranks.

use crate::support::{Mpi, Program, have, source};

/// Every scenario of `suite.c` on every number of ranks, each with pieces of 1,000 bytes, so that messages of many pieces
/// are small enough for a test.
fn suite(mpi: Mpi) {
    let text = std::fs::read_to_string(source("suite.c")).expect("a source");
    let names: Vec<&str> = text.split("{\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(names.len(), 13, "{names:?}");
    let options = ["-D_GNU_SOURCE", "-DPUB_INLINE_BYTES=16", "-DPUB_CHUNK_BYTES=1000"];
    let program = Program::build(mpi, &options, &["suite.c"]);
    for ranks in [1, 2, 3, 4, 8] {
        let ended = program.run(ranks, &[], &[]);
        assert_eq!(ended.code, Some(0), "{mpi:?}, {ranks} ranks: {ended:?}");
        for name in &names {
            assert_eq!(ended.count(&format!("ok {name}")), ranks, "{mpi:?}, {ranks} ranks, {name}: {ended:?}");
        }
    }
}

#[test]
fn messages_and_machines_with_open_mpi() {
    if Mpi::all().contains(&Mpi::OpenMpi) {
        suite(Mpi::OpenMpi);
    }
}

#[test]
fn messages_and_machines_with_mpich() {
    if Mpi::all().contains(&Mpi::Mpich) {
        suite(Mpi::Mpich);
    }
}

/// The same with larger pieces: MPI takes another way for these, and waits for the receiver.
#[test]
fn with_large_pieces() {
    for mpi in Mpi::all() {
        let options = ["-D_GNU_SOURCE", "-DPUB_CHUNK_BYTES=65536"];
        let ended = Program::build(mpi, &options, &["suite.c"]).run(3, &[], &[]);
        assert_eq!(
            (ended.code, ended.count("ok flood"), ended.count("ok sizes")),
            (Some(0), 3, 3),
            "{mpi:?}: {ended:?}"
        );
    }
}

#[test]
fn machines_as_values_and_as_pointers_in_two_files() {
    for mpi in Mpi::all() {
        for compiler in ["gcc", "clang"].into_iter().filter(|name| have(name)) {
            let program = Program::build_by(mpi, compiler, &["-pedantic"], &["forms.c", "forms_other.c"]);
            let ended = program.run(3, &[], &[]);
            let seen = (ended.code, ended.count("ok forms"), ended.count("ok mine"));
            assert_eq!(seen, (Some(0), 3, 3), "{mpi:?} {compiler}: {ended:?}");
        }
    }
}

/// More than 2 GiB need more than 4 GiB of memory, and a while: only with `RUNCAST_TEST_BIG=1`.
#[test]
fn more_than_two_gib() {
    if std::env::var_os("RUNCAST_TEST_BIG").is_none_or(|value| value != "1") {
        return;
    }
    for mpi in Mpi::all() {
        let ended = Program::build(mpi, &[], &["big.c"]).run(2, &[], &[]);
        assert_eq!((ended.code, ended.count("ok big")), (Some(0), 1), "{mpi:?}: {ended:?}");
    }
}
