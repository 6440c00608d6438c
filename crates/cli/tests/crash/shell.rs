//! What is done on the database beside a server that works: projects go out and in, copies are whole, checks tell.

use crate::scene::{Scene, on_postgres};
use crate::site::Plan;
use crate::{executable, sweep, undisturbed};
use runcast_store::database::Location;
use runcast_store::testing::Postgres;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

const TURNS: u64 = 20_000;
const PLAN: Plan = Plan { in_process: 2, workers: 0, lease_s: 1 };
/// Where Debian puts the programs of its version.
const PROGRAMS: &str = "/usr/lib/postgresql/15/bin";

#[test]
fn projects_go_out_and_in_and_a_copy_is_whole_on_sqlite() {
    let mut scene = with_a_result(None);
    goes_out_and_in(&scene);
    // It is copied while jobs run and a file changes.
    scene.client.launch(1, 1, TURNS);
    let place = tempfile::tempdir().expect("a folder");
    let copy = place.path().join("copy.sqlite");
    let told = done(&scene.site.admin(&["backup", &copy.display().to_string()]));
    assert_eq!(told["bytes"].as_u64(), copy.metadata().ok().map(|about| about.len()));
    failed(&scene.site.admin(&["backup", &copy.display().to_string()]), 1, "file_exists");
    scene.until_done(Duration::from_secs(60));
    scene.end(TURNS);
    // A server that is given the copy has all that was there.
    let data = place.path().join("data");
    std::fs::create_dir(&data).expect("made");
    std::fs::rename(&copy, data.join("runcast.sqlite")).expect("moved");
    is_whole(&Location::File(data.join("runcast.sqlite")), place.path());
}

#[test]
fn projects_go_out_and_in_and_a_copy_is_whole_on_postgres() {
    on_postgres(|postgres| {
        let mut scene = with_a_result(postgres);
        goes_out_and_in(&scene);
        scene.client.launch(1, 1, TURNS);
        let place = tempfile::tempdir().expect("a folder");
        let copy = place.path().join("copy.dump").display().to_string();
        let told = failed(&scene.site.admin(&["backup", &copy]), 2, "postgres");
        assert!(told.contains("pg_dump --format=custom --file=FILE"), "{told}");
        // As the hint says.
        let Location::Url(url) = &scene.site.location else { panic!("PostgreSQL has an address") };
        program("pg_dump", &["--format=custom", &format!("--file={copy}"), url]);
        let server = scene.site.postgres.as_ref().expect("PostgreSQL");
        let fresh = scene.runtime.block_on(server.fresh()).expect("a database");
        let Location::Url(fresh_url) = &fresh else { panic!("PostgreSQL has an address") };
        program("pg_restore", &["--exit-on-error", &format!("--dbname={fresh_url}"), &copy]);
        is_whole(&fresh, place.path());

        scene.until_done(Duration::from_secs(60));
        // While the database is unreachable, commands say so, and change nothing.
        scene.site.postgres.as_ref().expect("PostgreSQL").kill().expect("killed");
        let away = scene.site.admin(&["check"]);
        let checks: Value = serde_json::from_slice(&away.stdout).expect("JSON");
        assert_eq!((away.status.code(), &checks["ok"]), (Some(1), &Value::Bool(false)), "{checks}");
        assert_eq!((&checks["checks"][0]["name"], &checks["checks"][0]["ok"]), (&"database".into(), &false.into()));
        failed(&scene.site.admin(&["project", "list"]), 1, "database");
        scene.site.postgres.as_ref().expect("PostgreSQL").start_again().expect("it starts again");
        scene.end(TURNS);
    });
}

fn with_a_result(postgres: Option<Postgres>) -> Scene {
    let mut scene = Scene::start(PLAN, postgres);
    scene.client.launch(0, 0, TURNS);
    scene.until_done(Duration::from_secs(60));
    scene
}

/// I6, and the command line of a job gives in the folder what the job gave.
fn goes_out_and_in(scene: &Scene) {
    let place = tempfile::tempdir().expect("a folder");
    let [one, two] = ["one", "two"].map(|name| place.path().join(name).display().to_string());
    done(&scene.site.admin(&["project", "export", "main", &one]));
    failed(&scene.site.admin(&["project", "export", "main", &one]), 1, "not empty");
    failed(&scene.site.admin(&["project", "export", "nobody", &two]), 1, "missing");
    let path = format!("{}:/usr/bin:/bin", executable().parent().expect("a folder").display());
    let ran = Command::new("sh").arg("run.sh").current_dir(&one).env("PATH", path).output().expect("sh");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let table = Path::new(&one).join("t.csv");
    assert_eq!(std::fs::read(&table).expect("a table"), undisturbed(&sweep(0, TURNS)));
    std::fs::remove_file(table).expect("removed");

    let into = done(&scene.site.admin(&["project", "import", &one, "copy"]));
    assert_eq!(into["created"].as_array().map(Vec::len), Some(3), "{into}");
    let again = done(&scene.site.admin(&["project", "import", &one, "copy"]));
    assert_eq!(again["unchanged"].as_array().map(Vec::len), Some(3), "{again}");
    done(&scene.site.admin(&["project", "export", "copy", &two]));
    assert_eq!(files_of(&one), files_of(&two));
    // What the shell has made is there for the server at once.
    let file = scene.client.ask("GET", "/projects/copy/files/e.toml", &[], &[]);
    assert_eq!((file.status, file.text().as_str()), (200, crate::EXPERIMENT));
}

/// A copy is a database as any: it passes the check, and gives its files and its job's command line.
fn is_whole(copy: &Location, place: &Path) {
    let folder = place.join("out");
    let admin = |args: &[&str]| {
        let mut command = Command::new(executable());
        command.arg("serve").args(args).arg("--json").arg("--data-dir").arg(place.join("data"));
        command.env_remove("RUNCAST_DATABASE_URL");
        if let Location::Url(url) = copy {
            std::fs::create_dir_all(place.join("data")).expect("made");
            command.env("RUNCAST_DATABASE_URL", url);
        }
        command.output().expect("it runs")
    };
    let checked = admin(&["check"]);
    let checked: Value = serde_json::from_slice(&checked.stdout).expect("JSON");
    for name in ["database", "schema"] {
        let mut checks = checked["checks"].as_array().expect("checks").iter();
        assert!(checks.any(|check| check["name"] == name && check["ok"] == true), "{name}: {checked}");
    }
    done(&admin(&["project", "export", "main", &folder.display().to_string()]));
    let files = files_of(&folder.display().to_string());
    assert_eq!(files["app.luau"], crate::SCRIPT.as_bytes());
    let script = std::fs::read_to_string(folder.join("run.sh")).expect("a script");
    assert_eq!(script.lines().filter(|line| line.starts_with("runcast sim sweep")).count(), 2, "{script}");
}

/// Paths and contents, without `run.sh`.
fn files_of(folder: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten().filter(|entry| entry.path().is_file());
    let files = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    let files = files.filter(|(name, _)| name != "run.sh");
    files.map(|(name, path)| (name, std::fs::read(path).expect("a file"))).collect()
}

fn done(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&said).expect("JSON")
}

fn failed(output: &Output, exit: i32, code: &str) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(exit), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains(code), "{said}");
    said
}

fn program(name: &str, args: &[&str]) {
    let ran = Command::new(Path::new(PROGRAMS).join(name)).args(args).output().expect("it runs");
    assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
}
