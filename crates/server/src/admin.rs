//! What is done on the database beside the server, whether it runs or not.

mod backup;
mod check;
mod project;
mod token;
mod user;

use crate::serve::DatabaseArgs;
use clap::Subcommand;
use runcast_commands::{Failure, Output};
use runcast_core::Problem;
use runcast_store::StoreError;

/// What is done on the database.
#[derive(Debug, Clone, Subcommand)]
pub enum Action {
    /// Users: add, list, change
    #[command(subcommand)]
    User(user::UserAction),
    /// Tokens of scripts: add, list, revoke
    #[command(subcommand)]
    Token(token::TokenAction),
    /// Projects: list, export to a folder, import from one
    #[command(subcommand)]
    Project(project::ProjectAction),
    /// Copy the database into a file, while the server runs
    #[command(after_help = "Examples:\n  runcast serve backup /backups/runcast.sqlite")]
    Backup(backup::BackupArgs),
    /// Look at what a server needs: database, schema, sandbox, clock, free space
    #[command(after_help = "Examples:\n  runcast serve check\n  runcast serve check --json")]
    Check,
    /// Print the document that describes the API (OpenAPI)
    #[command(after_help = "Examples:\n  runcast serve openapi > openapi.json")]
    Openapi,
}

impl Action {
    /// Does it.
    ///
    /// # Errors
    /// It cannot be done.
    pub async fn run(&self, database: &DatabaseArgs) -> Result<Output, Failure> {
        match self {
            Action::Check => return check::run(database).await,
            Action::Openapi => return openapi(),
            _ => {}
        }
        let place = database.place()?;
        let db = database.open(&place).await?;
        let result = match self {
            Action::User(action) => action.run(&db).await,
            Action::Token(action) => action.run(&db).await,
            Action::Project(action) => action.run(&db).await,
            Action::Backup(args) => args.run(&db).await,
            Action::Check | Action::Openapi => Ok(Output::default()),
        };
        db.close().await;
        result
    }
}

/// The document of the API is the document of the command, too.
fn openapi() -> Result<Output, Failure> {
    Ok(Output::of(crate::openapi::document().clone()).human(crate::openapi::DOCUMENT.to_owned()))
}

/// What the store refuses: names that are not there, or taken, are wrong input.
pub(crate) fn refused(error: &StoreError) -> Failure {
    let text = error.to_string();
    match error {
        StoreError::Missing { .. } => Failure::undone(Problem::new("missing", text)),
        StoreError::Taken { .. } => Failure::undone(Problem::new("taken", text)),
        StoreError::State(_) => Failure::undone(Problem::new("state", text)),
        _ => Failure::undone(Problem::new("database", text)),
    }
}
