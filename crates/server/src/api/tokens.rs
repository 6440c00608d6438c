//! One's own tokens.

use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{self, Caller, Right, Scope};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::problem::ApiError;
use crate::wire::people::{NewToken, TokenMade, TokenView};
use crate::wire::{Items, Page, time};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use runcast_core::Problem;
use runcast_store::tokens;

/// `/tokens`.
pub fn routes() -> Operations {
    operations! {
        get "/tokens" => list,
        post "/tokens" => add,
        delete "/tokens/{id}" => revoke,
    }
}

/// One's own tokens.
#[cfg_attr(test, utoipa::path(get, path = "/tokens", tag = "tokens", params(Page), extensions(("x-rights" = json!("own"))),
    responses(
        (status = 200, body = Items<TokenView>),
    )))]
async fn list(
    State(app): State<App>,
    caller: Caller,
    ApiQuery(page): ApiQuery<Page>,
) -> Result<Json<Items<TokenView>>, ApiError> {
    let (limit, after) = (page.limit()?, page.after::<String>()?.unwrap_or_default());
    let found = tokens::list(app.database(), &caller.user, &after, limit + 1).await?;
    Ok(Json(Items::of(found, limit, |token| token.id.to_string(), TokenView::from)))
}

/// Makes a token, which is shown this once.
#[cfg_attr(test, utoipa::path(post, path = "/tokens", tag = "tokens", request_body = NewToken,
    extensions(("x-rights" = json!("own"))),
    responses(
        (status = 201, body = TokenMade),
        crate::openapi::Missing,
    )))]
async fn add(
    State(app): State<App>,
    caller: Caller,
    ApiJson(body): ApiJson<NewToken>,
) -> Result<(StatusCode, Json<TokenMade>), ApiError> {
    let mut problems = Vec::new();
    if !(1..=100).contains(&body.name.chars().count()) {
        let problem = Problem::new("name", "a token needs a name").at("/name").value(&body.name);
        problems.push(problem.allowed("1 to 100 characters"));
    }
    let scope = Scope::from(body.scope);
    let expires_at = body.expires_at.as_deref().map(|text| time::read(text, "/expires_at"));
    let expires_at = expires_at.transpose().unwrap_or_else(|problem| {
        problems.push(problem);
        None
    });
    if let Some(end) = expires_at.filter(|end| *end <= jiff::Timestamp::now().as_microsecond()) {
        let problem = Problem::new("expires_at", "this time is over").at("/expires_at").value(time::shown(end));
        problems.push(problem);
    }
    if !problems.is_empty() {
        return Err(ApiError::invalid("token", problems));
    }
    if scope > caller.scope {
        return Err(auth::read_only());
    }
    let project = match &body.project {
        Some(project) => Some(caller.enter(&app, project, Right::View).await?.id),
        None => None,
    };
    let made = tokens::add(app.database(), &caller.user, &body.name, scope, project.as_ref(), expires_at).await?;
    let (token, kept) = made;
    Ok((StatusCode::CREATED, Json(TokenMade { id: kept.id.to_string(), token })))
}

/// Revokes a token.
#[cfg_attr(test, utoipa::path(delete, path = "/tokens/{id}", tag = "tokens", params(("id" = String, Path, description = "its id")),
    extensions(("x-rights" = json!("own"))),
    responses(
        (status = 204, description = "it holds no longer"),
    )))]
async fn revoke(State(app): State<App>, caller: Caller, ApiPath(id): ApiPath<String>) -> Result<StatusCode, ApiError> {
    tokens::revoke(app.database(), &caller.user, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
