//! All files of a project as an archive.

use crate::api::files::message;
use crate::api::{Operations, operations};
use crate::app::App;
use crate::archive::{self, MOST_BYTES, Refused, Writer};
use crate::auth::{Caller, Right};
use crate::etag;
use crate::exchange;
use crate::extract::{ApiBytes, ApiPath, ApiQuery, media_type};
use crate::kinds;
use crate::problem::ApiError;
use crate::wire::files::{ArchiveAnswer, ArchiveMode, ArchiveQuery};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use runcast_commands::kinds::Kind;
use runcast_store::{StoreError, blobs, files};
use std::fs::File;
use std::io::Seek;
use tokio::sync::mpsc;
use tokio_util::io::ReaderStream;

/// The media type of an archive.
const ZIP: &str = "application/zip";

/// `/projects/{p}/archive`.
pub fn routes() -> Operations {
    let most = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    let both = operations! {
        get "/projects/{p}/archive" => get,
        post "/projects/{p}/archive" => post,
    };
    both.body_limit(most)
}

/// All files of a project as a zip archive, with the site's entries and the command lines (`run.sh`) of its jobs.
#[cfg_attr(test, utoipa::path(get, path = "/projects/{p}/archive", tag = "files",
    params(("p" = String, Path, description = "the project")),
    extensions(("x-rights" = json!("project-view"))),
    responses(
        (status = 200, description = "the archive", content_type = "application/zip", body = Vec<u8>),
    )))]
async fn get(State(app): State<App>, caller: Caller, ApiPath(project): ApiPath<String>) -> Result<Response, ApiError> {
    let project = caller.enter(&app, &project, Right::View).await?;
    let folder = exchange::folder(app.database(), &project.id).await?;
    // At most two files are in memory at once, however large the project is.
    let (send, mut receive) = mpsc::channel::<(String, Vec<u8>)>(1);
    let writing = tokio::task::spawn_blocking(move || -> std::io::Result<File> {
        let mut writer = Writer::new(tempfile::tempfile()?);
        while let Some((path, bytes)) = receive.blocking_recv() {
            writer.add(&path, &bytes)?;
        }
        let mut file = writer.finish()?;
        file.rewind()?;
        Ok(file)
    });
    for (path, digest) in folder.files {
        let bytes = blobs::get(app.database(), &digest).await?;
        // A writer that has given up says why at its end.
        if send.send((path, bytes)).await.is_err() {
            break;
        }
    }
    if folder.has_jobs {
        let _ = send.send((folder.script.to_owned(), folder.text.into_bytes())).await;
    }
    drop(send);
    let file =
        writing.await.map_err(|error| undone(&error.to_string()))?.map_err(|error| undone(&error.to_string()))?;
    let body = Body::from_stream(ReaderStream::new(tokio::fs::File::from_std(file)));
    let headers = [
        (header::CONTENT_TYPE, ZIP.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}.zip\"", project.name)),
    ];
    Ok((headers, body).into_response())
}

/// Takes in the files of a zip archive: all of them, or none when one is refused.
#[cfg_attr(test, utoipa::path(post, path = "/projects/{p}/archive", tag = "files",
    params(
        ("p" = String, Path, description = "the project"),
        ArchiveQuery,
        ("X-Runcast-Message" = Option<String>, Header, description = "why; other than ASCII as %C3%A9"),
    ),
    request_body(content = Vec<u8>, content_type = "application/zip"),
    extensions(("x-rights" = json!("project-author"))),
    responses(
        (status = 200, body = ArchiveAnswer),
    )))]
async fn post(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiQuery(query): ApiQuery<ArchiveQuery>,
    headers: HeaderMap,
    ApiBytes(body): ApiBytes,
) -> Result<Json<ArchiveAnswer>, ApiError> {
    let project = caller.enter(&app, &project, Right::Author).await?;
    media_type(&headers, ZIP)?;
    let message = match message(&headers)? {
        none if none.is_empty() => "from an archive".to_owned(),
        message => message,
    };
    let mut contents = kinds::blocking(move || archive::read(&body)).await?.map_err(refused)?;
    contents.retain(|(path, bytes)| !exchange::is_script(path, bytes));
    let new = kinds::of_files(app.database(), &project.id, contents, message).await?;
    let problems = new.iter().flat_map(|file| kinds::problems(&file.facts)).take(1000).collect::<Vec<_>>();
    let replace = query.mode == ArchiveMode::Replace;
    let applied = files::apply(app.database(), &project.id, &caller.name, &new, replace, query.dry_run).await;
    let applied = applied.map_err(|error| match error {
        StoreError::Stale { .. } => etag::refused(error),
        error => error.into(),
    })?;
    let hardware = new.iter().any(|file| file.facts.kind == Kind::Hardware.word());
    if !query.dry_run && (hardware || !applied.removed.is_empty()) {
        kinds::look_again(app.database(), &project.id).await?;
    }
    Ok(Json(ArchiveAnswer::of(applied, &problems)))
}

fn refused(refused: Refused) -> ApiError {
    match refused {
        Refused::TooLarge(problem) => {
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", problem.message.clone()).problem(problem)
        }
        Refused::Wrong(problems) => ApiError::invalid("archive", problems),
    }
}

fn undone(text: &str) -> ApiError {
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", text)
}
