//! The curve of an experiment while its system is being edited.

use crate::api::launch::Stock;
use crate::api::merging;
use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right};
use crate::extract::{ApiJson, ApiPath};
use crate::kinds;
use crate::problem::ApiError;
use crate::task::{Code, Event, Outcome, Work};
use crate::whatif::{Curve, Refused, Turn};
use crate::wire::Trouble;
use crate::wire::jobs::Launch;
use crate::wire::whatif::{End, PointLine, WhatIf, WhatIfLine};
use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use runcast_commands::whatif::{Asked, Known, Line, METRICS, MOST_VALUES, is_interrupted};
use runcast_core::Problem;
use runcast_store::Id;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Milliseconds of computing, unless it is said otherwise, and at most.
const BUDGET_MS: u64 = 150;
const MOST_BUDGET_MS: u64 = 5_000;
/// Letters of the name of a session.
const MOST_SESSION: usize = 64;

/// `/projects/{project}/whatif`.
pub fn routes() -> Operations {
    operations! {
        post "/projects/{project}/whatif" => whatif,
    }
}

/// Simulates an experiment with changed files, along a curve: lines of JSON, as they are known.
///
/// The current configuration first, then the least and the largest, then those between. A request of the same session with a
/// higher `seq` ends this one. Nothing is stored.
#[cfg_attr(test, utoipa::path(post, path = "/projects/{project}/whatif", tag = "compute", request_body = WhatIf,
    params(("project" = String, Path)), extensions(("x-rights" = json!("project-view"))),
    responses(
        (status = 200, body = WhatIfLine, content_type = "application/x-ndjson"),
        (status = 429, body = crate::problem::ProblemBody, content_type = "application/problem+json", headers(("Retry-After" = u64))),
    )))]
async fn whatif(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiJson(wish): ApiJson<WhatIf>,
) -> Result<Response, ApiError> {
    let entered = caller.enter(&app, &project, Right::View).await?;
    let problems = wrong(&wish);
    if !problems.is_empty() {
        return Err(ApiError::invalid("whatif", problems));
    }
    app.children().admit(&app, &caller.user).await?;
    let turn = match app.whatif().begin(&caller.user, &wish.session, wish.seq) {
        Ok(turn) => turn,
        Err(Refused::Superseded) => return Ok(answer(stream::iter([line(&WhatIfLine::End(end("superseded")))]))),
        Err(Refused::Busy) => {
            let detail = "another editor of yours, or too many of others, compute now";
            let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "rate", detail);
            return Err(error.header(header::RETRY_AFTER, "1"));
        }
    };
    let mut stock = Stock::of(&app, Some(&entered)).await?;
    let (files, is_merged) = based(&app, &entered.id, &wish).await?;
    stock.give(files).map_err(|problems| ApiError::invalid("path", problems))?;
    let argv = ["sim".to_owned(), "run".to_owned(), wish.experiment.clone()].to_vec();
    let look = move || {
        let (mut stock, ready) = stock.look(Launch { argv, priority: None, title: None });
        let found = ready.map(|ready| {
            let contents = stock.contents(&ready.survey.files);
            (ready.admitted.argv, contents)
        });
        (found, stock.failure())
    };
    let (found, failure) = kinds::blocking(look).await?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    let (argv, contents) = found.map_err(|problems| ApiError::invalid("whatif", problems))?;
    let contents = contents.map_err(|error| super::launch::internal(&error))?;
    let budget_ms = wish.budget_ms.unwrap_or(BUDGET_MS);
    let curve = wish.curve.as_ref();
    let asked = Asked {
        argv,
        param: curve.map(|curve| curve.param.clone()),
        values: curve.map(|curve| curve.values.clone()).unwrap_or_default(),
        metrics: wish.metrics.clone(),
        budget_ms,
        known: turn.points.iter().map(|(key, known)| (key.clone(), known.clone())).collect(),
    };
    let (sender, receiver) = unbounded_channel();
    tokio::spawn(play(app, turn, asked, contents, is_merged, sender));
    let lines = stream::unfold(receiver, |mut receiver: UnboundedReceiver<Bytes>| async move {
        receiver.recv().await.map(|line| (Ok::<_, Infallible>(line), receiver))
    });
    Ok(answer(lines))
}

/// The files as a save would store them: merged with what others have saved since the version that the editor began with.
async fn based(app: &App, project: &Id, wish: &WhatIf) -> Result<(BTreeMap<String, String>, bool), ApiError> {
    let mut files = wish.files.clone();
    let mut is_merged = false;
    if let Some(tag) = &wish.base_etag {
        for (path, text) in &mut files {
            if let Some(merged) = merging::ahead(app, project, path, tag, text).await? {
                (*text, is_merged) = (merged, true);
            }
        }
    }
    Ok((files, is_merged))
}

fn wrong(wish: &WhatIf) -> Vec<Problem> {
    let mut problems = Vec::new();
    if wish.session.is_empty() || wish.session.chars().count() > MOST_SESSION {
        let problem = Problem::new("session", "this is no name of a session").at("/session");
        problems.push(problem.allowed(format!("1 to {MOST_SESSION} characters")));
    }
    if let Some(budget) = wish.budget_ms.filter(|budget| *budget == 0 || *budget > MOST_BUDGET_MS) {
        let problem = Problem::new("budget_ms", "this is no budget").at("/budget_ms").value(budget.to_string());
        problems.push(problem.allowed(format!("1 to {MOST_BUDGET_MS} ms")));
    }
    if let Some(metric) = wish.metrics.iter().find(|metric| !METRICS.contains(&metric.as_str())) {
        let problem = Problem::new("metrics", "simulations have no such metric").at("/metrics").value(metric.as_str());
        problems.push(problem.one_of(metric, METRICS.to_vec()));
    }
    if wish.curve.as_ref().is_some_and(|curve| curve.values.len() > MOST_VALUES) {
        let problem = Problem::new("values", "these are too many values").at("/curve/values");
        problems.push(problem.allowed(format!("up to {MOST_VALUES}")));
    }
    problems
}

