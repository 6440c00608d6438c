//! When hosts were on, from a recording: lines of `host,start_s,end_s`, repeated forever.

use runcast_core::Problem;
use std::collections::HashMap;

/// Maximum number of times read.
const MOST: usize = 4 << 20;

/// Times of hosts. The period is the last end, counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Of each host the times that it is on, in seconds: starts and ends, ascending, not overlapping.
    hosts: Vec<Vec<(f64, f64)>>,
    period_s: f64,
}

/// A time that a line gives, with the number of the line.
type Line = (f64, f64, u64);

impl Recorded {
    /// Reads a recording: a header `host,start_s,end_s`, then a line for each time that a host was on. Empty lines and those
    /// that begin with `#` are skipped; lines may come in any order.
    ///
    /// # Errors
    /// The first line that is something else; times of a host that overlap; no time at all.
    pub fn parse(text: &str, file: &str) -> Result<Self, Problem> {
        let wrong = |message: String, line: u64, value: &str| {
            Problem::new("bad_trace", message)
                .in_file(file)
                .at_line(line)
                .value(value)
                .allowed("lines of host,start_s,end_s: when a host is on, in seconds")
        };
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut hosts: Vec<Vec<Line>> = Vec::new();
        let mut count = 0;
        for (index, line) in text.lines().enumerate() {
            let (number, line) = (index as u64 + 1, line.trim().trim_start_matches('\u{feff}'));
            let fields: Vec<&str> = line.split(',').map(|field| field.trim().trim_matches('"')).collect();
            if line.is_empty() || line.starts_with('#') || (count == 0 && fields == ["host", "start_s", "end_s"]) {
                continue;
            }
            let [host, start, end] = fields[..] else {
                return Err(wrong("not a time that a host is on".to_owned(), number, line));
            };
            let (Ok(start), Ok(end)) = (start.parse::<f64>(), end.parse::<f64>()) else {
                return Err(wrong("a time is no number".to_owned(), number, line));
            };
            if !(start.is_finite() && end.is_finite() && start >= 0.0 && start < end) {
                return Err(wrong("a host is on from 0 s or later to a later time".to_owned(), number, line));
            }
            count += 1;
            if count > MOST {
                return Err(wrong(format!("more than {MOST} times"), number, line));
            }
            let next = numbers.len();
            let host = *numbers.entry(host).or_insert(next);
            if host == hosts.len() {
                hosts.push(Vec::new());
            }
            hosts[host].push((start, end, number));
        }
        let mut period_s = 0.0_f64;
        for times in &mut hosts {
            times.sort_by(|one, other| one.0.total_cmp(&other.0));
            for pair in times.windows(2) {
                let ((_, end, before), (start, _, line)) = (pair[0], pair[1]);
                if start < end {
                    let message = format!("the host is on already: line {before} ends at {end} s");
                    return Err(wrong(message, line, &start.to_string()));
                }
            }
            period_s = times.last().map_or(period_s, |(_, end, _)| period_s.max(*end));
        }
        if hosts.is_empty() {
            return Err(Problem::new("bad_trace", "the trace holds no time that a host is on").in_file(file));
        }
        let plain = |times: Vec<Line>| {
            let mut on: Vec<(f64, f64)> = Vec::with_capacity(times.len());
            for (start, end, _) in times {
                match on.last_mut() {
                    Some(last) if last.1 >= start => last.1 = end,
                    _ => on.push((start, end)),
                }
            }
            on
        };
        Ok(Recorded { hosts: hosts.into_iter().map(plain).collect(), period_s })
    }

    /// The n-th time that a host is on, in seconds. Hosts beyond those of the recording are like them in turn. From one period
    /// to the next it may stay on.
    pub fn time(&self, host: u32, nth: u64) -> (f64, f64) {
        let times = &self.hosts[host as usize % self.hosts.len()];
        let (first, last) = (times[0], times[times.len() - 1]);
        let stays_on = first.0 <= 0.0 && last.1 >= self.period_s;
        if stays_on && times.len() == 1 {
            return (0.0, f64::INFINITY);
        }
        // One that stays on begins its first time once; then the last of a period goes on as the first of the next.
        let nth = if stays_on && nth > 0 { nth + (nth - 1) / (times.len() as u64 - 1) } else { nth };
        let (round, at) = (nth / times.len() as u64, nth % times.len() as u64);
        let (start, end) = times[at as usize];
        let before = round as f64 * self.period_s;
        let goes_on = if stays_on && at + 1 == times.len() as u64 { first.1 } else { 0.0 };
        (before + start, before + end + goes_on)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_repeat_after_the_last_end_and_hosts_take_turns() {
        let text = "# ours\nhost,start_s,end_s\nb,10,20\na,5,6\na,0,2.5\n";
        let recorded = Recorded::parse(text, "t").expect("a recording");
        assert_eq!([recorded.time(0, 0), recorded.time(0, 1)], [(10.0, 20.0), (30.0, 40.0)]);
        assert_eq!(
            [recorded.time(1, 0), recorded.time(1, 1), recorded.time(3, 2)],
            [(0.0, 2.5), (5.0, 6.0), (20.0, 22.5)]
        );
    }

    #[test]
    fn who_is_on_at_the_end_of_a_period_stays_on() {
        let times = |text: &str| {
            let recorded = Recorded::parse(text, "t").expect("a recording");
            [0, 1, 2, 3].map(|nth| recorded.time(0, nth))
        };
        assert_eq!(times("a,0,2\na,5,9\n"), [(0.0, 2.0), (5.0, 11.0), (14.0, 20.0), (23.0, 29.0)]);
        let three = "a,0,1\na,2,3\na,4,5\n";
        assert_eq!(times(three), [(0.0, 1.0), (2.0, 3.0), (4.0, 6.0), (7.0, 8.0)]);
        assert_eq!(times("a,0,3\na,3,5\n")[0], (0.0, f64::INFINITY));
    }

    #[test]
    fn what_is_no_recording_is_told_with_its_line() {
        for (text, line, words) in [
            ("host,start_s,end_s\na,0,5\na,4,6\n", Some(3), "line 2 ends at 5 s"),
            ("a,0,5\nb,7\n", Some(2), "not a time"),
            ("a,0,x\n", Some(1), "no number"),
            ("a,5,5\n", Some(1), "to a later time"),
            ("a,-1,5\n", Some(1), "from 0 s"),
            ("a,0,inf\n", Some(1), "to a later time"),
            ("", None, "no time"),
        ] {
            let problem = Recorded::parse(text, "t").expect_err(text);
            assert!(problem.line == line && problem.message.contains(words), "{problem:?}");
        }
    }
}
