//! From a command line to a job: admission, the files that it reads, points, and what a repeated request is answered.

use crate::api::jobs::{bad_priority, bad_title};
use crate::app::App;
use crate::auth::{Caller, Entered, Right};
use crate::kinds;
use crate::problem::ApiError;
use crate::task::{Limits, Outcome, Work};
use crate::wire::jobs::{Job, JobFile, JobState, Launch, command_line};
use crate::wire::time;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use runcast_commands::remote::{self, Admitted, Survey};
use runcast_commands::{Context, Files};
use runcast_core::Problem;
use runcast_store::files::{self, Frozen};
use runcast_store::idempotency::{self, Answer, Key};
use runcast_store::jobs::{FrozenFile, Launch as Stored, Launched, NewBatch, NewJob};
use runcast_store::{Database, Digest, Id, StoreError, blobs, projects};
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where entries of the site's catalogue stand among the files of a job.
pub(super) const SITE_FOLDER: &str = "hardware/site/";
/// The project of the site's catalogue.
const SITE: &str = "site";
/// Tasks of a job, at most; small jobs have a task a point.
const MOST_TASKS: u64 = 500;
/// Letters of an `Idempotency-Key`.
const MOST_KEY: usize = 255;

/// The files that commands may read: those of a project, and the site's catalogue; bytes come when they are read.
pub(super) struct Stock {
    database: Database,
    runtime: tokio::runtime::Handle,
    project: Option<Id>,
    files: BTreeMap<String, Source>,
    cache: HashMap<Digest, Arc<[u8]>>,
    broken: HashMap<String, Vec<Problem>>,
    last: Option<Seen>,
    failed: Option<StoreError>,
}

/// A command line, and what came of it.
type Seen = (Vec<String>, Result<Ready, Vec<Problem>>);

/// Where the bytes of a file are.
#[derive(Debug, Clone)]
pub(super) enum Source {
    Stored(Frozen),
    /// Here.
    Given(Arc<[u8]>),
}

/// A command that can be launched.
#[derive(Debug, Clone)]
pub(super) struct Ready {
    wish: Launch,
    /// The command line as it is run.
    pub admitted: Admitted,
    pub survey: Survey,
    files: Vec<FrozenFile>,
}

impl Stock {
    /// The files of a project, or those of the site alone, for a caller who may look at them and compute now.
    pub async fn admitted(app: &App, caller: &Caller, project: Option<&str>) -> Result<Self, ApiError> {
        let entered = match project {
            Some(project) => Some(caller.enter(app, project, Right::View).await?),
            None => None,
        };
        app.children().admit(app, &caller.user).await?;
        Stock::of(app, entered.as_ref()).await
    }

    /// The files of a project, or those of the site alone.
    pub async fn of(app: &App, entered: Option<&Entered>) -> Result<Self, ApiError> {
        let mut stock = Stock {
            database: app.database().clone(),
            runtime: tokio::runtime::Handle::current(),
            project: entered.map(|entered| entered.id.clone()),
            files: BTreeMap::new(),
            cache: HashMap::new(),
            broken: HashMap::new(),
            last: None,
            failed: None,
        };
        if let Some(entered) = entered {
            let all = files::frozen(app.database(), &entered.id).await?;
            stock.files = all.into_iter().map(|file| (file.path.clone(), Source::Stored(file))).collect();
        }
        // A project that was exported with the site's entries has them as files of its own, which win.
        for (path, file) in site_files(app).await? {
            stock.files.entry(path).or_insert(Source::Stored(file));
        }
        Ok(stock)
    }

    /// Files that came with the request; they go before those of the project.
    pub fn give(&mut self, given: BTreeMap<String, String>) -> Result<(), Vec<Problem>> {
        let wrong = given.keys().filter(|path| !remote::is_project_path(path));
        let problems: Vec<Problem> = wrong
            .map(|path| {
                let problem = Problem::new("path", "this is not a path of a file").at("/files").value(path.as_str());
                problem.allowed("1 to 4 segments of letters, digits, . _ -, such as systems/galera.toml")
            })
            .collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        let given = given.into_iter().map(|(path, text)| (path, Source::Given(Arc::from(text.into_bytes()))));
        self.files.extend(given);
        Ok(())
    }

    /// Files that stand in for those that the project lacks.
    pub fn lend(&mut self, lent: impl IntoIterator<Item = (String, String)>) {
        for (path, text) in lent {
            self.files.entry(path).or_insert_with(|| Source::Given(Arc::from(text.into_bytes())));
        }
    }

