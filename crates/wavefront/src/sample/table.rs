//! The table of samples: one row per time that was measured.
//!
//! | column    | holds                                                                    |
//! |-----------|--------------------------------------------------------------------------|
//! | `kind`    | `update` or `message`                                                    |
//! | `process` | who made the update; the sender of a message                             |
//! | `peer`    | the receiver of a message; empty for an update                           |
//! | `host`    | the machine of the process                                               |
//! | `rep`     | counts the samples of a process or link, from 0                          |
//! | `start_s` | when it began, on the clock of the first process \[s\]                   |
//! | `time_s`  | how long it took \[s\]                                                   |
//! | `mode`    | the mode that was in force, where modes were fitted; else absent         |

use runcast_core::table::{ReadOptions, number};
use runcast_core::{Problem, Problems, Table};
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Arc;

/// Everything that was measured, in the order of the table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples {
    pub rows: Vec<Row>,
}

/// A time that was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The activity that took this time.
    pub kind: Kind,
    /// Who made the update; the sender of a message.
    pub process: Arc<str>,
    /// The receiver of a message.
    pub peer: Option<Arc<str>>,
    /// The machine of the process; empty where it is not known.
    pub host: Arc<str>,
    /// Which of its process or link it is, from 0.
    pub rep: u64,
    /// When it began \[s\]; none if the table does not record it.
    pub start_s: Option<f64>,
    /// How long it took \[s\].
    pub time_s: f64,
    /// The mode that was in force, where modes were fitted.
    pub mode: Option<Arc<str>>,
}

/// What took the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One update of one process.
    Update,
    /// A message, one way.
    Message,
}

/// Maximum number of problems reported for one table.
const MOST_PROBLEMS: usize = 10;

runcast_core::words!(Kind::name: Update = "update", Message = "message");

impl Samples {
    /// Reads a table: CSV or JSON Lines. `peer` is needed where there are messages; `host`, `rep`, `start_s` and `mode`
    /// may be missing.
    ///
    /// # Errors
    /// File and line of what is wrong: a column is missing, a kind is unknown, a message has no receiver, a time is
    /// negative or no number.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Samples, Problems> {
        let table = Table::read(name, bytes, &ReadOptions::default())?;
        let columns = Columns::of(&table, name)?;
        let mut samples = Samples { rows: Vec::with_capacity(table.rows()) };
        let mut problems = Vec::new();
        for row in 0..table.rows() {
            match columns.row(row) {
                Ok(read) => samples.rows.push(read),
                Err(problem) => problems.push(table.problem_at(row, problem)),
            }
            if problems.len() >= MOST_PROBLEMS {
                break;
            }
        }
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        Ok(samples)
    }

    /// The table as CSV, which [`Samples::read`] takes.
    pub fn to_csv(&self) -> String {
        let has_modes = self.rows.iter().any(|row| row.mode.is_some());
        let mut text = String::from("kind,process,peer,host,rep,start_s,time_s");
        text.push_str(if has_modes { ",mode\n" } else { "\n" });
        for row in &self.rows {
            let [process, peer, host] = [&*row.process, row.peer.as_deref().unwrap_or(""), &*row.host].map(cell);
            let start = row.start_s.map_or_else(String::new, number::to_text);
            // Writing to a text cannot fail.
            let _ = write!(
                text,
                "{},{process},{peer},{host},{},{start},{}",
                row.kind.name(),
                row.rep,
                number::to_text(row.time_s)
            );
            if has_modes {
                let _ = write!(text, ",{}", cell(row.mode.as_deref().unwrap_or("")));
            }
            text.push('\n');
        }
        text
    }
}

/// A text as a cell of CSV.
pub fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.starts_with([' ', '#']) || text.ends_with(' ') {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

/// The columns of a table of samples.
struct Columns<'a> {
    kind: &'a runcast_core::table::Column,
    process: &'a runcast_core::table::Column,
    time_s: &'a runcast_core::table::Column,
    peer: Option<&'a runcast_core::table::Column>,
    host: Option<&'a runcast_core::table::Column>,
    rep: Option<&'a runcast_core::table::Column>,
    start_s: Option<&'a runcast_core::table::Column>,
    mode: Option<&'a runcast_core::table::Column>,
    /// Names that were seen: rows share them.
    names: RefCell<HashSet<Arc<str>>>,
}

