//! The cold part of the run-time library, compiled once for each compiler, and added to objects.

use super::assembly;
use super::place::Shadow;
use runcast_bench::plain;
use runcast_call::compiler::Line;
use runcast_call::translate::fnv;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The compiled library for the compiler of a line; none where it cannot be made.
pub fn compiled(line: &Line, place: &Shadow) -> Option<PathBuf> {
    kept(line, place, "o", |temporary| made(line, place, "-c", temporary))
}

/// The library as a header whose text goes to the assembler, for objects that hold no code of the machine yet.
pub fn text(line: &Line, place: &Shadow) -> Option<PathBuf> {
    kept(line, place, "h", |temporary| {
        let header = made(line, place, "-S", temporary)
            .then(|| std::fs::read_to_string(temporary).ok())
            .flatten()
            .and_then(|text| assembly::header(&text));
        header.is_some_and(|header| std::fs::write(temporary, header).is_ok())
    })
}

/// A file of the compiler of a line, made when it is first asked for.
fn kept(line: &Line, place: &Shadow, ending: &str, make: impl FnOnce(&Path) -> bool) -> Option<PathBuf> {
    let compiler = line.words.get(line.compiler)?;
    let path = place.compiled().join(format!("{:016x}.{ending}", key(compiler, line)?));
    if path.is_file() {
        return Some(path);
    }
    std::fs::create_dir_all(place.compiled()).ok()?;
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp.{ending}", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let made = make(&temporary) && std::fs::rename(&temporary, &path).is_ok();
    if !made {
        let _ = std::fs::remove_file(&temporary);
    }
    made.then_some(path)
}

/// Compiles the library, up to a stage.
fn made(line: &Line, place: &Shadow, stage: &str, output: &Path) -> bool {
    let mut words: Vec<OsString> = line.words.get(line.compiler).cloned().into_iter().collect();
    words.extend(line.machine.iter().cloned());
    words.extend(["-O2", "-fPIC", "-w", "-g0", "-fno-lto", "-x", "c", stage].map(OsString::from));
    words.push(place.include().join("rt.c").into());
    words.extend([OsString::from("-o"), output.into()]);
    plain::succeeds(&words)
}

/// The linker of the compiler of a line; none where it cannot be told.
///
/// A compiler that calls it takes twice as long as the linker itself, and clang ten times.
pub fn linker(line: &Line, place: &Shadow) -> Option<OsString> {
    let compiler = line.words.get(line.compiler)?;
    let path = kept(line, place, "ld", |temporary| {
        let told = plain::says(&[compiler.clone(), OsString::from("-print-prog-name=ld")]);
        told.is_some_and(|told| std::fs::write(temporary, told.trim_ascii()).is_ok())
    })?;
    let linker = OsString::from_vec(std::fs::read(path).ok()?);
    (!linker.is_empty()).then_some(linker)
}

/// Adds the library to an object, in its place; false where the linker refuses.
pub fn added(line: &Line, object: &Path, library: &Path, linker: Option<&OsString>) -> bool {
    let Some(compiler) = line.words.get(line.compiler) else { return false };
    let mut temporary = object.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let sanitizes = |word: &&OsString| !word.as_bytes().starts_with(b"-fsanitize");
    let files = [object.as_os_str().to_owned(), library.as_os_str().to_owned(), "-o".into(), temporary.clone()];
    // What a linker by itself does not know, such as `-m32`, the compiler tells it.
    let directly = |linker: &OsString| [vec![linker.clone(), "-r".into()], files.to_vec()].concat();
    let mut words = vec![compiler.clone()];
    words.extend(line.machine.iter().filter(sanitizes).cloned());
    words.extend(["-r", "-nostdlib"].map(OsString::from));
    words.extend(files.iter().cloned());
    let permissions = std::fs::metadata(object).map(|data| data.permissions());
    let done = (linker.is_some_and(|linker| plain::succeeds(&directly(linker))) || plain::succeeds(&words))
        && permissions.is_ok_and(|permissions| std::fs::set_permissions(&temporary, permissions).is_ok())
        && std::fs::rename(&temporary, object).is_ok();
    if !done {
        let _ = std::fs::remove_file(&temporary);
    }
    done
}

/// What distinguishes compiled libraries: the compiler's file, the library, and options that change the machine code.
fn key(compiler: &OsString, line: &Line) -> Option<u64> {
    let file = runcast_bench::find_program(&compiler.to_string_lossy())?;
    let data = std::fs::metadata(&file).ok()?;
    let mut text = file.as_os_str().as_bytes().to_vec();
    text.extend(format!("\n{} {} {}\n", data.len(), data.mtime(), data.mtime_nsec()).bytes());
    for (_, library) in runcast_cll::runtime::FILES {
        text.extend(fnv(library.as_bytes()).to_le_bytes());
    }
    for word in &line.machine {
        text.extend(word.as_bytes());
        text.push(b'\n');
    }
    Some(fnv(&text))
}
