//! A project as a folder: what was made on the server gives the same in a shell, and what was made in a shell the same on
//! the server.

use super::site::Site;
use super::{executable, words};
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};

const SYSTEM: &str = include_str!("files/lab.toml");
const SORT: &str = include_str!("files/msort.luau");
/// On machines whose processors stand in the project's own catalogue and in that of the site.
const EXPERIMENT: &str = "format = \"runcast-experiment/1\"\nsystem = \"../systems/lab.toml\"\n[[app]]\n\
                          file = \"../applications/msort.luau\"\n[vary]\np = [1, 2, 4, 8]\n\
                          \"hardware.cpu\" = [\"lab-cpu\", \"site-cpu\"]\n";
const OWN: &str = include_str!("files/own.toml");

/// The files, and an entry of the site.
fn fill(site: &Site) {
    for (path, text) in [
        ("systems/lab.toml", SYSTEM),
        ("applications/msort.luau", SORT),
        ("experiments/heat.toml", EXPERIMENT),
        ("hardware/own.toml", OWN),
    ] {
        site.put(path, text.as_bytes());
    }
    let entry = OWN.replace("[lab-cpu]", "[site-cpu]").replace("54.48", "108.96").replace("cores = 6", "cores = 12");
    let headers = [("Content-Type", "application/toml"), ("If-None-Match", "*")];
    let made = site.ask("PUT", "/projects/site/files/hardware/more.toml", &headers, entry.as_bytes());
    assert_eq!((made.status, &made.json()["valid"]), (201, &json!(true)), "{}", made.text());
}

/// Runs a line in a shell, in this folder.
fn run(folder: &Path, line: &str) {
    let path = format!("{}:/usr/bin:/bin", executable().parent().expect("its folder").display());
    let done =
        Command::new("sh").args(["-c", line]).current_dir(folder).env("PATH", path).stdin(Stdio::null()).output();
    let done = done.expect("a shell");
    assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
}

/// The table of a job on the server.
fn table(site: &Site, project: &str, line: &str) -> Vec<u8> {
    let answer = site.post(&format!("/projects/{project}/jobs"), &json!({"argv": words(line)}));
    assert_eq!(answer.status, 202, "{line}: {}", answer.text());
    let id = answer.json()["id"].as_str().expect("an id").to_owned();
    site.work(2);
    site.get(&format!("/jobs/{id}/table")).unwrap_or_else(|| panic!("{}", super::job(site, &id)))
}

#[test]
fn a_project_of_the_server_gives_the_same_table_in_a_shell() {
    let site = Site::start(None);
    fill(&site);
    let wanted = table(&site, "main", "sim sweep experiments/heat.toml");
    assert_eq!(String::from_utf8_lossy(&wanted).lines().count(), 9);

    let place = tempfile::tempdir().expect("a folder");
    let demo = place.path().join("demo");
    let done = site.beside(&["project", "export", "main"]).arg(&demo).output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    run(&demo, "runcast sim sweep experiments/heat.toml --catalogue hardware/site --catalogue hardware -o heat.csv");
    assert_eq!(std::fs::read(demo.join("heat.csv")).expect("a table"), wanted);
    // The script holds the same line.
    run(&demo, "grep '^runcast sim' run.sh | sed 's/$/ -o again.csv/' | sh");
    assert_eq!(std::fs::read(demo.join("again.csv")).expect("a table"), wanted);
}

#[test]
fn the_script_of_a_folder_runs_all_jobs_though_one_fails() {
    let site = Site::start(None);
    site.put("a.luau", b"local p = param(\"p\", 1) assert(p ~= 2, \"two is too many\") label{ \"all\", run = function() compute{ time = p } end }\n");
    let id = super::derived::launched(&site, "sim run --app a.luau --loggops L=1us --set p=2");
    table(&site, "main", "sim sweep --app a.luau --loggops L=1us,o=0 --vary p=1,3 -o two.csv");
    let job = super::job(&site, &id);
    assert_eq!((&job["state"], &job["error"]["code"]), (&json!("failed"), &json!("input")), "{job}");
    let place = tempfile::tempdir().expect("a folder");
    let demo = place.path().join("demo");
    let done = site.beside(&["project", "export", "main"]).arg(&demo).output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    run(&demo, "sh ./run.sh && exit 1; test $? = 2 && test -s two.csv");
}

#[test]
fn an_archive_gives_the_same_table_in_a_shell() {
    if !Command::new("unzip").arg("-v").output().is_ok_and(|done| done.status.success()) {
        assert!(std::env::var_os("RUNCAST_REQUIRE_ALL").is_none_or(|value| value != "1"), "unzip is missing");
        eprintln!("not tested: unzip is missing");
        return;
    }
    let site = Site::start(None);
    fill(&site);
    let wanted = table(&site, "main", "sim sweep experiments/heat.toml");
    let place = tempfile::tempdir().expect("a folder");
    let zip = site.get("/projects/main/archive").expect("an archive");
    std::fs::write(place.path().join("main.zip"), &zip).expect("written");
    run(place.path(), "unzip -q main.zip -d main");
    let folder = place.path().join("main");
    run(&folder, "runcast sim sweep experiments/heat.toml --catalogue hardware/site --catalogue hardware -o heat.csv");
    assert_eq!(std::fs::read(folder.join("heat.csv")).expect("a table"), wanted);
    run(&folder, "sh run.sh");
    // I6: in again, and out again; the script is none of the files.
    let made = site.post("/projects", &json!({"name": "copy", "title": "Copy"}));
    assert_eq!(made.status, 201, "{}", made.text());
    let put = site.ask("POST", "/projects/copy/archive", &[("Content-Type", "application/zip")], &zip);
    assert_eq!((put.status, put.json()["created"].as_array().map(Vec::len)), (200, Some(5)), "{}", put.text());
    let again = site.get("/projects/copy/archive").expect("an archive");
    std::fs::write(place.path().join("copy.zip"), again).expect("written");
    run(place.path(), "rm main/heat.csv && unzip -q copy.zip -d copy && diff -r -x run.sh main copy");
}

#[test]
fn a_folder_of_the_shell_gives_the_same_table_on_the_server() {
    let site = Site::start(None);
    let place = tempfile::tempdir().expect("a folder");
    run(
        place.path(),
        "runcast sim new master-slave -o demo/farm && runcast sim sweep demo/farm/experiment.toml -o t.csv",
    );
    std::fs::create_dir(place.path().join("demo/hardware")).expect("a folder");
    let wanted = std::fs::read(place.path().join("t.csv")).expect("a table");
    let done =
        site.beside(&["project", "import"]).arg(place.path().join("demo")).arg("demo").output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(table(&site, "demo", "sim sweep farm/experiment.toml"), wanted);
    // What is exported again is what was there.
    let done = site.beside(&["project", "export", "demo"]).arg(place.path().join("again")).output().expect("it runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    run(place.path(), "diff -r -x run.sh demo again");
}
