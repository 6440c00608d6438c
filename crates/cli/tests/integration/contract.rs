//! The API against its own document: schemathesis sends what the document allows, and what it does not.

#![cfg(all(feature = "serve", unix))]

use crate::Place;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where `.ci/web need` installs it.
fn program() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    let found = Some(target.join("contract/bin/schemathesis")).filter(|path| path.exists());
    let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
    assert!(found.is_some() || !must, "schemathesis is missing: bash .ci/web need");
    found
}

/// All checks as this caller (none: anonymous), within a time.
fn check(server: &crate::serve::Server, place: &Place, token: Option<&str>) {
    let Some(program) = program() else { return };
    let told = server.json();
    let api = told["api_url"].as_str().expect("an address");
    // The paths of the document begin at the root.
    let root = api.strip_suffix("/api/v1").expect("the address of the API");
    let log = std::fs::File::create(place.path("log.txt")).expect("a file");
    let mut command = Command::new("timeout");
    command.arg("240").arg(program).args(["run", &format!("{api}/openapi.json"), "--url", root]);
    command.args(["--checks", "all", "--max-examples", "8", "--seed", "1", "--no-color", "--workers", "2"]);
    // No schema says which cursors, paths and files there are: what it allows may still be refused, with a documented
    // status. Zip archives it cannot make, and it waits for the end of a stream that has none.
    command.args(["--exclude-checks", "positive_data_acceptance", "--exclude-operation-id", "post_projects_p_archive"]);
    command.args(["--exclude-operation-id", "get_projects_project_events"]);
    // A debug build takes a while over a batch of 10,000 jobs.
    command.args(["--request-timeout", "60", "--max-response-time", "60"]);
    command.args(["--max-failures", "5", "--suppress-health-check", "all"]);
    if let Some(token) = token {
        command.args(["--header", &format!("Authorization: Bearer {token}")]);
    }
    command.current_dir(place.folder.path()).stdin(Stdio::null());
    let status = command.stdout(log.try_clone().expect("the file")).stderr(log).status().expect("started");
    assert!(status.success(), "{status:?}\n{}", place.read("log.txt"));
}

#[test]
fn nothing_undocumented_happens_to_an_administrator() {
    let place = Place::new();
    let server = place.start(&["--json", "--port", "0", "--workers", "1"]);
    let token = server.json()["token"].as_str().expect("a token").to_owned();
    check(&server, &place, Some(&token));
}

#[test]
fn nothing_undocumented_happens_to_nobody() {
    let place = Place::new();
    let server = place.start(&["--json", "--port", "0", "--workers", "0"]);
    check(&server, &place, None);
}
