//! Saves that meet another one: `X-Runcast-Merge: auto` merges what both changed since the version that both had.

use crate::app::App;
use crate::etag;
use crate::kinds;
use crate::merge::{self, Conflict};
use crate::problem::ApiError;
use axum::http::{HeaderMap, StatusCode, header};
use runcast_core::Problem;
use runcast_store::files::{self, Change, Expect, File, NewFile};
use runcast_store::{Id, StoreError, blobs};

/// Asks for a merge.
const MERGE: &str = "x-runcast-merge";
/// How often others may be quicker.
const ATTEMPTS: usize = 4;

/// What was stored.
pub(super) struct Saved {
    pub file: File,
    pub change: Change,
    /// The bytes, where they are those of neither side.
    pub merged: Option<Vec<u8>>,
}

/// Whether a merge is asked for.
///
/// # Errors
/// Another word than `auto`.
pub(super) fn is_asked(headers: &HeaderMap) -> Result<bool, ApiError> {
    match headers.get(MERGE).map(|value| value.as_bytes()) {
        None => Ok(false),
        Some(b"auto") => Ok(true),
        Some(other) => {
            let problem = Problem::new("merge", "there is no such way to merge").at("X-Runcast-Merge");
            let problem = problem.value(String::from_utf8_lossy(other).into_owned()).allowed("auto");
            Err(ApiError { status: StatusCode::BAD_REQUEST, ..ApiError::invalid("merge", vec![problem]) })
        }
    }
}

/// Stores a file over the version that it was made from, or merges it with the one that came between.
///
/// # Errors
/// 412 with the places that both changed.
pub(super) async fn save(
    app: &App,
    project: &Id,
    user: &str,
    mine: NewFile,
    expect: &Expect,
    may_merge: bool,
) -> Result<Saved, ApiError> {
    let db = app.database();
    let first = files::put(db, project, user, &mine, expect).await;
    let (stale, base) = match first {
        Ok((file, change)) => return Ok(Saved { file, change, merged: None }),
        Err(error @ StoreError::Stale { .. }) if may_merge => (error, base(app, project, &mine.path, expect).await?),
        Err(error) => return Err(etag::refused(error)),
    };
    let (Some(base), Ok(text)) = (base, String::from_utf8(mine.bytes.clone())) else {
        return Err(etag::refused(stale));
    };
    let mut stale = stale;
    for _ in 0..ATTEMPTS {
        let Some(there) = files::get(db, project, &mine.path).await? else { return Err(etag::refused(stale)) };
        let Ok(theirs) = String::from_utf8(blobs::get(db, &there.digest).await?) else {
            return Err(etag::refused(stale));
        };
        let (path, base, my) = (mine.path.clone(), base.clone(), text.clone());
        let merged = kinds::blocking(move || merge::merge(&path, &base, &theirs, &my)).await?;
        let merged = merged.map_err(|conflicts| refused(&there, conflicts.iter().map(Conflict::problem).collect()))?;
        let (facts, bytes) = kinds::of_file(db, Some(project), &mine.path, merged.into_bytes()).await?;
        if !facts.valid && there.facts.valid && mine.facts.valid {
            return Err(refused(&there, kinds::problems(&facts)));
        }
        let new = NewFile { bytes, facts, ..mine.clone() };
        let now = Expect::Current(vec![(there.version, there.digest.short().to_string())]);
        match files::put(db, project, user, &new, &now).await {
            Ok((file, change)) => return Ok(Saved { file, change, merged: Some(new.bytes) }),
            Err(error @ StoreError::Stale { .. }) => stale = error,
            Err(error) => return Err(error.into()),
        }
    }
    Err(etag::refused(stale))
}

/// What a save of a draft made from a version would store: the draft merged with what came between. None: the draft as it is, since
/// nothing came between, or both changed the same, or there is no such version.
///
/// # Errors
/// The database is away.
pub(super) async fn ahead(
    app: &App,
    project: &Id,
    path: &str,
    tag: &str,
    draft: &str,
) -> Result<Option<String>, ApiError> {
    let db = app.database();
    let expect = Expect::Current(etag::read(tag).into_iter().collect());
    let Some(there) = files::get(db, project, path).await? else { return Ok(None) };
    if etag::shown(there.version, &there.digest) == tag {
        return Ok(None);
    }
    let Some(base) = base(app, project, path, &expect).await? else { return Ok(None) };
    let Ok(theirs) = String::from_utf8(blobs::get(db, &there.digest).await?) else { return Ok(None) };
    let (path, draft) = (path.to_owned(), draft.to_owned());
    kinds::blocking(move || merge::merge(&path, &base, &theirs, &draft).ok()).await
}

/// The text that a change was made from; none: it says no version, or one that never was.
async fn base(app: &App, project: &Id, path: &str, expect: &Expect) -> Result<Option<String>, ApiError> {
    let Expect::Current(tags) = expect else { return Ok(None) };
    for (number, digest) in tags {
        match files::version(app.database(), project, path, *number).await {
            Ok(version) if version.digest.short() == digest.as_str() => {
                return Ok(String::from_utf8(blobs::get(app.database(), &version.digest).await?).ok());
            }
            Ok(_) | Err(StoreError::Missing { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// 412 with the places, and the tag of what is there.
fn refused(there: &File, problems: Vec<Problem>) -> ApiError {
    let detail = format!("version {} changed the same: nothing was stored", there.version);
    let error = ApiError { problems, ..ApiError::new(StatusCode::PRECONDITION_FAILED, "stale", detail) };
    error.header(header::ETAG, etag::shown(there.version, &there.digest))
}
