//! Finds files and results by words: what the palette of the pages lists.

use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right, SiteRole};
use crate::extract::ApiQuery;
use crate::problem::ApiError;
use crate::wire::Items;
use crate::wire::jobs::command_line;
use crate::wire::results::{Found, SearchQuery};
use axum::Json;
use axum::extract::State;
use runcast_store::files::{self, Listing};
use runcast_store::results::{self, Filter, Sort};
use runcast_store::{Id, projects};

/// What is found at most, and of each kind.
const MOST: usize = 30;
const OF_A_KIND: i64 = 20;

/// `/search`.
pub fn routes() -> Operations {
    operations! {
        get "/search" => search,
    }
}

/// Files and results of a project that have all of these words; without a project, the projects of the caller.
#[cfg_attr(test, utoipa::path(get, path = "/search", tag = "projects", params(SearchQuery),
    extensions(("x-rights" = json!("user"))), responses((status = 200, body = Items<Found>), crate::openapi::Missing)))]
async fn search(
    State(app): State<App>,
    caller: Caller,
    ApiQuery(query): ApiQuery<SearchQuery>,
) -> Result<Json<Items<Found>>, ApiError> {
    let words: String = query.q.replace('\0', "").chars().take(200).collect();
    let db = app.database();
    let Some(project) = &query.project else {
        let everything = caller.role == SiteRole::Administrator;
        let all = projects::list(db, Some(&caller.user), everything, "", 500).await?;
        let is_allowed = |id: &Id| caller.only_project.as_ref().is_none_or(|only| only == id);
        let items = all.into_iter().map(|listed| listed.project).filter(|one| is_allowed(&one.id) && has(one, &words));
        let items = items.take(MOST).map(|one| Found {
            kind: "project".to_owned(),
            url: format!("/p/{}", one.name),
            title: one.title,
            path: one.name,
        });
        return Ok(Json(Items { items: items.collect(), next: None }));
    };
    let entered = caller.enter(&app, project, Right::View).await?;
    let base = format!("/p/{}", entered.name);
    let listing = Listing { text: Some(words.clone()), ..Listing::default() };
    let mut items = Vec::new();
    for file in files::list(db, &entered.id, &listing, OF_A_KIND).await? {
        items.push(Found {
            kind: "file".to_owned(),
            title: if file.facts.title.is_empty() { file.path.clone() } else { file.facts.title },
            url: format!("{base}/{}/{}", section(&file.facts.kind), file.path),
            path: file.path,
        });
    }
    let filter = Filter {
        project: entered.id,
        search: words,
        kind: String::new(),
        state: None,
        sort: Sort::Created,
        falling: true,
        after: None,
        limit: OF_A_KIND,
    };
    for found in results::page(db, &filter).await? {
        let command = command_line(&found.job.argv);
        items.push(Found {
            kind: "result".to_owned(),
            title: if found.job.title.is_empty() { command.clone() } else { found.job.title },
            url: format!("{base}/results/{}", found.job.id),
            path: command,
        });
    }
    items.truncate(MOST);
    Ok(Json(Items { items, next: None }))
}

fn has(project: &projects::Project, words: &str) -> bool {
    let text = format!("{} {}", project.name, project.title).to_lowercase();
    words.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// The section whose pages show files of a kind.
fn section(kind: &str) -> &'static str {
    match kind {
        "system" => "systems",
        "application" => "applications",
        "experiment" => "experiments",
        "hardware" => "hardware",
        "formulas" => "formulas",
        "model" | "plan" => "models",
        "recording" => "recordings",
        "report" => "reports",
        "bsf" | "bsp" | "wavefront" => "calculators",
        _ => "tables",
    }
}
