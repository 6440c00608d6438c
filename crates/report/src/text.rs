//! Text in pictures and pages: escaped, shortened, measured.

use std::fmt::Write;

/// Text that is safe inside elements and quoted attributes of HTML and SVG.
///
/// Control characters, which XML does not allow, become spaces.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(character),
            control if control.is_control() || matches!(control, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            // Marks that change the text direction could make one name look like another.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", character as u32);
            }
            plain => out.push(plain),
        }
    }
    out
}

/// `text` on one line and at most `most` characters long, with `…` in the middle where something was cut: the ends of
/// region names distinguish them.
pub(crate) fn shorten_middle(text: &str, most: usize) -> String {
    let characters: Vec<char> = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if characters.len() <= most.max(3) {
        return characters.into_iter().collect();
    }
    let kept = most.max(3) - 1;
    let tail = kept / 2;
    let head = kept - tail;
    characters[..head].iter().chain(&['…']).chain(&characters[characters.len() - tail..]).collect()
}

/// About how wide a text is at a font size, in the same unit; a little more than most sans-serif fonts need.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(character_width).sum::<f64>() * size
}

/// `text` shortened in the middle until it is at most `space` wide.
pub(crate) fn fit(text: &str, size: f64, space: f64) -> String {
    let mut most = text.chars().count().min(200);
    let mut shown = shorten_middle(text, most);
    while most > 3 && width(&shown, size) > space {
        most -= 1;
        shown = shorten_middle(text, most);
    }
    shown
}

/// Breaks a text into lines at most `space` wide, at most `most` of them.
pub(crate) fn wrap(text: &str, size: f64, space: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width(&longer, size) <= space || line.is_empty() {
            line = longer;
        } else {
            lines.push(std::mem::replace(&mut line, word.to_owned()));
        }
        if lines.len() > most {
            break;
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            last.push_str(" …");
        }
    }
    lines.iter().map(|line| fit(line, size, space)).collect()
}

fn character_width(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' | 'I' => 0.29,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '\\' | '-' | ' ' | '\u{a0}' | '"' | '`' => 0.37,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' | '→' => 0.92,
        'A'..='Z' => 0.68,
        '_' | '–' | '·' | '0'..='9' | 'a'..='z' => 0.56,
        '\u{300}'..='\u{36f}' => 0.0,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{ffdc}' | '\u{1f000}'..='\u{3ffff}' => 1.05,
        _ => 0.66,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_control_characters_are_harmless() {
        assert_eq!(escape("<b a='1'>&\"\u{0}\u{b}x"), "&lt;b a=&#39;1&#39;&gt;&amp;&quot;  x");
        assert_eq!(escape("a\u{202e}b"), "a\\u{202e}b");
    }

    #[test]
    fn the_middle_is_cut() {
        assert_eq!(shorten_middle("main->solve->exchange", 11), "main-…hange");
        assert_eq!(shorten_middle("αβγδε", 4), "αβ…ε");
        assert_eq!(shorten_middle("ab\ncd", 9), "ab cd");
    }

    #[test]
    fn wrapped_lines_fit() {
        let lines = wrap("one two three four five six seven", 10.0, 60.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| width(line, 10.0) <= 60.0));
    }
}
