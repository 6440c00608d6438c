//! What is written reads back the same.

use proptest::prelude::*;
use runcast_core::Table;
use runcast_core::table::{Column, Origin, ReadOptions};

fn table(columns: Vec<Column>) -> Table {
    let rows = columns.first().map_or(0, Column::len);
    let origins = (0..rows).map(|row| Origin { file: 0, line: row as u32 + 2 }).collect();
    Table { columns, origins, ..Table::default() }
}

fn csv(table: &Table) -> Table {
    let mut bytes = Vec::new();
    table.write_csv(&mut bytes).expect("written");
    let options = ReadOptions { format: Some("csv".to_owned()), ..ReadOptions::default() };
    Table::read("x.csv", &bytes, &options)
        .unwrap_or_else(|problems| panic!("{problems}\n{}", String::from_utf8_lossy(&bytes)))
}

fn jsonl(table: &Table) -> Table {
    let mut bytes = Vec::new();
    table.write_jsonl(&mut bytes).expect("written");
    let options = ReadOptions { format: Some("jsonl".to_owned()), ..ReadOptions::default() };
    Table::read("x.jsonl", &bytes, &options).unwrap_or_else(|problems| panic!("{problems}"))
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        1 => Just(f64::NAN),
        4 => any::<f64>().prop_filter("finite", |value| value.is_finite()),
        4 => (-1_000_000i32..1_000_000).prop_map(f64::from),
    ]
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof!["[ -~]{0,12}", "[a,\"\n\r#; é>-]{0,8}", ".{0,6}"]
}

fn columns() -> impl Strategy<Value = Vec<Column>> {
    (1usize..6, 1usize..8).prop_flat_map(|(count, rows)| {
        let one = prop_oneof![
            prop::collection::vec(number(), rows).prop_map(|values| Column::numbers("", values)),
            prop::collection::vec(cell(), rows).prop_map(|mut cells| {
                // Text that could be taken for numbers reads back as numbers.
                cells[0] = format!("text {}", cells[0]);
                Column::text("", cells.iter().map(String::as_str))
            }),
        ];
        let names = prop::collection::hash_set("[ -~é]{0,6}", count)
            .prop_map(|names| names.into_iter().map(|name| format!("n{name}n")).collect::<Vec<_>>());
        (prop::collection::vec(one, count), names).prop_map(|(columns, names)| {
            columns.into_iter().zip(names).map(|(column, name)| Column { name, ..column }).collect()
        })
    })
}

#[test]
fn the_only_column_may_have_blanks_in_its_name_and_cells() {
    for cells in [["text ", ""], ["a b", "c"], ["1 2", "x"]] {
        let table = table(vec![Column::text("n n", cells)]);
        assert_eq!(csv(&table).columns, table.columns);
    }
}

proptest! {
    #[test]
    fn csv_and_jsonl_read_back(columns in columns()) {
        let table = table(columns);
        prop_assert_eq!(&csv(&table).columns, &table.columns);
        prop_assert_eq!(&jsonl(&table).columns, &table.columns);
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in ".{0,200}", start in 0usize..8) {
        let starts = ["", "PARAMETER p\nPOINTS ", "{\"params\":", "{\"results\":[", "{\"benchmarks\":[", "p,time_s\n", "[{\"path\":", "# roles: "];
        let _ = Table::read("x", format!("{}{text}", starts[start]).as_bytes(), &ReadOptions::default());
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let _ = Table::read("x", &bytes, &ReadOptions::default());
    }
}

#[test]
fn awkward_cells_survive() {
    let table = table(vec![
        Column::numbers("a", vec![f64::NAN, 1e300]),
        Column::text("b", ["", "#x, \"y\"\r\nz"]),
        Column::text("only, quotes\"", [" lead", "trail "]),
    ]);
    assert_eq!(csv(&table).columns[1..], table.columns[1..]);
    let single = self::table(vec![Column::numbers("time_s", vec![f64::NAN, 2.0])]);
    assert_eq!(csv(&single).columns, single.columns);
}

#[test]
fn lines_are_those_of_the_file_whatever_is_in_the_cells() {
    let table = crate::read("p,note,time_s\r\n1,\"a\r\nb\",2\r\n\r\n# c\r\n2,x,3\r\n");
    let lines: Vec<u32> = table.origins.iter().map(|origin| origin.line).collect();
    assert_eq!(lines, [2, 6]);
}

#[test]
fn several_files_become_one_table() {
    let files = [
        ("a.csv".to_owned(), b"p,time_s\n1,2\n".to_vec()),
        ("b.csv".to_owned(), b"time_s,p,host\n5,4,n1\n6,x8,n2\n".to_vec()),
    ];
    let table = Table::read_many(&files, &ReadOptions::default()).expect("a table");
    assert_eq!(table.columns[0], Column::text("p", ["1", "4", "x8"]));
    assert_eq!(table.columns[1], Column::numbers("time_s", vec![2.0, 5.0, 6.0]));
    assert_eq!(table.columns[2], Column::text("host", ["", "n1", "n2"]));
    assert_eq!((table.origins.at(2).file, table.origins.at(2).line), (1, 3));
    let files = [("a".to_owned(), b"".to_vec()), ("b".to_owned(), b"p\n".to_vec())];
    assert_eq!(Table::read_many(&files, &ReadOptions::default()).expect_err("errors").0.len(), 2);
}
