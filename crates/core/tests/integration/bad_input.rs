//! Inputs that are wrong: what is said about each.

use crate::problem_of;
use runcast_core::roles::TableOptions;
use runcast_core::series::series_of;
use runcast_core::table::ReadOptions;
use runcast_core::{Problem, Table};

/// What is wrong with a file, whether reading it or assigning roles finds out.
fn wrong(bytes: &[u8]) -> Problem {
    match Table::read("runs", bytes, &ReadOptions::default()) {
        Err(problems) => problems.0.into_iter().next().expect("a problem"),
        Ok(table) => series_of(&table, &TableOptions::default()).expect_err("an error").0.remove(0),
    }
}

#[test]
fn every_mistake_is_named_with_its_line() {
    let cases: &[(&str, &str, Option<u64>, &str)] = &[
        // text, code, line, part of the message
        ("", "empty_table", None, "empty"),
        ("\n\n  \n", "empty_table", None, "empty"),
        ("\u{feff}", "empty_table", None, "empty"),
        ("# only a comment\n", "empty_table", None, "no header"),
        ("p,time_s\n", "empty_table", Some(1), "a header and no rows"),
        ("\"p\",\"nodes\",\"time_s\"\n1 1 8.5\n2 1 4.4\n", "empty_table", Some(2), "the header has 3 cells"),
        ("8,1.5\n", "missing_header", Some(1), "numbers where the names"),
        ("8,1\n16,2\n", "no_metric", None, "no column is a metric"),
        ("p,p,time_s\n1,2,3\n", "duplicate_column", Some(1), "\"p\" names both column 1 and column 2"),
        ("p,,time_s\n0,1,2\n", "empty_column_name", Some(1), "column 2 has no name"),
        ("p,time_s\n1,2\n\n# note\n4,5,6\n", "field_count", Some(5), "3 cells where the header has 2"),
        ("p,time_s\r\n1,2\r\n4\r\n", "field_count", Some(3), "1 cell where the header has 2"),
        ("p,time_s\n\"1,2\n4,5\n", "unclosed_quote", Some(2), "never closed"),
        ("p,time_s\n\"a\nb\"c,5\n", "text_after_quote", Some(3), "after the closing quote"),
        ("p,note,time_s\n1,\"a\nb\",2\n2,c,\"3,5\"\n", "not_a_number", Some(4), "\"3,5\" is not a number"),
        ("p,time_s\n1,1\n2,nan\n", "not_a_number", Some(3), "\"nan\""),
        ("p,time_s\n1,inf\n2,1\n", "not_a_number", Some(2), "\"inf\""),
        ("p,time_s\n1,1e999\n2,1\n", "not_a_number", Some(2), "1e999 is too large"),
        ("p,time_s\n1,-Infinity\n", "not_a_number", Some(2), "\"-Infinity\""),
        ("p,time_s\n0x10,1\n2,1\n", "not_a_number", Some(2), "\"0x10\""),
        ("p,time_s\n1_000,1\n2,1\n", "not_a_number", Some(2), "\"1_000\""),
        ("p,time_s\nabc,1\n2,1\n4,1\n", "not_a_number", Some(2), "\"abc\""),
        ("N,time_s\n1,1\n2,1\n\"3,5\",1\n", "not_a_number", Some(4), "\"3,5\""),
        ("N,time_s\n\"1,5\",1\n\"3,5\",1\n", "not_a_number", Some(2), "\"1,5\""),
        ("p,time_s\n1,fast\n2,1\n", "not_a_number", Some(2), "\"fast\""),
        ("p,time_s\n,1\n2,1\n", "missing_parameter", Some(2), "\"p\" has no value"),
        ("p,time_s\n1,\n2,\n", "empty_table", None, "no row has a value of time_s"),
        ("p,x\n1,2\n", "no_metric", None, "no column is a metric"),
        ("# roles: {\"params\":1}\np,time_s\n1,2\n", "roles", Some(1), "no list of names"),
        ("# roles: {nonsense\np,time_s\n1,2\n", "roles", Some(1), "is not JSON"),
        // Extra-P text
        ("PARAMETER p\nPOINTS 1 2\nDATA 1\nDATA 3,5\n", "not_a_number", Some(4), "\"3,5\" is not a number"),
        ("PARAMETER p\nPOINTS 1 2\nDATA 1\nDATA 2\nDATA 3\n", "data_count", Some(5), "line 3 for 2 points"),
        ("PARAMETER p\nPOINTS 1 2\nREGION a\nDATA 1\nREGION b\n", "data_count", Some(5), "1 DATA line for 2 points"),
        ("PARAMETER p\nPOINTS 1 2\nREGION a\n\nDATA 1\n", "data_count", Some(5), "1 DATA line for 2 points"),
        ("POINTS 1 2\nPARAMETER p\n", "order", Some(1), "POINTS precedes PARAMETER"),
        ("PARAMETER p\nDATA 1\n", "order", Some(2), "precedes POINTS"),
        ("DATA 1\n", "order", Some(1), "precedes PARAMETER and POINTS"),
        ("PARAMETER p\nPOINTS (1 2)\n", "dimension", Some(2), "a point has 2 values"),
        ("PARAMETER p q\nPOINTS 1 2\n", "dimension", Some(2), "need parentheses"),
        ("PARAMETER p\nPOINTS 1 2\nDATEN 1\n", "unknown_keyword", Some(3), "\"DATEN\""),
        ("PARAMETER p\nPOINTS 1 inf\n", "not_a_number", Some(2), "\"inf\""),
        ("PARAMETER p p\n", "duplicate_parameter", Some(1), "named twice"),
        ("PARAMETER a b c d e f g h i\n", "parameter_count", Some(1), "9 parameters"),
        ("PARAMETER p\n", "empty_table", Some(1), "no DATA"),
        ("PARAMETER rep\nPOINTS 1\nDATA 1\n", "duplicate_column", Some(3), "\"rep\" names two columns"),
        // JSON
        ("{\"p\":1,\"time_s\":2}\n{\"p\":NaN,\"time_s\":2}\n", "not_a_number", Some(2), ""),
        ("{\"p\":1,\"time_s\":2}\n{\"p\":1e999,\"time_s\":2}\n", "json", Some(2), "out of range"),
        ("{\"p\":1,\"time_s\":2}\n{\"p\":[1],\"time_s\":2}\n", "field", Some(2), "holds a list"),
        ("{\"p\":1,\"time_s\":2}\n{\"p\":1,\"p\":2}\n", "duplicate_column", Some(2), "twice"),
        ("{\"p\":1,\"time_s\":2}\n{\"p\":\n", "json", Some(2), ""),
        ("{\"p\":1,\"time_s\":\"2\"}\n", "not_a_number", Some(1), "is a text"),
        ("{\"p\":\"4\",\"time_s\":2}\n", "not_a_number", Some(1), "is a text"),
        ("{\"kind\":\"fit\",\"version\":1}", "not_a_table", None, "kind \"fit\""),
        (
            "{\"parameters\":[\"p\"],\"measurements\":{\"a\":{\"t\":[{\"point\":[1],\n\"values\":[null,\"x\"]}]}}}",
            "not_a_number",
            Some(1),
            "\"x\"",
        ),
        ("{\"parameters\":[],\"measurements\":{}}", "field", Some(1), "list of parameter names"),
        (
            "{\"params\":{\"x\":1},\"value\":2}\n{\"params\":{\"x\":\"1,5\"},\"value\":2}\n",
            "not_a_number",
            Some(2),
            "\"1,5\"",
        ),
        ("{\"parameters\":{\"x\":1};\"value\":2}\n{\"parameters\":{\"x\":1};\"value\"}\n", "json", Some(2), ""),
        ("{\"results\":[\n{\"command\":\"a\"}]}", "missing_field", Some(2), "neither \"times\" nor"),
        ("{\"results\":[{\"command\":\"a\",\"times\":[1],\"exit_codes\":[1]}]}", "empty_table", None, "no run is left"),
        ("{\"benchmarks\":[\n\n{\"run_name\":\"a\",\"real_time\":\"x\"}]}", "not_a_number", Some(3), "\"x\""),
        ("{\"benchmarks\":[]}", "empty_table", None, "no runs"),
        ("[{\"path\":\"a\",\"x#y\":1}]", "no_parameter", None, "which attribute"),
        ("{\"columns\":[\"path\"],\"data\":[[0,1]],\"nodes\":[]}", "field_count", Some(1), "2 values"),
    ];
    for (text, code, line, message) in cases {
        let problem = wrong(text.as_bytes());
        assert_eq!(problem.code, *code, "{text:?}: {problem}");
        assert_eq!(problem.line, *line, "{text:?}: {problem}");
        assert!(problem.message.contains(message), "{text:?}: {problem}");
        let of_option = problem.pointer.as_deref().is_some_and(|pointer| pointer.starts_with("--"));
        assert!(of_option || problem.file.as_deref() == Some("runs"), "{text:?}: {problem}");
    }
}

