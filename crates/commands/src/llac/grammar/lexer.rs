//! The words of a command, with their places.

use runcast_core::Problem;

/// A word of a command.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    /// Its text; without the quotes, if it stands in quotes as a whole.
    pub text: String,
    /// Where it begins in the text of the command, quotes included.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// It stands in quotes as a whole: no keyword.
    pub quoted: bool,
}

/// The words of a command.
pub(super) fn words(text: &str) -> Result<Vec<Word>, Problem> {
    let mut words = Vec::new();
    let mut position = 0;
    while let Some(blanks) = text[position..].find(|letter: char| !letter.is_whitespace()) {
        let start = position + blanks;
        let end = end_of_word(text, start)?;
        let raw = &text[start..end];
        let word = match unquoted(raw) {
            Some(text) => Word { text, start, end, quoted: true },
            None => Word { text: raw.to_owned(), start, end, quoted: false },
        };
        words.push(word);
        position = end;
    }
    Ok(words)
}

fn end_of_word(text: &str, start: usize) -> Result<usize, Problem> {
    let mut quote: Option<(char, usize)> = None;
    for (index, letter) in text[start..].char_indices() {
        match quote {
            Some((open, _)) if letter == open => quote = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => quote = Some((letter, start + index)),
            None if letter.is_whitespace() => return Ok(start + index),
            None => {}
        }
    }
    match quote {
        None => Ok(text.len()),
        Some((open, place)) => {
            let column = text[..place].chars().count() as u64 + 1;
            let problem = Problem::new("unclosed_quote", format!("a quote {open} is opened here and never closed"));
            Err(problem.at_column(column).hint("quotes end on the line that they begin on"))
        }
    }
}

/// The text of a word that stands in quotes as a whole; a quote inside is written twice.
pub(super) fn unquoted(raw: &str) -> Option<String> {
    let quote = raw.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
    let inside = raw.get(1..raw.len().checked_sub(1)?)?;
    if !raw.ends_with(quote) {
        return None;
    }
    let doubled = [quote, quote].iter().collect::<String>();
    let bare = inside.replace(&doubled, "");
    if bare.contains(quote) { None } else { Some(inside.replace(&doubled, &quote.to_string())) }
}
