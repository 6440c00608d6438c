//! Jobs of a real server give what the shell gives: examples at all fidelities, and each command that may be a job.

mod derived;
mod examples;
mod folders;
#[path = "../support/http.rs"]
mod http;
mod site;
mod whatif;

use crate::{executable, files_below};
use runcast_commands::remote::rules;
use runcast_store::jobs::{self, NewJob};
use runcast_store::testing::Place;
use runcast_store::{Database, Id};
use serde_json::{Value, json};
use site::Site;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Command lines that are run at once for comparison.
const SHELLS: usize = 2;

/// What comes of a command line.
#[derive(Debug, PartialEq)]
struct Told {
    exit: i32,
    document: Option<Value>,
    text: String,
    files: Vec<(String, Vec<u8>)>,
}

/// Words of a command line, as a shell reads them: quoted ones in one piece.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in line.chars() {
        match (letter, quote) {
            ('\'', None) => quote = Some(letter),
            ('\'', Some(_)) => quote = None,
            (' ', None) => words.push(std::mem::take(&mut word)),
            _ => word.push(letter),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// What is not the same twice: how long the computation itself took.
fn plain(mut document: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| !["cost_of_simulation", "phases_per_s"].contains(&name.as_str()));
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut document);
    document
}

fn plain_text(text: &[u8]) -> String {
    let text = String::from_utf8(text.to_vec()).expect("UTF-8");
    text.split_inclusive('\n')
        .filter(|line| !line.contains(" simulated in ") && !line.contains("phases a second"))
        .collect()
}

/// Pastes a command line into a shell, in a folder with these files.
fn shell(files: &[(String, Vec<u8>)], line: &str) -> Told {
    let folder = tempfile::tempdir().expect("a folder");
    let path = format!("{}:/usr/bin:/bin", executable().parent().expect("its folder").display());
    let run = |line: &str| {
        for (path, bytes) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, bytes).expect("written");
        }
        std::fs::create_dir_all(folder.path().join("out")).expect("made");
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(folder.path()).env("PATH", &path).stdin(Stdio::null());
        let done = command.output().expect("a shell");
        (done.status.code().expect("no signal"), done.stdout)
    };
    let (exit, document) = run(&format!("{line} --json"));
    let made = |path: &Path| -> Vec<(String, Vec<u8>)> {
        let all = files_below(path).into_iter().map(|(path, bytes)| (path, bytes.to_vec()));
        all.filter(|file| !files.contains(file)).collect()
    };
    made(folder.path()).iter().for_each(|(path, _)| std::fs::remove_file(folder.path().join(path)).expect("removed"));
    let (again, text) = run(line);
    assert_eq!(again, exit, "{line}");
    let written = made(folder.path());
    let document = serde_json::from_slice(&document).unwrap_or_else(|error| panic!("{line}: {error}"));
    Told { exit, document: Some(plain(document)), text: plain_text(&text), files: written }
}

/// What a job has given.
fn told(site: &Site, job: &Value) -> Told {
    let id = job["id"].as_str().expect("an id");
    let part = |what: &str| site.get(&format!("/jobs/{id}/{what}"));
    let document = part("document").map(|bytes| plain(serde_json::from_slice(&bytes).expect("JSON")));
    let is_sweep = document.as_ref().is_some_and(|document| document["kind"] == "sim-sweep");
    let exit = match (job["state"].as_str(), job["error"]["code"].as_str()) {
        (Some("succeeded"), None) => 0,
        // A row that could not be simulated is a row, too.
        (Some("failed"), Some("failed")) if is_sweep => {
            if job["points_done"] == json!(0) {
                2
            } else {
                0
            }
        }
        (Some("failed"), Some("input")) => 2,
        (Some("failed"), Some("failed")) => 1,
        other => panic!("{other:?}: {job}"),
    };
    let list: Value = serde_json::from_slice(&part("files").expect("a list")).expect("JSON");
    let names = list["items"].as_array().expect("items").iter().map(|item| item["name"].as_str().expect("a name"));
    let mut files: Vec<(String, Vec<u8>)> =
        names.map(|name| (name.to_owned(), part(&format!("files/{name}")).expect("a file"))).collect();
    files.sort();
    if let Some(table) = part("table").filter(|_| files.iter().any(|(name, _)| name.ends_with(".csv"))) {
        assert!(files.iter().any(|(_, bytes)| *bytes == table), "{job}: a table that is none of the files");
    }
    if let Some(timeline) = part("timeline") {
        assert!(files.iter().any(|(_, bytes)| *bytes == timeline), "{job}: a timeline that is none of the files");
    }
    Told { exit, document, text: plain_text(&part("text").unwrap_or_default()), files }
}

/// Problems as the command line writes them: without what is not known.
fn shortened(problems: &Value) -> Value {
    let mut problems = problems.clone();
    for problem in problems.as_array_mut().expect("a list") {
        let fields = problem.as_object_mut().expect("an object");
        fields
            .retain(|name, value| !value.is_null() && !["severity", "end_line", "end_column"].contains(&name.as_str()));
    }
    problems
}

/// The job as it is.
fn job(site: &Site, id: &str) -> Value {
    serde_json::from_slice(&site.get(&format!("/jobs/{id}")).expect("a job")).expect("JSON")
}

