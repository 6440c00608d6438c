//! `runcast serve project`.

use crate::admin::refused;
use crate::exchange::{self, Trouble};
use crate::path::is_name;
use crate::wire::time;
use clap::{Args, Subcommand};
use runcast_commands::human::Table;
use runcast_commands::{Context, Failure, Output};
use runcast_core::{Problem, Problems};
use runcast_store::projects::{self, Maker, Project};
use runcast_store::{Database, Id, users};
use serde_json::json;
use std::path::PathBuf;

/// What is done with projects.
#[derive(Debug, Clone, Subcommand)]
pub enum ProjectAction {
    /// List all projects
    #[command(after_help = "Examples:\n  runcast serve project list")]
    List,
    /// Write a project into a folder: its files, and run.sh with the command line of every job
    #[command(after_help = "Examples:\n  runcast serve project export demo ./demo\n  cd demo && sh run.sh")]
    Export(ExportArgs),
    /// Make a project of a folder, or add the files of the folder to one
    #[command(after_help = "Examples:\n  runcast serve project import ./demo demo --user alice")]
    Import(ImportArgs),
}

/// Which project, and where to.
#[derive(Debug, Clone, Args)]
pub struct ExportArgs {
    /// The project
    pub name: String,
    /// The folder: empty, or not there yet
    pub dir: PathBuf,
}

/// Which folder, and what becomes of it.
#[derive(Debug, Clone, Args)]
pub struct ImportArgs {
    /// The folder
    pub dir: PathBuf,
    /// The project; made when it is not there
    pub name: String,
    /// Who owns a project that is made [default: the one user, where there are no accounts]
    #[arg(long = "user", alias = "owner", value_name = "USER")]
    pub owner: Option<String>,
}

/// Who does what is done by the command line.
const SHELL: &str = "(shell)";
/// Projects that are read at once.
const PAGE: i64 = 500;

impl ProjectAction {
    pub(super) async fn run(&self, db: &Database) -> Result<Output, Failure> {
        match self {
            ProjectAction::List => list(db).await,
            ProjectAction::Export(args) => export(db, args).await,
            ProjectAction::Import(args) => import(db, args).await,
        }
    }
}

async fn list(db: &Database) -> Result<Output, Failure> {
    let mut items = Vec::new();
    let mut table = Table::new().text("project").text("title").number("files").text("made by").text("at");
    let mut after = String::new();
    loop {
        let page = projects::list(db, None, true, &after, PAGE).await.map_err(|error| refused(&error))?;
        let Some(last) = page.last() else { break };
        after.clone_from(&last.project.name);
        for listed in page {
            let Project { name, title, created_at, created_by, .. } = listed.project;
            let at = time::shown(created_at);
            table.row([name.clone(), title.clone(), listed.files.to_string(), created_by.clone(), at.clone()]);
            items.push(json!({
                "name": name, "title": title, "files": listed.files, "created_at": at, "created_by": created_by,
            }));
        }
    }
    let human = table.render(Context::new().screen);
    Ok(Output::of(json!({ "kind": "serve-project-list", "version": 1, "items": items })).human(human))
}

async fn export(db: &Database, args: &ExportArgs) -> Result<Output, Failure> {
    let project = get(db, &args.name).await?;
    let written = exchange::export(db, &project.id, &args.dir).await.map_err(|error| trouble(error, &args.dir))?;
    let human = format!("wrote {} files to {}\n", written.len(), args.dir.display());
    let document = json!({
        "kind": "serve-project-export", "version": 1, "project": project.name, "folder": args.dir, "files": written,
    });
    Ok(Output::of(document).human(human))
}

async fn import(db: &Database, args: &ImportArgs) -> Result<Output, Failure> {
    if !is_name(&args.name) || Id::parse(&args.name).is_some() {
        let problem = Problem::new("name", "a project cannot be called so").at("NAME").value(&args.name);
        return Err(Failure::input(problem.allowed("a letter, a digit or _, then these, . and -, 64 at most")));
    }
    if !args.dir.is_dir() {
        let problem = Problem::new("no_folder", "there is no such folder").in_file(args.dir.display().to_string());
        return Err(Failure::input(problem.at("DIR")));
    }
    let owner = args.owner.as_deref().unwrap_or(users::LOCAL);
    let owner = match (users::find(db, owner).await.map_err(|error| refused(&error))?, &args.owner) {
        (None, Some(name)) => {
            let problem = Problem::new("missing", format!("there is no user {name}")).at("--user");
            return Err(Failure::input(problem));
        }
        (found, _) => found,
    };
    let name = owner.as_ref().map_or(SHELL, |owner| owner.name.as_str());
    let maker = Maker { owner: owner.as_ref().map(|owner| &owner.id), name };
    let before = projects::get(db, &args.name).await.map_err(|error| refused(&error))?;
    let project = match before.clone() {
        Some(project) => project,
        None => projects::create(db, &args.name, &args.name, maker).await.map_err(|error| refused(&error))?,
    };
    let applied = exchange::import(db, &project.id, name, &args.dir).await;
    let applied = match applied {
        Ok(applied) => applied,
        Err(error) => {
            // A project that was made for this has nothing in it.
            if before.is_none() {
                projects::delete(db, &project.id).await.map_err(|error| refused(&error))?;
            }
            return Err(trouble(error, &args.dir));
        }
    };
    let (created, changed, same) = (applied.created.len(), applied.changed.len(), applied.unchanged.len());
    let human = format!("{}: {created} files are new, {changed} have changed, {same} are the same\n", project.name);
    let document = json!({
        "kind": "serve-project-import", "version": 1, "project": project.name,
        "created": applied.created, "changed": applied.changed, "unchanged": applied.unchanged,
    });
    Ok(Output::of(document).human(human))
}

async fn get(db: &Database, name: &str) -> Result<Project, Failure> {
    let found = projects::get(db, name).await.map_err(|error| refused(&error))?;
    found.ok_or_else(|| {
        let problem = Problem::new("missing", format!("there is no project {name}")).at("NAME");
        Failure::undone(problem.hint("runcast serve project list shows all"))
    })
}

fn trouble(trouble: Trouble, folder: &std::path::Path) -> Failure {
    match trouble {
        Trouble::Store(error) => refused(&error),
        Trouble::Disk(error) => Failure::writing(folder, &error),
        Trouble::Wrong(problems) => Failure::input(Problems(problems)),
    }
}
