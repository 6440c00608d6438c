//! Arguments of `runcast serve`.

use crate::admin::Action;
use crate::serve::{Place, undone, usage};
use clap::Args;
use runcast_commands::Failure;
use runcast_store::database::Location;
use runcast_store::{Database, StoreError};
use std::net::IpAddr;
use std::path::PathBuf;

/// Arguments of `runcast serve`.
#[derive(Debug, Clone, Args)]
#[command(subcommand_negates_reqs = true, after_help = EXAMPLES)]
pub struct ServeArgs {
    /// What is done on the database beside the server.
    #[command(subcommand)]
    pub action: Option<Action>,
    /// How it is served.
    #[command(flatten)]
    pub options: ServeOptions,
    /// Where the data is.
    #[command(flatten)]
    pub database: DatabaseArgs,
}

const EXAMPLES: &str = "\
Examples:
  runcast serve --open
  runcast serve --multi-user --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
  runcast serve user add alice --role author
  runcast serve token add ci --user alice --scope read";

/// How it is served.
#[derive(Debug, Clone, Args)]
pub struct ServeOptions {
    /// The address to listen at [default: 127.0.0.1]
    #[arg(long, value_parser = address)]
    pub host: Option<IpAddr>,
    /// The port; 0: a free one [default: 8470, or the next free of 20]
    #[arg(long)]
    pub port: Option<u16>,
    /// Tasks at once in this process; 0: none [default: number of cores]
    #[arg(long = "jobs", alias = "workers", value_name = "N")]
    pub workers: Option<u16>,
    /// Accounts instead of one user with a token
    #[arg(long)]
    pub multi_user: bool,
    /// Certificate of the server, with those it hangs on (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Its private key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// A proxy is in front: the address that browsers see
    #[arg(long, value_name = "URL", conflicts_with = "tls_cert", hide_short_help = true)]
    pub behind_proxy: Option<String>,
    /// Listen beyond this machine without encryption
    #[arg(long, conflicts_with_all = ["tls_cert", "behind_proxy"], hide_short_help = true)]
    pub insecure_http: bool,
    /// Open a browser
    #[arg(long)]
    pub open: bool,
    /// Replace the token
    #[arg(long, conflicts_with = "multi_user", hide_short_help = true)]
    pub new_token: bool,
    /// Begin with an empty project
    #[arg(long, hide_short_help = true)]
    pub no_samples: bool,
    /// Run tasks of several users although the sandbox is not in full force
    #[arg(long, hide_short_help = true)]
    pub allow_weak_sandbox: bool,
}

/// Where the data is.
#[derive(Debug, Clone, Args)]
pub struct DatabaseArgs {
    /// Where database, token and lock are kept [default: $XDG_DATA_HOME/runcast]
    #[arg(long, value_name = "DIR", global = true)]
    pub data_dir: Option<PathBuf>,
    /// The database: postgres://.. [default: SQLite in the data directory]
    #[arg(long, value_name = "URL", global = true, env = "RUNCAST_DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// A file with the address of the database
    #[arg(
        long = "database-url-file",
        id = "database-url @",
        value_name = "FILE",
        global = true,
        conflicts_with = "database_url",
        hide_short_help = true
    )]
    pub database_url_file: Option<PathBuf>,
}

impl ServeOptions {
    /// Exit code 2 if a subcommand comes with options that are not its own.
    pub(super) fn none_given(&self) -> Result<(), Failure> {
        let given = [
            ("--host", self.host.is_some()),
            ("--port", self.port.is_some()),
            ("--jobs", self.workers.is_some()),
            ("--multi-user", self.multi_user),
            ("--tls-cert", self.tls_cert.is_some()),
            ("--behind-proxy", self.behind_proxy.is_some()),
            ("--insecure-http", self.insecure_http),
            ("--open", self.open),
            ("--new-token", self.new_token),
            ("--no-samples", self.no_samples),
            ("--allow-weak-sandbox", self.allow_weak_sandbox),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => {
                Err(usage(option, "this is for the server itself", "leave it away, or the subcommand"))
            }
        }
    }
}

impl DatabaseArgs {
    /// The data directory; made when absent.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn place(&self) -> Result<Place, Failure> {
        Place::make(self.data_dir.as_deref())
    }

    /// Where the database is.
    ///
    /// # Errors
    /// The address is none; it is never shown, for its password.
    pub fn location(&self, place: &Place) -> Result<Location, Failure> {
        let from_file = match &self.database_url_file {
            Some(path) => Some(std::fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))?),
            None => None,
        };
        let url = from_file.as_deref().map(str::trim).or(self.database_url.as_deref()).filter(|url| !url.is_empty());
        let Some(url) = url else { return Ok(Location::File(place.database())) };
        Location::parse(url).ok_or_else(|| {
            let option = if from_file.is_some() { "--database-url-file" } else { "--database-url" };
            usage(option, "this is not an address of a database", "postgres://USER@HOST/NAME, or sqlite:PATH")
        })
    }

    /// The database, its schema brought up to date.
    ///
    /// # Errors
    /// It cannot be reached, or its schema is newer.
    pub async fn open(&self, place: &Place) -> Result<Database, Failure> {
        let location = self.location(place)?;
        Database::open(&location).await.map_err(|error| unopened(&error))
    }
}

fn unopened(error: &StoreError) -> Failure {
    match error {
        StoreError::Newer { .. } => Failure::undone(
            runcast_core::Problem::new("schema", error.to_string()).hint("use the newer runcast that made it"),
        ),
        StoreError::Away(_) => Failure::undone(
            runcast_core::Problem::new("database", error.to_string())
                .hint("is it running, and are host, port, user and name in its address right?"),
        ),
        _ => undone("database", error.to_string()),
    }
}

fn address(text: &str) -> Result<IpAddr, String> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));
    }
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().map_err(|_| "it is no IP address, such as 127.0.0.1 or 0.0.0.0".to_owned())
}
