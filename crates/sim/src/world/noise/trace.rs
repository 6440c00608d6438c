//! Recorded interruptions: lines of `start_ns duration_ns`, repeated forever.

use runcast_core::Problem;

/// Maximum number of interruptions read.
const MOST: usize = 4 << 20;

/// Interruptions of one recording. Its period is the end of the last interruption, counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Starts with lengths, in seconds, ascending, not touching.
    detours: Vec<(f64, f64)>,
    /// Seconds of interruptions before each.
    before: Vec<f64>,
    /// Seconds of interruptions in a period.
    lost: f64,
    /// Seconds.
    period: f64,
}

impl Trace {
    /// Reads a recording: two numbers a line, in nanoseconds; empty lines and those that begin with `#` are skipped.
    ///
    /// # Errors
    /// The first line that is something else, goes back in time or overlaps; a recording without an interruption.
    pub fn parse(text: &str, file: &str) -> Result<Self, Problem> {
        let mut detours: Vec<(f64, f64)> = Vec::new();
        let mut end = 0.0;
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |message: &str| {
                Problem::new("bad_trace", message)
                    .in_file(file)
                    .at_line(index as u64 + 1)
                    .value(line)
                    .allowed("start_ns duration_ns, ascending and not overlapping")
            };
            let mut numbers = line.split_whitespace().map(str::parse::<f64>);
            let (Some(Ok(start)), Some(Ok(length)), None) = (numbers.next(), numbers.next(), numbers.next()) else {
                return Err(wrong("not a line of a trace of interruptions"));
            };
            let (start, length) = (start * 1e-9, length * 1e-9);
            if !(start.is_finite() && length.is_finite() && start >= 0.0 && length >= 0.0) {
                return Err(wrong("times of a trace are finite and not negative"));
            }
            if start < end {
                return Err(wrong("the interruption begins before the last one has ended"));
            }
            end = start + length;
            if detours.len() == MOST {
                return Err(wrong("the trace is too long").hint(format!("at most {MOST} interruptions are read")));
            }
            if length > 0.0 {
                detours.push((start, length));
            }
        }
        if detours.is_empty() {
            return Err(Problem::new("bad_trace", "the trace holds no interruption").in_file(file));
        }
        let mut lost = 0.0;
        let mut before = Vec::with_capacity(detours.len());
        for (_, length) in &detours {
            before.push(lost);
            lost += length;
        }
        if end <= lost {
            return Err(Problem::new("bad_trace", "the trace leaves no time between interruptions").in_file(file));
        }
        Ok(Trace { detours, before, lost, period: end })
    }

    /// Seconds that a computation of this many seconds takes when it begins at a point of time, by a process that is a share
    /// `phase` of the period ahead.
    pub fn interrupted(&self, start_s: f64, seconds: f64, phase: f64) -> f64 {
        let at = (start_s + phase * self.period).rem_euclid(self.period);
        // In free time, which runs through the gaps only, the computation is contiguous.
        let until = self.free_until(at) + seconds;
        let free_period = self.period - self.lost;
        // A process that is done when an interruption begins is not delayed by it.
        let rounds = ((until / free_period).ceil() - 1.0).max(0.0);
        let end = rounds * self.period + self.at_free(until - rounds * free_period);
        (end - at).max(seconds)
    }

    /// Free time from 0 to a point of the period.
    fn free_until(&self, at: f64) -> f64 {
        let after = self.detours.partition_point(|(start, _)| *start <= at);
        let Some(index) = after.checked_sub(1) else { return at };
        let (start, length) = self.detours[index];
        if at < start + length { start - self.before[index] } else { at - self.before[index] - length }
    }

    /// The point of the period at which so much free time has passed; the interruptions that begin there cause no delay.
    fn at_free(&self, free: f64) -> f64 {
        let index = {
            // First interruption that begins at or after so much free time.
            let (mut low, mut high) = (0, self.detours.len());
            while low < high {
                let middle = (low + high) / 2;
                if self.detours[middle].0 - self.before[middle] < free {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            low
        };
        free + if index == self.detours.len() { self.lost } else { self.before[index] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace() -> Trace {
        // Period 10 s: interruptions at 2..3 and 8..10.
        Trace::parse("# ours\n2e9 1e9\n8e9 2e9\n", "t").expect("a trace")
    }

    #[test]
    fn interruptions_are_sat_through() {
        let trace = trace();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        close(trace.interrupted(0.0, 1.0, 0.0), 1.0);
        close(trace.interrupted(0.0, 2.0, 0.0), 2.0);
        close(trace.interrupted(1.0, 2.0, 0.0), 3.0);
        // Begins in the middle of an interruption: half a second of it is left.
        close(trace.interrupted(2.5, 1.0, 0.0), 1.5);
        // 7 s of free time a period: 14 s are two periods, less the interruption at the end.
        close(trace.interrupted(0.0, 14.0, 0.0), 18.0);
        close(trace.interrupted(0.0, 14.5, 0.0), 20.5);
        close(trace.interrupted(20.0, 2.5, 0.0), 3.5);
        // A tenth of the period ahead.
        close(trace.interrupted(0.0, 2.0, 0.1), 3.0);
    }

    #[test]
    fn walking_second_by_second_gives_the_same() {
        let trace = trace();
        // In steps of a twentieth, with ends that never fall on a border: rounding may decide there.
        let busy = |at: u32| matches!(at % 200, 40..60 | 160..200);
        for start in (0..400_u32).step_by(2) {
            for length in (1..300_u32).step_by(2) {
                let (mut at, mut left) = (start, length);
                while left > 0 {
                    left -= u32::from(!busy(at));
                    at += 1;
                }
                let seen = trace.interrupted(f64::from(start) / 20.0, f64::from(length) / 20.0, 0.0);
                assert!((seen - f64::from(at - start) / 20.0).abs() < 1e-9, "{start} {length} {seen}");
            }
        }
    }

    #[test]
    fn lines_that_are_none_are_told() {
        for (text, line) in [("1 2 3", 1), ("10 5\n12 1", 2), ("a b", 1), ("-1 5", 1), ("1 inf", 1)] {
            let problem = Trace::parse(text, "noise.txt").expect_err("no trace");
            assert_eq!((problem.code.as_str(), problem.line), ("bad_trace", Some(line)), "{text}");
        }
        assert_eq!(Trace::parse("", "t").expect_err("empty").code, "bad_trace");
        assert_eq!(Trace::parse("0 5", "t").expect_err("no gap").code, "bad_trace");
    }
}
