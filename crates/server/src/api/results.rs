//! What comes of a job: document, table, log, timeline, files, and the numbers and pictures made of its table.

use crate::api::jobs::find;
use crate::api::picture;
use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right};
use crate::derived::{self, Choice, Figure, FigureKind, compare::Comparison, csv};
use crate::extract::{ApiPath, ApiQuery};
use crate::kinds;
use crate::problem::ApiError;
use crate::wire::Items;
use crate::wire::jobs::OutputFile;
use axum::Json;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use runcast_commands::Context;
use runcast_commands::remote::{self, Answer, InMemory, Row};
use runcast_core::{Problem, Table};
use runcast_store::jobs::{self, Job, Output};
use runcast_store::{Digest, blobs, files};
use serde::Deserialize;
use std::sync::Arc;

/// The media type of tables.
pub(super) const CSV: &str = "text/csv; charset=utf-8";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
/// Points that are read at once.
const POINTS: i64 = 5_000;

/// `/jobs/{id}/document` and what else comes of a job.
pub fn routes() -> Operations {
    operations! {
        get "/jobs/{id}/document" => document,
        get "/jobs/{id}/table" => table,
        get "/jobs/{id}/text" => text,
        get "/jobs/{id}/log" => log,
        get "/jobs/{id}/timeline" => timeline,
        get "/jobs/{id}/files" => list,
        get "/jobs/{id}/files/{*name}" => file,
        get "/jobs/{id}/plot" => figure,
        get "/jobs/{id}/plot.csv" => figure_csv,
        get "/jobs/{id}/plot.svg" => svg,
        get "/jobs/{id}/plot.png" => png,
        get "/jobs/{id}/compare" => compare,
    }
}

/// A job that the caller may see, named in the path, and what they hold of it.
pub(super) struct Asked {
    pub app: App,
    caller: Caller,
    pub job: Job,
    held: Option<HeaderValue>,
}

#[derive(Deserialize)]
struct JobPath {
    id: String,
}

#[derive(Deserialize)]
struct FilePath {
    name: String,
}

impl FromRequestParts<App> for Asked {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, app).await?;
        let ApiPath(JobPath { id }) = ApiPath::from_request_parts(parts, app).await?;
        let (job, _) = find(app, &caller, &id, Right::View).await?;
        Ok(Asked { app: app.clone(), caller, job, held: parts.headers.get(header::IF_NONE_MATCH).cloned() })
    }
}

impl Asked {
    /// What `answer` makes, with its tag; 304 when the caller has it already.
    async fn unless_held(
        &self,
        answer: impl AsyncFnOnce(&App, &Job) -> Result<Response, ApiError>,
    ) -> Result<Response, ApiError> {
        match unchanged(&self.job, self.held.as_ref()) {
            Some(unchanged) => Ok(unchanged),
            None => answer(&self.app, &self.job).await.map(|response| with_tag(&self.job, response)),
        }
    }

    /// An output by its name and media type: as it was stored, or put together from the points of a sweep.
    async fn part(
        &self,
        name: &'static str,
        media: &'static str,
        of: fn(Answer) -> Option<Vec<u8>>,
    ) -> Result<Response, ApiError> {
        self.unless_held(async |app, job| {
            let bytes = output_or(app, job, name, of).await?.ok_or_else(|| none(job, name))?;
            Ok(([(header::CONTENT_TYPE, media)], bytes).into_response())
        })
        .await
    }
}

/// The document that the command prints under `--json`.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/document", tag = "results", params(("id" = String, Path)),
    extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = Object), (status = 304, description = "It is what `If-None-Match` names"))))]
async fn document(asked: Asked) -> Result<Response, ApiError> {
    asked.part("document", JSON, |answer| answer.document).await
}

/// What the command prints for people on the standard output.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/text", tag = "results", params(("id" = String, Path)),
    extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = String, content_type = "text/plain"), (status = 304, description = "It is what `If-None-Match` names"))))]
async fn text(asked: Asked) -> Result<Response, ApiError> {
    asked.part("human", TEXT, |answer| Some(answer.human)).await
}

/// The table that the command writes, as CSV; of a sweep that runs, the rows that are there, in order.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/table", tag = "results", params(("id" = String, Path)),
    extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = String, content_type = "text/csv"), (status = 304, description = "It is what `If-None-Match` names"))))]
async fn table(asked: Asked) -> Result<Response, ApiError> {
    asked.part("table", CSV, |answer| answer.table).await
}

