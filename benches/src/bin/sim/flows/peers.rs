//! Programs of SimGrid: compiled, run, their one line read.

use runcast_bench::Supervised;
use runcast_bench::supervise::{End, Finished};
use runcast_benches::page::root;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// What SimGrid is told so that it does what we do: plain max-min sharing without factors.
const PLAIN: [&str; 5] = [
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/TCP-gamma:1e18",
    "--cfg=contexts/stack-size:64",
    "--log=root.thres:error",
];
/// No program of SimGrid may take longer.
pub const MOST: Duration = Duration::from_secs(150);

/// Compiled programs.
pub struct Peers {
    folder: TempDir,
}

/// What a program of SimGrid tells.
#[derive(Debug, Clone, Copy)]
pub struct Told {
    /// Simulated time.
    pub time_s: f64,
    /// CPU time of the simulation.
    pub cpu_s: f64,
    /// Peak of its memory.
    pub peak_bytes: f64,
}

/// Compiles the programs.
pub fn build() -> Result<Peers, String> {
    let folder = TempDir::new().map_err(|error| error.to_string())?;
    for name in ["farm", "halo"] {
        let source = root().join("benches/peers/simgrid").join(format!("{name}.cpp"));
        let program = folder.path().join(name);
        let words: [OsString; 6] =
            ["c++".into(), "-O2".into(), "-o".into(), program.into(), source.into(), "-lsimgrid".into()];
        let built = run(Path::new("."), words);
        if !built.end.is_ok() {
            let why = built.stderr_tail.lines().next().unwrap_or("it does not compile").to_owned();
            return Err(format!("{why}; needed are c++ and Debian's libsimgrid-dev"));
        }
    }
    Ok(Peers { folder })
}

/// Runs a program to its end.
fn run(workdir: &Path, words: impl IntoIterator<Item = OsString>) -> Finished {
    let mut program = Supervised::new(words);
    program.workdir = Some(workdir.to_path_buf());
    program.time_limit = Some(MOST);
    program.run_quietly()
}

impl Peers {
    /// Runs one of our programs; nothing if its time was up.
    pub fn run(&self, name: &str, arguments: &[f64]) -> Result<Option<Told>, String> {
        let program = self.folder.path().join(name).into_os_string();
        let arguments = arguments.iter().map(|number| number.to_string().into());
        let words = std::iter::once(program).chain(arguments).chain(PLAIN.map(OsString::from));
        let finished = run(self.folder.path(), words);
        if finished.end == End::Timeout {
            return Ok(None);
        }
        let line = finished.stdout_tail.trim();
        let numbers: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [time_s, cpu_s, peak_bytes] if finished.end.is_ok() => Ok(Some(Told { time_s, cpu_s, peak_bytes })),
            _ => Err(format!("{name}: {} {line}{}", finished.end.status(), finished.stderr_tail)),
        }
    }

    /// Replays a trace by SMPI, in so many processes, on a platform file with one host each; nothing if its time was up.
    pub fn replay(&self, trace: &str, processes: u64, platform: &str) -> Result<Option<Told>, String> {
        let folder = self.folder.path();
        let hosts: String = (0..processes).map(|host| format!("n{host}\n")).collect();
        for (name, text) in [("ti", trace), ("list", "ti\n"), ("hosts", &hosts), ("platform.xml", platform)] {
            std::fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))?;
        }
        let count = processes.to_string();
        let words = [
            "smpirun",
            "-np",
            &count,
            "-platform",
            "platform.xml",
            "-hostfile",
            "hosts",
            "--cfg=smpi/display-timing:1",
            "--cfg=smpi/host-speed:1Gf",
            "-replay",
            "list",
        ];
        let finished = run(folder, words.map(OsString::from));
        if finished.end == End::Timeout {
            return Ok(None);
        }
        let told = format!("{}{}", finished.stdout_tail, finished.stderr_tail);
        let time = told.split("Simulated time: ").nth(1).and_then(|rest| rest.split_whitespace().next());
        let time_s = time.and_then(|time| time.parse().ok());
        match (time_s, finished.cpu_s, finished.peak_bytes) {
            (Some(time_s), Some(cpu_s), Some(peak)) => Ok(Some(Told { time_s, cpu_s, peak_bytes: peak as f64 })),
            _ => Err(format!("smpirun: {} {told}", finished.end.status())),
        }
    }
}
