//! Results, tables and models side by side: what `runcast compare` says of them.

use super::jobs::find;
use super::launch::{Stock, internal, run_now};
use super::results::{none, table_of};
use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right};
use crate::derived::csv;
use crate::derived::long::Long;
use crate::extract::{ApiJson, ApiPath};
use crate::problem::ApiError;
use crate::wire::results::{CompareItem, CompareWish};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use runcast_core::{Problem, Table};
use runcast_store::{Id, files};
use std::collections::BTreeMap;

/// Things that are compared at once.
const MOST_ITEMS: usize = 20;
/// Configurations that forecasts are asked about where there are no runs.
const MOST_TARGETS: usize = 50;
/// The folder of tables of jobs, among the files of the process.
const FOLDER: &str = "compared";

/// `/projects/{project}/compare`.
pub fn routes() -> Operations {
    operations! {
        post "/projects/{project}/compare" => compare,
    }
}

/// Sets results, tables and models side by side: the document of `runcast compare`, with its `command`; nothing is stored.
///
/// Measured runs are tables of the project that no forecast has written; all else forecasts.
#[cfg_attr(test, utoipa::path(post, path = "/projects/{project}/compare", tag = "results",
    params(("project" = String, Path)), request_body = CompareWish, extensions(("x-rights" = json!("project-view"))),
    responses(
        (status = 200, body = Object),
        (status = 429, body = crate::problem::ProblemBody, content_type = "application/problem+json", headers(("Retry-After" = u64))),
    )))]
async fn compare(
    State(app): State<App>,
    caller: Caller,
    ApiPath(project): ApiPath<String>,
    ApiJson(wish): ApiJson<CompareWish>,
) -> Result<Response, ApiError> {
    let entered = caller.enter(&app, &project, Right::View).await?;
    if !(1..=MOST_ITEMS).contains(&wish.items.len()) {
        let problem = Problem::new("items", "so many cannot be compared").at("/items");
        let problem = problem.value(wish.items.len().to_string()).allowed(format!("1 to {MOST_ITEMS}"));
        return Err(ApiError::invalid("compare", vec![problem]));
    }
    app.children().admit(&app, &caller.user).await?;
    let mut inputs = Inputs::default();
    for (index, item) in wish.items.iter().enumerate() {
        inputs.add(&app, &caller, &entered.id, index, item).await?;
    }
    let mut stock = Stock::of(&app, Some(&entered)).await?;
    let argv = inputs.argv(&wish);
    stock.give(inputs.given).map_err(|problems| ApiError::invalid("compare", problems))?;
    let outcome = run_now(&app, stock, argv, "compare").await?;
    let document = outcome.document.ok_or_else(|| internal(&"the process gave no answer"))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], document).into_response())
}

/// What the command line names.
#[derive(Default)]
struct Inputs {
    runs: Vec<String>,
    /// Paths of forecasts, with what they are called.
    forecasts: Vec<(String, Option<String>)>,
    /// Tables of jobs, by the path that they have for the command.
    given: BTreeMap<String, String>,
    /// Configurations of the forecasts, as `--at` takes them: what is asked about where there are no runs.
    targets: Vec<String>,
}

impl Inputs {
    async fn add(
        &mut self,
        app: &App,
        caller: &Caller,
        project: &Id,
        index: usize,
        item: &CompareItem,
    ) -> Result<(), ApiError> {
        let at = |problem: Problem| ApiError::invalid("compare", vec![problem.at(format!("/items/{index}"))]);
        let label = item.label.clone().filter(|label| !label.trim().is_empty());
        if label.as_ref().is_some_and(|label| label.chars().count() > 64 || label.contains('\0')) {
            return Err(at(Problem::new("label", "this is no label").allowed("up to 64 characters")));
        }
        if let Some(path) = item.table.as_ref().or(item.model.as_ref()).filter(|path| path.contains('\0')) {
            return Err(ApiError::missing("file", path));
        }
        match (&item.job, &item.table, &item.model) {
            (Some(id), None, None) => {
                let (job, within) = find(app, caller, id, Right::View).await?;
                if within.id != *project {
                    return Err(ApiError::missing("job", id));
                }
                let bytes = table_of(app, &job).await?.ok_or_else(|| none(&job, "table"))?;
                let text = String::from_utf8(bytes).map_err(|error| internal(&error))?;
                let path = format!("{FOLDER}/{}-{}.csv", index + 1, stem(&job.title));
                // An import is of runs, mostly; every other command forecasts.
                match job.argv.first().is_some_and(|word| word == "import") && !is_forecast(text.as_bytes()) {
                    true => self.runs.push(path.clone()),
                    false => {
                        self.add_targets(text.as_bytes());
                        self.forecasts.push((path.clone(), label));
                    }
                }
                self.given.insert(path, text);
            }
            (None, Some(path), None) => {
                let (_, bytes) = files::read(app.database(), project, path).await?;
                match is_forecast(&bytes) {
                    true => {
                        self.add_targets(&bytes);
                        self.forecasts.push((path.clone(), label));
                    }
                    false => self.runs.push(path.clone()),
                }
            }
            (None, None, Some(path)) => self.forecasts.push((path.clone(), label)),
            _ => return Err(at(Problem::new("item", "an item is either a job, a table or a model"))),
        }
        Ok(())
    }

