//! The server, from the first look at its options to the last answer.

use crate::app::{App, Mode, Options, Single};
use crate::serve::listen::listen;
use crate::serve::site::{self, Site};
use crate::serve::{DatabaseArgs, ServeOptions, cores, open, rest, staff, tls, undone};
use crate::signals::told_to_stop;
use crate::{first, router, tidy};
use axum_server::Handle;
use hyper_util::rt::TokioTimer;
use runcast_commands::{Failure, VERSION};
use runcast_store::database::Location;
use runcast_store::{Database, StoreError, setup, users};
use serde_json::json;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

/// How long answers that are under way have when the server stops.
const GRACE: Duration = Duration::from_secs(2);
/// How long the headers of a request may take.
const HEADERS: Duration = Duration::from_secs(15);

/// Serves until asked to stop.
pub async fn serve(options: &ServeOptions, database: &DatabaseArgs, json: bool) -> Result<(), Failure> {
    site::admissible(options)?;
    let tls = match (&options.tls_cert, &options.tls_key) {
        (Some(cert), Some(key)) => Some(tls::read(cert, key)?),
        _ => None,
    };
    let place = database.place()?;
    let _lock = place.lock()?;
    let db = database.open(&place).await?;
    let listener = listen(options.host.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)), options.port)?;
    let local = listener.local_addr().map_err(|error| undone("port", error.to_string()))?;
    let site = Site::of(options, local, tls.as_ref().map_or(&[], |tls| &tls.names))?;
    let mode = if options.multi_user { Mode::Multi } else { Mode::Single };
    let settings = Options {
        mode,
        data_dir: place.folder().to_owned(),
        hosts: site.hosts.clone(),
        any_address: site.any_address,
        origin: site.origin.clone(),
        secure: site.secure,
        port: local.port(),
        behind_proxy: options.behind_proxy.is_some(),
        allow_weak_sandbox: options.allow_weak_sandbox,
        executable: std::env::current_exe().map_err(|error| undone("executable", error.to_string()))?,
    };
    let (app, query, token) = match mode {
        Mode::Single => {
            let token = place.token(options.new_token)?;
            let user = users::local(&db).await.map_err(|error| stored(&error))?.id;
            let single = Single { user, token: token.clone() };
            (App::single_user(db, settings, single), format!("?token={token}"), Some(token))
        }
        Mode::Multi => {
            let query = first_link(&db).await.map_err(|error| stored(&error))?;
            (App::new(db, settings), query, None)
        }
    };
    first::prepare(&app, options.no_samples).await.map_err(|error| undone(error.code, error.detail))?;
    let workers = options.workers.map_or_else(cores, usize::from);
    let url = format!("{}/{query}", site.origin);
    let line = if json {
        json!({
            "url": url,
            "api_url": format!("{}/api/v1", site.origin),
            "token": token,
            "mode": if mode == Mode::Single { "single" } else { "multi" },
            "host": local.ip().to_string(),
            "port": local.port(),
            "pid": std::process::id(),
            "data_dir": place.folder(),
            "database": app.database().kind().name(),
            "workers": workers,
            "version": VERSION,
        })
        .to_string()
    } else {
        url.clone()
    };
    let served = Served {
        app,
        listener,
        tls: tls.map(|tls| tls.config),
        line,
        open: options.open.then_some(url),
        location: database.location(&place)?,
        workers,
    };
    served.until_told().await
}

/// While no user has a password, the part of the address that lets the first administrator in.
async fn first_link(db: &Database) -> Result<String, StoreError> {
    Ok(setup::link(db).await?.map(|token| format!("?setup={token}")).unwrap_or_default())
}

struct Served {
    app: App,
    listener: TcpListener,
    tls: Option<axum_server::tls_rustls::RustlsConfig>,
    line: String,
    open: Option<String>,
    location: Location,
    workers: usize,
}

impl Served {
    async fn until_told(self) -> Result<(), Failure> {
        let Served { app, listener, tls, line, open, location, workers } = self;
        let told = told_to_stop()?;
        let failed = |error: std::io::Error| undone("serve", error.to_string());
        listener.set_nonblocking(true).map_err(failed)?;
        let handle = Handle::new();
        let service = router::router(app.clone()).into_make_service_with_connect_info::<SocketAddr>();
        let mut serving = match tls {
            None => {
                let mut server = axum_server::from_tcp(listener).map_err(failed)?.handle(handle.clone());
                patience(server.http_builder());
                tokio::spawn(async move { server.serve(service).await })
            }
            Some(config) => {
                let server = axum_server::from_tcp_rustls(listener, config).map_err(failed)?;
                let mut server = server.handle(handle.clone());
                patience(server.http_builder());
                tokio::spawn(async move { server.serve(service).await })
            }
        };
        handle.listening().await;
        tokio::spawn(tidy::run(app.clone()));
        tokio::spawn(rest::run());
        say(&line)?;
        if let Some(url) = open {
            open::browser(&url);
        }
        let working = tokio::spawn(staff::work(app.clone(), location, workers));
        tokio::select! {
            () = told => {}
            ended = &mut serving => {
                let ended = ended.map_err(|error| undone("serve", error.to_string()))?;
                return ended.map_err(|error| undone("serve", error.to_string()));
            }
        }
        app.stopping().cancel();
        handle.graceful_shutdown(Some(GRACE));
        let _ = tokio::time::timeout(GRACE + Duration::from_millis(500), serving).await;
        let _ = tokio::time::timeout(Duration::from_secs(1), working).await;
        let _ = tokio::time::timeout(Duration::from_secs(1), app.database().close()).await;
        Ok(())
    }
}

/// Who sends headers too slowly is cut off.
fn patience(builder: &mut hyper_util::server::conn::auto::Builder<hyper_util::rt::TokioExecutor>) {
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADERS);
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(200).keep_alive_interval(HEADERS);
}

/// The one line on the standard output.
fn say(line: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    written.map_err(|error| undone("stdout", error.to_string()))
}

fn stored(error: &StoreError) -> Failure {
    undone("database", error.to_string())
}
