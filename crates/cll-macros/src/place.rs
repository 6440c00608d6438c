//! Where in the source file a byte of a string literal's value stands.

use std::ops::Range;

use proc_macro2::Span;

/// A place that people find: a line counted from 1, and a character of it counted from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

/// Where in the text of a literal (with its quotes and escapes) each byte of its value begins, and where the value
/// ends. Nothing for what is not a string literal.
fn origins(literal: &str) -> Option<Vec<usize>> {
    let hashes = literal.strip_prefix('r').map(|rest| rest.bytes().take_while(|&byte| byte == b'#').count());
    let start = hashes.map_or(0, |hashes| hashes + 1) + 1;
    let end = literal.rfind('"').filter(|&end| end >= start)?;
    let body = literal.get(start..end)?;
    let mut origins = Vec::with_capacity(body.len() + 1);
    if hashes.is_some() {
        origins.extend(start..end);
    } else {
        escaped(body, start, &mut origins);
    }
    origins.push(end);
    Some(origins)
}

fn escaped(body: &str, start: usize, origins: &mut Vec<usize>) {
    let mut at = 0;
    while let Some(first) = body[at..].chars().next() {
        let rest = &body[at..];
        let (length, bytes) = match rest.as_bytes() {
            [b'\\', b'\n' | b'\r', ..] => {
                let blanks = rest[1..].len() - rest[1..].trim_start().len();
                (1 + blanks, 0)
            }
            [b'\\', b'x', ..] => (4, 1),
            [b'\\', b'u', ..] => unicode(rest),
            [b'\\', ..] => (2, 1),
            _ => (first.len_utf8(), first.len_utf8()),
        };
        origins.extend((0..bytes).map(|byte| start + at + byte.min(length - 1)));
        at = (at + length).min(body.len());
        while !body.is_char_boundary(at) {
            at += 1;
        }
    }
}

/// The length of `\u{..}`, and of the character that it means.
fn unicode(rest: &str) -> (usize, usize) {
    let length = rest.find('}').map_or(2, |end| end + 1);
    let digits: String = rest[..length].chars().skip(3).filter(char::is_ascii_hexdigit).collect();
    let meant = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
    (length, meant.map_or(1, char::len_utf8))
}

/// The place of a byte of a literal's value, from the place of the literal.
pub fn inside(literal: &str, begins: Place, byte: usize) -> Option<Place> {
    let origins = origins(literal)?;
    let before = literal.get(..*origins.get(byte).or(origins.last())?)?;
    Some(match before.rsplit_once('\n') {
        None => Place { line: begins.line, column: begins.column + before.chars().count() },
        Some((lines, last)) => {
            Place { line: begins.line + lines.matches('\n').count() + 1, column: last.chars().count() + 1 }
        }
    })
}

/// `file:line:column` of a byte of a literal's value, as far as the compiler provides it.
pub fn of(literal: &proc_macro2::Literal, byte: usize) -> Option<String> {
    if !proc_macro::is_available() {
        return None;
    }
    let span = literal.span().unwrap();
    let place = inside(&literal.to_string(), Place { line: span.line(), column: span.column() }, byte)?;
    Some(format!("{}:{}:{}", span.file(), place.line, place.column))
}

/// The span of some bytes of a literal's value: of these alone where the compiler can do it, else of the literal.
pub fn span(literal: &proc_macro2::Literal, bytes: Range<usize>) -> Span {
    let whole = literal.span();
    let Some(origins) = origins(&literal.to_string()) else { return whole };
    let (Some(&start), Some(&end)) = (origins.get(bytes.start), origins.get(bytes.end)) else { return whole };
    literal.subspan(start..end.max(start + 1)).unwrap_or(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(literal: &str, byte: usize) -> (usize, usize) {
        let place = inside(literal, Place { line: 7, column: 11 }, byte).expect(literal);
        (place.line, place.column)
    }

    #[test]
    fn a_byte_of_the_value_is_found_in_the_source() {
        assert_eq!(at("\"abc\"", 0), (7, 12));
        assert_eq!(at("\"abc\"", 2), (7, 14));
        assert_eq!(at("\"abc\"", 3), (7, 15), "the end: the closing quote");
        assert_eq!(at("\"abc\"", 99), (7, 15));
        assert_eq!(at("r#\"abc\"#", 1), (7, 15));
        assert_eq!(at("\"\"", 0), (7, 12));
    }

    #[test]
    fn escapes_are_longer_than_what_they_mean() {
        assert_eq!(at(r#""a\tb""#, 2), (7, 15));
        assert_eq!(at(r#""\x41b""#, 1), (7, 16));
        assert_eq!(at(r#""\u{e4}b""#, 2), (7, 18), "an a with two dots has two bytes");
        assert_eq!(at("\"äb\"", 2), (7, 13), "columns count characters");
    }

    #[test]
    fn lines_are_counted() {
        assert_eq!(at("\"ab\ncd\"", 4), (8, 2));
        assert_eq!(at("\"ab \\\n    cd\"", 3), (8, 5), "a line that goes on");
        assert_eq!(at("r\"ab\n\ncd\"", 5), (9, 2));
    }

    #[test]
    fn what_is_no_string_has_no_places() {
        for text in ["", "\"", "r", "7", "r##"] {
            assert_eq!(inside(text, Place { line: 1, column: 1 }, 0), None, "{text}");
        }
    }

    #[test]
    fn no_text_is_too_strange() {
        let parts = ["\"", "\\", "\\u{", "\\x", "}", "4", "\n", "\r\n", "ä", "r#", "#", " ", "字"];
        let mut state = 1u64;
        for _ in 0..20_000 {
            let mut text = String::from("\"");
            for _ in 0..6 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(parts[(state >> 33) as usize % parts.len()]);
            }
            text.push('"');
            for byte in 0..12 {
                // Literals that the compiler would not have let pass may have no places.
                if let Some(place) = inside(&text, Place { line: 1, column: 1 }, byte) {
                    assert!(place.line <= 7 && place.column <= text.len() + 1, "{text:?} {place:?}");
                }
            }
        }
    }
}
