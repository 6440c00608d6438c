//! Tables inside a text: lines of a log above and below, and tables of Markdown.
//!
//! Lines that belong to no table become comments, so line numbers stay what they were.

use super::blocks::BLOCK;
use super::layout::{Delimiter, found};
use super::{number, records};
use crate::problem::Warning;
use std::borrow::Cow;

/// So many lines above the rows are looked at.
const MOST_ABOVE: usize = 200;
/// So many rows of a table of Markdown tell whether it holds numbers.
const MOST_TOLD: usize = 32;
/// So many lines below them.
const MOST_BELOW: usize = 50;

/// The text with everything but its table as comments, and what the user should know of that. Texts of several blocks are
/// tables from their first line on.
pub(super) fn table_of(text: &str) -> (Cow<'_, str>, Option<Warning>) {
    if text.len() >= BLOCK {
        return (Cow::Borrowed(text), None);
    }
    let lines: Vec<&str> = text.lines().collect();
    markdown(&lines)
        .or_else(|| long_header(&lines))
        .or_else(|| records::table_of(&lines, is_rule))
        .or_else(|| within_log(&lines))
        .map_or((Cow::Borrowed(text), None), |(text, warning)| (Cow::Owned(text), Some(warning)))
}

fn left_out(count: usize, what: &str) -> Warning {
    let lines = if count == 1 { "1 line that is".to_owned() } else { format!("{count} lines that are") };
    let are = if count == 1 { "is" } else { "are" };
    Warning::new("lines_left_out", format!("{lines} not part of the {what} {are} left out"))
}

/// The table of Markdown: a line of dashes beneath a header, `|` between the cells. Of several, the first with two columns
/// of numbers in three rows; else the first. Cells at the beginning of a row that are empty say what the row above does.
fn markdown(lines: &[&str]) -> Option<(String, Warning)> {
    let is_beneath = |k: &usize| is_rule(lines[*k]) && lines[*k].contains(['|', '+']) && lines[*k - 1].contains('|');
    let end_of = |rule: usize| (rule + 1..lines.len()).find(|&k| !lines[k].contains('|')).unwrap_or(lines.len());
    let is_number = |cell: &str| cell.trim_ascii().starts_with(|letter: char| letter.is_ascii_digit());
    // The first rows tell it, for a page may have many tables.
    let has_numbers = |rule: &usize| {
        let rows = lines[rule + 1..].iter().take_while(|line| line.contains('|')).take(MOST_TOLD);
        let rows: Vec<Vec<bool>> = rows.map(|line| markdown_row(line).split('|').map(is_number).collect()).collect();
        let is_of_numbers = |&column: &usize| rows.iter().all(|row| row.get(column) == Some(&true));
        let width = rows.first().map_or(0, Vec::len);
        rows.len() > 2 && (0..width).filter(is_of_numbers).count() > 1
    };
    let mut rules = (1..lines.len().min(MOST_ABOVE * 5)).filter(is_beneath);
    let first = rules.next()?;
    let rule = if has_numbers(&first) { first } else { rules.find(has_numbers).unwrap_or(first) };
    let end = end_of(rule);
    let (mut others, mut above) = (0, Vec::new());
    let text: Vec<String> = lines
        .iter()
        .enumerate()
        .map(|(k, line)| match k {
            _ if k == rule => String::new(),
            _ if k + 1 == rule => markdown_row(line),
            _ if k > rule && k < end => filled(&markdown_row(line), &mut above),
            _ => {
                others += usize::from(!line.trim().is_empty() && !is_rule(line));
                format!("# {line}")
            }
        })
        .collect();
    let warning =
        if others > 0 { left_out(others, "table") } else { Warning::new("markdown", "the table is read as Markdown") };
    Some((text.join("\n"), warning))
}

/// The cells of a row without its frame and what makes them bold or code.
fn markdown_row(line: &str) -> String {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    line.replace("**", "").replace('`', "")
}

