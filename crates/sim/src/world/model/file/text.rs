//! Where a byte of a TOML text is in the file.

/// The offset in the text as it is in the file, quotes and escapes included, of a byte of its value.
pub(super) fn raw_offset(raw: &str, offset: usize) -> usize {
    let quote = match raw.chars().next() {
        Some(quote @ ('"' | '\'')) => quote,
        // A number.
        _ => return offset.min(raw.len()),
    };
    let triple = raw.len() >= 6 && raw.as_bytes()[..3].iter().all(|byte| *byte == quote as u8);
    let mut at = if triple { 3 } else { 1 };
    if triple {
        // A line break right after the quotes is not part of the text.
        at += if raw[at..].starts_with("\r\n") { 2 } else { usize::from(raw[at..].starts_with('\n')) };
    }
    let mut value = 0;
    while value < offset {
        let Some(letter) = raw[at..].chars().next() else { break };
        if letter != '\\' || quote == '\'' {
            at += letter.len_utf8();
            value += letter.len_utf8();
            continue;
        }
        let rest = &raw[at + 1..];
        let digits = match rest.chars().next() {
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            Some(blank) if blank.is_whitespace() => {
                // A line that continues: nothing of it is in the value.
                at += 1 + rest.len() - rest.trim_start().len();
                continue;
            }
            Some(_) => 0,
            None => break,
        };
        let code = rest.get(1..1 + digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        value += code.and_then(char::from_u32).map_or(1, char::len_utf8);
        at += 2 + digits;
    }
    at.min(raw.len())
}

#[cfg(test)]
mod tests {
    use super::raw_offset;

    #[test]
    fn escapes_and_quotes_are_counted() {
        assert_eq!(raw_offset("\"abc\"", 1), 2);
        assert_eq!(raw_offset("'a\\c'", 2), 3);
        assert_eq!(raw_offset("\"a\\tb\"", 2), 4);
        assert_eq!(raw_offset("\"\\u00e4b\"", 2), 7);
        assert_eq!(raw_offset("\"\"\"\na\\\n   b\"\"\"", 1), 5);
        assert_eq!(raw_offset("\"\"\"a\\\n   b\"\"\"", 2), 10);
        assert_eq!(raw_offset("12", 1), 1);
        assert_eq!(raw_offset("\"a\"", 100), 3);
    }
}
