//! Compiles C programs and runs them on ranks.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// One of Debian's MPIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mpi {
    OpenMpi,
    Mpich,
}

impl Mpi {
    /// Those that are here. With `RUNCAST_REQUIRE_ALL=1` none may be missing.
    pub fn all() -> Vec<Mpi> {
        let there: Vec<_> = [Mpi::OpenMpi, Mpi::Mpich]
            .into_iter()
            .filter(|mpi| have(&mpi.compiler()) && have(&mpi.launcher()))
            .collect();
        assert!(there.len() == 2 || !require_all(), "Open MPI and MPICH are needed, only {there:?} is here");
        there
    }

    fn suffix(self) -> &'static str {
        match self {
            Mpi::OpenMpi => "openmpi",
            Mpi::Mpich => "mpich",
        }
    }

    pub fn compiler(self) -> String {
        format!("mpicc.{}", self.suffix())
    }

    fn launcher(self) -> String {
        format!("mpirun.{}", self.suffix())
    }
}

pub fn require_all() -> bool {
    std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1")
}

pub fn have(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

pub fn runtime() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime")
}

pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pub/programs").join(name)
}

/// A compiled program in a folder of its own.
pub struct Program {
    pub mpi: Mpi,
    folder: TempDir,
}

impl Program {
    /// The compiler's warnings are errors.
    pub fn build(mpi: Mpi, options: &[&str], sources: &[&str]) -> Program {
        Program::build_by(mpi, "gcc", options, sources)
    }

    /// The wrappers of both MPIs take from the environment which compiler they call.
    pub fn build_by(mpi: Mpi, compiler: &str, options: &[&str], sources: &[&str]) -> Program {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(mpi.compiler());
        command.env("OMPI_CC", compiler).env("MPICH_CC", compiler);
        command.args(["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"]).args(options).arg("-I").arg(runtime());
        command.args(sources.iter().map(|name| source(name))).arg("-o").arg(folder.path().join("program"));
        let output = command.output().expect("a compiler");
        assert!(output.status.success(), "{mpi:?} {sources:?}: {}", String::from_utf8_lossy(&output.stderr));
        Program { mpi, folder }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    /// Runs it, for a minute at most.
    pub fn run(&self, ranks: usize, arguments: &[&str], environment: &[(&str, &str)]) -> Ended {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "60"]).arg(self.mpi.launcher());
        if self.mpi == Mpi::OpenMpi {
            command
                .arg("--oversubscribe")
                .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
                .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        }
        command.args(["-n", &ranks.to_string()]).arg(self.path()).args(arguments);
        let output = command.env_remove("PUB_TIMEOUT").envs(environment.iter().copied()).output().expect("started");
        Ended::of(&output)
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ended {
    fn of(output: &Output) -> Ended {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ended { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// How often the ranks have printed a word. The launchers tear lines apart, but not words: `;` ends them.
    pub fn count(&self, word: &str) -> usize {
        self.out.matches(&format!("{word};")).count()
    }
}