    /// The text of a file of the project; none: it is not there, or no text.
    pub async fn text(&self, path: &str) -> Result<Option<String>, ApiError> {
        let bytes = match self.files.get(path) {
            None => return Ok(None),
            Some(Source::Given(bytes)) => bytes.to_vec(),
            Some(Source::Stored(file)) => blobs::get(&self.database, &file.digest).await?,
        };
        Ok(String::from_utf8(bytes).ok())
    }

    /// A stored content under a path of its own, which no file of the project has.
    pub fn keep(&mut self, path: String, digest: Digest, bytes: usize) {
        let size = i64::try_from(bytes).unwrap_or(i64::MAX);
        let file = Frozen { path: path.clone(), kind: "other".to_owned(), version: 0, digest, size };
        self.files.entry(path).or_insert(Source::Stored(file));
    }

    fn is_there(&self, path: &str) -> bool {
        self.files.contains_key(path) || self.has_folder(path)
    }

    fn has_folder(&self, path: &str) -> bool {
        let start = format!("{path}/");
        self.files.range(start.clone()..).next().is_some_and(|(path, _)| path.starts_with(&start))
    }

    /// The command line with the catalogues of the site and of the project, which every simulation sees.
    fn with_catalogues(&self, admitted: &Admitted) -> Vec<String> {
        let mut argv = admitted.argv.clone();
        let words = admitted.name.split(' ').count();
        let takes = remote::rules::of(admitted.name).and_then(|rule| rule.role("catalogue")).is_some();
        if !takes || !remote::has_use_of_catalogues(&admitted.command) {
            return argv;
        }
        let is_own = |(path, _): (&String, &Source)| path.starts_with("hardware/") && !path.starts_with(SITE_FOLDER);
        // `sim hardware list` names no folder.
        let values = argv.windows(2).filter(|pair| pair[0] == "--catalogue").map(|pair| pair[1].as_str());
        let values = values.chain(argv.iter().filter_map(|word| word.strip_prefix("--catalogue=")));
        let values: Vec<&str> = values.map(|value| value.trim_end_matches('/')).collect();
        let named = |folder: &str| values.contains(&folder);
        let mut added = Vec::new();
        if self.files.keys().any(|path| path.starts_with(SITE_FOLDER)) && !named("hardware/site") {
            added.push("hardware/site");
        }
        if self.files.iter().any(is_own) && !named("hardware") {
            added.push("hardware");
        }
        let at =
            argv.iter().position(|word| admitted.name.split(' ').next_back() == Some(word)).map_or(words, |at| at + 1);
        let added = added.into_iter().flat_map(|folder| ["--catalogue".to_owned(), folder.to_owned()]);
        argv.splice(at..at, added);
        argv
    }

    /// Looks at a command line: may it be a job, what does it read, how many points has it?
    pub fn look(self, wish: Launch) -> (Self, Result<Ready, Vec<Problem>>) {
        let mut problems: Vec<Problem> = wish.priority.and_then(bad_priority).into_iter().collect();
        problems.extend(wish.title.as_deref().and_then(bad_title));
        if !problems.is_empty() {
            return (self, Err(problems));
        }
        // A batch may hold the same command thousands of times.
        if let Some((argv, seen)) = &self.last
            && *argv == wish.argv
        {
            let seen = seen.clone().map(|ready| Ready { wish, ..ready });
            return (self, seen);
        }
        let argv = wish.argv.clone();
        let (mut this, seen) = self.look_anew(wish);
        this.last = Some((argv, seen.clone()));
        (this, seen)
    }

