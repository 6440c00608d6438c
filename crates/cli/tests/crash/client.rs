//! Clients: they launch sweeps and change a file, and ask again until they hear what came of it.

use crate::http::{Answer, ask};
use crate::site::{Door, Site};
use crate::{FILES, sweep};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the server may be away.
const PATIENCE: Duration = Duration::from_secs(60);
/// The file that clients count in.
const COUNT: &str = "/projects/main/files/count.csv";

/// What clients have heard.
#[derive(Default)]
pub struct Heard {
    /// Jobs that were accepted, and their variants.
    pub accepted: Mutex<Vec<(String, u64)>>,
    /// Versions of the file that were accepted.
    pub counted: Mutex<Vec<u64>>,
    /// How often a request was repeated.
    pub repeated: AtomicU64,
    /// Clients stop counting.
    pub is_over: AtomicBool,
}

/// One that asks a server which is killed and started again meanwhile.
pub struct Client {
    pub door: Door,
    pub heard: Arc<Heard>,
}

impl Client {
    /// Asks until there is an answer that is none of a server or a database that is away.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let begun = Instant::now();
        loop {
            let answer = self.door.address().map(|address| ask(&address, method, path, headers, body));
            match answer {
                Some(Ok(answer)) if answer.status != 503 => return answer,
                other => assert!(begun.elapsed() < PATIENCE, "{method} {path}: no answer but {other:?}"),
            }
            self.heard.repeated.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Launches a sweep: it is accepted once, however often we ask.
    pub fn launch(&self, number: u64, variant: u64, turns: u64) -> String {
        let body = json!({"argv": sweep(variant, turns), "title": format!("number {number}")}).to_string();
        let key = format!("launch-{number}");
        let headers = [("Content-Type", "application/json"), ("Idempotency-Key", key.as_str())];
        let answer = self.ask("POST", "/projects/main/jobs", &headers, body.as_bytes());
        assert_eq!(answer.status, 202, "{}", answer.text());
        let id = answer.json()["id"].as_str().expect("an id").to_owned();
        let mut accepted = self.heard.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        accepted.push((id.clone(), variant));
        id
    }

    /// Adds one to the number in the file, again and again, each time on the version that it has read.
    pub fn count(&self) {
        while !self.heard.is_over.load(Ordering::Relaxed) {
            let now = self.ask("GET", COUNT, &[], &[]);
            assert_eq!(now.status, 200, "{}", now.text());
            let next = number_in(&now) + 1;
            let headers = [("Content-Type", "text/csv"), ("If-Match", now.header("etag"))];
            let answer = self.ask("PUT", COUNT, &headers, table_of(next).as_bytes());
            match answer.status {
                200 => self.heard.counted.lock().unwrap_or_else(PoisonError::into_inner).push(next),
                // Another was first, or the one before was stored although its answer was lost.
                412 => {}
                _ => panic!("{}: {}", answer.status, answer.text()),
            }
            std::thread::sleep(Duration::from_millis(60));
        }
    }

    /// Each version has the number that its writer put there: what was accepted, and how many there are.
    pub fn assert_counted(&self) -> u64 {
        let last = self.ask("GET", COUNT, &[], &[]);
        let last = number_in(&last);
        for version in 1..=last {
            let there = self.ask("GET", &format!("{COUNT}?version={version}"), &[], &[]);
            assert_eq!((there.status, there.text()), (200, table_of(version)), "version {version} of {last}");
        }
        let past = self.ask("GET", &format!("{COUNT}?version={}", last + 1), &[], &[]);
        assert_eq!(past.status, 404, "{}", past.text());
        let counted = self.heard.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut once = counted.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), counted.len(), "a version was accepted twice: {counted:?}");
        assert!(once.iter().all(|version| *version <= last), "an accepted version is lost: {once:?}, there are {last}");
        last
    }
}

fn table_of(number: u64) -> String {
    format!("count\n{number}\n")
}

fn number_in(answer: &Answer) -> u64 {
    answer.text().lines().nth(1).and_then(|line| line.parse().ok()).expect("a number")
}

/// Puts the files there that jobs and clients use.
pub fn prepare(site: &Site) {
    let address = site.door().address().expect("a server");
    let count = table_of(1);
    for (path, text) in FILES.into_iter().chain([("count.csv", count.as_str())]) {
        let headers = [("Content-Type", "text/plain"), ("If-None-Match", "*")];
        let answer = ask(&address, "PUT", &format!("/projects/main/files/{path}"), &headers, text.as_bytes());
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, 201, "{}", answer.text());
    }
}
