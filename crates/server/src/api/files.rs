//! Files of a project.

use crate::api::merging::{self, Saved};
use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right};
use crate::etag;
use crate::extract::{ApiBytes, ApiJson, ApiPath, ApiQuery};
use crate::kinds;
use crate::path;
use crate::problem::ApiError;
use crate::wire::files::{FileAnswer, FileItem, FilesQuery, Move, VersionItem, VersionQuery};
use crate::wire::{Items, Page};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use runcast_commands::kinds::Kind;
use runcast_core::Problem;
use runcast_store::files::{self, Change, Cursor, Listing, NewFile, Sort};
use runcast_store::{Digest, Id, blobs};

/// Bytes of a file, at most.
pub const LARGEST_FILE: usize = 64 << 20;
/// The most jobs that a version lists as its users.
const MOST_JOBS: i64 = 100;
/// Characters of a message, at most.
const LONGEST_MESSAGE: usize = 1000;
/// Why a version was made: what a browser cannot put into a header comes as `%C3%A9`.
const MESSAGE: &str = "x-runcast-message";

/// `/projects/{p}/files`, `/versions` and `/move`.
pub fn routes() -> Operations {
    let raw = operations! {
        get "/projects/{p}/files/{*path}" => read,
        put "/projects/{p}/files/{*path}" => put,
        delete "/projects/{p}/files/{*path}" => remove,
    };
    let others = operations! {
        get "/projects/{p}/files" => list,
        get "/projects/{p}/versions/{*path}" => versions,
        post "/projects/{p}/move" => rename,
    };
    raw.body_limit(LARGEST_FILE).merge(others)
}

/// The files of a project.
#[cfg_attr(test, utoipa::path(get, path = "/projects/{p}/files", tag = "files",
    params(("p" = String, Path, description = "the project"), FilesQuery),
    extensions(("x-rights" = json!("project-view"))),
    responses(
        (status = 200, body = Items<FileItem>),
    )))]
async fn list(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiQuery(query): ApiQuery<FilesQuery>,
) -> Result<Json<Items<FileItem>>, ApiError> {
    let project = caller.enter(&app, &project, Right::View).await?;
    let page = Page { limit: query.limit, cursor: query.cursor.clone() };
    let limit = page.limit()?;
    let (sort, backwards) = sort(query.sort.as_deref())?;
    let after = page.after::<(String, String)>()?.map(|(value, path)| Cursor { value, path });
    let listing = Listing { kind: kind(query.kind)?, text: query.q, sort, backwards, after };
    let found = files::list(app.database(), &project.id, &listing, limit + 1).await;
    let found = found.map_err(|error| match error {
        runcast_store::StoreError::State(text) => ApiError::new(StatusCode::BAD_REQUEST, "cursor", text),
        error => error.into(),
    })?;
    let key = |file: &files::File| {
        let place = listing.place(file);
        (place.value, place.path)
    };
    Ok(Json(Items::of(found, limit, key, |file| FileItem::from(&file))))
}

/// The bytes of a file.
#[cfg_attr(test, utoipa::path(get, path = "/projects/{p}/files/{*path}", tag = "files",
    params(
        ("p" = String, Path, description = "the project"),
        ("path" = String, Path, description = "the path of the file"),
        VersionQuery,
        ("If-None-Match" = Option<String>, Header, description = "the ETag that the reader has"),
    ),
    extensions(("x-rights" = json!("project-view"))),
    responses(
        (status = 200, description = "the bytes as they are", content_type = "application/octet-stream", body = Vec<u8>),
        (status = 304, description = "the reader has them"),
    )))]
async fn read(
    State(app): State<App>,
    caller: Caller,
    ApiPath((project, path)): ApiPath<(String, String)>,
    ApiQuery(query): ApiQuery<VersionQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let project = caller.enter(&app, &project, Right::View).await?;
    path::check(&path, "path")?;
    let (version, digest) = which(&app, &project.id, &path, query.version).await?;
    let tag = etag::shown(version, &digest);
    if etag::is_known(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    let bytes = blobs::get(app.database(), &digest).await?;
    let name = path.rsplit('/').next().unwrap_or_default();
    // Whatever it is, a browser shows it as text or saves it: never as a page of ours.
    let media =
        if std::str::from_utf8(&bytes).is_ok() { "text/plain; charset=utf-8" } else { "application/octet-stream" };
    let headers = [
        (header::ETAG, tag),
        (header::CONTENT_TYPE, media.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox; frame-ancestors 'none'".to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::CACHE_CONTROL, "private, no-cache".to_owned()),
    ];
    Ok((headers, bytes).into_response())
}

/// Stores a file: over the version that `If-Match` names, or as a new one with `If-None-Match: *`.
///
/// With `X-Runcast-Merge: auto`, what others have changed since that version is merged with it: the answer is then the merged
/// bytes, with `X-Runcast-Merged: true`. What both changed is 412 with the places.
#[cfg_attr(test, utoipa::path(put, path = "/projects/{p}/files/{*path}", tag = "files",
    params(
        ("p" = String, Path, description = "the project"),
        ("path" = String, Path, description = "the path of the file"),
        ("If-Match" = Option<String>, Header, description = "the ETag of the version that this replaces"),
        ("If-None-Match" = Option<String>, Header, description = "`*`: the file is new"),
        ("X-Runcast-Message" = Option<String>, Header, description = "why; other than ASCII as %C3%A9"),
        ("X-Runcast-Merge" = Option<String>, Header, description = "`auto`: merges with what came between"),
    ),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "the bytes, of whatever type"),
    extensions(("x-rights" = json!("project-author"))),
    responses(
        (status = 200, body = FileAnswer, description = "it has a new version, or had these bytes"),
        (status = 201, body = FileAnswer, description = "it is new"),
        (status = 412, body = crate::problem::ProblemBody, content_type = "application/problem+json"),
        (status = 428, body = crate::problem::ProblemBody, content_type = "application/problem+json"),
    )))]
