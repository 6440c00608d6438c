//! Files of a project: a path with its versions, of which the newest is the current one.
//!
//! # Invariants
//! - A version never changes; its number is one more than the last of its path, also when that was deleted meanwhile.
//! - A change names what it replaces ([`Expect`]); when that is no longer so, nothing changes.
//! - Paths are unique without regard to case, and none is a folder of another.

mod change;
mod list;
mod read;

pub use change::{Applied, STORED_BYTES, apply, delete, put, rename, set_facts};
pub use list::{Cursor, Listing, Sort, list};
pub use read::{frozen, get, of_kind, read, version, versions, versions_used};

use crate::database::Row;
use crate::digest::Digest;
use crate::error::StoreError;
use crate::hardware::Attribute;

/// A file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path in the project.
    pub path: String,
    /// The number of the current version.
    pub version: i64,
    /// The digest of its bytes.
    pub digest: Digest,
    /// How many bytes.
    pub size: i64,
    /// What is known about its content.
    pub facts: Facts,
    /// When it was changed last, in microseconds since 1970.
    pub updated_at: i64,
    /// The name of who changed it.
    pub updated_by: String,
}

/// What is known about the content of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// What it is: `system`, `table`, ..
    pub kind: String,
    /// Its title for people.
    pub title: String,
    /// Whether it can be read as what it is.
    pub valid: bool,
    /// What is wrong with it, as JSON.
    pub problems: String,
    /// The attributes of the hardware entries in it.
    pub hardware: Vec<Attribute>,
}

/// A file to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Its path in the project.
    pub path: String,
    pub bytes: Vec<u8>,
    /// What is known about it.
    pub facts: Facts,
    /// Why it was changed.
    pub message: String,
}

/// Precondition of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    /// The file is not there.
    Absent,
    /// The file exists, in any version.
    There,
    /// One of these is its current version, with the first digits of its digest.
    Current(Vec<(i64, String)>),
}

/// Result of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// There was no such file.
    Created,
    /// It has a new version.
    Changed,
    /// It had these bytes already: there is no new version.
    Unchanged,
}

/// A version of a file, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The path at that time.
    pub path: String,
    /// Its number, from 1.
    pub version: i64,
    /// The digest of its bytes.
    pub digest: Digest,
    /// How many bytes.
    pub size: i64,
    /// Why it was made.
    pub message: String,
    /// When, in microseconds since 1970.
    pub created_at: i64,
    /// The name of who made it.
    pub created_by: String,
}

/// A file as a job freezes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frozen {
    /// Its path in the project.
    pub path: String,
    pub kind: String,
    pub version: i64,
    /// The digest of its bytes.
    pub digest: Digest,
    /// How many bytes.
    pub size: i64,
}

impl From<File> for Frozen {
    fn from(file: File) -> Self {
        let File { path, version, digest, size, facts, .. } = file;
        Frozen { path, kind: facts.kind, version, digest, size }
    }
}

/// The key of a path: case does not distinguish paths.
pub fn key(path: &str) -> String {
    path.to_ascii_lowercase()
}

const FILE: &str = "path, version, digest, size, kind, title, valid, problems, updated_at, updated_by";

fn file(row: &Row) -> Result<File, StoreError> {
    Ok(File {
        path: row.text("path")?,
        version: row.int("version")?,
        digest: Digest::from_text(row.text("digest")?),
        size: row.int("size")?,
        facts: Facts {
            kind: row.text("kind")?,
            title: row.text("title")?,
            valid: row.yes("valid")?,
            problems: row.text("problems")?,
            hardware: Vec::new(),
        },
        updated_at: row.int("updated_at")?,
        updated_by: row.text("updated_by")?,
    })
}

fn version_of(row: &Row) -> Result<Version, StoreError> {
    Ok(Version {
        path: row.text("path")?,
        version: row.int("version")?,
        digest: Digest::from_text(row.text("digest")?),
        size: row.int("size")?,
        message: row.text("message")?,
        created_at: row.int("created_at")?,
        created_by: row.text("created_by")?,
    })
}
