//! What the ranks have left in a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file of a rank: `rank-R.rcr`, or `rank-R.part` where the rank did not come to its end.
pub(super) fn files(folder: &Path) -> BTreeMap<u32, PathBuf> {
    let mut found = BTreeMap::new();
    for path in listed(folder) {
        let Some((rank, ending)) = rank_of(&path) else { continue };
        if ending == "rcr" || !found.contains_key(&rank) {
            found.insert(rank, path);
        }
    }
    found
}

/// Everything that a recording consists of, to be removed before another one is written there.
pub(super) fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let is_own = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        rank_of(path).is_some() || name == "recording.rcr" || name == "gate" || name.ends_with(".new")
    };
    listed(folder).into_iter().filter(is_own).collect()
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn rank_of(path: &Path) -> Option<(u32, &str)> {
    let (name, ending) = path.file_name()?.to_str()?.strip_prefix("rank-")?.split_once('.')?;
    let rank = name.parse().ok()?;
    ["rcr", "part"].contains(&ending).then_some((rank, ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_file_goes_before_a_partial_one() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["rank-0.part", "rank-0.rcr", "rank-1.part", "rank-x.rcr", "rank-2.new", "notes.txt"] {
            std::fs::write(folder.path().join(name), "").expect("written");
        }
        let names: Vec<String> = files(folder.path())
            .into_values()
            .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
            .collect();
        assert_eq!(names, ["rank-0.rcr", "rank-1.part"]);
        assert_eq!(leftovers(folder.path()).len(), 4);
    }
}
