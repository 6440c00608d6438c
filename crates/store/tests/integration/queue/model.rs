//! The queue as the specification tells it: slow, obvious, in memory.

use runcast_store::Id;
use runcast_store::jobs::State;
use std::collections::BTreeMap;

/// A task of the model.
#[derive(Debug, Clone)]
pub struct Task {
    pub state: State,
    pub attempt: i64,
    pub points: std::ops::Range<i64>,
    /// Whether it waits before its next attempt.
    pub waits: bool,
    tries: i64,
    losses: i64,
    crashes: i64,
    stored_now: bool,
}

/// A job of the model: its points are done (`true`), failed (`false`), or absent.
#[derive(Debug, Clone)]
pub struct Job {
    pub user: usize,
    pub priority: i64,
    pub state: State,
    pub cancel: bool,
    pub total: i64,
    pub points: BTreeMap<i64, bool>,
    pub tasks: Vec<Task>,
}

/// All of it; jobs by their ids, which rise.
#[derive(Debug, Default)]
pub struct Model {
    pub jobs: BTreeMap<Id, Job>,
    last_claim: BTreeMap<usize, u64>,
    claims: u64,
}

/// How an attempt ends in the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Done,
    Failed,
    Crashed,
    Lost,
    Cancelled,
    GivenBack,
}

impl Model {
    pub fn launch(&mut self, id: Id, user: usize, priority: i64, total: i64, each: i64) {
        let mut tasks = Vec::new();
        let mut first = 0;
        while first < total {
            let last = (first + each).min(total);
            tasks.push(Task {
                state: State::Queued,
                attempt: 0,
                points: first..last,
                waits: false,
                tries: 0,
                losses: 0,
                crashes: 0,
                stored_now: false,
            });
            first = last;
        }
        let points = BTreeMap::new();
        self.jobs.insert(id, Job { user, priority, state: State::Queued, cancel: false, total, points, tasks });
    }

    /// What must be claimed next.
    pub fn claim(&mut self) -> Option<(Id, i64, i64)> {
        let mut running: BTreeMap<usize, usize> = BTreeMap::new();
        let mut oldest: BTreeMap<usize, usize> = BTreeMap::new();
        for (age, job) in self.jobs.values().enumerate() {
            for task in &job.tasks {
                if task.state == State::Running {
                    *running.entry(job.user).or_default() += 1;
                }
                if task.state == State::Queued && !task.waits {
                    oldest.entry(job.user).or_insert(age);
                }
            }
        }
        let turn = |user: &usize| {
            let count = running.get(user).copied().unwrap_or(0);
            (count, self.last_claim.get(user).copied().unwrap_or(0), oldest[user])
        };
        let user = oldest.keys().copied().min_by_key(turn)?;
        let id = self
            .jobs
            .iter()
            .filter(|(_, job)| {
                job.user == user && job.tasks.iter().any(|task| task.state == State::Queued && !task.waits)
            })
            // The first of the highest priority, in the order of the ids.
            .fold(None, |best: Option<(&Id, i64)>, (id, job)| match best {
                Some((_, priority)) if priority >= job.priority => best,
                _ => Some((id, job.priority)),
            })?
            .0
            .clone();
        self.claims += 1;
        self.last_claim.insert(user, self.claims);
        let job = self.jobs.get_mut(&id)?;
        job.state = State::Running;
        let index = job.tasks.iter().position(|task| task.state == State::Queued && !task.waits)?;
        let task = &mut job.tasks[index];
        task.state = State::Running;
        task.attempt += 1;
        task.stored_now = false;
        let number = i64::try_from(index).ok()? + 1;
        Some((id, number, task.attempt))
    }

    /// Whether a write of this attempt counts.
    pub fn is_mine(&self, id: &Id, number: i64, attempt: i64) -> bool {
        let task = self.jobs.get(id).and_then(|job| job.tasks.get(number as usize - 1));
        task.is_some_and(|task| task.state == State::Running && task.attempt == attempt)
    }

    pub fn store(&mut self, id: &Id, number: i64, point: i64, succeeded: bool) {
        let Some(job) = self.jobs.get_mut(id) else { return };
        if job.points.insert(point, succeeded).is_none() {
            job.tasks[number as usize - 1].stored_now = true;
        }
    }

    pub fn missing(&self, id: &Id, number: i64) -> Vec<i64> {
        let job = &self.jobs[id];
        let points = job.tasks[number as usize - 1].points.clone();
        points.filter(|point| !job.points.contains_key(point)).collect()
    }

    /// An attempt ends; a cancel that was asked for ends the task whatever happens.
    pub fn end(&mut self, id: &Id, number: i64, end: End) {
        let Some(job) = self.jobs.get_mut(id) else { return };
        let (total, cancel) = (job.total, job.cancel);
        let task = &mut job.tasks[number as usize - 1];
        let mut again = false;
        match end {
            End::Crashed => {
                task.crashes += 1;
                task.tries += 1;
                again = task.crashes < 3;
            }
            End::Lost => {
                task.losses = if task.stored_now { 0 } else { task.losses + 1 };
                task.tries += 1;
                again = task.losses < 5;
            }
            End::Cancelled => again = true,
            End::GivenBack => {
                again = true;
            }
            End::Done | End::Failed => {}
        }
        if again && !cancel {
            task.state = State::Queued;
            task.waits = matches!(end, End::Crashed | End::Lost) && task.tries >= 2;
            if end == End::GivenBack {
                task.attempt -= 1;
            }
            return;
        }
        let range = task.points.clone();
        let missing: Vec<i64> = range.clone().filter(|point| !job.points.contains_key(point)).collect();
        let any_failed = range.clone().any(|point| job.points.get(&point) == Some(&false));
        let leaves = cancel && matches!(end, End::Done | End::Lost | End::Cancelled | End::GivenBack);
        task.state = if missing.is_empty() && !any_failed {
            State::Succeeded
        } else if leaves && !missing.is_empty() {
            State::Cancelled
        } else {
            job.points.extend(missing.iter().map(|point| (*point, false)));
            State::Failed
        };
        settle(job, total);
    }

    pub fn cancel(&mut self, id: &Id) {
        let Some(job) = self.jobs.get_mut(id) else { return };
        if job.state.is_terminal() {
            return;
        }
        job.cancel = true;
        for task in job.tasks.iter_mut().filter(|task| task.state == State::Queued) {
            task.state = State::Cancelled;
        }
        let total = job.total;
        settle(job, total);
    }

    pub fn can_retry(&self, id: &Id) -> bool {
        self.jobs.get(id).is_some_and(|job| matches!(job.state, State::Failed | State::Cancelled))
    }

    pub fn retry(&mut self, id: &Id) {
        let Some(job) = self.jobs.get_mut(id) else { return };
        job.points.retain(|_, succeeded| *succeeded);
        job.state = State::Queued;
        job.cancel = false;
        for task in job.tasks.iter_mut().filter(|task| matches!(task.state, State::Failed | State::Cancelled)) {
            task.state = State::Queued;
            (task.waits, task.tries, task.losses, task.crashes) = (false, 0, 0, 0);
        }
    }

    pub fn let_waits_end(&mut self) {
        for task in self.jobs.values_mut().flat_map(|job| job.tasks.iter_mut()) {
            task.waits = false;
        }
    }
}

fn settle(job: &mut Job, total: i64) {
    if job.tasks.iter().any(|task| !task.state.is_terminal()) {
        return;
    }
    job.state = if job.cancel && (job.points.len() as i64) < total {
        State::Cancelled
    } else if job.points.values().any(|succeeded| !succeeded) {
        State::Failed
    } else {
        State::Succeeded
    };
}
