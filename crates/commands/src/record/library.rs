//! The recorder as a library: which `mpicc` compiles it, and where it is kept.

use crate::context::Context;
use crate::failure::Failure;
use runcast_bench::Supervised;
use runcast_bench::find_program;
use runcast_bench::supervise::Stream;
use runcast_core::Problem;
use runcast_recorder::{FLAGS, SOURCE};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// The compiled recorder.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Library {
    pub path: PathBuf,
    pub mpicc: PathBuf,
    /// The MPI library that this `mpicc` links: `libmpi.so.40`.
    pub links: Option<String>,
}

impl Library {
    /// The recorder as an object file, for programs into which nothing is preloaded.
    ///
    /// # Errors
    /// It cannot be compiled.
    pub fn object(&self, context: &Context) -> Result<PathBuf, Failure> {
        let path = self.path.with_extension("o");
        let source = format!("{}.{}.c", path.display(), std::process::id());
        std::fs::write(&source, SOURCE).map_err(|error| Failure::writing(Path::new(&source), &error))?;
        let (compiler, to) = (self.mpicc.display().to_string(), path.display().to_string());
        let argv = [&compiler, "-O2", "-fPIC", "-w", "-DRUNCAST_RECORD_LINKED", "-c", &source, "-o", &to];
        let result = said(&argv, context);
        // Left behind it would only take room.
        let _ = std::fs::remove_file(&source);
        let (is_ok, text) = result?;
        if is_ok { Ok(path) } else { Err(refused(&compiler, &text)) }
    }
}

/// Compiles it, unless that was done for the same source, compiler and MPI.
///
/// # Errors
/// There is no `mpicc`, or it does not compile.
pub(super) fn of(mpicc: Option<&str>, launcher: Option<&str>, context: &Context) -> Result<Library, Failure> {
    let mpicc = found(mpicc, launcher)?;
    let folder = kept_in()?;
    let key = key(&mpicc, &folder, context)?;
    let path = folder.join(format!("{key}.so"));
    let linked = folder.join(format!("{key}.links"));
    if !path.is_file() || !linked.is_file() {
        compile(&mpicc, &path, &linked, context)?;
    }
    let links = std::fs::read_to_string(&linked).ok().map(|text| text.trim().to_owned());
    Ok(Library { path, mpicc, links: links.filter(|name| !name.is_empty()) })
}

/// The option, `$MPICC`, beside the launcher, in `PATH`. `mpirun.mpich` has `mpicc.mpich` beside it.
fn found(option: Option<&str>, launcher: Option<&str>) -> Result<PathBuf, Failure> {
    let said = option.map(str::to_owned).or_else(|| std::env::var("MPICC").ok().filter(|name| !name.is_empty()));
    if let Some(name) = said {
        return find_program(&name).ok_or_else(|| {
            let problem = Problem::new("no_mpicc", "there is no such compiler").value(name);
            problem.hint("--mpicc PATH or MPICC=PATH says which mpicc the program was built with").into()
        });
    }
    let beside = launcher.and_then(find_program).and_then(|launcher| {
        let name = launcher.file_name()?.to_str()?.to_owned();
        let suffix = name.split_once('.').map_or(String::new(), |(_, suffix)| format!(".{suffix}"));
        let names = [format!("mpicc{suffix}"), "mpicc".to_owned()];
        names.into_iter().map(|name| launcher.with_file_name(name)).find(|path| path.is_file())
    });
    beside.or_else(|| find_program("mpicc")).ok_or_else(|| {
        let problem = Problem::new("no_mpicc", "mpicc was not found beside the launcher or in PATH");
        problem.hint("--mpicc PATH says which mpicc the program was built with").into()
    })
}

/// `$XDG_CACHE_HOME/runcast/recorder`, or in the folder for temporary files where there is no home.
fn kept_in() -> Result<PathBuf, Failure> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    let folder = caches.unwrap_or_else(std::env::temp_dir).join("runcast/recorder");
    std::fs::create_dir_all(&folder).map_err(|error| Failure::writing(&folder, &error))?;
    Ok(folder)
}

/// What was printed by a compiler, and whether it succeeded.
fn said(argv: &[&str], context: &Context) -> Result<(bool, String), Failure> {
    let mut program = Supervised::new(argv.iter().copied());
    program.time_limit = Some(Duration::from_secs(120));
    let text = Mutex::new(String::new());
    let finished = program.run(&context.interrupt, &|_: Stream, line: &str| {
        if let Ok(mut text) = text.lock() {
            text.push_str(line);
            text.push('\n');
        }
    });
    if context.is_interrupted() {
        return Err(Failure::interrupted());
    }
    Ok((finished.end.is_ok(), text.into_inner().unwrap_or_default()))
}

/// SHA-256 of all that the library depends on.
fn key(mpicc: &Path, folder: &Path, context: &Context) -> Result<String, Failure> {
    let compiler = mpicc.display().to_string();
    let (_, show) = said(&[&compiler, "-show"], context)?;
    let probe = folder.join("version.c");
    std::fs::write(&probe, "#include <mpi.h>\n").map_err(|error| Failure::writing(&probe, &error))?;
    let (is_ok, macros) = said(&[&compiler, "-E", "-dM", &probe.display().to_string()], context)?;
    if !is_ok {
        return Err(refused(&compiler, &macros));
    }
    let versions: Vec<&str> = macros
        .lines()
        .filter(|line| line.contains("VERSION") && (line.contains("MPI") || line.contains("MPICH")))
        .collect();
    let mut hash = Sha256::new();
    for part in [SOURCE, &FLAGS.join(" "), &compiler, &show, &versions.join("\n"), std::env::consts::ARCH] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let mut key = String::new();
    for byte in hash.finalize() {
        let _ = write!(key, "{byte:02x}");
    }
    Ok(key)
}

fn refused(compiler: &str, text: &str) -> Failure {
    let first = text.lines().find(|line| line.contains("error")).or(text.lines().next()).unwrap_or_default();
    let problem = Problem::new("cannot_compile", format!("the recorder cannot be compiled: {}", first.trim()));
    Failure::undone(problem.value(compiler).hint("--mpicc PATH says which mpicc the program was built with"))
}

/// Compiles under another name first: others may do the same at the same time.
fn compile(mpicc: &Path, path: &Path, linked: &Path, context: &Context) -> Result<(), Failure> {
    let own = format!("{}.{}", path.display(), std::process::id());
    let (source, library, empty, probe) =
        (format!("{own}.c"), format!("{own}.new"), format!("{own}.e.c"), format!("{own}.e"));
    let compiler = mpicc.display().to_string();
    std::fs::write(&source, SOURCE).map_err(|error| Failure::writing(Path::new(&source), &error))?;
    std::fs::write(&empty, "").map_err(|error| Failure::writing(Path::new(&empty), &error))?;
    let mut argv = vec![compiler.as_str(), source.as_str(), "-o", library.as_str()];
    argv.extend(FLAGS);
    let result = said(&argv, context);
    let of_library = said(&[&compiler, "-shared", "-fPIC", "-Wl,--no-as-needed", &empty, "-o", &probe], context);
    let links = super::check::mpi_library(Path::new(&probe)).unwrap_or_default();
    for file in [&source, &empty, &probe] {
        // Left behind they would only take room.
        let _ = std::fs::remove_file(file);
    }
    let (is_ok, text) = result?;
    of_library?;
    if !is_ok {
        return Err(refused(&compiler, &text));
    }
    std::fs::write(linked, links).map_err(|error| Failure::writing(linked, &error))?;
    std::fs::rename(&library, path).map_err(|error| Failure::writing(path, &error))
}
