//! Rounds of the real loop over hours or days: each is on the disk before the next one starts, and the same command goes on
//! after an interruption.

use super::SampleArgs;
use super::measure::Measuring;
use crate::failure::Failure;
use runcast_core::Problem;
use runcast_wavefront::sample::measured::{Measured, name, of_run};
use runcast_wavefront::sample::pilot::Pace;
use runcast_wavefront::sample::{Kind, Samples};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

/// How long a wait goes on without a look at requests to stop.
const NAP: Duration = Duration::from_millis(100);

/// When rounds start, and for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounds {
    /// From one start to the next \[s\].
    pub every_s: f64,
    /// From the first start to the last \[s\].
    pub for_s: f64,
}

impl Rounds {
    /// At most so many.
    pub fn count(self) -> u64 {
        (self.for_s / self.every_s).floor() as u64 + 1
    }
}

/// What all rounds gave, those of an earlier call included.
pub(super) fn measure(measuring: &Measuring<'_>, rounds: Rounds) -> Result<(Measured, Option<Pace>), Failure> {
    let args = measuring.args;
    let path = args.out.as_deref().ok_or_else(|| {
        let problem = Problem::new("no_table", "rounds need a table that they are added to").at("--set every");
        Failure::from(problem.hint("name a file with -o"))
    })?;
    let (mut all, behind_s, mut pace) = earlier(args, path, measuring)?;
    let epoch = Instant::now();
    let mut file = appending(path, &all.samples)?;
    let mut done = all.samples.rows.len() as u64;
    loop {
        let start_s = behind_s + epoch.elapsed().as_secs_f64();
        if start_s > rounds.for_s {
            break;
        }
        let recording = measuring.in_the_loop(args.updates as u64, false)?;
        if recording.is_interrupted {
            all.is_interrupted = true;
            break;
        }
        let before = all.samples.rows.len();
        all.append(of_run(&recording, &measuring.host()), start_s);
        if let Some(later) = Pace::of(&recording) {
            pace.get_or_insert_default().append(&later, start_s);
        }
        let round = Samples { rows: all.samples.rows[before..].to_vec() };
        let rows = round.to_csv().split_once('\n').map(|(_, rows)| rows.to_owned()).unwrap_or_default();
        let written = file.write_all(rows.as_bytes()).and_then(|()| file.sync_data());
        written.map_err(|error| Failure::writing(path, &error))?;
        done += round.rows.len() as u64;
        measuring.show(done);
        if !waits(measuring, epoch, start_s + rounds.every_s - behind_s) {
            all.is_interrupted = true;
            break;
        }
    }
    Ok((all, pace))
}

/// What the table has already, how far its clock is by now, and the phases in it.
fn earlier(
    args: &SampleArgs,
    path: &Path,
    measuring: &Measuring<'_>,
) -> Result<(Measured, f64, Option<Pace>), Failure> {
    let nothing = Measured::of(Samples::default(), &measuring.host(), args.processes());
    let Ok(bytes) = std::fs::read(path) else { return Ok((nothing, 0.0, None)) };
    // A line that was cut short when the program was killed.
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let samples = match whole {
        0 => Samples::default(),
        _ => Samples::read(&path.display().to_string(), &bytes[..whole])?,
    };
    let ends = samples.rows.iter().filter_map(|row| Some(row.start_s? + row.time_s));
    let Some(end_s) = ends.max_by(f64::total_cmp) else { return Ok((nothing, 0.0, None)) };
    let others = samples.rows.iter().any(|row| (0..args.processes()).all(|process| *row.process != *name(process)));
    if others {
        let problem = Problem::new("other_samples", "the table has samples of other processes").at("--output");
        return Err(problem.value(path.display().to_string()).hint("another file, or the same --processes").into());
    }
    let modified = std::fs::metadata(path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let since_s = SystemTime::now().duration_since(modified).map_or(0.0, |since| since.as_secs_f64());
    let pace = phases(&samples, args.updates);
    Ok((Measured::of(samples, &measuring.host(), args.processes()), end_s + since_s, pace))
}

/// The phases of the first process: from one update to the next; the last one of a round is its update alone.
fn phases(samples: &Samples, updates: usize) -> Option<Pace> {
    let first = name(0);
    let own = samples.rows.iter().filter(|row| row.kind == Kind::Update && *row.process == *first);
    let own: Vec<(f64, f64)> = own.filter_map(|row| Some((row.start_s?, row.time_s))).collect();
    let next = |index: usize| own.get(index + 1).filter(|_| !(index + 1).is_multiple_of(updates));
    let times = own.iter().enumerate().map(|(index, own)| next(index).map_or(own.1, |next| next.0 - own.0));
    Pace::new(own.iter().map(|own| own.0).collect(), times.collect())
}

/// The table, its header written, at the end of its last whole line.
fn appending(path: &Path, samples: &Samples) -> Result<File, Failure> {
    let fail = |error: std::io::Error| Failure::writing(path, &error);
    if samples.rows.is_empty() {
        let mut file = File::create(path).map_err(fail)?;
        file.write_all(Samples::default().to_csv().as_bytes()).map_err(fail)?;
        return Ok(file);
    }
    let mut file = OpenOptions::new().append(true).open(path).map_err(fail)?;
    let text = std::fs::read(path).map_err(fail)?;
    if text.last() != Some(&b'\n') {
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        file.set_len(whole as u64).map_err(fail)?;
    }
    file.flush().map_err(fail)?;
    Ok(file)
}

/// Waits so long after the epoch; false where a stop was asked for.
fn waits(measuring: &Measuring<'_>, epoch: Instant, until_s: f64) -> bool {
    loop {
        if measuring.context.interrupt.load(Ordering::Relaxed) {
            return false;
        }
        let left_s = until_s - epoch.elapsed().as_secs_f64();
        if left_s <= 0.0 {
            return true;
        }
        std::thread::sleep(NAP.min(Duration::from_secs_f64(left_s)));
    }
}
