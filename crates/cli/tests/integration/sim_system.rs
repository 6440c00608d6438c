//! `runcast sim system` and `runcast sim hardware`.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn runcast(args: &[&str]) -> std::process::Output {
    let mut command = Command::new(crate::program());
    command.args(args).timeout(std::time::Duration::from_secs(60)).output().expect("it runs")
}

fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sim").join(name).display().to_string()
}

/// The file in the shared folder, where there is one, else our own of the same kind.
fn platform(shared: &str, own: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/sim").join(shared);
    if path.exists() { path.display().to_string() } else { data(own) }
}

fn json(args: &[&str]) -> Value {
    let output = runcast(args);
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?} gives no document: {error}"))
}

#[test]
fn a_system_is_checked_and_shown() {
    let galera = data("systems/galera.toml");
    let check = json(&["sim", "system", "check", &galera, "--json"]);
    assert_eq!((check["kind"].as_str(), check["version"].as_i64()), (Some("sim-system-check"), Some(1)));
    assert_eq!(check["ok"], true);
    assert_eq!(check["totals"]["machines"], 32);
    assert_eq!(check["totals"]["cores"], 384.0);
    let show = json(&["sim", "system", "show", &galera, "--json", "--hardware", "cpu=intel-xeon-x5680"]);
    assert_eq!(show["kind"], "sim-system-show");
    let cpu = &show["components"][2];
    assert_eq!((cpu["id"].as_str(), cpu["total"].as_i64()), (Some("cpu"), Some(64)));
    assert_eq!(cpu["attributes"]["clock"]["value"], 3.33e9);
    assert_eq!(cpu["attributes"]["clock"]["quality"], "vendor");
    assert_eq!(show["networks"][0]["topology"]["kind"], "fat_tree");
    let text = String::from_utf8(runcast(&["sim", "system", "show", &galera]).stdout).expect("text");
    for part in ["node x 32", "cpu x 2 (in all 64)", "fat_tree network", "384 cores"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn what_is_wrong_ends_with_exit_code_2_and_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bad.toml");
    let text = "format = \"runcast-system/1\"\ncomponent = [\n  { id = \"a\", kind = \"group\", parent = \"b\" },\n  \
        { id = \"b\", kind = \"group\", parent = \"a\" },\n]\n";
    std::fs::write(&file, text).expect("written");
    let name = file.display().to_string();
    let output = runcast(&["sim", "system", "check", &name]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("bad.toml") && error.contains("contain each other"), "{error}");
    let document = json(&["sim", "system", "check", &name, "--json"]);
    assert_eq!(document["kind"], "error");
    assert_eq!((&document["problems"][0]["code"], &document["problems"][0]["line"]), (&"cycle".into(), &3.into()));
}

#[test]
fn platforms_of_simgrid_go_there_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (shared, own) in [("ethernet.xml", "platforms/cluster.xml"), ("galera.xml", "platforms/zones.xml")] {
        let xml = platform(shared, own);
        let convert = |from: &str, to: &str| {
            let document = json(&["sim", "system", "convert", from, "-o", to, "--json"]);
            assert_eq!(document["kind"], "sim-system-convert");
        };
        convert(&xml, &path("a.toml"));
        convert(&path("a.toml"), &path("a.xml"));
        let renamed = path("b.toml");
        convert(&path("a.xml"), &renamed);
        let read = |name: &str| std::fs::read_to_string(path(name)).expect("written");
        // The name of a system is that of its file.
        let rest =
            |text: String| text.lines().filter(|line| !line.starts_with("name =")).collect::<Vec<_>>().join("\n");
        assert_eq!(rest(read("a.toml")), rest(read("b.toml")));
        assert!(runcast(&["sim", "system", "check", &path("a.toml")]).status.success());
    }
}

#[test]
fn the_catalogue_is_listed_shown_and_extended() {
    let list = json(&["sim", "hardware", "list", "--json"]);
    assert_eq!(list["kind"], "sim-hardware-list");
    let entries = list["entries"].as_array().expect("entries");
    assert!(entries.len() >= 24, "{}", entries.len());
    for attribute in entries.iter().flat_map(|entry| entry["attributes"].as_array().expect("attributes")) {
        assert!(attribute["source"].as_str().is_some_and(|source| !source.is_empty()), "{attribute}");
    }
    let assumed = json(&["sim", "hardware", "list", "--quality", "assumed", "--kind", "cpu", "--json"]);
    let few = assumed["entries"].as_array().expect("entries");
    let rows = || few.iter().flat_map(|entry| entry["attributes"].as_array().expect("attributes"));
    assert!(rows().count() > 0 && rows().all(|row| row["quality"] == "assumed"), "{assumed}");
    // What a maker says of a processor stands in the list of all, and only there.
    let all = entries.iter().filter(|entry| entry["kind"] == "cpu");
    let wanted = all.flat_map(|entry| entry["attributes"].as_array().expect("attributes"));
    assert_eq!(rows().count(), wanted.filter(|row| row["quality"] == "assumed").count());
    let show = json(&["sim", "hardware", "show", "intel-xeon-l5640", "--json"]);
    let flops = show["entry"]["attributes"].as_array().expect("attributes").iter();
    let flops = flops.clone().find(|row| row["attribute"] == "flops_double").expect("flops_double");
    assert_eq!((&flops["value"], &flops["quality"]), (&54.48e9.into(), &"derived".into()));
    let output = runcast(&["sim", "hardware", "show", "intel-xeon-l5460"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean intel-xeon-l5640?"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let entry = "[lab-node]\nkind = \"cpu\"\nsource = \"lab notebook, 2026-10\"\nquality = \"measured\"\ncores = 4\nflops_double = \"50Gflop/s\"\n";
    std::fs::write(path("new.toml"), entry).expect("written");
    let added = json(&["sim", "hardware", "add", &path("new.toml"), "-o", &path("mine.toml"), "--json"]);
    assert_eq!(added["added"][0]["id"], "lab-node");
    assert_eq!(
        runcast(&["sim", "hardware", "add", &path("new.toml"), "-o", &path("mine.toml")]).status.code(),
        Some(2)
    );
    let list = json(&["sim", "hardware", "list", "lab", "--catalogue", &path("mine.toml"), "--json"]);
    assert_eq!(list["entries"][0]["id"], "lab-node");
    // A folder that has no entries yet is fine; one of other files is a mistake.
    std::fs::create_dir_all(path("hardware/site")).expect("a folder");
    assert_eq!(
        json(&["sim", "hardware", "list", "--catalogue", &path("hardware"), "--json"])["entries"],
        serde_json::json!(entries)
    );
    std::fs::write(path("hardware/readme.txt"), "entries").expect("written");
    assert_eq!(runcast(&["sim", "hardware", "list", "--catalogue", &path("hardware")]).status.code(), Some(2));
}
