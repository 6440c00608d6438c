//! Paths in a project.

use std::path::{Component, Path};

/// Segments that a path in a project has at most.
const MOST_SEGMENTS: usize = 4;
/// Characters that a segment has at most.
const MOST_CHARACTERS: usize = 64;

/// Whether a path can be one of a project: 1 to 4 segments of `[A-Za-z0-9_][A-Za-z0-9._-]{0,63}`.
pub fn is_project_path(path: &str) -> bool {
    let is_segment = |segment: &str| {
        let mut bytes = segment.bytes();
        segment.len() <= MOST_CHARACTERS
            && bytes.next().is_some_and(|first| first.is_ascii_alphanumeric() || first == b'_')
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    };
    path.split('/').count() <= MOST_SEGMENTS && path.split('/').all(is_segment)
}

/// A path without `.` and `..`, in the folder that it starts from: none if it leaves it. An absolute path starts there,
/// too; the folder itself is the empty text.
pub fn normalized(path: &Path) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::CurDir | Component::RootDir => {}
            Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_project_are_plain() {
        for good in ["a", "experiments/heat.toml", "a/b/c/d", "_x-1.2", &"a".repeat(64)] {
            assert!(is_project_path(good), "{good}");
        }
        for bad in ["", "/a", "a/", "a//b", ".a", "..", "a/../b", "a/b/c/d/e", "a b", "-", "ä", &"a".repeat(65)] {
            assert!(!is_project_path(bad), "{bad}");
        }
    }

    #[test]
    fn dots_are_resolved_and_do_not_lead_out() {
        assert_eq!(normalized(Path::new("experiments/../systems/a.toml")).as_deref(), Some("systems/a.toml"));
        assert_eq!(normalized(Path::new("./a/./b")).as_deref(), Some("a/b"));
        assert_eq!(normalized(Path::new("a/../../b")), None);
        assert_eq!(normalized(Path::new("/a")).as_deref(), Some("a"));
    }
}
