//! Logging in and out; one's own password; the first administrator.

use crate::api::{Operations, operations};
use crate::app::{App, Mode};
use crate::auth::{Caller, cookie, identify, login};
use crate::extract::ApiJson;
use crate::problem::ApiError;
use crate::wire::people::{Login, PasswordChange, SessionView, SetUp};
use axum::Json;
use axum::extract::State;
use axum::http::{Extensions, HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse};
use runcast_core::Problem;
use runcast_store::sessions::{self, Session};
use runcast_store::users::User;
use runcast_store::{devices, secret, setup, users};

/// `/session`, `/password`, `/setup`.
pub fn routes() -> Operations {
    operations! {
        post "/session" => log_in,
        get "/session" => who,
        delete "/session" => log_out,
        put "/password" => change_password,
        post "/setup" => set_up,
    }
}

/// Logs in.
#[cfg_attr(test, utoipa::path(post, path = "/session", tag = "session", request_body = Login,
    extensions(("x-rights" = json!("anyone"))),
    responses(
        (status = 200, body = SessionView, headers(("Set-Cookie" = String))),
        (status = 429, body = crate::problem::ProblemBody, content_type = "application/problem+json", headers(("Retry-After" = u64))),
        crate::openapi::Unknown,
    )))]
async fn log_in(
    State(app): State<App>,
    headers: HeaderMap,
    extensions: Extensions,
    ApiJson(body): ApiJson<Login>,
) -> Result<impl IntoResponse, ApiError> {
    let user = login::login(&app, &body.name, &body.password, client(&app, &headers, &extensions)).await?;
    begin(&app, &headers, &user, StatusCode::OK).await
}

/// Who is logged in.
#[cfg_attr(test, utoipa::path(get, path = "/session", tag = "session", extensions(("x-rights" = json!("user"))),
    responses((status = 200, body = SessionView))))]
async fn who(State(app): State<App>, caller: Caller) -> Json<SessionView> {
    let csrf = caller.session.map(|session| session.csrf);
    Json(SessionView { user: caller.name, role: caller.role.into(), mode: mode(&app).to_owned(), csrf })
}

/// Logs out: ends the session of the cookie.
#[cfg_attr(test, utoipa::path(delete, path = "/session", tag = "session", extensions(("x-rights" = json!("own"))),
    responses((status = 204, description = "the session is over"))))]
async fn log_out(State(app): State<App>, caller: Caller) -> Result<impl IntoResponse, ApiError> {
    if let Some(session) = &caller.session {
        sessions::end(app.database(), &session.hash).await?;
    }
    Ok((StatusCode::NO_CONTENT, AppendHeaders([(header::SET_COOKIE, cookie::clear(app.options()))])))
}

/// Changes one's password; all other sessions end.
#[cfg_attr(test, utoipa::path(put, path = "/password", tag = "session", request_body = PasswordChange,
    extensions(("x-rights" = json!("own"))),
    responses(
        (status = 204, description = "the password is changed"),
        crate::openapi::Conflict,
        (status = 429, body = crate::problem::ProblemBody, content_type = "application/problem+json", headers(("Retry-After" = u64))),
    )))]
async fn change_password(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    extensions: Extensions,
    ApiJson(body): ApiJson<PasswordChange>,
) -> Result<StatusCode, ApiError> {
    with_accounts(&app)?;
    login::confirm(&app, &caller.name, &body.old, client(&app, &headers, &extensions)).await?;
    let hash = login::hash(&app, &body.new, "/new").await?;
    let session = caller.session.as_ref().map(|session| session.hash.as_slice());
    users::set_password(app.database(), &caller.name, &hash, session).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Makes the first administrator, by the set-up link that a server without users prints, and logs them in.
#[cfg_attr(test, utoipa::path(post, path = "/setup", tag = "session", request_body = SetUp,
    extensions(("x-rights" = json!("anyone"))),
    responses(
        (status = 201, body = SessionView, headers(("Set-Cookie" = String))),
        crate::openapi::Conflict,
        crate::openapi::Unknown,
    )))]
async fn set_up(
    State(app): State<App>,
    headers: HeaderMap,
    ApiJson(body): ApiJson<SetUp>,
) -> Result<impl IntoResponse, ApiError> {
    with_accounts(&app)?;
    let over = || ApiError::new(StatusCode::UNAUTHORIZED, "setup", "this link is used up, or too old");
    if !setup::holds(app.database(), &body.token).await? {
        return Err(over());
    }
    user_name(&body.name)?;
    let hash = login::hash(&app, &body.password, "/password").await?;
    let user = setup::redeem(app.database(), &body.token, &body.name, &hash).await?.ok_or_else(over)?;
    begin(&app, &headers, &user, StatusCode::CREATED).await
}

/// A new session; the one that the browser had before is over, whichever server gave it.
async fn begin(
    app: &App,
    headers: &HeaderMap,
    user: &User,
    status: StatusCode,
) -> Result<impl IntoResponse + use<>, ApiError> {
    if let Some(former) = cookie::read(app.options(), headers) {
        sessions::end(app.database(), &secret::hash(former)).await?;
    }
    let (value, session) = sessions::begin(app.database(), &user.id).await?;
    let device = cookie::read_device(app.options(), headers);
    let device = devices::note(app.database(), device, &user.id).await?;
    let set = AppendHeaders([
        (header::SET_COOKIE, cookie::set(app.options(), &value)),
        (header::SET_COOKIE, cookie::set_device(app.options(), &device)),
    ]);
    Ok((status, set, Json(view(app, session))))
}

fn client<'a>(app: &App, headers: &'a HeaderMap, extensions: &Extensions) -> login::Client<'a> {
    let address = identify::address(app, headers, extensions);
    login::Client { address, device: cookie::read_device(app.options(), headers) }
}

fn view(app: &App, session: Session) -> SessionView {
    let csrf = Some(session.csrf);
    SessionView { user: session.name, role: session.role.into(), mode: mode(app).to_owned(), csrf }
}

fn mode(app: &App) -> &'static str {
    match app.options().mode {
        Mode::Single => "single",
        Mode::Multi => "multi",
    }
}

/// 409 on a server with one user and a token.
pub(super) fn with_accounts(app: &App) -> Result<(), ApiError> {
    match app.options().mode {
        Mode::Multi => Ok(()),
        Mode::Single => Err(ApiError::new(StatusCode::CONFLICT, "single", "this server is without accounts")),
    }
}

/// 422 unless it may be the name of a user.
pub(super) fn user_name(name: &str) -> Result<(), ApiError> {
    if users::is_name(name) {
        return Ok(());
    }
    let problem = Problem::new("name", "this cannot be the name of a user").at("/name").value(name);
    let allowed = "1 to 64 of letters, digits, . _ - @, the first a letter or digit";
    Err(ApiError::invalid("name", vec![problem.allowed(allowed)]))
}
