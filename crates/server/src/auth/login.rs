//! Logging in by password.

use crate::app::{App, Mode};
use crate::problem::ApiError;
use axum::http::{StatusCode, header};
use runcast_core::Problem;
use runcast_store::logins::{self, Attempt};
use runcast_store::users::{self, User};
use runcast_store::{devices, password, secret};
use std::net::{IpAddr, Ipv4Addr};

/// Who tries to log in.
#[derive(Debug, Clone, Copy)]
pub struct Client<'a> {
    /// Where the request came from.
    pub address: IpAddr,
    /// What the cookie of the device holds, if it has one.
    pub device: Option<&'a str>,
}

/// The user of this name and password. After a few failures there is a pause for the client (429), and where others guess
/// at the account strangers take turns; an unknown name costs as much time as a wrong password.
///
/// # Errors
/// 401, 429, or the database is away.
pub async fn login(app: &App, name: &str, password: &str, client: Client<'_>) -> Result<User, ApiError> {
    let name: String = name.chars().take(200).collect();
    let db = app.database();
    let device = match client.device {
        Some(cookie) if devices::is_known(db, cookie, &name).await? => Some(cookie),
        _ => None,
    };
    let client = device.map_or_else(|| block(client.address), device_of);
    let attempt = match logins::attempt(db, &name, &client).await? {
        Attempt::Granted { id, is_contested: true } if device.is_none() => {
            if !app.lanes().turn(&name, &client).await {
                logins::withdrawn(db, id).await?;
                return Err(pause(30));
            }
            logins::made(db, id).await?;
            id
        }
        Attempt::Granted { id, .. } => id,
        Attempt::Wait(seconds) => return Err(pause(seconds)),
    };
    let user = match app.options().mode {
        Mode::Single => by_token(app, &name, password).await?,
        Mode::Multi => by_password(app, &name, password).await?,
    };
    let wrong = || ApiError::new(StatusCode::UNAUTHORIZED, "login", "the name or the password is wrong");
    let user = user.ok_or_else(wrong)?;
    logins::succeeded(db, attempt, &name, &client).await?;
    Ok(user)
}

fn pause(seconds: i64) -> ApiError {
    let detail = format!("too many failed logins: try again in {seconds} s");
    let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too_many_logins", detail);
    error.header(header::RETRY_AFTER, seconds.to_string())
}

/// 403 unless this is the user's password; failures count as failed logins.
///
/// # Errors
/// 403, 429, or the database is away.
pub async fn confirm(app: &App, name: &str, password: &str, client: Client<'_>) -> Result<(), ApiError> {
    match login(app, name, password, client).await {
        Ok(_) => Ok(()),
        Err(error) if error.status == StatusCode::UNAUTHORIZED => {
            Err(ApiError::new(StatusCode::FORBIDDEN, "password", "the password so far is another one"))
        }
        Err(error) => Err(error),
    }
}

/// The one user of a server without accounts may type the token as password.
async fn by_token(app: &App, name: &str, password: &str) -> Result<Option<User>, ApiError> {
    let is_right = app.single().is_some_and(|single| secret::equal(&single.token, password));
    if !is_right || !name.eq_ignore_ascii_case(users::LOCAL) {
        return Ok(None);
    }
    Ok(users::find(app.database(), users::LOCAL).await?)
}

async fn by_password(app: &App, name: &str, password: &str) -> Result<Option<User>, ApiError> {
    let known = users::with_hash(app.database(), name).await?;
    let (user, hash) = known.map_or((None, None), |(user, hash)| (Some(user), hash));
    let is_right = is_right(app, password, hash).await?;
    Ok(user.filter(|user| is_right && !user.disabled))
}

/// Whether a password belongs to a hash, on a thread of its own; at most 4 at once.
///
/// # Errors
/// The server is at fault.
pub async fn is_right(app: &App, password: &str, hash: Option<String>) -> Result<bool, ApiError> {
    if password.len() > password::MOST_BYTES {
        return Ok(false);
    }
    let password = password.to_owned();
    hashing(app, move || password::is_right(&password, hash.as_deref())).await
}

/// The hash of a password that a user chose; 422 when it is too short or too long.
///
/// # Errors
/// As said, or the server is at fault.
pub async fn hash(app: &App, password: &str, pointer: &str) -> Result<String, ApiError> {
    if !password::is_allowed(password) {
        let text = format!("a password has {} to {} bytes", password::LEAST_BYTES, password::MOST_BYTES);
        let problem = Problem::new("password", text).at(pointer).value(format!("{} bytes", password.len()));
        return Err(ApiError::invalid("password", vec![problem]));
    }
    let password = password.to_owned();
    Ok(hashing(app, move || password::hash(&password)).await??)
}

async fn hashing<T: Send + 'static>(app: &App, work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    let fault = |error: String| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error);
    let _permit = app.hashing().acquire().await.map_err(|error| fault(error.to_string()))?;
    tokio::task::spawn_blocking(work).await.map_err(|error| fault(error.to_string()))
}

/// A known device as a client.
fn device_of(cookie: &str) -> String {
    let hash: String = secret::hash(cookie).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("device {hash}")
}

/// What counts as one address: of IPv4 the first 24 bits, of IPv6 the first 64, for every household has as many addresses
/// as it likes.
fn block(address: IpAddr) -> String {
    let of_v4 = |address: Ipv4Addr| {
        let [a, b, c, _] = address.octets();
        format!("{a}.{b}.{c}.0/24")
    };
    match address {
        IpAddr::V4(address) => of_v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => of_v4(address),
            None => {
                let [a, b, c, d, ..] = address.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
        },
    }
}
