//! Lists of results: searched, filtered and sorted by the database.

use crate::database::{Database, Row, Value};
use crate::error::StoreError;
use crate::id::Id;
use crate::jobs::{Job, State, job_of, json};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Words that a search looks for, at most.
const MOST_WORDS: usize = 8;

/// What is known of a result beside its job.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// The answer in one sentence.
    pub sentence: Option<String>,
    /// Its first picture, small: the path of an SVG of 100 by 40.
    pub thumbnail: Option<String>,
    /// Of each column its value, or its ends.
    pub columns: Json,
    /// What a search finds it by, beside title and command; in lower case.
    pub words: String,
}

/// A result in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub job: Job,
    /// None: they were not made yet.
    pub facts: Option<Facts>,
    /// What the next page begins after, beside the id.
    pub key: Key,
}

/// What a list is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// When it was launched.
    Created,
    /// When it ended.
    Finished,
    Title,
    Command,
    State,
    /// Who launched it.
    By,
    /// Points that are there.
    Points,
}

/// The value of a result in what a list is sorted by.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum Key {
    Number(i64),
    Text(String),
}

/// Which results are asked for.
#[derive(Debug, Clone)]
pub struct Filter {
    pub project: Id,
    /// All of its words are in title, command, columns or labels.
    pub search: String,
    /// The first words of the command: `sim sweep`.
    pub kind: String,
    pub state: Option<State>,
    pub sort: Sort,
    /// Whether the largest come first.
    pub falling: bool,
    /// What the page before ended with.
    pub after: Option<(Key, Id)>,
    pub limit: i64,
}

impl Sort {
    /// The expression that it sorts by.
    fn expression(self) -> &'static str {
        match self {
            Sort::Created => "j.created_at",
            Sort::Finished => "COALESCE(j.finished_at, 9000000000000000000)",
            Sort::Title => "LOWER(j.title)",
            Sort::Command => "j.argv",
            Sort::State => "j.state",
            Sort::By => "LOWER(u.name)",
            Sort::Points => "j.points_done",
        }
    }

    fn is_text(self) -> bool {
        matches!(self, Sort::Title | Sort::Command | Sort::State | Sort::By)
    }
}

/// A page of results.
///
/// # Errors
/// The database is away.
pub async fn page(db: &Database, filter: &Filter) -> Result<Vec<Listed>, StoreError> {
    let key = filter.sort.expression();
    let mut values: Vec<Value> = vec![(&filter.project).into(), filter.limit.into()];
    let mut next = |value: Value| {
        values.push(value);
        format!("${}", values.len())
    };
    let mut statement = format!(
        "SELECT j.*, p.name AS project_name, u.name AS user_name, {key} AS sort_key, f.sentence AS sentence, \
         f.thumbnail AS thumbnail, f.columns AS columns, f.words AS words FROM jobs j \
         JOIN projects p ON p.id = j.project_id JOIN users u ON u.id = j.user_id \
         LEFT JOIN result_facts f ON f.job_id = j.id AND f.finished_at = j.finished_at WHERE j.project_id = $1"
    );
    if let Some(state) = filter.state {
        let place = next(state.name().into());
        let _ = write!(statement, " AND j.state = {place}");
    }
    let command: Vec<&str> = filter.kind.split_whitespace().collect();
    if !command.is_empty() {
        // As the database keeps it: a list in JSON, of which these are the first words.
        let start = serde_json::to_string(&command).unwrap_or_default();
        let place = next(format!("{}%", escaped(start.trim_end_matches(']'))).into());
        let _ = write!(statement, " AND j.argv LIKE {place} ESCAPE '!'");
    }
    for word in filter.search.split_whitespace().take(MOST_WORDS) {
        let place = next(format!("%{}%", escaped(&word.to_lowercase())).into());
        let _ = write!(
            statement,
            " AND (LOWER(j.title) LIKE {place} ESCAPE '!' OR LOWER(j.argv) LIKE {place} ESCAPE '!' \
             OR COALESCE(f.words, '') LIKE {place} ESCAPE '!')"
        );
    }
    let (than, order) = if filter.falling { ("<", "DESC") } else { (">", "ASC") };
    if let Some((last, id)) = &filter.after {
        let value = match (last, filter.sort.is_text()) {
            (Key::Text(text), true) => text.clone().into(),
            (Key::Number(number), false) => (*number).into(),
            _ => return Ok(Vec::new()),
        };
        let (last, id) = (next(value), next(id.into()));
        let _ = write!(statement, " AND ({key} {than} {last} OR ({key} = {last} AND j.id {than} {id}))");
    }
    let _ = write!(statement, " ORDER BY sort_key {order}, j.id {order} LIMIT $2");
    let rows = db.read_text(Cow::Owned(statement), &values).await?;
    rows.iter().map(|row| listed(row, filter.sort)).collect()
}

/// Jobs that have ended and of which no facts are known, the newest first.
///
/// # Errors
/// The database is away.
pub async fn without_facts(db: &Database, project: &Id, limit: i64) -> Result<Vec<Id>, StoreError> {
    let rows = db
        .read(
            "SELECT j.id AS id FROM jobs j LEFT JOIN result_facts f ON f.job_id = j.id AND f.finished_at = j.finished_at \
             WHERE j.project_id = $1 AND j.finished_at IS NOT NULL AND f.job_id IS NULL ORDER BY j.id DESC LIMIT $2",
            &[project.into(), limit.into()],
        )
        .await?;
    rows.iter().map(|row| Ok(crate::jobs::id_of(row.text("id")?))).collect()
}

/// Keeps what is known of a result.
///
/// # Errors
/// The database is away.
pub async fn put_facts(db: &Database, job: &Id, finished_at: i64, facts: &Facts) -> Result<(), StoreError> {
    // The job may be deleted meanwhile: then there is nothing to keep.
    db.write(
        "INSERT INTO result_facts (job_id, finished_at, sentence, thumbnail, columns, words) \
         SELECT id, $2, $3, $4, $5, $6 FROM jobs WHERE id = $1 \
         ON CONFLICT (job_id) DO UPDATE SET finished_at = excluded.finished_at, sentence = excluded.sentence, \
         thumbnail = excluded.thumbnail, columns = excluded.columns, words = excluded.words",
        &[
            job.into(),
            finished_at.into(),
            facts.sentence.clone().into(),
            facts.thumbnail.clone().into(),
            facts.columns.to_string().into(),
            facts.words.clone().into(),
        ],
    )
    .await
    .map(|_| ())
}

/// For `LIKE`, where `!` says that a letter means itself.
fn escaped(text: &str) -> String {
    text.replace('!', "!!").replace('%', "!%").replace('_', "!_")
}

fn listed(row: &Row, sort: Sort) -> Result<Listed, StoreError> {
    let columns = row.maybe_text("columns")?;
    let facts = columns.map(|columns| -> Result<Facts, StoreError> {
        Ok(Facts {
            sentence: row.maybe_text("sentence")?,
            thumbnail: row.maybe_text("thumbnail")?,
            columns: json(&columns)?,
            words: row.text("words")?,
        })
    });
    let key = match sort.is_text() {
        true => Key::Text(row.text("sort_key")?),
        false => Key::Number(row.int("sort_key")?),
    };
    Ok(Listed { job: job_of(row)?, facts: facts.transpose()?, key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_mean_something_to_the_database_mean_themselves() {
        assert_eq!(escaped("50%_a!"), "50!%!_a!!");
    }
}
