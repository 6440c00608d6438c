//! A server without workers on a database of its own, workers that run until nothing is left, and requests to it.

use super::http::{Address, Answer, ask};
use crate::executable;
use runcast_store::Database;
use runcast_store::database::Location;
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

/// A server; it ends with this value.
pub struct Site {
    folder: tempfile::TempDir,
    child: Child,
    location: Location,
    told: Value,
}

impl Site {
    /// Starts it, on PostgreSQL if there is an address of one.
    pub fn start(postgres: Option<&Location>) -> Site {
        Site::start_with(postgres, &["--no-samples"])
    }

    /// The same with these options.
    pub fn start_with(postgres: Option<&Location>, options: &[&str]) -> Site {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        let mut command = Command::new(executable());
        command.args(["serve", "--port", "0", "--workers", "0", "--json", "--data-dir"]).arg(&data).args(options);
        command.env_remove("RUNCAST_DATABASE_URL").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(Location::Url(url)) = postgres {
            command.env("RUNCAST_DATABASE_URL", url);
        }
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let location = postgres.cloned().unwrap_or_else(|| Location::File(data.join("runcast.sqlite")));
        let told = serde_json::from_str(&line).expect("JSON");
        Site { folder, child, location, told }
    }

    /// A field of the line that the server has printed.
    pub fn told(&self, field: &str) -> &str {
        self.told[field].as_str().expect("a text")
    }

    /// A command beside the server, on its database.
    pub fn beside(&self, words: &[&str]) -> Command {
        let mut command = Command::new(executable());
        command.arg("serve").args(words).arg("--data-dir").arg(self.folder.path().join("data"));
        if let Location::Url(url) = &self.location {
            command.env("RUNCAST_DATABASE_URL", url);
        }
        command
    }

    /// The database itself.
    pub async fn database(&self) -> Database {
        Database::connect(&self.location).await.expect("the database")
    }

    /// `runcast worker` of so many slots works until nothing is left.
    pub fn work(&self, slots: usize) {
        let url = match &self.location {
            Location::File(path) => format!("sqlite:{}", path.display()),
            Location::Url(url) => url.clone(),
        };
        let mut command = Command::new(executable());
        command
            .args(["worker", "--drain", "--allow-weak-sandbox", "--jobs", &slots.to_string()])
            .env("RUNCAST_DATABASE_URL", url);
        let done = command.stdin(Stdio::null()).output().expect("it starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Asks the API.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.ask_as(self.told("token"), method, path, headers, body)
    }

    /// Asks the API with a token.
    pub fn ask_as(&self, token: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let port = self.told["port"].as_u64().and_then(|port| u16::try_from(port).ok()).expect("a port");
        let address = Address { port, token: token.to_owned(), patience: std::time::Duration::from_secs(60) };
        ask(&address, method, path, headers, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    /// What is there, or `None` (404).
    pub fn get(&self, path: &str) -> Option<Vec<u8>> {
        let answer = self.ask("GET", path, &[], &[]);
        match answer.status {
            200 => Some(answer.body),
            404 => None,
            status => panic!("{path}: {status} {}", answer.text()),
        }
    }

    /// Sends a document.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
    }

    /// Puts a new file into the project `main`.
    pub fn put(&self, path: &str, bytes: &[u8]) -> Answer {
        let headers = [("Content-Type", "application/octet-stream"), ("If-None-Match", "*")];
        let answer = self.ask("PUT", &format!("/projects/main/files/{path}"), &headers, bytes);
        assert_eq!(answer.status, 201, "{path}: {}", answer.text());
        answer
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
