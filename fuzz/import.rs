//! What every reader must do with any bytes: a problem, or a table that holds together.

use runcast_core::roles::TableOptions;
use runcast_core::series::series_of;
use runcast_core::table::{ColumnData, ReadOptions};
use runcast_core::Table;

/// Reads bytes as the format, by content where none is named, and looks at what comes out.
pub fn check(format: Option<&str>, bytes: &[u8]) {
    let options = ReadOptions { format: format.map(str::to_owned), ..ReadOptions::default() };
    let table = match Table::read("fuzz", bytes, &options) {
        Ok(table) => table,
        Err(problems) => {
            assert!(!problems.0.is_empty());
            assert!(problems.to_string().len() < 10_000);
            return;
        }
    };
    assert!(table.rows() > 0);
    for column in &table.columns {
        assert_eq!(column.len(), table.rows());
        match &column.data {
            ColumnData::Number(values) => assert!(values.iter().all(|value| !value.is_infinite())),
            ColumnData::Text { codes, names } => assert!(codes.iter().all(|code| (code as usize) < names.len())),
        }
    }
    if let Ok(set) = series_of(&table, &TableOptions::default()) {
        for point in set.series.iter().flat_map(|series| &series.points) {
            assert!(!point.values.is_empty() && point.values.len() == point.lines.len());
            assert!(point.at.iter().chain(&point.values).all(|value| value.is_finite()));
        }
    }
    let mut written = Vec::new();
    table.write_jsonl(&mut written).expect("a vector takes all");
    let jsonl = ReadOptions { format: Some("jsonl".to_owned()), ..ReadOptions::default() };
    let again = Table::read("again", &written, &jsonl).expect("what is written can be read");
    assert_eq!(again.rows(), table.rows());
}
