//! A server of the release build in a folder of its own, and requests to it.

use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take to start, and to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// The program, as `cargo build --release` leaves it: the neighbor of this one, or what `RUNCAST_BIN` names.
pub fn program() -> Result<PathBuf, String> {
    let path = match std::env::var_os("RUNCAST_BIN") {
        Some(path) => PathBuf::from(path),
        None => std::env::current_exe().map_err(said)?.with_file_name("runcast"),
    };
    match path.is_file() {
        true => Ok(path),
        false => Err(format!("{} is not there: cargo build --release", path.display())),
    }
}

/// A folder of one's own, on a disk and not in memory.
pub fn folder() -> Result<tempfile::TempDir, String> {
    tempfile::Builder::new().prefix("runcast-bench-").tempdir().map_err(said)
}

/// What went wrong, in words.
pub fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A server; it is killed when this value goes.
#[derive(Debug)]
pub struct Served {
    child: Child,
    /// Where its pages are, with the token.
    pub url: String,
    token: String,
    api: String,
    /// From the start of its process to its first answer.
    pub start_s: f64,
}

impl Served {
    /// Starts one with its data in a folder, and waits for its first answer.
    pub fn start(data: &Path, options: &[&str]) -> Result<Served, String> {
        let mut command = Command::new(program()?);
        command.args(["serve", "--port", "0", "--json", "--data-dir"]).arg(data).args(options);
        command.env_remove("RUNCAST_DATABASE_URL").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let begin = Instant::now();
        let mut child = command.spawn().map_err(said)?;
        let mut line = String::new();
        let stdout = child.stdout.as_mut().ok_or("the server has no output")?;
        let read = BufReader::new(stdout).read_line(&mut line).map_err(said);
        let mut served = Served { child, url: String::new(), token: String::new(), api: String::new(), start_s: 0.0 };
        read?;
        let told: Value = serde_json::from_str(&line).map_err(|_| "the server did not start".to_owned())?;
        let text = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
        (served.url, served.token, served.api) = (text("url"), text("token"), text("api_url"));
        served.client().get("/health")?;
        served.start_s = begin.elapsed().as_secs_f64();
        Ok(served)
    }

    /// One with requests over a connection of its own.
    pub fn client(&self) -> Client {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(Duration::from_secs(60)))
            .build()
            .into();
        Client { agent, api: self.api.clone(), bearer: format!("Bearer {}", self.token) }
    }

    /// Resident memory, in bytes.
    pub fn resident(&self) -> Result<u64, String> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).map_err(said)?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
        let kib = line.trim().split(' ').next().and_then(|number| number.parse::<u64>().ok()).ok_or("no VmRSS")?;
        Ok(kib * 1024)
    }

    /// Kills it without a warning.
    pub fn kill(mut self) -> Result<(), String> {
        self.child.kill().map_err(said)?;
        self.child.wait().map(drop).map_err(said)
    }

    /// Tells it to end, and waits for that.
    pub fn stop(mut self) -> Result<(), String> {
        let id = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw).ok_or("no process")?;
        rustix::process::kill_process(id, rustix::process::Signal::TERM).map_err(said)?;
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            if self.child.try_wait().map_err(said)?.is_some() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err("the server does not end".to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Requests to a server, one after the other over a connection that stays.
#[derive(Debug)]
pub struct Client {
    agent: ureq::Agent,
    api: String,
    bearer: String,
}

impl Client {
    /// The answer to a GET, as JSON where it is some.
    pub fn get(&self, path: &str) -> Result<Value, String> {
        let mut answer = self.open(path)?;
        let text = answer.body_mut().with_config().limit(1 << 30).read_to_string().map_err(said)?;
        match answer.status().as_u16() {
            200 => Ok(serde_json::from_str(&text).unwrap_or(Value::String(text))),
            status => Err(format!("GET {path}: {status} {text}")),
        }
    }

    /// The answer to a GET, of which the body was not read yet.
    pub fn open(&self, path: &str) -> Result<ureq::http::Response<ureq::Body>, String> {
        let request = self.agent.get(format!("{}{path}", self.api)).header("Authorization", &self.bearer);
        request.call().map_err(said)
    }

    /// The answer to a POST of JSON.
    pub fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        let request = self.agent.post(format!("{}{path}", self.api)).header("Authorization", &self.bearer);
        let body = body.to_string();
        let mut answer = request.header("Content-Type", "application/json").send(&body).map_err(said)?;
        let text = answer.body_mut().read_to_string().map_err(said)?;
        match answer.status().as_u16() {
            200..300 => serde_json::from_str(&text).map_err(said),
            status => Err(format!("POST {path}: {status} {text}")),
        }
    }

    /// Stores a file of the project `main`: a new one, or the next version of what has this ETag. Its ETag now.
    pub fn put(&self, path: &str, text: &str, etag: Option<&str>) -> Result<String, String> {
        let address = format!("{}/projects/main/files/{path}", self.api);
        let request = self.agent.put(address).header("Authorization", &self.bearer);
        let request = request.header("Content-Type", "application/octet-stream");
        let request = match etag {
            Some(etag) => request.header("If-Match", etag),
            None => request.header("If-None-Match", "*"),
        };
        let mut answer = request.send(text).map_err(said)?;
        let told = answer.body_mut().read_to_string().map_err(said)?;
        let etag = answer.headers().get("etag").and_then(|value| value.to_str().ok()).map(str::to_owned);
        match answer.status().as_u16() {
            200 | 201 => etag.ok_or_else(|| format!("PUT {path}: no ETag")),
            status => Err(format!("PUT {path}: {status} {told}")),
        }
    }

    /// Launches a batch of commands in the project `main`: its id, and those of its jobs.
    pub fn launch(&self, commands: &[Vec<String>]) -> Result<(String, Vec<String>), String> {
        let jobs: Vec<Value> = commands.iter().map(|argv| serde_json::json!({ "argv": argv })).collect();
        let told = self.post("/projects/main/batches", &serde_json::json!({ "jobs": jobs }))?;
        let ids = told["jobs"].as_array().into_iter().flatten().filter_map(|job| job["id"].as_str()).map(str::to_owned);
        Ok((told["id"].as_str().unwrap_or_default().to_owned(), ids.collect()))
    }

    /// Waits until all jobs of a batch have succeeded.
    pub fn wait(&self, batch: &str, look_every: Duration, longest: Duration) -> Result<(), String> {
        let since = Instant::now();
        loop {
            let told = self.get(&format!("/batches/{batch}"))?;
            let count = |state: &str| told["counts"][state].as_u64().unwrap_or(0);
            if count("failed") + count("cancelled") > 0 {
                return Err(format!("a job failed: {told}"));
            }
            if count("queued") + count("running") == 0 && count("succeeded") > 0 {
                return Ok(());
            }
            if since.elapsed() > longest {
                return Err(format!("the jobs take too long: {told}"));
            }
            std::thread::sleep(look_every);
        }
    }
}

/// The words of a command line.
pub fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
