//! `runcast serve check`.

use crate::serve::{DatabaseArgs, Place};
use crate::task::{Launcher, Sandbox};
use runcast_commands::{Failure, Output};
use runcast_store::{Database, migrate};
use serde::Serialize;
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Less free space than this is too little.
const LEAST_FREE: u64 = 256 << 20;
/// Seconds by which the clock of the database may differ.
const MOST_SECONDS: f64 = 5.0;

/// Something that was looked at.
#[derive(Debug, Clone, Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    detail: String,
}

/// Looks at what a server needs; nothing is changed.
pub(super) async fn run(args: &DatabaseArgs) -> Result<Output, Failure> {
    let place = args.place()?;
    let location = args.location(&place)?;
    let launcher = Launcher::own().await.map_err(|error| error.to_string());
    let sandbox = launcher.as_ref().map(Launcher::sandbox);
    let mut checks = Vec::new();
    match Database::connect(&location).await {
        Ok(db) => {
            checks.extend(database(&db).await);
            db.close().await;
        }
        Err(error) => checks.push(Check { name: "database", ok: false, detail: error.to_string() }),
    }
    checks.push(match &launcher {
        Ok(launcher) => Check { name: "sandbox", ok: sandbox == Ok(Sandbox::Full), detail: told(launcher) },
        Err(error) => Check { name: "sandbox", ok: false, detail: error.clone() },
    });
    checks.push(free(&place));
    let ok = checks.iter().all(|check| check.ok);
    let mut human = String::new();
    for Check { name, ok, detail } in &checks {
        let _ = writeln!(human, "{} {name:9} {detail}", if *ok { "ok  " } else { "FAIL" });
    }
    let sandbox = sandbox.unwrap_or(Sandbox::Limits).name();
    let document = json!({ "kind": "serve-check", "version": 1, "ok": ok, "sandbox": sandbox, "checks": checks });
    let mut output = Output::of(document).human(human);
    output.exit = u8::from(!ok);
    Ok(output)
}

fn told(launcher: &Launcher) -> String {
    let sandbox = match launcher.sandbox() {
        Sandbox::Full if launcher.forks() => {
            "full: no files, sockets, processes or signals; tasks are forks of a process kept ready"
        }
        Sandbox::Full => "full: no files, sockets, processes or signals; each task is a program started anew",
        Sandbox::Partial => "partial: this system lacks Landlock or seccomp; several users need --allow-weak-sandbox",
        Sandbox::Limits => "limits: of memory and time only; several users need --allow-weak-sandbox",
    };
    sandbox.to_owned()
}

async fn database(db: &Database) -> Vec<Check> {
    let kind = db.kind().name();
    let schema = match migrate::schema(db).await {
        Ok(schema) => schema,
        Err(error) => return vec![Check { name: "database", ok: false, detail: error.to_string() }],
    };
    let newest = migrate::newest();
    let detail = match schema {
        0 => format!("none yet: the server makes {newest} at its start"),
        schema if schema < newest => format!("{schema}: the server makes {newest} of it at its start"),
        schema if schema > newest => format!("{schema}, but this program knows {newest}: it is too old"),
        schema => schema.to_string(),
    };
    let database = Check { name: "database", ok: true, detail: kind.to_owned() };
    vec![database, Check { name: "schema", ok: schema <= newest, detail }, clock(db).await]
}

async fn clock(db: &Database) -> Check {
    let theirs = match db.now().await {
        Ok(now) => now as f64 / 1e6,
        Err(error) => return Check { name: "clock", ok: false, detail: error.to_string() },
    };
    let ours = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let ahead = theirs - ours;
    let detail = format!("the database's differs by {:.3} s", ahead.abs());
    Check { name: "clock", ok: ahead.abs() <= MOST_SECONDS, detail }
}

fn free(place: &Place) -> Check {
    match free_bytes(place.folder()) {
        Ok(bytes) => {
            let detail = format!("{:.1} GiB free in {}", bytes as f64 / (1u64 << 30) as f64, place.folder().display());
            Check { name: "space", ok: bytes >= LEAST_FREE, detail }
        }
        Err(error) => Check { name: "space", ok: false, detail: error.to_string() },
    }
}

#[cfg(unix)]
fn free_bytes(folder: &Path) -> std::io::Result<u64> {
    let found = rustix::fs::statvfs(folder)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> std::io::Result<u64> {
    Err(std::io::Error::new(std::io::ErrorKind::Unsupported, "this system does not report it"))
}
