//! Ranges of NVTX, as Nsight Systems lists them: `nsys stats --report nvtx_pushpop_trace --format csv`. A row is a range of a
//! thread; ranges nest by time. `solve n=4096` is the region `solve` with the parameter `n`. The database of
//! `nsys export --type sqlite` has the same ranges.

mod database;

use super::regions::{DEEPEST, Region, Regions};
use super::sqlite::is_database;
use super::{Format, Probe};
use crate::problem::{Problem, Problems, shorten};
use crate::table::{ReadOptions, Table, number};

pub(super) const FORMAT: Format = Format {
    name: NAME,
    description: "NVTX by nsys: CSV of nvtx_pushpop_trace, or export as SQLite",
    recognizes,
    read,
};

const NAME: &str = "nvtx";

pub(super) use database::BINARY;

/// Units that `nsys stats --timeunit` writes behind the names of times.
const UNITS: [(&str, f64); 7] =
    [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("nsec", 1e-9), ("usec", 1e-6), ("msec", 1e-3)];

fn recognizes(probe: &Probe<'_>) -> bool {
    is_database(probe.text().as_bytes())
        || (!probe.is_json() && probe.first_lines(1).any(|line| Columns::of(line).is_some()))
}

/// Where in a row what is.
struct Columns {
    start: usize,
    duration: usize,
    name: usize,
    process: Option<usize>,
    thread: Option<usize>,
    second: f64,
}

impl Columns {
    fn of(line: &str) -> Option<Self> {
        let header = cells(line);
        let timed = |name: &str| {
            header.iter().enumerate().find_map(|(place, cell)| {
                let unit = cell.trim().strip_prefix(name)?.trim().strip_prefix('(')?.strip_suffix(')')?;
                Some((place, UNITS.iter().find(|(known, _)| *known == unit)?.1))
            })
        };
        let named = |name: &str| header.iter().position(|cell| cell.trim() == name);
        let (start, second) = timed("Start")?;
        let (duration, _) = timed("Duration")?;
        let (process, thread) = (named("PID").or_else(|| named("Pid")), named("TID").or_else(|| named("Tid")));
        Some(Columns { start, duration, name: named("Name")?, process, thread, second })
    }
}

/// A range as it stands in the file.
struct Range {
    start: f64,
    duration: f64,
    name: String,
    at: Vec<(String, f64)>,
    process: u64,
    thread: u64,
    line: u64,
}

fn read(file: &str, text: &str, _: &ReadOptions) -> Result<Table, Problems> {
    let regions = ranges_of(text).and_then(nested).map_err(|problem| Problems::from(problem.in_file(file)))?;
    Ok(regions.table(file))
}

fn ranges_of(text: &str) -> Result<Vec<Range>, Problem> {
    let mut rows = (1u64..).zip(text.lines()).filter(|(_, row)| !row.trim_ascii().is_empty());
    let header = rows.next().and_then(|(_, row)| Columns::of(row));
    let Some(columns) = header else {
        let problem = Problem::new("bad_header", "the first line does not name the columns of ranges").at_line(1);
        return Err(problem.allowed("Start (ns), Duration (ns), Name, and PID, TID"));
    };
    let mut ranges = Vec::new();
    for (line, row) in rows {
        let cells = cells(row);
        let number_in = |place: usize| {
            let cell = cells.get(place).map_or("", String::as_str);
            number::parse(&cell.replace(',', "")).filter(|value| value.is_finite() && *value >= 0.0).ok_or_else(|| {
                let problem = Problem::new("not_a_number", "a time or a number of a thread is expected").at_line(line);
                problem.at(format!("column {}", place + 1)).value(shorten(cell, 40))
            })
        };
        let whole = |place: Option<usize>| place.map_or(Ok(0), |place| number_in(place).map(|value| value as u64));
        let name = cells.get(columns.name).map_or("", String::as_str);
        // The default domain has no name.
        let (name, at) = parameters_of(name.trim_start_matches(':'));
        ranges.push(Range {
            start: number_in(columns.start)? * columns.second,
            duration: number_in(columns.duration)? * columns.second,
            name,
            at,
            process: whole(columns.process)?,
            thread: whole(columns.thread)?,
            line,
        });
    }
    if ranges.is_empty() {
        return Err(Problem::new("empty_table", "there is no range in the file"));
    }
    Ok(ranges)
}

/// `solve n=4096 k=2`: the name, and its parameters.
fn parameters_of(text: &str) -> (String, Vec<(String, f64)>) {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
    };
    let (mut words, mut at) = (Vec::new(), Vec::new());
    for word in text.split_whitespace() {
        let pair = word.trim_end_matches([',', ';']).split_once('=').filter(|(name, _)| is_name(name));
        match pair.and_then(|(name, value)| Some((name.to_owned(), number::parse(value)?))) {
            Some(pair) => at.push(pair),
            None => words.push(word),
        }
    }
    (words.join(" ").replace('/', "|"), at)
}

