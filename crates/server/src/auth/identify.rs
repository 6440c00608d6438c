//! Finds out who asks.

use crate::app::{App, Mode};
use crate::auth::{Caller, SessionKey, cookie};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use runcast_store::{Scope, SiteRole, StoreError, secret, sessions, tokens};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Puts the [`Caller`] beside the request; a request without a known user has none.
pub async fn layer(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let asked = format!("{} {}", request.method(), request.uri().path());
    match find(&app, request.headers(), asked).await {
        Ok(Some(caller)) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Ok(None) => next.run(request).await,
        Err(error) => crate::problem::ApiError::from(error).into_response(),
    }
}

async fn find(app: &App, headers: &HeaderMap, asked: String) -> Result<Option<Caller>, StoreError> {
    if let Some(token) = bearer(headers) {
        return by_token(app, token, asked).await;
    }
    let Some(value) = cookie::read(app.options(), headers) else { return Ok(None) };
    let Some(session) = sessions::find(app.database(), value).await? else { return Ok(None) };
    if !is_of_mode(app, session.has_password, &session.user) {
        return Ok(None);
    }
    Ok(Some(Caller {
        user: session.user,
        name: session.name,
        role: session.role,
        scope: Scope::Write,
        only_project: None,
        session: Some(SessionKey { hash: session.hash, csrf: session.csrf }),
        asked,
    }))
}

/// What stands after `Authorization: Bearer`. When it is there, no cookie counts.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

async fn by_token(app: &App, token: &str, asked: String) -> Result<Option<Caller>, StoreError> {
    if let Some(single) = app.single().filter(|single| secret::equal(&single.token, token)) {
        return Ok(Some(Caller {
            user: single.user.clone(),
            name: runcast_store::users::LOCAL.to_owned(),
            role: SiteRole::Administrator,
            scope: Scope::Write,
            only_project: None,
            session: None,
            asked,
        }));
    }
    let found = tokens::find(app.database(), token).await?;
    let found = found.filter(|found| is_of_mode(app, found.has_password, &found.user));
    Ok(found.map(|found| Caller {
        user: found.user,
        name: found.name,
        role: found.role,
        scope: found.scope,
        only_project: found.project,
        session: None,
        asked,
    }))
}

/// Without accounts there is the one user only; with accounts, that one (who has no password) is out.
fn is_of_mode(app: &App, has_password: bool, user: &runcast_store::Id) -> bool {
    match app.options().mode {
        Mode::Single => app.single().is_some_and(|single| single.user == *user),
        Mode::Multi => has_password,
    }
}

/// The address that a request came from; of a proxy, the last that it names.
pub fn address(app: &App, headers: &HeaderMap, extensions: &axum::http::Extensions) -> IpAddr {
    let direct = extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip());
    let direct = direct.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    if !app.options().behind_proxy {
        return direct;
    }
    let last = headers.get_all("x-forwarded-for").iter().next_back().and_then(|line| line.to_str().ok());
    let named = last.and_then(|line| line.rsplit(',').next()).and_then(|text| text.trim().parse().ok());
    named.unwrap_or(direct)
}
