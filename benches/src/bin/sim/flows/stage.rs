//! One simulation at `flow`, with its CPU time and the growth of the peak of memory.

use runcast_sim::application::{Application, Label, Op, Program, Programs, Site};
use runcast_sim::budget::Budget;
use runcast_sim::catalogue::Catalogue;
use runcast_sim::job::{Job, Live};
use runcast_sim::outcome::Blind;
use runcast_sim::platform::Platform;
use runcast_sim::tick::PICOSECOND;
use runcast_sim::world::PlainWorld;
use runcast_sim::{flow, system};
use std::time::SystemTime;

/// Of every link here, in bytes per second.
pub const BANDWIDTH: f64 = 1.25e9;
/// Of every link here.
pub const LATENCY_S: f64 = 1e-6;

/// A simulation that was run.
pub struct Run {
    pub time_s: f64,
    pub cpu_s: f64,
    /// How far the peak of memory rose above what was there before.
    pub grown_bytes: f64,
}

/// The platform of a system file.
pub fn platform(text: &str) -> Result<Platform, String> {
    let read = system::read(text, "bench.toml", Catalogue::builtin(), &system::Changes::default())
        .map_err(|problems| problems.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; "))?;
    read.system.platform(&[]).map_err(|problem| problem.message)
}

/// A torus of so many machines along each of three dimensions.
pub fn torus(side: u64) -> String {
    format!(
        "format = \"runcast-system/1\"\nname = \"torus\"\n\
         component = [{{ id = \"torus\", kind = \"group\" }}, {{ id = \"node\", kind = \"machine\", parent = \"torus\", \
         count = {} }}, {{ id = \"cpu\", kind = \"cpu\", parent = \"node\", set = {{ cores = 1, flops_double = 1e9 }} }}]\n\
         [[network]]\nof = \"torus\"\ntopology = {{ kind = \"torus\", dims = [{side}, {side}, {side}] }}\n\
         set = {{ bandwidth = {BANDWIDTH:?}, latency = {LATENCY_S:?} }}\n",
        side.pow(3)
    )
}

/// A label whose processes all do the same.
pub fn label(name: &str, first: u64, count: u64, programs: Programs) -> Label {
    Label::new(name, first, count, programs)
}

/// A program without places.
pub fn program(ops: Vec<Op>, requests: u32) -> Program {
    Program { ops: ops.into_iter().map(|op| (op, Site::default())).collect(), requests }
}

/// Runs an application, one process a machine; CPU time is the least of several goes.
pub fn run(
    platform: &Platform,
    application: &Application,
    live: Option<&dyn Live>,
    goes: usize,
) -> Result<Run, String> {
    let world = PlainWorld { processes: platform.machines };
    let budget = Budget::default();
    let job = Job { live, tick: PICOSECOND, ..Job::new(platform, &world, &budget) };
    let mut best: Option<Run> = None;
    for _ in 0..goes {
        let mut application = application.clone();
        reset_peak();
        let before = status("VmRSS:");
        let begun = cpu_s();
        let outcome = flow::engine(&job, &mut application, &mut Blind).map_err(|problem| problem.message)?;
        let cpu_s = cpu_s() - begun;
        let grown_bytes = status("VmHWM:") - before;
        let time_s = PICOSECOND.to_seconds(outcome.end);
        let grown_bytes = best.as_ref().map_or(grown_bytes, |best| best.grown_bytes.max(grown_bytes));
        let cpu_s = best.as_ref().map_or(cpu_s, |best| best.cpu_s.min(cpu_s));
        best = Some(Run { time_s, cpu_s, grown_bytes });
    }
    best.ok_or_else(|| "no go at all".to_owned())
}

/// CPU time of this thread; the clock where Linux does not tell.
pub fn cpu_s() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let on_cpu = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    on_cpu.map_or_else(|| SystemTime::UNIX_EPOCH.elapsed().map_or(0.0, |since| since.as_secs_f64()), |ns| 1e-9 * ns)
}

/// The peak of memory counts from now on, where Linux lets us.
fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Bytes of a line of the status of this process.
fn status(key: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0) * 1024.0
}
