//! Tables in Parquet: the same as in CSV, whatever wrote them, and errors for files that are damaged or made to harm.

use crate::large::OnDisk;
use crate::problem_of;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use runcast_core::roles::{TableOptions, roles_of};
use runcast_core::series::{Series, series_of};
use runcast_core::table::{ReadOptions, Source};
use runcast_core::{Problem, Table};
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A file of `testdata/parquet`.
fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/../../testdata/parquet/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn table(name: &str) -> Table {
    Table::read(name, &fixture(name), &ReadOptions::default()).unwrap_or_else(|problems| panic!("{name}: {problems}"))
}

fn cells(table: &Table, name: &str) -> Vec<String> {
    let column = table.column(name).unwrap_or_else(|| panic!("no column {name}"));
    (0..column.len()).map(|row| column.cell(row)).collect()
}

/// The points of all series, without their lines.
fn points(table: &Table) -> Vec<(Vec<f64>, Vec<f64>)> {
    let set = series_of(table, &TableOptions::default()).unwrap_or_else(|problems| panic!("{problems}"));
    let of = |series: &Series| series.points.iter().map(|point| (point.at.clone(), point.values.clone())).collect();
    set.series.iter().flat_map(|series| -> Vec<_> { of(series) }).collect()
}

/// Cells of a table: columns of numbers and of texts, with nulls.
struct Made {
    compression: Compression,
    version: WriterVersion,
    has_dictionary: bool,
    rows_in_group: usize,
    rows: usize,
}

impl Made {
    fn bytes(&self) -> Vec<u8> {
        let schema = "message runs { REQUIRED INT64 p; OPTIONAL DOUBLE time_s; OPTIONAL BYTE_ARRAY host (UTF8); }";
        let schema = Arc::new(parse_message_type(schema).expect("a schema"));
        let properties = WriterProperties::builder()
            .set_compression(self.compression)
            .set_writer_version(self.version)
            .set_dictionary_enabled(self.has_dictionary)
            .set_data_page_row_count_limit(7)
            .set_write_batch_size(7)
            .build();
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).expect("a writer");
        let rows: Vec<usize> = (0..self.rows).collect();
        for rows in rows.chunks(self.rows_in_group) {
            let mut group = writer.next_row_group().expect("a group");
            let mut column = group.next_column().expect("written").expect("p");
            let p: Vec<i64> = rows.iter().map(|row| 1 << (row % 8)).collect();
            column.typed::<Int64Type>().write_batch(&p, None, None).expect("written");
            column.close().expect("closed");
            let mut column = group.next_column().expect("written").expect("time_s");
            let levels: Vec<i16> = rows.iter().map(|row| i16::from(!row.is_multiple_of(5))).collect();
            let given = || rows.iter().filter(|row| !row.is_multiple_of(5));
            let times: Vec<f64> = given().map(|&row| time(row)).collect();
            column.typed::<DoubleType>().write_batch(&times, Some(&levels), None).expect("written");
            column.close().expect("closed");
            let mut column = group.next_column().expect("written").expect("host");
            let hosts: Vec<ByteArray> = given().map(|row| ByteArray::from(host(*row).as_str())).collect();
            column.typed::<ByteArrayType>().write_batch(&hosts, Some(&levels), None).expect("written");
            column.close().expect("closed");
            group.close().expect("closed");
        }
        writer.into_inner().expect("closed")
    }

    fn csv(&self) -> String {
        let row = |row| match row % 5 {
            0 => format!("{},,\n", 1 << (row % 8)),
            _ => format!("{},{},{}\n", 1 << (row % 8), time(row), host(row)),
        };
        format!("p,time_s,host\n{}", (0..self.rows).map(row).collect::<String>())
    }
}

fn time(row: usize) -> f64 {
    0.25 + row as f64 / 7.0
}

fn host(row: usize) -> String {
    format!("node{}", row / 3 % 40)
}

const SMALL: Made = Made {
    compression: Compression::SNAPPY,
    version: WriterVersion::PARQUET_1_0,
    has_dictionary: true,
    rows_in_group: 100,
    rows: 150,
};

