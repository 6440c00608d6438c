//! The REST API: an area of it is a module, which gives its routes.

mod archive;
mod ask;
mod audit;
mod batches;
mod catalogue;
mod comments;
mod compare;
mod compute;
mod dry_run;
mod events;
pub mod files;
mod health;
mod jobs;
pub(crate) mod launch;
mod listing;
mod long;
mod members;
mod merging;
mod openapi;
mod picture;
mod pinned;
mod presence;
mod projects;
mod results;
mod search;
mod session;
mod shares;
mod templates;
mod tokens;
mod users;
mod validate;
mod whatif;
mod workers;

use crate::app::App;
use axum::Router;
use axum::extract::DefaultBodyLimit;

/// Operations of the API: their routes and, in tests, what documents them.
#[derive(Default)]
pub struct Operations {
    /// The routes.
    pub router: Router<App>,
    /// The document that the attributes of the handlers make.
    #[cfg(test)]
    pub documented: utoipa_axum::router::OpenApiRouter<App>,
    /// Method and path of each route.
    #[cfg(test)]
    pub routed: Vec<(&'static str, &'static str)>,
}

impl Operations {
    /// With these as well.
    #[must_use]
    pub fn merge(mut self, others: Operations) -> Self {
        self.router = self.router.merge(others.router);
        #[cfg(test)]
        {
            self.documented = self.documented.merge(others.documented);
            self.routed.extend(others.routed);
        }
        self
    }

    /// With another limit for bodies, in bytes.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.router = self.router.layer(DefaultBodyLimit::max(bytes));
        self
    }
}

/// Routes by method, path and handler. The attribute of the handler repeats method and path, which a test compares:
/// only tests build with what makes the document.
macro_rules! operations {
    ($($method:ident $path:literal => $handler:ident),+ $(,)?) => {{
        let mut operations = crate::api::Operations::default();
        $(
            operations.router = operations.router.route($path, axum::routing::$method($handler));
            #[cfg(test)]
            {
                operations.documented = operations.documented.routes(utoipa_axum::routes!($handler));
                operations.routed.push((stringify!($method), $path));
            }
        )+
        operations
    }};
}
use operations;

/// All operations below `/api/v1`.
pub fn routes() -> Operations {
    let areas = [
        health::routes(),
        openapi::routes(),
        session::routes(),
        tokens::routes(),
        users::routes(),
        members::routes(),
        projects::routes(),
        files::routes(),
        archive::routes(),
        validate::routes(),
        catalogue::routes(),
        templates::routes(),
        audit::routes(),
        jobs::routes(),
        results::routes(),
        long::routes(),
        listing::routes(),
        compare::routes(),
        shares::routes(),
        comments::routes(),
        presence::routes(),
        search::routes(),
        batches::routes(),
        events::routes(),
        workers::routes(),
        ask::routes(),
        compute::routes(),
        dry_run::routes(),
        whatif::routes(),
    ];
    areas.into_iter().fold(Operations::default(), Operations::merge)
}
