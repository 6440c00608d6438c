//! Square systems of at most three equations.

use super::design::TERMS;

/// The solution of a small square system, by elimination with the largest pivot; `None` when it is singular.
pub(super) fn eliminated(mut matrix: Vec<[f64; TERMS]>, mut right: [f64; TERMS]) -> Option<[f64; TERMS]> {
    let size = matrix.len();
    for step in 0..size {
        let largest = (step..size).max_by(|&a, &b| matrix[a][step].abs().total_cmp(&matrix[b][step].abs()))?;
        matrix.swap(step, largest);
        right.swap(step, largest);
        if matrix[step][step].abs() < f64::MIN_POSITIVE {
            return None;
        }
        for row in step + 1..size {
            let factor = matrix[row][step] / matrix[step][step];
            let above = matrix[step];
            matrix[row].iter_mut().zip(above).for_each(|(entry, above)| *entry -= factor * above);
            right[row] -= factor * right[step];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::eliminated;

    #[test]
    fn small_systems_are_solved_and_singular_ones_told() {
        let matrix = vec![[0.0, 2.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 4.0]];
        assert_eq!(eliminated(matrix, [2.0, 3.0, 8.0]), Some([2.0, 1.0, 2.0]));
        assert_eq!(eliminated(vec![[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]], [1.0, 2.0, 0.0]), None);
        assert_eq!(eliminated(vec![[4.0, 0.0, 0.0]], [1.0, 0.0, 0.0]), Some([0.25, 0.0, 0.0]));
    }
}
