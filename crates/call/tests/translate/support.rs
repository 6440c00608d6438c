//! Translates, compiles with every compiler, runs, and reads traces.

use runcast_call::translate::{Input, Language, Translation, translate};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A row of a trace, by column.
pub type Row = BTreeMap<String, String>;

/// What a program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub out: String,
    pub code: Option<i32>,
}

/// What a translated program did and recorded.
pub struct Recorded {
    pub rows: Vec<Row>,
    /// The lines before the table.
    pub header: String,
    /// The program before its translation.
    pub before: Ran,
}

impl Recorded {
    /// The rows of an experiment.
    pub fn of(&self, region: &str) -> Vec<&Row> {
        self.rows.iter().filter(|row| row["region"] == region).collect()
    }

    /// How often an experiment was visited, with this status.
    pub fn visits(&self, region: &str, status: &str) -> u64 {
        let rows = self.of(region).into_iter().filter(|row| row["status"] == status);
        rows.map(|row| row["visits"].parse::<u64>().expect("a number")).sum()
    }

    /// The values of a name in the rows of an experiment.
    pub fn values(&self, region: &str, name: &str) -> Vec<f64> {
        self.of(region).into_iter().map(|row| row[name].parse().expect("a number")).collect()
    }
}

pub fn language(name: &str) -> Language {
    Language::of_name(name)
}

/// Translates one source.
pub fn translated(name: &str, source: &str) -> Translation {
    translate(&[Input::new(name, source.as_bytes().to_vec(), language(name))], &mut |_, _| None)
}

/// The translation of a source without errors.
#[track_caller]
pub fn good(name: &str, source: &str) -> Translation {
    let done = translated(name, source);
    assert!(done.problems.is_empty(), "{:#?}", done.problems);
    done
}

/// Codes and lines of what is wrong with a source of C.
pub fn errors(source: &str) -> Vec<(String, u64)> {
    errors_of("x.c", source)
}

/// Codes and lines of what is wrong with a source.
pub fn errors_of(name: &str, source: &str) -> Vec<(String, u64)> {
    let problems = translated(name, source).problems;
    for problem in &problems {
        assert!(problem.column.is_some() && problem.hint.is_some(), "{problem:?}");
        assert_eq!(problem.file.as_deref(), Some(name));
    }
    problems.into_iter().map(|problem| (problem.code, problem.line.expect("a line"))).collect()
}

/// The single error of a source of C: its code, line and message.
#[track_caller]
pub fn error(source: &str) -> (String, u64, String) {
    let problems = translated("x.c", source).problems;
    assert_eq!(problems.len(), 1, "{problems:#?}");
    (problems[0].code.clone(), problems[0].line.expect("a line"), problems[0].message.clone())
}

/// Statements as the body of a function of C; the first of them is line 2.
pub fn body(statements: &str) -> String {
    format!("void f(int n, int x) {{\n{statements}\n}}\n")
}

/// The compilers for a source.
fn compilers(name: &str) -> Vec<&'static str> {
    let all = match language(name) {
        Language::C => ["gcc", "clang"],
        Language::Cpp => ["g++", "clang++"],
    };
    all.into_iter().filter(|compiler| is_there(compiler)).collect()
}

pub fn is_there(compiler: &str) -> bool {
    let there = Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success());
    let optional = std::env::var("RUNCAST_REQUIRE_ALL").is_ok_and(|value| value == "0");
    assert!(there || optional, "{compiler} is needed");
    there
}

/// A folder with sources, their translations, and the run-time library.
pub struct Place {
    pub folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let library = include_str!("../../../cll/runtime/cll.h");
        std::fs::write(folder.path().join("cll.h"), library).expect("written");
        let of_mpi = include_str!("../../../cll/runtime/cll_mpi.h");
        std::fs::write(folder.path().join("cll_mpi.h"), of_mpi).expect("written");
        Place { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &[u8]) {
        std::fs::write(self.path(name), text).expect("written");
    }

