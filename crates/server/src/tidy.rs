//! What is not needed any more is thrown away now and then: old events, answers to repeats, links whose
//! time is over, and contents that nothing refers to.

use crate::app::App;
use crate::log;
use runcast_store::{StoreError, blobs, events, idempotency, shares};
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(600);

/// Tidies up until the server stops.
pub async fn run(app: App) {
    loop {
        tokio::select! {
            () = app.stopping().cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        // What fails now is done the next time.
        if let Err(error) = once(&app).await
            && !error.is_away()
        {
            log::line(&format!("tidying up: {error}"));
        }
    }
}

async fn once(app: &App) -> Result<(), StoreError> {
    let db = app.database();
    events::purge(db).await?;
    idempotency::purge(db).await?;
    shares::purge(db).await?;
    blobs::collect(db).await?;
    Ok(())
}
