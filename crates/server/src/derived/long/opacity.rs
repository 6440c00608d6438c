//! How dark a pixel of a scatter plot is.

/// Opacity, from 0 to 255, of a pixel with so many points, where the fullest has `most`: `ln(1+k)/ln(1+k_max)`.
pub fn opacity(points: u64, most: u64) -> u8 {
    if most == 0 {
        return 0;
    }
    let share = (points.min(most) as f64).ln_1p() / (most as f64).ln_1p();
    (255.0 * share).round() as u8
}

#[cfg(test)]
mod tests {
    use super::opacity;

    #[test]
    fn a_single_point_is_seen_beside_a_thousand() {
        assert_eq!([1, 10, 100].map(|points| opacity(points, 1000)), [26, 89, 170]);
        assert_eq!((opacity(0, 1000), opacity(1000, 1000), opacity(5, 0), opacity(9, 3)), (0, 255, 0, 255));
    }
}
