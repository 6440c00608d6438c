//! Reading a matrix: Matrix Market, CSV with one row per line (or with blanks between the entries), CSV of `row,col,value`.

use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::table::number;

pub const MOST_ROWS: usize = 1_000_000;
pub const MOST_ENTRIES: usize = 20_000_000;
/// The largest entry allowed.
const LARGEST: f64 = 1e100;

/// The entries of each row that are not 0: column and value, ascending.
pub type Rows = Vec<Vec<(usize, f64)>>;

/// Reads a square matrix; the format is recognized by the first line: `%%MatrixMarket`, a header of three names
/// (`row,col,value`), or numbers. Rows and columns of `row,col,value` count from 1, or from 0 where a 0 is among them;
/// `rows`, where it is known, says how many there are.
///
/// # Errors
/// With the line: an entry that is not a number, outside the matrix, or too large; or a matrix that is not square.
pub fn read(text: &str, name: &str, rows: Option<usize>) -> Result<Rows, Problem> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let found = if first.trim_start().to_ascii_lowercase().starts_with("%%matrixmarket") {
        market(text)
    } else if is_header(first_of_data(text)) {
        triples(text, rows)
    } else {
        dense(text)
    };
    found.map_err(|problem| if problem.file.is_none() { problem.in_file(name) } else { problem })
}

/// Lines that say something, with their numbers from 1.
fn lines(text: &str, comment: char) -> impl Iterator<Item = (u64, &str)> {
    let numbered = (1..).zip(text.lines().map(str::trim));
    numbered.filter(move |(_, line)| !line.is_empty() && !line.starts_with(comment))
}

fn first_of_data(text: &str) -> &str {
    lines(text, '#').next().map_or("", |(_, line)| line)
}

fn is_header(line: &str) -> bool {
    line.split(',').count() == 3 && line.split(',').all(|cell| number::parse(cell.trim_matches('"')).is_none())
}

/// Entries in file order, to be sorted.
#[derive(Default)]
struct Entries {
    all: Vec<(usize, usize, f64)>,
}

impl Entries {
    fn push(&mut self, line: u64, row: usize, column: usize, value: f64) -> Result<(), Problem> {
        if self.all.len() >= MOST_ENTRIES {
            return Err(too_large(format!("more than {MOST_ENTRIES} entries")).at_line(line));
        }
        self.all.push((row, column, value));
        Ok(())
    }

    fn rows(mut self, size: usize) -> Rows {
        self.all.sort_by_key(|(row, column, _)| (*row, *column));
        let mut rows: Rows = vec![Vec::new(); size];
        for (row, column, value) in self.all {
            match rows[row].last_mut() {
                Some((last, sum)) if *last == column => *sum += value,
                _ => rows[row].push((column, value)),
            }
        }
        rows.iter_mut().for_each(|row| row.retain(|(_, value)| *value != 0.0));
        rows
    }
}

fn dense(text: &str) -> Result<Rows, Problem> {
    let mut rows: Rows = Vec::new();
    let (mut width, mut entries) = (None, 0);
    for (line, content) in lines(text, '#') {
        let cells: Vec<&str> = match content.contains(',') {
            true => content.split(',').collect(),
            false => content.split_whitespace().collect(),
        };
        let expected = *width.get_or_insert(cells.len());
        if cells.len() != expected {
            let problem =
                Problem::new("field_count", format!("{} entries where the first row has {expected}", cells.len()));
            return Err(problem.at_line(line).allowed(format!("{expected} entries")));
        }
        if rows.len() >= expected {
            return Err(not_square(format!("more than {expected} rows of {expected} entries")).at_line(line));
        }
        let mut row = Vec::new();
        for (column, cell) in cells.iter().enumerate() {
            let value = entry(cell, line)?;
            if value != 0.0 {
                row.push((column, value));
                entries += 1;
            }
        }
        if entries > MOST_ENTRIES {
            return Err(too_large(format!("more than {MOST_ENTRIES} entries")).at_line(line));
        }
        rows.push(row);
    }
    match width {
        None => Err(Problem::new("empty", "the matrix has no rows")),
        Some(width) if width != rows.len() => Err(not_square(format!("{} rows of {width} entries", rows.len()))),
        Some(_) => Ok(rows),
    }
}

