//! rho against closed forms, and against the growth of powers.

use super::*;
use proptest::prelude::*;
use runcast_core::random::SplitMix;

type Rows = Vec<Vec<(usize, f64)>>;

fn near(rows: &Rows, expected: f64, tolerance: f64) {
    let gap = gap(rows);
    assert!(gap.width() <= 1e-12, "{gap:?}");
    assert!((gap.middle() - expected).abs() <= tolerance, "{gap:?} {expected}");
}

fn dense(rows: &[&[f64]]) -> Rows {
    rows.iter().map(|row| row.iter().copied().enumerate().filter(|(_, value)| *value != 0.0).collect()).collect()
}

/// Jacobi on the line: off-diagonals 1/2, rho = cos(pi/(n+1)).
fn line(size: usize, value: f64) -> Rows {
    let neighbors = |i: usize| [i.wrapping_sub(1), i + 1].into_iter().filter(move |j| *j < size);
    (0..size).map(|i| neighbors(i).map(|j| (j, value)).collect()).collect()
}

#[test]
fn closed_forms() {
    for size in [2, 3, 10, 100, 1000, 20_000] {
        let angle = std::f64::consts::PI / (size as f64 + 1.0);
        // 1 - cos(x) = 2 sin(x/2)^2, without cancellation.
        let expected = 2.0 * (0.5 * angle).sin().powi(2);
        near(&line(size, 0.5), expected, 3e-16 + 1e-13 * expected);
        near(&line(size, -0.5), expected, 3e-16 + 1e-13 * expected);
    }
    // A cycle of period 3: the cube root of the product.
    near(&dense(&[&[0.0, 0.5, 0.0], &[0.0, 0.0, 0.4], &[0.1, 0.0, 0.0]]), 1.0 - 0.02_f64.cbrt(), 1e-15);
    // Reducible: the largest block counts, whatever leads from one to the other.
    near(&dense(&[&[0.3, 9.0, 9.0], &[0.0, 0.2, 0.5], &[0.0, 0.5, 0.2]]), 0.3, 1e-15);
    // Nilpotent.
    near(&dense(&[&[0.0, 5.0], &[0.0, 0.0]]), 1.0, 0.0);
    // The diagonal alone, exactly.
    near(&dense(&[&[-0.5, 0.0], &[0.0, 0.999_999_999_999]]), 1.0 - 0.999_999_999_999, 0.0);
    near(&dense(&[&[2.0, 1.0], &[1.0, 2.0]]), -2.0, 1e-15);
}

/// Close to 1 the gap counts, not rho: a stochastic matrix times 1 - 1e-9.
#[test]
fn a_small_gap_is_right() {
    let mut random = SplitMix::new(2, 2);
    let rows: Rows = (0..40)
        .map(|_| {
            let weights: Vec<f64> = (0..40).map(|_| random.uniform()).collect();
            let sum: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / sum * (1.0 - 1e-9)).enumerate().collect()
        })
        .collect();
    let gap = gap(&rows);
    assert!((gap.middle() / 1e-9 - 1.0).abs() < 1e-6, "{gap:?}");
}

#[test]
fn large_components_are_iterated() {
    // Too wide for an elimination: a ring with random chords, rows summing to 0.9.
    let mut random = SplitMix::new(4, 4);
    let size = 30_000;
    let rows: Rows = (0..size)
        .map(|i| {
            let mut columns = vec![(i + 1) % size];
            columns.extend((0..4).map(|_| random.below(size)));
            columns.into_iter().map(|column| (column, 0.18)).collect()
        })
        .collect();
    near(&rows, 0.1, 1e-12);
}

/// Jacobi for the five-point formula on a square: rho = cos(pi/(side+1)), of a component with period 2.
#[test]
fn a_small_gap_is_found_by_iteration_too() {
    let side = 40;
    let (size, mut rows) = (side * side, Vec::new());
    for at in 0..size {
        let (i, j) = (at / side, at % side);
        let mut row = Vec::new();
        row.extend((i > 0).then(|| (at - side, 0.25)));
        row.extend((j > 0).then(|| (at - 1, 0.25)));
        row.extend((j + 1 < side).then_some((at + 1, 0.25)));
        row.extend((i + 1 < side).then_some((at + side, 0.25)));
        rows.push(row);
    }
    let members: Vec<usize> = (0..size).collect();
    let gap = Component::new(&rows, &members).by_iteration();
    let expected = 2.0 * (0.5 * std::f64::consts::PI / (side as f64 + 1.0)).sin().powi(2);
    assert!(gap.width() < 1e-12 && (gap.middle() - expected).abs() < 1e-12, "{gap:?} {expected}");
}

#[test]
fn values_of_very_different_size_are_no_trouble() {
    near(&dense(&[&[0.0, 1e-90], &[1e90, 0.0]]), 0.0, 1e-15);
    near(&dense(&[&[0.5, 1e-100], &[1e-100, 0.25]]), 0.5, 1e-15);
    // A Jacobi iteration for a flow: the eigenvector grows by sqrt(0.7/0.3) a row, to 10^552.
    let mut flow = line(3000, 0.3);
    for (row, entries) in flow.iter_mut().enumerate() {
        entries.iter_mut().filter(|(column, _)| *column > row).for_each(|(_, value)| *value = 0.7);
    }
    near(&flow, 1.0 - 2.0 * 0.21_f64.sqrt() * (std::f64::consts::PI / 3001.0).cos(), 1e-13);
    let mut chain = line(200, 1e-3);
    for (row, entries) in chain.iter_mut().enumerate() {
        entries.iter_mut().for_each(|(column, value)| *value = if *column > row { 100.0 } else { 1e-6 });
    }
    // D T D^-1 of the symmetric line with sqrt(100e-6) = 0.01 off the diagonal.
    near(&chain, 1.0 - 0.02 * (std::f64::consts::PI / 201.0).cos(), 1e-14);
}

/// Against the obvious way: squaring (|M| + I)/2 many times and the growth of its norm.
fn by_squaring(rows: &Rows) -> f64 {
    let size = rows.len();
    let mut power = vec![vec![0.0; size]; size];
    for (i, row) in rows.iter().enumerate() {
        power[i][i] += 1.0;
        row.iter().for_each(|(j, value)| power[i][*j] += value.abs());
    }
    let mut log = 0.0;
    let doublings = 50;
    for step in 0..doublings {
        let norm = power.iter().flatten().copied().fold(0.0, f64::max);
        log += norm.ln() / 2_f64.powi(step);
        power.iter_mut().flatten().for_each(|entry| *entry /= norm);
        let square = |i: usize| (0..size).map(|j| (0..size).map(|k| power[i][k] * power[k][j]).sum()).collect();
        power = (0..size).map(square).collect();
    }
    1.0 - (log.exp() - 1.0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn as_found_by_squaring(entries in prop::collection::vec((0_usize..7, 0_usize..7, -1.0_f64..1.0), 0..25)) {
        let mut rows: Rows = vec![Vec::new(); 7];
        for (i, j, value) in entries {
            rows[i].retain(|(column, _)| *column != j);
            rows[i].push((j, value));
        }
        let gap = gap(&rows);
        prop_assert!(gap.width() < 1e-12, "{:?}", gap);
        prop_assert!((gap.middle() - by_squaring(&rows)).abs() < 1e-9, "{:?} {}", gap, by_squaring(&rows));
    }
}
