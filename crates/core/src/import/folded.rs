//! Folded stacks, as the scripts for flame graphs make them of `perf` and other sampling profilers: `main;solve;dot 42`,
//! the outermost frame first, and how many samples had this stack.

use super::regions::{DEEPEST, Region, Regions};
use super::{Format, Probe};
use crate::problem::{Problem, Problems, shorten};
use crate::table::{ReadOptions, Table};
use std::collections::HashMap;

pub(super) const FORMAT: Format =
    Format { name: "folded", description: "folded stacks, frame;frame COUNT (--frequency)", recognizes, read };

/// Lines that are looked at.
const LOOK: usize = 20;

fn recognizes(probe: &Probe<'_>) -> bool {
    if probe.is_json() {
        return false;
    }
    let is_stack = |line: &str| stack_of(line).is_some_and(|(stack, _)| stack.contains(char::is_alphabetic));
    probe.first_lines(LOOK).all(is_stack) && probe.first_lines(LOOK).any(|line| line.contains(';'))
}

/// The frames of a line, and its count.
fn stack_of(line: &str) -> Option<(&str, u64)> {
    let (stack, count) = line.trim_ascii().rsplit_once([' ', '\t'])?;
    Some((stack.trim_ascii_end(), count.parse().ok()?))
}

fn read(file: &str, text: &str, options: &ReadOptions) -> Result<Table, Problems> {
    let regions = regions_of(text, options).map_err(|problem| Problems::from(problem.in_file(file)))?;
    Ok(regions.table(file))
}

fn regions_of(text: &str, options: &ReadOptions) -> Result<Regions, Problem> {
    let mut regions =
        Regions { counts_samples: true, sample_s: options.frequency.map(f64::recip), ..Regions::default() };
    let mut index: HashMap<String, usize> = HashMap::new();
    let mut frames: Vec<&str> = Vec::new();
    for (line, row) in (1u64..).zip(text.lines()) {
        if row.trim_ascii().is_empty() || row.starts_with('#') {
            continue;
        }
        let Some((stack, count)) = stack_of(row) else {
            let problem = Problem::new("not_a_stack", "the line does not end in a count of samples").at_line(line);
            return Err(problem
                .value(shorten(row, 60))
                .allowed("frames, separated by semicolons, a blank, and a whole number"));
        };
        frames.clear();
        for frame in stack.split(';').map(str::trim_ascii).filter(|frame| !frame.is_empty()) {
            // Of a function that calls itself, the outermost instance has all of its time.
            if !frames.contains(&frame) {
                frames.push(frame);
            }
            if frames.len() > DEEPEST {
                let message = format!("a stack of more than {DEEPEST} different frames");
                return Err(Problem::new("too_deep", message).at_line(line));
            }
        }
        let mut path = String::new();
        for (depth, frame) in (1..).zip(&frames) {
            if depth > 1 {
                path.push('/');
            }
            // A slash in a name, such as that of a library's file, would look like a nest.
            path.push_str(&frame.replace('/', "|"));
            let number = *index.entry(path.clone()).or_insert_with(|| {
                regions.rows.push(Region {
                    path: path.clone(),
                    rank: f64::NAN,
                    thread: f64::NAN,
                    visits: f64::NAN,
                    at: Vec::new(),
                    time: 0.0,
                    own: 0.0,
                    line,
                });
                regions.rows.len() - 1
            });
            regions.rows[number].time += count as f64;
            if depth == frames.len() {
                regions.rows[number].own += count as f64;
            }
        }
    }
    if regions.rows.is_empty() {
        return Err(Problem::new("empty_table", "there is no stack in the file"));
    }
    Ok(regions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_counts_once_a_stack() {
        let options = ReadOptions { frequency: Some(100.0), ..ReadOptions::default() };
        let text = "main;walk;walk;walk 30\nmain;walk;leaf 20\nmain 1\n[libc.so/x] 5\n";
        let table = read("p/run7.folded", text, &options).expect("a table");
        let cells = |name: &str| {
            let column = table.column(name).expect(name);
            (0..column.len()).map(|row| column.cell(row)).collect::<Vec<_>>()
        };
        assert_eq!(cells("region"), ["main", "main/walk", "main/walk/leaf", "[libc.so|x]"]);
        assert_eq!(cells("samples"), ["51", "50", "20", "5"]);
        assert_eq!(cells("time_s"), ["0.51", "0.5", "0.2", "0.05"]);
        assert_eq!(cells("self_s"), ["0.01", "0.3", "0.2", "0.05"]);
        assert_eq!(cells("run"), ["run7"; 4]);
        let bare = read("a.folded", text, &ReadOptions::default()).expect("a table");
        assert!(bare.column("time_s").is_none() && bare.column("samples").is_some());
    }

    #[test]
    fn stacks_are_told_from_tables() {
        let is_folded = |text: &str| recognizes(&Probe::new(text));
        assert!(is_folded("main;f(int, char) 3\n_start 1\n"));
        for other in ["p;N;time_s\n1;2;3\n", "1;2 3\n", "p time\n1 2\n", "{}", "main 3\nsolve 4\n"] {
            assert!(!is_folded(other), "{other}");
        }
        let error = read("a.folded", "main;f 3\nmain;g x\n", &ReadOptions::default()).expect_err("no count");
        assert_eq!((error.0[0].code.as_str(), error.0[0].line), ("not_a_stack", Some(2)));
    }
}
