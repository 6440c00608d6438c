//! What the header puts into programs.

use crate::support::{Mpi, Program, have, require_all, runtime};
use std::process::Command;

/// Names that are seen by the linker are of the library, or of the program.
#[test]
fn no_other_symbols() {
    for mpi in Mpi::all() {
        let program = Program::build(mpi, &["-c"], &["forms_other.c"]);
        let listing =
            Command::new("nm").args(["--defined-only", "--extern-only"]).arg(program.path()).output().expect("nm");
        let text = String::from_utf8_lossy(&listing.stdout);
        let names: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().last()).collect();
        assert!(names.len() > 20, "{text}");
        let known =
            |name: &&&str| !["bsp_", "bspmsg_", "pub_", "forms_other"].iter().any(|prefix| name.starts_with(prefix));
        assert_eq!(names.iter().filter(known).collect::<Vec<_>>(), Vec::<&&str>::new(), "{mpi:?}");
    }
}

/// The header in C++, where overloads stand in place of `_Generic`.
#[test]
fn in_cpp() {
    if !have("g++") && !require_all() {
        return;
    }
    let text = "#include \"pub.h\"\nint twice(t_bsp bsp, const t_bsp *also) {\n  t_bsp part, *other; int ends[1] = {bsp_nprocs(also)};\n  \
                bsp_partition(bsp, &part, 1, ends); bsp_partition(part, &other, 1, ends);\n  bsp_send(part, 0, ends, sizeof ends);\n  \
                bsp_oblsync(other, 0); bsp_sync(&part);\n  bsp_done(&other); bsp_done(&part); return bsp_pid(bsp);\n}\n\
                int main(int argc, char **argv) { t_bsp bsp; pub_init(&argc, &argv, &bsp); int r = twice(bsp, &bsp); pub_exit(); return r; }\n";
    for mpi in Mpi::all() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("twice.cpp");
        std::fs::write(&file, text).expect("written");
        let options = [
            "-x",
            "c++",
            "-std=c++17",
            "-Wall",
            "-Wextra",
            "-fsyntax-only",
            "-DOMPI_SKIP_MPICXX",
            "-DMPICH_SKIP_MPICXX",
        ];
        let output =
            Command::new(mpi.compiler()).args(options).arg("-I").arg(runtime()).arg(&file).output().expect("started");
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{mpi:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
