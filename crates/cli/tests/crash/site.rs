//! A server, workers and a database of their own, each of which can be killed and started again.
//!
//! Each process leads a session of its own: what it starts is found by the session, whoever its parent is by then. It
//! is killed by the system when the thread of the test ends.

use crate::executable;
use crate::http::Address;
use runcast_store::Database;
use runcast_store::database::Location;
use runcast_store::testing::Postgres;
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a start may take on a busy machine.
const START: Duration = Duration::from_secs(60);
/// How long what a killed process had started may live on.
const ORPHANS: Duration = Duration::from_secs(10);

/// Where the server is, if it is there; clones are the same.
#[derive(Clone, Default)]
pub struct Door(Arc<Mutex<Option<Address>>>);

impl Door {
    /// Where it is now.
    pub fn address(&self) -> Option<Address> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, address: Option<Address>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = address;
    }
}

/// How many there are of what.
#[derive(Clone, Copy)]
pub struct Plan {
    /// In the process of the server.
    pub in_process: usize,
    /// Of their own.
    pub workers: usize,
    /// Of the latter, in seconds.
    pub lease_s: u64,
}

/// The processes.
pub struct Site {
    folder: tempfile::TempDir,
    plan: Plan,
    pub postgres: Option<Postgres>,
    pub location: Location,
    server: Option<Child>,
    workers: Vec<Option<Child>>,
    address: Door,
    sessions: Vec<u32>,
}

impl Site {
    /// Starts all of it; on SQLite without a PostgreSQL.
    pub fn start(plan: Plan, postgres: Option<Postgres>, runtime: &tokio::runtime::Runtime) -> Site {
        let folder = tempfile::tempdir().expect("a folder");
        let location = match &postgres {
            Some(postgres) => runtime.block_on(postgres.fresh()).expect("a database"),
            None => Location::File(folder.path().join("data/runcast.sqlite")),
        };
        let workers = (0..plan.workers).map(|_| None).collect();
        let (address, sessions) = (Door::default(), Vec::new());
        let mut site = Site { folder, plan, postgres, location, server: None, workers, address, sessions };
        site.start_server();
        (0..plan.workers).for_each(|index| site.start_worker(index));
        site
    }

    /// The database itself.
    pub fn database(&self, runtime: &tokio::runtime::Runtime) -> Database {
        runtime.block_on(Database::connect(&self.location)).expect("the database")
    }

    /// Where the server is, now and after it was started again.
    pub fn door(&self) -> Door {
        self.address.clone()
    }

