//! Paths in a project: what they may be.

use crate::problem::ApiError;
use runcast_commands::remote::is_project_path;
use runcast_core::Problem;

/// What is allowed, in words.
const ALLOWED: &str = "1 to 4 parts with / between; a part begins with a letter, a digit or _, and goes on with these, . and -, 64 at most";

/// Whether it can be the name of a project: what can be a path of one part.
pub fn is_name(name: &str) -> bool {
    !name.contains('/') && is_project_path(name)
}

/// What is wrong with a path, if anything; `pointer` says where it is.
pub fn problem(path: &str, pointer: &str) -> Option<Problem> {
    let wrong = || Problem::new("path", "a file cannot have this path").at(pointer).value(path).allowed(ALLOWED);
    (!is_project_path(path)).then(wrong)
}

/// Refuses what cannot be the path of a file: 422 `path`.
///
/// # Errors
/// As said.
pub fn check(path: &str, pointer: &str) -> Result<(), ApiError> {
    problem(path, pointer).map_or(Ok(()), |problem| Err(ApiError::invalid("path", vec![problem])))
}

#[cfg(test)]
mod tests {
    use super::is_project_path;

    #[test]
    fn only_plain_paths_are_paths() {
        let long = "a".repeat(64);
        for path in ["a", "a/b/c/d.toml", "_x/Y-1.view.json", "0", &long] {
            assert!(is_project_path(path), "{path}");
        }
        let too_long = "a".repeat(65);
        let bad = [
            "",
            "/",
            "/a",
            "a/",
            "a//b",
            ".",
            "..",
            "a/..",
            "../a",
            "a/../b",
            ".hidden",
            "-a",
            "a b",
            "a\0",
            "a\n",
            "a\\b",
            "C:",
            "a/b/c/d/e",
            "é",
            "a%2fb",
            "%2e%2e/a",
            "ａ",
            "a\u{202e}b",
            "a:b",
            "~",
            "*",
            &too_long,
        ];
        for path in bad {
            assert!(!is_project_path(path), "{path:?}");
        }
    }
}
