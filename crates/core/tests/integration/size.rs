//! Large inputs: what grows, grows with the file.

use runcast_core::roles::TableOptions;
use runcast_core::series::series_of;
use runcast_core::{Table, table::ReadOptions};
use std::fmt::Write;

#[test]
fn a_hundred_thousand_regions_are_read() {
    let mut text = String::from("region,p,time_s\n");
    for region in 0..100_000 {
        for p in [8, 16] {
            writeln!(text, "main->{region},{p},{region}.5").expect("written");
        }
    }
    let table = crate::read(&text);
    let set = series_of(&table, &TableOptions::default()).expect("series");
    assert_eq!(set.series.len(), 100_000);
    assert_eq!(set.series[99_999].points[1].values, [99_999.5]);
}

#[test]
fn text_that_comes_late_is_still_text() {
    let mut text = String::from("label,p,time_s\n");
    (0..1000).for_each(|row| writeln!(text, "{row},1,2").expect("written"));
    text.push_str("none,1,2\nall,1,2\n");
    let table = crate::read(&text);
    assert_eq!(table.columns[0].cell(0), "0");
    assert_eq!(table.columns[0].cell(1001), "all");
}

#[test]
fn rows_that_bring_columns_of_their_own_are_refused_in_time() {
    let mut text = String::new();
    (0..20_000).for_each(|row| writeln!(text, "{{\"k{row}\":1}}").expect("written"));
    let problem = Table::read("x", text.as_bytes(), &ReadOptions::default()).expect_err("an error").0.remove(0);
    assert_eq!(problem.code, "too_large");
    let mut text = String::from("PARAMETER p\nPOINTS 1\n");
    (0..20_000).for_each(|row| writeln!(text, "METRIC m{row}\nREGION r{row}\nDATA 1").expect("written"));
    let problem = Table::read("x", text.as_bytes(), &ReadOptions::default()).expect_err("an error").0.remove(0);
    assert_eq!(problem.code, "too_large");
}
