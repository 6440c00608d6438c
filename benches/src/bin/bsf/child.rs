//! One size of Jacobi in a process of its own.

use crate::reader;
use runcast_bench::Supervised;
use runcast_bsf::programs::{Program, Report, Settings};
use runcast_bsf::skeleton::{Backend, Phase, RunOptions, Waiting};
use serde_json::{Value, json};

/// Iterations after the first one, of the serial run and of the others.
const ITERATIONS: u64 = 40;
const ITERATIONS_OTHERS: u64 = 20;

/// Measures, and gives the figures as JSON.
///
/// The serial run comes first, for the peak of the memory is asked for after it.
pub fn measure(size: u64) -> Result<Value, String> {
    let program = Program::new("jacobi", &Settings::new().set("size", size)).map_err(|error| error.to_string())?;
    let serial = run(&program, Backend::Serial, 1, false, ITERATIONS)?;
    let peak_bytes = peak_bytes().ok_or("the peak of the memory cannot be had")?;
    let bandwidth = reader::bandwidth()?;
    let reproducible = run(&program, Backend::Serial, 1, true, ITERATIONS_OTHERS)?;
    let threads = [1, 2, 4].map(|workers| run(&program, Backend::Threads, workers, false, ITERATIONS_OTHERS));
    let [one, two, four] = threads;
    let iteration_s = |report: &Report| report.times.iteration_s();
    Ok(json!({
        "bandwidth_bytes_per_s": bandwidth,
        "map_fold_cpu_s": serial.times.map_fold_cpu_s(),
        "iteration_s": iteration_s(&serial),
        "first_iteration_s": serial.times.first_iteration_s(),
        "peak_bytes": peak_bytes,
        "reproducible_s": iteration_s(&reproducible),
        "threads_s": [iteration_s(&one?), iteration_s(&two?), iteration_s(&four?)],
        "master_cpu_share": idle(&program)?,
    }))
}

fn run(
    program: &Program,
    backend: Backend,
    workers: usize,
    reproducible: bool,
    iterations: u64,
) -> Result<Report, String> {
    let mut options = RunOptions { backend, workers, reproducible, wait: Waiting::Spin, ..RunOptions::default() };
    options.limits.iterations = Some(iterations + 1);
    finished(program, &options)
}

fn finished(program: &Program, options: &RunOptions) -> Result<Report, String> {
    let report = program.run(options).map_err(|error| error.to_string())?;
    report.ok_or_else(|| "this is not the master".to_owned())
}

/// CPU time of the master by its wall time, when it sleeps while it waits.
fn idle(program: &Program) -> Result<Option<f64>, String> {
    let mut options =
        RunOptions { backend: Backend::Threads, workers: 1, wait: Waiting::Sleep, ..RunOptions::default() };
    options.limits.iterations = Some(ITERATIONS_OTHERS);
    let report = finished(program, &options)?;
    let master = report.times.ranks.first();
    Ok(master.and_then(|master| Some(master.median_cpu_s(Phase::Iteration)? / master.median_wall_s(Phase::Iteration)?)))
}

/// The most that was resident of this process so far.
fn peak_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0)
}

/// The figures of one size.
pub struct Figures(Value);

impl Figures {
    /// Starts the process and takes its figures.
    pub fn of(size: u64) -> Result<Figures, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let finished = Supervised::new([own.into_os_string(), "--child".into(), size.to_string().into()]).run_quietly();
        if !finished.end.is_ok() {
            return Err(format!("size {size}: {}: {}", finished.end.status(), finished.stderr_tail));
        }
        serde_json::from_str(&finished.stdout_tail).map(Figures).map_err(|error| error.to_string())
    }

    /// One of them, by its name or its pointer.
    pub fn get(&self, name: &str) -> Result<f64, String> {
        self.0.pointer(&format!("/{name}")).and_then(Value::as_f64).ok_or_else(|| format!("there is no {name}"))
    }
}
