//! The end of a Parquet file, which says where its columns are.

use super::compact::Compact;
use super::{damaged, is_parquet};
use crate::problem::{Problem, shorten};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use std::collections::HashMap;

/// Bytes behind the footer: its length and the mark.
const TAIL: usize = 8;

/// Reads the footer.
///
/// # Errors
/// It is not there or damaged; the table has columns of columns.
pub(super) fn read(bytes: &[u8]) -> Result<ParquetMetaData, Problem> {
    if !is_parquet(bytes) {
        return Err(Problem::new("parquet", "the file is not Parquet"));
    }
    let (body, tail) = bytes.split_last_chunk::<TAIL>().ok_or_else(|| damaged("it ends early"))?;
    match &tail[4..] {
        b"PAR1" => {}
        b"PARE" => return Err(Problem::new("parquet", "the Parquet file is encrypted").hint("export it as CSV")),
        _ => return Err(damaged("it ends early")),
    }
    let length = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]) as usize;
    let start = body.len().checked_sub(length).ok_or_else(|| damaged("its footer is longer than the file"))?;
    let footer = &body[start..];
    let elements = schema(footer).ok_or_else(|| damaged("its footer cannot be read"))?;
    check_flat(&elements)?;
    let metadata = ParquetMetaDataReader::decode_metadata(footer).map_err(damaged)?;
    check_names(&metadata)?;
    check_durations(&metadata)?;
    Ok(metadata)
}

/// A node of the tree of columns, which stands in the file as a list.
#[derive(Default)]
struct Element<'b> {
    name: &'b [u8],
    children: i64,
    is_repeated: bool,
}

/// The nodes, the root first.
fn schema(footer: &[u8]) -> Option<Vec<Element<'_>>> {
    let mut elements = Vec::new();
    Compact::new(footer).structure(|compact, field| {
        if field.id != 2 {
            return Some(false);
        }
        compact.structures(field, |compact| {
            let mut element = Element::default();
            compact.structure(|compact, field| {
                match field.id {
                    3 => element.is_repeated = compact.integer_of(field)? == 2,
                    4 => element.name = compact.bytes_of(field)?,
                    5 => element.children = compact.integer_of(field)?,
                    _ => return Some(false),
                }
                Some(true)
            })?;
            elements.push(element);
            Some(())
        })?;
        Some(true)
    })?;
    Some(elements)
}

/// The root has all other nodes for its children. Only such a list is given to the crate, which reads trees of any depth
/// by recursion.
fn check_flat(elements: &[Element<'_>]) -> Result<(), Problem> {
    let Some((root, columns)) = elements.split_first() else { return Err(damaged("it names no columns")) };
    if let Some(nested) = columns.iter().find(|element| element.children != 0 || element.is_repeated) {
        let name = String::from_utf8_lossy(nested.name);
        let message = format!("the column \"{}\" holds lists or structures, not one value a row", shorten(&name, 60));
        return Err(Problem::new("nested_column", message)
            .value(name.as_ref())
            .hint("leave it out, or make columns of its parts, before the table is written"));
    }
    if usize::try_from(root.children) != Ok(columns.len()) {
        return Err(damaged("it names more columns, or fewer, than it has"));
    }
    if columns.is_empty() {
        return Err(Problem::new("empty_table", "the file has no columns"));
    }
    Ok(())
}

fn check_names(metadata: &ParquetMetaData) -> Result<(), Problem> {
    let mut seen = HashMap::new();
    for (index, column) in metadata.file_metadata().schema_descr().columns().iter().enumerate() {
        let name = column.name();
        if name.trim_ascii().is_empty() {
            let message = format!("column {} has no name", index + 1);
            return Err(Problem::new("empty_column_name", message).hint("give it a name"));
        }
        if let Some(first) = seen.insert(name, index) {
            let message = format!("\"{}\" names both column {} and column {}", shorten(name, 60), first + 1, index + 1);
            return Err(Problem::new("duplicate_column", message)
                .value(name)
                .hint("give each column a name of its own"));
        }
    }
    Ok(())
}

/// Parquet has no durations: those of pandas are bare numbers, whose unit is only in a note for pandas.
fn check_durations(metadata: &ParquetMetaData) -> Result<(), Problem> {
    let notes = metadata.file_metadata().key_value_metadata();
    let note =
        notes.and_then(|notes| notes.iter().find(|note| note.key == "pandas")).and_then(|note| note.value.as_ref());
    let note: serde_json::Value = note.and_then(|note| serde_json::from_str(note).ok()).unwrap_or_default();
    let columns = note["columns"].as_array();
    let is_duration =
        |column: &&serde_json::Value| column["numpy_type"].as_str().is_some_and(|kind| kind.starts_with("timedelta"));
    let Some(column) = columns.and_then(|columns| columns.iter().find(is_duration)) else { return Ok(()) };
    let name = column["name"].as_str().or_else(|| column["field_name"].as_str()).unwrap_or_default();
    let shown = shorten(name, 60);
    let message = format!("the column \"{shown}\" holds durations, whose unit Parquet does not say");
    Err(Problem::new("duration_column", message)
        .value(name)
        .hint(format!("write seconds: df[\"{shown}\"] = df[\"{shown}\"].dt.total_seconds()")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file whose footer holds nothing but these nodes, each a number of children.
    fn file(children: &[&[u8]]) -> Vec<u8> {
        let mut footer = vec![0x29, (children.len() as u8) << 4 | 12];
        for count in children {
            footer.extend([0x48, 1, b'x', 0x15]);
            footer.extend(*count);
            footer.push(0);
        }
        footer.push(0);
        let length = footer.len() as u8;
        [&b"PAR1\0"[..], &footer, &[length, 0, 0, 0], b"PAR1"].concat()
    }

    #[test]
    fn trees_are_looked_at_before_the_crate_builds_them() {
        let message = |children: &[&[u8]]| read(&file(children)).expect_err("no table").message;
        assert_eq!(message(&[&[2], &[2], &[0]]), "the column \"x\" holds lists or structures, not one value a row");
        let many = [0x80, 0x80, 0x80, 0x80, 8];
        assert_eq!(
            message(&[&many, &[0]]),
            "the Parquet file is damaged: it names more columns, or fewer, than it has"
        );
        assert_eq!(message(&[&[0]]), "the file has no columns");
        assert_eq!(message(&[]), "the Parquet file is damaged: it names no columns");
        assert_eq!(read(b"PAR1\0\0\0\0\xff\0\0\0PAR1").expect_err("no table").code, "parquet");
    }
}
