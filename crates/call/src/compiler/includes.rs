//! The `#include` lines of a file, without a preprocessor: all branches of `#if` count.

use crate::translate::{Input, Language};

/// A file named by an `#include`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Included {
    /// What stands between the quotes or brackets.
    pub name: Vec<u8>,
    pub quoted: bool,
}

/// What a file includes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Includes {
    pub files: Vec<Included>,
    /// Lines with `#include MACRO` or `#include_next`, whose file only a preprocessor knows.
    pub computed: Vec<u64>,
    /// Whether there is a pragma of ours.
    pub annotated: bool,
}

impl Includes {
    /// Looks through a file. A line within a comment counts, too: a file more is looked at, and nothing else changes.
    pub fn of(text: &[u8], language: Language) -> Self {
        let mut found = Includes { annotated: annotated(text, language), ..Includes::default() };
        for (line, text) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            let Some(directive) = text.trim_ascii_start().strip_prefix(b"#") else { continue };
            let directive = directive.trim_ascii_start();
            let Some(rest) = directive.strip_prefix(b"include").or_else(|| directive.strip_prefix(b"import")) else {
                continue;
            };
            if rest.first().is_some_and(|&byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
                found.computed.extend(rest.starts_with(b"_next").then_some(line));
                continue;
            }
            match included(rest.trim_ascii_start()) {
                Some(file) => found.files.push(file),
                None => found.computed.push(line),
            }
        }
        found
    }
}

fn included(rest: &[u8]) -> Option<Included> {
    let (&open, rest) = rest.split_first()?;
    let close = match open {
        b'"' => b'"',
        b'<' => b'>',
        _ => return None,
    };
    let length = rest.iter().position(|&byte| byte == close)?;
    Some(Included { name: rest[..length].to_vec(), quoted: open == b'"' })
}

/// Most files have no such word, and need no scanner.
fn annotated(text: &[u8], language: Language) -> bool {
    let holds = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
    (holds(b"cll") || holds(b"parallel")) && Input::new("", text.to_vec(), language).is_annotated()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_of_all_branches_are_found() {
        let text = b"#include \"a.h\"\n#if 0\n # include <b/c.h> // x\n#endif\r\n#include X\n#include_next <d.h>\nx\n";
        let found = Includes::of(text, Language::C);
        let names: Vec<(&[u8], bool)> = found.files.iter().map(|file| (&*file.name, file.quoted)).collect();
        assert_eq!(names, [(&b"a.h"[..], true), (b"b/c.h", false)]);
        assert_eq!((found.computed, found.annotated), (vec![5, 6], false));
    }

    #[test]
    fn only_pragmas_make_a_file_ours() {
        let ours = |text: &str| Includes::of(text.as_bytes(), Language::C).annotated;
        assert!(ours("void f(void) {\n#pragma cll F\n;\n#pragma cll end F\n}\n"));
        assert!(ours("#pragma parallel MPI\n"));
        assert!(!ours("/* #pragma cll F */ int cll;"));
        assert!(!ours("#pragma omp parallel\n"));
    }
}
