//! Follows a job to its end.

use super::http::{Body, Server, encoded};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Pauses between two looks: short at first, for jobs of a moment.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));
/// How long a server may be away before the client gives up; the job goes on there.
const PATIENCE: Duration = Duration::from_secs(120);

/// The job as it is at its end; as it is now when the user asked to stop watching.
///
/// # Errors
/// The server refuses, or stays away too long.
pub(super) fn to_the_end(server: &Server, id: &str, context: &mut Context) -> Result<Value, Failure> {
    let path = format!("/jobs/{}", encoded(id));
    let (mut pause, mut begun, mut seen) = (PAUSES.0, false, Instant::now());
    loop {
        let job = match server.ask("GET", &path, &[], Body::None) {
            Ok(answer) if answer.is_good() => answer.json()?,
            Ok(answer) if answer.status == 503 && seen.elapsed() < PATIENCE => {
                sleep(Duration::from_secs(answer.retry_after_s.unwrap_or(1).clamp(1, 10)));
                continue;
            }
            Ok(answer) => return Err(answer.refusal()),
            Err(_) if seen.elapsed() < PATIENCE && !context.is_interrupted() => {
                sleep(Duration::from_secs(1));
                continue;
            }
            Err(failure) => return Err(failure),
        };
        seen = Instant::now();
        let (done, total) = (job["points_done"].as_u64().unwrap_or(0), job["points_total"].as_u64().unwrap_or(1));
        if !begun && pause > PAUSES.0 * 4 {
            context.progress.begin(&format!("job {id}"), total);
            begun = true;
        }
        if begun {
            context.progress.step(done, job["state"].as_str().unwrap_or_default());
        }
        if is_over(&job) || context.is_interrupted() {
            if begun {
                context.progress.end();
            }
            return Ok(job);
        }
        sleep(pause);
        pause = (pause * 3 / 2).min(PAUSES.1);
    }
}

/// Whether the job has ended.
pub(super) fn is_over(job: &Value) -> bool {
    matches!(job["state"].as_str(), Some("succeeded" | "failed" | "cancelled"))
}

/// Shown when the job goes on without us.
pub(super) fn left(id: &str) -> Output {
    Output::of(json!({"kind": "job", "version": 1, "id": id}))
        .human(format!("{id}\n"))
        .noted(format!("the job goes on: runcast job watch {id} shows its end"))
}
