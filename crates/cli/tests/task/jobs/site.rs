//! A server without workers on a database of its own, workers that run until nothing is left, and requests to it.

use crate::executable;
use runcast_store::Database;
use runcast_store::database::Location;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server; it ends with this value.
pub struct Site {
    folder: tempfile::TempDir,
    child: Child,
    location: Location,
    told: Value,
}

/// An answer to a request.
pub struct Answer {
    pub status: u16,
    head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Of a header, by its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
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
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
        let mut request = format!(
            "{method} /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
             Connection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        headers.iter().for_each(|(name, value)| request.push_str(&format!("{name}: {value}\r\n")));
        request.push_str("\r\n");
        stream.write_all(&[request.as_bytes(), body].concat()).expect("written");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("an answer");
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split_whitespace().nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let body = bytes.split_off(end + 4);
        let answer = Answer { status, head, body };
        let length: usize = answer.header("content-length").map_or(0, |length| length.parse().expect("a length"));
        // An archive comes in chunks.
        match answer.header("transfer-encoding") {
            Some("chunked") => Answer { body: joined(&answer.body), ..answer },
            _ => {
                assert_eq!(length, answer.body.len(), "{method} {path}: a part of the answer");
                answer
            }
        }
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

/// The body that was sent in these chunks.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = chunks.windows(2).position(|two| two == b"\r\n").expect("the length of a chunk");
        let length = std::str::from_utf8(&chunks[..end]).expect("a number");
        let length = usize::from_str_radix(length, 16).expect("a number");
        if length == 0 {
            return body;
        }
        body.extend_from_slice(&chunks[end + 2..end + 2 + length]);
        chunks = &chunks[end + 4 + length..];
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
