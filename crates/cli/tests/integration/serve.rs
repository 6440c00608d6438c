//! `runcast serve` as a process: its one line, its folder, its end; users and tokens from the shell.

#![cfg(all(feature = "serve", unix))]

use crate::Place;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// A server that is ended with the test.
pub struct Server {
    child: Child,
    line: String,
}

impl Place {
    /// `runcast serve` with this place's folder `data`, and nothing of the environment that could get in between.
    pub fn serve(&self, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("runcast"));
        command.arg("serve").args(args).arg("--data-dir").arg(self.path("data"));
        command.env_remove("RUNCAST_DATABASE_URL").current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    pub fn start(&self, args: &[&str]) -> Server {
        let mut command = self.serve(args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("started");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("its output")).read_line(&mut line).expect("a line");
        Server { child, line: line.trim_end().to_owned() }
    }

    /// A subcommand, with this on its standard input.
    fn admin(&self, args: &[&str], input: &str) -> Output {
        let mut command = self.serve(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("started");
        // Who refuses its options reads nothing.
        let _ = child.stdin.take().expect("its input").write_all(input.as_bytes());
        child.wait_with_output().expect("ended")
    }

    pub fn admin_json(&self, args: &[&str], input: &str) -> Value {
        let output = self.admin(&[args, &["--json"]].concat(), input);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stdout));
        serde_json::from_slice(&output.stdout).expect("JSON")
    }
}

impl Server {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.line).expect("JSON")
    }

    pub fn port(&self) -> u16 {
        let port = self.json()["port"].as_u64().expect("a port");
        u16::try_from(port).expect("a port")
    }

    /// Asks the system to end it: how it ended, and after how long.
    fn stop(mut self, signal: &str) -> (ExitStatus, Duration, String) {
        let begun = Instant::now();
        let told = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(told.expect("kill").success());
        let status = self.child.wait().expect("its end");
        let took = begun.elapsed();
        let mut rest = String::new();
        self.child.stdout.take().expect("its output").read_to_string(&mut rest).expect("the rest");
        (status, took, rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer to a request.
fn get(port: u16, path: &str, token: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("written");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("read");
    text
}

fn failed(output: &Output, exit: i32) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(exit), "{text}");
    text
}

#[test]
fn a_server_says_one_line_and_ends_when_told() {
    let place = Place::new();
    let server = place.start(&["--port", "0", "--workers", "0", "--no-samples", "--json"]);
    let told = server.json();
    let port = server.port();
    let token = told["token"].as_str().expect("a token").to_owned();
    assert_eq!(told["url"], format!("http://127.0.0.1:{port}/?token={token}"));
    assert_eq!(told["api_url"], format!("http://127.0.0.1:{port}/api/v1"));
    for (field, value) in [("mode", "single"), ("host", "127.0.0.1"), ("database", "sqlite")] {
        assert_eq!(told[field], value, "{field}");
    }
    assert_eq!((told["pid"].as_u64(), told["workers"].as_u64()), (Some(u64::from(server.child.id())), Some(0)));
    assert!(get(port, "/api/v1/health", "").contains("\"status\":\"ok\""));
    assert!(get(port, "/api/v1/session", &token).contains("\"user\":\"local\""));
    assert!(get(port, "/api/v1/session", "wrong").starts_with("HTTP/1.1 401"));

    let mode = |name: &str| std::fs::metadata(place.path(name)).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode("data"), mode("data/token")), (0o700, 0o600));
    let second = place.serve(&["--port", "0"]).output().expect("ended");
    let text = failed(&second, 1);
    assert!(text.contains(&format!("process id {} ", server.child.id())), "{text}");
    assert!(second.stdout.is_empty());

    // An answer that never ends keeps nobody waiting.
    let _open = TcpStream::connect(("127.0.0.1", port)).expect("connected");
    let (status, took, rest) = server.stop("-TERM");
    assert_eq!((status.code(), rest.as_str()), (Some(0), ""));
    assert!(took < Duration::from_secs(5), "{took:?}");

    let server = place.start(&["--port", "0", "--workers", "0", "--no-samples"]);
    assert!(server.line.ends_with(&format!("/?token={token}")), "the token stays: {}", server.line);
    let (status, took, rest) = server.stop("-INT");
    assert_eq!((status.code(), rest.as_str()), (Some(0), ""));
    assert!(took < Duration::from_secs(5), "{took:?}");
    let server = place.start(&["--port", "0", "--workers", "0", "--no-samples", "--new-token", "--json"]);
    assert_ne!(server.json()["token"], token);
}

