//! Tables that are read a block at a time: the same result as from memory, whatever stands where two blocks meet.

use runcast_core::table::{ReadOptions, Source};
use runcast_core::{Problems, Table};
use std::io::{self, Read, Write};

/// Bytes that are never given as a whole.
pub struct OnDisk(pub Vec<u8>);

impl Source for OnDisk {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.0.as_slice()))
    }

    fn size(&self) -> u64 {
        self.0.len() as u64
    }
}

fn both(text: &str) -> [Result<Table, Problems>; 2] {
    let options = ReadOptions::default();
    let streamed = Table::read_from("runs.csv", &OnDisk(text.as_bytes().to_vec()), &options);
    [Table::read("runs.csv", text.as_bytes(), &options), streamed]
}

fn same_table(text: &str) -> Table {
    assert!(text.len() > 2 << 20, "several blocks: {}", text.len());
    let [whole, streamed] = both(text).map(|table| table.expect("a table"));
    assert_eq!(whole.columns, streamed.columns);
    assert!(whole.origins == streamed.origins);
    assert_eq!(
        (whole.roles, whole.warnings, whole.wide),
        (streamed.roles.clone(), streamed.warnings.clone(), streamed.wide.clone())
    );
    streamed
}

/// Rows of a table, of a length that differs from row to row.
fn rows(count: usize, row: impl Fn(usize) -> String) -> String {
    (0..count).map(row).collect()
}

#[test]
fn numbers_and_texts_are_those_of_the_whole() {
    let row =
        |k: usize| format!("{},{},k{},{},{}\n", 1 << (k % 11), 64 * (k % 300), k % 7, k % 5, 0.1 + k as f64 / 7.0);
    same_table(&format!("nprocs,size,kernel,rep,time_s\n{}", rows(150_000, row)));
    same_table(&format!("\u{feff}nprocs,size,kernel,rep,time_s\r\n{}", rows(150_000, row).replace('\n', "\r\n")));
    same_table(format!("nprocs,size,kernel,rep,time_s\n{}", rows(150_000, row)).trim_end());
}

#[test]
fn quoted_cells_may_reach_from_block_to_block() {
    let row = |k: usize| format!("{k},\"a note\nof {} lines, \"\"quoted\"\"\n\",{}\n", "x\n".repeat(k % 40), k % 3);
    let table = same_table(&format!("p,note,time_s\n{}", rows(60_000, row)));
    assert_eq!(table.rows(), 60_000);
    let long = format!("8,\"{}\",1.5\n", "line\n".repeat(700_000));
    let table = same_table(&format!("p,note,time_s\n{}{long}{}", rows(9, row), rows(90, row)));
    assert_eq!(table.rows(), 100);
}

#[test]
fn columns_that_turn_out_to_be_text_are_read_again() {
    let row = |k: usize| {
        let version = if k == 140_000 { "1.2.3".to_owned() } else { format!("1.{}0", k % 10) };
        format!("{},{version},{}\n", k % 64, k % 977)
    };
    let table =
        same_table(&format!("p,version,time_s\n{}p,version,time_s\n{}", rows(150_000, row), rows(100_000, row)));
    assert_eq!((table.columns[1].cell(3), table.columns[1].cell(140_000)), ("1.30".to_owned(), "1.2.3".to_owned()));
    assert!(table.warnings.iter().any(|warning| warning.code == "repeated_header"));
}

#[test]
fn comments_and_units_are_found() {
    let row = |k: usize| format!("{},{},{}\n", k % 64, 10 + k % 50, 5 + k % 977);
    let comments = "# a long preamble\n".repeat(80_000);
    let roles = "# roles: {\"params\":[\"p\",\"work\"],\"metrics\":[\"t\"],\"units\":{\"t\":\"ms\"}}\n";
    let table = same_table(&format!("p,work,t\n{}{roles}{}", rows(150_000, row), rows(150_000, row)));
    assert_eq!(table.roles.expect("declared").metrics, ["t"]);
    let table = same_table(&format!("{comments}p,work,t\n-,-,ms\n{}", rows(250_000, row)));
    assert_eq!(table.columns[2].name, "t [ms]");
}

#[test]
fn packed_tables_are_read_a_block_at_a_time() {
    let row = |k: usize| format!("{},{},{}\n", k % 64, k, 0.5 + k as f64);
    let text = format!("p,N,time_s\n{}", rows(200_000, row));
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(text.as_bytes()).expect("written");
    let packed = writer.finish().expect("finished");
    let whole = Table::read("runs.csv", text.as_bytes(), &ReadOptions::default()).expect("a table");
    let table = Table::read("runs.csv", &packed, &ReadOptions::default()).expect("a table");
    assert_eq!(table.columns, whole.columns);
    let cut = Table::read("runs.csv", &packed[..packed.len() - 9], &ReadOptions::default());
    assert_eq!(cut.expect_err("damaged").0[0].code, "gzip");
}

#[test]
fn errors_are_those_of_the_whole() {
    let row = |k: usize| format!("{},{},{}\n", k % 64, k, 0.5 + k as f64);
    let start = format!("p,N,time_s\n{}", rows(200_000, row));
    for (end, code) in
        [("1,2\n", "field_count"), ("1,\"2,3\n4,5,6\n", "unclosed_quote"), ("1,\"2\"x,3\n", "text_after_quote")]
    {
        let [whole, streamed] = both(&format!("{start}{end}{}", rows(100, row))).map(|table| table.expect_err("wrong"));
        assert_eq!(whole, streamed);
        assert_eq!((streamed.0[0].code.as_str(), streamed.0[0].line), (code, Some(200_002)));
    }
    // What is no text is said first, wherever it stands.
    let mut bytes = format!("p,time_s\n1\n{start}").into_bytes();
    bytes.extend(b"f\xfcr,1,2\n");
    let whole = Table::read("runs.csv", &bytes, &ReadOptions::default()).expect_err("not UTF-8");
    let streamed = Table::read_from("runs.csv", &OnDisk(bytes), &ReadOptions::default()).expect_err("not UTF-8");
    assert_eq!(whole, streamed);
    assert_eq!(streamed.0[0].code, "not_utf8");
}

#[test]
fn a_table_that_does_not_fit_says_what_it_needs() {
    let row = |k: usize| format!("{},{},{}\n", k % 64, k, 0.5 + k as f64 / 3.0);
    let text = format!("p,N,time_s\n{}", rows(200_000, row));
    let options = ReadOptions { memory: Some(2_000_000), ..ReadOptions::default() };
    let problems = Table::read_from("runs.csv", &OnDisk(text.into_bytes()), &options).expect_err("too large");
    let message = &problems.0[0].message;
    assert_eq!(problems.0[0].code, "out_of_memory");
    // Two columns of eight bytes and one of one byte.
    assert_eq!(message, "the table needs about 3 MB of memory, and 2 MB are free", "{problems}");
    let json = format!("[{}]", vec!["{\"p\":1,\"time_s\":2}"; 100_000].join(","));
    let problems = Table::read_from("runs.json", &OnDisk(json.into_bytes()), &options).expect_err("too large");
    assert_eq!(problems.0[0].code, "out_of_memory");
}
