//! Files of the session: names with `*`, `?` and `[..]`, and where they are looked up.

use crate::context::Files;
use crate::failure::Failure;
use runcast_core::Problem;
use std::path::{Component, Path, PathBuf};

/// A pattern that matches more files than this is a slip.
const MOST: usize = 100_000;

/// Where a file is that is named in a script: beside it, unless its name says otherwise.
pub fn resolve(folder: &Path, name: &str) -> PathBuf {
    if name == "-" { PathBuf::from(name) } else { folder.join(name) }
}

/// The files that a name means, sorted: the file itself, or what matches its `*`, `?` and `[..]`.
///
/// # Errors
/// Nothing matches.
pub fn expand(folder: &Path, name: &str, disk: &mut dyn Files) -> Result<Vec<PathBuf>, Failure> {
    let path = resolve(folder, name);
    if !name.contains(['*', '?', '[']) || disk.is_file(&path) || disk.is_folder(&path) {
        return Ok(vec![path]);
    }
    let mut found: Vec<PathBuf> = vec![folder.to_owned()];
    for part in Path::new(name).components() {
        let pattern = match part {
            Component::Normal(part) => part.to_str().filter(|part| part.contains(['*', '?', '['])),
            _ => None,
        };
        let Some(pattern) = pattern else {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        };
        found = found.iter().flat_map(|folder| matching(folder, pattern, disk)).take(MOST).collect();
    }
    found.retain(|path| disk.is_file(path));
    if found.is_empty() {
        let problem = Problem::new("no_file", format!("no file matches {name}")).value(name);
        return Err(problem.hint("check the name and the folder").into());
    }
    Ok(found)
}

/// The entries of a folder that match, sorted so that run 10 comes behind run 9.
fn matching(folder: &Path, pattern: &str, disk: &mut dyn Files) -> Vec<PathBuf> {
    let Ok(entries) = disk.list(folder) else { return Vec::new() };
    let pattern: Vec<char> = pattern.chars().collect();
    let mut names: Vec<String> = entries
        .iter()
        .filter_map(|entry| Some(entry.file_name()?.to_str()?.to_owned()))
        .filter(|name| !name.starts_with('.') || pattern.first() == Some(&'.'))
        .filter(|name| matches(&pattern, &name.chars().collect::<Vec<char>>()))
        .collect();
    names.sort_by_cached_key(|name| (natural(name), name.clone()));
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// Texts and numbers in turn.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.find(|letter: char| letter.is_ascii_digit()).unwrap_or(rest.len());
        let (before, after) = rest.split_at(text);
        let digits = after.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(after.len());
        let (number, after) = after.split_at(digits);
        parts.push((before.to_owned(), number.parse().unwrap_or(u64::MAX)));
        rest = after;
    }
    parts
}

/// Whether a name matches a pattern of `*`, `?`, `[abc]`, `[a-z]` and `[!..]`; in time linear in their product.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some('?') => Some(p + 1),
            Some('[') => class(&pattern[p..], name[n]).map(|length| p + length),
            Some(letter) if *letter == name[n] => Some(p + 1),
            _ => None,
        };
        match (step, star) {
            (Some(next), _) => (p, n) = (next, n + 1),
            (None, Some((place, taken))) => {
                star = Some((place, taken + 1));
                (p, n) = (place + 1, taken + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|letter| *letter == '*')
}

/// How long the class at the beginning of a pattern is, if it holds the letter.
fn class(pattern: &[char], letter: char) -> Option<usize> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let start = if negated { 2 } else { 1 };
    let end = pattern.iter().skip(start + 1).position(|letter| *letter == ']').map(|place| place + start + 1);
    let Some(end) = end else { return (letter == '[').then_some(1) };
    let (mut index, mut holds) = (start, false);
    while index < end {
        if index + 2 < end && pattern[index + 1] == '-' {
            holds |= (pattern[index]..=pattern[index + 2]).contains(&letter);
            index += 3;
        } else {
            holds |= pattern[index] == letter;
            index += 1;
        }
    }
    (holds != negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::OnDisk;

    fn is(pattern: &str, name: &str) -> bool {
        matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
    }

    #[test]
    fn stars_questions_and_classes_match() {
        assert!(is("fft.cll.*.csv", "fft.cll.3.r1.csv") && !is("fft.cll.*.csv", "fft.cll.csv"));
        assert!(is("a?c", "abc") && !is("a?c", "ac"));
        assert!(is("r[0-3].csv", "r2.csv") && !is("r[0-3].csv", "r4.csv") && is("r[!0-3].csv", "r4.csv"));
        assert!(is("[", "[") && is("*", "") && is("*a*b*", "xxaxxbxx") && !is("*a*b", "xxaxxbxx"));
        assert!(!is(&"*a".repeat(50), &"a".repeat(40)));
    }

    #[test]
    fn files_are_sorted_as_people_count() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["x.cll.10.csv", "x.cll.9.csv", "x.cll.1.r0.csv", ".x.cll.2.csv", "y.csv"] {
            std::fs::write(folder.path().join(name), "").expect("written");
        }
        std::fs::create_dir(folder.path().join("x.cll.7.csv")).expect("made");
        let names = |pattern: &str| -> Vec<String> {
            let found = expand(folder.path(), pattern, &mut OnDisk).expect("found");
            found.iter().map(|path| path.file_name().expect("a name").to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names("x.cll.*.csv"), ["x.cll.1.r0.csv", "x.cll.9.csv", "x.cll.10.csv"]);
        assert_eq!(names("*/../y.csv"), ["y.csv"]);
        assert_eq!(expand(folder.path(), "z*", &mut OnDisk).expect_err("none").problems.0[0].code, "no_file");
        assert_eq!(expand(folder.path(), "z.csv", &mut OnDisk).expect("as it is"), [folder.path().join("z.csv")]);
    }
}
