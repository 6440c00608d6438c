//! The pages in a real browser: the tests of `web/tests`, which drive Debian's Chromium, on a server of their own each.

#![cfg(all(feature = "serve", unix))]

use crate::Place;
use runcast_store::testing::Postgres;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long the tests of one file may take on a slow and busy machine: less than nextest gives them.
const PATIENCE: Duration = Duration::from_secs(780);

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web")
}

/// Whether node, the tests' packages and a browser are here. On machines that must run all tests, they must be.
fn is_ready() -> bool {
    let packages = web().join("node_modules/playwright-core").exists();
    let browser = Path::new("/usr/bin/chromium").exists();
    let node =
        Command::new("node").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    let missing: Vec<&str> = [(packages, "packages: npm ci --prefix web"), (browser, "chromium"), (node, "node")]
        .into_iter()
        .filter_map(|(there, what)| (!there).then_some(what))
        .collect();
    let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
    assert!(missing.is_empty() || !must, "missing: {missing:?}");
    missing.is_empty()
}

/// Runs the browser tests whose names hold this.
fn browse(only: &str) {
    if is_ready() {
        browse_with(only, &[]);
    }
}

/// The same on a server with these options, too.
fn browse_with(only: &str, options: &[&str]) {
    let place = Place::new();
    let server = place.start(&[&["--json", "--port", "0", "--workers", "2"], options].concat());
    let told = server.json();
    let address = told["url"].as_str().expect("an address");
    let log = std::fs::File::create(place.path("log.txt")).expect("a file");
    let mut command = Command::new("node");
    command.args(["tests/run.mjs", "--url", address, "--only", only]).current_dir(web());
    command.env("RUNCAST_BIN", crate::program()).stdin(Stdio::null());
    command.stdout(log.try_clone().expect("the file")).stderr(log);
    let mut child = command.spawn().expect("started");
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().expect("its state") {
            Some(status) => break Some(status),
            None if begun.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(100)),
        }
    };
    let log = place.read("log.txt");
    assert!(status.is_some_and(|status| status.success()), "{only}: {status:?}\n{log}");
    assert!(log.contains(" passed, 0 failed"), "{log}");
}

#[test]
fn the_whole_journey() {
    browse("journey");
}

/// By the keyboard alone; and by the pointer what depends on the database most.
#[test]
fn the_journeys_on_postgres() {
    let Some(postgres) = Postgres::start_with(&["fsync=off"]).expect("PostgreSQL starts") else { return };
    if is_ready() {
        browse_with("keys,ask,results", &["--database-url", &postgres.url("postgres")]);
    }
}

#[test]
fn questions_and_their_answers() {
    browse("ask");
}

#[test]
fn the_frame_and_its_pages() {
    browse("shell");
}

#[test]
fn systems_hardware_and_formulas() {
    browse("canvas");
}

#[test]
fn applications_experiments_and_results() {
    browse("runs");
}

#[test]
fn accounts_members_and_quotas() {
    browse("people");
}

#[test]
fn tables_models_calculators_and_reports() {
    browse("models");
}

#[test]
fn recordings_seen_replayed_and_learnt_from() {
    browse("recordings");
}

#[test]
fn results_seen_compared_and_shared() {
    browse("results");
}

#[test]
fn how_pages_look() {
    browse("looks");
}

#[test]
fn the_page_of_a_report_answers() {
    browse("report");
}
