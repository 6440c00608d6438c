//! Medians and the like, and how they are written.

/// The middle one.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The least value that is not less than this share of all.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share).ceil() as usize;
    values.get(at.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

/// The middle one, with least and most in brackets where there are several.
pub fn spread(values: &[f64], digits: usize) -> String {
    let middle = median(values);
    if values.len() < 2 {
        return format!("{middle:.digits$}");
    }
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{middle:.digits$} ({least:.digits$}..{most:.digits$})")
}