async fn put(
    State(app): State<App>,
    caller: Caller,
    ApiPath((project, path)): ApiPath<(String, String)>,
    headers: HeaderMap,
    ApiBytes(body): ApiBytes,
) -> Result<Response, ApiError> {
    let project = caller.enter(&app, &project, Right::Author).await?;
    path::check(&path, "path")?;
    let expect = etag::expected(&headers)?;
    let (facts, bytes) = kinds::of_file(app.database(), Some(&project.id), &path, body.into()).await?;
    let new = NewFile { path, bytes, facts, message: message(&headers)? };
    let is_hardware = new.facts.kind == Kind::Hardware.word();
    let may_merge = merging::is_asked(&headers)?;
    let Saved { file, change, merged } =
        merging::save(&app, &project.id, &caller.name, new, &expect, may_merge).await?;
    if is_hardware && change != Change::Unchanged {
        kinds::look_again(app.database(), &project.id).await?;
    }
    let status = if change == Change::Created { StatusCode::CREATED } else { StatusCode::OK };
    let tag = etag::shown(file.version, &file.digest);
    if let Some(bytes) = merged {
        let headers = [
            (header::ETAG, tag),
            (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
            (header::HeaderName::from_static("x-runcast-merged"), "true".to_owned()),
        ];
        return Ok((headers, bytes).into_response());
    }
    Ok((status, [(header::ETAG, tag)], Json(FileAnswer::from(&file))).into_response())
}

/// Deletes a file. Its versions stay, and so does what jobs have frozen.
#[cfg_attr(test, utoipa::path(delete, path = "/projects/{p}/files/{*path}", tag = "files",
    params(
        ("p" = String, Path, description = "the project"),
        ("path" = String, Path, description = "the path of the file"),
        ("If-Match" = Option<String>, Header, description = "the ETag of the version that is deleted"),
    ),
    extensions(("x-rights" = json!("project-author"))),
    responses(
        (status = 204, description = "deleted"),
        (status = 412, body = crate::problem::ProblemBody, content_type = "application/problem+json"),
        (status = 428, body = crate::problem::ProblemBody, content_type = "application/problem+json"),
        crate::openapi::Unreadable,
    )))]
async fn remove(
    State(app): State<App>,
    caller: Caller,
    ApiPath((project, path)): ApiPath<(String, String)>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    let project = caller.enter(&app, &project, Right::Author).await?;
    path::check(&path, "path")?;
    let expect = etag::expected(&headers)?;
    let gone = files::delete(app.database(), &project.id, &path, &expect).await.map_err(etag::refused)?;
    if gone.facts.kind == Kind::Hardware.word() {
        kinds::look_again(app.database(), &project.id).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// The versions of a path, the newest first; also of one that was deleted.
#[cfg_attr(test, utoipa::path(get, path = "/projects/{p}/versions/{*path}", tag = "files",
    params(
        ("p" = String, Path, description = "the project"),
        ("path" = String, Path, description = "the path of the file"),
        Page,
    ),
    extensions(("x-rights" = json!("project-view"))),
    responses(
        (status = 200, body = Items<VersionItem>),
    )))]
async fn versions(
    State(app): State<App>,
    caller: Caller,
    ApiPath((project, path)): ApiPath<(String, String)>,
    ApiQuery(page): ApiQuery<Page>,
) -> Result<Json<Items<VersionItem>>, ApiError> {
    let project = caller.enter(&app, &project, Right::View).await?;
    path::check(&path, "path")?;
    let (limit, before) = (page.limit()?, page.after::<i64>()?);
    let found = files::versions(app.database(), &project.id, &path, before.unwrap_or(i64::MAX), limit + 1).await?;
    if found.is_empty() && before.is_none() {
        return Err(ApiError::missing("file", &path));
    }
    let mut used = Vec::with_capacity(found.len());
    for version in found {
        let jobs = files::versions_used(app.database(), &project.id, &version, MOST_JOBS).await?;
        used.push((version, jobs));
    }
    let show = |(version, jobs)| VersionItem::of(version, jobs);
    Ok(Json(Items::of(used, limit, |(version, _)| version.version, show)))
}

