//! Random histories of one hand at a time: the store and the model agree after each step.

use crate::queue::model::{End, Model};
use crate::queue::support::{LEASE, Random, check_books, let_expire, let_waits_end};
use runcast_store::jobs::{self, Change, Filter};
use runcast_store::queue::{self, Ending, Finish, Held, PointRecord, Verdict};
use runcast_store::testing::{both, people, sample_job};
use runcast_store::{Database, Id};

const STEPS: usize = 160;
const SEEDS: u64 = 5;

/// A store, its model, and what a history remembers.
struct History {
    db: Database,
    model: Model,
    random: Random,
    project: Id,
    users: Vec<Id>,
    jobs: Vec<Id>,
    /// Attempts that were claimed, running or long over.
    held: Vec<Held>,
}

#[tokio::test(flavor = "multi_thread")]
async fn the_store_and_the_model_agree_after_each_step() {
    both(|db| async move {
        for seed in 0..SEEDS {
            // Jobs of earlier histories are out of the way: their users are others, and nothing of them is queued.
            let (project, users) = people(&db, 3).await.expect("people");
            let random = Random(seed);
            let (model, jobs, held) = (Model::default(), Vec::new(), Vec::new());
            let mut history = History { db: db.clone(), model, random, project, users, jobs, held };
            for step in 0..STEPS {
                let what = history.step().await;
                history.compare(&format!("seed {seed}, step {step}, {what}")).await;
            }
            for id in history.jobs {
                let _ = jobs::delete(&db, &id).await;
            }
        }
    })
    .await;
}

