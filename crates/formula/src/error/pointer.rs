//! The wrong place of a formula drawn: its line, and carets below.

use std::ops::Range;

/// At most this many characters of the line are shown.
const WIDTH: usize = 72;
/// Of these, this many before the error.
const BEFORE: usize = 36;
const CUT: &str = "..";

pub(super) fn pointer(source: &str, span: Range<usize>) -> String {
    let start = floor_char(source, span.start);
    let end = floor_char(source, span.end).max(start);
    let line_start = source[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = source[start..].find('\n').map_or(source.len(), |newline| start + newline);

    // Only the characters near the error are looked at: a line may have millions.
    let before: Vec<char> = source[line_start..start].chars().rev().take(BEFORE + 1).collect();
    let cut_left = before.len() > BEFORE;
    let shown = before.len().min(BEFORE);
    let rest = WIDTH - shown;
    let after: Vec<char> = source[start..line_end].chars().take(rest + 1).collect();
    let cut_right = after.len() > rest;
    let carets = source[start..end.min(line_end)].chars().take(rest).count().max(1);

    let mut drawn = String::new();
    drawn.push_str(if cut_left { CUT } else { "" });
    drawn.extend(before.iter().take(shown).rev().map(|&c| printable(c)));
    drawn.extend(after.iter().take(rest).map(|&c| printable(c)));
    drawn.push_str(if cut_right { CUT } else { "" });
    let indent = shown + if cut_left { CUT.len() } else { 0 };
    format!("{}\n{}{}", drawn.trim_end(), " ".repeat(indent), "^".repeat(carets))
}

/// The last boundary of a character that is not after `offset`.
fn floor_char(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// One cell wide: control characters, tabs among them, become blanks.
fn printable(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_below_the_span() {
        assert_eq!(pointer("a + qq*b", 4..6), "a + qq*b\n    ^^");
        assert_eq!(pointer("größe + ?", 10..11), "größe + ?\n        ^");
    }

    #[test]
    fn the_end_of_the_text_can_be_pointed_at() {
        assert_eq!(pointer("a +", 3..3), "a +\n   ^");
        assert_eq!(pointer("", 0..0), "\n^");
    }

    #[test]
    fn only_the_line_meant_is_shown() {
        assert_eq!(pointer("a +\n? + b\n+ c", 4..5), "? + b\n^");
    }

    #[test]
    fn long_lines_are_cut_around_the_error() {
        let source = format!("{}?{}", "a+".repeat(1000), "+b".repeat(1000));
        let drawn = pointer(&source, 2000..2001);
        let (line, carets) = drawn.split_once('\n').unwrap();
        assert!(line.len() <= WIDTH + 2 * CUT.len());
        assert_eq!(line.find('?'), carets.find('^'));
    }

    #[test]
    fn a_wrong_source_does_no_harm() {
        assert_eq!(pointer("äö", 1..90), "äö\n^^");
    }
}
