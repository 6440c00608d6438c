//! What a begin/end pair costs, beside empty loops, Instant and the spans of tracing.
//!
//! Rounds of all configurations take turns, so that a machine that is busy for a while is so for all of them; of each,
//! the cheapest block of 2,000 pairs counts.

use runcast_bench::Supervised;
use runcast_cll::runtime::FILES;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use tracing_subscriber::layer::SubscriberExt;

const ROUNDS: usize = 5;
const BLOCKS: usize = 160;
const PAIRS: usize = 2_000;
/// More than this must not be held by 10^7 visits, and the program itself \[KiB\].
const MEMORY_KIB: f64 = 64.0 * 1024.0;

/// A way to record a pair.
struct Way {
    name: &'static str,
    clock: &'static str,
    mode: &'static str,
    threads: usize,
    /// How many integers a recorded value runs through; 0: two.
    values: usize,
    /// What a pair may cost \[ns\].
    goal_ns: Option<f64>,
    best_ns: f64,
}

/// The part of the section.
pub fn section() -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let program = compile(folder.path())?;
    let mut ways = ways();
    // Per pair, turn or reading [ns].
    let (mut empty_ns, mut mono_ns, mut tsc_ns) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let (mut instant_ns, mut span_ns) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        for way in &mut ways {
            let arguments = [BLOCKS, way.threads, way.values].map(|number| number.to_string());
            let lines = run(folder.path(), &program, way, &[&["pairs".to_owned()], &arguments[..]].concat())?;
            let numbers = numbers(&lines, 4)?;
            way.best_ns = way.best_ns.min(numbers[0]);
            if way.threads == 1 {
                empty_ns = empty_ns.min(numbers[1]);
                mono_ns = mono_ns.min(numbers[2]);
                tsc_ns = tsc_ns.min(numbers[3]);
            }
        }
        instant_ns = instant_ns.min(best_of(instants));
        span_ns = span_ns.min(best_of_spans());
    }
    let mut text = String::from("### What a region costs\n\n");
    let _ = writeln!(
        text,
        "Begin and end of a region with two recorded values, in C (`cc -O2`): the best of {ROUNDS} x {BLOCKS} blocks of \
         2,000 pairs, beside what else could be used, all in one run. One reading of the clock costs {mono_ns:.1} ns \
         (clock_gettime) and {tsc_ns:.1} ns (time-stamp counter) here: no pair can be cheaper than two of them. The \
         goals are for a machine on which a pair of `Instant` takes 44 ns.\n"
    );
    text.push_str("| what | a pair, ns | without its clocks, ns | goal, ns |\n|---|---|---|---|\n");
    for way in &ways {
        let clocks_ns = 2.0 * if way.clock == "tsc" { tsc_ns } else { mono_ns };
        let goal = way.goal_ns.map_or_else(String::new, |goal| format!("{goal:.0}"));
        let _ = writeln!(text, "| {} | {:.1} | {:.1} | {goal} |", way.name, way.best_ns, way.best_ns - clocks_ns);
    }
    let _ = writeln!(text, "| `std::time::Instant`, twice | {instant_ns:.1} | | |");
    let _ = writeln!(text, "| a span of `tracing` with a registry | {span_ns:.1} | | |");
    let _ = writeln!(text, "| empty loop | {empty_ns:.1} | | |");
    text.push('\n');
    text.push_str(&memory(folder.path(), &program)?);
    Ok(text)
}

/// A pair, and a reading of the clock of the system, of `threads` threads that record one of `values` integers: the least of the
/// blocks, the mean of the threads \[ns\].
pub(super) fn pair_ns(
    folder: &Path,
    program: &OsString,
    mode: &'static str,
    threads: usize,
    values: usize,
) -> Result<(f64, f64), String> {
    let way = Way { name: "", clock: "mono", mode, threads, values, goal_ns: None, best_ns: 0.0 };
    let arguments = [BLOCKS, threads, values].map(|number| number.to_string());
    let lines = run(folder, program, &way, &[&["pairs".to_owned()], &arguments[..]].concat())?;
    let numbers = numbers(&lines, 4)?;
    Ok((numbers[0], numbers[2]))
}

