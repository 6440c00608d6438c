//! Attributes of hardware entries in files of projects: the table that the catalogue is searched in.

use crate::database::{Database, Row, Tx};
use crate::error::StoreError;
use crate::id::Id;

/// An attribute of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attribute {
    pub name: String,
    /// What the entry is: `cpu`, `network`, ..
    pub kind: String,
    /// The attribute; empty in the one row of an entry that has none.
    pub attribute: String,
    /// Its value in SI base units, as JSON.
    pub value: String,
    /// The unit of the value.
    pub unit: String,
    /// `vendor`, `standard`, `derived`, `measured` or `assumed`.
    pub quality: String,
    /// The document, with its date.
    pub source: String,
    /// How it is computed, where it is derived.
    pub formula: Option<String>,
}

/// An attribute with the file that it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexed {
    /// The path of the file, in lower case.
    pub path_key: String,
    pub attribute: Attribute,
}

/// All attributes of the entries in a project's files, in the order of paths and within a file: of two entries of one
/// name the later wins.
///
/// # Errors
/// The database is away.
pub async fn of_project(database: &Database, project: &Id) -> Result<Vec<Indexed>, StoreError> {
    let rows = database
        .read(
            "SELECT path_key, name, kind, attribute, value, unit, quality, source, formula FROM hardware \
             WHERE project_id = $1 ORDER BY path_key, position",
            &[project.into()],
        )
        .await?;
    rows.iter().map(indexed).collect()
}

/// Replaces what a file holds.
pub(crate) async fn replace(
    tx: &mut Tx,
    project: &Id,
    path_key: &str,
    attributes: &[Attribute],
) -> Result<(), StoreError> {
    tx.execute("DELETE FROM hardware WHERE project_id = $1 AND path_key = $2", &[project.into(), path_key.into()])
        .await?;
    for (position, row) in (0i64..).zip(attributes) {
        tx.execute(
            "INSERT INTO hardware (project_id, path_key, position, name, kind, attribute, value, unit, quality, source, \
             formula) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            &[
                project.into(),
                path_key.into(),
                position.into(),
                (&row.name).into(),
                (&row.kind).into(),
                (&row.attribute).into(),
                (&row.value).into(),
                (&row.unit).into(),
                (&row.quality).into(),
                (&row.source).into(),
                row.formula.as_deref().into(),
            ],
        )
        .await?;
    }
    Ok(())
}

fn indexed(row: &Row) -> Result<Indexed, StoreError> {
    Ok(Indexed {
        path_key: row.text("path_key")?,
        attribute: Attribute {
            name: row.text("name")?,
            kind: row.text("kind")?,
            attribute: row.text("attribute")?,
            value: row.text("value")?,
            unit: row.text("unit")?,
            quality: row.text("quality")?,
            source: row.text("source")?,
            formula: row.maybe_text("formula")?,
        },
    })
}