/// The row with the first cells of the one above it where they are empty, in a table whose first cells are not.
fn filled(row: &str, above: &mut Vec<String>) -> String {
    let mut cells: Vec<String> = row.split('|').map(str::to_owned).collect();
    let is_empty = |cell: &String| cell.trim_ascii().is_empty();
    let empty = cells.iter().take_while(|cell| is_empty(cell)).count();
    if empty < cells.len() && above.len() == cells.len() {
        cells[..empty].clone_from_slice(&above[..empty]);
    }
    above.clone_from(&cells);
    cells.join("|")
}

/// The header with quotes, where a comma within a name divides it: `Speedup = T(n, 1) / T(n, p)`, `N = 10,000`. Its
/// rows have as many cells as there are names once what is in brackets, or digits that belong together, is joined.
fn long_header(lines: &[&str]) -> Option<(String, Warning)> {
    let is_open = |line: &str| !line.trim_ascii().is_empty() && !line.starts_with('#');
    let mut open = (0..lines.len()).filter(|&k| is_open(lines[k]));
    let (first, rows) = (open.next()?, open.take(3).map(|k| lines[k]).collect::<Vec<_>>());
    let header = lines[first];
    if header.contains(['"', ';', '\t']) || !header.contains(',') {
        return None;
    }
    let width = cells(Delimiter::Byte(b','), rows.first()?).len();
    let is_row = |row: &&str| {
        let found = cells(Delimiter::Byte(b','), row);
        found.len() == width && numbers(&found) > 0
    };
    let pieces = cells(Delimiter::Byte(b','), header);
    if pieces.len() <= width || width < 2 || numbers(&pieces) > 0 || !rows.iter().all(is_row) {
        return None;
    }
    let is_inside = |name: &str| name.matches('(').count() > name.matches(')').count();
    let ends_in_digit = |name: &str| name.ends_with(|letter: char| letter.is_ascii_digit());
    let are_thousands = |piece: &str| piece.len() >= 3 && piece.bytes().take(3).all(|byte| byte.is_ascii_digit());
    let joined = |belongs: &dyn Fn(&str, &str) -> bool| {
        let mut names: Vec<String> = Vec::new();
        for piece in header.split(',') {
            match names.last_mut().filter(|name| belongs(name, piece)) {
                Some(name) => name.extend([",", piece]),
                None => names.push(piece.to_owned()),
            }
        }
        (names.len() == width).then_some(names)
    };
    let names = joined(&|name, _| is_inside(name))
        .or_else(|| joined(&|name, piece| is_inside(name) || (ends_in_digit(name) && are_thousands(piece))))?;
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.trim_ascii())).collect();
    let text: Vec<String> = lines
        .iter()
        .enumerate()
        .map(|(k, line)| if k == first { quoted.join(",") } else { (*line).to_owned() })
        .collect();
    let message = "commas within names of the header do not divide them";
    Some((text.join("\n"), Warning::new("commas_in_names", message)))
}

/// A line that is drawn: dashes beneath a header, the frame of a table.
fn is_rule(line: &str) -> bool {
    let is_drawn = |letter| matches!(letter, '|' | '+' | '-' | '=' | ':' | ' ' | '\t');
    (line.contains("--") || line.contains("==")) && line.chars().all(is_drawn)
}

