//! Numbers as people write them in cells: `0m12.3s`, `1-02:03:04`, `350 ms`, `3,5`, `1.9x`, `85 %`.

use super::wide::{SERIAL, process_word};
use super::{Column, ColumnData, Table, number};
use crate::metric::Metric;
use crate::problem::{Warning, shorten};
use crate::roles::{Unused, counts, has_size_word, is_every, is_ratio_of_times, is_size, preference};
use runcast_formula::units::{Dimension, parse_quantity};

/// A way to write numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writing {
    /// As they are.
    Plain,
    /// With a decimal comma.
    Comma,
    /// Of sizes and counts: `1,000`.
    Grouped,
    /// `00:11:35`, `1-02:03:04`
    Clock,
    /// With a unit of time.
    Time,
    /// `1.9x`
    Factor,
    /// `2^26`
    Power,
    /// `85 %`
    Percent,
    /// Of counts of processes: `4x2`, ranks times threads.
    Product,
    /// Of counts of processes: `4 threads`.
    Count,
    /// The same with the word before the number: `np4`.
    Prefixed,
    /// Of counts of processes: the program that is not parallel.
    Serial,
}

/// Turns columns of text into numbers where every cell is one in the same writing; times become seconds, or the unit
/// that the name of the column says. Decimal commas are read where no comma separates cells.
pub(super) fn turn(table: &mut Table, has_decimal_commas: bool) {
    // `1.9x` beside a time: how many times faster a run was, whatever the column is called.
    if table.columns.iter().any(is_of_times) {
        let others = table.columns.iter().filter(|column| !is_ratio_of_times(&column.name));
        let factors = others.filter(|column| is_written(column, Writing::Factor));
        table.wide.unused.extend(factors.map(|column| (column.name.clone(), Unused::Outcome)));
    }
    // Where one column has 1,96, another's 1,234 is no thousand either.
    let commas = match has_decimal_commas {
        true if table.columns.iter().any(shows_decimal_commas) => Commas::Decimal,
        true => Commas::Doubtful,
        false => Commas::Between,
    };
    for column in &mut table.columns {
        if let Some((values, warning)) = turned(column, commas).or_else(|| without_words(column)) {
            column.data = ColumnData::Number(values);
            table.warnings.push(warning);
        }
    }
}

/// What a comma in a number may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commas {
    /// One between cells, so none in a number but in quotes.
    Between,
    /// A decimal comma, or one between thousands.
    Doubtful,
    Decimal,
}

/// Whether all cells with commas are numbers, and one of them has no three digits behind it, or begins with 0.
fn shows_decimal_commas(column: &Column) -> bool {
    let ColumnData::Text { codes, names } = &column.data else { return false };
    let with_commas = || codes.iter().map(|code| names[code as usize].trim_ascii()).filter(|cell| cell.contains(','));
    let is_decimal = |cell: &str| number::grouped(cell).is_none() || cell.starts_with("0,");
    with_commas().all(|cell| matches!(read(cell), Some((_, Writing::Comma)))) && with_commas().any(is_decimal)
}

