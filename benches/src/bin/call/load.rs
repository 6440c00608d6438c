//! Reading a million rows of traces, and a fit to them.

use runcast_bench::Supervised;
use runcast_benches::random::Random;
use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

const ROWS: usize = 1_000_000;
const REPETITIONS: usize = 5;

/// The part of the section.
pub fn section() -> Result<String, String> {
    let told = |error: std::io::Error| error.to_string();
    let folder = tempfile::tempdir().map_err(told)?;
    let trace = folder.path().join("made.cll.1.csv");
    write(&trace).map_err(told)?;
    let megabytes = std::fs::metadata(&trace).map_err(told)?.len() as f64 / 1e6;

    let mut text = format!(
        "### Traces\n\nA trace of {ROWS} rows ({megabytes:.0} MB) of 52 sizes with 3 pieces, best and slowest of {REPETITIONS}. Goal: \
         read and fitted with\nintervals within 3 s.\n\n| | best, s | slowest, s |\n|---|---|---|\n"
    );
    let bytes = std::fs::read(&trace).map_err(told)?;
    let mut reading = Vec::new();
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        let read = runcast_call::trace::read("made.cll.1.csv", &bytes).map_err(|problem| problem.to_string())?;
        reading.push(start.elapsed().as_secs_f64());
        if read.table.rows() != ROWS || !read.table.warnings.is_empty() {
            return Err(format!("{} of {ROWS} rows were read", read.table.rows()));
        }
    }
    row(&mut text, "reading alone, in memory", &reading);
    let commands = format!("load '{}' as t; fit F as m; constants m", trace.display());
    let runcast = std::env::current_exe().map_err(told)?.with_file_name("runcast");
    if !runcast.exists() {
        return Err(format!("{} is not there: cargo build --release", runcast.display()));
    }
    let mut whole = Vec::new();
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        let command = [runcast.clone().into_os_string(), "llac".into(), "-e".into(), commands.clone().into()];
        let finished = Supervised::new(command).run_quietly();
        whole.push(start.elapsed().as_secs_f64());
        if !finished.end.is_ok() {
            return Err(format!("{}: {}", finished.end.status(), finished.stderr_tail));
        }
    }
    row(&mut text, "`runcast llac -e 'load ..; fit F; constants'`, the whole process", &whole);
    Ok(text)
}

fn row(text: &mut String, what: &str, times_s: &[f64]) {
    let best = times_s.iter().copied().fold(f64::INFINITY, f64::min);
    let slowest = times_s.iter().copied().fold(0.0, f64::max);
    let _ = writeln!(text, "| {what} | {best:.2} | {slowest:.2} |");
}

/// A trace as the run-time library writes it.
fn write(path: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    out.write_all(
        b"# cll-trace: 1\n\
          # run: {\"name\":\"made\",\"run\":1,\"rank\":0,\"processes\":4,\"threads\":1}\n\
          # experiment: {\"name\":\"F\",\"formula\":\"F[0]+F[1]*n\",\"file\":\"made.c\",\"line\":1,\"names\":[\"n\"],\"seg\":[\"n\"]}\n\
          # roles: {\"params\":[\"n\",\"P\"],\"metrics\":[\"time_s\",\"self_s\",\"raw_s\",\"cpu_s\"]}\n\
          region,rank,thread,visit,level,status,visits,n,P,time_s,self_s,raw_s,cpu_s,time_sd_s,time_min_s,time_max_s\n",
    )?;
    let sizes: Vec<f64> = (0..52).map(|i| 2f64.powf(6.0 + 17.0 * f64::from(i) / 51.0).round()).collect();
    let mut random = Random::new(0);
    for visit in 0..ROWS {
        let n = sizes[random.bits() as usize % sizes.len()];
        let ns = match n {
            n if n < 4096.0 => 300.0 + n,
            n if n < 131_072.0 => 2500.0 + 1.9 * n,
            n => 40_000.0 + 6.0 * n,
        };
        let time_s = 1e-9 * ns * (0.02 * random.normal()).exp();
        let rank = visit % 4;
        writeln!(out, "F,{rank},0,{},0,ok,1,{n},4,{time_s:.7e},{time_s:.7e},{:.7e},,,,", visit / 4, time_s + 4e-8)?;
    }
    writeln!(out, "# end: {{\"rows\":{ROWS},\"open\":0,\"exit\":0,\"clamped\":0,\"rejected\":0,\"spill_s\":0}}")?;
    out.flush()
}