/// A table with lines of another shape above or below.
fn within_log(lines: &[&str]) -> Option<(String, Warning)> {
    let is_open = |line: &str| !line.trim_ascii().is_empty() && !line.starts_with('#') && !is_rule(line);
    let open: Vec<usize> = (0..lines.len()).filter(|&k| is_open(lines[k])).collect();
    let &[first, second, ..] = open.as_slice() else { return None };
    // A quoted cell may go on over lines.
    if lines.iter().any(|line| line.contains('"') || line.starts_with("# roles:")) {
        return None;
    }
    let begins_at_once = {
        let delimiter = found(lines[first], Some(lines[second]));
        let (names, row) = (cells(delimiter, lines[first]), cells(delimiter, lines[second]));
        // The last columns may have come later.
        let is_longer = (2..names.len()).contains(&row.len()) && 2 * row.len() >= names.len() && numbers(&names) == 0;
        names.len() > 1 && (is_longer || are_alike(delimiter, lines[first], lines[second]))
    };
    let start = if begins_at_once { first } else { start_of(lines, &open)? };
    let next = open.iter().copied().find(|&k| k > start).map(|k| lines[k]);
    let delimiter = found(lines[start], next);
    if cells(delimiter, lines[start]).len() < 2 {
        return None;
    }
    let is_row = |k: usize| are_alike(delimiter, lines[start], lines[k]) || numbers(&cells(delimiter, lines[k])) > 0;
    let below = open.iter().rev().take_while(|&&k| k > start && !is_row(k)).count();
    let named = short_header(lines, &open, start, delimiter);
    let above = open.iter().filter(|&&k| k < start && named.as_ref().is_none_or(|(line, _)| k != *line)).count();
    let drawn = lines.iter().filter(|line| is_rule(line)).count();
    if (above == 0 && below == 0 && drawn == 0 && named.is_none()) || below > MOST_BELOW {
        return None;
    }
    let last = open[open.len() - 1 - below];
    let is_kept = |k: usize, line: &str| (start..=last).contains(&k) && !is_rule(line);
    let keep = |k: usize, line: &&str| match &named {
        Some((header, names)) if k == *header => names.clone(),
        _ if is_kept(k, line) => (*line).to_owned(),
        _ => format!("# {line}"),
    };
    let text: Vec<String> = lines.iter().enumerate().map(|(k, line)| keep(k, line)).collect();
    let warning = match above + below + drawn {
        0 => Warning::new("short_header", "the header names fewer columns than the rows have: the others are numbered"),
        others => left_out(others, "table"),
    };
    Some((text.join("\n"), warning))
}

/// The line above the rows that names all columns but the last one or two, and that line with their numbers.
fn short_header(lines: &[&str], open: &[usize], start: usize, delimiter: Delimiter) -> Option<(usize, String)> {
    let Delimiter::Byte(byte) = delimiter else { return None };
    let &above = open.iter().rev().find(|&&k| k < start)?;
    let (names, row) = (cells(delimiter, lines[above]), cells(delimiter, lines[start]));
    let is_short = names.len() > 1 && (1..=2).contains(&row.len().saturating_sub(names.len()));
    let are_names = names.iter().all(|name| !name.is_empty()) && numbers(&names) == 0 && numbers(&row) == row.len();
    let others = (names.len()..row.len()).map(|index| format!("{}{index}", char::from(byte)));
    (is_short && are_names).then(|| (above, lines[above].trim_ascii_end().to_owned() + &others.collect::<String>()))
}

/// Where the table begins: at the header above the first two rows of numbers of the same width.
fn start_of(lines: &[&str], open: &[usize]) -> Option<usize> {
    for pair in open.windows(2).take(MOST_ABOVE).map(|pair| [pair[0], pair[1]]) {
        let delimiter = found(lines[pair[0]], Some(lines[pair[1]]));
        let of = |k: usize| cells(delimiter, lines[k]);
        let is_row = |k: usize| {
            let found = of(k);
            found.len() > 1 && 2 * numbers(&found) >= found.len()
        };
        if !(is_row(pair[0]) && is_row(pair[1]) && of(pair[0]).len() == of(pair[1]).len()) {
            continue;
        }
        let width = of(pair[0]).len();
        let is_header = |k: &usize| of(*k).len() == width && numbers(&of(*k)) == 0 && !delimiter.is_prose(&of(*k));
        let above = open.iter().copied().rev().skip_while(|&k| k >= pair[0]);
        return Some(above.take_while(is_header).take(2).last().unwrap_or(pair[0]));
    }
    None
}

