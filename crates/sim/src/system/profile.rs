//! What networks of a family do to messages, by their size: for a network that takes the place of one of another family, since
//! the segments in the file describe the other.

use super::file::segments;
use crate::attributes::{Attributes, Defaults, Quality, attributes};
use crate::platform::Segment;
use runcast_core::toml::{Reader, Source, document};
use std::sync::OnceLock;

const FILE: (&str, &str) = ("profile.toml", include_str!("../../catalogue/profile.toml"));
const OTHER: &str = "other";

/// The treatment of messages by a family of networks.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    /// Limits of sizes.
    pub limits: Attributes,
    pub segments: Vec<Segment>,
}

/// That of a family; what is known of none is assumed.
pub fn profile(family: Option<&str>) -> &'static Profile {
    static ALL: OnceLock<Vec<(String, Profile)>> = OnceLock::new();
    // A test reads the file: nothing is left out here.
    let all = ALL.get_or_init(|| read().unwrap_or_default());
    let find = |name: &str| all.iter().find(|(known, _)| known == name).map(|(_, profile)| profile);
    static NONE: OnceLock<Profile> = OnceLock::new();
    family.and_then(find).or_else(|| find(OTHER)).unwrap_or_else(|| NONE.get_or_init(Profile::default))
}

fn read() -> Option<Vec<(String, Profile)>> {
    let source = Source { name: FILE.0, text: FILE.1 };
    let document = document(source, FILE.1.len()).ok()?;
    let mut reader = Reader::new(source);
    let top = reader.top(&document);
    let defaults = Defaults { quality: Quality::Assumed, source: FILE.0.to_owned() };
    let mut all = Vec::new();
    for (name, node) in top.named() {
        let table = reader.table(node, top.at(name), "a table of a family")?;
        let limits = attributes(&mut reader, &table, &["segments"], &defaults);
        all.push((name.to_owned(), Profile { limits, segments: segments(&mut reader, &table) }));
    }
    reader.take_problems().is_none().then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profiles_are_read_whole() {
        let all = read().expect("without a problem");
        assert_eq!(all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["infiniband", "ethernet", OTHER]);
        assert_eq!(profile(Some("infiniband")).limits.get("eager_limit"), Some(16384.0));
        assert_eq!(profile(Some("ethernet")).segments.len(), 5);
        assert_eq!(profile(Some("nvlink")).segments[0].bandwidth_factor, 0.9);
        assert_eq!(profile(None).limits.get("eager_limit"), None);
    }
}
