//! The API against its own document: schemathesis sends what the document allows, and what it does not.

#![cfg(all(feature = "serve", unix))]

use crate::Place;
use crate::serve::Server;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Where `.ci/web need` installs it.
#[expect(clippy::print_stderr, reason = "who runs the tests is told what was left out")]
fn program() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    let found = Some(target.join("contract/bin/schemathesis")).filter(|path| path.exists());
    let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
    assert!(found.is_some() || !must, "schemathesis is missing: bash .ci/web need");
    if found.is_none() {
        eprintln!("schemathesis is missing: the API is not compared with its document");
    }
    found
}

/// All checks as this caller (none: anonymous). How many examples is chosen so that one takes about 25 s of processor
/// time; a busy machine takes longer, and nothing here minds.
fn check(program: &Path, server: &Server, place: &Place, token: Option<&str>) {
    let told = server.json();
    let api = told["api_url"].as_str().expect("an address");
    // The paths of the document begin at the root.
    let root = api.strip_suffix("/api/v1").expect("the address of the API");
    let log = std::fs::File::create(place.path("log.txt")).expect("a file");
    // The end of one that hangs; no test is decided by it.
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", "780"]).arg(program).args(["run", &format!("{api}/openapi.json"), "--url", root]);
    // With several workers, hypothesis changes the limit of recursion under the parser of another thread, and Python 3.11
    // ends that with an error.
    command.args(["--checks", "all", "--max-examples", "4", "--seed", "1", "--no-color", "--workers", "1"]);
    command.args(["--phases", "examples,coverage,fuzzing,stateful"]);
    // No schema says which cursors, projects, files and options there are, nor that a formula must be one: what it allows
    // may still be refused, with a documented status.
    command.args(["--exclude-checks", "positive_data_acceptance"]);
    // Zip archives it cannot make. A stream has no end, and it waits for the end of each answer.
    command.args(["--exclude-operation-id", "post_projects_p_archive"]);
    command.args(["--exclude-operation-id", "get_projects_project_events"]);
    // A fault shows by its status. These only keep a server that hangs from holding up everything.
    command.args(["--request-timeout", "120", "--max-response-time", "120"]);
    command.args(["--max-failures", "5", "--suppress-health-check", "all"]);
    if let Some(token) = token {
        command.args(["--header", &format!("Authorization: Bearer {token}")]);
    }
    command.current_dir(place.folder.path()).stdin(Stdio::null());
    let status = command.stdout(log.try_clone().expect("the file")).stderr(log).status().expect("started");
    let log = place.read("log.txt");
    assert!(status.success(), "{status:?}\n{log}");
    assert!(log.contains("Stateful (in") && log.contains(" passed"), "nothing was tried:\n{log}");
}

#[test]
fn nothing_undocumented_happens_to_an_administrator() {
    let Some(program) = program() else { return };
    let place = Place::new();
    let server = place.start(&["--json", "--port", "0", "--workers", "1"]);
    let token = server.json()["token"].as_str().expect("a token").to_owned();
    check(&program, &server, &place, Some(&token));
}

#[test]
fn nothing_undocumented_happens_to_an_author() {
    let Some(program) = program() else { return };
    let (place, server, token) = with_accounts("author");
    check(&program, &server, &place, Some(&token));
}

#[test]
fn nothing_undocumented_happens_to_a_viewer() {
    let Some(program) = program() else { return };
    let (place, server, token) = with_accounts("viewer");
    check(&program, &server, &place, Some(&token));
}

#[test]
fn nothing_undocumented_happens_to_nobody() {
    let Some(program) = program() else { return };
    let place = Place::new();
    let server = place.start(&["--json", "--port", "0", "--workers", "0"]);
    check(&program, &server, &place, None);
}

/// A server with accounts, and the token of a user of this role, who is a member of `main` in the same role.
fn with_accounts(role: &str) -> (Place, Server, String) {
    let place = Place::new();
    let server = place.start(&["--json", "--multi-user", "--port", "0", "--workers", "1", "--allow-weak-sandbox"]);
    let token_of = |user: &str, role: &str| {
        place.admin_json(&["user", "add", user, "--role", role], "a long password\n");
        let made = place.admin_json(&["token", "add", "test", "--user", user], "");
        made["token"].as_str().expect("a token").to_owned()
    };
    let root = token_of("root", "administrator");
    let token = token_of("somebody", role);
    place.write("files/systems/one.toml", "format = \"runcast-system/1\"\n");
    place.admin_json(&["project", "import", "files", "main", "--user", "root"], "");
    let body = format!("{{\"role\":\"{role}\"}}");
    let path = "/api/v1/projects/main/members/somebody";
    let answer = ask(&server, &root, "PUT", path, &body);
    assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    let seen = ask(&server, &token, "GET", "/api/v1/projects/main", "");
    assert!(seen.starts_with("HTTP/1.1 200"), "{seen}");
    (place, server, token)
}

#[test]
fn behind_a_proxy_the_server_has_the_name_of_the_proxy() {
    let place = Place::new();
    let args =
        ["--json", "--port", "0", "--workers", "0", "--no-samples", "--behind-proxy", "https://forecasts.example"];
    let server = place.start(&args);
    assert_eq!(server.json()["api_url"], "https://forecasts.example/api/v1");
    let status = |host: &str| {
        let answer = ask_as(&server, host, "", "GET", "/api/v1/health", "");
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    let here = format!("127.0.0.1:{}", server.port());
    for (host, expected) in [
        ("forecasts.example", "200"),
        ("forecasts.example:443", "200"),
        (&here, "200"),
        ("forecasts.example:8470", "421"),
        ("other.example", "421"),
    ] {
        assert_eq!(status(host), expected, "{host}");
    }
}

fn ask(server: &Server, token: &str, method: &str, path: &str, body: &str) -> String {
    ask_as(server, &format!("127.0.0.1:{}", server.port()), token, method, path, body)
}

fn ask_as(server: &Server, host: &str, token: &str, method: &str, path: &str, body: &str) -> String {
    let port = server.port();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("written");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("read");
    text
}
