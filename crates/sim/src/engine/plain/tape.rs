//! What the processes of an application do, step by step, for programs of others.

use super::run::Run;
use crate::application::{Application, Site};
use crate::cursor::Action;
use crate::job::Job;
use crate::outcome::Blind;
use runcast_core::Problem;

/// A step of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// Seconds that a block, or an operation of a storage, takes alone, without noise.
    pub alone_s: f64,
    /// Where in the script.
    pub site: Site,
}

/// The steps of all processes. The application is played for them, so that live processes and farms, which decide by what
/// they receive, have their steps too.
///
/// # Errors
/// Those of [`super::engine`].
pub fn record(job: &Job<'_>, application: &mut Application) -> Result<Vec<Vec<Step>>, Problem> {
    let mut blind = Blind;
    let mut run = Run::new(job, application, &mut blind)?;
    run.tape = Some(vec![Vec::new(); run.processes.len()]);
    run.play()?;
    Ok(run.tape.take().unwrap_or_default())
}
