//! As few points of a line as a picture needs.

/// The first, the lowest, the highest and the last point of every pixel column: drawn, they cover the same pixels as all
/// points.
///
/// `x` rises. Columns divide `[from, to)` evenly; a point at `to` is in the last one. The indices rise.
///
/// # References
/// Jugel, Jerzak, Hackenbroich, Markl: M4: a visualization-oriented time series data aggregation, VLDB 2014.
pub fn m4(x: &[f64], y: &[f64], [from, to]: [f64; 2], columns: usize) -> Vec<usize> {
    let mut kept = Vec::new();
    // Of what is no number, nothing is inside.
    if columns == 0 || from >= to {
        return kept;
    }
    let column = |x: f64| (((x - from) / (to - from) * columns as f64).floor() as usize).min(columns - 1);
    let inside: Vec<usize> =
        (0..x.len().min(y.len())).filter(|&index| x[index] >= from && x[index] <= to && y[index].is_finite()).collect();
    for points in inside.chunk_by(|&a, &b| column(x[a]) == column(x[b])) {
        let (Some(&first), Some(&last)) = (points.first(), points.last()) else { continue };
        let lowest = points.iter().copied().reduce(|a, b| if y[b] < y[a] { b } else { a }).unwrap_or(first);
        let highest = points.iter().copied().reduce(|a, b| if y[b] > y[a] { b } else { a }).unwrap_or(first);
        let mut four = [first, lowest, highest, last];
        four.sort_unstable();
        let mut before = None;
        kept.extend(four.into_iter().filter(|&index| before.replace(index) != Some(index)));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_hides_behind_others_is_left_out() {
        let x: Vec<f64> = (0..12).map(f64::from).collect();
        let y = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 5.0, 8.0];
        let all_but_10: Vec<usize> = (0..12).filter(|index| *index != 10).collect();
        assert_eq!(m4(&x, &y, [0.0, 12.0], 3), all_but_10);
    }

    #[test]
    fn nothing_is_drawn_where_there_is_no_room() {
        assert!(m4(&[1.0], &[1.0], [0.0, 1.0], 0).is_empty());
        assert!(m4(&[1.0], &[1.0], [1.0, 1.0], 8).is_empty());
        assert_eq!(m4(&[0.0, 1.0], &[1.0, f64::NAN], [0.0, 1.0], 8), [0]);
    }

    proptest! {
        /// Every pixel column keeps the extremes of all its points, with at most four of them.
        #[test]
        fn extremes_are_kept(y in proptest::collection::vec(-1e6..1e6f64, 1..300), columns in 1usize..40) {
            let x: Vec<f64> = (0..y.len()).map(|index| index as f64).collect();
            let to = y.len() as f64;
            let kept = m4(&x, &y, [0.0, to], columns);
            prop_assert!(kept.len() <= 4 * columns && kept.windows(2).all(|pair| pair[0] < pair[1]));
            let column = |index: usize| (index as f64 / to * columns as f64).floor() as usize;
            for at in 0..columns {
                let all = (0..y.len()).filter(|index| column(*index) == at).map(|index| y[index]);
                let few = kept.iter().filter(|index| column(**index) == at).map(|index| y[*index]);
                prop_assert_eq!(all.clone().reduce(f64::min), few.clone().reduce(f64::min));
                prop_assert_eq!(all.reduce(f64::max), few.reduce(f64::max));
            }
        }
    }
}
