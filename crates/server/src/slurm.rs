//! Slurm: a dispatcher claims tasks in bundles and submits them; a compute node needs a shared folder and nothing else.
//!
//! ```text
//! DIR/BUNDLE/          a random name; 0700; appears by rename, whole
//!   bundle.json        the dispatcher's: which task of which job each is, under which attempt
//!   work.json          the node's: command lines, points, limits, files
//!   files/DIGEST       contents of frozen files
//!   job, slurm.out     what Slurm runs (`#!runcast worker`, no shell), and what it prints
//!   submitted          the number of the job; without it the job is found by its name `runcast-BUNDLE`
//!   done/              the node's: begun-N, points-N-.. , end-N, each by rename
//!   cancel-N           the dispatcher's: task N is not wanted any more
//! ```

mod bundle;
mod dispatcher;
mod node;
mod spool;

pub use dispatcher::{Options, dispatch};
pub use node::run;