    fn look_anew(self, wish: Launch) -> (Self, Result<Ready, Vec<Problem>>) {
        let admitted = remote::admit(&wish.argv, &|path| self.is_there(path)).and_then(|admitted| {
            let task_argv = self.with_catalogues(&admitted);
            match task_argv == admitted.argv {
                true => Ok(admitted),
                false => remote::admit(&task_argv, &|path| self.is_there(path)),
            }
        });
        let admitted = match admitted {
            Ok(admitted) => admitted,
            Err(problem) => return (self, Err(vec![problem])),
        };
        // The context takes the files and gives them back.
        let shared = Arc::new(std::sync::Mutex::new(self));
        let mut context = Context::of_files(Box::new(Reader(shared.clone())));
        let surveyed = remote::survey(&admitted, &mut context);
        drop(context);
        let this = match Arc::try_unwrap(shared) {
            Ok(mutex) => mutex.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner),
            // Nothing else holds it once the context is gone.
            Err(shared) => shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner).emptied(),
        };
        this.ready(wish, admitted, surveyed)
    }

    fn ready(
        mut self,
        wish: Launch,
        admitted: Admitted,
        surveyed: Result<Survey, Vec<Problem>>,
    ) -> (Self, Result<Ready, Vec<Problem>>) {
        let survey = match surveyed {
            Ok(survey) => survey,
            Err(problems) => return (self, Err(problems)),
        };
        let mut problems = Vec::new();
        let mut frozen = Vec::with_capacity(survey.files.len());
        for path in &survey.files {
            if let Some(Source::Stored(file)) = self.files.get(path).cloned() {
                problems.extend(self.problems_of(&file, path));
                frozen.push(FrozenFile { path: path.clone(), version: file.version, digest: file.digest });
            }
        }
        if !problems.is_empty() {
            return (self, Err(problems));
        }
        (self, Ok(Ready { wish, admitted, survey, files: frozen }))
    }

    /// What is wrong with a file of the project that a job reads.
    fn problems_of(&mut self, file: &Frozen, path: &str) -> Vec<Problem> {
        let Some(project) = self.project.clone().filter(|_| !path.starts_with(SITE_FOLDER)) else { return Vec::new() };
        if let Some(known) = self.broken.get(path) {
            return known.clone();
        }
        let found = self.runtime.block_on(files::get(&self.database, &project, path));
        let problems = match found {
            Ok(Some(now)) if !now.facts.valid && now.digest == file.digest => {
                let mut problems = kinds::problems(&now.facts);
                for problem in &mut problems {
                    problem.file.get_or_insert_with(|| path.to_owned());
                }
                if problems.is_empty() {
                    let problem = Problem::new("invalid_file", format!("the file is not a valid {}", now.facts.kind));
                    problems.push(problem.in_file(path));
                }
                problems
            }
            Ok(_) => Vec::new(),
            Err(error) => {
                self.failed.get_or_insert(error);
                Vec::new()
            }
        };
        self.broken.insert(path.to_owned(), problems.clone());
        problems
    }

    fn bytes(&mut self, path: &str) -> io::Result<Arc<[u8]>> {
        let file = match self.files.get(path) {
            Some(Source::Given(bytes)) => return Ok(bytes.clone()),
            Some(Source::Stored(file)) => file.clone(),
            None if self.has_folder(path) => return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory")),
            None => return Err(io::Error::new(io::ErrorKind::NotFound, "no such file or directory")),
        };
        if let Some(bytes) = self.cache.get(&file.digest) {
            return Ok(bytes.clone());
        }
        match self.runtime.block_on(blobs::get(&self.database, &file.digest)) {
            Ok(bytes) => {
                let bytes: Arc<[u8]> = Arc::from(bytes);
                self.cache.insert(file.digest, bytes.clone());
                Ok(bytes)
            }
            Err(error) => {
                let text = error.to_string();
                self.failed.get_or_insert(error);
                Err(io::Error::other(text))
            }
        }
    }

    /// The bytes of these files.
    pub fn contents(&mut self, paths: &[String]) -> io::Result<Vec<(String, Arc<[u8]>)>> {
        paths.iter().map(|path| Ok((path.clone(), self.bytes(path)?))).collect()
    }

    /// What the database refused meanwhile.
    pub fn failure(&mut self) -> Option<StoreError> {
        self.failed.take()
    }

    fn emptied(&mut self) -> Self {
        Stock {
            database: self.database.clone(),
            runtime: self.runtime.clone(),
            project: self.project.clone(),
            files: std::mem::take(&mut self.files),
            cache: std::mem::take(&mut self.cache),
            broken: std::mem::take(&mut self.broken),
            last: self.last.take(),
            failed: self.failed.take(),
        }
    }
}

/// The files of a stock, for a command.
struct Reader(Arc<std::sync::Mutex<Stock>>);

impl Reader {
    fn stock(&self) -> std::sync::MutexGuard<'_, Stock> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Files for Reader {
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        let absent = || io::Error::new(io::ErrorKind::NotFound, "no such file or directory");
        let name = remote::normalized(path).ok_or_else(absent)?;
        self.stock().bytes(&name).map(|bytes| bytes.to_vec())
    }

    fn is_file(&mut self, path: &Path) -> bool {
        remote::normalized(path).is_some_and(|path| self.stock().files.contains_key(&path))
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        remote::normalized(path).is_some_and(|path| path.is_empty() || self.stock().has_folder(&path))
    }

    fn list(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let absent = || io::Error::new(io::ErrorKind::NotFound, "no such file or directory");
        let start = match remote::normalized(folder).ok_or_else(absent)? {
            name if name.is_empty() => name,
            name => name + "/",
        };
        let stock = self.stock();
        let below = stock.files.range(start.clone()..).map(|(path, _)| path);
        let below =
            below.take_while(|path| path.starts_with(&start)).filter_map(|path| path[start.len()..].split('/').next());
        let mut names: Vec<&str> = below.collect();
        names.dedup();
        match names.is_empty() {
            true => Err(absent()),
            false => Ok(names.into_iter().map(|name| folder.join(name)).collect()),
        }
    }
}

