//! The samples of one process or one link, in the order in which they were taken.

use super::table::{Kind, Samples};
use std::collections::HashMap;

/// The samples of one process or one link, in the order in which they were taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub subject: Subject,
    /// The machine of the process, or of the sender.
    pub host: String,
    /// When each began \[s\]; empty if one of them does not record it.
    pub start_s: Vec<f64>,
    /// How long each took \[s\].
    pub time_s: Vec<f64>,
    /// The row of each in the table.
    pub rows: Vec<usize>,
}

/// The names of the processes that have updates, in this order.
pub fn process_names(all: &[Series]) -> impl Iterator<Item = &str> {
    all.iter().filter_map(|series| match &series.subject {
        Subject::Process(name) => Some(name.as_str()),
        Subject::Link { .. } => None,
    })
}

/// Whose times they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// Updates of a process.
    Process(String),
    /// Messages of a link.
    Link { from: String, to: String },
}

impl Subject {
    /// `p1`, or `p1 -> p2`.
    pub fn name(&self) -> String {
        match self {
            Subject::Process(name) => name.clone(),
            Subject::Link { from, to } => format!("{from} -> {to}"),
        }
    }
}

impl Series {
    /// The middle of an update or message \[s\].
    pub fn middle_s(&self, index: usize) -> f64 {
        self.start_s[index] + 0.5 * self.time_s[index]
    }
}

/// The series of a table: processes first, then links, each in the order of their first rows.
pub fn series_of(samples: &Samples) -> Vec<Series> {
    let mut places: HashMap<Subject, usize> = HashMap::new();
    let mut all: Vec<Series> = Vec::new();
    for (index, row) in samples.rows.iter().enumerate() {
        let subject = match (&row.peer, row.kind) {
            (Some(peer), Kind::Message) => Subject::Link { from: row.process.to_string(), to: peer.to_string() },
            _ => Subject::Process(row.process.to_string()),
        };
        let place = *places.entry(subject).or_insert_with_key(|subject| {
            let (start_s, time_s, rows) = (Vec::new(), Vec::new(), Vec::new());
            all.push(Series { subject: subject.clone(), host: row.host.to_string(), start_s, time_s, rows });
            all.len() - 1
        });
        all[place].rows.push(index);
    }
    for series in &mut all {
        fill(series, samples);
    }
    // Processes first; the order among them stays.
    all.sort_by_key(|series| matches!(series.subject, Subject::Link { .. }));
    all
}

/// Puts samples in the order of their starts, or leaves them in that of the table.
fn fill(series: &mut Series, samples: &Samples) {
    let start = |row: &usize| samples.rows[*row].start_s;
    let tells = series.rows.iter().all(|row| start(row).is_some());
    if tells {
        series.rows.sort_by(|a, b| start(a).unwrap_or(0.0).total_cmp(&start(b).unwrap_or(0.0)));
        series.start_s = series.rows.iter().filter_map(start).collect();
    }
    series.time_s = series.rows.iter().map(|row| samples.rows[*row].time_s).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_in_order_of_time() {
        let text = "kind,process,peer,start_s,time_s\nmessage,a,b,0,1\nupdate,b,,3,30\nupdate,b,,1,10\nupdate,a,,0,5\n";
        let series = series_of(&Samples::read("s.csv", text.as_bytes()).expect("good"));
        let names: Vec<String> = series.iter().map(|series| series.subject.name()).collect();
        assert_eq!(names, ["b", "a", "a -> b"]);
        assert_eq!((series[0].start_s.as_slice(), series[0].time_s.as_slice()), (&[1.0, 3.0][..], &[10.0, 30.0][..]));
        assert_eq!((series[0].rows.as_slice(), series[0].middle_s(0)), (&[2, 1][..], 6.0));
    }

    #[test]
    fn without_all_starts_the_order_is_that_of_the_table() {
        let text = "kind,process,start_s,time_s\nupdate,b,3,30\nupdate,b,,10\n";
        let series = series_of(&Samples::read("s.csv", text.as_bytes()).expect("good"));
        assert!(series[0].start_s.is_empty());
        assert_eq!(series[0].time_s, [30.0, 10.0]);
    }
}
