//! `runcast serve user`.

use crate::admin::refused;
use crate::wire::people::UserView;
use clap::{Args, Subcommand};
use runcast_commands::{Failure, Output};
use runcast_core::Problem;
use runcast_store::users::User;
use runcast_store::{Database, SiteRole, audit, password, quotas, users};
use serde_json::json;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Read as _};

/// What is done with users.
#[derive(Debug, Clone, Subcommand)]
pub enum UserAction {
    /// Add a user; the password comes from the terminal or the standard input
    #[command(
        after_help = "Examples:\n  runcast serve user add alice --role author\n  runcast serve user add bot < password.txt"
    )]
    Add(AddArgs),
    /// List all users
    #[command(after_help = "Examples:\n  runcast serve user list\n  runcast serve user list --json")]
    List,
    /// Give a user another role
    #[command(after_help = "Examples:\n  runcast serve user role alice administrator")]
    Role(RoleArgs),
    /// Give a user another password, from the terminal or the standard input; their sessions end
    #[command(after_help = "Examples:\n  runcast serve user password alice")]
    Password(NameArgs),
    /// Keep a user out; their sessions end, their tokens stop working
    #[command(after_help = "Examples:\n  runcast serve user disable alice\n  runcast serve user disable alice --undo")]
    Disable(DisableArgs),
}

/// A new user.
#[derive(Debug, Clone, Args)]
pub struct AddArgs {
    /// The name
    pub name: String,
    /// viewer, author or administrator
    #[arg(long, default_value = "author", value_parser = role)]
    pub role: SiteRole,
}

/// A user and a role.
#[derive(Debug, Clone, Args)]
pub struct RoleArgs {
    /// The name
    pub name: String,
    /// viewer, author or administrator
    #[arg(value_parser = role)]
    pub role: SiteRole,
}

/// A user.
#[derive(Debug, Clone, Args)]
pub struct NameArgs {
    /// The name
    pub name: String,
}

/// Whom to keep out.
#[derive(Debug, Clone, Args)]
pub struct DisableArgs {
    /// The name
    pub name: String,
    /// Let them in again
    #[arg(long, hide_short_help = true)]
    pub undo: bool,
}

/// Who does what is done by the command line, in the audit log.
const SHELL: &str = "(shell)";

impl UserAction {
    pub(super) async fn run(&self, db: &Database) -> Result<Output, Failure> {
        match self {
            UserAction::Add(args) => add(db, args).await,
            UserAction::List => list(db).await,
            UserAction::Role(args) => {
                let user = users::set_role(db, &args.name, args.role).await.map_err(|error| refused(&error))?;
                told(db, user, "user role").await
            }
            UserAction::Password(args) => {
                users::get(db, &args.name).await.map_err(|error| refused(&error))?;
                let hash = new_password()?;
                let user = users::set_password(db, &args.name, &hash, None).await.map_err(|error| refused(&error))?;
                told(db, user, "user password").await
            }
            UserAction::Disable(args) => {
                let user = users::set_disabled(db, &args.name, !args.undo).await.map_err(|error| refused(&error))?;
                told(db, user, if args.undo { "user enable" } else { "user disable" }).await
            }
        }
    }
}

async fn add(db: &Database, args: &AddArgs) -> Result<Output, Failure> {
    if !users::is_name(&args.name) {
        let problem = Problem::new("name", "this cannot be the name of a user").at("NAME").value(&args.name);
        let allowed = "1 to 64 of letters, digits, . _ - @, the first a letter or digit";
        return Err(Failure::input(problem.allowed(allowed)));
    }
    if users::find(db, &args.name).await.map_err(|error| refused(&error))?.is_some() {
        let problem = Problem::new("taken", format!("the user {} is there already", args.name)).at("NAME");
        return Err(Failure::undone(problem.hint("runcast serve user password NAME, or role NAME ROLE")));
    }
    let hash = new_password()?;
    let user = users::add(db, &args.name, Some(&hash), args.role).await.map_err(|error| refused(&error))?;
    told(db, user, "user add").await
}

async fn list(db: &Database) -> Result<Output, Failure> {
    let mut items = Vec::new();
    let mut human = String::new();
    let mut after = String::new();
    loop {
        let page = users::list(db, &after, 500).await.map_err(|error| refused(&error))?;
        let Some(last) = page.last() else { break };
        after = last.name.clone();
        for user in page {
            let mark = if user.disabled { "  disabled" } else { "" };
            let _ = writeln!(human, "{:<24} {}{mark}", user.name, user.role);
            items.push(view(db, user).await?);
        }
    }
    if items.is_empty() {
        "no users\n".clone_into(&mut human);
    }
    Ok(Output::of(json!({ "items": items })).human(human))
}

async fn told(db: &Database, user: User, action: &str) -> Result<Output, Failure> {
    let noted = audit::add(db, SHELL, action, None, &format!("{} as {}", user.name, user.role)).await;
    noted.map_err(|error| refused(&error))?;
    let state = if user.disabled { ", disabled" } else { "" };
    let human = format!("{} ({}{state})\n", user.name, user.role);
    Ok(Output::of(view(db, user).await?).human(human))
}

async fn view(db: &Database, user: User) -> Result<serde_json::Value, Failure> {
    let quotas = quotas::of(db, &user.id).await.map_err(|error| refused(&error))?;
    Ok(serde_json::to_value(UserView::of(user, quotas)).unwrap_or_default())
}

/// The hash of a password that is typed twice unseen, or is all of the standard input but its line end.
fn new_password() -> Result<String, Failure> {
    let password = if std::io::stdin().is_terminal() { typed()? } else { piped()? };
    if !password::is_allowed(&password) {
        let text = format!("a password has {} to {} bytes", password::LEAST_BYTES, password::MOST_BYTES);
        return Err(Failure::input(Problem::new("password", text).value(format!("{} bytes", password.len()))));
    }
    password::hash(&password).map_err(|error| refused(&error))
}

fn typed() -> Result<String, Failure> {
    let ask = |what: &str| {
        let read = rpassword::prompt_password(what);
        read.map_err(|error| Failure::undone(Problem::new("terminal", error.to_string())))
    };
    let password = ask("Password: ")?;
    if password == ask("Again: ")? {
        return Ok(password);
    }
    Err(Failure::input(Problem::new("password", "the two are not equal")))
}

fn piped() -> Result<String, Failure> {
    let mut text = String::new();
    let most = password::MOST_BYTES as u64 + 3;
    let read = std::io::stdin().lock().take(most).read_to_string(&mut text);
    read.map_err(|error| Failure::input(Problem::new("stdin", format!("no password can be read: {error}"))))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

fn role(word: &str) -> Result<SiteRole, String> {
    SiteRole::parse(word).ok_or_else(|| "it is none of viewer, author, administrator".to_owned())
}
