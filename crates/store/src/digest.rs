//! Digests of contents.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// SHA-256 of some bytes, written `sha256:` and 64 hexadecimal digits.
///
/// # Examples
/// ```
/// let digest = runcast_store::Digest::of(b"a = 1\n");
/// assert_eq!(digest.to_string(), "sha256:cb78bd8a17f7b751fe0d4663366dcbc257204033ef7ddd64b1f2969573b5b2e2");
/// assert_eq!(digest.short(), "cb78bd8a17f7b751");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

impl Digest {
    pub fn of(bytes: &[u8]) -> Self {
        use fmt::Write as _;
        let mut text = String::from("sha256:");
        for byte in Sha256::digest(bytes) {
            let _ = write!(text, "{byte:02x}");
        }
        Digest(text)
    }

    /// A digest that was written by [`fmt::Display`], as the database keeps it.
    pub fn from_text(text: impl Into<String>) -> Self {
        Digest(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first 16 digits, as in an `ETag`.
    pub fn short(&self) -> &str {
        self.0.get(7..23).unwrap_or(&self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
