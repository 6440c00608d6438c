//! Numbers and names as written in a formula.

/// The shortest text that reads back as the same number, in brackets when negative.
///
/// # Examples
/// ```
/// use runcast_fit::text::number;
/// assert_eq!(number(2.5), "2.5");
/// assert_eq!(number(-1e-9), "(-1e-9)");
/// assert_eq!(number(100.0), "100");
/// ```
pub fn number(value: f64) -> String {
    let size = value.abs();
    let text = if size != 0.0 && !(1e-5..1e15).contains(&size) { format!("{value:e}") } else { format!("{value}") };
    if value < 0.0 { format!("({text})") } else { text }
}

/// A name that the formula language accepts: characters not allowed in names become `_`.
pub fn name(parameter: &str) -> String {
    let mut text: String =
        parameter.chars().map(|c| if c.is_alphanumeric() || c == '_' || c == '.' { c } else { '_' }).collect();
    if !text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        text.insert(0, '_');
    }
    text
}
