//! Tables by which MPI libraries choose algorithms, and those of users: rows of a TOML file.

use super::choice::{Row, named};
use crate::application::CollectiveKind;
use runcast_core::Problem;
use runcast_core::Problems;
use runcast_core::toml::{Reader, Source, Table, document};
use std::sync::OnceLock;

/// The tables that come with runcast, by name; `runcast` are [`super::DEFAULT_ROWS`] alone.
pub const SELECTORS: [&str; 4] = ["runcast", "openmpi", "mpich", "smpi"];

const FORMAT: &str = "runcast-collectives/1";
const MOST_BYTES: usize = 1 << 20;
const KEYS: [&str; 7] = ["op", "p_below", "n_below", "block_below", "power_of_two", "short", "algorithm"];

/// The files of these tables, in the same order.
const FILES: [(&str, &str); 4] = [
    ("", ""),
    ("openmpi.toml", include_str!("../../../catalogue/collective/openmpi.toml")),
    ("mpich.toml", include_str!("../../../catalogue/collective/mpich.toml")),
    ("smpi.toml", include_str!("../../../catalogue/collective/smpi.toml")),
];

/// The rows of a table that comes with runcast; none: there is no such table.
pub fn builtin(name: &str) -> Option<&'static [Row]> {
    static TABLES: [OnceLock<Vec<Row>>; 4] = [const { OnceLock::new() }; 4];
    let at = SELECTORS.iter().position(|known| *known == name)?;
    let (file, text) = FILES[at];
    // A test reads the files: nothing is left out here.
    Some(TABLES[at].get_or_init(|| if text.is_empty() { Vec::new() } else { read(text, file).unwrap_or_default() }))
}

/// The rows of a file.
///
/// # Errors
/// All that is wrong with it.
pub fn read(text: &str, file: &str) -> Result<Vec<Row>, Problems> {
    let source = Source { name: file, text };
    let document = document(source, MOST_BYTES)?;
    let mut reader = Reader::new(source);
    let top = reader.top(&document);
    reader.allow(&top, &["format", "row"], "a table of collectives");
    match reader.text(&top, "format", FORMAT) {
        Some((format, place)) if format != FORMAT => {
            let problem = Problem::new("wrong_format", "this is no table of collectives, or one of another version");
            reader.wrong(&place, problem.value(format).allowed(FORMAT));
        }
        None if !top.has("format") => reader.missing(&top, "format", FORMAT),
        _ => {}
    }
    let tables = reader.tables(&top, "row");
    let rows: Vec<Row> = tables.iter().filter_map(|table| row(&mut reader, table)).collect();
    match reader.take_problems() {
        Some(problems) => Err(problems),
        None => Ok(rows),
    }
}

fn row(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Row> {
    reader.allow(table, &KEYS, "a row");
    let names = CollectiveKind::ALL.map(CollectiveKind::name);
    for (key, allowed) in [("op", names.join(", ")), ("algorithm", "the name of an algorithm".to_owned())] {
        if !table.has(key) {
            reader.missing(table, key, &allowed);
        }
    }
    let kind = CollectiveKind::ALL[reader.choice(table, "op", &names)?];
    let (algorithm, place) = reader.text(table, "algorithm", "the name of an algorithm")?;
    if let Err(problem) = named(kind, &algorithm) {
        reader.wrong(&place, problem);
        return None;
    }
    let mut below = |key: &str| reader.whole(table, key, 1, u64::MAX);
    let (processes_below, size_below, block_below) = (below("p_below"), below("n_below"), below("block_below"));
    Some(Row {
        kind,
        below: size_below,
        block_below,
        processes_below,
        power_of_two: reader.flag(table, "power_of_two").unwrap_or(false),
        short: reader.flag(table, "short").unwrap_or(false),
        algorithm: algorithm.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::Choice;
    use CollectiveKind::{Allgather, Allreduce, Alltoall, Reduce, ReduceScatter};

    fn chosen(selector: &str, kind: CollectiveKind, size: u64, processes: u64) -> &'static str {
        let choice = Choice { selector: builtin(selector).expect("a table").to_vec(), ..Choice::default() };
        choice.choose(kind, None, size, processes).expect("an algorithm").algorithm.name
    }

    #[test]
    fn the_tables_are_read_whole() {
        for (file, text) in &FILES[1..] {
            read(text, file).expect("reads");
        }
        assert_eq!(SELECTORS.map(|name| builtin(name).expect("there").len()), [0, 275, 11, 46]);
        assert!(builtin("mvapich").is_none());
    }

    /// Open MPI's own source, `coll_tuned_decision_fixed.c`; `coll_selection.json` of MPICH.
    #[test]
    fn libraries_choose_as_their_sources_say() {
        for (size, processes, expected) in [
            (4096, 8, "doubling"),
            (8192, 8, "rabenseifner"),
            (131_071, 200, "reduce_bcast"),
            (131_072, 200, "doubling"),
            (7, 2, "ring"),
            (63, 16, "segmented_ring"),
            (1 << 20, 5000, "rabenseifner"),
            (32_767, 5000, "doubling"),
        ] {
            assert_eq!(chosen("openmpi", Allreduce, size, processes), expected, "{size} B on {processes}");
        }
        // Blocks, not the data of a process.
        assert_eq!(chosen("openmpi", Allgather, 40 * 1023, 40), "doubling");
        assert_eq!(chosen("openmpi", Allgather, 40 * 1024, 40), "neighbor");
        assert_eq!(chosen("mpich", Allreduce, 16, 8), "doubling");
        assert_eq!(chosen("mpich", Allreduce, 64, 8), "rabenseifner");
        assert_eq!(chosen("mpich", Reduce, 2400, 4096), "binomial");
        assert_eq!(chosen("mpich", Alltoall, 16, 7), "spread");
        assert_eq!(chosen("mpich", Alltoall, 16, 8), "bruck");
        assert_eq!(chosen("mpich", Allgather, 100_000, 12), "ring");
        assert_eq!(chosen("mpich", ReduceScatter, 1000, 12), "halving");
        assert_eq!(chosen("runcast", ReduceScatter, 1000, 12), "pairwise");
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told() {
        let code = |text: &str| {
            let problems = read(&format!("format = \"{FORMAT}\"\n{text}"), "mine.toml").expect_err("wrong").0;
            assert_eq!((problems[0].file.as_deref(), problems[0].line), (Some("mine.toml"), Some(2)), "{problems:?}");
            problems[0].code.clone()
        };
        assert_eq!(code("row = [ { op = \"allreduse\", algorithm = \"ring\" } ]"), "unknown_name");
        assert_eq!(code("row = [ { op = \"allreduce\", algorithm = \"rings\" } ]"), "unknown_algorithm");
        assert_eq!(code("row = [ { op = \"allreduce\" } ]"), "missing");
        assert_eq!(code("row = [ { op = \"bcast\", algorithm = \"linear\", below = 3 } ]"), "unknown_key");
        assert_eq!(code("row = [ { op = \"bcast\", algorithm = \"linear\", p_below = 0 } ]"), "out_of_range");
    }
}
