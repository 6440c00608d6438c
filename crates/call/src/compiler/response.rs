//! `@file`: further words of a command line, in a file.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Files within files.
const DEEPEST: usize = 20;

/// The words with every `@file` replaced by the words in it; a file that cannot be read stays a word.
pub fn expanded(words: &[OsString], read: &mut dyn FnMut(&Path) -> Option<Vec<u8>>) -> Vec<OsString> {
    let mut all = Vec::with_capacity(words.len());
    expand(words, read, DEEPEST, &mut all);
    all
}

fn expand(words: &[OsString], read: &mut dyn FnMut(&Path) -> Option<Vec<u8>>, deep: usize, all: &mut Vec<OsString>) {
    for word in words {
        let name = word.as_bytes().strip_prefix(b"@").filter(|name| !name.is_empty() && deep > 0);
        match name.and_then(|name| read(Path::new(OsStr::from_bytes(name)))) {
            Some(text) => expand(&split(&text), read, deep - 1, all),
            None => all.push(word.clone()),
        }
    }
}

/// Words between blanks; quotes of both kinds hold them together, a backslash takes the next byte as it is.
fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (_, b'\\') => word.get_or_insert_default().extend(bytes.next()),
            (Some(open), byte) if open == byte => quote = None,
            (Some(_), byte) => word.get_or_insert_default().push(byte),
            (None, b'"' | b'\'') => {
                word.get_or_insert_default();
                quote = Some(byte);
            }
            (None, byte) if byte.is_ascii_whitespace() => words.extend(word.take().map(OsString::from_vec)),
            (None, byte) => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_file_are_quoted_as_gcc_reads_them() {
        let read = |text: &str| split(text.as_bytes()).iter().map(|w| w.to_string_lossy().into_owned()).collect();
        let words: Vec<String> = read("-c 'a b.c'\n-DX=\\\"y\\\" \"-o\" \"\" c\\ d 'e\"f'");
        assert_eq!(words, ["-c", "a b.c", "-DX=\"y\"", "-o", "", "c d", "e\"f"]);
    }

    #[test]
    fn files_in_files_end() {
        let mut read = |path: &Path| match path.to_str() {
            Some("a") => Some(b"@b x".to_vec()),
            Some("b") => Some(b"y".to_vec()),
            Some("loop") => Some(b"@loop".to_vec()),
            _ => None,
        };
        let words = ["gcc", "@a", "@loop", "@missing"].map(OsString::from);
        assert_eq!(expanded(&words, &mut read), ["gcc", "y", "x", "@loop", "@missing"].map(OsString::from));
    }
}