/// Ranges that are inside others of their thread, with the names of these before theirs.
fn nested(mut ranges: Vec<Range>) -> Result<Regions, Problem> {
    let mut processes: Vec<u64> = ranges.iter().map(|range| range.process).collect();
    processes.sort_unstable();
    processes.dedup();
    let mut parameters: Vec<String> = Vec::new();
    for (name, _) in ranges.iter().flat_map(|range| &range.at) {
        if !parameters.contains(name) {
            parameters.push(name.clone());
        }
        if parameters.len() > DEEPEST {
            return Err(Problem::new("too_large", format!("the ranges name more than {DEEPEST} parameters")));
        }
    }
    ranges.sort_by(|a, b| {
        let thread = (a.process, a.thread).cmp(&(b.process, b.thread));
        thread.then(a.start.total_cmp(&b.start)).then(b.duration.total_cmp(&a.duration))
    });
    let mut regions = Regions { parameters, ..Regions::default() };
    // Open ranges: their rows, and when they end.
    let mut open: Vec<(usize, f64)> = Vec::new();
    let (mut thread, mut threads) = (None, 0u32);
    for range in ranges {
        if thread != Some((range.process, range.thread)) {
            threads = if thread.is_some_and(|(process, _)| process == range.process) { threads + 1 } else { 0 };
            thread = Some((range.process, range.thread));
            open.clear();
        }
        // Times of a report are rounded: a range that ends within its neighbor's last instant is still inside.
        while open.last().is_some_and(|(_, end)| range.start >= *end) {
            open.pop();
        }
        if open.len() >= DEEPEST {
            let message = format!("more than {DEEPEST} ranges inside each other");
            return Err(Problem::new("too_deep", message).at_line(range.line));
        }
        let path = match open.last() {
            Some((outer, _)) => format!("{}/{}", regions.rows[*outer].path, range.name),
            None => range.name.clone(),
        };
        if let Some((outer, _)) = open.last() {
            regions.rows[*outer].own -= range.duration;
        }
        let at = regions
            .parameters
            .iter()
            .map(|name| range.at.iter().find(|(own, _)| own == name).map_or(f64::NAN, |(_, value)| *value));
        open.push((regions.rows.len(), range.start + range.duration));
        let at = at.collect();
        regions.rows.push(Region {
            path,
            rank: processes.binary_search(&range.process).map_or(f64::NAN, |rank| rank as f64),
            thread: f64::from(threads),
            visits: 1.0,
            at,
            time: range.duration,
            own: range.duration,
            line: range.line,
        });
    }
    Ok(regions)
}

/// The cells of a line of CSV.
fn cells(line: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let (cell, next) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let ends = quoted.match_indices('"').map(|(place, _)| place);
                let mut skip = 0;
                let end = ends.into_iter().find(|&place| {
                    let doubled = place >= skip && quoted[place + 1..].starts_with('"');
                    if doubled {
                        skip = place + 2;
                    }
                    place >= skip
                });
                let end = end.unwrap_or(quoted.len());
                let behind = quoted.get(end + 1..).unwrap_or("");
                (quoted[..end].replace("\"\"", "\""), behind.split_once(',').map(|(_, next)| next))
            }
            None => match rest.split_once(',') {
                Some((cell, next)) => (cell.to_owned(), Some(next)),
                None => (rest.to_owned(), None),
            },
        };
        cells.push(cell);
        match next {
            Some(next) => rest = next,
            None => return cells,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl\n\
        2000,3000,1000,0,1000,:dot n=64,71,71,1\n\
        1000,9000,8000,1500,6500,\":solve, \"\"fast\"\" n=4096\",71,71,0\n\
        4000,4500,500,0,500,lib:dot,71,71,1\n\
        1000,3000,2000,0,2000,:io,71,90,0\n\
        500,700,200,0,200,:io,12,12,0\n";

    #[test]
    fn ranges_nest_by_thread_and_time() {
        let table = read("n.csv", TEXT, &ReadOptions::default()).expect("a table");
        let cells = |name: &str| {
            let column = table.column(name).expect(name);
            (0..column.len()).map(|row| column.cell(row)).collect::<Vec<_>>()
        };
        let solve = "solve, \"fast\"";
        assert_eq!(
            cells("region"),
            ["io".to_owned(), solve.to_owned(), format!("{solve}/dot"), format!("{solve}/lib:dot"), "io".to_owned()]
        );
        assert_eq!(cells("rank"), ["0", "1", "1", "1", "1"]);
        assert_eq!(cells("thread"), ["0", "0", "0", "0", "1"]);
        assert_eq!(cells("n"), ["", "4096", "64", "", ""]);
        let times = |name: &str| table.column(name).and_then(Column::as_numbers).expect(name).to_vec();
        for (name, expected) in
            [("time_s", [2e-7, 8e-6, 1e-6, 5e-7, 2e-6]), ("self_s", [2e-7, 6.5e-6, 1e-6, 5e-7, 2e-6])]
        {
            for (value, expected) in times(name).into_iter().zip(expected) {
                assert!((value / expected - 1.0_f64).abs() < 1e-9, "{name}: {value} {expected}");
            }
        }
    }

    #[test]
    fn a_report_is_told_from_a_table() {
        assert!(recognizes(&Probe::new(TEXT)));
        assert!(!recognizes(&Probe::new("p,time_s\n1,2\n")));
        let error = read("n.csv", &TEXT.replace("4000,", "soon,"), &ReadOptions::default()).expect_err("no number");
        assert_eq!((error.0[0].code.as_str(), error.0[0].line), ("not_a_number", Some(4)));
    }

    use crate::table::Column;
}
