//! The text format of Extra-P.
//!
//! ```text
//! PARAMETER p n
//! POINTS ( 32 5000 ) ( 64 5000 )
//! METRIC time
//! REGION main->solve
//! DATA 1.25 1.27 1.24
//! DATA 0.71 0.70 0.73
//! ```
//! A `DATA` line holds the repetitions of one point, in the order of the points; `METRIC` and `REGION` start at the
//! first point again. Lines that begin with `#` are comments, and so is anything after ` #` behind numbers.

use super::tidy::Tidy;
use super::{Format, Probe};
use crate::problem::{Problem, Problems, shorten};
use crate::table::{ReadOptions, Table, number};

pub(super) const FORMAT: Format =
    Format { name: "extrap-text", description: "text files of Extra-P (PARAMETER, POINTS, DATA)", recognizes, read };

const KEYWORDS: [&str; 5] = ["PARAMETER", "POINTS", "METRIC", "REGION", "DATA"];

/// Extra-P takes four; more are useless to a model, but a table may have them.
const MOST_PARAMETERS: usize = 8;

fn recognizes(probe: &Probe<'_>) -> bool {
    !probe.is_json()
        && probe.first_lines(8).any(|line| {
            line.split_ascii_whitespace().next().is_some_and(|word| KEYWORDS.contains(&word)) && !line.contains(',')
        })
}

fn read(file: &str, text: &str, _: &ReadOptions) -> Result<Table, Problems> {
    read_text(text).map_err(|problem| problem.in_file(file).into())
}

fn read_text(text: &str) -> Result<Table, Problem> {
    let mut reader = Reader::default();
    let mut last_line = 0;
    for (index, line) in text.lines().enumerate() {
        last_line = index as u64 + 1;
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            reader.take(line, last_line).map_err(|problem| problem.at_line(last_line))?;
        }
    }
    reader.finish().map_err(|problem| if problem.line.is_none() { problem.at_line(last_line) } else { problem })
}

