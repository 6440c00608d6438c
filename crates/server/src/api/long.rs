//! The long table of a result: its columns, its rows, its lines, and what matters in it.

use super::results::{Asked, CSV, blocking, none, table_of};
use crate::api::{Operations, operations};
use crate::derived::long::Long;
use crate::derived::long::data::{Cut, MOST_ROWS, Wanted};
use crate::derived::long::importance::{Importance, importance as shares_of};
use crate::derived::long::line::m4;
use crate::derived::long::schema::{Schema, schema as schema_of};
use crate::derived::{self, Choice, Curve, Figure};
use crate::extract::ApiQuery;
use crate::problem::ApiError;
use axum::Json;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use runcast_core::roles::rows_where;
use runcast_core::{Problem, Problems, Table};
use runcast_store::jobs;
use serde::Deserialize;

/// The media type of columns of bytes.
const COLUMNS: &str = "application/vnd.runcast.columns";
/// Pixel columns of a line, by default.
const WIDTH: usize = 800;
/// The most that are asked for.
const MOST_WIDTH: usize = 10_000;

/// `/results/{id}/..`
pub fn routes() -> Operations {
    operations! {
        get "/results/{id}/schema" => schema,
        get "/results/{id}/data" => data,
        get "/results/{id}/line" => line,
        get "/results/{id}/importance" => importance,
    }
}

/// Which rows.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
struct SchemaQuery {
    /// A formula over the columns: `p <= 64`.
    r#where: Option<String>,
}

/// The columns of a result, with roles and ranges, and how it is looked at first.
#[cfg_attr(test, utoipa::path(get, path = "/results/{id}/schema", tag = "results", operation_id = "result_schema",
    params(("id" = String, Path), SchemaQuery), extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = Schema))))]
async fn schema(asked: Asked, ApiQuery(query): ApiQuery<SchemaQuery>) -> Result<Json<Schema>, ApiError> {
    let sentence = sentence(&asked).await?;
    let table = table(&asked).await?;
    let work = move || Ok(schema_of(&Long::of(&table()?, query.r#where.as_deref())?, sentence));
    Ok(Json(blocking(work).await?))
}

/// What is wanted of the rows.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
struct DataQuery {
    /// Columns, with commas between; all where absent.
    columns: Option<String>,
    /// A formula over the columns: `p <= 64`.
    r#where: Option<String>,
    /// A column, with `-` before it for falling order.
    order: Option<String>,
    /// Rows that are left out before.
    #[serde(default)]
    offset: usize,
    /// Rows at most; 2,000,000 where absent.
    limit: Option<usize>,
    /// How rows are written.
    #[serde(default)]
    #[cfg_attr(test, param(inline))]
    format: DataFormat,
}

/// How rows are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
enum DataFormat {
    /// Columns of bytes.
    Columns,
    /// Lists of values.
    #[default]
    Json,
    /// The cells of the table.
    Csv,
}

/// Rows of a result: filtered, in order, some of its columns.
#[cfg_attr(test, utoipa::path(get, path = "/results/{id}/data", tag = "results", operation_id = "result_data",
    params(("id" = String, Path), DataQuery), extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, content(
        (Object = "application/json"),
        (Vec<u8> = "application/vnd.runcast.columns"),
        (String = "text/csv"),
    )))))]
async fn data(asked: Asked, ApiQuery(query): ApiQuery<DataQuery>) -> Result<Response, ApiError> {
    let table = table(&asked).await?;
    let wanted = Wanted {
        columns: query.columns.as_deref().map_or(Vec::new(), words),
        order: query.order.clone(),
        offset: query.offset,
        limit: query.limit.unwrap_or(MOST_ROWS),
    };
    let work = move || {
        let table = table()?;
        let long = Long::of(&table, query.r#where.as_deref())?;
        let cut = Cut::of(&long, &wanted)?;
        Ok(match query.format {
            DataFormat::Columns => (COLUMNS, cut.bytes()),
            DataFormat::Csv => (CSV, cut.csv().into_bytes()),
            DataFormat::Json => ("application/json", cut.json().to_string().into_bytes()),
        })
    };
    let (media, bytes) = blocking(work).await?;
    Ok(([(header::CONTENT_TYPE, media)], bytes).into_response())
}

/// Which lines.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
struct LineQuery {
    /// The column across.
    x: Option<String>,
    /// The metric.
    y: Option<String>,
    /// Columns that make lines, with commas between.
    by: Option<String>,
    /// A formula over the columns.
    r#where: Option<String>,
    /// Pixel columns; 800 where absent.
    width: Option<usize>,
    /// Where the picture begins.
    from: Option<f64>,
    /// Where it ends.
    to: Option<f64>,
}

/// Lines with no more points than a picture of this width needs: of each pixel column the first, lowest, highest and last.
#[cfg_attr(test, utoipa::path(get, path = "/results/{id}/line", tag = "results", operation_id = "result_line",
    params(("id" = String, Path), LineQuery), extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = Figure))))]
