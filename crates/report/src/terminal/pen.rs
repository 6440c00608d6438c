//! What a terminal can show: characters, colors, texts that fit and cannot control it.

use super::TerminalOptions;
use crate::palette::{MARKERS, SERIES};
use crate::plot::Plot;
use crate::scene::Look;
use crate::text::shorten_middle;

/// What is drawn with.
pub(super) struct Pen {
    pub width: usize,
    pub height: usize,
    pub color: bool,
    pub ascii: bool,
}

const UNICODE_MARKS: [char; MARKERS] = ['●', '■', '▲', '◆', '+', '▼', '×', '★'];
const ASCII_MARKS: [char; MARKERS] = ['o', '#', '^', '%', '+', 'v', 'x', '*'];
const ASCII_LINES: [char; 6] = ['-', '~', '=', '"', '\'', ','];
/// ANSI colors that read on dark and on light ground.
const ANSI: [u8; SERIES] = [34, 33, 32, 35, 36, 31, 94, 90];

impl Pen {
    pub(super) fn new(options: &TerminalOptions) -> Pen {
        Pen {
            width: options.width.clamp(30, 400),
            height: options.height.clamp(4, 100),
            color: options.color,
            ascii: options.ascii,
        }
    }

    pub(super) fn heading(&self, out: &mut String, plot: &Plot) {
        if !plot.title.is_empty() {
            let title = self.line(&plot.title, self.width);
            out.push_str(&if self.color { format!("\u{1b}[1m{title}\u{1b}[0m\n") } else { format!("{title}\n") });
        }
        if !plot.subtitle.is_empty() {
            out.push_str(&format!("{}\n", self.line(&plot.subtitle, self.width)));
        }
    }

    /// A text that fits on a line and cannot control the terminal.
    pub(super) fn line(&self, text: &str, most: usize) -> String {
        let steers = |c: char| {
            c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}'..='\u{200f}')
        };
        let plain: String = text.chars().map(|c| if steers(c) { ' ' } else { c }).collect();
        let plain = if self.ascii { to_ascii(&plain) } else { plain };
        let mut shown = shorten_middle(&plain, most);
        let mut allowed = most;
        while columns(&shown) > most && allowed > 3 {
            allowed -= 1;
            shown = shorten_middle(&plain, allowed);
        }
        if self.ascii { shown.replace('…', "~") } else { shown }
    }

    pub(super) fn mark(&self, look: Look) -> char {
        match (look, self.ascii) {
            (Look::Faint, true) => '.',
            (Look::Faint, false) => '·',
            (look, true) => ASCII_MARKS[look.marker() % MARKERS],
            (look, false) => UNICODE_MARKS[look.marker() % MARKERS],
        }
    }

    pub(super) fn stroke(&self, look: Look) -> char {
        match look {
            Look::Series(index) if self.ascii => ASCII_LINES[index % ASCII_LINES.len()],
            _ if self.ascii => '.',
            _ => '─',
        }
    }

    pub(super) fn paint(&self, text: &str, look: Option<Look>) -> String {
        match look {
            Some(Look::Series(index)) if self.color => format!("\u{1b}[{}m{text}\u{1b}[0m", ANSI[index % SERIES]),
            Some(Look::Faint) if self.color => format!("\u{1b}[90m{text}\u{1b}[0m"),
            _ => text.to_owned(),
        }
    }
}

/// Columns that a text takes.
pub(super) fn columns(text: &str) -> usize {
    text.chars()
        .map(|character| match character {
            '\u{300}'..='\u{36f}' => 0,
            '\u{1100}'..='\u{115f}'
            | '\u{2e80}'..='\u{a4cf}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff00}'..='\u{ff60}'
            | '\u{1f300}'..='\u{1faff}'
            | '\u{20000}'..='\u{3fffd}' => 2,
            _ => 1,
        })
        .sum()
}

pub(super) fn without_color(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, tail)| tail);
    }
    plain + rest
}

/// The nearest ASCII spelling.
fn to_ascii(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            plain if plain.is_ascii() => out.push(plain),
            '\u{a0}' => out.push(' '),
            '\u{2212}' | '–' | '—' => out.push('-'),
            'µ' | 'μ' => out.push('u'),
            '×' => out.push('x'),
            '…' => out.push('~'),
            '±' => out.push_str("+-"),
            '⁰' => out.push_str("^0"),
            '¹' => out.push_str("^1"),
            '²' => out.push_str("^2"),
            '³' => out.push_str("^3"),
            '⁴'..='⁹' => out.push_str(&format!("^{}", character as u32 - 0x2070)),
            '⁻' => out.push_str("^-"),
            _ => out.push('?'),
        }
    }
    // `2^2^4`, from two superscript digits, is `2^24`.
    let mut joined = String::new();
    let mut in_power = false;
    for character in out.chars() {
        if character == '^' && in_power {
            continue;
        }
        in_power = character == '^' || in_power && (character.is_ascii_digit() || character == '-');
        joined.push(character);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn superscripts_become_powers() {
        assert_eq!(to_ascii("2²⁴ µs"), "2^24 us");
    }
}
