//! Versions of files as `ETag`, and what requests demand of them.

use crate::problem::ApiError;
use axum::http::{HeaderMap, StatusCode, header};
use runcast_core::Problem;
use runcast_store::files::Expect;
use runcast_store::{Digest, StoreError};

/// `"v3-cb78bd8a17f7b751"`.
pub fn shown(version: i64, digest: &Digest) -> String {
    format!("\"v{version}-{}\"", digest.short())
}

/// What a change takes for granted: `If-Match`, or `If-None-Match: *` for a new file; neither is 428.
///
/// # Errors
/// As said.
pub fn expected(headers: &HeaderMap) -> Result<Expect, ApiError> {
    let current = joined(headers, header::IF_MATCH);
    let absent = joined(headers, header::IF_NONE_MATCH);
    match (current, absent) {
        (Some(_), Some(_)) => {
            Err(ApiError::new(StatusCode::BAD_REQUEST, "precondition", "either If-Match or If-None-Match, not both"))
        }
        (Some(tags), None) if tags.trim() == "*" => Ok(Expect::There),
        (Some(tags), None) => Ok(Expect::Current(tags.split(',').filter_map(read).collect())),
        (None, Some(tags)) if tags.trim() == "*" => Ok(Expect::Absent),
        (None, _) => {
            let detail = "say which version this replaces: If-Match with its ETag, or If-None-Match: * for a new file";
            let problem = Problem::new("precondition_required", detail).at("If-Match").allowed("the ETag of a GET");
            Err(ApiError::new(StatusCode::PRECONDITION_REQUIRED, "precondition_required", detail).problem(problem))
        }
    }
}

/// Whether the reader has this already: `If-None-Match` of a GET.
pub fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let tags = joined(headers, header::IF_NONE_MATCH).unwrap_or_default();
    tags.split(',').map(str::trim).any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

/// 412 with the current `ETag`, where there is one.
pub fn refused(error: StoreError) -> ApiError {
    match error {
        StoreError::Stale { current: 0, .. } => ApiError::new(
            StatusCode::PRECONDITION_FAILED,
            "stale",
            "the file is not there (any more): nothing was changed",
        ),
        StoreError::Stale { current, digest } => {
            let etag = shown(current, &Digest::from_text(digest));
            let detail = format!("the file is at version {current} by now: nothing was changed");
            ApiError::new(StatusCode::PRECONDITION_FAILED, "stale", detail).header(header::ETAG, etag)
        }
        error => error.into(),
    }
}

/// The values of a header that may come several times.
fn joined(headers: &HeaderMap, name: header::HeaderName) -> Option<String> {
    let values: Vec<&str> = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?")).collect();
    (!values.is_empty()).then(|| values.join(","))
}

/// Version and digest of a tag; none: it names no version.
pub fn read(tag: &str) -> Option<(i64, String)> {
    let inner = tag.trim().strip_prefix("\"v")?.strip_suffix('"')?;
    let (version, digest) = inner.split_once('-')?;
    Some((version.parse().ok()?, digest.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(pairs: &[(header::HeaderName, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name.clone(), HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn what_a_change_demands_is_read() {
        let expect = |pairs: &[_]| expected(&headers(pairs));
        let seen = expect(&[(header::IF_MATCH, "\"v3-00ff00ff00ff00ff\"")]).expect("a tag");
        assert_eq!(seen, Expect::Current(vec![(3, "00ff00ff00ff00ff".to_owned())]));
        assert_eq!(expect(&[(header::IF_NONE_MATCH, "*")]).expect("new"), Expect::Absent);
        assert_eq!(expect(&[(header::IF_MATCH, "*")]).expect("any"), Expect::There);
        // Weak, unquoted and foreign tags name no version: nothing will match them.
        assert_eq!(expect(&[(header::IF_MATCH, "W/\"v3-00\", v3-00, \"x\"")]).expect("none"), Expect::Current(vec![]));
        assert_eq!(expect(&[]).expect_err("needed").status, StatusCode::PRECONDITION_REQUIRED);
        let tag = expect(&[(header::IF_NONE_MATCH, "\"v1-00\"")]).expect_err("no demand on a change");
        assert_eq!(tag.status, StatusCode::PRECONDITION_REQUIRED);
    }

    #[test]
    fn the_etag_of_the_specification() {
        let etag = shown(1, &Digest::of(b"a = 1\n"));
        assert_eq!(etag, "\"v1-cb78bd8a17f7b751\"");
        assert!(is_known(&headers(&[(header::IF_NONE_MATCH, "\"x\", W/\"v1-cb78bd8a17f7b751\"")]), &etag));
        assert!(!is_known(&headers(&[(header::IF_NONE_MATCH, "\"v2-cb78bd8a17f7b751\"")]), &etag));
    }
}