/// Gives a file another path, where it begins with versions of its own.
#[cfg_attr(test, utoipa::path(post, path = "/projects/{p}/move", tag = "files", request_body = Move,
    params(("p" = String, Path, description = "the project")),
    extensions(("x-rights" = json!("project-author"))),
    responses(
        (status = 200, body = FileAnswer),
        crate::openapi::Conflict,
    )))]
async fn rename(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiJson(body): ApiJson<Move>,
) -> Result<Response, ApiError> {
    let project = caller.enter(&app, &project, Right::Author).await?;
    path::check(&body.from, "/from")?;
    path::check(&body.to, "/to")?;
    let (before, bytes) = files::read(app.database(), &project.id, &body.from).await?;
    let (facts, _) = kinds::of_file(app.database(), Some(&project.id), &body.to, bytes).await?;
    let is_hardware = [&before.facts.kind, &facts.kind].contains(&&Kind::Hardware.word().to_owned());
    let moved = files::rename(app.database(), &project.id, &caller.name, &before, &body.to, &facts).await;
    let moved = moved.map_err(etag::refused)?;
    if is_hardware {
        kinds::look_again(app.database(), &project.id).await?;
    }
    let tag = etag::shown(moved.version, &moved.digest);
    Ok(([(header::ETAG, tag)], Json(FileAnswer::from(&moved))).into_response())
}

/// The version that is asked for, and its digest.
async fn which(app: &App, project: &Id, path: &str, version: Option<i64>) -> Result<(i64, Digest), ApiError> {
    match version {
        Some(number) => {
            let found = files::version(app.database(), project, path, number).await?;
            Ok((found.version, found.digest))
        }
        None => {
            let found = files::get(app.database(), project, path).await?;
            let found = found.ok_or_else(|| ApiError::missing("file", path))?;
            Ok((found.version, found.digest))
        }
    }
}

fn sort(text: Option<&str>) -> Result<(Sort, bool), ApiError> {
    let text = text.filter(|text| !text.is_empty()).unwrap_or("path");
    let (name, backwards) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
    let sort = match name {
        "path" => Sort::Path,
        "title" => Sort::Title,
        "kind" => Sort::Kind,
        "bytes" => Sort::Size,
        "updated_at" => Sort::Updated,
        _ => {
            let problem = Problem::new("sort", "files are not in order of this").at("sort").value(text);
            let problem = problem.allowed("path, title, kind, bytes or updated_at, with - before it backwards");
            return Err(ApiError::invalid("sort", vec![problem]));
        }
    };
    Ok((sort, backwards))
}

fn kind(word: Option<String>) -> Result<Option<String>, ApiError> {
    match word.filter(|word| !word.is_empty()) {
        Some(word) if Kind::parse(&word).is_none() => {
            let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
            let problem = Problem::new("kind", "there is no such kind of file").at("kind").value(word);
            Err(ApiError::invalid("kind", vec![problem.allowed(kinds.join(", "))]))
        }
        word => Ok(word),
    }
}

/// Why a version was made.
pub(super) fn message(headers: &HeaderMap) -> Result<String, ApiError> {
    let raw = headers.get(MESSAGE).map(HeaderValue::as_bytes).unwrap_or_default();
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((&first, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|_| first == b'%').and_then(|two| std::str::from_utf8(two).ok());
        match digits.filter(|two| two.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            Some(two) => {
                bytes.push(u8::from_str_radix(two, 16).unwrap_or(b'?'));
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let clean: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if clean.chars().count() > LONGEST_MESSAGE {
        let problem = Problem::new("message", "the message is too long").at("X-Runcast-Message");
        return Err(ApiError::invalid("message", vec![problem.value(clean).allowed("1000 characters at most")]));
    }
    Ok(clean.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line_of_text() {
        let read = |text: &'static [u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(MESSAGE, HeaderValue::from_bytes(text).expect("a header"));
            message(&headers)
        };
        assert_eq!(read(b"caf%C3%A9, 100 % and 5%").expect("a text"), "café, 100 % and 5%");
        assert_eq!(read(b"a%0d%0aSet-Cookie: x%00").expect("a text"), "a  Set-Cookie: x");
        assert_eq!(read("é".as_bytes()).expect("a text"), "é");
        assert_eq!(message(&HeaderMap::new()).expect("none"), "");
    }
}