#[test]
fn hints_say_what_to_do() {
    for (text, hint) in [
        ("p,time_s\n1,\"3,5\"\n2,1\n", "write 3.5"),
        ("N,time_s\n1,1\n2,1\n12abc,1\n", "--by N"),
        ("p,time_s\n1,3,5\n", "decimal point"),
        ("PARAMTER p\nPOINTS 1\nDATA 1\n", "did you mean PARAMETER?"),
        ("p,time_s\n1,12 parsecs\n", "time_ms"),
    ] {
        let problem = wrong(text.as_bytes());
        assert!(problem.hint.as_deref().is_some_and(|found| found.contains(hint)), "{text:?}: {problem}");
    }
}

#[test]
fn a_column_that_is_meant_as_label_can_be_one() {
    let table = crate::read("N,p,time_s\n1,1,1\n2,1,1\n12abc,1,1\n");
    let options = TableOptions { by: Some(vec!["N".to_owned()]), ..TableOptions::default() };
    assert_eq!(series_of(&table, &options).expect("series").series.len(), 3);
    let versions = crate::read("version,p,time_s\n1,1,1\n1.2.3,1,1\n");
    assert_eq!(series_of(&versions, &TableOptions::default()).expect("series").series.len(), 2);
}

#[test]
fn other_encodings_are_named() {
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("p,time_s\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    for (bytes, message) in [
        (utf16.as_slice(), "UTF-16"),
        (&utf16[2..], "UTF-16"),
        (b"p,time_s\n1,2\n\xe4,2\n".as_slice(), "0xe4"),
        (b"PK\x03\x04".as_slice(), "ZIP"),
    ] {
        let problem = problem_of(bytes);
        assert_eq!(problem.code, "not_utf8");
        assert!(problem.message.contains(message) && problem.hint.is_some(), "{problem}");
    }
    assert_eq!(problem_of(b"p,time_s\n1,2\n\xe4,2\n").line, Some(3));
}