fn triples(text: &str, rows: Option<usize>) -> Result<Rows, Problem> {
    let mut entries = Entries::default();
    let (mut least, mut most) = (usize::MAX, 0);
    for (line, content) in lines(text, '#').skip(1) {
        let cells: Vec<&str> = content.split(',').collect();
        let [row, column, value] = cells[..] else {
            let problem = Problem::new("field_count", format!("{} cells where the header has 3", cells.len()));
            return Err(problem.at_line(line).allowed("row,col,value"));
        };
        let (row, column) = (index(row, line)?, index(column, line)?);
        entries.push(line, row, column, entry(value, line)?)?;
        (least, most) = (least.min(row).min(column), most.max(row).max(column));
    }
    if entries.all.is_empty() {
        return Err(Problem::new("empty", "the matrix has no entries"));
    }
    let base = usize::from(least > 0);
    let seen = most + 1 - base;
    let size = rows.unwrap_or(seen);
    if seen > size {
        let problem = Problem::new("out_of_range", format!("an entry in row or column {most} of a matrix of {size}"));
        return Err(problem.allowed(format!("{base} to {}", size - 1 + base)));
    }
    entries.all.iter_mut().for_each(|(row, column, _)| (*row, *column) = (*row - base, *column - base));
    Ok(entries.rows(size))
}

/// R. Boisvert, R. Pozo, K. Remington, *The Matrix Market exchange formats*, NISTIR 5935, 1996.
fn market(text: &str) -> Result<Rows, Problem> {
    let mut all = (1..).zip(text.lines()).skip_while(|(_, line)| line.trim().is_empty());
    let (line, banner) = all.next().unwrap_or((1, ""));
    let banner = banner.trim().to_ascii_lowercase();
    let words: Vec<&str> = banner.split_whitespace().collect();
    let [
        _,
        "matrix",
        layout @ ("coordinate" | "array"),
        field @ ("real" | "integer" | "pattern"),
        symmetry @ ("general" | "symmetric" | "skew-symmetric"),
    ] = words[..]
    else {
        let problem = Problem::new("matrix_market", format!("\"{}\" is not understood", shorten(&banner, 100)));
        let allowed = "matrix, coordinate or array, real, integer or pattern, general, symmetric or skew-symmetric";
        return Err(problem.at_line(line).allowed(allowed));
    };
    let mut data = all.map(|(line, content)| (line, content.trim()));
    let mut data = data.by_ref().filter(|(_, content)| !content.is_empty() && !content.starts_with('%'));
    let Some((line, sizes)) = data.next() else { return Err(Problem::new("empty", "the matrix has no size")) };
    let sizes: Vec<usize> = sizes.split_whitespace().map(|word| index(word, line)).collect::<Result<_, _>>()?;
    let count = match (layout, &sizes[..]) {
        ("coordinate", [_, _, count]) => *count,
        ("array", [_, _]) => 0,
        _ => return Err(Problem::new("matrix_market", format!("{} sizes", sizes.len())).at_line(line)),
    };
    let size = sizes[0];
    if sizes[1] != size {
        return Err(not_square(format!("{size} rows and {} columns", sizes[1])).at_line(line));
    }
    if size == 0 || size > MOST_ROWS || count > MOST_ENTRIES {
        return Err(too_large(format!("{size} rows, {count} entries")).at_line(line));
    }
    let mirror = match symmetry {
        "general" => None,
        "symmetric" => Some(1.0),
        _ => Some(-1.0),
    };
    match layout {
        "array" => array(data, size, mirror),
        _ => coordinates(data, size, count, field == "pattern", mirror),
    }
}

