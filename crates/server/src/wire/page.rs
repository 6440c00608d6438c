//! Pages of a list.

use crate::problem::ApiError;
use axum::http::StatusCode;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use runcast_core::Problem;
use serde::{Deserialize, Serialize};

/// Items of a page, unless the request asks for another number.
const USUAL: i64 = 50;
/// The most items of a page.
const MOST: i64 = 500;

/// Which page of a list is asked for.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub struct Page {
    /// How many items (1 to 500).
    #[cfg_attr(test, param(default = 50, minimum = 1, maximum = 500))]
    pub limit: Option<i64>,
    /// Where to go on: `next` of the page before.
    pub cursor: Option<String>,
}

/// A page of a list.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Items<T> {
    /// The items.
    pub items: Vec<T>,
    /// The cursor of the next page; null: this is the last.
    #[cfg_attr(test, schema(required))]
    pub next: Option<String>,
}

impl Page {
    /// How many items; 422 outside of 1 to 500.
    ///
    /// # Errors
    /// As said.
    pub fn limit(&self) -> Result<i64, ApiError> {
        match self.limit.unwrap_or(USUAL) {
            limit @ 1..=MOST => Ok(limit),
            limit => {
                let problem = Problem::new("limit", format!("{limit} is not a number of items")).at("limit");
                Err(ApiError::invalid("limit", vec![problem.value(limit.to_string()).allowed("1 to 500")]))
            }
        }
    }

    /// The key of the last item of the page before, as it was given to [`Items::of`]; 400 when it is none of ours.
    ///
    /// # Errors
    /// As said.
    pub fn after<K: serde::de::DeserializeOwned>(&self) -> Result<Option<K>, ApiError> {
        let Some(cursor) = self.cursor.as_deref().filter(|cursor| !cursor.is_empty()) else { return Ok(None) };
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok();
        let key = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        key.map(Some).ok_or_else(|| {
            let problem = Problem::new("cursor", "this is not a cursor of this list").at("cursor").value(cursor);
            ApiError::new(StatusCode::BAD_REQUEST, "cursor", problem.message.clone()).problem(problem)
        })
    }
}

impl<T> Items<T> {
    /// A page: of `found`, one more than `limit` were asked for, so that the last page is known; `key` is what the
    /// next page begins after.
    pub fn of<F, K: Serialize>(mut found: Vec<F>, limit: i64, key: impl Fn(&F) -> K, show: impl FnMut(F) -> T) -> Self {
        let limit = usize::try_from(limit).unwrap_or(0);
        let is_last = found.len() <= limit;
        found.truncate(limit);
        let next = found.last().filter(|_| !is_last).map(|last| cursor(&key(last)));
        Items { items: found.into_iter().map(show).collect(), next }
    }
}

fn cursor(key: &impl Serialize) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(key).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_knows_where_the_next_begins() {
        let page = Items::of(vec![1, 2, 3], 2, |item| *item, |item| item * 10);
        assert_eq!(page.items, [10, 20]);
        let next = Page { limit: Some(2), cursor: page.next };
        assert_eq!(next.after::<i64>().expect("a cursor"), Some(2));
        assert_eq!(Items::of(vec![3], 2, |item| *item, |item| item).next, None);
        let bad = Page { limit: None, cursor: Some("!".to_owned()) };
        assert_eq!(bad.after::<i64>().expect_err("no cursor").status, StatusCode::BAD_REQUEST);
    }
}
