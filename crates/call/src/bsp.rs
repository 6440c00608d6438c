//! Programs of supersteps: when each processor finishes each of them.
//!
//! A [`Program`] is read from TOML; [`Prepared`] has its formulas compiled and its names checked; [`Prepared::run`]
//! calculates it for given parameters, in the oblivious reading (OBSP*) and in that of BSP, side by side:
//!
//! ```text
//! Om(s,i) = {j : j sends to i in superstep s} U {i}   oblivious;   all   barrier;   {i}   no communication      (1)
//! F(0,i)  = start;   F(s,i) = max over j in Om(s,i) of (F(s-1,j) + w(s,j)) + g*h(s,i) + L   [s]               (2)
//! w(s,j)  = sum over instruction classes c of count(s,j,c)*p_c   [s]                                          (3)
//! h(s,i)  = max over j in Om(s,i) of (in(s,j) (+) out(s,j))   [B];   (+) is max (full duplex) or the sum       (4)
//! ```
//!
//! docs/theory/bsp.md has the model and its errata; the numbers are those of the published equations. Two more hold for partitions: cumulative ends Y of groups (5), and
//! the start of a group's task at F(s-1,j) plus the work before it (6). Without communication there is no g*h + L.
//! In the reading of BSP, Om is all of the machine that executes the superstep, always; so OBSP* <= BSP.
//!
//! ```
//! use runcast_call::bsp::{Limits, Models, Program};
//!
//! let text = r#"
//!     machine = { processors = 2, task = "main" }
//!     block.exchange = { g = "1 s/B", L = 0 }
//!     [[task.main.step]]
//!     work = "if(me == 0, 2, 4)"
//!     send = [ { to = 1, bytes = 2, if = "me == 0" } ]
//!     block = "exchange"
//!     [[task.main.step]]
//!     work = "if(me == 0, 4, 2)"
//!     send = [ { to = "1 - me", bytes = 2 } ]
//!     block = "exchange"
//! "#;
//! let program = Program::from_toml("fig1.toml", text)?.prepare(&Models::default())?;
//! let outcome = program.run(&[], &Models::default(), &Limits::default())?;
//! assert_eq!((outcome.obsp_time_s(), outcome.bsp_time_s()), (10.0, 12.0));
//! # Ok::<(), runcast_core::Problems>(())
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `program` | the contents of a program, as data |
//! | `file/` | reading it from TOML, every value with its position |
//! | `prepare/` | the names in each scope, and compiled formulas |
//! | `run/` | the calculation: frames of machines, messages, the two readings, recorded details |
//! | `outcome` | the results: finish times, supersteps, the critical path |
//!
//! Nothing here reads files: values of fitted models come through [`Model`].

mod assign;
mod file;
pub mod learn;
mod model;
mod outcome;
mod prepare;
mod program;
mod run;

pub use assign::{Assignment, Assignments};
pub use model::{Model, Models};
pub use outcome::{Kind, Outcome, Reading, Segment, Span, Step};
pub use prepare::Prepared;
pub use program::{ModelFile, Program, Synchronization};
pub use run::{Detail, Limits};
