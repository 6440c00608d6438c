//! Links and comments, as they go over the wire.

use crate::wire::time;
use runcast_store::comments;
use runcast_store::shares::Share;
use serde::{Deserialize, Serialize};

/// A link to be made.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({"target": "reports/heat.toml", "expires_in_s": 604800})))]
pub struct NewLink {
    /// `job:ID` for a result, or the path of a report.
    pub target: String,
    /// The version of the report; the current one where absent.
    #[serde(default)]
    #[cfg_attr(test, schema(minimum = 1))]
    pub version: Option<i64>,
    /// How long it holds, in seconds; 30 days where absent.
    #[serde(default)]
    #[cfg_attr(test, schema(minimum = 1, maximum = 7_776_000))]
    pub expires_in_s: Option<i64>,
}

/// A link that was just made.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct LinkMade {
    /// Its id, by which it is revoked.
    pub id: String,
    /// Its address, shown this once.
    pub url: String,
    /// When it ends.
    #[cfg_attr(test, schema(format = DateTime))]
    pub expires_at: String,
}

/// A link that holds.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct LinkView {
    /// Its id.
    pub id: String,
    /// `job:ID`, or the path of a report.
    pub target: String,
    /// Of the report; null for a result.
    #[cfg_attr(test, schema(required))]
    pub version: Option<i64>,
    /// What it shows.
    pub title: String,
    /// Who made it.
    pub created_by: String,
    /// When.
    #[cfg_attr(test, schema(format = DateTime))]
    pub created_at: String,
    /// When it ends.
    #[cfg_attr(test, schema(format = DateTime))]
    pub expires_at: String,
}

impl From<Share> for LinkView {
    fn from(share: Share) -> Self {
        LinkView {
            id: share.id.to_string(),
            version: Some(share.version).filter(|version| *version > 0),
            target: share.target,
            title: share.title,
            created_by: share.created_by,
            created_at: time::shown(share.created_at),
            expires_at: time::shown(share.expires_at),
        }
    }
}

/// A comment to be written.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({"target": "tables/runs.csv", "anchor": "line 4", "text": "measured twice?"})))]
pub struct NewRemark {
    /// `job:ID` for a result, or the path of a file.
    pub target: String,
    /// Where in it: a point, a line, a part.
    #[serde(default)]
    #[cfg_attr(test, schema(max_length = 200))]
    pub anchor: String,
    /// Plain text.
    #[cfg_attr(test, schema(min_length = 1, max_length = 4000))]
    pub text: String,
    /// The comment that it replies to.
    #[serde(default)]
    pub reply_to: Option<String>,
}

/// What is to be changed about a comment.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({"resolved": true})))]
pub struct RemarkChange {
    /// Its text; only its author changes it.
    #[serde(default)]
    #[cfg_attr(test, schema(min_length = 1, max_length = 4000))]
    pub text: Option<String>,
    /// Whether it is settled.
    #[serde(default)]
    pub resolved: Option<bool>,
}

/// Which comments are asked for.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub struct RemarkFilter {
    /// How many items (1 to 500).
    #[cfg_attr(test, param(default = 50, minimum = 1, maximum = 500))]
    pub limit: Option<i64>,
    /// Where to go on: `next` of the page before.
    pub cursor: Option<String>,
    /// Only those on this result or file.
    pub target: Option<String>,
}

/// A comment, or a reply to one.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Remark {
    /// Its id.
    pub id: String,
    /// `job:ID`, or the path of a file.
    pub target: String,
    /// Where in it; empty: all of it.
    pub anchor: String,
    /// Of the file that it was written about.
    #[cfg_attr(test, schema(required))]
    pub digest: Option<String>,
    /// Plain text.
    pub text: String,
    /// Who wrote it.
    pub author: String,
    /// When.
    #[cfg_attr(test, schema(format = DateTime))]
    pub created_at: String,
    /// When its text was changed last.
    #[cfg_attr(test, schema(required, format = DateTime))]
    pub edited_at: Option<String>,
    /// When it was settled.
    #[cfg_attr(test, schema(required, format = DateTime))]
    pub resolved_at: Option<String>,
    /// Replies, the oldest first; those of replies are none.
    #[cfg_attr(test, schema(no_recursion))]
    pub replies: Vec<Remark>,
}

impl Remark {
    /// With the replies to it.
    pub fn of(comment: comments::Comment, replies: Vec<comments::Comment>) -> Self {
        Remark {
            id: comment.id.to_string(),
            target: comment.target,
            anchor: comment.anchor,
            digest: comment.digest,
            text: comment.text,
            author: comment.author,
            created_at: time::shown(comment.created_at),
            edited_at: comment.edited_at.map(time::shown),
            resolved_at: comment.resolved_at.map(time::shown),
            replies: replies.into_iter().map(|reply| Remark::of(reply, Vec::new())).collect(),
        }
    }
}

/// Where somebody is.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(example = json!({"path": "systems/galera.toml", "place": "node"})))]
pub struct Sign {
    /// The file; null: nowhere any more.
    #[serde(default)]
    pub path: Option<String>,
    /// The part or line in it.
    #[serde(default)]
    pub place: String,
}

/// Who is in a project.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Here {
    /// By name.
    pub items: Vec<crate::presence::Present>,
}
