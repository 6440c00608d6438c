//! Rows of a table in a database file of SQLite, whose format is public: pages of B-trees, rows as records. Nothing is written,
//! and there are no queries. Changes that still stand in a log beside the file (`-wal`) are not seen.

use crate::problem::Problem;

const MAGIC: &[u8] = b"SQLite format 3\0";
/// Pages of trees of tables: with children, and with rows.
const INNER: u8 = 0x05;
const LEAF: u8 = 0x0d;
/// Trees are not deeper: 2^32 pages have no more levels.
const DEEPEST: usize = 40;

/// Whether a file begins as a database does.
pub(super) fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Nothing,
    Whole(i64),
    Real(f64),
    Text(String),
}

impl Value {
    pub fn whole(&self) -> Option<i64> {
        match self {
            Value::Whole(value) => Some(*value),
            Value::Real(value) if value.fract() == 0.0 => Some(*value as i64),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// What becomes of a row, by its number and its values.
type Take<'t> = &'t mut dyn FnMut(i64, &[Value]) -> Result<(), Problem>;

/// A database.
pub(super) struct Database<'a> {
    bytes: &'a [u8],
    page: usize,
    usable: usize,
}

/// A table: its columns, and the page of its root.
pub(super) struct Columns {
    pub names: Vec<String>,
    root: usize,
}

impl Columns {
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known.eq_ignore_ascii_case(name))
    }
}

fn damaged(what: &str) -> Problem {
    Problem::new("damaged_database", format!("the database is damaged: {what}"))
        .hint("export the report again; copy a database when nothing writes into it")
}

impl<'a> Database<'a> {
    /// # Errors
    /// The header is not one of a database with texts in UTF-8.
    pub fn open(bytes: &'a [u8]) -> Result<Self, Problem> {
        let head =
            bytes.get(..100).filter(|head| head.starts_with(MAGIC)).ok_or_else(|| damaged("its header is cut off"))?;
        let page = match usize::from(head[16]) << 8 | usize::from(head[17]) {
            1 => 65_536,
            size if size >= 512 && size.is_power_of_two() => size,
            _ => return Err(damaged("its pages have no size")),
        };
        if ![0, 1].contains(&head[59]) {
            return Err(Problem::new("not_utf8", "the texts of the database are UTF-16, not UTF-8"));
        }
        let usable = page.checked_sub(usize::from(head[20])).filter(|usable| *usable >= 480);
        Ok(Database { bytes, page, usable: usable.ok_or_else(|| damaged("its pages have no room"))? })
    }

    /// The table of this name.
    ///
    /// # Errors
    /// The list of tables is damaged.
    pub fn table(&self, name: &str) -> Result<Option<Columns>, Problem> {
        let mut found = None;
        self.rows(1, &mut |_, row| {
            if let [kind, own, _, root, sql, ..] = row
                && kind.text() == Some("table")
                && own.text() == Some(name)
            {
                let root = root.whole().and_then(|root| usize::try_from(root).ok());
                found = root.zip(sql.text().map(columns));
            }
            Ok(())
        })?;
        Ok(found.map(|(root, names)| Columns { names, root }))
    }

    /// Gives each row of a table with its number.
    ///
    /// # Errors
    /// The table is damaged, or what `take` gives.
    pub fn each(&self, table: &Columns, take: Take<'_>) -> Result<(), Problem> {
        self.rows(table.root, take)
    }

    fn rows(&self, root: usize, take: Take<'_>) -> Result<(), Problem> {
        // The pages that are still to be read, with their depth; each is read once.
        let mut open = vec![(root, 0)];
        let mut left = self.bytes.len().div_ceil(self.page);
        // Rows do not overlap, so that all together are no longer than the file.
        let mut unread = self.bytes.len();
        while let Some((number, depth)) = open.pop() {
            left =
                left.checked_sub(1).filter(|_| depth <= DEEPEST).ok_or_else(|| damaged("its pages run in a circle"))?;
            let page = self.page(number)?;
            let head = if number == 1 { 100 } else { 0 };
            let wrong = || damaged(&format!("page {number} is none of a table"));
            let kind = *page.get(head).ok_or_else(wrong)?;
            let count = u16_at(page, head + 3).ok_or_else(wrong)?;
            let cells = head + if kind == INNER { 12 } else { 8 };
            let cell = |at: usize| u16_at(page, cells + 2 * at).and_then(|start| page.get(start..)).ok_or_else(wrong);
            match kind {
                INNER => {
                    open.push((u32_at(page, head + 8).ok_or_else(wrong)?, depth + 1));
                    for at in (0..count).rev() {
                        open.push((u32_at(cell(at)?, 0).ok_or_else(wrong)?, depth + 1));
                    }
                }
                LEAF => {
                    for at in 0..count {
                        let cell = cell(at)?;
                        let (size, one) = varint(cell).ok_or_else(wrong)?;
                        let (row, two) = varint(&cell[one..]).ok_or_else(wrong)?;
                        let size = usize::try_from(size).ok().filter(|size| *size <= unread);
                        let size = size.ok_or_else(|| damaged("a row is longer than the rest of the file"))?;
                        unread -= size;
                        let payload = self.payload(&cell[one + two..], size)?;
                        take(row, &record(&payload).ok_or_else(wrong)?)?;
                    }
                }
                _ => return Err(wrong()),
            }
        }
        Ok(())
    }

