//! The store of the web application: people, projects, files and the job queue, in SQLite or PostgreSQL.
//!
//! Every function takes a [`Database`] and is written once: [`database`] hides which of the two it is. The clock is
//! the database's alone (`{now}` in a statement), so that machines with wrong clocks cannot quarrel about leases.
//!
//! | what | where |
//! |---|---|
//! | one thin layer over both databases | [`database`] |
//! | the schema and its steps | [`migrate`] |
//! | ids that sort by time | [`Id`] |
//! | projects, their files and versions | [`projects`], [`files`] |
//! | contents, each once | [`blobs`] |
//! | the index of hardware entries in files | [`hardware`] |
//! | digests of contents | [`Digest`] |
//! | people: [`users`], [`password`], [`sessions`], [`tokens`], [`logins`], [`setup`] | who asks |
//! | [`members`], [`quotas`], [`audit`] | what they may do, and what was done |
//! | jobs: launched, looked at, changed | [`jobs`], [`batches`], [`idempotency`] |
//! | what others see and say of results: [`results`], [`shares`], [`comments`], [`settings`] | lists, links, notes |
//! | who works on which task, in fair order | [`queue`], [`workers`] |
//! | what happened, for those who watch | [`events`], [`wakes`] |
//!
//! # Invariants
//!
//! - What was accepted is in the store until an entitled user deletes it.
//! - At most one result for each point of a job; once there it never changes.
//! - No write is lost: a change names the version that it replaces.

pub mod audit;
pub mod batches;
pub mod blobs;
pub mod comments;
pub mod database;
pub mod devices;
mod digest;
mod error;
pub mod events;
pub mod files;
pub mod hardware;
mod id;
pub mod idempotency;
pub mod jobs;
pub mod logins;
pub mod members;
pub mod migrate;
pub mod password;
pub mod projects;
pub mod queue;
pub mod quotas;
pub mod results;
mod roles;
pub mod secret;
pub mod sessions;
pub mod settings;
pub mod setup;
pub mod shares;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tokens;
pub mod users;
pub mod wakes;
pub mod workers;

pub use database::{Database, Kind, Row, Tx, Value};
pub use digest::Digest;
pub use error::StoreError;
pub use id::Id;
pub use roles::{MemberRole, Scope, SiteRole};
