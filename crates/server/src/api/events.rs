//! What happens in a project, as it happens: server-sent events.

use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right};
use crate::extract::{ApiPath, ApiQuery};
use crate::hub::{Hub, PASSING, Told};
use crate::problem::ApiError;
use crate::streams::Place;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use runcast_store::Id;
use runcast_store::events::{self, Since};
use serde::Deserialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// How often something is sent while nothing happens.
const PING: Duration = Duration::from_secs(15);
/// Events that are read from the store at once.
const AT_ONCE: i64 = 200;

/// `/projects/{project}/events`.
pub fn routes() -> Operations {
    operations! {
        get "/projects/{project}/events" => stream,
    }
}

/// Which events are asked for.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
struct EventQuery {
    /// Only those of this job.
    job: Option<String>,
}

/// What happens in a project, as server-sent events.
///
/// `event` is `job`, `progress`, `log`, `file`, `comment`, `presence`, `ping` or `reset`, `data` is JSON, `id` rises. `Last-Event-ID` goes on
/// after an event; when that is too long ago, `reset` comes: read everything anew. A user has 8 streams: for one more the
/// oldest ends with `reset`. A server has 256: 503.
#[cfg_attr(test, utoipa::path(get, path = "/projects/{project}/events", tag = "jobs",
    params(("project" = String, Path), EventQuery, ("Last-Event-ID" = Option<String>, Header)),
    extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = crate::wire::compute::StreamedEvent, content_type = "text/event-stream"))))]
async fn stream(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiQuery(query): ApiQuery<EventQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let entered = caller.enter(&app, &project, Right::View).await?;
    let asked = headers.get("last-event-id").and_then(|value| value.to_str().ok()).map(str::trim);
    let asked = asked.filter(|text| !text.is_empty()).map(|text| text.parse::<i64>().unwrap_or(-1));
    let place = app.streams().place(&caller.user)?;
    let receiver = Hub::of(&app).await?.listen();
    let after = match asked {
        Some(after) => after,
        None => events::last(app.database()).await?,
    };
    let watch = Watch {
        app,
        project: entered.id,
        job: query.job,
        receiver,
        place: Some(place),
        after,
        waiting: VecDeque::new(),
        is_behind: asked.is_some(),
        is_new: asked.is_none(),
    };
    let events = stream::unfold(watch, |mut watch| async move {
        watch.next().await.map(|event| (Ok::<_, Infallible>(event), watch))
    });
    let alive = KeepAlive::new().interval(PING).event(Event::default().event("ping").data("{}"));
    let mut response = Sse::new(events).keep_alive(alive).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies that collect what they pass on would hold events back.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// One who listens.
struct Watch {
    app: App,
    project: Id,
    job: Option<String>,
    receiver: tokio::sync::broadcast::Receiver<Arc<Told>>,
    /// None once it was taken for a newer stream.
    place: Option<Place>,
    after: i64,
    waiting: VecDeque<Event>,
    /// Whether the store has events that were not sent yet.
    is_behind: bool,
    is_new: bool,
}

impl Watch {
    async fn next(&mut self) -> Option<Event> {
        if std::mem::take(&mut self.is_new) {
            // Something comes at once: who listens knows that it stands, and after what to go on.
            return Some(Event::default().event("ping").id(self.after.to_string()).data("{}"));
        }
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            if self.is_behind {
                self.catch_up().await;
                continue;
            }
            let stopping = self.app.stopping().clone();
            let over = self.place.as_ref()?.over().clone();
            let told = tokio::select! {
                told = self.receiver.recv() => told,
                () = stopping.cancelled() => return None,
                () = over.cancelled() => {
                    self.place = None;
                    return Some(Event::default().event("reset").id(self.after.to_string()).data("{}"));
                }
            };
            match told {
                Ok(told) if told.id == PASSING => {
                    if told.project == self.project && self.job.is_none() {
                        return Some(Event::default().event(told.kind).data(&told.data));
                    }
                }
                Ok(told) if told.id <= self.after => {}
                Ok(told) => {
                    self.after = told.id;
                    if told.project == self.project && self.is_wanted(told.job.as_deref()) {
                        return Some(shown(told.id, told.kind, &told.data));
                    }
                }
                Err(RecvError::Lagged(_)) => self.is_behind = true,
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn is_wanted(&self, job: Option<&str>) -> bool {
        self.job.as_deref().is_none_or(|wanted| job == Some(wanted))
    }

    /// Reads what the store has; a failure is tried again a little later.
    async fn catch_up(&mut self) {
        match events::since(self.app.database(), &self.project, self.after, AT_ONCE).await {
            Ok(Since::Events(events)) => {
                self.is_behind = i64::try_from(events.len()).unwrap_or(0) >= AT_ONCE;
                for event in events {
                    self.after = event.id;
                    if self.is_wanted(event.job.as_ref().map(Id::as_str)) {
                        self.waiting.push_back(shown(event.id, event.kind.name(), &event.data.to_string()));
                    }
                }
            }
            Ok(Since::Reset(now)) => {
                (self.after, self.is_behind) = (now, false);
                self.waiting.push_back(Event::default().event("reset").id(now.to_string()).data("{}"));
            }
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}

fn shown(id: i64, kind: &'static str, data: &str) -> Event {
    Event::default().event(kind).id(id.to_string()).data(data)
}
