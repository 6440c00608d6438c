//! Results that a report has pinned: parts of jobs become files of its build, `jobs/ID/table.csv` and `jobs/ID/document.json`.

use super::jobs::find;
use super::launch::Stock;
use super::results::{output_or, table_of};
use crate::app::App;
use crate::auth::{Caller, Entered, Right};
use crate::problem::ApiError;
use runcast_store::blobs;
use std::collections::BTreeSet;

/// What names a job as a source.
const SOURCE: &str = "\"job:";
/// Letters of an id.
const ID: usize = 26;
/// Jobs that a report may show.
const MOST: usize = 100;

/// Adds what the reports of a command line have pinned. A job of another project, or one that has gone, is left out: building
/// tells that it is not there.
///
/// # Errors
/// The database is away.
pub(super) async fn add(
    app: &App,
    caller: &Caller,
    entered: &Entered,
    stock: &mut Stock,
    argv: &[String],
) -> Result<(), ApiError> {
    if argv.first().is_none_or(|word| word != "report") {
        return Ok(());
    }
    let mut ids = BTreeSet::new();
    for path in argv.iter().filter(|word| word.ends_with(".toml")) {
        let Some(text) = stock.text(path).await? else { continue };
        let found =
            text.match_indices(SOURCE).filter_map(|(at, _)| text.get(at + SOURCE.len()..at + SOURCE.len() + ID));
        ids.extend(found.map(str::to_owned));
    }
    for id in ids.into_iter().take(MOST) {
        let Ok((job, within)) = find(app, caller, &id, Right::View).await else { continue };
        if within.id != entered.id || !job.state.is_terminal() {
            continue;
        }
        let table = table_of(app, &job).await?;
        let document = output_or(app, &job, "document", |answer| answer.document).await?;
        for (name, bytes) in [("table.csv", table), ("document.json", document)] {
            let Some(bytes) = bytes else { continue };
            let digest = blobs::put(app.database(), &bytes).await?;
            stock.keep(format!("jobs/{id}/{name}"), digest, bytes.len());
        }
    }
    Ok(())
}