impl Ready {
    /// The job to be stored.
    pub fn job(self, caller: &Caller, entered: &Entered, batch: Option<(Id, i64)>) -> NewJob {
        let points = self.survey.points.max(1);
        NewJob {
            id: Id::new(),
            project: entered.id.clone(),
            user: caller.user.clone(),
            batch,
            title: self.wish.title.unwrap_or_default(),
            argv: self.wish.argv,
            task_argv: self.admitted.argv,
            limits: limits(),
            priority: self.wish.priority.unwrap_or(0),
            points: i64::try_from(points).unwrap_or(i64::MAX),
            points_per_task: i64::try_from(points.div_ceil(MOST_TASKS)).unwrap_or(i64::MAX),
            files: self.files,
        }
    }
}

/// What each task of a job may take.
fn limits() -> String {
    let usual = Limits::default();
    let (memory, output, wall_s) = (usual.memory_bytes, usual.output_bytes, usual.wall().as_secs());
    json!({"memory_bytes": memory, "cpu_s": usual.cpu_s, "wall_s": wall_s, "output_bytes": output}).to_string()
}

/// Looks at command lines, away from the threads that answer requests; after so many that cannot be launched, no further.
pub(super) async fn look(
    mut stock: Stock,
    wishes: Vec<Launch>,
    most_refused: usize,
) -> Result<Vec<Result<Ready, Vec<Problem>>>, ApiError> {
    let work = move || {
        let mut found = Vec::with_capacity(wishes.len());
        let mut refused = 0;
        for wish in wishes {
            let (next, one) = stock.look(wish);
            stock = next;
            refused += usize::from(one.is_err());
            found.push(one);
            if stock.failed.is_some() || refused >= most_refused {
                break;
            }
        }
        (found, stock.failure())
    };
    let (found, failure) = kinds::blocking(work).await?;
    failure.map_or(Ok(found), |error| Err(error.into()))
}

/// The site's own entries of hardware, by the path that they have in a job.
pub(super) async fn site_files(app: &App) -> Result<BTreeMap<String, Frozen>, ApiError> {
    let Some(site) = projects::get(app.database(), SITE).await? else { return Ok(BTreeMap::new()) };
    // One that cannot be read must not keep others from launching.
    let all = files::of_kind(app.database(), &site.id, "hardware").await?;
    let all = all.into_iter().filter(|file| file.facts.valid).map(Frozen::from);
    let entry = |file: Frozen| {
        let name = file.path.strip_prefix("hardware/").filter(|name| !name.contains('/') && name.ends_with(".toml"))?;
        Some((format!("{SITE_FOLDER}{name}"), Frozen { version: 0, ..file.clone() }))
    };
    Ok(all.filter_map(entry).collect())
}

/// Reads an id that came with a request.
pub(super) fn id(kind: &str, text: &str) -> Result<Id, ApiError> {
    Id::parse(text).ok_or_else(|| {
        let problem = Problem::new("id", format!("this is not an id of a {kind}")).at(kind).value(text);
        ApiError::invalid("id", vec![problem.allowed("26 characters of 0-9 A-Z")])
    })
}

/// Launches commands of a caller without a request; those that cannot be launched are logged and left out.
pub(crate) async fn launch(
    app: &App,
    caller: &Caller,
    project: &str,
    wishes: Vec<Launch>,
) -> Result<Vec<Problem>, ApiError> {
    let entered = caller.enter(app, project, Right::Author).await?;
    let mut refused = Vec::new();
    let mut jobs = Vec::new();
    for found in look(Stock::of(app, Some(&entered)).await?, wishes, usize::MAX).await? {
        match found {
            Ok(ready) => jobs.push(ready.job(caller, &entered, None)),
            Err(problems) => refused.extend(problems),
        }
    }
    runcast_store::jobs::launch(app.database(), &jobs).await?;
    Ok(refused)
}