/// What the command and its scripts said.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/log", tag = "results", params(("id" = String, Path)),
    extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = String, content_type = "text/plain"), (status = 304, description = "It is what `If-None-Match` names"))))]
async fn log(asked: Asked) -> Result<Response, ApiError> {
    asked
        .unless_held(async |app, job| {
            let mut text = Vec::new();
            let of_log = |name: &str| name == "log" || name.starts_with("log/");
            for info in jobs::outputs(app.database(), &job.id).await?.iter().filter(|info| of_log(&info.name)) {
                text.extend(blobs::get(app.database(), &info.digest).await?);
            }
            Ok(([(header::CONTENT_TYPE, TEXT)], text).into_response())
        })
        .await
}

/// What happened when, as Chrome's trace events.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/timeline", tag = "results", params(("id" = String, Path)),
    extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = Object), (status = 304, description = "It is what `If-None-Match` names"))))]
async fn timeline(asked: Asked) -> Result<Response, ApiError> {
    asked
        .unless_held(async |app, job| {
            let found = jobs::output(app.database(), &job.id, "timeline").await?;
            let found = found.ok_or_else(|| none(job, "timeline"))?;
            Ok(([(header::CONTENT_TYPE, JSON)], found.bytes).into_response())
        })
        .await
}

/// The files that the command wrote.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/files", tag = "results", params(("id" = String, Path)),
    extensions(("x-rights" = json!("project-view"))), responses((status = 200, body = Items<OutputFile>))))]
async fn list(Asked { app, job, .. }: Asked) -> Result<Json<Items<OutputFile>>, ApiError> {
    let mut items = Vec::new();
    for info in jobs::outputs(app.database(), &job.id).await? {
        if let Some(name) = info.name.strip_prefix("file/") {
            items.push(OutputFile {
                name: name.to_owned(),
                media_type: info.media.clone(),
                bytes: info.size,
                digest: info.digest.to_string(),
                address: format!("/api/v1/jobs/{}/files/{name}", job.id),
            });
        }
    }
    if items.is_empty()
        && let Some(answer) = assembled(&app, &job).await?
    {
        items.extend(answer.files.iter().map(|(name, bytes)| OutputFile {
            name: name.clone(),
            media_type: media_of(name).to_owned(),
            bytes: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
            digest: Digest::of(bytes).to_string(),
            address: format!("/api/v1/jobs/{}/files/{name}", job.id),
        }));
    }
    Ok(Json(Items { items, next: None }))
}

/// A file that the command wrote, to be saved.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/files/{*name}", tag = "results",
    params(("id" = String, Path), ("name" = String, Path)), extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = String, content_type = "application/octet-stream"), (status = 304, description = "It is what `If-None-Match` names"))))]
async fn file(asked: Asked, ApiPath(FilePath { name }): ApiPath<FilePath>) -> Result<Response, ApiError> {
    asked
        .unless_held(async |app, job| {
            let stored = jobs::output(app.database(), &job.id, &format!("file/{name}")).await?;
            let found = match stored {
                Some(found) => Some(found),
                None => assembled(app, job).await?.and_then(|answer| {
                    let found = answer.files.into_iter().find(|(known, _)| *known == name);
                    found.map(|(name, bytes)| Output { media: media_of(&name).to_owned(), name, bytes })
                }),
            };
            let found = found.ok_or_else(|| ApiError::missing("file", &name))?;
            let last = name.rsplit('/').next().unwrap_or_default().replace(['"', '\\'], "_");
            let saved = [
                (header::CONTENT_TYPE, found.media),
                (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{last}\"")),
                (header::CONTENT_SECURITY_POLICY, "sandbox".to_owned()),
            ];
            Ok((saved, found.bytes).into_response())
        })
        .await
}

/// What is to be seen of a job's table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
struct FigureQuery {
    /// What is shown.
    kind: Option<FigureKind>,
    /// The column on the horizontal axis; what varies first where absent.
    x: Option<String>,
    /// The column on the vertical axis.
    y: Option<String>,
    /// Columns that make curves, with commas between; all that vary where absent.
    by: Option<String>,
    /// Against which x speedup is; the smallest present where absent.
    base: Option<f64>,
    /// A table of the project with measured runs (`compare`).
    table: Option<String>,
    /// The metric of a comparison.
    metric: Option<String>,
    /// What stands above the picture.
    title: Option<String>,
}

/// The numbers of a plot: curves with intervals, speedup, efficiency, Pareto front, simulated over measured.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/plot", tag = "results", params(("id" = String, Path), FigureQuery),
    extensions(("x-rights" = json!("project-view"))), responses((status = 200, body = Figure))))]