#[test]
fn files_of_other_programs_are_the_table_in_csv() {
    let csv = table("runs.csv");
    let roles = roles_of(&csv, &TableOptions::default()).expect("roles");
    for name in
        ["pandas_snappy", "plain_none", "groups_zstd", "v2_gzip", "brotli", "lz4", "int96", "delta", "delta_length"]
    {
        let table = table(&format!("{name}.parquet"));
        assert_eq!(table.columns, csv.columns, "{name}");
        let found = roles_of(&table, &TableOptions::default()).expect("roles");
        assert_eq!(format!("{found:?}"), format!("{roles:?}"), "{name}");
        assert_eq!(points(&table), points(&csv), "{name}");
        assert_eq!(table.warnings, [], "{name}");
    }
    let packed = {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(&fixture("plain_none.parquet")).expect("written");
        writer.finish().expect("finished")
    };
    let table = Table::read("runs.parquet.gz", &packed, &ReadOptions::default()).expect("a table");
    assert_eq!(table.columns, csv.columns);
    assert!(table.origins.iter().map(|origin| origin.line).eq(1..=36));
}

#[test]
fn what_the_crate_writes_is_the_table_in_csv() {
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(Default::default())] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for has_dictionary in [true, false] {
                for rows_in_group in [1000, 9000] {
                    let made = Made { compression, version, has_dictionary, rows_in_group, rows: 9000 };
                    let read = Table::read("runs.parquet", &made.bytes(), &ReadOptions::default()).expect("a table");
                    let csv = Table::read("runs.csv", made.csv().as_bytes(), &ReadOptions::default()).expect("a table");
                    assert_eq!(read.columns, csv.columns);
                }
            }
        }
    }
}

#[test]
fn a_column_of_each_type_is_read() {
    let table = table("kinds.parquet");
    for (name, expected) in [
        ("flag", ["true", "", "false"]),
        ("i8", ["-8", "0", ""]),
        ("u8", ["255", "0", ""]),
        ("u32", ["4000000000", "0", ""]),
        ("u64", ["9223372036854775808", "0", ""]),
        ("f16", ["1.5", "-0.25", ""]),
        ("f32", ["0.1", "3e38", ""]),
        ("f64", ["0.1", "", ""]),
        ("inf", ["1.5", "inf", ""]),
        ("d9", ["1.25", "-0.01", ""]),
        ("d38", ["12345678901234567000", "-0.001", ""]),
        ("d76", ["-2.5", "7", ""]),
        ("day", ["2024-02-29", "1969-12-31", ""]),
        ("clock", ["12:30:00", "23:59:59.5", ""]),
        ("utc", ["2024-05-01T12:30:00.25Z", "1969-01-01T00:00:00Z", ""]),
        ("ns", ["2024-05-01T12:30:00.000000001", "1969-12-31T23:59:59.999999999", ""]),
        ("text", ["Köln", "", ""]),
        ("kind", ["a", "b", ""]),
        ("bytes", ["abc", "", ""]),
        ("fixed", ["ab", "cd", ""]),
        ("none", ["", "", ""]),
        ("large", ["x", "y", ""]),
    ] {
        let cells = cells(&table, name);
        let same = |(cell, expected): (&String, &&str)| {
            cell == expected || cell.parse::<f64>().is_ok_and(|cell| expected.parse() == Ok(cell))
        };
        assert!(cells.iter().zip(&expected).all(same), "{name}: {cells:?}");
    }
}

#[test]
fn the_index_of_a_data_frame_is_no_input() {
    let (table, csv) = (table("pandas_index.parquet"), table("runs.csv"));
    assert_eq!(table.columns.last().expect("columns").name, "__index_level_0__");
    assert_eq!(points(&table).len(), points(&csv).len());
    let roles = roles_of(&table, &TableOptions::default()).expect("roles");
    assert_eq!(roles.parameters.len(), 2, "{roles:?}");
    assert!(
        series_of(&table, &TableOptions::default()).expect("series").warnings.len() <= 1,
        "only that rows lack a time"
    );
}

#[test]
fn what_a_table_cannot_hold_is_refused_by_name() {
    for (name, code, part) in [
        ("nested_list", "nested_column", "\"times\""),
        ("nested_struct", "nested_column", "\"node\""),
        ("bytes", "binary_column", "\"raw\""),
        ("duration", "duration_column", "\"wall\""),
        ("no_rows", "empty_table", "no runs"),
    ] {
        let problem = problem_of(&fixture(&format!("{name}.parquet")));
        assert_eq!(problem.code, code, "{name}: {problem:?}");
        assert!(problem.message.contains(part) && problem.file.is_some(), "{name}: {problem:?}");
    }
}