    fn add_targets(&mut self, bytes: &[u8]) {
        for target in configurations(bytes) {
            if self.targets.len() < MOST_TARGETS && !self.targets.contains(&target) {
                self.targets.push(target);
            }
        }
    }

    fn argv(&self, wish: &CompareWish) -> Vec<String> {
        let mut argv = vec!["compare".to_owned()];
        argv.extend(self.runs.iter().cloned());
        let mut option = |name: &str, value: &str| argv.extend([format!("--{name}={value}")]);
        for (path, label) in &self.forecasts {
            option("predictions", path);
            if let Some(label) = label {
                option("name", &format!("{path}={label}"));
            }
        }
        if let Some(metric) = &wish.metric {
            option("metric", metric);
        }
        if let Some(train) = &wish.train {
            option("train", train);
        }
        let is_without = self.runs.is_empty() && wish.at.is_empty();
        for at in if is_without { &self.targets } else { &wish.at } {
            option("at", at);
        }
        argv
    }
}

/// The configurations of a table: `p=8,N=1000`.
fn configurations(bytes: &[u8]) -> Vec<String> {
    let Ok(table) = Table::read("table.csv", bytes, &Default::default()) else { return Vec::new() };
    let Ok(long) = Long::of(&table, None) else { return Vec::new() };
    let cell =
        |row: usize, index: &usize| format!("{}={}", table.columns[*index].name, table.columns[*index].cell(row));
    let rows = long.rows.iter().take(10 * MOST_TARGETS);
    rows.map(|&row| long.roles.parameters.iter().map(|index| cell(row, index)).collect::<Vec<_>>().join(","))
        .filter(|target| !target.is_empty() && !target.ends_with('='))
        .collect()
}

/// A title as a part of a path.
fn stem(title: &str) -> String {
    let letters = title.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' });
    let stem: String = letters.take(40).collect();
    match stem.trim_matches('-') {
        "" => "result".to_owned(),
        stem => stem.to_owned(),
    }
}

/// Tables that commands write have a level of intervals, or keys of configurations.
fn is_forecast(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
    let head = text.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
    let header = csv::cells(head).into_iter().next().unwrap_or_default();
    header.iter().any(|name| ["interval_level", "key"].contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_paths_stay_one_word_each() {
        let inputs = Inputs {
            runs: vec!["tables/runs.csv".to_owned()],
            forecasts: vec![("compared/2-a.csv".to_owned(), Some("--set x=1".to_owned()))],
            ..Inputs::default()
        };
        let wish = CompareWish {
            items: Vec::new(),
            metric: Some("time_s".to_owned()),
            train: None,
            at: vec!["p=9".to_owned()],
        };
        let expected = [
            "compare",
            "tables/runs.csv",
            "--predictions=compared/2-a.csv",
            "--name=compared/2-a.csv=--set x=1",
            "--metric=time_s",
            "--at=p=9",
        ];
        assert_eq!(inputs.argv(&wish), expected);
        assert_eq!((stem("Übung 1: heat"), stem("??")), ("bung-1--heat".to_owned(), "result".to_owned()));
    }

    #[test]
    fn forecasts_without_runs_are_asked_about_their_own_configurations() {
        let mut inputs = Inputs::default();
        inputs.add_targets(b"p,N,time_s,interval_level\n1,10,5,0.9\n2,10,3,0.9\n1,10,4,0.9\n");
        assert_eq!(inputs.targets, ["p=1,N=10", "p=2,N=10"]);
        let wish = CompareWish { items: Vec::new(), metric: None, train: None, at: Vec::new() };
        assert_eq!(inputs.argv(&wish), ["compare", "--at=p=1,N=10", "--at=p=2,N=10"]);
        inputs.runs.push("tables/runs.csv".to_owned());
        assert_eq!(inputs.argv(&wish), ["compare", "tables/runs.csv"]);
    }

    #[test]
    fn tables_of_forecasts_are_known_by_their_columns() {
        assert!(is_forecast(b"# roles: p\np,time_s,interval_level\n"));
        assert!(!is_forecast(b"p,time_s\n1,2\n") && !is_forecast(b""));
    }
}