async fn figure(asked: Asked, ApiQuery(query): ApiQuery<FigureQuery>) -> Result<Json<Figure>, ApiError> {
    Ok(Json(figure_of(&asked, &query).await?))
}

/// The same numbers as CSV: a row a point.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/plot.csv", tag = "results", params(("id" = String, Path), FigureQuery),
    extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = String, content_type = "text/csv"))))]
async fn figure_csv(asked: Asked, ApiQuery(query): ApiQuery<FigureQuery>) -> Result<Response, ApiError> {
    let figure = figure_of(&asked, &query).await?;
    Ok(([(header::CONTENT_TYPE, CSV)], csv::of_figure(&figure)).into_response())
}

/// The plot as SVG.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/plot.svg", tag = "results", params(("id" = String, Path), FigureQuery),
    extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = String, content_type = "image/svg+xml"))))]
async fn svg(asked: Asked, ApiQuery(query): ApiQuery<FigureQuery>) -> Result<Response, ApiError> {
    drawn(&asked, query, picture::Form::Svg).await
}

/// The plot as PNG.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/plot.png", tag = "results", params(("id" = String, Path), FigureQuery),
    extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = Vec<u8>, content_type = "image/png"))))]
async fn png(asked: Asked, ApiQuery(query): ApiQuery<FigureQuery>) -> Result<Response, ApiError> {
    drawn(&asked, query, picture::Form::Png).await
}

async fn drawn(asked: &Asked, query: FigureQuery, form: picture::Form) -> Result<Response, ApiError> {
    let figure = figure_of(asked, &query).await?;
    let bytes = picture::draw(&asked.app, &asked.caller, figure, query.title.unwrap_or_default(), form).await?;
    let told =
        [(header::CONTENT_TYPE, form.media()), (header::CONTENT_SECURITY_POLICY, "sandbox; style-src 'unsafe-inline'")];
    Ok((told, bytes).into_response())
}

/// Which runs are compared.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
struct CompareQuery {
    /// A table of the project with measured runs.
    table: String,
    /// The metric; the first that both have where absent.
    metric: Option<String>,
}

/// Measured runs of a table beside what the job says of them, worst first.
#[cfg_attr(test, utoipa::path(get, path = "/jobs/{id}/compare", tag = "results", params(("id" = String, Path), CompareQuery),
    extensions(("x-rights" = json!("project-view"))), responses((status = 200, body = Comparison))))]
async fn compare(
    Asked { app, job, .. }: Asked,
    ApiQuery(query): ApiQuery<CompareQuery>,
) -> Result<Json<Comparison>, ApiError> {
    Ok(Json(comparison(&app, &job, &query.table, query.metric).await?))
}

async fn figure_of(Asked { app, job, .. }: &Asked, query: &FigureQuery) -> Result<Figure, ApiError> {
    let kind = query.kind.unwrap_or_default();
    if kind == FigureKind::Compare {
        let table = query.table.as_deref().ok_or_else(|| {
            let problem = Problem::new("missing", "a comparison needs a table of measured runs").at("table");
            ApiError::invalid("plot", vec![problem.hint("table=tables/runs.csv")])
        })?;
        let metric = query.metric.clone().or_else(|| query.y.clone());
        return Ok(comparison(app, job, table, metric).await?.figure());
    }
    let bytes = table_of(app, job).await?.ok_or_else(|| none(job, "table"))?;
    let list =
        |text: &String| text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let choice =
        Choice { kind, x: query.x.clone(), y: query.y.clone(), by: query.by.as_ref().map(list), base: query.base };
    blocking(move || {
        let table = Table::read("table.csv", &bytes, &Default::default())?;
        derived::figure(&table, &choice)
    })
    .await
}

async fn comparison(app: &App, job: &Job, table: &str, metric: Option<String>) -> Result<Comparison, ApiError> {
    let simulated = table_of(app, job).await?.ok_or_else(|| none(job, "table"))?;
    let (_, real) = files::read(app.database(), &job.project, table).await?;
    let name = table.to_owned();
    blocking(move || {
        let simulated = Table::read("table.csv", &simulated, &Default::default())?;
        let real = Table::read(&name, &real, &Default::default())?;
        derived::compare::compare(&simulated, &real, metric.as_deref())
    })
    .await
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, runcast_core::Problems> + Send + 'static,
) -> Result<T, ApiError> {
    kinds::blocking(work).await?.map_err(|problems| ApiError::invalid("plot", problems.0))
}

