//! Commands that are run elsewhere: by the worker of a server, on frozen files.
//!
//! ```text
//! argv ──admit──> Admitted ──survey(files)──> the files that it reads, how many points it has
//!                    └──────run(files, points)──> Answer, or the rows of a sweep as they come ──assemble──> Answer
//! ```
//!
//! What a command is allowed stands in one table ([`rules`]); an option that is not there is refused. An [`Answer`] holds
//! what the shell would have written, byte for byte.

mod admit;
mod answer;
mod line;
mod memory;
mod path;
pub mod rules;
mod run;
mod survey;

pub use crate::sim::sweep::Row;
pub use admit::{Admitted, admit};
pub use answer::Answer;
pub(crate) use line::with_parser;
pub use line::{command, warm_up};
pub use memory::InMemory;
pub use path::{is_project_path, normalized};
pub use run::{assemble, is_sweep, run, run_points};
pub use survey::{Survey, has_use_of_catalogues, survey};
