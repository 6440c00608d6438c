//! All routes, the layers around them, and the OpenAPI document that describes them.

use crate::api;
use crate::app::App;
use crate::auth::{host, identify};
use crate::extract::MOST_JSON;
use crate::openapi;
use crate::problem;
use crate::rights::{self, Registry};
use crate::ui;
use crate::{entry, headers, slow};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

/// What the document says of the whole.
#[derive(OpenApi)]
#[openapi(info(
    title = "runcast",
    description = "Forecasts of parallel programs: projects, files, jobs and their results. Errors are `application/problem+json`."
))]
struct Whole;

/// The API, and the document that describes it.
pub fn api() -> (Router<App>, utoipa::openapi::OpenApi) {
    let (router, mut document) =
        OpenApiRouter::with_openapi(Whole::openapi()).nest("/api/v1", api::routes()).split_for_parts();
    // The router's word for the rest of a path is not OpenAPI's.
    let paths = std::mem::take(&mut document.paths.paths);
    document.paths.paths = paths.into_iter().map(|(path, item)| (path.replace("{*", "{"), item)).collect();
    openapi::complete(&mut document);
    (router, document)
}

/// The document that describes the API.
pub fn document() -> utoipa::openapi::OpenApi {
    api().1
}

/// Everything that the server answers.
pub fn router(app: App) -> Router {
    let (api, document) = api();
    let gate = (app.clone(), Registry::of(&document));
    let pages =
        Router::new().fallback(ui::page).layer(from_fn_with_state(app.clone(), entry::layer)).with_state(app.clone());
    // From the inside out: what the class of the operation allows, who asks; then what holds for the pages too.
    api.route_layer(from_fn_with_state(gate, rights::layer))
        .route_layer(from_fn_with_state(app.clone(), identify::layer))
        .fallback_service(pages)
        .layer(DefaultBodyLimit::max(MOST_JSON))
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(from_fn(slow::layer))
        .layer(from_fn_with_state(app.clone(), host::layer))
        .layer(from_fn(headers::layer))
        .layer(from_fn(problem::complete))
        .with_state(app)
}
