//! What goes over the wire, apart from what the store holds.

pub mod ask;
pub mod batches;
pub mod compute;
pub mod files;
pub mod jobs;
pub mod page;
pub mod people;
pub mod results;
pub mod sharing;
pub mod time;
pub mod trouble;
pub mod whatif;
pub mod workers;

pub use page::{Items, Page};
pub use trouble::Trouble;

use serde::Serialize;

/// Whether the server and its database answer.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Health {
    /// `ok`.
    pub status: String,
    /// Of runcast.
    pub version: String,
    /// `sqlite` or `postgres`.
    pub database: String,
    /// The number of the last step of the schema.
    pub schema: i64,
}
