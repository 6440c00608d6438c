//! What the tests share: compilers, runs of C programs, traces.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// A compiler and the flags of its language.
#[derive(Debug, Clone, Copy)]
pub struct Compiler {
    pub program: &'static str,
    pub flags: &'static str,
}

pub const C: [Compiler; 2] =
    [Compiler { program: "gcc", flags: "-std=gnu11" }, Compiler { program: "clang", flags: "-std=gnu11" }];
pub const CPP: [Compiler; 2] = [
    Compiler { program: "g++", flags: "-x c++ -std=c++17" },
    Compiler { program: "clang++", flags: "-x c++ -std=c++17" },
];

/// Those that are here, of both languages.
pub fn all() -> impl Iterator<Item = Compiler> {
    C.into_iter().chain(CPP).filter(|compiler| have(&[compiler.program]))
}

/// Those for C that are here.
pub fn for_c() -> impl Iterator<Item = Compiler> {
    C.into_iter().filter(|compiler| have(&[compiler.program]))
}

/// Whether a test that needs these programs can run. On machines that must run all (`RUNCAST_REQUIRE_ALL=1`), a
/// program that is missing is a failure.
pub fn have(programs: &[&str]) -> bool {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let missing: Vec<_> =
        programs.iter().filter(|program| !folders.iter().any(|folder| folder.join(program).is_file())).collect();
    if missing.is_empty() {
        return true;
    }
    assert!(std::env::var_os("RUNCAST_REQUIRE_ALL").is_none_or(|value| value != "1"), "missing: {missing:?}");
    eprintln!("NOT RUN: these programs are missing: {missing:?}");
    false
}

/// The folder of the run-time library.
pub fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime")
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runtime/programs")
}

/// Compiles programs of `programs/` into one; what was compiled before from the same texts is taken again.
pub fn build(compiler: Compiler, files: &[&str], flags: &str) -> PathBuf {
    let sources: Vec<PathBuf> = files.iter().map(|file| programs().join(file)).collect();
    let mut hasher = DefaultHasher::new();
    (compiler.program, compiler.flags, flags).hash(&mut hasher);
    for file in sources.iter().cloned().chain(["cll.h", "cll_mpi.h"].map(|name| library().join(name))) {
        fs::read(&file).expect("a source").hash(&mut hasher);
    }
    let stem = files[0].trim_end_matches(".c");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{stem}-{:016x}", hasher.finish()));
    if !target.is_file() {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let own = target.with_extension(format!("{}-{number}", std::process::id()));
        let mut command = Command::new(compiler.program);
        command.args(compiler.flags.split_whitespace()).args(["-O1", "-g", "-Wall", "-Wextra", "-Werror"]);
        command.args(flags.split_whitespace()).arg("-I").arg(library()).args(&sources);
        command.arg("-o").arg(&own).args(["-lm", "-pthread"]);
        let output = command.output().expect("a compiler");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        fs::rename(own, &target).expect("a program");
    }
    target
}

/// A folder in which programs run.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Place { folder: tempfile::tempdir().expect("a folder") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A command of this place, which ends in any case; of the caller's environment nothing concerns the library.
    pub fn command(&self, program: &Path, arguments: &str, variables: &[(&str, &str)]) -> Command {
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", "60"]).arg(program).args(arguments.split_whitespace());
        command.current_dir(self.path()).env("CLL_NAME", "p");
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.envs(variables.iter().copied());
        command
    }

    pub fn run(&self, program: &Path, arguments: &str, variables: &[(&str, &str)]) -> Ran {
        Ran::of(&self.command(program, arguments, variables).output().expect("timeout is installed"))
    }

    /// Files of rows in a folder of this place, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).expect("a folder").flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.ends_with(".csv"))
            .collect();
        names.sort();
        names
    }

    pub fn trace(&self, name: &str) -> Trace {
        Trace::read(&self.path().join(name))
    }

    /// The only trace, of a run that ended well.
    pub fn trace_of(&self, program: &Path, arguments: &str, variables: &[(&str, &str)]) -> Trace {
        let ran = self.run(program, arguments, variables);
        assert_eq!(ran.code, Some(0), "{arguments}: {ran:?}");
        assert_eq!(self.files(), ["p.cll.0.csv"], "{arguments}");
        let trace = self.trace("p.cll.0.csv");
        fs::remove_file(self.path().join("p.cll.0.csv")).expect("a file");
        trace
    }
}

/// What a program gave.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

/// A row, by the names of the columns.
pub type Row = BTreeMap<String, String>;

/// A trace as a reader sees it that knows nothing of its writer.
#[derive(Debug)]
pub struct Trace {
    /// Lines `# key: JSON`.
    pub notes: Vec<(String, Value)>,
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
}

impl Trace {
    pub fn read(file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut trace = Trace { notes: Vec::new(), columns: Vec::new(), rows: Vec::new() };
        assert!(text.starts_with("# cll-trace: 2\n"), "{text}");
        for line in text.lines() {
            if let Some(note) = line.strip_prefix("# ") {
                let (key, json) = note.split_once(": ").expect("a key");
                let value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{line}: {error}"));
                trace.notes.push((key.to_owned(), value));
            } else if trace.columns.is_empty() {
                trace.columns = cells(line);
            } else {
                let cells = cells(line);
                assert_eq!(cells.len(), trace.columns.len(), "{line}");
                trace.rows.push(trace.columns.iter().cloned().zip(cells).collect());
            }
        }
        trace
    }

    pub fn notes_of(&self, key: &str) -> Vec<&Value> {
        self.notes.iter().filter(|(name, _)| name == key).map(|(_, value)| value).collect()
    }

    pub fn note(&self, key: &str) -> &Value {
        match self.notes_of(key).as_slice() {
            [value] => value,
            values => panic!("{} times {key}", values.len()),
        }
    }

    pub fn end(&self) -> &Value {
        self.note("end")
    }

    pub fn of(&self, region: &str) -> Vec<&Row> {
        self.rows.iter().filter(|row| row["region"] == region).collect()
    }

    /// Cells of some columns, of each row.
    pub fn cells(&self, columns: &str) -> Vec<String> {
        let columns: Vec<&str> = columns.split(',').collect();
        let cells = |row: &Row| columns.iter().map(|column| row[*column].as_str()).collect::<Vec<_>>().join(",");
        self.rows.iter().map(cells).collect()
    }
}

/// A number of a row.
pub fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column}: {:?} in {row:?}", row[column]))
}

fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cells.last_mut().expect("a cell").push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            letter => cells.last_mut().expect("a cell").push(letter),
        }
    }
    cells
}
