//! Projects and their files, on the wire.

use crate::kinds;
use crate::wire::time;
use crate::wire::trouble::Trouble;
use runcast_core::Problem;
use runcast_store::files::{Applied, File, Version};
use serde::{Deserialize, Serialize};

/// A new project.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewProject {
    /// Its name, as in addresses: letters, digits, `.`, `_` and `-`.
    #[cfg_attr(test, schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$"))]
    pub name: String,
    /// Its title for people; the name when absent.
    #[serde(default)]
    #[cfg_attr(test, schema(max_length = 200))]
    pub title: Option<String>,
}

/// Another name or title of a project.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ProjectChange {
    /// The new name.
    #[serde(default)]
    #[cfg_attr(test, schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$"))]
    pub name: Option<String>,
    /// The new title.
    #[serde(default)]
    #[cfg_attr(test, schema(max_length = 200))]
    pub title: Option<String>,
    /// Whether viewers may comment.
    #[serde(default)]
    pub viewers_comment: Option<bool>,
}

/// A project.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ProjectView {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What the caller may do in it: `viewer`, `author`, `owner`.
    pub role: String,
    /// When it was made.
    pub created_at: String,
    /// Who made it.
    pub created_by: String,
    /// Whether viewers may comment.
    pub viewers_comment: bool,
}

/// A file as it is now.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct FileItem {
    /// Its path.
    pub path: String,
    /// What it is: `system`, `table`, .., `other`.
    pub kind: String,
    /// The number of the current version.
    pub version: i64,
    /// `sha256:` and the digest of its bytes.
    pub digest: String,
    /// How many bytes.
    pub bytes: i64,
    /// Whether it can be read as what it is.
    pub valid: bool,
    /// Its title.
    pub title: String,
    /// When it was changed last.
    pub updated_at: String,
    /// Who changed it.
    pub updated_by: String,
}

/// A file with what is wrong with it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct FileAnswer {
    /// The file.
    #[serde(flatten)]
    pub item: FileItem,
    /// What is wrong with it.
    pub problems: Vec<Trouble>,
}

/// A version of a file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct VersionItem {
    /// Its number.
    pub version: i64,
    /// `sha256:` and the digest of its bytes.
    pub digest: String,
    /// How many bytes.
    pub bytes: i64,
    /// Why it was made; may be empty.
    pub message: String,
    /// When.
    pub created_at: String,
    /// Who made it.
    pub created_by: String,
    /// Ids of the newest jobs that used it (100 at most).
    pub used_by: Vec<String>,
}

/// Which files, in which order.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub struct FilesQuery {
    /// Only of this kind.
    pub kind: Option<String>,
    /// Only with this in path or title, without regard to case.
    pub q: Option<String>,
    /// `path` (the default), `title`, `kind`, `bytes` or `updated_at`; with `-` before it the other way round.
    pub sort: Option<String>,
    /// How many items (1 to 500).
    #[cfg_attr(test, param(default = 50, minimum = 1, maximum = 500))]
    pub limit: Option<i64>,
    /// Where to go on: `next` of the page before.
    pub cursor: Option<String>,
}

/// Which version of a file.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub struct VersionQuery {
    /// The version; the current one when absent.
    pub version: Option<i64>,
}

/// A move of a file.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Its path.
    pub from: String,
    /// The path it gets.
    pub to: String,
}

/// How an archive is taken in.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub struct ArchiveQuery {
    /// `merge`: other files stay; `replace`: they are deleted.
    #[serde(default)]
    pub mode: ArchiveMode,
    /// Only reports what would happen.
    #[serde(default)]
    pub dry_run: bool,
}

/// What happens to files that are not in an archive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ArchiveMode {
    /// They stay.
    #[default]
    Merge,
    /// They are deleted.
    Replace,
}

