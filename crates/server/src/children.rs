//! Processes for work that a user waits for: short commands, dry runs, pictures.

use crate::app::{App, Mode};
use crate::problem::ApiError;
use crate::task::{Code, Event, Launcher, Limits, Outcome, Process, Sandbox, Spec, Stop, Work};
use axum::http::{StatusCode, header};
use runcast_core::Problem;
use runcast_store::{Id, quotas};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{OnceCell, Semaphore};

/// How long a user waits at most, in seconds.
const WALL_S: u64 = 5;
/// Users whose requests are counted at once; those who asked long ago are forgotten first.
const MOST_USERS: usize = 10_000;

/// What starts such processes, and how many at once.
#[derive(Debug)]
pub struct Children {
    launcher: OnceCell<Launcher>,
    slots: Semaphore,
    rates: Mutex<HashMap<Id, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Default for Children {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Children { launcher: OnceCell::new(), slots: Semaphore::new(cores.max(2)), rates: Mutex::default() }
    }
}

/// What a process may use while a user waits for it.
fn limits() -> Limits {
    Limits { memory_bytes: 1 << 30, cpu_s: 10, wall_ms: WALL_S * 1000, output_bytes: 32 << 20, threads: 1 }
}

impl Children {
    /// What processes are started from; the sandbox is tried when it is asked for first.
    pub async fn launcher(&self, app: &App) -> &Launcher {
        self.launcher.get_or_init(|| Launcher::new(&app.options().executable)).await
    }

    /// 429 when a user asks too often.
    ///
    /// # Errors
    /// As said, or the database is away.
    pub async fn admit(&self, app: &App, user: &Id) -> Result<(), ApiError> {
        let a_second = quotas::of(app.database(), user).await?.compute_per_s.max(0) as f64;
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if rates.len() >= MOST_USERS {
            rates.retain(|_, bucket| now.duration_since(bucket.at) < Duration::from_secs(2));
        }
        let bucket = rates.entry(user.clone()).or_insert(Bucket { left: a_second, at: now });
        bucket.left = (bucket.left + now.duration_since(bucket.at).as_secs_f64() * a_second).min(a_second);
        bucket.at = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        let detail = format!("more than {a_second} a second");
        Err(ApiError::new(StatusCode::TOO_MANY_REQUESTS, "rate", detail).header(header::RETRY_AFTER, "1"))
    }

    /// What processes are started from, where the sandbox is good enough.
    async fn guarded(&self, app: &App) -> Result<&Launcher, ApiError> {
        let launcher = self.launcher(app).await;
        let weak = launcher.sandbox() != Sandbox::Full && !app.options().allow_weak_sandbox;
        if weak && app.options().mode == Mode::Multi {
            let problem = Problem::new("weak_sandbox", "the sandbox is not in full force on this machine")
                .value(launcher.sandbox().name())
                .allowed(Sandbox::Full.name())
                .hint("start the server with --allow-weak-sandbox to run tasks in a weaker one");
            return Err(ApiError::invalid("weak_sandbox", vec![problem]));
        }
        Ok(launcher)
    }

    /// Does some work in a process of its own, while a user edits; lines are passed on as they come.
    ///
    /// # Errors
    /// 429: all processes are busy; the sandbox is not in full force.
    pub async fn follow(
        &self,
        app: &App,
        work: Work,
        files: Vec<(String, Arc<[u8]>)>,
        budget_ms: u64,
        stop: Stop,
        events: UnboundedSender<Event>,
    ) -> Result<Outcome, ApiError> {
        let launcher = self.guarded(app).await?;
        let busy = || ApiError::new(StatusCode::TOO_MANY_REQUESTS, "rate", "all processes are busy");
        let slot = tokio::time::timeout(Duration::from_secs(1), self.slots.acquire()).await;
        let _slot = slot.map_err(|_| busy())?.map_err(|_| busy())?;
        let wall_ms = budget_ms.saturating_mul(8) + WALL_S * 1000;
        let limits = Limits { memory_bytes: 512 << 20, wall_ms, ..limits() };
        let spec = Spec { work, files, limits, stop };
        Ok(Process::run(launcher, spec, events).await)
    }

    /// Does some work in a process of its own, while a user waits.
    ///
    /// # Errors
    /// 422 with what is wrong, or with the limit that it hit, or where the sandbox is not in full force.
    pub async fn run(&self, app: &App, work: Work, files: Vec<(String, Arc<[u8]>)>) -> Result<Outcome, ApiError> {
        let launcher = self.guarded(app).await?;
        let closed = |_| ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", "the server stops");
        let _slot = self.slots.acquire().await.map_err(closed)?;
        let spec = Spec { work, files, limits: limits(), stop: Stop::default() };
        let outcome = Process::run_quietly(launcher, spec).await;
        match outcome.code {
            None => Ok(outcome),
            Some(Code::Input | Code::Failed) if !outcome.problems.is_empty() => {
                Err(ApiError::invalid(code_of(outcome.code), outcome.problems))
            }
            Some(code) => {
                let problems = match outcome.problems.is_empty() {
                    true => vec![limit(code)],
                    false => outcome.problems,
                };
                Err(ApiError { detail: code.message().to_owned(), ..ApiError::invalid(code_of(Some(code)), problems) })
            }
        }
    }
}

/// What it hit, with what is allowed.
fn limit(code: Code) -> Problem {
    let problem = Problem::new(code.name(), code.message());
    let allowed = match code {
        Code::LimitWall => "5 s",
        Code::LimitCpu => "10 s",
        Code::LimitMemory => "1 GiB",
        Code::LimitOutput => "32 MiB",
        _ => return problem,
    };
    problem.allowed(allowed).hint("launch it as a job: its limits are wider")
}

fn code_of(code: Option<Code>) -> &'static str {
    code.map_or("failed", Code::name)
}