fn turned(column: &Column, commas: Commas) -> Option<(super::Numbers, Warning)> {
    let ColumnData::Text { codes, names } = &column.data else { return None };
    let mut used = vec![false; names.len()];
    codes.iter().for_each(|code| used[code as usize] = true);
    let (mut numbers, mut writing, mut example) = (vec![f64::NAN; names.len()], Writing::Plain, "");
    let counts_processes = preference(&column.name).is_some();
    for (k, name) in names.iter().enumerate().filter(|(k, name)| used[*k] && !number::is_missing(name)) {
        let (value, of) = read(name).or_else(|| count(name, counts_processes))?;
        if of != Writing::Plain {
            if writing != Writing::Plain && writing != of {
                return None;
            }
            (writing, example) = (of, name);
        }
        numbers[k] = value;
    }
    let metric = Metric::from_name(&column.name).or_else(|| Metric::from_word(&column.name));
    let is_time =
        metric.as_ref().is_some_and(Metric::is_time) || ["real", "user", "sys"].contains(&column.name.as_str());
    let grouped = |name: &String| number::grouped(name).is_some();
    let with_commas = || names.iter().enumerate().filter(|(k, name)| used[*k] && name.contains(','));
    let are_thousands = has_size_word(&column.name)
        || counts_processes
        || (commas != Commas::Decimal && with_commas().all(|(_, name)| name.trim_ascii().ends_with(",000")));
    if writing == Writing::Comma && are_thousands && with_commas().all(|(_, name)| grouped(name)) {
        writing = Writing::Grouped;
        with_commas().for_each(|(k, name)| numbers[k] = number::grouped(name).unwrap_or(f64::NAN));
    }
    let what = match writing {
        Writing::Plain => return None,
        // A text of clocks may be a time of day.
        Writing::Clock if !is_time => return None,
        Writing::Comma if commas == Commas::Between => return None,
        // It is not said whether 1,234 is more than a thousand.
        Writing::Comma
            if commas == Commas::Doubtful
                && names.iter().enumerate().all(|(k, name)| !used[k] || !name.contains(',') || grouped(name)) =>
        {
            return None;
        }
        Writing::Clock | Writing::Time => {
            let scale = metric.filter(Metric::is_time).map_or(1.0, |metric| metric.scale);
            numbers.iter_mut().for_each(|value| *value *= 1.0 / scale);
            if scale == 1.0 { "seconds" } else { "times in the unit of the name" }
        }
        Writing::Comma => "numbers with a decimal comma",
        Writing::Factor => "factors",
        Writing::Grouped => "whole numbers",
        Writing::Power => "powers",
        Writing::Product => "numbers of processes",
        Writing::Count | Writing::Prefixed | Writing::Serial => {
            let counts = counts(&numbers.iter().copied().filter(|value| !value.is_nan()).collect())?;
            match writing {
                // `omp1`, `omp2`, `omp3` distinguish programs.
                Writing::Prefixed if is_every(&counts) => return None,
                Writing::Serial => "1 process",
                _ => "counts",
            }
        }
        Writing::Percent => "percentages",
    };
    let message = format!(
        "{}: cells such as \"{}\" are read as {what}",
        shorten(&column.name, 60),
        shorten(example.trim_ascii(), 30)
    );
    Some((codes.iter().map(|code| numbers[code as usize]).collect(), Warning::new("cells_converted", message)))
}

/// Whether a column holds times, by its name or by its cells.
fn is_of_times(column: &Column) -> bool {
    let metric = Metric::from_name(&column.name).or_else(|| Metric::from_word(&column.name));
    metric.is_some_and(|metric| metric.is_time()) || is_written(column, Writing::Time)
}

/// Whether all cells are written in this way, those that are missing apart.
fn is_written(column: &Column, writing: Writing) -> bool {
    let ColumnData::Text { codes, names } = &column.data else { return false };
    let mut cells = codes.iter().map(|code| names[code as usize].as_str()).filter(|cell| !number::is_missing(cell));
    cells.clone().next().is_some() && cells.all(|cell| read(cell).is_some_and(|(_, own)| own == writing))
}

/// Words for a run that gave no number, whatever the column is called.
const FAILED: [&str; 12] = ["x", "✗", "×", "n.a.", "nd", "dnf", "fail", "failed", "timeout", "oom", "error", "crash"];

/// A column of times or rates in which a few cells say in words why there is no number, `gave up`, or one of numbers in
/// which they say it in a word that is known for it, `timeout`.
fn without_words(column: &Column) -> Option<(super::Numbers, Warning)> {
    let ColumnData::Text { codes, names } = &column.data else { return None };
    let metric = Metric::from_name(&column.name).or_else(|| Metric::from_word(&column.name));
    let is_measure = metric.is_some_and(|metric| metric.is_time() || metric.is_rate());
    let mut used = vec![0usize; names.len()];
    codes.iter().for_each(|code| used[code as usize] += 1);
    let is_failure = |name: &str| FAILED.iter().any(|word| name.eq_ignore_ascii_case(word));
    let is_word = |name: &str| {
        name.chars().count() > 2
            && !name.contains(|letter: char| letter.is_ascii_digit())
            && !number::is_not_finite(name)
    };
    let (mut words, mut failures, mut numbers, mut example) = (0, 0, 0, "");
    let mut values = vec![f64::NAN; names.len()];
    for (k, name) in names.iter().enumerate().filter(|(k, name)| used[*k] > 0 && !number::is_missing(name)) {
        let cell = name.trim_ascii();
        if let Some(value) = number::parse(cell) {
            (values[k], numbers) = (value, numbers + used[k]);
            continue;
        }
        if !(is_failure(cell) || is_word(cell)) {
            return None;
        }
        failures += if is_failure(cell) { used[k] } else { 0 };
        (words, example) = (words + used[k], cell);
    }
    // What was set is known of every run.
    let is_input = preference(&column.name).is_some() || is_size(&column.name);
    let are_failures = failures == words && numbers > 1 && !is_input;
    if words == 0 || !(are_failures || (is_measure && numbers >= 4 * words)) {
        return None;
    }
    let message = format!(
        "{}: {words} of the cells, such as \"{}\", hold no number and are read as missing",
        shorten(&column.name, 60),
        shorten(example.trim_ascii(), 30)
    );
    Some((codes.iter().map(|code| values[code as usize]).collect(), Warning::new("words_for_numbers", message)))
}

