//! What must hold when a storm is over.

use crate::client::Client;
use crate::watch::Watch;
use crate::{POINTS, VARIANTS, sweep, undisturbed};
use serde_json::json;
use std::sync::PoisonError;
use tokio::runtime::Runtime;

/// All that was accepted is there, once, and is what an undisturbed run gives; how many attempts it took.
pub fn all_is_well(client: &Client, watch: &mut Watch, turns: u64, runtime: &Runtime) -> i64 {
    assert_eq!(watch.look(runtime).expect("the database answers"), 0, "jobs that do not end");
    let accepted = client.heard.accepted.lock().unwrap_or_else(PoisonError::into_inner).clone();
    assert_eq!(watch.jobs(), accepted.len(), "as many jobs as were accepted");
    let (wrong, attempts) = watch.sums(runtime);
    assert!(wrong.is_empty(), "I3: the sums of jobs {wrong:?}");
    let wanted: Vec<Vec<u8>> = (0..VARIANTS).map(|variant| undisturbed(&sweep(variant, turns))).collect();
    for (id, variant) in &accepted {
        let job = client.ask("GET", &format!("/jobs/{id}"), &[], &[]);
        assert_eq!(job.status, 200, "I1: {}", job.text());
        let job = job.json();
        assert_eq!(job["state"], "succeeded", "{job}");
        assert_eq!((&job["points_done"], &job["points_failed"]), (&json!(POINTS), &json!(0)), "{job}");
        assert_eq!((watch.state_of(id), watch.points_of(id)), (Some("succeeded"), 10), "{job}");
        let table = client.ask("GET", &format!("/jobs/{id}/table"), &[], &[]);
        assert_eq!(table.status, 200, "{}", table.text());
        let wanted = &wanted[usize::try_from(*variant).expect("few")];
        assert_eq!(table.text(), String::from_utf8_lossy(wanted), "the table of job {id}");
    }
    attempts
}