/// The table of a job: what its command wrote, or the rows of a sweep that are there.
///
/// # Errors
/// The database is away.
pub(super) async fn table_of(app: &App, job: &Job) -> Result<Option<Vec<u8>>, ApiError> {
    output_or(app, job, "table", |answer| answer.table).await
}

pub(super) async fn output_or(
    app: &App,
    job: &Job,
    name: &str,
    of: fn(Answer) -> Option<Vec<u8>>,
) -> Result<Option<Vec<u8>>, ApiError> {
    if let Some(stored) = jobs::output(app.database(), &job.id, name).await? {
        return Ok(Some(stored.bytes));
    }
    let Some(answer) = assembled(app, job).await? else { return Ok(None) };
    // Of a sweep that has ended, the table is put together once.
    if let (Some(finished_at), Some(bytes)) = (job.finished_at.filter(|_| job.state.is_terminal()), &answer.table) {
        let output = Output { name: "table".to_owned(), media: CSV.to_owned(), bytes: bytes.clone() };
        jobs::keep_output(app.database(), &job.id, finished_at, output).await?;
    }
    Ok(of(answer))
}

/// The answer of a sweep, put together from the points that are there; `None` for other commands.
async fn assembled(app: &App, job: &Job) -> Result<Option<Answer>, ApiError> {
    if job.task_argv.first().is_none_or(|word| word != "sim") || !job.task_argv.iter().any(|word| word == "sweep") {
        return Ok(None);
    }
    let db = app.database();
    let mut rows: Vec<(u64, Row)> = Vec::new();
    let mut from = 0;
    loop {
        let points = jobs::points(db, &job.id, from, POINTS).await?;
        let Some(last) = points.last() else { break };
        from = last.point + 1;
        let is_all = i64::try_from(points.len()).unwrap_or(0) < POINTS;
        for point in points {
            if let (Ok(row), Ok(number)) = (serde_json::from_str(&point.record), u64::try_from(point.point)) {
                rows.push((number, row));
            }
        }
        if is_all {
            break;
        }
    }
    if rows.is_empty() && job.state.is_terminal() {
        return Ok(None);
    }
    let mut contents: Vec<(String, Arc<[u8]>)> = Vec::with_capacity(job.files.len());
    for file in &job.files {
        contents.push((file.path.clone(), Arc::from(blobs::get(db, &file.digest).await?)));
    }
    let argv = job.task_argv.clone();
    let work = move || {
        let paths: Vec<String> = contents.iter().map(|(path, _)| path.clone()).collect();
        let below =
            |folder: &str| paths.iter().any(|path| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')));
        let admitted = remote::admit(&argv, &|path| paths.iter().any(|known| known == path) || below(path)).ok()?;
        let mut context = Context::of_files(Box::new(InMemory::new(contents)));
        Some(remote::assemble(&admitted, rows, &mut context))
    };
    kinds::blocking(work).await
}

/// 404: the job has none of this, or not yet.
pub(super) fn none(job: &Job, what: &str) -> ApiError {
    match job.state.is_terminal() {
        true => ApiError::new(StatusCode::NOT_FOUND, "missing", format!("job {} has no {what}", job.id)),
        false => ApiError::new(StatusCode::NOT_FOUND, "not_yet", format!("job {} has no {what} yet", job.id)),
    }
}

/// The tag of what comes of a job that has ended: it changes by a retry only.
fn tag(job: &Job) -> Option<String> {
    let finished = job.finished_at.filter(|_| job.state.is_terminal())?;
    Some(format!("\"{}-{finished}\"", job.id))
}

fn with_tag(job: &Job, mut response: Response) -> Response {
    let cache = if let Some(tag) = tag(job).and_then(|tag| tag.parse().ok()) {
        response.headers_mut().insert(header::ETAG, tag);
        "private, no-cache"
    } else {
        "no-store"
    };
    if let Ok(cache) = cache.parse() {
        response.headers_mut().insert(header::CACHE_CONTROL, cache);
    }
    response
}

/// 304 when the caller has it already.
fn unchanged(job: &Job, held: Option<&HeaderValue>) -> Option<Response> {
    let tag = tag(job)?;
    let known = held?.to_str().ok()?;
    let same = known.split(',').any(|known| known.trim().trim_start_matches("W/") == tag || known.trim() == "*");
    same.then(|| (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)], Body::empty()).into_response())
}

fn media_of(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "csv" => CSV,
        "json" => JSON,
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "html" => "text/html; charset=utf-8",
        _ => TEXT,
    }
}
