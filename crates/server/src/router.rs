//! All routes, and the layers around them.

use crate::api;
use crate::app::App;
use crate::auth::{host, identify};
use crate::extract::MOST_JSON;
use crate::problem;
use crate::rights::{self, Registry};
use crate::ui;
use crate::{entry, headers, shared, slow};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;

/// Everything that the server answers.
pub fn router(app: App) -> Router {
    let api = Router::new().nest("/api/v1", api::routes().router);
    let gate = (app.clone(), Registry::of_the_api());
    let pages =
        Router::new().fallback(ui::page).layer(from_fn_with_state(app.clone(), entry::layer)).with_state(app.clone());
    // From the inside out: what the class of the operation allows, who asks; then what holds for the pages too.
    api.route_layer(from_fn_with_state(gate, rights::layer))
        .route_layer(from_fn_with_state(app.clone(), identify::layer))
        .route("/s/{token}", get(shared::page))
        .fallback_service(pages)
        .layer(DefaultBodyLimit::max(MOST_JSON))
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(from_fn(slow::layer))
        .layer(from_fn_with_state(app.clone(), host::layer))
        .layer(from_fn(headers::layer))
        .layer(from_fn(problem::complete))
        .with_state(app)
}
