//! Files of a project in an order, page by page.

use super::{FILE, File, file};
use crate::database::{Database, Value};
use crate::error::StoreError;
use crate::id::Id;
use std::borrow::Cow;

/// Sort key of files; paths break ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    #[default]
    Path,
    Title,
    Kind,
    Size,
    /// When they were changed.
    Updated,
}

/// Which files, and in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Only this kind.
    pub kind: Option<String>,
    /// Only those with this in path or title, without regard to case.
    pub text: Option<String>,
    pub sort: Sort,
    /// The last first.
    pub backwards: bool,
    /// Only those behind this one.
    pub after: Option<Cursor>,
}

/// A place in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// Sort key of the last file seen.
    pub value: String,
    pub path: String,
}

impl Sort {
    fn column(self) -> &'static str {
        match self {
            Sort::Path => "path_key",
            Sort::Title => "title_key",
            Sort::Kind => "kind",
            Sort::Size => "size",
            Sort::Updated => "updated_at",
        }
    }

    fn is_number(self) -> bool {
        matches!(self, Sort::Size | Sort::Updated)
    }
}

impl Listing {
    /// The place of a file in this list.
    pub fn place(&self, file: &File) -> Cursor {
        let value = match self.sort {
            Sort::Path => super::key(&file.path),
            Sort::Title => file.facts.title.to_lowercase(),
            Sort::Kind => file.facts.kind.clone(),
            Sort::Size => file.size.to_string(),
            Sort::Updated => file.updated_at.to_string(),
        };
        Cursor { value, path: super::key(&file.path) }
    }
}

/// A page of files.
///
/// # Errors
/// [`StoreError::State`] for a cursor of another list; or the database is away.
pub async fn list(database: &Database, project: &Id, listing: &Listing, limit: i64) -> Result<Vec<File>, StoreError> {
    let column = listing.sort.column();
    let (order, than) = if listing.backwards { ("DESC", "<") } else { ("ASC", ">") };
    let mut values: Vec<Value> = vec![project.into(), limit.into()];
    let mut statement = format!("SELECT {FILE} FROM files WHERE project_id = $1");
    if let Some(kind) = &listing.kind {
        values.push(kind.into());
        statement += &format!(" AND kind = ${}", values.len());
    }
    if let Some(text) = &listing.text {
        values.push(pattern(text).into());
        let n = values.len();
        statement += &format!(" AND (path_key LIKE ${n} ESCAPE '!' OR title_key LIKE ${n} ESCAPE '!')");
    }
    if let Some(cursor) = &listing.after {
        if listing.sort.is_number() {
            let number = cursor.value.parse::<i64>().map_err(|_| StoreError::State("no place of this list".into()))?;
            values.push(number.into());
        } else {
            values.push((&cursor.value).into());
        }
        values.push((&cursor.path).into());
        let n = values.len();
        statement += &format!(" AND ({column}, path_key) {than} (${}, ${n})", n - 1);
    }
    statement += &format!(" ORDER BY {column} {order}, path_key {order} LIMIT $2");
    let rows = database.read_text(Cow::Owned(statement), &values).await?;
    rows.iter().map(file).collect()
}

/// What `LIKE` finds this text with.
fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.to_lowercase().chars().filter(|letter| *letter != '\0') {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern + "%"
}
