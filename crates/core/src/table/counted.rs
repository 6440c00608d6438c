//! Counts of processes in the cells of labels: `OpenMP-4`, `MPI 16`, `hybrid (8 threads)`, `fused-serial`.
//!
//! Where no column counts processes, such a label is taken apart into a label and a column of counts.

use super::wide::{SERIAL, process_word};
use super::{Column, ColumnData, Numbers, Table, number};
use crate::problem::{Warning, shorten};
use crate::roles::{counts, is_every, is_outcome, look_like_counts, preference};

/// Of longer lists of different texts, none is looked at.
const MOST_TEXTS: usize = 4096;

/// Takes the first label apart whose texts end in counts of processes.
pub(super) fn split(table: &mut Table) {
    let varies = |column: &Column| column.as_numbers().is_some_and(|_| column.constant().is_none());
    let has_counts = table.columns.iter().any(|column| preference(&column.name).is_some() && varies(column));
    if has_counts || table.roles.is_some() {
        return;
    }
    let found = table.columns.iter().enumerate().find_map(|(index, column)| Some((index, parts_of(column)?)));
    let Some((index, Parts { by_code, word })) = found else { return };
    let name = [word.as_deref().unwrap_or("p"), "p", "processes"];
    let Some(name) = name.into_iter().find(|name| table.columns.iter().all(|column| column.name != *name)) else {
        return;
    };
    let label = &table.columns[index];
    let from = label.name.clone();
    let message = format!("{}: the counts in its cells are read as the column {name}", shorten(&from, 60));
    let ColumnData::Text { codes, .. } = &label.data else { return };
    let part = |code: u32| by_code[code as usize].as_ref();
    let counts = codes.iter().map(|code| part(code).map_or(f64::NAN, |(_, count)| *count)).collect();
    let made = Column { name: name.to_owned(), data: ColumnData::Number(counts) };
    let stems = codes.iter().map(|code| part(code).map_or("", |(stem, _)| stem.as_str()));
    table.columns[index] = Column::text(from.clone(), stems);
    table.wide.counted.push((name.to_owned(), from));
    table.columns.push(made);
    table.warnings.push(Warning::new("cells_converted", message));
}

/// A label, taken apart.
struct Parts {
    /// The stem and the count of each text; none of those that no row holds.
    by_code: Vec<Option<(String, f64)>>,
    /// What is counted, where a cell says so.
    word: Option<String>,
}

/// The parts of a label, if each of its texts has a count, the counts are those of a plan, and the rest recurs.
fn parts_of(column: &Column) -> Option<Parts> {
    let ColumnData::Text { codes, names } = &column.data else { return None };
    if names.len() > MOST_TEXTS || is_outcome(&column.name) {
        return None;
    }
    let mut used = vec![false; names.len()];
    codes.iter().for_each(|code| used[code as usize] = true);
    let parts: Vec<Option<(String, f64, Option<String>)>> =
        names.iter().zip(&used).map(|(name, used)| used.then(|| part(name)).flatten()).collect();
    let given: Vec<&(String, f64, Option<String>)> = parts.iter().flatten().collect();
    if given.len() != used.iter().filter(|used| **used).count() {
        return None;
    }
    let mut stems: Vec<&str> = given.iter().map(|(stem, ..)| stem.as_str()).collect();
    stems.sort_unstable();
    stems.dedup();
    let numbers = Numbers::from(given.iter().map(|(_, count, _)| *count).collect::<Vec<f64>>());
    if 2 * stems.len() > given.len() || !look_like_counts("", &numbers) {
        return None;
    }
    let word = given.iter().find_map(|(.., word)| word.clone());
    // `part-1`, `part-2`, `part-3` are names, unless a word says what is counted.
    if word.is_none() && counts(&numbers).is_some_and(|counts| is_every(&counts)) {
        return None;
    }
    Some(Parts { by_code: parts.into_iter().map(|part| part.map(|(stem, count, _)| (stem, count))).collect(), word })
}

/// The stem of a text, the count behind it, and the word for what is counted.
fn part(text: &str) -> Option<(String, f64, Option<String>)> {
    let text = text.trim();
    let is_mark = |letter: char| !letter.is_alphanumeric();
    for word in SERIAL {
        let end = text.len().checked_sub(word.len()).filter(|end| text.is_char_boundary(*end));
        if let Some((stem, last)) = end.map(|end| text.split_at(end))
            && last.eq_ignore_ascii_case(word)
            && stem.ends_with(is_mark)
        {
            return Some((stem.trim_end_matches(is_mark).to_owned(), 1.0, None));
        }
    }
    let inner = text.trim_end_matches([')', ']']);
    let end = inner.rfind(|letter: char| letter.is_ascii_digit())? + 1;
    let (front, behind) = inner.split_at(end);
    let (stem, count) = front.split_at(front.trim_end_matches(|letter: char| letter.is_ascii_digit()).len());
    let behind = behind.trim_matches(is_mark).to_lowercase();
    let known = if behind == "t" { Some("threads".to_owned()) } else { process_word(&behind) };
    // The count stands apart, or beside a word for it.
    let is_apart = behind.is_empty() && stem.ends_with(['-', '_', ' ', ':', '/', '(', '=', '@']);
    if stem.trim_end_matches(is_mark).is_empty() || !(is_apart || known.is_some()) {
        return None;
    }
    let count = number::parse(count).filter(|count| *count >= 1.0)?;
    Some((stem.trim_end_matches(is_mark).to_owned(), count, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(cells: &[&str]) -> Option<(Vec<String>, Vec<f64>, Option<String>)> {
        let mut table = Table { columns: vec![Column::text("variant", cells.iter().copied())], ..Table::default() };
        let word = parts_of(&table.columns[0])?.word;
        split(&mut table);
        let stems = (0..cells.len()).map(|row| table.columns[0].cell(row)).collect();
        Some((stems, table.columns[1].as_numbers()?.iter().copied().collect(), word))
    }

    #[test]
    fn counts_behind_names_are_taken_apart() {
        let (stems, numbers, word) = counts(&["omp-1", "omp-2", "omp-4", "mpi-1", "mpi-2", "mpi-4"]).expect("counts");
        assert_eq!((stems[0].as_str(), stems[5].as_str(), word), ("omp", "mpi", None));
        assert_eq!(numbers, [1.0, 2.0, 4.0, 1.0, 2.0, 4.0]);
        let (stems, numbers, word) = counts(&["A-serial", "A 4T", "A (8 threads)", "A-serial"]).expect("counts");
        assert_eq!((stems, numbers), (vec!["A".to_owned(); 4], vec![1.0, 4.0, 8.0, 1.0]));
        assert_eq!(word.as_deref(), Some("threads"));
    }

    #[test]
    fn other_numbers_in_labels_stay() {
        for cells in [
            &["resnet-18", "resnet-34", "resnet-50"][..],
            &["gcc-9", "gcc-10", "gcc-11"],
            &["node1", "node2", "node4"],
            &["LDC-1000", "LDC-8000", "LDC-27000"],
            &["a-1", "b-2", "c-4", "d-8"],
            &["main", "init-1", "init-2", "init-4"],
            &["1", "2", "4x"],
            &["part-1", "part-2", "part-3", "part-4"],
        ] {
            assert!(counts(cells).is_none(), "{cells:?}");
        }
    }
}
