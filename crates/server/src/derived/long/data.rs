//! Rows of a result's table: as JSON, as CSV, and as columns of bytes.
//!
//! ```text
//! RCT1 | u32: length of the header | header: {"rows","columns":[{"name","type","offset","bytes","nulls"?,"words"?}]}
//!      | the arrays, each at a multiple of 8 from the beginning, little-endian: f8 (8 bytes), dict (4 bytes: a word's place)
//! ```

use super::Long;
use runcast_core::roles::column_index;
use runcast_core::table::ColumnData;
use runcast_core::{Problem, Problems};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Rows that are given at once.
pub const MOST_ROWS: usize = 2_000_000;
/// What columns begin with.
const MAGIC: &[u8] = b"RCT1";

/// What is wanted of a table.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// By name; all where there are none.
    pub columns: Vec<String>,
    /// A column, with `-` before it for falling order.
    pub order: Option<String>,
    pub offset: usize,
    pub limit: usize,
}

/// Some rows and columns of a table.
pub struct Cut<'t> {
    long: &'t Long<'t>,
    columns: Vec<usize>,
    rows: Vec<usize>,
    /// Rows before offset and limit.
    pub total: usize,
}

impl<'t> Cut<'t> {
    /// Cuts them out.
    ///
    /// # Errors
    /// A column that is not there.
    pub fn of(long: &'t Long<'t>, wanted: &Wanted) -> Result<Self, Problems> {
        let table = long.table;
        let columns = match wanted.columns.as_slice() {
            [] => (0..table.columns.len()).collect(),
            names => names.iter().map(|name| column_index(table, name, "columns")).collect::<Result<_, Problem>>()?,
        };
        let mut rows = long.rows.clone();
        if let Some(order) = &wanted.order {
            let name = order.trim_start_matches('-');
            let column = &table.columns[column_index(table, name, "order")?];
            match column.as_numbers() {
                Some(numbers) => rows.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b])),
                None => rows.sort_by_cached_key(|&row| column.cell(row)),
            }
            if order.starts_with('-') {
                rows.reverse();
            }
        }
        let total = rows.len();
        let rows = rows.into_iter().skip(wanted.offset).take(wanted.limit.min(MOST_ROWS)).collect();
        Ok(Cut { long, columns, rows, total })
    }

    /// As JSON: a list of values for each column.
    pub fn json(&self) -> Value {
        let columns = self.columns.iter().map(|&index| {
            let column = &self.long.table.columns[index];
            let values: Vec<Value> = match column.as_numbers() {
                Some(numbers) => self.rows.iter().map(|&row| runcast_core::json::number(numbers[row])).collect(),
                None => self.rows.iter().map(|&row| column.cell(row).into()).collect(),
            };
            json!({ "name": column.name, "values": values })
        });
        json!({ "rows": self.rows.len(), "total": self.total, "columns": columns.collect::<Vec<_>>() })
    }

    /// As CSV, with the cells of the table.
    pub fn csv(&self) -> String {
        let columns = || self.columns.iter().map(|&index| &self.long.table.columns[index]);
        let mut text = line(columns().map(|column| column.name.clone()));
        for &row in &self.rows {
            text.push_str(&line(columns().map(|column| column.cell(row))));
        }
        text
    }

    /// As columns of bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let arrays: Vec<Array> = self.columns.iter().map(|&index| self.array(index)).collect();
        // The header tells where arrays are, which depends on its own length: it is padded to one that it fits.
        let mut start = 8 + 64 * (arrays.len() + 1);
        loop {
            start = start.next_multiple_of(8);
            let header = self.header(&arrays, start);
            if 8 + header.len() <= start {
                let length = u32::try_from(start - 8).unwrap_or(u32::MAX);
                let mut bytes = [MAGIC, &length.to_le_bytes(), header.as_bytes()].concat();
                bytes.resize(start, b' ');
                for array in &arrays {
                    bytes.extend_from_slice(&array.bytes);
                    bytes.resize(bytes.len().next_multiple_of(8), 0);
                }
                return bytes;
            }
            start = 8 + header.len() + 64;
        }
    }

    fn header(&self, arrays: &[Array], start: usize) -> String {
        let mut offset = start;
        let columns = arrays.iter().map(|array| {
            let mut told =
                json!({ "name": array.name, "type": array.kind, "offset": offset, "bytes": array.bytes.len() });
            if array.nulls > 0 {
                told["nulls"] = array.nulls.into();
            }
            if let Some(words) = &array.words {
                told["words"] = json!(words);
            }
            offset += array.bytes.len().next_multiple_of(8);
            told
        });
        let columns: Vec<Value> = columns.collect();
        json!({ "rows": self.rows.len(), "columns": columns }).to_string()
    }

    fn array(&self, index: usize) -> Array {
        let column = &self.long.table.columns[index];
        let name = column.name.clone();
        match &column.data {
            ColumnData::Number(numbers) => {
                let values = || self.rows.iter().map(|&row| numbers[row]);
                let nulls = values().filter(|value| value.is_nan()).count();
                let bytes = values().flat_map(f64::to_le_bytes).collect();
                Array { name, kind: "f8", bytes, nulls, words: None }
            }
            ColumnData::Text { codes, names } => {
                // Only words that occur, in order of appearance.
                let (mut places, mut words) = (HashMap::new(), Vec::new());
                let bytes = self.rows.iter().flat_map(|&row| {
                    let place: u32 = *places.entry(codes.at(row)).or_insert_with(|| {
                        words.push(names[codes.at(row) as usize].clone());
                        words.len() as u32 - 1
                    });
                    place.to_le_bytes()
                });
                let bytes = bytes.collect();
                Array { name, kind: "dict", bytes, nulls: 0, words: Some(words) }
            }
        }
    }
}