/// The same job once more, in tasks of so many points.
async fn cut(db: &Database, id: &str, points_per_task: i64) -> String {
    let id = Id::parse(id).expect("an id");
    let job = jobs::get(db, &id).await.expect("the database").expect("the job");
    let again = NewJob {
        id: Id::new(),
        project: job.project,
        user: job.user,
        batch: None,
        title: String::new(),
        argv: job.argv,
        task_argv: job.task_argv,
        limits: job.limits.to_string(),
        priority: 0,
        points: job.points_total,
        points_per_task,
        files: job.files,
    };
    jobs::launch(db, &[again]).await.expect("launched").remove(0).to_string()
}

/// Answers of the shell by command line.
type Known = BTreeMap<String, Told>;

/// What the shell says to these, several at a time.
fn learn(files: &[(String, Vec<u8>)], lines: BTreeSet<String>, known: &mut Known) {
    let (lines, known) = (Mutex::new(lines), Mutex::new(known));
    let next = || lines.lock().expect("whole").pop_first();
    std::thread::scope(|scope| {
        for _ in 0..SHELLS {
            scope.spawn(|| {
                while let Some(line) = next() {
                    let told = shell(files, &line);
                    known.lock().expect("whole").insert(line, told);
                }
            });
        }
    });
}

/// Runs command lines as jobs, and sweeps in one task, two and seven; compares each with the shell.
async fn same(site: &Site, files: &[(String, Vec<u8>)], lines: &[String], slots: usize, known: &mut Known) {
    let wishes: Vec<Value> = lines.iter().map(|line| json!({"argv": words(line)})).collect();
    let answer = site.post("/projects/main/batches", &json!({"jobs": wishes, "atomic": false}));
    assert_eq!(answer.status, 202, "{}", answer.text());
    let db = site.database().await;
    let mut launched: Vec<(String, String)> = Vec::new();
    for (line, item) in lines.iter().zip(answer.json()["jobs"].as_array().expect("jobs")) {
        let id = item["id"].as_str().unwrap_or_else(|| panic!("{line}: {item}"));
        launched.push((line.clone(), id.to_owned()));
        if examples::SWEEPS.contains(&line.as_str()) {
            for (tasks, points) in [(1, 7), (2, 4)] {
                launched.push((format!("{line} in {tasks} tasks"), cut(&db, id, points).await));
            }
        }
    }
    db.close().await;
    let all: Vec<Value> = launched.iter().map(|(_, id)| job(site, id)).collect();
    let line_of = |job: &Value| job["command_line"].as_str().expect("a text").to_owned();
    std::thread::scope(|scope| {
        scope.spawn(|| site.work(slots));
        learn(files, all.iter().map(line_of).filter(|line| !known.contains_key(line)).collect(), known);
    });
    for (what, id) in &launched {
        let job = job(site, id);
        let line = line_of(&job);
        let ours = told(site, &job);
        let theirs = &known[&line];
        assert_eq!(ours.exit, theirs.exit, "{what}: {job}");
        assert_eq!(ours.exit != 0, examples::FAILING.contains(&what.as_str()), "{what}: {job}");
        assert_eq!(ours.document, theirs.document, "{what}");
        assert_eq!(ours.text, theirs.text, "{what}");
        let names = |told: &Told| told.files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&ours), names(theirs), "{what}");
        assert!(ours == *theirs, "{what}: files differ");
        if let Some(problems) = theirs.document.as_ref().and_then(|document| document.get("problems")) {
            assert_eq!(shortened(&job["error"]["problems"]), *problems, "{what}");
        }
    }
}

fn filled(site: &Site, files: &[(String, Vec<u8>)]) {
    for (path, bytes) in files {
        site.put(path, bytes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_any_command_gives_what_the_shell_gives() {
    let (files, lines) = (examples::files(), examples::lines());
    let sweeps = examples::SWEEPS.map(str::to_owned);
    let mut known = Known::new();
    let site = Site::start(None);
    filled(&site, &files);
    same(&site, &files, &sweeps, 1, &mut known).await;
    same(&site, &files, &[sweeps.to_vec(), lines].concat(), 4, &mut known).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn so_it_does_on_postgresql() {
    let files = examples::files();
    let sweeps = examples::SWEEPS.map(str::to_owned);
    let mut known = Known::new();
    let Some(place) = Place::postgres().await.expect("PostgreSQL starts") else {
        let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
        assert!(!must, "PostgreSQL is missing");
        eprintln!("not tested on PostgreSQL: it is not installed");
        return;
    };
    let site = Site::start(Some(place.location()));
    filled(&site, &files);
    let one_each =
        ["sim run experiments/two.toml --check --check-procs 8", "fit tables/runs.csv -o m.json --plot fit.svg"];
    let lines = [sweeps.to_vec(), one_each.map(str::to_owned).to_vec()].concat();
    same(&site, &files, &lines, 1, &mut known).await;
    same(&site, &files, &lines, 4, &mut known).await;
}

#[test]
fn no_command_that_may_be_a_job_is_left_out() {
    let lines: Vec<String> = examples::lines().into_iter().chain(examples::SWEEPS.map(str::to_owned)).collect();
    let all = rules::RULES.iter().filter(|rule| rule.refused.is_none()).map(|rule| rule.command);
    let left_out: Vec<&str> = all.filter(|name| !lines.iter().any(|line| line.starts_with(name))).collect();
    assert_eq!(left_out, Vec::<&str>::new());
}