fn cells(delimiter: Delimiter, line: &str) -> Vec<&str> {
    let mut cells = delimiter.cells(line.trim_ascii());
    if cells.len() > 2 && cells.last().is_some_and(|cell| cell.is_empty()) {
        cells.pop();
    }
    cells
}

/// Whether two lines have as many cells, with or without an empty one at the end.
fn are_alike(delimiter: Delimiter, line: &str, other: &str) -> bool {
    let all = |line: &str| delimiter.cells(line.trim_ascii()).len();
    all(line) == all(other) || cells(delimiter, line).len() == cells(delimiter, other).len()
}

fn numbers(cells: &[&str]) -> usize {
    cells.iter().filter(|cell| number::parse(cell).is_some()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> Vec<String> {
        let (tidy, _) = table_of(text);
        assert_eq!(tidy.lines().count(), text.lines().count(), "line numbers stay");
        tidy.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn a_table_in_a_log_is_found() {
        let log = "==== Strong run ====\ndate: Mon Jan 5 10:00:00 2026\nhost: node7\n\nP    time_ms  gflops\n1    80.5     1.0\n2    41.2     1.9\n4    22.0     3.6\n\nDone.\n";
        assert_eq!(kept(log), ["P    time_ms  gflops", "1    80.5     1.0", "2    41.2     1.9", "4    22.0     3.6"]);
        assert!(table_of(log).1.is_some_and(|warning| warning.message.starts_with("4 lines")));
        let units = "Results\n p  time\n -  ms\n 1  80.5\n 2  41.0\n";
        assert_eq!(kept(units)[0], " p  time", "a row of units is part of the header");
        assert_eq!(kept("Measured at night:\n1,5.0\n2,3.0\n").len(), 2);
    }

    #[test]
    fn a_header_may_lack_the_last_names() {
        assert_eq!(kept("threads,time\n1,5.5,5.6\n2,3.1,3.2\n"), ["threads,time,2", "1,5.5,5.6", "2,3.1,3.2"]);
    }

    #[test]
    fn a_table_of_markdown_loses_its_frame() {
        let text =
            "## Results\n\n| Threads | Time (s) |\n|:--|--:|\n| **1** | 4.5 |\n| 2 | 2.4 |\n\nThat was it | nearly.\n";
        assert_eq!(kept(text), [" Threads | Time (s) ", " 1 | 4.5 ", " 2 | 2.4 "]);
        let second = "| Path | Purpose |\n|--|--|\n| src | code |\n\n| app | p | t |\n|--|--|--|\n| a | 1 | 4.5 |\n| | 2 | 2.4 |\n| | 4 | 1.3 |\n";
        assert_eq!(kept(second), [" app | p | t ", " a | 1 | 4.5 ", " a | 2 | 2.4 ", " a | 4 | 1.3 "]);
    }

    #[test]
    fn drawn_lines_are_left_out() {
        let under = "Threads   Time(s)\n------------------\n1         31.5\n2         16.4\n";
        assert_eq!(kept(under), ["Threads   Time(s)", "1         31.5", "2         16.4"]);
        let boxed = "+---+-----+\n| p | t_s |\n+---+-----+\n| 1 | 3.5 |\n| 2 | 1.9 |\n+---+-----+\n";
        assert_eq!(kept(boxed), [" p | t_s ", " 1 | 3.5 ", " 2 | 1.9 "]);
    }

    #[test]
    fn a_table_stays_as_it_is() {
        for text in [
            "p,time_s\n1,5\n2,3\n",
            "p,time_s\n1,5\n2\n",
            "1;0.95;\n2;1.9;\n",
            "name,time_s\nmain,5\n",
            "\"a\nb\",c\n1,2\n",
            "region,p,time_s\na,1,2\nb,1,3\n",
            "",
            "p\n1\n",
            "p,time_s\n1,5\n2,3,4\n",
            "a,b,c\n,0,\n,0,\n",
        ] {
            assert!(matches!(table_of(text), (Cow::Borrowed(_), None)), "{text}");
        }
    }
}
