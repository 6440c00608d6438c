//! `runcast serve token`.

use crate::admin::refused;
use crate::wire::people::TokenView;
use crate::wire::time;
use clap::{Args, Subcommand};
use runcast_commands::{Failure, Output};
use runcast_core::Problem;
use runcast_store::users::{self, LOCAL, User};
use runcast_store::{Database, Scope, members, tokens};
use serde_json::json;
use std::fmt::Write as _;

/// What is done with tokens.
#[derive(Debug, Clone, Subcommand)]
pub enum TokenAction {
    /// Make a token; it is shown this once
    #[command(after_help = "Examples:\n  runcast serve token add ci --user alice --scope read --project demo")]
    Add(AddArgs),
    /// List the tokens of a user
    #[command(after_help = "Examples:\n  runcast serve token list --user alice")]
    List(ListArgs),
    /// Revoke a token
    #[command(after_help = "Examples:\n  runcast serve token revoke 01JQ4Z5V0000000000000000ZZ --user alice")]
    Revoke(RevokeArgs),
}

/// A new token.
#[derive(Debug, Clone, Args)]
pub struct AddArgs {
    /// What it is for
    pub name: String,
    /// Whose it is
    #[arg(long, default_value = LOCAL)]
    pub user: String,
    /// read or write
    #[arg(long, default_value = "write", value_parser = scope)]
    pub scope: Scope,
    /// The one project it is for
    #[arg(long)]
    pub project: Option<String>,
    /// When it ends, such as 2027-01-31T00:00:00Z
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub expires_at: Option<String>,
}

/// Whose tokens to list.
#[derive(Debug, Clone, Args)]
pub struct ListArgs {
    /// Whose they are
    #[arg(long, default_value = LOCAL)]
    pub user: String,
}

/// Which token to revoke.
#[derive(Debug, Clone, Args)]
pub struct RevokeArgs {
    /// Its id, as `list` shows it
    pub id: String,
    /// Whose it is
    #[arg(long, default_value = LOCAL)]
    pub user: String,
}

impl TokenAction {
    pub(super) async fn run(&self, db: &Database) -> Result<Output, Failure> {
        match self {
            TokenAction::Add(args) => add(db, args).await,
            TokenAction::List(args) => list(db, &owner(db, &args.user).await?).await,
            TokenAction::Revoke(args) => {
                let user = owner(db, &args.user).await?;
                tokens::revoke(db, &user.id, &args.id).await.map_err(|error| refused(&error))?;
                Ok(Output::of(json!({ "id": args.id, "revoked": true })).human(format!("{} revoked\n", args.id)))
            }
        }
    }
}

/// The user named; the one of a server without accounts is made when absent.
async fn owner(db: &Database, name: &str) -> Result<User, Failure> {
    let found = if name.eq_ignore_ascii_case(LOCAL) { users::local(db).await } else { users::get(db, name).await };
    found.map_err(|error| refused(&error))
}

async fn add(db: &Database, args: &AddArgs) -> Result<Output, Failure> {
    if !(1..=100).contains(&args.name.chars().count()) {
        let problem = Problem::new("name", "a token needs a name").at("NAME").value(&args.name);
        return Err(Failure::input(problem.allowed("1 to 100 characters")));
    }
    let expires_at = match &args.expires_at {
        Some(text) => Some(time::read(text, "--expires-at")?),
        None => None,
    };
    let user = owner(db, &args.user).await?;
    let project = match &args.project {
        Some(name) => {
            let standing = members::standing(db, name, &user.id).await.map_err(|error| refused(&error))?;
            let missing = || Failure::undone(Problem::new("missing", format!("there is no project {name}")));
            Some(standing.ok_or_else(missing)?.project)
        }
        None => None,
    };
    let made = tokens::add(db, &user.id, &args.name, args.scope, project.as_ref(), expires_at).await;
    let (token, kept) = made.map_err(|error| refused(&error))?;
    let human = format!("{token}\n");
    let document = json!({ "id": kept.id.as_str(), "token": token, "user": user.name });
    Ok(Output::of(document).human(human).noted("this is shown once: keep it where only its user can read it"))
}

async fn list(db: &Database, user: &User) -> Result<Output, Failure> {
    let mut items = Vec::new();
    let mut after = String::new();
    loop {
        let page = tokens::list(db, &user.id, &after, 500).await.map_err(|error| refused(&error))?;
        let Some(last) = page.last() else { break };
        last.id.as_str().clone_into(&mut after);
        items.extend(page.into_iter().map(TokenView::from));
    }
    let mut human = String::new();
    for item in &items {
        let project = item.project.as_deref().unwrap_or("all projects");
        let end = item.expires_at.as_deref().unwrap_or("never ends");
        let used = item.used_at.as_deref().unwrap_or("never used");
        let scope = runcast_store::Scope::from(item.scope);
        let _ = writeln!(human, "{}  {:<24} {scope}  {project}  {end}  {used}", item.id, item.name);
    }
    if items.is_empty() {
        "no tokens\n".clone_into(&mut human);
    }
    Ok(Output::of(json!({ "items": items })).human(human))
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::parse(word).ok_or_else(|| "it is neither read nor write".to_owned())
}