    fn page(&self, number: usize) -> Result<&'a [u8], Problem> {
        let from = number.checked_sub(1).and_then(|before| before.checked_mul(self.page));
        let page = from.and_then(|from| self.bytes.get(from..from.checked_add(self.page)?));
        page.map(|page| &page[..self.usable]).ok_or_else(|| damaged(&format!("page {number} is cut off")))
    }

    /// The bytes of a record: the first in its cell, the others on pages of their own.
    fn payload(&self, cell: &[u8], size: usize) -> Result<Vec<u8>, Problem> {
        let cut = || damaged("a row is cut off");
        let most = self.usable - 35;
        let least = (self.usable - 12) * 32 / 255 - 23;
        let rest = size.checked_sub(least).map_or(0, |over| least + over % (self.usable - 4));
        let own = match size {
            size if size <= most => size,
            _ if rest <= most => rest,
            _ => least,
        };
        let mut payload = cell.get(..own).ok_or_else(cut)?.to_vec();
        let mut next = if own < size { u32_at(cell, own).ok_or_else(cut)? } else { 0 };
        while payload.len() < size {
            let page = self.page(next)?;
            let take = (size - payload.len()).min(self.usable - 4);
            payload.extend(&page[4..4 + take]);
            next = u32_at(page, 0).ok_or_else(cut)?;
        }
        Ok(payload)
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..at + 2).map(|two| usize::from(two[0]) << 8 | usize::from(two[1]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..at + 4).map(|four| four.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
}

/// Seven bits a byte, the ninth has eight.
fn varint(bytes: &[u8]) -> Option<(i64, usize)> {
    let mut value: u64 = 0;
    for (place, byte) in bytes.iter().take(9).enumerate() {
        if place == 8 {
            return Some(((value << 8 | u64::from(*byte)) as i64, 9));
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value as i64, place + 1));
        }
    }
    None
}

fn record(payload: &[u8]) -> Option<Vec<Value>> {
    let (head, mut at) = varint(payload)?;
    let head = usize::try_from(head).ok()?;
    let mut data = payload.get(head..)?;
    let mut values = Vec::new();
    while at < head {
        let (kind, length) = varint(payload.get(at..head)?)?;
        at += length;
        let size = match kind {
            0 | 8 | 9 => 0,
            1..=4 => kind as usize,
            5 => 6,
            6 | 7 => 8,
            12.. => (kind as usize - 12) / 2,
            _ => return None,
        };
        let (own, rest) = data.split_at_checked(size)?;
        data = rest;
        // Sign and size of a number are those of its bytes.
        let whole = || {
            own.iter().fold(if own.first().is_some_and(|byte| byte & 0x80 != 0) { -1 } else { 0 }, |sum: i64, byte| {
                sum << 8 | i64::from(*byte)
            })
        };
        values.push(match kind {
            1..=6 => Value::Whole(whole()),
            7 => Value::Real(f64::from_bits(whole() as u64)),
            8 | 9 => Value::Whole(kind - 8),
            13.. if kind % 2 == 1 => Value::Text(String::from_utf8_lossy(own).into_owned()),
            _ => Value::Nothing,
        });
    }
    Some(values)
}

/// The names of columns in `CREATE TABLE t (a INTEGER, b TEXT, ..)`.
fn columns(sql: &str) -> Vec<String> {
    let inside = sql.split_once('(').map_or("", |(_, rest)| rest.rsplit_once(')').map_or(rest, |(inside, _)| inside));
    let mut depth = 0;
    let parts = inside.split(|letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    });
    let name =
        |part: &str| part.split_whitespace().next().unwrap_or("").trim_matches(['"', '`', '[', ']', '\'']).to_owned();
    let is_column =
        |name: &String| !["", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "CONSTRAINT"].contains(&name.as_str());
    parts.map(name).filter(is_column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_statement() {
        let sql = "CREATE TABLE \"T\" (start INTEGER NOT NULL, [end] INT, x DECIMAL(10, 2), PRIMARY KEY (start))";
        assert_eq!(columns(sql), ["start", "end", "x"]);
    }

    #[test]
    fn numbers_of_all_widths_are_read() {
        assert_eq!(varint(&[0x81, 0x00]), Some((128, 2)));
        assert_eq!(varint(&[0xff; 9]), Some((-1, 9)));
        let payload = [5, 1, 2, 8, 17, 0xff, 0x01, 0x00, b'h', b'i'];
        let expected = [Value::Whole(-1), Value::Whole(256), Value::Whole(0), Value::Text("hi".into())];
        assert_eq!(record(&payload).expect("a record"), expected);
        assert_eq!(record(&payload[..8]), None);
    }
}