#[test]
fn a_text_may_begin_with_the_same_letters() {
    let table = Table::read("runs.csv", b"PAR1,time_s\n1,2\n2,1\n", &ReadOptions::default()).expect("a table");
    assert_eq!(table.columns[0].name, "PAR1");
    let options = |format: &str| ReadOptions { format: Some(format.to_owned()), ..ReadOptions::default() };
    let problem = |bytes: &[u8], format| -> Problem {
        Table::read("runs", bytes, &options(format)).expect_err("an error").0.remove(0)
    };
    assert_eq!(problem(&SMALL.bytes(), "csv").code, "not_utf8");
    assert_eq!(problem(b"p,time_s\n1,2\n", "parquet").message, "the file is not Parquet");
    assert!(Table::read("runs", &SMALL.bytes(), &options("parquet")).is_ok());
}

#[test]
fn a_table_that_does_not_fit_says_what_it_needs() {
    let made = Made { rows: 200_000, rows_in_group: 50_000, ..SMALL };
    let bytes = made.bytes();
    let problem = |memory: u64, source: &dyn Source| {
        let read =
            Table::read_from("runs.parquet", source, &ReadOptions { memory: Some(memory), ..Default::default() });
        read.err().map(|problems| problems.0[0].clone())
    };
    let size = bytes.len() as u64;
    assert_eq!(problem(size + 3_000_000, &bytes), None);
    // The times take 1.6 MB, the other columns 0.2 MB each, and the longest page, a list of times, 0.3 MB.
    let refused = problem(size + 1_900_000, &bytes).expect("too large");
    assert_eq!((refused.code.as_str(), refused.file.as_deref()), ("out_of_memory", Some("runs.parquet")));
    let needed = format!("the table needs about {:.0} MB of memory", (size as f64 + 2.32e6) / 1e6);
    assert!(refused.message.starts_with(&needed), "{refused:?}");
    let on_disk = OnDisk(bytes);
    assert_eq!(problem(3 * size, &on_disk), None);
    assert_eq!(problem(size, &on_disk).expect("too large").code, "out_of_memory");
}

/// Reads a damaged file: an error names the file, and whatever is read has as many cells in each column.
fn survives(bytes: &[u8]) -> bool {
    match Table::read("runs.parquet", bytes, &ReadOptions { memory: Some(1 << 30), ..ReadOptions::default() }) {
        Ok(table) => {
            assert!(table.columns.iter().all(|column| column.len() == table.columns[0].len()));
            true
        }
        Err(problems) => {
            assert!(problems.0.iter().all(|problem| problem.file.as_deref() == Some("runs.parquet")), "{problems}");
            false
        }
    }
}

#[test]
fn a_file_that_ends_early_is_refused() {
    let bytes = SMALL.bytes();
    for length in 5..bytes.len() {
        assert!(!survives(&bytes[..length]), "{length}");
    }
}

#[test]
fn damaged_files_are_refused_or_read() {
    let names = [
        "pandas_snappy",
        "plain_none",
        "groups_zstd",
        "v2_gzip",
        "brotli",
        "lz4",
        "int96",
        "delta",
        "delta_length",
        "kinds",
    ];
    let files: Vec<Vec<u8>> = names.iter().map(|name| fixture(&format!("{name}.parquet"))).collect();
    // Steps of a generator with a fixed seed, so that each run is the same.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |most: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % most as u64) as usize
    };
    let begun = Instant::now();
    let (mut rounds, mut refused) = (0, 0);
    while rounds < 20_000 && begun.elapsed() < Duration::from_secs(40) {
        let mut bytes = files[rounds % files.len()].clone();
        for _ in 0..=next(3) {
            let at = 4 + next(bytes.len() - 4);
            bytes[at] = if next(2) == 0 { bytes[at] ^ (1 << next(8)) } else { next(256) as u8 };
        }
        refused += usize::from(!survives(&bytes));
        rounds += 1;
    }
    assert!(refused > rounds / 10, "{refused} of {rounds}");
}
