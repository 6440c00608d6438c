//! The caller, and their rights.
//!
//! A request comes in by the cookie of a session, by a token (`Authorization: Bearer`), or without a caller. The layers of
//! [`crate::router`] find out which, and refuse what the class of the operation ([`crate::rights`]) does not allow;
//! a handler then lets the caller into the project concerned ([`Caller::enter`]).

pub mod cookie;
pub mod csrf;
pub mod host;
pub mod identify;
pub mod lanes;
pub mod login;

use crate::app::{App, Mode};
use crate::problem::ApiError;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use runcast_store::{Id, MemberRole, audit, members, projects};

pub use runcast_store::{Scope, SiteRole};

/// The caller, identified by cookie or token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub user: Id,
    pub name: String,
    /// What they may do at this site.
    pub role: SiteRole,
    /// What their token allows; a session allows all.
    pub scope: Scope,
    /// The one project that their token is for.
    pub only_project: Option<Id>,
    /// The session, when they came by a cookie.
    pub session: Option<SessionKey>,
    /// What is asked for, such as `DELETE /api/v1/projects/demo`: the audit log notes it.
    pub asked: String,
}

/// The session of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKey {
    /// What the store keeps of the cookie.
    pub hash: Vec<u8>,
    /// What unsafe requests must repeat.
    pub csrf: String,
}

/// What a user may do in a project: the lesser of site role and membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Read it.
    View,
    /// Change files, launch.
    Author,
    /// Members, others' jobs, rename, delete.
    Own,
}

/// A project that the caller may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entered {
    pub id: Id,
    pub name: String,
    /// What the caller may do in it.
    pub right: Right,
}

impl Caller {
    /// Lets the caller into a project, given by name or id, if they have this right in it: 404 for strangers, 403 for
    /// lesser rights. What an administrator does in a project of others is noted in the audit log.
    ///
    /// # Errors
    /// They may not, or the database is away.
    pub async fn enter(&self, app: &App, project: &str, right: Right) -> Result<Entered, ApiError> {
        let absent = || ApiError::missing("project", project);
        let standing = members::standing(app.database(), project, &self.user).await?.ok_or_else(absent)?;
        if self.only_project.as_ref().is_some_and(|only| *only != standing.project) {
            return Err(absent());
        }
        let own = standing.role.map(Right::from);
        let has = match (self.role, own) {
            (SiteRole::Administrator, _) => Right::Own,
            (_, None) => return Err(absent()),
            (SiteRole::Author, Some(own)) => own,
            (SiteRole::Viewer, Some(_)) => Right::View,
        };
        if has < right {
            let needs = MemberRole::from(right);
            return Err(forbidden(format!("this needs the right of {needs} in project {}", standing.name)));
        }
        if right > Right::View && self.scope == Scope::Read {
            return Err(read_only());
        }
        if own.is_none_or(|own| own < right) && app.options().mode == Mode::Multi {
            self.note(app, &standing.name, right).await?;
        }
        Ok(Entered { id: standing.project, name: standing.name, right: has })
    }

    /// Lets the caller in to comment: authors, and viewers where the owner allows it.
    ///
    /// # Errors
    /// They may not, or the database is away.
    pub async fn enter_to_comment(&self, app: &App, project: &str) -> Result<Entered, ApiError> {
        let refused = match self.enter(app, project, Right::Author).await {
            Err(error) if error.status == StatusCode::FORBIDDEN && self.scope == Scope::Write => error,
            other => return other,
        };
        let entered = self.enter(app, project, Right::View).await?;
        let found = projects::by_id(app.database(), &entered.id).await?;
        if found.is_some_and(|project| project.viewers_comment) { Ok(entered) } else { Err(refused) }
    }

    /// 403 unless this is an administrator.
    ///
    /// # Errors
    /// It is none.
    pub fn administrate(&self) -> Result<(), ApiError> {
        match self.role {
            SiteRole::Administrator => Ok(()),
            _ => Err(forbidden("only administrators may do this")),
        }
    }

    async fn note(&self, app: &App, project: &str, right: Right) -> Result<(), ApiError> {
        let db = app.database();
        match right {
            // Pages read all the time: a visit is noted once an hour.
            Right::View => audit::add_hourly(db, &self.name, "look", project).await?,
            Right::Author | Right::Own => audit::add(db, &self.name, &self.asked, Some(project), "").await?,
        }
        Ok(())
    }
}

impl Entered {
    /// 403 unless the caller owns the project, or what is concerned (`created_by`) is theirs: a job, say.
    ///
    /// # Errors
    /// Neither is so.
    pub fn change_of(&self, caller: &Caller, created_by: &str) -> Result<(), ApiError> {
        let is_theirs = created_by == caller.name || created_by == caller.user.as_str();
        match self.right {
            Right::Own => Ok(()),
            Right::Author if is_theirs => Ok(()),
            _ => Err(forbidden("this belongs to another user: it needs the right of owner")),
        }
    }
}

impl From<MemberRole> for Right {
    fn from(role: MemberRole) -> Self {
        match role {
            MemberRole::Viewer => Right::View,
            MemberRole::Author => Right::Author,
            MemberRole::Owner => Right::Own,
        }
    }
}

impl From<Right> for MemberRole {
    fn from(right: Right) -> Self {
        match right {
            Right::View => MemberRole::Viewer,
            Right::Author => MemberRole::Author,
            Right::Own => MemberRole::Owner,
        }
    }
}

/// 401: the caller is not logged in.
pub(crate) fn anonymous() -> ApiError {
    ApiError::new(StatusCode::UNAUTHORIZED, "anonymous", "log in first")
        .header(axum::http::header::WWW_AUTHENTICATE, "Bearer realm=\"runcast\"")
}

/// 403: the caller may not.
pub(crate) fn forbidden(detail: impl Into<String>) -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, "forbidden", detail)
}

/// 403: the token is for reading.
pub(crate) fn read_only() -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, "scope", "this token is for reading only")
}

impl FromRequestParts<App> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _app: &App) -> Result<Self, ApiError> {
        parts.extensions.get::<Caller>().cloned().ok_or_else(anonymous)
    }
}