impl History {
    async fn step(&mut self) -> &'static str {
        let what = self.any_step().await;
        // Waits end when the history says so, not when this machine is slow.
        let statement = "UPDATE tasks SET not_before = {now} + 3600000000 WHERE state = 'queued' AND ready = 0 \
                         AND not_before > 0";
        self.db.write(statement, &[]).await.expect("written");
        what
    }

    async fn any_step(&mut self) -> &'static str {
        match self.random.below(24) {
            0..=2 => self.launch().await,
            3..=9 => self.claim().await,
            10..=14 => self.end().await,
            15..=16 => self.store().await,
            17..=18 => self.lose().await,
            19 => self.cancel().await,
            20 => self.retry().await,
            21 => self.patch().await,
            22 => {
                let_waits_end(&self.db).await;
                self.model.let_waits_end();
                "waits end"
            }
            _ => self.delete_or_beat().await,
        }
    }

    async fn launch(&mut self) -> &'static str {
        let user = self.random.below(self.users.len());
        let mut job = sample_job(&self.project, &self.users[user], 1 + self.random.below(7) as i64);
        job.points_per_task = 1 + self.random.below(3) as i64;
        job.priority = self.random.below(5) as i64 - 2;
        jobs::launch(&self.db, std::slice::from_ref(&job)).await.expect("launched");
        self.model.launch(job.id.clone(), user, job.priority, job.points, job.points_per_task);
        self.jobs.push(job.id);
        "launch"
    }

    async fn claim(&mut self) -> &'static str {
        let worker = Id::new();
        let found = queue::claim(&self.db, &worker, LEASE).await.expect("claimed");
        let got = found.as_ref().map(|claim| (claim.job.clone(), claim.number, claim.attempt));
        assert_eq!(got, self.model.claim(), "the next in fair order");
        if let Some(claim) = found {
            assert_eq!(claim.missing_points, self.model.missing(&claim.job, claim.number));
            self.held.push(claim.held());
        }
        "claim"
    }

    fn one_held(&mut self) -> Option<(Held, bool)> {
        let held = self.random.pick(&self.held)?.clone();
        let mine = self.model.is_mine(&held.job, held.number, held.attempt);
        // Attempts that were given back have their number again: then the worker tells them apart.
        let latest = self
            .held
            .iter()
            .rfind(|other| (&other.job, other.number, other.attempt) == (&held.job, held.number, held.attempt));
        let is_latest = latest.is_some_and(|latest| latest.worker == held.worker);
        Some((held, mine && is_latest))
    }

    async fn end(&mut self) -> &'static str {
        let Some((held, mine)) = self.one_held() else { return "nothing held" };
        let missing = if mine { self.model.missing(&held.job, held.number) } else { vec![0] };
        let point = |point: &i64, failed| PointRecord { point: *point, failed, record: "{}".to_owned(), cpu_s: 0.0 };
        let all: Vec<PointRecord> = missing.iter().map(|index| point(index, false)).collect();
        let (end, finish) = match self.random.below(10) {
            0..=4 => (End::Done, Finish::succeeded(all)),
            5 => {
                let some: Vec<PointRecord> = missing.iter().map(|index| point(index, index % 2 == 0)).collect();
                (End::Done, Finish::succeeded(some))
            }
            6 => (End::Failed, Finish::failed("input", "it is wrong")),
            7 => (End::Crashed, Finish::failed("crashed", "signal 11")),
            8 => (End::Cancelled, Finish { ending: Ending::Cancelled, ..Finish::succeeded(Vec::new()) }),
            _ => {
                assert_eq!(queue::give_back(&self.db, &held).await.expect("answered"), mine);
                if mine {
                    self.model.end(&held.job, held.number, End::GivenBack);
                }
                return "given back";
            }
        };
        let points = finish.points.clone();
        assert_eq!(queue::finish(&self.db, &held, &finish).await.expect("answered"), mine, "{end:?}");
        if mine {
            for point in &points {
                self.model.store(&held.job, held.number, point.point, !point.failed);
            }
            self.model.end(&held.job, held.number, end);
        }
        "end"
    }

    async fn store(&mut self) -> &'static str {
        let Some((held, mine)) = self.one_held() else { return "nothing held" };
        let point = if mine { self.model.missing(&held.job, held.number).first().copied() } else { Some(0) };
        let Some(point) = point else { return "nothing missing" };
        let failed = self.random.below(6) == 0;
        let record = PointRecord { point, failed, record: "{}".to_owned(), cpu_s: 0.0 };
        assert_eq!(queue::store(&self.db, &held, &[record]).await.expect("answered"), mine);
        if mine {
            self.model.store(&held.job, held.number, point, !failed);
        }
        "store"
    }

    async fn lose(&mut self) -> &'static str {
        let Some((held, mine)) = self.one_held() else { return "nothing held" };
        if mine {
            let_expire(&self.db, &held).await;
            queue::expire(&self.db).await.expect("expired");
            self.model.end(&held.job, held.number, End::Lost);
        }
        "lose"
    }

    async fn cancel(&mut self) -> &'static str {
        if let Some(id) = self.random.pick(&self.jobs).cloned() {
            let state = jobs::cancel(&self.db, &id).await.expect("asked");
            self.model.cancel(&id);
            assert_eq!(state, self.model.jobs[&id].state);
        }
        "cancel"
    }

    async fn retry(&mut self) -> &'static str {
        if let Some(id) = self.random.pick(&self.jobs).cloned() {
            let can = self.model.can_retry(&id);
            assert_eq!(jobs::retry(&self.db, &id).await.is_ok(), can);
            if can {
                self.model.retry(&id);
            }
        }
        "retry"
    }

    async fn patch(&mut self) -> &'static str {
        if let Some(id) = self.random.pick(&self.jobs).cloned() {
            let priority = self.random.below(5) as i64 - 2;
            jobs::patch(&self.db, &id, &Change { priority: Some(priority), title: None }).await.expect("changed");
            if let Some(job) = self.model.jobs.get_mut(&id) {
                job.priority = priority;
            }
        }
        "patch"
    }

    async fn delete_or_beat(&mut self) -> &'static str {
        if self.random.below(3) == 0 && !self.jobs.is_empty() {
            let id = self.jobs.remove(self.random.below(self.jobs.len()));
            jobs::delete(&self.db, &id).await.expect("deleted");
            self.model.jobs.remove(&id);
            return "delete";
        }
        let Some((held, mine)) = self.one_held() else { return "nothing held" };
        let verdict =
            queue::heartbeat(&self.db, &held.worker, std::slice::from_ref(&held), LEASE).await.expect("heard");
        let expected = match (mine, self.model.jobs.get(&held.job)) {
            (true, Some(job)) if job.cancel => Verdict::Cancel,
            (true, Some(_)) => Verdict::Mine,
            _ => Verdict::Lost,
        };
        assert_eq!(verdict, [expected]);
        "heartbeat"
    }

    async fn compare(&self, about: &str) {
        let filter = Filter { project: Some(self.project.clone()), ..Filter::default() };
        let stored = jobs::page(&self.db, &filter, None, 500).await.expect("read");
        assert_eq!(stored.len(), self.model.jobs.len(), "{about}");
        for (job, (id, model)) in stored.iter().rev().zip(&self.model.jobs) {
            assert_eq!(&job.id, id, "{about}");
            let done = model.points.values().filter(|succeeded| **succeeded).count() as i64;
            let failed = model.points.len() as i64 - done;
            let of_store = (job.state, job.points_done, job.points_failed, job.cancel_asked, job.priority);
            assert_eq!(of_store, (model.state, done, failed, model.cancel, model.priority), "{about}: job {id}");
            let tasks = jobs::tasks(&self.db, id, 0, 500).await.expect("read");
            let tasks: Vec<_> = tasks.iter().map(|task| (task.state, task.attempt)).collect();
            let expected: Vec<_> = model.tasks.iter().map(|task| (task.state, task.attempt)).collect();
            assert_eq!(tasks, expected, "{about}: tasks of {id}");
        }
        check_books(&self.db, about).await;
    }
}
