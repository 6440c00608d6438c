//! Files to start from.

use crate::api::{Operations, operations};
use crate::auth::Caller;
use crate::extract::ApiQuery;
use crate::problem::ApiError;
use crate::templates;
use crate::wire::files::TemplateItem;
use crate::wire::{Items, Page};
use axum::Json;

/// `/templates`.
pub fn routes() -> Operations {
    operations! {
        get "/templates" => list,
    }
}

/// Templates: those of `sim new`, and one for every method.
#[cfg_attr(test, utoipa::path(get, path = "/templates", tag = "catalogue", params(Page), extensions(("x-rights" = json!("user"))),
    responses(
        (status = 200, body = Items<TemplateItem>),
    )))]
async fn list(_caller: Caller, ApiQuery(page): ApiQuery<Page>) -> Result<Json<Items<TemplateItem>>, ApiError> {
    let (limit, after) = (page.limit()?, page.after::<usize>()?);
    let rest = templates::all().iter().cloned().enumerate().skip(after.map_or(0, |last| last.saturating_add(1)));
    let found: Vec<(usize, TemplateItem)> = rest.take(usize::try_from(limit + 1).unwrap_or(0)).collect();
    Ok(Json(Items::of(found, limit, |(number, _)| *number, |(_, item)| item)))
}
