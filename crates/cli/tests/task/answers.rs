//! An answer from the process of a task is the shell's, byte for byte.

use crate::{command, executable, files_below, repository, run, words};
use runcast_commands::Context;
use runcast_commands::remote::{self, InMemory, Row};
use runcast_server::task::{Event, Launcher, Limits};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// What the shell gives in a folder: exit code, standard output.
fn shell(folder: &Path, argv: &[String]) -> (i32, Vec<u8>) {
    let done = Command::new(executable()).args(argv).current_dir(folder).output().expect("it runs");
    (done.status.code().expect("no signal"), done.stdout)
}

/// Without what measures the computation itself.
fn plain(document: &[u8]) -> Value {
    let mut value: Value = serde_json::from_slice(document).expect("a document");
    strip(&mut value);
    value
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(cost) = fields.remove("cost_of_simulation") {
                // Without a right to open files it still knows its memory.
                assert!(!cfg!(target_os = "linux") || cost["peak_memory_bytes"].as_u64() > Some(1 << 20), "{cost}");
            }
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// A project: a template's files in a folder of their own.
fn project(template: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let (exit, _) = shell(folder.path(), &words(&format!("sim new {template}")));
    assert_eq!(exit, 0, "{template}");
    folder
}

/// The rows of a sweep, computed in so many tasks.
async fn rows_in_tasks(
    launcher: &Launcher,
    argv: &[String],
    files: &[(String, Arc<[u8]>)],
    points: u64,
    tasks: u64,
) -> Vec<(u64, Row)> {
    let mut rows = Vec::new();
    let size = points.div_ceil(tasks).max(1);
    for first in (0..points).step_by(size as usize) {
        let wanted: Vec<u64> = (first..points.min(first + size)).collect();
        let spec = command(argv.to_vec(), Some(wanted.clone()), files.to_vec(), Limits::default());
        let (outcome, events) = run(launcher, spec).await;
        assert_eq!(outcome.code, None, "{outcome:?}");
        let mut seen = Vec::new();
        for event in events {
            if let Event::Point(row) = event {
                seen.push(row.point);
                rows.push((row.point, serde_json::from_str(&row.record).expect("a row")));
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, wanted);
    }
    rows
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_of_each_template_is_the_shells_however_it_is_cut() {
    let launcher = Launcher::new(executable()).await;
    let templates = Command::new(executable()).args(["sim", "new", "--json"]).output().expect("it runs").stdout;
    let templates: Value = serde_json::from_slice(&templates).expect("a document");
    for template in templates["templates"].as_array().expect("a list") {
        let name = template["name"].as_str().expect("a name");
        if name == "bsf" {
            // Made of a costs file.
            continue;
        }
        let folder = project(name);
        let files = files_below(folder.path());
        // The level of labels is quick, and as exact.
        let line = format!("sim sweep {name}/experiment.toml --fidelity label --repetitions 2");
        let told = [words(&line), words("-o out/table.csv --json")].concat();
        std::fs::create_dir(folder.path().join("out")).expect("made");
        let (exit, document) = shell(folder.path(), &told);
        let table = std::fs::read(folder.path().join("out/table.csv")).expect("a table");
        let (_, human) = {
            std::fs::remove_file(folder.path().join("out/table.csv")).expect("removed");
            shell(folder.path(), &told[..told.len() - 1])
        };
        let argv = &told[..told.len() - 1];
        let paths: Vec<String> = files.iter().map(|(path, _)| path.clone()).collect();
        let admitted = remote::admit(argv, &|path| paths.iter().any(|known| known == path)).expect("admitted");
        let mut context = Context::of_files(Box::new(InMemory::new(files.clone())));
        let survey = remote::survey(&admitted, &mut context).expect("surveyed");
        assert!(survey.is_sweep && survey.files.len() >= 3, "{name}: {survey:?}");
        let frozen: Vec<_> = files.iter().filter(|(path, _)| survey.files.contains(path)).cloned().collect();
        for tasks in [1, 2, 7] {
            let rows = rows_in_tasks(&launcher, argv, &frozen, survey.points, tasks).await;
            let mut context = Context::of_files(Box::new(InMemory::new(frozen.clone())));
            let answer = remote::assemble(&admitted, rows, &mut context);
            assert_eq!(answer.table.as_deref(), Some(table.as_slice()), "{name} in {tasks}");
            assert_eq!(plain(answer.document.as_deref().expect("a document")), plain(&document), "{name} in {tasks}");
            assert_eq!(i32::from(answer.exit), exit, "{name}");
            assert_eq!(String::from_utf8_lossy(&answer.human), String::from_utf8_lossy(&human), "{name}");
            assert_eq!(answer.files, [("out/table.csv".to_owned(), table.clone())]);
        }
    }
}

/// Makes a folder what it was.
fn put_back(folder: &Path, before: &[(String, Arc<[u8]>)]) {
    for (path, bytes) in files_below(folder) {
        match before.iter().find(|(known, _)| *known == path) {
            Some((_, known)) if *known == bytes => {}
            Some((_, known)) => std::fs::write(folder.join(path), known).expect("put back"),
            None => std::fs::remove_file(folder.join(path)).expect("removed"),
        }
    }
}

/// Runs a command in the shell and as a task, and compares everything that it gives.
async fn same(launcher: &Launcher, folder: &Path, line: &[String]) {
    let told = line.join(" ");
    let before = files_below(folder);
    let paths: Vec<String> = before.iter().map(|(path, _)| path.clone()).collect();
    let is_there = |path: &str| {
        paths.iter().any(|known| known == path || known.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
    };
    let admitted = remote::admit(line, &is_there).unwrap_or_else(|problem| panic!("{told}: {problem}"));
    let mut context = Context::of_files(Box::new(InMemory::new(before.clone())));
    let survey = remote::survey(&admitted, &mut context).unwrap_or_else(|problems| panic!("{told}: {problems:?}"));
    let frozen: Vec<_> = before.iter().filter(|(path, _)| survey.files.contains(path)).cloned().collect();
    let (outcome, _) = run(launcher, command(line.to_vec(), None, frozen, Limits::default())).await;
    let with_json = [line.to_vec(), words("--json")].concat();
    let (exit, document) = shell(folder, &with_json);
    put_back(folder, &before);
    let (_, human) = shell(folder, line);
    let written: Vec<_> = files_below(folder).into_iter().filter(|file| !before.contains(file)).collect();
    put_back(folder, &before);
    assert_eq!(i32::from(outcome.exit), exit, "{told}: {:?}", outcome.problems);
    let answered = outcome.document.as_deref().unwrap_or_else(|| panic!("{told}: no document: {outcome:?}"));
    assert_eq!(plain(answered), plain(&document), "{told}");
    let lines = |text: &[u8]| -> Vec<String> {
        // How long the simulation itself took.
        let text = String::from_utf8_lossy(text).into_owned();
        text.lines().filter(|line| !line.contains("simulated in")).map(str::to_owned).collect()
    };
    assert_eq!(lines(&outcome.human), lines(&human), "{told}");
    let mut outputs = outcome.outputs.clone();
    outputs.sort();
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    let written: Vec<(String, Vec<u8>)> = written.iter().map(|(path, bytes)| (path.clone(), bytes.to_vec())).collect();
    assert_eq!(names(&outputs), names(&written), "{told}");
    for ((path, ours), (_, theirs)) in outputs.iter().zip(&written) {
        assert!(ours == theirs, "{told}: {path} differs");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_on_the_templates_are_the_shells() {
    let launcher = Launcher::new(executable()).await;
    for (name, set) in [("msort", "p=8"), ("mslave", "slaves=4"), ("heat", "p=8")] {
        let folder = project(name);
        for line in [
            format!("sim run {name}/experiment.toml --set {set}"),
            format!("sim run {name}/experiment.toml --set {set} --explain --timeline {name}/run.json"),
            format!("sim system show {name}/system.toml"),
            format!("sim system check {name}/system.toml"),
            format!("sim optimize {name}/experiment.toml --fidelity label -o front.csv"),
            format!("sim sweep {name}/experiment.toml --fidelity label -o t.csv"),
            format!("sim run {name}/experiment.toml --set {set} --export goal -o schedule"),
        ] {
            same(&launcher, folder.path(), &words(&line)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_other_methods_are_the_shells() {
    let launcher = Launcher::new(executable()).await;
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["hardware", "models"] {
        std::fs::create_dir(folder.path().join(name)).expect("made");
    }
    let runs = "p,n,time_s\n1,1000,10.1\n2,1000,5.3\n4,1000,2.9\n8,1000,1.7\n16,1000,1.1\n1,2000,20.3\n2,2000,10.6\n4,2000,5.7\n8,2000,3.2\n16,2000,2.1\n";
    std::fs::write(folder.path().join("runs.csv"), runs).expect("written");
    std::fs::write(folder.path().join("hardware/own.toml"), "").expect("written");
    let llac = ["llac", "-e", "load runs.csv as t; show t; save t to copy.csv"].map(str::to_owned).to_vec();
    same(&launcher, folder.path(), &llac).await;
    for line in [
        "fit runs.csv -o models/m.json --plot fit.svg",
        "predict runs.csv --at p=32,n=1000 -o predicted.csv",
        "evaluate runs.csv --hold-out top:1",
        "advise processes runs.csv --fixed n=1000",
        "advise next runs.csv --at p=32,n=1000",
        "report runs.csv -o page.html --plot pictures",
        "import runs.csv -o imported.csv",
        "sim hardware list",
        "sim new heat -o fresh",
        "fit runs.csv --metric nonsense",
    ] {
        same(&launcher, folder.path(), &words(line)).await;
    }
    assert!(repository().join("examples").is_dir());
}