    /// A command of the program that leads a session.
    fn command(&mut self, word: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "setsid"]).arg(executable()).arg(word);
        let url = match &self.location {
            Location::File(path) => format!("sqlite:{}", path.display()),
            Location::Url(url) => url.clone(),
        };
        command.env_remove("RUNCAST_TOKEN").env_remove("RUNCAST_DATABASE_URL");
        if word == "worker" || self.postgres.is_some() {
            command.env("RUNCAST_DATABASE_URL", url);
        }
        command.current_dir(self.folder.path()).stdin(Stdio::null()).stderr(self.log());
        command
    }

    fn spawn(&mut self, mut command: Command) -> Child {
        let child = command.spawn().expect("setpriv and setsid of util-linux");
        self.sessions.push(child.id());
        child
    }

    fn log(&self) -> File {
        OpenOptions::new().create(true).append(true).open(self.log_path()).expect("a log")
    }

    fn log_path(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// The last lines that the processes have said.
    pub fn said(&self) -> String {
        let text = std::fs::read_to_string(self.log_path()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }

    /// Starts the server, and waits for its line.
    pub fn start_server(&mut self) {
        let workers = self.plan.in_process.to_string();
        let data = self.folder.path().join("data");
        let mut command = self.command("serve");
        command.args(["--port", "0", "--no-samples", "--json", "--workers", &workers, "--data-dir"]).arg(data);
        command.stdout(Stdio::piped());
        let mut child = self.spawn(command);
        let line = first_line(child.stdout.take().expect("its output"));
        self.server = Some(child);
        let told: Value = serde_json::from_str(&line)
            .unwrap_or_else(|_| panic!("the server does not start: {line:?}\n{}", self.said()));
        let port = told["port"].as_u64().and_then(|port| u16::try_from(port).ok()).expect("a port");
        let token = told["token"].as_str().expect("a token").to_owned();
        self.address.set(Some(Address { port, token, patience: Duration::from_secs(20) }));
    }

    /// What a subcommand of `serve` says on this database, as JSON.
    pub fn admin(&self, args: &[&str]) -> Output {
        let mut command = Command::new(executable());
        command.arg("serve").args(args).arg("--json").arg("--data-dir").arg(self.folder.path().join("data"));
        command.env_remove("RUNCAST_DATABASE_URL");
        if let Location::Url(url) = &self.location {
            command.env("RUNCAST_DATABASE_URL", url);
        }
        command.stdin(Stdio::null()).output().expect("it runs")
    }

    /// Starts a worker.
    pub fn start_worker(&mut self, index: usize) {
        let lease = format!("{}s", self.plan.lease_s);
        let mut command = self.command("worker");
        command.args(["--jobs", "1", "--allow-weak-sandbox", "--lease", &lease]).stdout(Stdio::null());
        self.workers[index] = Some(self.spawn(command));
    }

    /// Kills the server.
    pub fn kill_server(&mut self) {
        self.address.set(None);
        kill(self.server.take());
    }

    /// Kills a worker.
    pub fn kill_worker(&mut self, index: usize) {
        kill(self.workers[index].take());
    }

    /// Sends a worker a signal.
    pub fn signal_worker(&self, index: usize, name: &str) {
        signal(self.workers[index].as_ref().expect("it runs"), name);
    }

    /// Processes of tasks of a worker.
    pub fn tasks_of_worker(&self, index: usize) -> Vec<u32> {
        let own = self.workers[index].as_ref().expect("it runs").id();
        // The process that its tasks are forks of is none of them.
        let is_root = |pid: u32| {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            parent_of(pid) == Some(own) && words.ends_with(b"\0task-root\0")
        };
        alive(&[own]).into_iter().filter(|pid| *pid != own && !is_root(*pid)).collect()
    }

    /// Those that should run have not ended by themselves.
    pub fn assert_alive(&mut self) {
        let said = self.said();
        let children = self.server.iter_mut().chain(self.workers.iter_mut().flatten());
        for child in children {
            let ended = child.try_wait().expect("a child");
            assert!(ended.is_none(), "process {} has ended: {ended:?}\n{said}", child.id());
        }
    }

    /// What the killed ones had started ends with them.
    pub fn assert_no_orphans(&self) {
        let children = self.server.iter().chain(self.workers.iter().flatten());
        let lives: Vec<u32> = children.map(Child::id).collect();
        let dead: Vec<u32> = self.sessions.iter().filter(|session| !lives.contains(session)).copied().collect();
        let begun = Instant::now();
        loop {
            let orphans = alive(&dead);
            if orphans.is_empty() {
                return;
            }
            assert!(begun.elapsed() < ORPHANS, "processes {orphans:?} outlive those that started them");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Tells all to stop, in order: how they ended.
    pub fn stop(&mut self) -> Vec<ExitStatus> {
        let mut children: Vec<Child> = self.workers.iter_mut().filter_map(Option::take).collect();
        children.extend(self.server.take());
        children.iter().for_each(|child| signal(child, "TERM"));
        let begun = Instant::now();
        let mut ended = Vec::new();
        for mut child in children {
            loop {
                if let Some(status) = child.try_wait().expect("a child") {
                    ended.push(status);
                    break;
                }
                if begun.elapsed() > START {
                    kill(Some(child));
                    panic!("a process does not end when it is told to\n{}", self.said());
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        ended
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        kill(self.server.take());
        self.workers.iter_mut().for_each(|worker| kill(worker.take()));
    }
}

fn kill(child: Option<Child>) {
    if let Some(mut child) = child {
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Sends a signal.
pub fn signal(child: &Child, name: &str) {
    let done = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().expect("kill");
    assert!(done.success());
}

/// The first line, unless it takes too long.
fn first_line(output: ChildStdout) -> String {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = BufReader::new(output).read_line(&mut line);
        let _ = sender.send(line);
    });
    receiver.recv_timeout(START).unwrap_or_default()
}

/// Processes of these sessions that live.
fn alive(sessions: &[u32]) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| session_of(*pid).is_some_and(|session| sessions.contains(&session))).collect()
}

/// The session of a process that lives.
fn session_of(pid: u32) -> Option<u32> {
    of_stat(pid, 2)
}

/// Whose child a process is that lives.
fn parent_of(pid: u32) -> Option<u32> {
    of_stat(pid, 0)
}

/// What the system tells of a process that lives: its parent, group and session are 0, 1 and 2.
fn of_stat(pid: u32, field: usize) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // After the name, which may hold anything: state, parent, group, session.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(field)?.parse().ok()
}