/// State while reading.
#[derive(Default)]
struct Reader<'a> {
    parameters: Vec<&'a str>,
    points: Vec<f64>,
    points_line: u64,
    table: Option<Tidy>,
    metric: &'a str,
    region: &'a str,
    /// Codes of metric and region, once there is data.
    codes: Option<(u32, u32)>,
    /// Number of points of this region and metric whose data have been read.
    filled: usize,
    /// The line that began this region and metric.
    begun: u64,
    values: Vec<f64>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, line: &'a str, number: u64) -> Result<(), Problem> {
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match keyword {
            "DATA" => self.data(without_comment(rest), number),
            "REGION" => self.restart(number).map(|()| self.region = rest),
            "METRIC" => self.restart(number).map(|()| self.metric = rest),
            "POINTS" => self.add_points(without_comment(rest), number),
            "PARAMETER" => self.add_parameters(without_comment(rest)),
            _ => Err(unknown_keyword(keyword)),
        }
    }

    fn add_parameters(&mut self, names: &'a str) -> Result<(), Problem> {
        if !self.points.is_empty() {
            let message = format!("PARAMETER follows POINTS (line {})", self.points_line);
            return Err(Problem::new("order", message)
                .at("PARAMETER")
                .hint("name all parameters before the first point"));
        }
        if names.is_empty() {
            return Err(Problem::new("missing_name", "PARAMETER does not name a parameter").at("PARAMETER"));
        }
        for name in names.split_whitespace() {
            if self.parameters.contains(&name) {
                let message = format!("the parameter \"{}\" is named twice", shorten(name, 60));
                return Err(Problem::new("duplicate_parameter", message).at("PARAMETER"));
            }
            self.parameters.push(name);
        }
        if self.parameters.len() > MOST_PARAMETERS {
            let message = format!("{} parameters are named", self.parameters.len());
            return Err(Problem::new("parameter_count", message)
                .at("PARAMETER")
                .allowed(format!("1 to {MOST_PARAMETERS} parameters")));
        }
        Ok(())
    }

    fn add_points(&mut self, text: &str, line: u64) -> Result<(), Problem> {
        if self.parameters.is_empty() {
            return Err(Problem::new("order", "POINTS precedes PARAMETER")
                .at("POINTS")
                .hint("name the parameters first: PARAMETER p"));
        }
        if self.table.is_some() {
            return Err(Problem::new("order", "POINTS follows the first DATA")
                .at("POINTS")
                .hint("name all points before the data"));
        }
        let before = self.points.len();
        if text.contains(['(', ')']) {
            self.points_in_parentheses(text)?;
        } else if self.parameters.len() == 1 {
            for word in text.split_whitespace() {
                self.points.push(coordinate(word)?);
            }
        } else {
            return Err(Problem::new("dimension", "points of several parameters need parentheses")
                .at("POINTS")
                .value(shorten(text, 60))
                .allowed(self.point_shape()));
        }
        if self.points.len() == before {
            return Err(Problem::new("points", "POINTS does not name a point").at("POINTS"));
        }
        self.points_line = line;
        Ok(())
    }

    /// `(4) (8)`, `( 32 5000 )`, `((32) (5000))`: each outer pair of parentheses is a point.
    fn points_in_parentheses(&mut self, text: &str) -> Result<(), Problem> {
        let unbalanced = |what: &str| Problem::new("points", format!("a parenthesis is never {what}")).at("POINTS");
        let mut depth = 0usize;
        let mut start = self.points.len();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            match first {
                '(' => {
                    depth += 1;
                    if depth == 1 {
                        start = self.points.len();
                    }
                    rest = &rest[1..];
                }
                ')' => {
                    depth = depth.checked_sub(1).ok_or_else(|| unbalanced("opened"))?;
                    if depth == 0 {
                        self.check_dimension(self.points.len() - start)?;
                    }
                    rest = &rest[1..];
                }
                space if space.is_whitespace() => rest = rest.trim_start(),
                _ => {
                    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')')).unwrap_or(rest.len());
                    let (word, tail) = rest.split_at(end);
                    if depth == 0 {
                        let word = shorten(word, 60);
                        return Err(Problem::new("points", format!("\"{word}\" is outside the parentheses"))
                            .at("POINTS")
                            .allowed(self.point_shape()));
                    }
                    self.points.push(coordinate(word)?);
                    rest = tail;
                }
            }
        }
        if depth > 0 { Err(unbalanced("closed")) } else { Ok(()) }
    }

    fn check_dimension(&self, found: usize) -> Result<(), Problem> {
        let wanted = self.parameters.len();
        if found == wanted {
            return Ok(());
        }
        let values = if found == 1 { "1 value".to_owned() } else { format!("{found} values") };
        let names = self.parameters.join(" ");
        Err(Problem::new("dimension", format!("a point has {values}, and there are {wanted} parameters ({names})"))
            .at("POINTS")
            .allowed(self.point_shape()))
    }

    fn point_shape(&self) -> String {
        format!("points such as ({})", self.parameters.join(" "))
    }

    fn point_count(&self) -> usize {
        self.points.len() / self.parameters.len().max(1)
    }

    /// `METRIC` or `REGION`: back to the first point.
    fn restart(&mut self, line: u64) -> Result<(), Problem> {
        self.check_complete()?;
        self.codes = None;
        self.filled = 0;
        self.begun = line;
        Ok(())
    }

    /// Checks that every point has its data, or none has.
    fn check_complete(&self) -> Result<(), Problem> {
        let wanted = self.point_count();
        if self.filled == 0 || self.filled == wanted {
            return Ok(());
        }
        let name = match (self.region, self.metric) {
            ("", "") => "the data".to_owned(),
            ("", metric) => format!("metric \"{}\"", shorten(metric, 60)),
            (region, _) => format!("region \"{}\"", shorten(region, 60)),
        };
        let message = format!("{name} has {} for {wanted} points", counted(self.filled, "DATA line"));
        Err(Problem::new("data_count", message)
            .at("DATA")
            .allowed(counted(wanted, "DATA line"))
            .hint(format!("give a DATA line for each point, in their order (begun in line {})", self.begun.max(1))))
    }

    fn data(&mut self, text: &'a str, line: u64) -> Result<(), Problem> {
        let wanted = self.point_count();
        if wanted == 0 {
            let missing = if self.parameters.is_empty() { "PARAMETER and POINTS" } else { "POINTS" };
            return Err(Problem::new("order", format!("DATA precedes {missing}")).at("DATA"));
        }
        if self.filled == wanted {
            let message = format!("this is DATA line {} for {}", wanted + 1, counted(wanted, "point"));
            return Err(Problem::new("data_count", message)
                .at("DATA")
                .allowed(counted(wanted, "DATA line"))
                .hint("start new data with a REGION or METRIC line"));
        }
        self.values.clear();
        for word in text.split_ascii_whitespace() {
            self.values.push(number::parse(word).ok_or_else(|| number::not_a_number(word).at("DATA"))?);
        }
        if self.values.is_empty() {
            return Err(Problem::new("data_count", "DATA has no values")
                .at("DATA")
                .allowed("a number for each repetition"));
        }
        let table = self.table.get_or_insert_with(|| Tidy::new(self.parameters.as_slice(), &["region"]));
        let (metric, region) = match self.codes {
            Some(codes) => codes,
            None => *self.codes.insert((table.metric(self.metric, None), table.label(0, self.region))),
        };
        let dimension = self.parameters.len();
        let at = &self.points[self.filled * dimension..][..dimension];
        let cell = table.cell(&[region], at);
        table.add(cell, metric, &self.values, line);
        self.filled += 1;
        Ok(())
    }

    fn finish(self) -> Result<Table, Problem> {
        self.check_complete()?;
        match self.table {
            Some(table) => table.finish(),
            None => Err(Problem::new("empty_table", "the file has no DATA").allowed("a DATA line for each point")),
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn coordinate(word: &str) -> Result<f64, Problem> {
    number::parse(word).ok_or_else(|| number::not_a_number(word).at("POINTS"))
}

fn without_comment(text: &str) -> &str {
    match text.find('#') {
        Some(0) => "",
        Some(at) if text[..at].ends_with(char::is_whitespace) => text[..at].trim_end(),
        _ => text,
    }
}

fn unknown_keyword(keyword: &str) -> Problem {
    let shown = shorten(keyword, 60);
    Problem::new("unknown_keyword", format!("\"{shown}\" is not a keyword")).value(keyword).one_of(keyword, KEYWORDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        read_text(text).expect_err("an error").in_file("runs.txt").to_string()
    }

    #[test]
    fn repetitions_become_rows() {
        let table = read_text("PARAMETER p\nPOINTS 4 8\nMETRIC time\nREGION main->f\nDATA 1 2 # fast\nDATA 3\n")
            .expect("a table");
        assert_eq!(table.column("p"), Some(&Column::numbers("p", vec![4.0, 4.0, 8.0])));
        assert_eq!(table.column("rep"), Some(&Column::numbers("rep", vec![0.0, 1.0, 0.0])));
        assert_eq!(table.column("time"), Some(&Column::numbers("time", vec![1.0, 2.0, 3.0])));
        assert_eq!(table.column("region"), Some(&Column::text("region", ["main->f"; 3])));
        assert_eq!(table.origins.at(2).line, 6);
    }

    #[test]
    fn metrics_of_a_region_share_rows() {
        let text = "PARAMETER p\nPOINTS (4) (8)\nMETRIC time\nDATA 1\nDATA 2\nMETRIC calls\nDATA 10 11\nDATA 20\n";
        let table = read_text(text).expect("a table");
        assert_eq!(table.rows(), 3);
        assert_eq!(table.column("calls").map(|c| c.cell(0)), Some("10".to_owned()));
        assert_eq!(table.column("time").map(|c| c.cell(2)), Some(String::new()));
    }

    #[test]
    fn every_way_to_write_points_is_read() {
        for points in ["( 32 5000 ) ( 64 5000 )", "((32) (5000)) ((64)(5000))", "(32 5000)(64\t5e3)"] {
            let table = read_text(&format!("PARAMETER p n\nPOINTS {points}\nDATA 1\nDATA 2\n")).expect(points);
            assert_eq!(table.column("n"), Some(&Column::numbers("n", vec![5000.0; 2])), "{points}");
        }
        let table = read_text("PARAMETER p\nPARAMETER n\nPOINTS (1 2)\nPOINTS (3 4)\r\nDATA 1\nDATA\t2\n");
        assert_eq!(table.expect("a table").rows(), 2);
    }

    #[test]
    fn errors_tell_line_and_counts() {
        let text = "PARAMETER p\nPOINTS 4 8\n# a comment\n\nMETRIC time\nREGION main\nDATA 1\nDATA 3,5\n";
        assert_eq!(problem(text), "runs.txt:8: DATA: \"3,5\" is not a number\nhint: write 3.5, with a decimal point");
        assert!(problem("POINTS 4 8\n").starts_with("runs.txt:1: POINTS: POINTS precedes PARAMETER"));
        assert!(problem("PARAMETER p\nPONITS 4\n").contains("hint: did you mean POINTS?"));
        assert!(
            problem("PARAMETER p q\nPOINTS (4)\n").contains("a point has 1 value, and there are 2 parameters (p q)")
        );
        assert!(problem("PARAMETER p q\nPOINTS 4 8\n").contains("need parentheses"));
        let few = problem("PARAMETER p\nPOINTS 4 8\nREGION a\nDATA 1\nREGION b\nDATA 1\nDATA 2\n");
        assert!(few.starts_with("runs.txt:5: DATA: region \"a\" has 1 DATA line for 2 points"), "{few}");
        let many = problem("PARAMETER p\nPOINTS 4 8\nDATA 1\nDATA 2\nDATA 3\n");
        assert!(many.starts_with("runs.txt:5: DATA: this is DATA line 3 for 2 points"), "{many}");
        let last = problem("PARAMETER p\nPOINTS 4 8\nREGION a\nDATA 1\n");
        assert!(last.starts_with("runs.txt:4: DATA: region \"a\" has 1 DATA line for 2 points"), "{last}");
        assert!(problem("PARAMETER p\nPOINTS (4 \nDATA 1\n").contains("never closed"));
        assert!(problem("PARAMETER p\nPOINTS 4\nDATA nan\n").contains("\"nan\" is not a number"));
        assert!(problem("PARAMETER p\nPOINTS 4\nREGION r\n").contains("no DATA"));
    }

    use crate::table::Column;
}