#[test]
fn line_ends_and_marks_do_not_matter() {
    let plain = crate::read("p,time_s\n1,2\n2,3\n");
    for text in [
        "\u{feff}p,time_s\r\n1,2\r\n2,3\r\n",
        "p,time_s\n1,2\n2,3",
        "# x\n\np, time_s\n1, 2\n\n2,3\n#",
        "\"p\",\"time_s\"\n\"1\",2\n2,3\r\n",
    ] {
        assert_eq!(crate::read(text).columns, plain.columns, "{text:?}");
    }
}

#[test]
fn nesting_and_long_names_do_no_harm() {
    let deep = "[".repeat(100_000);
    assert_eq!(problem_of(deep.as_bytes()).code, "json");
    let deep = format!("{{\"p\":{}", "{\"a\":".repeat(100_000));
    assert_eq!(problem_of(deep.as_bytes()).code, "json");
    let name = "x\"; -> é".repeat(1200);
    let quoted = name.replace('"', "\"\"");
    let table = crate::read(&format!("region,p,time_s\n\"{quoted}\",1,2\n\"{quoted}\",2,3\n"));
    let set = series_of(&table, &TableOptions::default()).expect("series");
    assert_eq!(set.series[0].group["region"], name);
    let problem = problem_of(format!("{name},{name}\n1,2\n").as_bytes());
    assert_eq!(problem.code, "duplicate_column");
    assert!(problem.to_string().len() < 1000);
}

#[test]
fn one_configuration_is_a_series_with_one_point() {
    let set = series_of(&crate::read("p,time_s\n1,2\n1,2\n"), &TableOptions::default()).expect("series");
    assert_eq!((set.series[0].points.len(), set.summary.configurations), (1, 1));
}

#[test]
fn the_delimiter_can_be_chosen() {
    let options = ReadOptions { delimiter: Some(';'), ..ReadOptions::default() };
    let table = Table::read("x", b"p;time_s;note\n1;2;a,b\n2;3.5,1;c\n", &options).expect("a table");
    let problem = series_of(&table, &TableOptions::default()).expect_err("an error").0.remove(0);
    assert_eq!((problem.code.as_str(), problem.line), ("not_a_number", Some(3)));
    let options = ReadOptions { delimiter: Some('é'), ..ReadOptions::default() };
    assert_eq!(Table::read("x", b"p\n1\n", &options).expect_err("an error").0[0].code, "delimiter");
}