#[test]
fn what_cannot_be_served_is_refused_with_a_hint() {
    let place = Place::new();
    for (args, exit, says) in [
        (&["--host", "0.0.0.0"][..], 2, "--multi-user"),
        (&["--host", "0.0.0.0", "--multi-user"], 2, "--insecure-http"),
        (&["--host", "example.org"], 2, "IP address"),
        (&["--behind-proxy", "forecast.example.org/path", "--port", "0"], 2, "https://"),
        (&["--tls-cert", "none.pem", "--tls-key", "none.pem"], 2, "none.pem"),
        (&["--tls-cert", "none.pem"], 2, "--tls-key"),
        (&["--database-url", "mysql://user:geheim@host/name"], 2, "postgres://"),
        (&["--database-url", "postgres://user:geheim@127.0.0.1:1/name", "--port", "0"], 1, "database"),
        (&["--port", "1234", "user", "list"], 2, "--port"),
        (&["--multi-user", "--new-token"], 2, "--new-token"),
    ] {
        let output = place.serve(args).output().expect("ended");
        let text = failed(&output, exit);
        assert!(text.contains(says), "{args:?}: {text}");
        assert!(!text.contains("geheim"), "{args:?}: {text}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let text = failed(&place.serve(&["--port", &port]).output().expect("ended"), 1);
    assert!(text.contains(&format!("port {port} of 127.0.0.1 is busy")), "{text}");
}

#[test]
fn with_accounts_the_first_line_is_a_link_to_set_up() {
    let place = Place::new();
    let args = ["--multi-user", "--port", "0", "--workers", "0", "--json", "--allow-weak-sandbox"];
    let server = place.start(&args);
    let told = server.json();
    assert_eq!((&told["mode"], &told["token"]), (&Value::from("multi"), &Value::Null));
    assert!(told["url"].as_str().is_some_and(|url| url.contains("/?setup=")), "{told}");
    // Beside a running server, on its database.
    let made = place.admin_json(&["user", "add", "alice", "--role", "administrator"], "a long password\n");
    assert_eq!((&made["name"], &made["role"]), (&Value::from("alice"), &Value::from("administrator")));
    let token = place.admin_json(&["token", "add", "ci", "--user", "alice", "--scope", "read"], "");
    let token = token["token"].as_str().expect("a token").to_owned();
    assert!(get(server.port(), "/api/v1/users", &token).contains("\"alice\""));
    server.stop("-TERM");
    let server = place.start(&args);
    assert!(server.json()["url"].as_str().is_some_and(|url| url.ends_with('/')), "{}", server.line);
}

#[test]
fn users_and_tokens_are_managed_from_the_shell() {
    let place = Place::new();
    let password = "a long password\n";
    place.admin_json(&["user", "add", "root", "--role", "administrator"], password);
    assert_eq!(place.admin_json(&["user", "add", "bob"], password)["role"], "author");
    failed(&place.admin(&["user", "add", "BOB"], password), 1);
    failed(&place.admin(&["user", "add", "no name"], password), 2);
    failed(&place.admin(&["user", "add", "short"], "short\n"), 2);
    failed(&place.admin(&["user", "role", "nobody", "viewer"], ""), 1);
    failed(&place.admin(&["user", "disable", "root"], ""), 1);
    assert_eq!(place.admin_json(&["user", "role", "bob", "viewer"], "")["role"], "viewer");
    assert_eq!(place.admin_json(&["user", "password", "bob"], "another long one")["name"], "bob");
    assert_eq!(place.admin_json(&["user", "disable", "bob"], "")["disabled"], true);
    let list = place.admin_json(&["user", "list"], "");
    let names: Vec<&Value> = list["items"].as_array().expect("items").iter().map(|user| &user["name"]).collect();
    assert_eq!(names, ["bob", "root"]);

    let made = place.admin_json(&["token", "add", "ci", "--user", "root", "--expires-at", "2100-01-01T00:00:00Z"], "");
    assert!(made["token"].as_str().is_some_and(|token| token.starts_with("rc_") && token.len() == 46), "{made}");
    let list = place.admin_json(&["token", "list", "--user", "root"], "");
    assert_eq!((&list["items"][0]["name"], &list["items"][0]["scope"]), (&Value::from("ci"), &Value::from("write")));
    assert!(!list.to_string().contains(made["token"].as_str().expect("a token")));
    let id = made["id"].as_str().expect("an id");
    assert_eq!(place.admin_json(&["token", "revoke", id, "--user", "root"], "")["revoked"], true);
    failed(&place.admin(&["token", "revoke", id, "--user", "root"], ""), 1);
    failed(&place.admin(&["token", "add", "ci", "--user", "root", "--project", "none"], ""), 1);
    failed(&place.admin(&["token", "add", "ci", "--user", "root", "--expires-at", "soon"], ""), 2);
}

#[test]
fn under_tls_the_cookie_is_secure() {
    let place = Place::new();
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=forecast.example", "-addext", "subjectAltName=DNS:forecast.example"])
        .args(["-keyout", "key.pem", "-out", "cert.pem"])
        .current_dir(place.folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !made.is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("RUNCAST_REQUIRE_ALL").is_none_or(|value| value != "1"), "openssl is missing");
        eprintln!("not tested: openssl is missing");
        return;
    }
    let server = place.start(&[
        "--port",
        "0",
        "--workers",
        "0",
        "--no-samples",
        "--json",
        "--tls-cert",
        "cert.pem",
        "--tls-key",
        "key.pem",
    ]);
    let told = server.json();
    let port = server.port();
    let token = told["token"].as_str().expect("a token");
    assert!(told["url"].as_str().is_some_and(|url| url.starts_with("https://")), "{told}");
    let request = format!("GET /?token={token} HTTP/1.1\r\nHost: forecast.example:{port}\r\nConnection: close\r\n\r\n");
    let mut client = Command::new("openssl")
        .args(["s_client", "-quiet", "-ign_eof", "-CAfile", "cert.pem", "-verify_return_error"])
        .args(["-connect", &format!("127.0.0.1:{port}"), "-servername", "forecast.example"])
        .current_dir(place.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    client.stdin.take().expect("its input").write_all(request.as_bytes()).expect("written");
    let answer = client.wait_with_output().expect("ended");
    let text = String::from_utf8_lossy(&answer.stdout).to_lowercase();
    assert!(text.starts_with("http/1.1 303"), "{text}");
    let cookie = text.lines().find(|line| line.starts_with("set-cookie: ")).expect("a cookie");
    assert!(cookie.contains(&format!("__host-runcast-{port}=")) && cookie.contains("; secure"), "{cookie}");
}
