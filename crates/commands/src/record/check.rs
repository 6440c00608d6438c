//! Which MPI library an executable is linked with, from its dynamic section (System V ABI, chapter 5).

use super::library::Library;
use crate::failure::Failure;
use runcast_bench::find_program;
use runcast_core::Problem;
use std::path::{Path, PathBuf};

/// Larger executables are not looked into.
const MOST_BYTES: u64 = 1 << 30;

/// Refuses a program that is linked with another MPI than the recorder was compiled for.
///
/// # Errors
/// It is: exit code 2, before anything runs.
pub(super) fn same_mpi(command: &[String], library: &Library) -> Result<(), Failure> {
    let Some(expected) = &library.links else { return Ok(()) };
    let Some((program, seen)) = program_of(command) else { return Ok(()) };
    if seen == *expected {
        return Ok(());
    }
    let message = format!("the program is linked with {seen}, but {} links {expected}", library.mpicc.display());
    let problem =
        Problem::new("other_mpi", message).in_file(program.display().to_string()).value(seen).allowed(expected);
    Err(problem.hint("--mpicc PATH says which mpicc the program was built with, such as mpicc.mpich").into())
}

/// The first word of the command that is an executable linked with an MPI library.
fn program_of(command: &[String]) -> Option<(PathBuf, String)> {
    command.iter().find_map(|word| {
        let path = find_program(word)?;
        let library = mpi_library(&path)?;
        Some((path, library))
    })
}

/// The name of the MPI library that a file needs: `libmpi.so.40`, `libmpich.so.12`.
pub(super) fn mpi_library(path: &Path) -> Option<String> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return None;
    }
    needed(&std::fs::read(path).ok()?)?
        .into_iter()
        .find(|name| name.starts_with("libmpi.so") || name.starts_with("libmpich.so"))
}

/// The names of the libraries that a 64-bit little-endian ELF file needs; none if it is something else, or damaged.
fn needed(bytes: &[u8]) -> Option<Vec<String>> {
    const LOAD: u64 = 1;
    const DYNAMIC: u64 = 2;
    const NEEDED: u64 = 1;
    const STRINGS: u64 = 5;
    if bytes.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let number = |at: usize, size: usize| -> Option<u64> {
        let field = bytes.get(at..at.checked_add(size)?)?;
        Some(field.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    };
    let wide = |at: usize| number(at, 8);
    let (table, size, count) = (usize::try_from(wide(32)?).ok()?, number(54, 2)? as usize, number(56, 2)? as usize);
    let header = |index: usize| table.checked_add(index.checked_mul(size)?);
    let mut dynamic = None;
    let mut loads = Vec::new();
    for index in 0..count {
        let at = header(index)?;
        match number(at, 4)? {
            DYNAMIC => dynamic = Some((usize::try_from(wide(at + 8)?).ok()?, wide(at + 32)? as usize / 16)),
            LOAD => loads.push((wide(at + 16)?, wide(at + 8)?, wide(at + 32)?)),
            _ => {}
        }
    }
    let (at, entries) = dynamic?;
    let mut names = Vec::new();
    let mut strings = None;
    for index in 0..entries.min(bytes.len() / 16) {
        let entry = at.checked_add(index * 16)?;
        let (tag, value) = (wide(entry)?, wide(entry.checked_add(8)?)?);
        match tag {
            0 => break,
            NEEDED => names.push(value),
            STRINGS => strings = Some(value),
            _ => {}
        }
    }
    let address = strings?;
    let &(start, offset, _) = loads.iter().find(|(start, _, size)| address >= *start && address - start < *size)?;
    let text = |name: u64| {
        let from = usize::try_from((address - start).checked_add(offset)?.checked_add(name)?).ok()?;
        let rest = bytes.get(from..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        Some(String::from_utf8_lossy(&rest[..end]).into_owned())
    };
    Some(names.into_iter().filter_map(text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_of_an_executable_are_found() {
        let own = std::fs::read(std::env::current_exe().expect("this test")).expect("its bytes");
        let names = needed(&own).expect("a dynamic executable");
        assert!(names.iter().any(|name| name.starts_with("libc.so")), "{names:?}");
    }

    #[test]
    fn a_damaged_file_is_none() {
        let own = std::fs::read(std::env::current_exe().expect("this test")).expect("its bytes");
        for end in [0, 5, 6, 40, 64, 200, 4096] {
            assert_eq!(needed(&own[..end.min(own.len())]), None);
        }
        let mut hostile = own[..4096].to_vec();
        hostile[32..40].fill(0xff);
        assert_eq!(needed(&hostile), None);
    }
}
