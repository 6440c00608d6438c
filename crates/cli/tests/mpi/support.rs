//! What the tests share.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A variable of the environment that all processes of a test bear.
const MARK: &str = "RUNCAST_TEST_MARK";
/// No run of a test takes longer.
const LONGEST: &str = "180";

/// A runcast that is linked with an MPI.
#[derive(Debug, Clone)]
pub struct Mpi {
    pub name: &'static str,
    pub executable: PathBuf,
    /// The launcher of this MPI.
    pub mpirun: &'static str,
}

pub const OPEN_MPI: &str = "Open MPI";
pub const MPICH: &str = "MPICH";

/// The runcast of an MPI; on machines that must run all tests, it has to be there.
pub fn mpi(name: &'static str) -> Option<Mpi> {
    let (variable, mpirun) =
        if name == OPEN_MPI { ("RUNCAST_OPENMPI", "mpirun.openmpi") } else { ("RUNCAST_MPICH", "mpirun.mpich") };
    let executable = std::env::var_os(variable).map(PathBuf::from).filter(|file| file.is_file());
    if let Some(executable) = executable {
        return Some(Mpi { name, executable, mpirun });
    }
    let must = std::env::var_os("RUNCAST_REQUIRE_ALL").is_some_and(|value| value == "1");
    assert!(!must, "{variable} names no program; bash .ci/test builds it");
    eprintln!("NOT RUN: {variable} names no program");
    None
}

/// What a command gave.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub document: Value,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let stdout = text(&output.stdout);
        let document = serde_json::from_str(&stdout).unwrap_or(Value::Null);
        Ran { code: output.status.code(), document, stdout, stderr: text(&output.stderr) }
    }

    /// The digest of a run that came to its end.
    pub fn digest(&self) -> String {
        assert_eq!(self.document["kind"], "bsf-run", "{self:?}");
        self.document["result_digest"].as_str().expect("a digest").to_owned()
    }

    /// The code of the first problem.
    pub fn problem(&self) -> &str {
        self.document["problems"][0]["code"].as_str().unwrap_or_default()
    }

    /// The first problem.
    pub fn message(&self) -> &str {
        self.document["problems"][0]["message"].as_str().unwrap_or_default()
    }
}

/// A folder in which commands run, and a mark by which their processes are found.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Place { folder: tempfile::tempdir().expect("a folder") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A command of this place, which ends in any case.
    pub fn command(&self, program: &Path, arguments: &str) -> Command {
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", LONGEST]).arg(program).args(arguments.split_whitespace());
        command.current_dir(self.path()).env(MARK, self.path());
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end, after which nothing of it may be left.
    pub fn run(&self, program: &Path, arguments: &str) -> Ran {
        let ran = Ran::of(&self.command(program, arguments).output().expect("timeout is installed"));
        self.assert_empty();
        ran
    }

    /// `runcast bsf run ARGUMENTS --json`
    pub fn bsf_run(&self, mpi: &Mpi, arguments: &str) -> Ran {
        self.run(&mpi.executable, &format!("bsf run {arguments} --json"))
    }

    /// The same in the background.
    pub fn start(&self, mpi: &Mpi, arguments: &str) -> Running<'_> {
        self.start_words(mpi, &format!("bsf run {arguments} --json"))
    }

    /// Any command in the background.
    pub fn start_words(&self, mpi: &Mpi, arguments: &str) -> Running<'_> {
        let mut command = self.command(&mpi.executable, arguments);
        let child = command.spawn().expect("timeout is installed");
        Running { place: self, child, executable: mpi.executable.clone() }
    }

    /// Processes that bear the mark of this place, with the variables of their environment.
    fn processes(&self) -> Vec<(u32, Vec<String>)> {
        let mark = format!("{MARK}={}", self.path().display());
        let entries = fs::read_dir("/proc").expect("Linux").flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        pids.filter(|pid| *pid != std::process::id())
            .filter_map(|pid| Some((pid, variables(pid)?)))
            .filter(|(_, variables)| variables.contains(&mark))
            .collect()
    }

    pub fn assert_empty(&self) {
        wait_for("all processes to end", || self.processes().is_empty());
    }
}

fn variables(pid: u32) -> Option<Vec<String>> {
    let bytes = fs::read(format!("/proc/{pid}/environ")).ok()?;
    Some(String::from_utf8_lossy(&bytes).split('\0').map(str::to_owned).collect())
}

/// A run in the background.
pub struct Running<'a> {
    place: &'a Place,
    child: Child,
    executable: PathBuf,
}

impl Running<'_> {
    /// The processes of ranks that are there: rank and process.
    pub fn ranks(&self) -> Vec<(usize, u32)> {
        let rank_of = |variables: &[String]| {
            let value = |name: &str| variables.iter().find_map(|variable| variable.strip_prefix(name)?.parse().ok());
            value("OMPI_COMM_WORLD_RANK=").or_else(|| value("PMI_RANK="))
        };
        let processes = self.place.processes().into_iter();
        processes
            .filter_map(|(pid, variables)| Some((rank_of(&variables)?, pid)))
            .filter(|(_, pid)| self.is_ours(*pid))
            .collect()
    }

    /// Waits for a number of ranks.
    pub fn await_ranks(&self, count: usize) -> Vec<(usize, u32)> {
        wait_for("the ranks to start", || self.ranks().len() == count);
        let mut ranks = self.ranks();
        ranks.sort_unstable();
        ranks
    }

    fn is_ours(&self, pid: u32) -> bool {
        fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|file| file == self.executable)
    }

    /// The runcast that watches, below `timeout`.
    pub fn parent(&self) -> u32 {
        let is_it = |pid: u32| self.is_ours(pid) && parent_of(pid) == Some(self.child.id());
        wait_for("the parent to start", || self.place.processes().iter().any(|(pid, _)| is_it(*pid)));
        self.place.processes().iter().map(|(pid, _)| *pid).find(|pid| is_it(*pid)).expect("it is there")
    }

    /// The launcher.
    pub fn launcher(&self) -> u32 {
        let name = |pid: u32| fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        let is_it = |pid: u32| name(pid).starts_with("mpi") || name(pid).starts_with("orterun");
        self.place.processes().iter().map(|(pid, _)| *pid).find(|pid| is_it(*pid)).expect("it is there")
    }

    pub fn is_over(&mut self) -> bool {
        self.child.try_wait().expect("a child of ours").is_some()
    }

    /// What it gave, after which nothing of it may be left.
    pub fn end(self) -> Ran {
        let ran = Ran::of(&self.child.wait_with_output().expect("a child of ours"));
        self.place.assert_empty();
        ran
    }
}

fn parent_of(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
}

/// Sends a signal, if the process is still there.
pub fn signal(name: &str, pid: u32) {
    let _ = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).stderr(Stdio::null()).status();
}

/// Waits until something holds.
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(30), "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A small generator of numbers.
pub struct Random(pub u64);

impl Random {
    pub fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, most: usize) -> usize {
        ((self.share() * most as f64) as usize).min(most - 1)
    }
}
