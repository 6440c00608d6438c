//! With the feature `c`: puts the library for C and its declarations where Cargo puts results ([`publish`]).
//!
//! With the feature `mpi`: looks for what the bindings to MPI need before they fail for want of it, and for another MPI
//! than the one that they were built for. Without the features it does nothing.
#![expect(clippy::print_stderr, reason = "Cargo shows what a build script that fails has printed")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_C").is_some()
        && let Err(message) = publish()
    {
        eprintln!("{message}");
        return ExitCode::FAILURE;
    }
    if env::var_os("CARGO_FEATURE_MPI").is_none() || env::var_os("DOCS_RS").is_some() {
        return ExitCode::SUCCESS;
    }
    for name in ["MPICC", "MPI_PKG_CONFIG", "CRAY_MPICH_DIR", "LIBCLANG_PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    match missing().or_else(switched) {
        None => ExitCode::SUCCESS,
        Some(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Copies the declarations to the folder of the results (`target/release`), and names the libraries there, which Cargo
/// leaves among those of other crates.
fn publish() -> Result<(), String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("there is no OUT_DIR")?);
    // target/release/build/NAME/out
    let results = out.ancestors().nth(3).ok_or_else(|| format!("{} is not in a target folder", out.display()))?;
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    for (from, to) in [("bsf.h", "bsf.h"), ("bsf.f90", "bsf.f90"), ("bsf.pc.in", "bsf.pc")] {
        let from = Path::new("include").join(from);
        println!("cargo:rerun-if-changed={}", from.display());
        let text = fs::read_to_string(&from).map_err(|error| format!("{}: {error}", from.display()))?;
        let to = results.join(to);
        fs::write(&to, text.replace("@VERSION@", &version)).map_err(|error| format!("{}: {error}", to.display()))?;
        println!("cargo:rerun-if-changed={}", to.display());
    }
    let shared = if cfg!(target_os = "macos") { "libbsf.dylib" } else { "libbsf.so" };
    ["libbsf.a", shared].iter().try_for_each(|name| link(&Path::new("deps").join(name), &results.join(name)))
}

/// A symbolic link, as the library is built after this.
#[cfg(unix)]
fn link(to: &Path, from: &Path) -> Result<(), String> {
    if fs::read_link(from).is_ok_and(|there| there == to) {
        return Ok(());
    }
    if fs::symlink_metadata(from).is_ok() {
        fs::remove_file(from).map_err(|error| format!("{}: {error}", from.display()))?;
    }
    std::os::unix::fs::symlink(to, from).map_err(|error| format!("{}: {error}", from.display()))
}

/// Elsewhere the libraries stay in `deps`.
#[cfg(not(unix))]
fn link(_to: &Path, _from: &Path) -> Result<(), String> {
    Ok(())
}

/// What is missing, and what to do about it.
fn missing() -> Option<String> {
    let mpi = (!has_mpi()).then(|| format!("an MPI compiler wrapper ({}: libopenmpi-dev or libmpich-dev)", wrapper()));
    let libclang = (!has_libclang()).then(|| "libclang (libclang-dev)".to_owned());
    let missing: Vec<String> = mpi.into_iter().chain(libclang).collect();
    if missing.is_empty() {
        return None;
    }
    Some(format!(
        "the feature `mpi` needs what is not installed here: {}\n\
         hint: on Debian: apt-get install libopenmpi-dev libclang-dev, or libmpich-dev in place of libopenmpi-dev\n\
         hint: elsewhere set MPICC to the compiler wrapper of your MPI, LIBCLANG_PATH to the folder of libclang.so",
        missing.join("; ")
    ))
}

/// Cargo does not build the bindings anew when MPICC changes, and a program for the wrong MPI would come of it.
fn switched() -> Option<String> {
    let note = PathBuf::from(env::var_os("OUT_DIR")?).join("mpicc");
    let shown = Command::new(wrapper()).arg("-show").output().ok()?;
    let now = String::from_utf8_lossy(&shown.stdout).into_owned();
    match fs::read_to_string(&note) {
        Ok(before) if before != now => Some(format!(
            "this target folder was built for another MPI than that of {}\n  before: {}\n  now:    {}\n\
             hint: use a folder for each MPI, such as CARGO_TARGET_DIR=target/openmpi and CARGO_TARGET_DIR=target/mpich\n\
             hint: or first run: cargo clean -p mpi-sys -p mpi -p runcast-bsf (and again with --release)",
            wrapper(),
            before.trim(),
            now.trim()
        )),
        Ok(_) => None,
        // Not noting it does no harm: a later switch is then not seen.
        Err(_) => fs::write(&note, now).err().and(None),
    }
}

/// The compiler wrapper, as the bindings choose it.
fn wrapper() -> String {
    env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned())
}

/// A wrapper that was asked for must be there; else the bindings find other ways.
fn has_mpi() -> bool {
    if ["MPI_PKG_CONFIG", "CRAY_MPICH_DIR"].iter().any(|name| env::var_os(name).is_some()) {
        return true;
    }
    let is_installed = |name: &&str| succeeds("pkg-config", &["--exists", name]);
    succeeds(&wrapper(), &["-show"]) || env::var_os("MPICC").is_none() && ["mpich", "ompi"].iter().any(is_installed)
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

/// Where the bindings look for it, or more than that.
fn has_libclang() -> bool {
    if env::var_os("LIBCLANG_PATH").is_some() || !cfg!(target_os = "linux") {
        return true;
    }
    let told = Command::new("llvm-config").arg("--libdir").output();
    let told = told.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())).ok();
    let listed: Vec<PathBuf> =
        ["LD_LIBRARY_PATH", "LIBRARY_PATH"].iter().filter_map(env::var_os).flat_map(split).collect();
    let usual = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64", "/lib", "/lib64"].map(PathBuf::from);
    let below = ["/usr/lib", "/usr/lib64", "/usr/local", "/opt"].into_iter().flat_map(subfolders);
    let below = below.flat_map(|folder| [folder.join("lib"), folder.join("lib64"), folder]);
    told.into_iter().chain(listed).chain(usual).chain(below).any(|folder| holds_libclang(&folder))
}

fn split(paths: std::ffi::OsString) -> Vec<PathBuf> {
    env::split_paths(&paths).collect()
}

/// Such as `/usr/lib/llvm-14` and `/usr/lib/x86_64-linux-gnu`.
fn subfolders(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// `libclang.so`, `libclang.so.1`, `libclang-14.so.1`.
fn holds_libclang(folder: &Path) -> bool {
    let is_it = |name: &str| {
        let is_named = name.starts_with("libclang.so") || name.starts_with("libclang-") && name.contains(".so");
        is_named && !name.starts_with("libclang-cpp")
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| name.to_str().is_some_and(is_it))
}