    /// Writes a source and its translation; gives the name of the translation.
    #[track_caller]
    pub fn translate(&self, name: &str, source: &str) -> String {
        let input = Input::new(name, source.as_bytes().to_vec(), language(name));
        let done = translate(std::slice::from_ref(&input), &mut |_, _| None);
        assert!(done.problems.is_empty(), "{:#?}", done.problems);
        self.write(name, source.as_bytes());
        self.write(&input.output_name(), &done.files[0].text);
        if let Some(header) = &done.files[0].header {
            self.write(&input.header_name(), header.as_bytes());
        }
        input.output_name()
    }

    /// What a compiler says.
    pub fn compile(&self, compiler: &str, sources: &[&str], options: &[&str], program: &str) -> Output {
        let mut command = Command::new(compiler);
        command.current_dir(self.folder.path()).args(["-O1", "-Wall", "-Wextra"]).args(options).args(sources);
        command.args(["-o", program, "-lm"]).output().expect("a compiler")
    }

    #[track_caller]
    pub fn compiled(&self, compiler: &str, sources: &[&str], options: &[&str], program: &str) {
        let output = self.compile(compiler, sources, options, program);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{compiler} {sources:?}:\n{said}\n{}", self.shown(sources));
    }

    fn shown(&self, sources: &[&str]) -> String {
        sources.iter().map(|name| std::fs::read_to_string(self.path(name)).unwrap_or_default()).collect()
    }

    /// Runs a program; its trace goes into the folder `trace`.
    pub fn run(&self, program: &str) -> Ran {
        let trace = self.path("trace");
        let _ = std::fs::remove_dir_all(&trace);
        std::fs::create_dir(&trace).expect("a folder");
        let output = Command::new("timeout")
            .args(["60", &format!("./{program}")])
            .current_dir(self.folder.path())
            .env("CLL_DIR", &trace)
            .env("CLL_RUN", "1")
            .output()
            .expect("run");
        Ran { out: String::from_utf8_lossy(&output.stdout).into_owned(), code: output.status.code() }
    }

    /// The rows of all traces.
    pub fn trace(&self) -> (Vec<Row>, String) {
        let mut rows = Vec::new();
        let mut header = String::new();
        for entry in std::fs::read_dir(self.path("trace")).expect("a folder") {
            let text = std::fs::read_to_string(entry.expect("a file").path()).expect("text");
            let (comments, table): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
            header.push_str(&comments.join("\n"));
            let columns: Vec<&str> = table.first().map(|line| line.split(',').collect()).unwrap_or_default();
            for line in table.iter().skip(1) {
                let cells = line.split(',').map(str::to_owned);
                rows.push(columns.iter().map(|column| (*column).to_owned()).zip(cells).collect());
            }
        }
        (rows, header)
    }
}

/// Compiles a source before and after its translation with every compiler, without any warning but those of unknown
/// pragmas, and of what only they use, checks that the program does the same, and gives what each recorded.
#[track_caller]
pub fn recorded(name: &str, source: &str) -> Vec<Recorded> {
    recorded_with(name, source, &[])
}

#[track_caller]
pub fn recorded_with(name: &str, source: &str, options: &[&str]) -> Vec<Recorded> {
    let place = Place::new();
    let output = place.translate(name, source);
    let mut all = Vec::new();
    for compiler in compilers(name) {
        let before = [options, &["-Werror", "-Wno-unknown-pragmas", "-Wno-unused", "-Wno-unused-parameter"]].concat();
        place.compiled(compiler, &[name], &before, "before");
        let after = [options, &["-Werror"]].concat();
        place.compiled(compiler, &[&output], &after, "after");
        let before = place.run("before");
        let after = place.run("after");
        assert_eq!(before, after, "{compiler}");
        let (rows, header) = place.trace();
        all.push(Recorded { rows, header, before });
    }
    assert!(!all.is_empty());
    all
}

/// Names the compilers of a source, for tests that call them themselves.
pub fn each_compiler(name: &str, mut with: impl FnMut(&'static str)) {
    compilers(name).into_iter().for_each(&mut with);
}

pub fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cll").join(name);
    std::fs::read_to_string(path).expect(name)
}
