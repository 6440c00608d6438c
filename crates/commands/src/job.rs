//! `runcast job`, and `--server URL` of other commands: the client of a server.

mod http;
pub mod launch;
mod listing;
mod outcome;
mod watch;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};
use http::{Body, Server, encoded};
use runcast_core::Problem;
use std::path::PathBuf;

/// Where the server is.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct ServerArgs {
    /// A server of runcast; its token in RUNCAST_TOKEN
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// The project there
    #[arg(long, value_name = "P", default_value = "main", requires = "server", hide_short_help = true)]
    pub project: String,
}

/// Where the server is that has a job: its id says which project.
#[derive(Debug, Clone, Args)]
pub struct AddressArgs {
    /// A server of runcast; its token in RUNCAST_TOKEN
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// Taken, so that the options of the launch serve here too, and not looked at.
    #[arg(long, hide = true)]
    pub project: Option<String>,
}

/// Arguments of `runcast job`.
#[derive(Debug, Clone, Args)]
pub struct JobArgs {
    #[command(subcommand)]
    pub to: Job,
}

/// What is to be done.
#[derive(Debug, Clone, Subcommand)]
pub enum Job {
    /// Jobs of a project, the newest first
    #[command(after_help = LIST)]
    List(ListArgs),
    /// All about a job
    #[command(after_help = example("show"))]
    Show(OneArgs),
    /// Follow a job to its end, then print what the command would print
    #[command(after_help = example("watch"))]
    Watch(OneArgs),
    /// Write the files that a job made
    #[command(after_help = FETCH)]
    Fetch(FetchArgs),
    /// Stop a job; points that are done stay
    #[command(after_help = example("cancel"))]
    Cancel(OneArgs),
    /// Queue a failed or cancelled job again; points that are done stay
    #[command(after_help = example("retry"))]
    Retry(OneArgs),
}

/// Arguments of `runcast job list`.
#[derive(Debug, Clone, Args)]
pub struct ListArgs {
    /// Jobs at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=500))]
    pub limit: u16,
    #[command(flatten)]
    pub server: ServerArgs,
}

/// Arguments of what is done with one job.
#[derive(Debug, Clone, Args)]
pub struct OneArgs {
    /// The job
    pub id: String,
    #[command(flatten)]
    pub server: AddressArgs,
}

/// Arguments of `runcast job fetch`.
#[derive(Debug, Clone, Args)]
pub struct FetchArgs {
    /// The job
    pub id: String,
    /// Into this folder [default: the current one]
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub server: AddressArgs,
}

const LIST: &str = "\
Examples:
  runcast job list --server http://127.0.0.1:8470
  runcast job list --server https://forecasts.example --project demo";
const FETCH: &str = "\
Examples:
  runcast job fetch 01JD3Q7M5Y8Z2K4N6P8R0T2V4X -o results \\
    --server http://127.0.0.1:8470";

/// An example of what is done with one job.
fn example(action: &str) -> String {
    format!("Examples:\n  runcast job {action} 01JD3Q7M5Y8Z2K4N6P8R0T2V4X --server http://127.0.0.1:8470")
}

/// Does it.
///
/// # Errors
/// The server does not answer, or refuses.
pub fn run(args: &JobArgs, context: &mut Context) -> Result<Output, Failure> {
    match &args.to {
        Job::List(args) => listing::list(&args.server.server()?, &args.server.project, args.limit, context),
        Job::Show(args) => listing::show(&args.server.server()?, &args.id),
        Job::Watch(args) => {
            let server = args.server.server()?;
            let job = watch::to_the_end(&server, &args.id, context)?;
            if watch::is_over(&job) { outcome::of(&server, &job) } else { Ok(watch::left(&args.id)) }
        }
        Job::Fetch(args) => outcome::fetch(&args.server.server()?, &args.id, args.output.as_deref()),
        Job::Cancel(args) => act(&args.server.server()?, &args.id, "cancel"),
        Job::Retry(args) => act(&args.server.server()?, &args.id, "retry"),
    }
}

fn act(server: &Server, id: &str, action: &str) -> Result<Output, Failure> {
    server.expect("POST", &format!("/jobs/{}/{action}", encoded(id)), Body::None)?;
    listing::show(server, id)
}

impl ServerArgs {
    fn server(&self) -> Result<Server, Failure> {
        connect(self.server.as_deref())
    }
}

impl AddressArgs {
    fn server(&self) -> Result<Server, Failure> {
        connect(self.server.as_deref())
    }
}

fn connect(address: Option<&str>) -> Result<Server, Failure> {
    let address = address.ok_or_else(|| {
        let problem = Problem::new("no_server", "which server?").at("--server");
        problem.hint("such as --server http://127.0.0.1:8470")
    })?;
    Server::new(address)
}