/// Which request it is, if it may be repeated.
pub(super) fn key(
    headers: &HeaderMap,
    caller: &Caller,
    what: &str,
    body: &impl Serialize,
) -> Result<Option<Key>, ApiError> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let text = value.to_str().ok().filter(|text| !text.is_empty() && text.len() <= MOST_KEY).ok_or_else(|| {
        let problem = Problem::new("idempotency_key", "this is not a key of a request").at("Idempotency-Key");
        ApiError::invalid("idempotency_key", vec![problem.allowed("1 to 255 visible characters")])
    })?;
    let body = serde_json::to_vec(body).map_err(|error| internal(&error))?;
    Ok(Some(Key { user: caller.user.clone(), key: format!("{what} {text}"), body: Digest::of(&body) }))
}

/// What the same request was answered before.
pub(super) async fn before(app: &App, key: Option<&Key>) -> Result<Option<Answer>, ApiError> {
    match key {
        Some(key) => idempotency::find(app.database(), key).await.map_err(other_body),
        None => Ok(None),
    }
}

/// The answer that is kept.
pub(super) fn answer(body: &impl Serialize, location: String) -> Result<Answer, ApiError> {
    let body = serde_json::to_string(body).map_err(|error| internal(&error))?;
    Ok(Answer { status: 202, location: Some(location), body })
}

/// Stores jobs: what is to be answered, by now or by a request before.
pub(super) async fn store(
    app: &App,
    batch: Option<NewBatch>,
    jobs: Vec<NewJob>,
    key: Option<Key>,
    answer: Answer,
) -> Result<Answer, ApiError> {
    let may_repeat = key.is_some();
    let stored = Stored { batch, jobs, repeat: key.map(|key| (key, answer.clone())) };
    match runcast_store::jobs::launch_all(app.database(), &stored).await {
        Ok(Launched::Now) => Ok(answer),
        Ok(Launched::Before(before)) => Ok(before),
        Err(error) if may_repeat => Err(other_body(error)),
        Err(error) => Err(error.into()),
    }
}

fn other_body(error: StoreError) -> ApiError {
    match error {
        StoreError::State(text) => {
            let problem = Problem::new("idempotency_key", text).at("Idempotency-Key");
            ApiError::invalid("idempotency_key", vec![problem.hint("a new key for another request")])
        }
        error => error.into(),
    }
}

/// The response of an answer that was kept.
pub(super) fn answered(answer: &Answer) -> Response {
    let status = u16::try_from(answer.status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    let kind = [(header::CONTENT_TYPE, "application/json")];
    let mut response = (status.unwrap_or(StatusCode::ACCEPTED), kind, answer.body.clone()).into_response();
    if let Some(location) = answer.location.as_deref().and_then(|location| location.parse().ok()) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// A job as it is shown at its launch.
pub(super) fn shown(new: &NewJob, caller: &Caller, entered: &Entered, now: i64) -> Job {
    Job {
        id: new.id.to_string(),
        project: entered.name.clone(),
        argv: new.argv.clone(),
        command_line: command_line(&new.task_argv),
        files: new
            .files
            .iter()
            .map(|file| JobFile {
                path: file.path.clone(),
                version: file.version,
                digest: file.digest.to_string(),
                current: None,
            })
            .collect(),
        state: JobState::Queued,
        priority: new.priority,
        title: Some(new.title.clone()).filter(|title| !title.is_empty()),
        batch: new.batch.as_ref().map(|batch| batch.0.to_string()),
        points_total: new.points,
        points_done: 0,
        points_failed: 0,
        attempts: 0,
        error: None,
        created_by: caller.name.clone(),
        created_at: time::shown(now),
        started_at: None,
        finished_at: None,
        limits: serde_json::from_str(&new.limits).unwrap_or_default(),
        cpu_s: 0.0,
        warnings: Vec::new(),
    }
}

/// Runs a command line at once on what is in the stock; `what` names the problem if it is refused.
///
/// # Errors
/// What is wrong with the command line and its files; it takes too long.
pub(super) async fn run_now(
    app: &App,
    stock: Stock,
    argv: Vec<String>,
    what: &'static str,
) -> Result<Outcome, ApiError> {
    let look = move || {
        let (mut stock, ready) = stock.look(Launch { argv, priority: None, title: None });
        let found = ready.map(|ready| {
            let contents = stock.contents(&ready.survey.files);
            (ready, contents)
        });
        (found, stock.failure())
    };
    let (found, failure) = kinds::blocking(look).await?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    let (ready, contents) = found.map_err(|problems| ApiError::invalid(what, problems))?;
    let contents = contents.map_err(|error| internal(&error))?;
    let work = Work::Command { argv: ready.admitted.argv, points: None };
    app.children().run(app, work, contents).await
}

pub(super) fn internal(error: &dyn std::fmt::Display) -> ApiError {
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string())
}
