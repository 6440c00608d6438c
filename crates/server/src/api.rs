//! The REST API: an area of it is a module, which gives its routes.

mod archive;
mod audit;
mod batches;
mod catalogue;
mod compute;
mod dry_run;
mod events;
pub mod files;
mod health;
mod jobs;
pub(crate) mod launch;
mod members;
mod openapi;
mod picture;
mod projects;
mod results;
mod session;
mod templates;
mod tokens;
mod users;
mod validate;
mod workers;

use crate::app::App;
use utoipa_axum::router::OpenApiRouter;

/// All routes below `/api/v1`.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .merge(health::routes())
        .merge(openapi::routes())
        .merge(session::routes())
        .merge(tokens::routes())
        .merge(users::routes())
        .merge(members::routes())
        .merge(projects::routes())
        .merge(files::routes())
        .merge(archive::routes())
        .merge(validate::routes())
        .merge(catalogue::routes())
        .merge(templates::routes())
        .merge(audit::routes())
        .merge(jobs::routes())
        .merge(results::routes())
        .merge(batches::routes())
        .merge(events::routes())
        .merge(workers::routes())
        .merge(compute::routes())
        .merge(dry_run::routes())
}