impl<'a> Columns<'a> {
    fn of(table: &'a Table, name: &str) -> Result<Columns<'a>, Problems> {
        let needed = |column: &str| {
            table.column(column).ok_or_else(|| {
                let has: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
                Problem::new("no_column", format!("there is no column \"{column}\""))
                    .in_file(name)
                    .at(column)
                    .value(has.join(", "))
                    .allowed("kind, process, peer, host, rep, start_s, time_s")
            })
        };
        Ok(Columns {
            kind: needed("kind")?,
            process: needed("process")?,
            time_s: needed("time_s")?,
            peer: table.column("peer"),
            host: table.column("host"),
            rep: table.column("rep"),
            start_s: table.column("start_s"),
            mode: table.column("mode"),
            names: RefCell::default(),
        })
    }

    fn name(&self, text: String) -> Arc<str> {
        let mut names = self.names.borrow_mut();
        if let Some(known) = names.get(text.as_str()) {
            return Arc::clone(known);
        }
        let name: Arc<str> = text.into();
        names.insert(Arc::clone(&name));
        name
    }

    fn row(&self, row: usize) -> Result<Row, Problem> {
        let text = |column: Option<&runcast_core::table::Column>| column.map(|column| self.name(column.cell(row)));
        let filled = |column| text(column).filter(|text| !text.trim().is_empty());
        let kind = match self.kind.cell(row).trim() {
            "update" => Kind::Update,
            "message" => Kind::Message,
            other => {
                let problem = Problem::new("unknown_kind", format!("\"{other}\" is neither update nor message"));
                return Err(problem.at("kind").value(other).allowed("update, message"));
            }
        };
        let Some(process) = filled(Some(self.process)) else {
            return Err(Problem::new("no_process", "the row does not name a process").at("process"));
        };
        let peer = filled(self.peer).filter(|_| kind == Kind::Message);
        if kind == Kind::Message && peer.is_none() {
            return Err(Problem::new("no_peer", "a message needs its receiver").at("peer"));
        }
        if peer.as_ref() == Some(&process) {
            let problem = Problem::new("own_peer", format!("\"{process}\" sends a message to itself"));
            return Err(problem.at("peer").value(process.to_string()));
        }
        let time_s = measured(self.time_s, row, "time_s")?
            .ok_or_else(|| Problem::new("no_time", "the row has no time").at("time_s"))?;
        if time_s < 0.0 {
            let problem = Problem::new("negative_time", "a time cannot be negative").at("time_s");
            return Err(problem.value(number::to_text(time_s)).allowed("0 or more, in seconds"));
        }
        let start_s = self.start_s.map_or(Ok(None), |column| measured(column, row, "start_s"))?;
        let rep = self.rep.map_or(Ok(None), |column| measured(column, row, "rep"))?;
        Ok(Row {
            kind,
            process,
            peer,
            host: text(self.host).unwrap_or_else(|| self.name(String::new())),
            rep: rep.filter(|rep| *rep >= 0.0).map_or(row as u64, |rep| rep as u64),
            start_s,
            time_s,
            mode: filled(self.mode),
        })
    }
}

/// The number in a cell; none where it is empty.
fn measured(column: &runcast_core::table::Column, row: usize, name: &str) -> Result<Option<f64>, Problem> {
    if let Some(values) = column.as_numbers() {
        return Ok(Some(values[row]).filter(|value| value.is_finite()));
    }
    let cell = column.cell(row);
    if cell.trim().is_empty() {
        return Ok(None);
    }
    number::parse(&cell).map(Some).ok_or_else(|| number::not_a_number(&cell).at(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "kind,process,peer,host,rep,start_s,time_s\nupdate,p1,,a,0,0,0.5\nmessage,p1,p2,a,0,1,0.25\n";

    #[test]
    fn a_table_comes_back_as_it_was() {
        let samples = Samples::read("s.csv", GOOD.as_bytes()).expect("good");
        assert_eq!(samples.rows.len(), 2);
        assert_eq!((samples.rows[0].peer.as_deref(), samples.rows[1].peer.as_deref()), (None, Some("p2")));
        assert_eq!((samples.rows[1].start_s, samples.rows[1].time_s), (Some(1.0), 0.25));
        assert_eq!(samples.to_csv(), GOOD);
        let mut odd = samples.clone();
        odd.rows[0].process = "a,\"b\"".into();
        odd.rows[0].mode = Some("busy".into());
        let again = Samples::read("s.csv", odd.to_csv().as_bytes()).expect("good");
        assert_eq!(again.rows, odd.rows);
    }

    #[test]
    fn what_is_missing_but_not_needed_is_done_without() {
        let samples = Samples::read("s.csv", b"kind,process,time_s\nupdate,1,2\nupdate,1,3\n").expect("good");
        assert_eq!(&*samples.rows[1].process, "1");
        assert_eq!((samples.rows[1].rep, samples.rows[1].start_s, &*samples.rows[1].host), (1, None, ""));
    }

    #[test]
    fn damage_is_told_with_its_line() {
        for (text, code, line) in [
            ("kind,process\nupdate,1\n", "no_column", None),
            ("kind,process,time_s\nupdate,1,2\nupdat,1,2\n", "unknown_kind", Some(3)),
            ("kind,process,time_s\nupdate,1,2\nupdate,1,x2\n", "not_a_number", Some(3)),
            ("kind,process,time_s\nupdate,1,2\nupdate,1,-2\n", "negative_time", Some(3)),
            ("kind,process,time_s\nupdate,1,2\nupdate,1,\n", "no_time", Some(3)),
            ("kind,process,time_s\nupdate,1,2\nmessage,1,2\n", "no_peer", Some(3)),
            ("kind,process,peer,time_s\nmessage,1,2,2\nmessage,1,1,2\n", "own_peer", Some(3)),
            ("kind,process,time_s\nupdate,,2\n", "no_process", Some(2)),
            ("", "empty_table", None),
        ] {
            let problems = Samples::read("s.csv", text.as_bytes()).expect_err(text);
            assert_eq!((problems.0[0].code.as_str(), problems.0[0].line), (code, line), "{text}");
            assert_eq!(problems.0[0].file.as_deref(), Some("s.csv"), "{text}");
        }
        let many = format!("kind,process,time_s\n{}", "updat,1,2\n".repeat(100));
        assert_eq!(Samples::read("s.csv", many.as_bytes()).expect_err("bad").0.len(), MOST_PROBLEMS);
    }
}
