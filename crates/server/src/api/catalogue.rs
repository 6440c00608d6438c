//! The catalogue of hardware: built-in entries, the site's, a project's.

use crate::api::{Operations, operations};
use crate::app::App;
use crate::auth::{Caller, Right};
use crate::extract::ApiQuery;
use crate::kinds::rank;
use crate::problem::ApiError;
use crate::wire::files::{CatalogueAttribute, CatalogueItem, CatalogueQuery};
use crate::wire::{Items, Page};
use axum::Json;
use axum::extract::State;
use runcast_core::Problem;
use runcast_sim::catalogue::{Catalogue, Entry, KINDS};
use runcast_store::hardware::{self, Indexed};
use runcast_store::projects;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// `/catalogue`.
pub fn routes() -> Operations {
    operations! {
        get "/catalogue" => list,
    }
}

/// Entries of the catalogue. Of several of one name the project's counts, then the site's.
#[cfg_attr(test, utoipa::path(get, path = "/catalogue", tag = "catalogue", params(CatalogueQuery),
    extensions(("x-rights" = json!("user"))),
    responses(
        (status = 200, body = Items<CatalogueItem>),
        crate::openapi::Missing,
    )))]
async fn list(
    State(app): State<App>,
    caller: Caller,
    ApiQuery(query): ApiQuery<CatalogueQuery>,
) -> Result<Json<Items<CatalogueItem>>, ApiError> {
    let page = Page { limit: query.limit, cursor: query.cursor.clone() };
    let (limit, after) = (page.limit()?, page.after::<Place>()?);
    let sort = query.sort.as_deref().filter(|sort| !sort.is_empty()).unwrap_or("name");
    let (sort, backwards) = sort.strip_prefix('-').map_or((sort, false), |sort| (sort, true));
    let kind = query.kind.filter(|kind| !kind.is_empty());
    if let Some(kind) = kind.as_deref().filter(|kind| !KINDS.contains(kind)) {
        let problem = Problem::new("kind", "there is no such kind of hardware").at("kind").value(kind);
        return Err(ApiError::invalid("kind", vec![problem.allowed(KINDS.join(", "))]));
    }
    let text = query.q.unwrap_or_default().to_lowercase();
    let wanted = |item: &CatalogueItem| {
        kind.as_ref().is_none_or(|kind| item.kind == *kind) && item.name.to_lowercase().contains(&text)
    };
    let items = everything(&app, &caller, query.project.as_deref()).await?;
    let mut placed: Vec<(Place, CatalogueItem)> =
        items.into_iter().filter(wanted).map(|item| (Place::of(&item, sort), item)).collect();
    placed.sort_by(|(one, _), (other, _)| one.order(other, backwards));
    if let Some(after) = after {
        placed.retain(|(place, _)| place.order(&after, backwards) == Ordering::Greater);
    }
    placed.truncate(usize::try_from(limit + 1).unwrap_or(0));
    Ok(Json(Items::of(placed, limit, |(place, _)| place.clone(), |(_, item)| item)))
}

/// All entries, each once.
async fn everything(app: &App, caller: &Caller, project: Option<&str>) -> Result<Vec<CatalogueItem>, ApiError> {
    let mut entries: BTreeMap<String, CatalogueItem> =
        Catalogue::builtin().iter().map(|entry| (entry.id.clone(), built_in(entry))).collect();
    let database = app.database();
    let site = projects::get(database, projects::SITE).await?.map(|site| site.id);
    if let Some(site) = &site {
        lay_over(&mut entries, hardware::of_project(database, site).await?, "site");
    }
    if let Some(project) = project {
        let entered = caller.enter(app, project, Right::View).await?;
        if Some(&entered.id) != site.as_ref() {
            lay_over(&mut entries, hardware::of_project(database, &entered.id).await?, "project");
        }
    }
    Ok(entries.into_values().collect())
}

fn built_in(entry: &Entry) -> CatalogueItem {
    let attributes = entry.attributes.iter().map(|(key, attribute)| CatalogueAttribute {
        attribute: key.to_owned(),
        value: serde_json::to_value(&attribute.value).unwrap_or_default(),
        unit: attribute.unit.clone(),
        quality: attribute.quality.word().to_owned(),
        source: attribute.source.clone(),
        formula: attribute.formula.clone(),
    });
    CatalogueItem {
        name: entry.id.clone(),
        kind: entry.kind.clone(),
        origin: "built-in".to_owned(),
        attributes: attributes.collect(),
    }
}

/// Entries of files replace those of the same name, as a whole; the later file wins.
fn lay_over(entries: &mut BTreeMap<String, CatalogueItem>, mut rows: Vec<Indexed>, origin: &str) {
    rows.sort_by_cached_key(|row| rank(&row.path_key));
    let mut last: Option<(String, String)> = None;
    for Indexed { path_key, attribute: row } in rows {
        let this = Some((path_key, row.name.clone()));
        if last != this {
            let item = CatalogueItem {
                name: row.name.clone(),
                kind: row.kind.clone(),
                origin: origin.to_owned(),
                attributes: Vec::new(),
            };
            entries.insert(row.name.clone(), item);
            last = this;
        }
        if let Some(item) = entries.get_mut(&row.name).filter(|_| !row.attribute.is_empty()) {
            item.attributes.push(CatalogueAttribute {
                attribute: row.attribute,
                value: serde_json::from_str(&row.value).unwrap_or_default(),
                unit: row.unit,
                quality: row.quality,
                source: row.source,
                formula: row.formula,
            });
        }
    }
}

/// Where an entry stands in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Place {
    number: Option<f64>,
    text: String,
    name: String,
}

impl Place {
    fn of(item: &CatalogueItem, sort: &str) -> Self {
        let place = |text: &str| Place { number: None, text: text.to_owned(), name: item.name.clone() };
        match sort {
            "name" => place(""),
            "kind" => place(&item.kind),
            "origin" => place(&item.origin),
            attribute => {
                let found = item.attributes.iter().find(|one| one.attribute == attribute);
                let number = found.and_then(|one| one.value.as_f64());
                let text = found.and_then(|one| one.value.as_str()).unwrap_or_default();
                Place { number, ..place(text) }
            }
        }
    }

    /// Entries without the attribute are the last in both directions.
    fn order(&self, other: &Place, backwards: bool) -> Ordering {
        let numbers = match (self.number, other.number) {
            (Some(one), Some(other)) if backwards => other.total_cmp(&one),
            (Some(one), Some(other)) => one.total_cmp(&other),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        let texts = (&self.text, &self.name).cmp(&(&other.text, &other.name));
        numbers.then(if backwards { texts.reverse() } else { texts })
    }
}
