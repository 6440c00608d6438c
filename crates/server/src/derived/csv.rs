//! Tables as CSV: several under one header, and the numbers of a figure.

use super::Figure;
use runcast_core::table::number;

/// Cells of some CSV, line by line; quoted cells may hold line ends.
pub fn cells(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let (mut row, mut cell, mut quoted, mut begun) = (Vec::new(), String::new(), false, false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                cell.push('"');
                letters.next();
            }
            '"' if quoted => quoted = false,
            '"' if cell.is_empty() => {
                quoted = true;
                begun = true;
            }
            ',' if !quoted => {
                row.push(std::mem::take(&mut cell));
                begun = true;
            }
            '\r' if !quoted && letters.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                if begun || !cell.is_empty() {
                    row.push(std::mem::take(&mut cell));
                    rows.push(std::mem::take(&mut row));
                }
                begun = false;
            }
            letter => cell.push(letter),
        }
    }
    if begun || !cell.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

/// A line of CSV with its end.
pub fn line<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let quoted = |cell: &str| match cell.contains([',', '"', '\n', '\r', '#', ' ', ';', '\t']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    };
    cells.into_iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// Several tables under one header: the columns of all in the order in which they first appear, `job` before them.
#[derive(Debug, Default)]
pub struct Union {
    header: Vec<String>,
    rows: Vec<(String, Vec<(usize, String)>)>,
}

impl Union {
    /// Adds the table of a job.
    pub fn add(&mut self, job: &str, text: &str) {
        let mut rows = cells(text).into_iter();
        let Some(header) = rows.next() else { return };
        let places: Vec<usize> = header
            .into_iter()
            .map(|name| {
                let there = self.header.iter().position(|known| *known == name);
                there.unwrap_or_else(|| {
                    self.header.push(name);
                    self.header.len() - 1
                })
            })
            .collect();
        for row in rows {
            let filled = places.iter().copied().zip(row).filter(|(_, cell)| !cell.is_empty());
            self.rows.push((job.to_owned(), filled.collect()));
        }
    }

    /// The whole as CSV.
    pub fn text(&self) -> String {
        let mut out = line(std::iter::once("job").chain(self.header.iter().map(String::as_str)));
        let mut whole = vec![""; self.header.len() + 1];
        for (job, row) in &self.rows {
            whole.fill("");
            whole[0] = job;
            for (place, cell) in row {
                whole[place + 1] = cell;
            }
            out.push_str(&line(whole.iter().copied()));
        }
        out
    }
}

/// The numbers of a figure as CSV: one row per point.
pub fn of_figure(figure: &Figure) -> String {
    let has =
        |test: &dyn Fn(&super::FigurePoint) -> bool| figure.series.iter().flat_map(|curve| &curve.points).any(test);
    let (front, d_pct) = (has(&|point| point.front.is_some()), has(&|point| point.d_pct.is_some()));
    let base = figure.series.iter().any(|curve| curve.base.is_some());
    let mut names: Vec<String> = Vec::new();
    for name in figure.series.iter().flat_map(|curve| &curve.points).flat_map(|point| point.at.keys()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let (x, y) = (figure.x.name.as_str(), figure.y.name.as_str());
    let (low, high) = (runcast_core::prediction::bound_name(y, "low"), runcast_core::prediction::bound_name(y, "high"));
    let mut header = vec!["curve", x, y, low.as_str(), high.as_str()];
    header.extend(front.then_some("front"));
    header.extend(d_pct.then_some("d_pct"));
    header.extend(base.then_some("base"));
    header.extend(names.iter().map(String::as_str));
    let mut out = line(header);
    let text = |value: Option<f64>| value.map(number::to_text).unwrap_or_default();
    for curve in &figure.series {
        for point in &curve.points {
            let mut cells =
                vec![curve.name.clone(), text(Some(point.x)), text(Some(point.y)), text(point.low), text(point.high)];
            cells.extend(front.then(|| u8::from(point.front == Some(true)).to_string()));
            cells.extend(d_pct.then(|| text(point.d_pct)));
            cells.extend(base.then(|| text(curve.base)));
            cells.extend(names.iter().map(|name| point.at.get(name).cloned().unwrap_or_default()));
            out.push_str(&line(cells.iter().map(String::as_str)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_several_jobs_stand_under_one_header() {
        let mut union = Union::default();
        union.add("A", "p,time_s,key\n1,2.5,x\n2,1.5,\"a,\"\"b\"\"\"\n");
        union.add("B", "n,time_s\r\n7,9\r\n");
        union.add("C", "");
        assert_eq!(union.text(), "job,p,time_s,key,n\nA,1,2.5,x,\nA,2,1.5,\"a,\"\"b\"\"\",\nB,,9,,7\n");
    }

    #[test]
    fn cells_are_read_as_they_were_written() {
        let rows = [vec!["a b", "", "c\nd"], vec!["", "\"", "#"]];
        let text: String = rows.iter().map(|row| line(row.iter().copied())).collect();
        assert_eq!(cells(&text), rows);
    }
}
