//! A private PostgreSQL of Debian's package, that ends with the process that started it, however that ends.
//!
//! A shell is in between: it starts the server on request, and when our end of its standard input closes (also
//! under SIGKILL) it stops the server and removes the folder. Should the shell be killed, the system kills the server.

use crate::database::Location;
use crate::error::StoreError;
use sqlx::{Connection, PgConnection};
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Where Debian puts the programs of its version.
const PROGRAMS: &str = "/usr/lib/postgresql/15/bin";

/// How long a start may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the shell does: `start` and `kill` on its standard input, at its end all is put away. One that lives is not started
/// again, however slowly it starts: its number would be unknown.
const KEEPER: &str = r#"
folder=$1; shift; server=
while read -r word; do
    case $word in
    start) if ! [ -e "/proc/$server/exe" ]; then "$@" >>"$folder/log" 2>&1 & server=$!; fi ;;
    kill) kill -KILL "$server"; wait "$server"; server= ;;
    esac
done
if [ -n "$server" ]; then kill -QUIT "$server"; wait "$server"; fi
rm -rf "$folder"
"#;

/// A server on a free port of the loopback, with a folder of its own.
#[derive(Debug)]
pub struct Postgres {
    folder: PathBuf,
    port: u16,
    keeper: Mutex<Child>,
    orders: Mutex<Option<ChildStdin>>,
    databases: AtomicU64,
}

impl Postgres {
    /// Starts one as it comes, with full durability; `None` where Debian's package is missing.
    ///
    /// # Errors
    /// It does not start.
    pub fn start() -> Result<Option<Self>, StoreError> {
        Self::start_with(&[])
    }

    /// Starts one with settings such as `fsync=off`.
    ///
    /// # Errors
    /// It does not start.
    pub fn start_with(settings: &[&str]) -> Result<Option<Self>, StoreError> {
        if !Path::new(PROGRAMS).join("postgres").exists() {
            return Ok(None);
        }
        launch(settings).map(Some).map_err(|error| StoreError::Away(format!("PostgreSQL does not start: {error}")))
    }