/// The number in a cell; times in seconds.
fn read(cell: &str) -> Option<(f64, Writing)> {
    let cell = cell.trim_ascii();
    if let Some(value) = number::parse(cell) {
        return Some((value, Writing::Plain));
    }
    if let Some(value) = cell.strip_suffix(['x', 'X', '×']).and_then(|rest| number::parse(rest.trim_ascii_end())) {
        return Some((value, Writing::Factor));
    }
    if let Some(value) = power(cell) {
        return Some((value, Writing::Power));
    }
    if let Some(value) = cell.strip_suffix('%').and_then(|rest| number::parse(rest.trim_ascii_end())) {
        return Some((value, Writing::Percent));
    }
    if let Some(value) = clock_s(cell) {
        return Some((value, Writing::Clock));
    }
    if let Some(value) = spelled_s(cell) {
        return Some((value, Writing::Time));
    }
    let is_comma = cell.matches(',').count() == 1 && !cell.contains('.');
    is_comma.then(|| number::parse(&cell.replace(',', ".")))?.map(|value| (value, Writing::Comma))
}

/// What `2^26` or `10**6` comes to, of whole numbers.
fn power(cell: &str) -> Option<f64> {
    let (base, exponent) = cell.split_once("**").or_else(|| cell.split_once('^'))?;
    let exponent = exponent.trim_ascii().parse().ok().filter(|exponent| (0..=300).contains(exponent))?;
    whole(base).map(|base| base.powi(exponent)).filter(|value| value.is_finite())
}

/// The count of processes in a cell of a column that is named like one, or beside a word for them.
fn count(cell: &str, is_named: bool) -> Option<(f64, Writing)> {
    let cell = cell.trim_ascii();
    if SERIAL.iter().any(|word| cell.eq_ignore_ascii_case(word)) {
        return Some((1.0, Writing::Serial));
    }
    let is_digit = |letter: char| letter.is_ascii_digit();
    let start = cell.find(is_digit)?;
    let (before, rest) = cell.split_at(start);
    if is_named && before.is_empty() && rest.contains(['x', 'X']) {
        let part = |text: &str| whole(text).filter(|value| *value >= 1.0);
        let parts: Option<Vec<f64>> = rest.split(['x', 'X']).map(part).collect();
        return Some((parts?.iter().product(), Writing::Product));
    }
    let end = rest.find(|letter| !is_digit(letter)).unwrap_or(rest.len());
    let (number, behind) = rest.split_at(end);
    let word = |text: &str| text.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    // `node4` is a machine, `nodes4` a number of them.
    let is_many = |word: &str| {
        process_word(word).is_some_and(|many| many == word || ["np", "mpi", "omp", "openmp"].contains(&word))
    };
    let writing = match (word(before).as_str(), word(behind).as_str()) {
        ("", behind) if process_word(behind).is_some() => Writing::Count,
        (before, "") if before.len() > 1 && is_many(before) => Writing::Prefixed,
        _ => return None,
    };
    if number.starts_with('0') { None } else { whole(number).map(|value| (value, writing)) }
}

