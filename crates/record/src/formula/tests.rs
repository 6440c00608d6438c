//! Formulas that sizes of real programs follow, and numbers that follow none.

use super::*;

fn rows(columns: &[&[f64]]) -> Vec<Vec<f64>> {
    (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
}

/// Values of the symbols, values, and the formula as text.
type Case<'a> = (&'a [Vec<f64>], &'a [i64], &'a str);

#[test]
fn sizes_of_programs() {
    let grid = rows(&[&[4.0, 16.0, 16.0, 64.0], &[1_024.0, 1_024.0, 2_048.0, 1_024.0], &[2.0, 4.0, 4.0, 8.0]]);
    let cube = rows(&[&[8.0, 27.0, 64.0, 64.0], &[64.0, 96.0, 128.0, 64.0], &[2.0, 3.0, 4.0, 4.0]]);
    let ragged = rows(&[&[2.0, 3.0, 4.0, 7.0], &[1_000.0; 4]]);
    let names = ["p", "N", "q"];
    let cases: [Case<'_>; 6] = [
        (&grid, &[4_096, 2_048, 4_096, 1_024], "8*N/q"),
        (&grid, &[4_112, 2_064, 4_112, 1_040], "8*N/q + 16"),
        (&cube, &[8_192, 8_192, 8_192, 2_048], "8*N^2/q^2"),
        (&ragged, &[4_000, 2_672, 2_000, 1_144], "8*ceil(N/p)"),
        (&rows(&[&[8.0, 12.0]]), &[32, 48], "4*p"),
        (&grid, &[7, 7, 7, 7], "7"),
    ];
    for (rows, values, expected) in cases {
        let found = exact(rows, values).unwrap_or_else(|| panic!("none for {expected}"));
        assert_eq!(found.text(&names), expected);
        assert!(rows.iter().zip(values).all(|(row, value)| equal(found.at(row), *value)), "{expected}");
    }
    let steps = exact(&rows(&[&[2.0, 4.0, 8.0]]), &[1, 3, 7]).expect("a formula");
    assert_eq!(steps.text(&["q"]), "q - 1");
}

#[test]
fn numbers_without_a_rule_have_none() {
    let grid = rows(&[&[4.0, 16.0, 16.0, 64.0], &[1_024.0, 1_024.0, 2_048.0, 1_024.0], &[2.0, 4.0, 4.0, 8.0]]);
    assert_eq!(exact(&grid, &[149, 151, 158, 160]), None);
    let mut random = runcast_core::random::SplitMix::new(1, 1);
    for _ in 0..300 {
        let values: Vec<i64> = (0..4).map(|_| 1 + random.below(10_000) as i64).collect();
        assert_eq!(exact(&grid, &values), None, "{values:?}");
    }
    assert_eq!(exact(&[], &[]), None);
    assert_eq!(exact(&rows(&[&[0.0, 0.0, f64::NAN]]), &[1, 2, 3]), None);
}