fn ways() -> Vec<Way> {
    let of = |name, clock, mode, threads, values, goal_ns| Way {
        name,
        clock,
        mode,
        threads,
        values,
        goal_ns,
        best_ns: f64::INFINITY,
    };
    let way = |name, clock, mode, threads, goal_ns| of(name, clock, mode, threads, 0, goal_ns);
    vec![
        way("rows, clock_gettime", "mono", "trace", 1, Some(60.0)),
        way("rows, time-stamp counter", "tsc", "trace", 1, Some(25.0)),
        way("aggregates, time-stamp counter", "tsc", "aggregate", 1, Some(30.0)),
        way("aggregates, clock_gettime", "mono", "aggregate", 1, None),
        of("aggregates, clock_gettime, over 10,000 integers", "mono", "aggregate", 1, 10_000, None),
        way("rows, time-stamp counter, 8 threads, each", "tsc", "trace", 8, None),
    ]
}

pub(super) fn compile(folder: &Path) -> Result<OsString, String> {
    for (name, text) in FILES {
        std::fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))?;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin/call/overhead.c");
    let program = folder.join("overhead").into_os_string();
    let mut argv: Vec<OsString> = ["cc", "-O2", "-I"].iter().map(Into::into).collect();
    argv.extend([folder.into(), source.into(), "-o".into(), program.clone()]);
    argv.extend(["-lm", "-pthread"].iter().map(Into::into));
    let finished = Supervised::new(argv).run_quietly();
    if finished.end.is_ok() { Ok(program) } else { Err(format!("cc: {}", finished.stderr_tail)) }
}

/// Lines of the program.
fn run(folder: &Path, program: &OsString, way: &Way, arguments: &[String]) -> Result<Vec<String>, String> {
    let mut argv = vec![program.clone()];
    argv.extend(arguments.iter().map(Into::into));
    let mut supervised = Supervised::new(argv);
    supervised.workdir = Some(folder.to_owned());
    supervised.time_limit = Some(Duration::from_secs(120));
    for (name, value) in [("CLL_CLOCK", way.clock), ("CLL_MODE", way.mode), ("CLL_RUN", "0"), ("CLL_MEM", "1GiB")] {
        supervised.env.push((name.into(), value.into()));
    }
    if way.mode == "auto" {
        supervised.env.retain(|(name, _)| *name != "CLL_MEM");
    }
    let finished = supervised.run_quietly();
    if !finished.end.is_ok() {
        return Err(format!("{:?}: {}", finished.end, finished.stderr_tail));
    }
    Ok(finished.stdout_tail.lines().map(str::to_owned).collect())
}

fn numbers(lines: &[String], count: usize) -> Result<Vec<f64>, String> {
    let line = lines.first().map(String::as_str).unwrap_or_default();
    let numbers: Vec<f64> = line.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    if numbers.len() == count { Ok(numbers) } else { Err(format!("{count} numbers expected, not {line:?}")) }
}

/// 10^7 visits in the default settings.
fn memory(folder: &Path, program: &OsString) -> Result<String, String> {
    let way = Way { name: "", clock: "mono", mode: "auto", threads: 1, values: 0, goal_ns: None, best_ns: 0.0 };
    let peak_kib = |visits: usize| -> Result<f64, String> {
        Ok(numbers(&run(folder, program, &way, &["visits".to_owned(), visits.to_string()])?, 1)?[0])
    };
    let (without, with) = (peak_kib(0)?, peak_kib(10_000_000)?);
    Ok(format!(
        "10,000,000 visits with the default settings add {:.1} MiB to the {:.1} MiB of the program; the bound is {:.0} MiB.\n",
        (with - without) / 1024.0,
        without / 1024.0,
        MEMORY_KIB / 1024.0
    ))
}

/// The cheapest block, a pair of it \[ns\].
fn best_of(block: fn() -> u64) -> f64 {
    let mut best_s = f64::INFINITY;
    for _ in 0..BLOCKS {
        let start = Instant::now();
        black_box(block());
        best_s = best_s.min(start.elapsed().as_secs_f64());
    }
    best_s / PAIRS as f64 * 1e9
}

fn instants() -> u64 {
    let mut sum = 0;
    for _ in 0..PAIRS {
        let start = Instant::now();
        sum += u64::from(start.elapsed().subsec_nanos());
    }
    sum
}

fn best_of_spans() -> f64 {
    let subscriber = tracing_subscriber::registry().with(Nothing);
    tracing::subscriber::with_default(subscriber, || best_of(spans))
}

/// Asks for every span, so that the registry keeps it.
struct Nothing;

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Nothing {}

fn spans() -> u64 {
    for number in 0..PAIRS {
        let span = tracing::info_span!("pair", n = number & 7, m = number & 1);
        let entered = span.enter();
        black_box(number);
        drop(entered);
    }
    0
}
