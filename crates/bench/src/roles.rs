//! The line `# roles:` of a table of runs: `bench` knows what each column is, so that readers need not guess.

use crate::figures::Figure;
use crate::journal::Session;
use indexmap::IndexMap;
use runcast_core::plan::PROCESSES;
use serde::Serialize;

/// The line of a new table, with its end.
pub(crate) fn line(session: &Session) -> String {
    let figures = &session.command.figures;
    let metrics =
        ["time_s", "cpu_s", "peak_bytes"].into_iter().chain(figures.iter().map(|figure| figure.name.as_str()));
    let units = figures.iter().filter_map(|record| {
        let assumed = || Figure::try_from(record).ok()?.metric().filter(|metric| metric.unit_assumed);
        let unit = record.unit.clone().or_else(|| Some(assumed()?.unit))?;
        Some((record.name.as_str(), unit))
    });
    let roles = Roles {
        processes: session.parameters.iter().find(|name| *name == PROCESSES),
        params: &session.parameters,
        metrics: metrics.collect(),
        units: units.collect(),
        repetition: ["rep"],
    };
    serde_json::to_string(&roles).map_or_else(|_| String::new(), |roles| format!("# roles: {roles}\n"))
}

/// What the line says.
#[derive(Serialize)]
struct Roles<'a> {
    /// Other names that count processes are found by the readers, as in any table.
    #[serde(skip_serializing_if = "Option::is_none")]
    processes: Option<&'a String>,
    params: &'a [String],
    metrics: Vec<&'a str>,
    units: IndexMap<&'a str, String>,
    repetition: [&'static str; 1],
}

/// The whole lines of comments that a table begins with.
pub(crate) fn head_of(table: &[u8]) -> String {
    let lines = table.split_inclusive(|&byte| byte == b'\n');
    let comments = lines.take_while(|line| line.starts_with(b"#") && line.ends_with(b"\n"));
    comments.map(String::from_utf8_lossy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_ends_where_the_header_begins() {
        assert_eq!(head_of(b"# roles: {}\n# mine\np,rep\n# not a head\n"), "# roles: {}\n# mine\n");
        assert_eq!(head_of(b"p,rep\n1,0\n"), "");
        assert_eq!(head_of(b"# torn"), "");
    }
}
