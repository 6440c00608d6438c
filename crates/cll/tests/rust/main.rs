//! Annotated programs: what they record, what they still do, and what does not compile.

mod accepted;
mod bare;
mod compiler;
mod guide;
mod program;
mod programs;
mod recorded;
mod refused;
mod trace;