/// A column as bytes.
struct Array {
    name: String,
    kind: &'static str,
    bytes: Vec<u8>,
    nulls: usize,
    words: Option<Vec<String>>,
}

/// A line of CSV; cells are quoted where they must be.
fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    cells.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::Table;

    const CSV: &str = "app,p,time_s\n\"a,b\",1,8\nc,2,\nc,4,2\n";

    fn cut<T>(wanted: &Wanted, look: impl FnOnce(&Cut<'_>) -> T) -> T {
        let table = Table::read("t.csv", CSV.as_bytes(), &Default::default()).expect("a table");
        let long = Long::of(&table, None).expect("rows");
        look(&Cut::of(&long, wanted).expect("columns"))
    }

    fn all() -> Wanted {
        Wanted { limit: MOST_ROWS, ..Wanted::default() }
    }

    #[test]
    fn csv_has_the_cells_of_the_table() {
        assert_eq!(cut(&all(), |cut| cut.csv()), CSV);
        let wanted = Wanted { columns: vec!["p".to_owned()], order: Some("-p".to_owned()), limit: 2, ..all() };
        assert_eq!(cut(&wanted, |cut| cut.csv()), "p\n4\n2\n");
        let json = cut(&Wanted { offset: 2, ..wanted }, |cut| cut.json());
        assert_eq!(json, serde_json::json!({"rows": 1, "total": 3, "columns": [{"name": "p", "values": [1]}]}));
    }

    /// What a reader of the format finds, written after its description alone.
    #[test]
    fn columns_are_found_where_the_header_says() {
        let bytes = cut(&all(), |cut| cut.bytes());
        assert_eq!(&bytes[..4], b"RCT1");
        let length = u32::from_le_bytes(bytes[4..8].try_into().expect("four bytes")) as usize;
        let header: Value = serde_json::from_slice(&bytes[8..8 + length]).expect("JSON");
        assert_eq!((&header["rows"], header["columns"].as_array().map(Vec::len)), (&json!(3), Some(3)));
        let array = |index: usize| {
            let column = &header["columns"][index];
            let [offset, size] = ["offset", "bytes"].map(|name| column[name].as_u64().expect("a number") as usize);
            assert_eq!(offset % 8, 0);
            &bytes[offset..offset + size]
        };
        let numbers = |index: usize| -> Vec<f64> {
            array(index).chunks(8).map(|eight| f64::from_le_bytes(eight.try_into().expect("eight bytes"))).collect()
        };
        assert_eq!(numbers(1), [1.0, 2.0, 4.0]);
        let times = numbers(2);
        assert!(times[0] == 8.0 && times[1].is_nan() && times[2] == 2.0);
        assert_eq!(header["columns"][2]["nulls"], 1);
        assert_eq!(header["columns"][0]["words"], json!(["a,b", "c"]));
        assert_eq!(array(0), [0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn unknown_columns_are_refused() {
        let table = Table::read("t.csv", CSV.as_bytes(), &Default::default()).expect("a table");
        let long = Long::of(&table, None).expect("rows");
        for wanted in
            [Wanted { columns: vec!["nope".to_owned()], ..all() }, Wanted { order: Some("-nope".to_owned()), ..all() }]
        {
            assert!(Cut::of(&long, &wanted).is_err(), "{wanted:?}");
        }
    }
}
