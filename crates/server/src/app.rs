//! What all handlers share.

use runcast_store::{Database, Id};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Passwords that are hashed at once: each takes 19 MiB.
const HASHES: usize = 4;

/// State shared by all handlers; clones are cheap.
#[derive(Debug, Clone)]
pub struct App {
    inner: Arc<Inner>,
}

/// How the server was started.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether there are accounts; else one user and a token.
    pub mode: Mode,
    /// Where the token, the lock and SQLite's file are.
    pub data_dir: PathBuf,
    /// Addresses by which it is asked for (`Host`), in lower case: others are refused.
    pub hosts: Vec<String>,
    /// Whether every IP address with the port will do for a `Host`: it listens beyond this machine.
    pub any_address: bool,
    /// The address that browsers see it under (`http://127.0.0.1:8470`): what `Origin` must be.
    pub origin: String,
    /// Whether the connection is encrypted, here or by the proxy in front.
    pub secure: bool,
    /// The port, which is part of the cookie's name: cookies ignore ports.
    pub port: u16,
    /// Whether forwarded headers count.
    pub behind_proxy: bool,
    /// Tasks may run although the sandbox is not in full force.
    pub allow_weak_sandbox: bool,
    /// The executable of runcast, which tasks are started from.
    pub executable: PathBuf,
}

/// One user with a token, or accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One user, who is administrator.
    Single,
    /// Accounts.
    Multi,
}

/// The one user of a server without accounts.
#[derive(Clone)]
pub struct Single {
    pub user: Id,
    pub token: String,
}

impl std::fmt::Debug for Single {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Single({})", self.user)
    }
}

#[derive(Debug)]
struct Inner {
    database: Database,
    options: Options,
    single: Option<Single>,
    hashing: Semaphore,
    stopping: CancellationToken,
    hub: crate::hub::Cell,
    streams: crate::streams::Streams,
    lanes: crate::auth::lanes::Lanes,
    children: crate::children::Children,
    whatif: crate::whatif::Sessions,
    presence: crate::presence::Presence,
}

impl App {
    /// What handlers share of this server.
    pub fn new(database: Database, options: Options) -> Self {
        App::with(database, options, None)
    }

    /// The same for a server without accounts: its user and their token.
    pub fn single_user(database: Database, options: Options, single: Single) -> Self {
        App::with(database, options, Some(single))
    }

    fn with(database: Database, options: Options, single: Option<Single>) -> Self {
        let (hashing, stopping) = (Semaphore::new(HASHES), CancellationToken::new());
        App {
            inner: Arc::new(Inner {
                database,
                options,
                single,
                hashing,
                stopping,
                hub: crate::hub::Cell::default(),
                streams: crate::streams::Streams::default(),
                lanes: crate::auth::lanes::Lanes::default(),
                children: crate::children::Children::default(),
                whatif: crate::whatif::Sessions::default(),
                presence: crate::presence::Presence::default(),
            }),
        }
    }

    /// The user of a server without accounts.
    pub fn single(&self) -> Option<&Single> {
        self.inner.single.as_ref()
    }

    /// Cancelled when the server stops: streams of events end then, workers give their tasks back.
    pub fn stopping(&self) -> &CancellationToken {
        &self.inner.stopping
    }

    pub(crate) fn children(&self) -> &crate::children::Children {
        &self.inner.children
    }

    /// Editors that ask what would be.
    pub(crate) fn whatif(&self) -> &crate::whatif::Sessions {
        &self.inner.whatif
    }

    /// Who looks at what.
    pub(crate) fn presence(&self) -> &crate::presence::Presence {
        &self.inner.presence
    }

    pub(crate) fn hub(&self) -> &crate::hub::Cell {
        &self.inner.hub
    }

    pub(crate) fn streams(&self) -> &crate::streams::Streams {
        &self.inner.streams
    }

    /// Turns of strangers at accounts that are being guessed.
    pub(crate) fn lanes(&self) -> &crate::auth::lanes::Lanes {
        &self.inner.lanes
    }

    pub(crate) fn hashing(&self) -> &Semaphore {
        &self.inner.hashing
    }

    pub fn database(&self) -> &Database {
        &self.inner.database
    }

    /// How the server was started.
    pub fn options(&self) -> &Options {
        &self.inner.options
    }
}