fn coordinates<'t>(
    data: impl Iterator<Item = (u64, &'t str)>,
    size: usize,
    count: usize,
    is_pattern: bool,
    mirror: Option<f64>,
) -> Result<Rows, Problem> {
    let mut entries = Entries::default();
    let mut seen = 0;
    for (line, content) in data {
        let words: Vec<&str> = content.split_whitespace().collect();
        let (row, column, value) = match (words.as_slice(), is_pattern) {
            ([row, column], true) => (index(row, line)?, index(column, line)?, 1.0),
            ([row, column, value], false) => (index(row, line)?, index(column, line)?, entry(value, line)?),
            _ => {
                let problem = Problem::new("field_count", format!("an entry of {} words", words.len()));
                return Err(problem.at_line(line).allowed(if is_pattern { "row column" } else { "row column value" }));
            }
        };
        if !(1..=size).contains(&row) || !(1..=size).contains(&column) {
            let problem = Problem::new("out_of_range", format!("an entry in row {row}, column {column}"));
            return Err(problem.at_line(line).allowed(format!("1 to {size}")));
        }
        seen += 1;
        if seen > count {
            return Err(Problem::new("length", format!("more than {count} entries")).at_line(line));
        }
        entries.push(line, row - 1, column - 1, value)?;
        if let (Some(sign), true) = (mirror, row != column) {
            entries.push(line, column - 1, row - 1, sign * value)?;
        }
    }
    if seen < count {
        return Err(Problem::new("length", format!("{seen} entries where {count} are announced")));
    }
    Ok(entries.rows(size))
}

/// Column by column; of a symmetric matrix from the diagonal on, of a skew-symmetric one from below it.
fn array<'t>(data: impl Iterator<Item = (u64, &'t str)>, size: usize, mirror: Option<f64>) -> Result<Rows, Problem> {
    let first_row = |column: usize| match mirror {
        None => 0,
        Some(sign) => column + usize::from(sign < 0.0),
    };
    let mut places = (0..size).flat_map(|column| (first_row(column)..size).map(move |row| (row, column)));
    let mut entries = Entries::default();
    for (line, content) in data {
        let value = entry(content, line)?;
        let Some((row, column)) = places.next() else {
            return Err(Problem::new("length", "more entries than the matrix has").at_line(line));
        };
        if value != 0.0 {
            entries.push(line, row, column, value)?;
            if let (Some(sign), true) = (mirror, row != column) {
                entries.push(line, column, row, sign * value)?;
            }
        }
    }
    match places.next() {
        None => Ok(entries.rows(size)),
        Some((row, column)) => {
            Err(Problem::new("length", format!("the matrix ends before row {}, column {}", row + 1, column + 1)))
        }
    }
}

fn entry(cell: &str, line: u64) -> Result<f64, Problem> {
    let value = number::parse(cell).ok_or_else(|| number::not_a_number(cell).at_line(line))?;
    if value.abs() > LARGEST {
        let problem = Problem::new("out_of_range", format!("the entry {value:e}")).at_line(line);
        return Err(problem.allowed(format!("-{LARGEST:e} to {LARGEST:e}")));
    }
    Ok(value)
}

fn index(cell: &str, line: u64) -> Result<usize, Problem> {
    let cell = cell.trim();
    let found = cell.parse().ok().filter(|index| *index <= MOST_ROWS.max(MOST_ENTRIES));
    found.ok_or_else(|| {
        let problem = Problem::new("out_of_range", format!("\"{}\" is not a row or column", shorten(cell, 40)));
        problem.at_line(line).value(cell).allowed(format!("whole numbers up to {MOST_ROWS}"))
    })
}

fn not_square(seen: String) -> Problem {
    Problem::new("not_square", format!("the matrix is not square: {seen}")).allowed("as many rows as columns")
}

