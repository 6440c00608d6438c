//! The web application: pages, REST API, queue workers, and the sandboxed process of a task.
//!
//! Handlers are thin: what is stored is `runcast-store`'s, what is computed is `runcast-commands`', and runs in a
//! process of its own under limits. Wire types ([`wire`]) are separate from what the store holds.
//!
//! | what | where |
//! |---|---|
//! | `runcast serve` | [`serve`] |
//! | what all handlers share | [`app::App`] |
//! | all routes, and the OpenAPI document | [`router`] |
//! | errors as `application/problem+json` | [`problem::ApiError`] |
//! | the process of a task | [`task`] |
//! | workers, in the server and by themselves | [`queue_worker`], [`worker`] |
//! | tasks on a cluster | [`slurm`] |
//! | who asks | [`auth::Caller`] |
//! | who may do what | [`rights::Class`] |
//! | what a file of a project is | [`kinds`] |
//! | archives, and projects as folders | [`archive`], [`exchange`] |
//! | what a server has at its first start | [`first`], [`templates`] |
//! | what handlers take in | [`extract`] |
//!
//! # Invariants
//!
//! - Nothing from a user runs in the process of the server.
//! - Every operation of the API names who may do it, and a test compares that with what it does.

pub mod admin;
pub mod api;
pub mod app;
pub mod archive;
pub mod auth;
pub mod children;
pub mod derived;
mod entry;
pub mod etag;
pub mod exchange;
pub mod extract;
pub mod first;
pub mod headers;
pub mod hub;
pub mod kinds;
pub mod log;
mod merge;
pub mod openapi;
pub mod path;
mod presence;
pub mod problem;
pub mod queue_worker;
pub mod rights;
pub mod router;
pub mod serve;
mod shared;
mod signals;
mod slow;
pub mod slurm;
mod streams;
pub mod task;
pub mod templates;
mod tidy;
pub mod ui;
mod whatif;
pub mod wire;
pub mod worker;
