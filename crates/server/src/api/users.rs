//! Users, for administrators.

use crate::api::session::{user_name, with_accounts};
use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, login};
use crate::extract::{ApiJson, ApiPath, ApiQuery};
use crate::problem::ApiError;
use crate::wire::people::{NewUser, QuotasChange, UserChange, UserView};
use crate::wire::{Items, Page};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use runcast_core::Problem;
use runcast_store::{audit, quotas, users};

/// `/users`.
pub fn routes() -> Operations {
    operations! {
        get "/users" => list,
        post "/users" => add,
        patch "/users/{name}" => change,
    }
}

/// All users, by name.
#[cfg_attr(test, utoipa::path(get, path = "/users", tag = "users", params(Page), extensions(("x-rights" = json!("administrator"))),
    responses(
        (status = 200, body = Items<UserView>),
    )))]
async fn list(
    State(app): State<App>,
    _caller: Caller,
    ApiQuery(page): ApiQuery<Page>,
) -> Result<Json<Items<UserView>>, ApiError> {
    let (limit, after) = (page.limit()?, page.after::<String>()?.unwrap_or_default());
    let found = users::list(app.database(), &after, limit + 1).await?;
    let mut with_quotas = Vec::with_capacity(found.len());
    for user in found {
        let quotas = quotas::of(app.database(), &user.id).await?;
        with_quotas.push((user, quotas));
    }
    let items =
        Items::of(with_quotas, limit, |(user, _)| user.name.clone(), |(user, quotas)| UserView::of(user, quotas));
    Ok(Json(items))
}

/// Adds a user.
#[cfg_attr(test, utoipa::path(post, path = "/users", tag = "users", request_body = NewUser,
    extensions(("x-rights" = json!("administrator"))),
    responses(
        (status = 201, body = UserView),
        crate::openapi::Conflict,
    )))]
async fn add(
    State(app): State<App>,
    caller: Caller,
    ApiJson(body): ApiJson<NewUser>,
) -> Result<(StatusCode, Json<UserView>), ApiError> {
    with_accounts(&app)?;
    user_name(&body.name)?;
    let hash = login::hash(&app, &body.password, "/password").await?;
    let user = users::add(app.database(), &body.name, Some(&hash), body.role.into()).await?;
    note(&app, &caller, &format!("{} as {}", user.name, user.role)).await?;
    Ok((StatusCode::CREATED, Json(UserView::of(user, quotas::Quotas::default()))))
}

/// Changes a user: role, password, quotas, or keeps them out.
#[cfg_attr(test, utoipa::path(patch, path = "/users/{name}", tag = "users", request_body = UserChange,
    params(("name" = String, Path, description = "the name of the user")),
    extensions(("x-rights" = json!("administrator"))),
    responses(
        (status = 200, body = UserView),
        crate::openapi::Conflict,
    )))]
async fn change(
    State(app): State<App>,
    caller: Caller,
    ApiPath(name): ApiPath<String>,
    ApiJson(body): ApiJson<UserChange>,
) -> Result<Json<UserView>, ApiError> {
    let db = app.database();
    let mut user = users::get(db, &name).await?;
    let former = quotas::of(db, &user.id).await?;
    let wanted = body.quotas.map(|change| changed(change, former)).transpose()?;
    let hash = match &body.password {
        Some(password) => {
            with_accounts(&app)?;
            Some(login::hash(&app, password, "/password").await?)
        }
        None => None,
    };
    if let Some(role) = body.role {
        user = users::set_role(db, &name, role.into()).await?;
    }
    if let Some(disabled) = body.disabled {
        user = users::set_disabled(db, &name, disabled).await?;
    }
    if let Some(hash) = hash {
        let own = caller.session.as_ref().filter(|_| caller.user == user.id);
        user = users::set_password(db, &name, &hash, own.map(|session| session.hash.as_slice())).await?;
    }
    if let Some(quotas) = wanted {
        quotas::set(db, &user.id, &quotas).await?;
    }
    note(&app, &caller, &told(&body)).await?;
    Ok(Json(UserView::of(user, wanted.unwrap_or(former))))
}

fn changed(change: QuotasChange, former: quotas::Quotas) -> Result<quotas::Quotas, ApiError> {
    let quotas = change.of(former);
    let negative = quotas.named().into_iter().find(|(_, value)| *value < 0);
    match negative {
        None => Ok(quotas),
        Some((name, value)) => {
            let problem = Problem::new("quota", format!("{value} is no quota")).at(format!("/quotas/{name}"));
            Err(ApiError::invalid("quota", vec![problem.value(value.to_string()).allowed("0 or more")]))
        }
    }
}

/// What the audit log says of a change: never the password.
fn told(change: &UserChange) -> String {
    let mut parts = Vec::new();
    if let Some(role) = change.role {
        parts.push(format!("role {}", runcast_store::SiteRole::from(role)));
    }
    if let Some(disabled) = change.disabled {
        parts.push(if disabled { "disabled".to_owned() } else { "enabled".to_owned() });
    }
    if change.password.is_some() {
        parts.push("password".to_owned());
    }
    if change.quotas.is_some() {
        parts.push("quotas".to_owned());
    }
    parts.join(", ")
}

async fn note(app: &App, caller: &Caller, detail: &str) -> Result<(), ApiError> {
    Ok(audit::add(app.database(), &caller.name, &caller.asked, None, detail).await?)
}