    /// The one that the tests of this process share. It does not wait for the disk: only a machine that loses power
    /// could see the difference.
    ///
    /// # Errors
    /// It does not start.
    pub fn shared() -> Result<Option<&'static Self>, StoreError> {
        static SHARED: OnceLock<Option<Postgres>> = OnceLock::new();
        static STARTING: Mutex<()> = Mutex::new(());
        let _one_at_a_time = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = SHARED.get() {
            return Ok(server.as_ref());
        }
        let server = Self::start_with(&["fsync=off"])?;
        Ok(SHARED.get_or_init(|| server).as_ref())
    }

    /// A new, empty database on it, with the order of texts of a language, as most servers have it.
    ///
    /// # Errors
    /// The server is away.
    pub async fn fresh(&self) -> Result<Location, StoreError> {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut connection = PgConnection::connect(&self.url("postgres")).await?;
        let statement =
            format!("CREATE DATABASE {name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'");
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut connection).await?;
        connection.close().await?;
        Ok(Location::Url(self.url(&name)))
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of a database on it.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Kills the server without a warning.
    ///
    /// # Errors
    /// It continues answering.
    pub fn kill(&self) -> Result<(), StoreError> {
        self.order("kill");
        let since = Instant::now();
        while self.answers() {
            if since.elapsed() > PATIENCE {
                return Err(StoreError::Database("PostgreSQL cannot be killed".to_owned()));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Starts it again on the same port, after [`Postgres::kill`].
    ///
    /// # Errors
    /// It does not start.
    pub fn start_again(&self) -> Result<(), StoreError> {
        let away = |error: std::io::Error| StoreError::Away(error.to_string());
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            self.order("start");
            // The processes of the one that was killed may hold its memory still: then it gives up, and is started again.
            if self.wait(Duration::from_millis(200)).map_err(away)? {
                return Ok(());
            }
        }
        Err(StoreError::Away(format!("PostgreSQL does not start again: {}", self.log())))
    }

    fn order(&self, word: &str) {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(orders) = orders.as_mut() {
            let _ = writeln!(orders, "{word}").and_then(|()| orders.flush());
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    fn answers(&self) -> bool {
        let ready = Command::new(Path::new(PROGRAMS).join("pg_isready"))
            .args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()])
            .status();
        ready.is_ok_and(|status| status.success())
    }

    fn wait(&self, longest: Duration) -> std::io::Result<bool> {
        let since = Instant::now();
        while since.elapsed() < longest {
            if self.answers() {
                return Ok(true);
            }
            if self.keeper.lock().unwrap_or_else(PoisonError::into_inner).try_wait()?.is_some() {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(false)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        *self.orders.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let _ = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).wait();
    }
}

fn launch(settings: &[&str]) -> std::io::Result<Postgres> {
    let template = template()?;
    let folder = tempfile::Builder::new().prefix("runcast-postgres-").tempdir()?.keep();
    let owner = template.metadata()?;
    chown(&folder, Some(owner.uid()), Some(owner.gid()))?;
    let copied = Command::new("cp").arg("-a").arg(&template).arg(folder.join("data")).status()?;
    if !copied.success() {
        return Err(std::io::Error::other("the template cannot be copied"));
    }
    // Free when we look; should another take it meanwhile, the start fails and another port is tried.
    for _ in 0..5 {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let server = keep(&folder, port, settings)?;
        server.order("start");
        if server.wait(PATIENCE)? {
            return Ok(server);
        }
        let log = server.log();
        // Its folder is gone with it.
        drop(server);
        if !log.contains("Address already in use") {
            return Err(std::io::Error::other(log));
        }
        std::fs::create_dir(&folder)?;
        chown(&folder, Some(owner.uid()), Some(owner.gid()))?;
        Command::new("cp").arg("-a").arg(&template).arg(folder.join("data")).status()?;
    }
    Err(std::io::Error::other("no port is free"))
}

/// Starts the shell that keeps the server.
fn keep(folder: &Path, port: u16, settings: &[&str]) -> std::io::Result<Postgres> {
    let mut command = Command::new("sh");
    command.args(["-c", KEEPER, "keeper"]).arg(folder);
    command.args(["setpriv", "--pdeathsig", "QUIT"]);
    if let Some((user, group)) = postgres_user() {
        command.args([format!("--reuid={user}"), format!("--regid={group}"), "--clear-groups".to_owned()]);
    }
    command.arg(Path::new(PROGRAMS).join("postgres")).arg("-D").arg(folder.join("data"));
    command.args(["-p", &port.to_string()]);
    for setting in ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"] {
        command.args(["-c", setting]);
    }
    for setting in settings {
        command.args(["-c", setting]);
    }
    // A group of its own: who ends the tests of a group gives the shell time to put things away.
    command.current_dir("/").process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut keeper = command.spawn()?;
    let orders = Mutex::new(keeper.stdin.take());
    let (folder, keeper) = (folder.to_owned(), Mutex::new(keeper));
    Ok(Postgres { folder, port, keeper, orders, databases: AtomicU64::new(0) })
}

/// A folder as `initdb` leaves it, made once and copied after that.
fn template() -> std::io::Result<PathBuf> {
    let me = std::fs::metadata("/proc/self")?.uid();
    let home = std::env::temp_dir().join(format!("runcast-postgres-template-{me}"));
    std::fs::create_dir_all(&home)?;
    if home.metadata()?.uid() != me {
        return Err(std::io::Error::other(format!("{} belongs to another user", home.display())));
    }
    let lock = std::fs::File::create(home.join("lock"))?;
    lock.lock()?;
    let ready = home.join("15");
    if ready.exists() {
        return Ok(ready);
    }
    let work = home.join("15.new");
    let _ = std::fs::remove_dir_all(&work);
    std::fs::create_dir(&work)?;
    let mut command = Command::new(Path::new(PROGRAMS).join("initdb"));
    command.args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "-D"]).arg(&work);
    command.current_dir("/").stdin(Stdio::null());
    if let Some((user, group)) = postgres_user() {
        chown(&work, Some(user), Some(group))?;
        command.uid(user).gid(group);
    }
    let output = command.output()?;
    if !output.status.success() {
        return Err(std::io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    std::fs::rename(&work, &ready)?;
    Ok(ready)
}

/// Who runs the server where we are root, which it refuses; `None` where we are not.
fn postgres_user() -> Option<(u32, u32)> {
    if std::fs::metadata("/proc/self").ok()?.uid() != 0 {
        return None;
    }
    let people = std::fs::read_to_string("/etc/passwd").ok()?;
    let line = people.lines().find(|line| line.starts_with("postgres:"))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}