/// What an archive changed, or would change.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ArchiveAnswer {
    /// Paths of new files.
    pub created: Vec<String>,
    /// Paths of files with a new version.
    pub changed: Vec<String>,
    /// Paths of files that had these bytes.
    pub unchanged: Vec<String>,
    /// Paths of files that were deleted.
    pub removed: Vec<String>,
    /// What is wrong with the files, which are stored all the same.
    pub problems: Vec<Trouble>,
}

/// A content to be looked at.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Validate {
    /// The path that it would have.
    pub path: String,
    /// The content.
    pub content: String,
    /// The project whose hardware entries it may name.
    #[serde(default)]
    pub project: Option<String>,
}

/// What was found.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Validation {
    /// Whether it can be read as what it is.
    pub valid: bool,
    /// What it is.
    pub kind: String,
    /// What is wrong with it.
    pub problems: Vec<Trouble>,
}

/// Which entries of the catalogue.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub struct CatalogueQuery {
    /// Only with this in the name, without regard to case.
    pub q: Option<String>,
    /// Only of this kind: `cpu`, `gpu`, `network`, ..
    pub kind: Option<String>,
    /// `name` (the default), `kind`, `origin` or an attribute; with `-` before it the other way round.
    pub sort: Option<String>,
    /// With the entries of this project.
    pub project: Option<String>,
    /// How many items (1 to 500).
    #[cfg_attr(test, param(default = 50, minimum = 1, maximum = 500))]
    pub limit: Option<i64>,
    /// Where to go on: `next` of the page before.
    pub cursor: Option<String>,
}

/// An entry of the catalogue.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct CatalogueItem {
    /// What files write as `hardware`.
    pub name: String,
    /// `cpu`, `gpu`, `network`, ..
    pub kind: String,
    /// `built-in`, `site` or `project`: the last of these that has the entry.
    pub origin: String,
    /// Its attributes.
    pub attributes: Vec<CatalogueAttribute>,
}

/// An attribute of an entry.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct CatalogueAttribute {
    /// Its key.
    pub attribute: String,
    /// Its value, in SI base units.
    pub value: serde_json::Value,
    /// The unit of the value.
    pub unit: String,
    /// `vendor`, `standard`, `derived`, `measured` or `assumed`.
    pub quality: String,
    /// The document, with its date.
    pub source: String,
    /// How it is computed, where it is derived.
    pub formula: Option<String>,
}

/// Files to start from.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct TemplateItem {
    /// Its name.
    pub name: String,
    /// What it is, in a line.
    pub title: String,
    /// Its files, for a folder of their own.
    pub files: Vec<TemplateFile>,
}

/// A file of a template.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct TemplateFile {
    /// Its path in the folder.
    pub path: String,
    /// Its content.
    pub content: String,
}

impl From<&File> for FileItem {
    fn from(file: &File) -> Self {
        FileItem {
            path: file.path.clone(),
            kind: file.facts.kind.clone(),
            version: file.version,
            digest: file.digest.to_string(),
            bytes: file.size,
            valid: file.facts.valid,
            title: file.facts.title.clone(),
            updated_at: time::shown(file.updated_at),
            updated_by: file.updated_by.clone(),
        }
    }
}

impl From<&File> for FileAnswer {
    fn from(file: &File) -> Self {
        FileAnswer { item: file.into(), problems: Trouble::all(&kinds::problems(&file.facts)) }
    }
}

impl VersionItem {
    /// A version, and the jobs that used it.
    pub fn of(version: Version, used_by: Vec<String>) -> Self {
        VersionItem {
            version: version.version,
            digest: version.digest.to_string(),
            bytes: version.size,
            message: version.message,
            created_at: time::shown(version.created_at),
            created_by: version.created_by,
            used_by,
        }
    }
}

impl ArchiveAnswer {
    /// What was done, and what is wrong with the files.
    pub fn of(applied: Applied, problems: &[Problem]) -> Self {
        let Applied { created, changed, unchanged, removed } = applied;
        ArchiveAnswer { created, changed, unchanged, removed, problems: Trouble::all(problems) }
    }
}