fn too_large(seen: String) -> Problem {
    Problem::new("too_large", format!("the matrix is too large: {seen}"))
        .allowed(format!("1 to {MOST_ROWS} rows, at most {MOST_ENTRIES} entries"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Rows {
        read(text, "m", None).expect(text)
    }

    fn problem(text: &str) -> Problem {
        read(text, "m", Some(3)).expect_err(text)
    }

    #[test]
    fn every_format_gives_the_same() {
        let expected: Rows = vec![vec![(0, 0.5), (1, -0.25)], vec![(0, -0.25)]];
        assert_eq!(rows("0.5,-0.25\n-0.25,0\n"), expected);
        assert_eq!(rows("5.0e-01 -2.5e-01\n-2.5e-01\t0\n"), expected);
        assert_eq!(rows("# ours\n\n 0.5 , -0.25 \n-0.25,0"), expected);
        assert_eq!(rows("row,col,value\n1,1,0.5\n1,2,-0.25\n2,1,-0.25\n2,2,0\n"), expected);
        assert_eq!(rows("row,col,value\n0,0,0.5\n1,0,-0.25\n0,1,-0.125\n0,1,-0.125\n"), expected);
        let market = "%%MatrixMarket matrix coordinate real symmetric\n% ours\n2 2 2\n1 1 0.5\n2 1 -0.25\n";
        assert_eq!(rows(market), expected);
        assert_eq!(rows("%%MatrixMarket matrix array real general\n2 2\n0.5\n-0.25\n-0.25\n0\n"), expected);
        assert_eq!(rows("%%MatrixMarket matrix array real symmetric\n2 2\n0.5\n-0.25\n0\n"), expected);
        let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n";
        assert_eq!(rows(skew), [vec![(1, -3.0)], vec![(0, 3.0)]]);
        let pattern = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n";
        assert_eq!(rows(pattern), [vec![(1, 1.0)], vec![]]);
        assert_eq!(rows("0.5"), [vec![(0, 0.5)]]);
        // With a known size the last rows may be empty.
        assert_eq!(read("row,col,value\n1,2,0.5\n", "m", Some(3)).expect("a matrix").len(), 3);
    }

    #[test]
    fn what_is_no_square_matrix_is_told() {
        for (text, code, line) in [
            ("1,2\n3,4\n5,6\n", "not_square", Some(3)),
            ("1,2,3\n3,4,5\n", "not_square", None),
            ("1,2\n3\n", "field_count", Some(2)),
            ("1,nan\n0,1\n", "not_a_number", Some(1)),
            ("1,x\n0,1\n", "not_a_number", Some(1)),
            ("1,1e999\n0,1\n", "not_a_number", Some(1)),
            ("1,1e200\n0,1\n", "out_of_range", Some(1)),
            ("", "empty", None),
            ("row,col,value\n", "empty", None),
            ("row,col,value\n1,9,0.5\n", "out_of_range", None),
            ("row,col,value\n1,-1,0.5\n", "out_of_range", Some(2)),
            ("row,col,value\n1,1\n", "field_count", Some(2)),
            ("%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 0 1\n", "matrix_market", Some(1)),
            ("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n", "not_square", Some(2)),
            (
                "%%MatrixMarket matrix coordinate real general\n1000000000 1000000000 1\n1 1 1\n",
                "out_of_range",
                Some(2),
            ),
            ("%%MatrixMarket matrix coordinate real general\n10000000 10000000 1\n1 1 1\n", "too_large", Some(2)),
            ("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "out_of_range", Some(3)),
            ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "length", None),
            ("%%MatrixMarket matrix coordinate real general\n2 2 0\n1 1 1\n", "length", Some(3)),
            ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "length", None),
        ] {
            let problem = problem(text);
            assert_eq!((problem.code.as_str(), problem.line), (code, line), "{text}: {problem}");
            assert_eq!(problem.file.as_deref(), Some("m"));
        }
    }
}