/// `11:35`, `00:11:35`, `1-02:03:04`, each with a fraction of the last.
pub(super) fn clock_s(cell: &str) -> Option<f64> {
    let (days, clock) = match cell.split_once('-') {
        Some((days, clock)) => (whole(days)?, clock),
        None => (0.0, cell),
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let (last, before) = parts.split_last()?;
    if !(1..=2).contains(&before.len()) || before.iter().any(|part| part.is_empty()) {
        return None;
    }
    let seconds = number::parse(last).filter(|value| (0.0..60.0).contains(value))?;
    let larger = before.iter().try_fold(0.0, |sum, part| Some(60.0 * sum + whole(part)?))?;
    Some(86_400.0 * days + 60.0 * larger + seconds)
}

/// `0m12.345s`, `1h 2m 3s`, `350 ms`, `12 seconds`
fn spelled_s(cell: &str) -> Option<f64> {
    if let Ok(seconds) = parse_quantity(cell, Dimension::Time) {
        return Some(seconds);
    }
    let mut rest = cell;
    let (mut sum, mut count) = (0.0, 0);
    while !rest.is_empty() {
        let end = rest.find(|letter: char| letter.is_ascii_alphabetic())?;
        let value = number::parse(rest[..end].trim_ascii())?;
        let behind = &rest[end..];
        let stop = behind.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(behind.len());
        sum += value
            * match &behind[..stop] {
                "d" => 86_400.0,
                "h" => 3600.0,
                "m" | "min" => 60.0,
                "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
                "ms" | "msec" => 1e-3,
                _ => return None,
            };
        count += 1;
        rest = behind[stop..].trim_ascii_start();
    }
    // A bare `5m` may be five metres or five million.
    (count > 1 || cell.ends_with(['s', 'n', 'c'])).then_some(sum)
}

fn whole(text: &str) -> Option<f64> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        for (cell, seconds) in [
            ("00:11:35", 695.0),
            ("1-02:03:04", 93_784.0),
            ("11:35.5", 695.5),
            ("0m12.345s", 12.345),
            ("1h 2m 3s", 3723.0),
            ("350 ms", 0.35),
            ("2.5s", 2.5),
            ("12 seconds", 12.0),
        ] {
            let (value, _) = read(cell).expect(cell);
            assert!((value - seconds).abs() < 1e-9, "{cell}: {value}");
        }
        for cell in ["main", "1.2.3", "2x2x2", "5m", "1:2:3:4", "8-16", ":30", "12:75", "a5s"] {
            assert_eq!(read(cell), None, "{cell}");
        }
        assert_eq!((read("1.9x"), read("85 %")), (Some((1.9, Writing::Factor)), Some((85.0, Writing::Percent))));
        assert_eq!(read("3,5"), Some((3.5, Writing::Comma)));
    }

    fn column(name: &str, cells: &[&str]) -> Option<Vec<f64>> {
        let mut table = Table { columns: vec![Column::text(name, cells.iter().copied())], ..Table::default() };
        turn(&mut table, true);
        table.columns[0].as_numbers().map(|values| values.iter().copied().collect())
    }

    #[test]
    fn columns_are_turned_as_a_whole() {
        assert_eq!(column("Elapsed", &["00:11:35", "00:01:00"]), Some(vec![695.0, 60.0]));
        assert_eq!(column("begun", &["00:11:35", "00:01:00"]), None, "a time of day");
        assert_eq!(column("time_ms", &["350 ms", "2s"]), Some(vec![350.0, 2000.0]));
        assert_eq!(column("t", &["3,5", "12", "0,25"]), Some(vec![3.5, 12.0, 0.25]));
        assert_eq!(column("t", &["1,234", "5,678"]), None, "thousands or not");
        assert_eq!(column("app", &["2x", "main"]), None);
        assert_eq!(column("mix", &["2x", "5%"]), None);
        assert_eq!(column("threads", &["1x1", "2x1", "4x2"]), Some(vec![1.0, 2.0, 8.0]));
        assert_eq!(column("grid", &["1x1", "2x1", "4x2"]), None, "a label");
        assert_eq!(column("setup", &["np2", "np4", "np16"]), Some(vec![2.0, 4.0, 16.0]));
        assert_eq!(column("setup", &["1 thread", "2 threads", "8 threads"]), Some(vec![1.0, 2.0, 8.0]));
        assert_eq!(column("host", &["node1", "node2", "node4"]), None);
        assert_eq!(column("process", &["p1", "p2", "p4"]), None);
        assert_eq!(column("variant", &["omp1", "omp2", "omp3"]), None);
        assert_eq!(column("setup", &["Serial", "2", "4"]), Some(vec![1.0, 2.0, 4.0]));
        assert_eq!(column("code", &["serial", "2"]), None);
        assert_eq!(column("host", &["a1", "b2"]), None);
    }
}
