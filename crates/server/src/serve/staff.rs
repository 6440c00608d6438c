//! The workers in the process of the server, and what the server does for all workers.

use crate::app::{App, Mode};
use crate::log;
use crate::queue_worker::{self, Overrides, Settings};
use crate::task::Sandbox;
use runcast_store::database::Location;
use runcast_store::{queue, wakes};
use std::time::Duration;

/// How long a task is its worker's own without a sign of life.
const LEASE: Duration = Duration::from_secs(30);
/// How long the database is left alone when it is away.
const AWAY: Duration = Duration::from_millis(500);

/// Works until the server stops: returns what a dead predecessor held, then claims.
pub async fn work(app: App, location: Location, workers: usize) {
    let stop = app.stopping().clone();
    let db = app.database().clone();
    let server = app.options().data_dir.display().to_string();
    // There is one server of a data directory at a time: what another one held belongs to no process.
    let recovered = async {
        while let Err(error) = queue::recover(&db, &server).await {
            log::line(&format!("what the last server held cannot be put back yet: {error}"));
            tokio::time::sleep(AWAY).await;
        }
    };
    if stop.run_until_cancelled(recovered).await.is_none() {
        return;
    }
    let keeping = tokio::spawn(stop.clone().run_until_cancelled_owned(queue_worker::keep(db.clone(), LEASE)));
    let (listened, place) = (db.clone(), location);
    let listening = async move { wakes::listen(&listened, &place).await };
    let listening = tokio::spawn(stop.clone().run_until_cancelled_owned(listening));
    let launcher = app.children().launcher(&app).await.clone();
    let is_weak = launcher.sandbox() != Sandbox::Full;
    let may_work = !is_weak || app.options().mode == Mode::Single || app.options().allow_weak_sandbox;
    if is_weak && workers > 0 {
        let what = if may_work { "tasks run all the same" } else { "no tasks are run: --allow-weak-sandbox" };
        log::line(&format!("the sandbox is not in full force on this machine ({}); {what}", launcher.sandbox().name()));
    }
    if workers > 0 && may_work {
        let settings = Settings {
            name: "server".to_owned(),
            kind: "server",
            server: Some(server),
            slots: workers,
            lease: LEASE,
            limits: Overrides::default(),
            drain: false,
        };
        queue_worker::work(db, launcher, settings, stop.clone()).await;
    }
    let _ = tokio::join!(keeping, listening);
}