async fn line(asked: Asked, ApiQuery(query): ApiQuery<LineQuery>) -> Result<Json<Figure>, ApiError> {
    let table = table(&asked).await?;
    let choice =
        Choice { x: query.x.clone(), y: query.y.clone(), by: query.by.as_deref().map(words), ..Choice::default() };
    let width = query.width.unwrap_or(WIDTH).clamp(1, MOST_WIDTH);
    let work = move || {
        let mut table = table()?;
        if let Some(filter) = query.r#where.clone().filter(|filter| !filter.trim().is_empty()) {
            table = table.kept(&rows_where(&table, &[filter], "where")?);
        }
        let mut figure = derived::figure(&table, &choice)?;
        for curve in &mut figure.series {
            thin(curve, [query.from, query.to], width);
        }
        Ok(figure)
    };
    Ok(Json(blocking(work).await?))
}

/// Leaves out what a picture of this width does not show.
fn thin(curve: &mut Curve, [from, to]: [Option<f64>; 2], width: usize) {
    let xs: Vec<f64> = curve.points.iter().map(|point| point.x).collect();
    let ys: Vec<f64> = curve.points.iter().map(|point| point.y).collect();
    let (Some(first), Some(last)) = (xs.first(), xs.last()) else { return };
    let span = [from.unwrap_or(*first), to.unwrap_or(*last)];
    if xs.len() <= 4 * width {
        curve.points.retain(|point| point.x >= span[0] && point.x <= span[1]);
        return;
    }
    let kept = m4(&xs, &ys, span, width);
    curve.points = kept.into_iter().map(|index| curve.points[index].clone()).collect();
}

/// Of which metric.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
struct ImportanceQuery {
    /// The metric; a time, else the first, where absent.
    metric: Option<String>,
    /// A formula over the columns.
    r#where: Option<String>,
}

/// Which columns matter for a metric: shares of the variance of its logarithm.
#[cfg_attr(test, utoipa::path(get, path = "/results/{id}/importance", tag = "results", operation_id = "result_importance",
    params(("id" = String, Path), ImportanceQuery), extensions(("x-rights" = json!("project-view"))),
    responses((status = 200, body = Importance))))]
async fn importance(asked: Asked, ApiQuery(query): ApiQuery<ImportanceQuery>) -> Result<Json<Importance>, ApiError> {
    let table = table(&asked).await?;
    let work = move || {
        let table = table()?;
        let long = Long::of(&table, query.r#where.as_deref())?;
        let column = match &query.metric {
            Some(name) => derived::numeric(&table, name, "metric")?,
            None => {
                let none = || Problem::new("no_metric", "no column of the table is a metric").at("metric");
                long.metric().ok_or_else(none)?.0
            }
        };
        let columns: Vec<usize> = long.varying().into_iter().map(|(index, _)| index).collect();
        let values = derived::numbers(&table, column);
        Ok(shares_of(&table, &columns, &long.rows, |row| values[row]))
    };
    Ok(Json(blocking(work).await?))
}

fn words(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// What reads the table of a result, where work may take its time.
async fn table(asked: &Asked) -> Result<impl FnOnce() -> Result<Table, Problems> + Send + use<>, ApiError> {
    let bytes = table_of(&asked.app, &asked.job).await?.ok_or_else(|| none(&asked.job, "table"))?;
    Ok(move || Table::read("table.csv", &bytes, &Default::default()))
}

/// The sentence of the document, where it has one.
async fn sentence(asked: &Asked) -> Result<Option<String>, ApiError> {
    if !asked.job.state.is_terminal() {
        return Ok(None);
    }
    // That of a sweep, put together from its points, has none.
    let document = jobs::output(asked.app.database(), &asked.job.id, "document").await?;
    let document = document.and_then(|found| serde_json::from_slice::<serde_json::Value>(&found.bytes).ok());
    Ok(document.and_then(|document| document["sentence"].as_str().map(str::to_owned)))
}