fn answer(lines: impl futures_util::Stream<Item = Result<Bytes, Infallible>> + Send + 'static) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/x-ndjson"),
        (header::CACHE_CONTROL, "no-store"),
        // Proxies and compression that collect what they pass on would hold lines back.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
        (header::CONTENT_ENCODING, "identity"),
    ];
    (headers, Body::from_stream(lines)).into_response()
}

fn line(line: &WhatIfLine) -> Result<Bytes, Infallible> {
    let mut text = serde_json::to_vec(line).unwrap_or_default();
    text.push(b'\n');
    Ok(text.into())
}

fn end(reason: &str) -> End {
    End { reason: reason.to_owned(), ..End::default() }
}

/// Computes, and passes lines on while the client reads them.
async fn play(
    app: App,
    turn: Turn,
    asked: Asked,
    files: Vec<(String, Arc<[u8]>)>,
    is_merged: bool,
    sender: UnboundedSender<Bytes>,
) {
    let (events, mut heard) = unbounded_channel();
    let (budget_ms, stop) = (asked.budget_ms, turn.stop.clone());
    let work = Work::WhatIf { asked };
    let running = tokio::spawn(async move { app.children().follow(&app, work, files, budget_ms, stop, events).await });
    let mut so_far = SoFar::default();
    while let Some(event) = heard.recv().await {
        let Event::Line(text) = event else { continue };
        if let Some(told) = so_far.hear(&text) {
            send(&sender, &told, &turn);
        }
    }
    let outcome = running.await;
    let (reason, cpu_ms, problems) = match outcome {
        Ok(Ok(outcome)) => so_far.reason(outcome),
        Ok(Err(error)) => ("error", 0.0, Trouble::all(&error.problems)),
        Err(_) => ("error", 0.0, Vec::new()),
    };
    let is_whole = reason == "done" && !so_far.is_quick;
    if is_whole && let Some(because) = so_far.curve.unchanged(&turn.before, &so_far.idle) {
        send(&sender, &WhatIfLine::Unchanged { because }, &turn);
    }
    turn.keep(std::mem::take(&mut so_far.new), is_whole.then(|| so_far.curve.clone()));
    let count = so_far.curve.points.len() as u64;
    // The session is free before the reader knows: the next request must not meet this one.
    let stop = turn.stop.clone();
    drop(turn);
    let reason = if stop.is_stopped() { "superseded" } else { reason };
    let Ok(bytes) = line(&WhatIfLine::End(End { points: count, cpu_ms, merged: is_merged, problems, ..end(reason) }));
    // A reader that has gone away needs no end.
    let _ = sender.send(bytes);
}

/// A reader that has gone away needs no more points.
fn send(sender: &UnboundedSender<Bytes>, told: &WhatIfLine, turn: &Turn) {
    let Ok(bytes) = line(told);
    if sender.send(bytes).is_err() {
        turn.stop.stop();
    }
}

/// What was heard so far.
#[derive(Debug, Default)]
struct SoFar {
    curve: Curve,
    idle: Vec<String>,
    /// Points that were not known.
    new: Vec<(String, Known)>,
    is_quick: bool,
    is_over: bool,
}

impl SoFar {
    /// A line of the process, which is not trusted: what is none is left out.
    fn hear(&mut self, text: &str) -> Option<WhatIfLine> {
        match serde_json::from_str(text).ok()? {
            Line::Point { at, key, known, problem, is_cached, is_quick } => {
                if self.curve.points.len() > MOST_VALUES {
                    return None;
                }
                self.is_quick |= is_quick;
                if let Some(known) = known.as_ref().filter(|_| !is_quick && !is_cached) {
                    self.new.push((key.clone(), known.clone()));
                }
                self.curve.points.push((at.clone(), key, known.clone()));
                let (time_s, low_s, high_s) = match &known {
                    Some(known) => (Some(known.time_s), known.low_s, known.high_s),
                    None => (None, None, None),
                };
                let (fidelity, others) =
                    known.map_or((String::new(), BTreeMap::new()), |known| (known.fidelity, known.others));
                let note = problem.or_else(|| is_quick.then(|| "quick look".to_owned()));
                Some(WhatIfLine::Point(PointLine {
                    at,
                    time_s,
                    low_s,
                    high_s,
                    fidelity,
                    cached: is_cached,
                    note,
                    others,
                }))
            }
            Line::Parts { parts, idle } => {
                (self.curve.parts, self.idle) = (parts, idle);
                None
            }
            Line::Remarks { items } => Some(WhatIfLine::Remarks { items }),
            Line::Budget => {
                self.is_over = true;
                None
            }
        }
    }

    /// Why it ended.
    fn reason(&self, outcome: Outcome) -> (&'static str, f64, Vec<Trouble>) {
        let cpu_ms = outcome.cpu_s * 1e3;
        match outcome.code {
            None if self.is_over || self.is_quick => ("budget", cpu_ms, Vec::new()),
            None => ("done", cpu_ms, Vec::new()),
            Some(Code::Cancelled) => ("superseded", cpu_ms, Vec::new()),
            Some(Code::LimitWall | Code::LimitCpu) => ("budget", cpu_ms, Vec::new()),
            Some(Code::Failed) if outcome.problems.iter().any(is_interrupted) => ("budget", cpu_ms, Vec::new()),
            Some(_) => ("error", cpu_ms, Trouble::all(&outcome.problems)),
        }
    }
}
