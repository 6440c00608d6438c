//! Logs of runs with a key and a value on each line: `Threads: 8`, `Time = 1.25 s`.
//!
//! A key that comes again begins the next run. Keys that stand above others and come less often are settings: they hold
//! until they come again.

use super::number;
use crate::metric::Metric;
use crate::problem::Warning;

/// A run has at most so many keys.
const MOST_KEYS: usize = 64;
/// Fewer runs are a description of one.
const LEAST_RUNS: usize = 3;
/// So many letters have the names of columns at most.
const LONGEST: usize = 60;

/// A key with its value.
struct Pair<'t> {
    line: usize,
    key: &'t str,
    value: &'t str,
    unit: &'t str,
}

/// What one run said: the line and the key that it ends with, and the value of each key.
struct Run<'t> {
    line: usize,
    last: usize,
    values: Vec<Option<&'t str>>,
}

/// The log as a table with commas, whose rows stand where the runs end, and what the user should know of that; `is_rule`
/// says which lines are drawn.
pub(super) fn table_of(lines: &[&str], is_rule: impl Fn(&str) -> bool) -> Option<(String, Warning)> {
    let is_open = |line: &str| !line.trim_ascii().is_empty() && !line.starts_with('#') && !is_rule(line);
    let open = lines.iter().filter(|line| is_open(line)).count();
    let pairs: Vec<Pair> =
        lines.iter().enumerate().filter(|(_, line)| is_open(line)).filter_map(|(k, line)| pair(k, line)).collect();
    if 5 * pairs.len() < 4 * open {
        return None;
    }
    let mut keys: Vec<&str> = Vec::new();
    for pair in &pairs {
        if !keys.contains(&pair.key) {
            keys.push(pair.key);
        }
        if keys.len() > MOST_KEYS {
            return None;
        }
    }
    let runs = runs(&pairs, &keys);
    if runs.len() < LEAST_RUNS || keys.len() < 2 || !end_alike(&runs) {
        return None;
    }
    let unit = |key: &str| pairs.iter().find(|pair| pair.key == key).map_or("", |pair| pair.unit);
    let named = |key: &&str| match unit(key) {
        "" => (*key).to_owned(),
        unit => format!("{key} ({unit})"),
    };
    let header: Vec<String> = keys.iter().map(named).collect();
    let mut text: Vec<String> = lines.iter().map(|line| format!("# {line}")).collect();
    text[pairs[0].line] = header.join(",");
    for run in &runs {
        let cells: Vec<&str> = run.values.iter().map(|value| value.unwrap_or_default()).collect();
        text[run.line] = cells.join(",");
    }
    let message = format!("{} runs are read from lines of a key and a value", runs.len());
    Some((text.join("\n"), Warning::new("keys_and_values", message)))
}

/// The runs, in which keys that come before others and are not said again hold on.
fn runs<'t>(pairs: &[Pair<'t>], keys: &[&str]) -> Vec<Run<'t>> {
    let place = |pair: &Pair| keys.iter().position(|key| *key == pair.key).unwrap_or_default();
    let mut runs: Vec<Run> = Vec::new();
    let mut said = vec![false; keys.len()];
    let mut values = vec![None; keys.len()];
    let mut last = (0, 0);
    for pair in pairs {
        let key = place(pair);
        // What comes again, or stands above what has been said, belongs to the next run.
        if said[key] || said[key + 1..].contains(&true) {
            runs.push(Run { line: last.0, last: last.1, values: values.clone() });
            // What stands behind is said anew by each run; where it is not, it is missing.
            values[key + 1..].fill(None);
            said.fill(false);
        }
        values[key] = Some(pair.value);
        said[key] = true;
        last = (pair.line, key);
    }
    runs.push(Run { line: last.0, last: last.1, values });
    runs
}

/// Whether the last run and nearly all others end with the same key: else it is not known where one ends.
fn end_alike(runs: &[Run]) -> bool {
    let Some(end) = runs.last().map(|run| run.last) else { return false };
    5 * runs.iter().filter(|run| run.last == end).count() >= 4 * runs.len()
}

/// The key and the value of a line: a number, with its unit or without, or one word.
fn pair(line: usize, text: &str) -> Option<Pair<'_>> {
    let text = text.trim_ascii();
    let mark = text.find([':', '='])?;
    let (key, value) = (text[..mark].trim_ascii_end(), text[mark + 1..].trim_ascii());
    let is_name =
        key.starts_with(char::is_alphabetic) && key.len() <= LONGEST && !key.contains([',', '"', ';', '\t', '|']);
    if !is_name || value.is_empty() || value.contains([',', '"', ';', '\t', '|', '#']) {
        return None;
    }
    let (number, unit) = value.split_once(' ').unwrap_or((value, ""));
    let unit = unit.trim_ascii();
    if number::parse(number).is_some() {
        let is_known = unit.is_empty() || Metric::named("x", Some(unit)).is_ok();
        return is_known.then_some(Pair { line, key, value: number, unit });
    }
    // A number with its unit at once: `1.25s`.
    let end = number.find(|letter: char| letter.is_ascii_alphabetic() && letter != 'e' && letter != 'E');
    if let Some(end) = end.filter(|end| unit.is_empty() && number::parse(&number[..*end]).is_some())
        && Metric::named("x", Some(&number[end..])).is_ok()
    {
        return Some(Pair { line, key, value: &number[..end], unit: &number[end..] });
    }
    unit.is_empty().then_some(Pair { line, key, value: number, unit })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        let found = table_of(&lines, |line| line.starts_with("---"));
        let Some((table, _)) = found else { return Vec::new() };
        assert_eq!(table.lines().count(), lines.len(), "line numbers stay");
        table.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    }

    #[test]
    fn runs_of_a_log_are_rows() {
        let log = "Threads: 1\nTime -- elapsed: 23.5 s\n------\nThreads: 2\nTime -- elapsed: 12.5 s\n------\nThreads: 4\n\
                   Time -- elapsed: 7.5 s\n------\n";
        assert_eq!(rows(log), ["Threads,Time -- elapsed (s)", "1,23.5", "2,12.5", "4,7.5"]);
        let settings = "size = 100\nThreads = 1\nt = 8\nThreads = 2\nt = 5\nsize = 200\nThreads = 1\nt = 16\n";
        assert_eq!(rows(settings), ["size,Threads,t", "100,1,8", "100,2,5", "200,1,16"]);
        let failed = "p: 1\nt: 8.5ms\np: 2\np: 4\nt: 2.5ms\np: 8\nt: 1.5ms\np: 16\nt: 1ms\n";
        assert_eq!(
            rows(failed),
            ["p,t (ms)", "1,8.5", "2,", "4,2.5", "8,1.5", "16,1"],
            "what a run did not say is missing"
        );
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "p,time_s\n1,5\n2,3\n4,2\n",
            "t: 5\nt: 9\nsize: 10\nt: 5\nsize: 20\nt: 9\nsize: 30\nt: 12\n",
            "host: node7\ndate: 2026-01-05\nthreads: 4\n",
            "p: 1\np: 2\np: 3\n",
            "Rank=0: received 1 B; time 5 us\nRank=0: received 2 B; time 6 us\nRank=0: received 4 B; time 7 us\n",
            "",
        ] {
            assert!(rows(text).is_empty(), "{text}");
        }
    }
}
