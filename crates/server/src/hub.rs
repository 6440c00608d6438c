//! One reader of events for all listeners: a stream needs no database query.

use crate::app::App;
use runcast_store::{Id, StoreError, events, wakes};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OnceCell, broadcast};

/// Events that a slow listener may be behind; then it reads from the store.
const KEPT: usize = 256;
/// Events that are read at once.
const AT_ONCE: i64 = 500;
/// The number of events that are not stored.
pub const PASSING: i64 = 0;
/// How often the store is asked without a sign that there is something.
const POLL: Duration = Duration::from_millis(250);

/// An event, once for all who listen.
#[derive(Debug)]
pub struct Told {
    pub id: i64,
    pub project: Id,
    /// About which job.
    pub job: Option<String>,
    /// The kind of the event.
    pub kind: &'static str,
    /// The content of the event, as JSON.
    pub data: String,
}

/// Who reads events for all.
#[derive(Debug)]
pub struct Hub {
    sender: broadcast::Sender<Arc<Told>>,
}

/// The hub of a server, begun with the first listener.
#[derive(Debug, Default)]
pub struct Cell(OnceCell<Hub>);

impl Hub {
    /// The hub of this server.
    ///
    /// # Errors
    /// The database is away.
    pub async fn of(app: &App) -> Result<&Hub, StoreError> {
        let begin = || async {
            let after = events::last(app.database()).await?;
            let sender = broadcast::Sender::new(KEPT);
            tokio::spawn(read(app.clone(), sender.clone(), after));
            Ok(Hub { sender })
        };
        app.hub().0.get_or_try_init(begin).await
    }

    /// Tells all who listen here of something that is not stored: it has no number, and who is away misses it.
    pub fn tell(&self, project: &Id, kind: &'static str, data: String) {
        // No listeners: that is no fault.
        let _ = self.sender.send(Arc::new(Told { id: PASSING, project: project.clone(), job: None, kind, data }));
    }

    /// Events from now on.
    pub fn listen(&self) -> broadcast::Receiver<Arc<Told>> {
        self.sender.subscribe()
    }
}

async fn read(app: App, sender: broadcast::Sender<Arc<Told>>, mut after: i64) {
    let mut changes = app.database().wakes().events();
    let stopping = app.stopping().clone();
    while !stopping.is_cancelled() {
        if sender.receiver_count() == 0 {
            // No listeners: the next one begins with the last event.
            tokio::select! {
                () = wakes::wait(&mut changes, POLL) => {}
                () = stopping.cancelled() => return,
            }
            if sender.receiver_count() == 0 {
                continue;
            }
        }
        match events::tail(app.database(), after, AT_ONCE).await {
            Ok(found) if !found.is_empty() => {
                for event in found {
                    after = event.id;
                    let told = Told {
                        id: event.id,
                        project: event.project,
                        job: event.job.map(|job| job.to_string()),
                        kind: event.kind.name(),
                        data: event.data.to_string(),
                    };
                    // No listeners are left: that is no fault.
                    let _ = sender.send(Arc::new(told));
                }
            }
            Ok(_) => {
                tokio::select! {
                    () = wakes::wait(&mut changes, POLL) => {}
                    () = stopping.cancelled() => return,
                }
            }
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}
