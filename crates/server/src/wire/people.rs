//! People, their tokens and their rights, on the wire.

use crate::wire::time;
use runcast_store::audit::Entry;
use runcast_store::members;
use runcast_store::quotas::Quotas;
use runcast_store::tokens::Token;
use runcast_store::users::User;
use runcast_store::{MemberRole, Scope, SiteRole};
use serde::{Deserialize, Serialize};

/// A name and a password.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The name of the user; without accounts `local`.
    pub name: String,
    /// The password; without accounts the token.
    pub password: String,
}

/// The first administrator.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SetUp {
    /// What the set-up link carries after `setup=`.
    pub token: String,
    /// The name of the administrator.
    pub name: String,
    /// Their password: 10 to 1024 bytes.
    #[cfg_attr(test, schema(min_length = 10))]
    pub password: String,
}

/// Who is logged in.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SessionView {
    /// Their name.
    pub user: String,
    /// What they may do at the site.
    pub role: RoleOfSite,
    /// `single`: one user; `multi`: accounts.
    pub mode: String,
    /// What unsafe requests by cookie repeat in `X-Runcast-CSRF`; null for tokens, which need none.
    #[cfg_attr(test, schema(required))]
    pub csrf: Option<String>,
}

/// A change of one's password.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PasswordChange {
    /// The password so far.
    pub old: String,
    /// The new one: 10 to 1024 bytes.
    #[cfg_attr(test, schema(min_length = 10))]
    pub new: String,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident = $kind:ident { $($(#[$variant_doc:meta])* $variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
        #[serde(rename_all = "lowercase")]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl From<$kind> for $name {
            fn from(value: $kind) -> Self {
                match value {
                    $($kind::$variant => $name::$variant,)*
                }
            }
        }

        impl From<$name> for $kind {
            fn from(value: $name) -> Self {
                match value {
                    $($name::$variant => $kind::$variant,)*
                }
            }
        }
    };
}

words! {
    /// What a user may do at a site.
    RoleOfSite = SiteRole {
        /// Looks.
        Viewer,
        /// Makes projects.
        Author,
        /// Everything.
        Administrator,
    }
}

words! {
    /// What a member may do in a project.
    RoleOfMember = MemberRole {
        /// Reads it.
        Viewer,
        /// Changes files, launches.
        Author,
        /// Members, others' jobs, rename, delete.
        Owner,
    }
}

words! {
    /// What a token allows.
    ScopeOfToken = Scope {
        /// To read.
        Read,
        /// To read and change.
        Write,
    }
}

/// A user.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct UserView {
    /// The name.
    pub name: String,
    /// What they may do at the site.
    pub role: RoleOfSite,
    /// Whether they are kept out.
    pub disabled: bool,
    /// Since when they are here.
    #[cfg_attr(test, schema(format = DateTime))]
    pub created_at: String,
    /// What they may have.
    pub quotas: QuotasView,
}

/// What one user may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct QuotasView {
    /// Points in the queue at once.
    pub queued_points: i64,
    /// Tasks that run at once.
    pub running_tasks: i64,
    /// Bytes stored.
    pub stored_bytes: i64,
    /// Requests of `compute` a second.
    pub compute_per_s: i64,
}

/// A new user.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewUser {
    /// 1 to 64 of letters, digits, `.`, `_`, `-`, `@`; the first is a letter or digit.
    pub name: String,
    /// 10 to 1024 bytes.
    #[cfg_attr(test, schema(min_length = 10))]
    pub password: String,
    /// What they may do at the site.
    pub role: RoleOfSite,
}

/// What changes of a user; what is absent stays.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct UserChange {
    /// Another role.
    pub role: Option<RoleOfSite>,
    /// Whether they are kept out.
    pub disabled: Option<bool>,
    /// Another password, which ends their sessions.
    #[cfg_attr(test, schema(min_length = 10))]
    pub password: Option<String>,
    /// Other quotas.
    pub quotas: Option<QuotasChange>,
}

/// Quotas to set; what is absent stays.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct QuotasChange {
    /// Points in the queue at once.
    #[cfg_attr(test, schema(minimum = 0))]
    pub queued_points: Option<i64>,
    /// Tasks that run at once.
    #[cfg_attr(test, schema(minimum = 0))]
    pub running_tasks: Option<i64>,
    /// Bytes stored.
    #[cfg_attr(test, schema(minimum = 0))]
    pub stored_bytes: Option<i64>,
    /// Requests of `compute` a second.
    #[cfg_attr(test, schema(minimum = 0))]
    pub compute_per_s: Option<i64>,
}

/// A new token.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// What it is for: 1 to 100 characters.
    #[cfg_attr(test, schema(min_length = 1, max_length = 100))]
    pub name: String,
    /// What it allows.
    pub scope: ScopeOfToken,
    /// The one project it is for.
    pub project: Option<String>,
    /// When it ends.
    #[cfg_attr(test, schema(format = DateTime))]
    pub expires_at: Option<String>,
}

/// A new token, shown once.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct TokenMade {
    /// Its id, by which it is revoked.
    pub id: String,
    /// What goes behind `Authorization: Bearer`.
    pub token: String,
}

/// A token, without what only its holder knows.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct TokenView {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub name: String,
    /// What it allows.
    pub scope: ScopeOfToken,
    /// The one project it is for.
    #[cfg_attr(test, schema(required))]
    pub project: Option<String>,
    /// When it was made.
    #[cfg_attr(test, schema(format = DateTime))]
    pub created_at: String,
    /// When it ends.
    #[cfg_attr(test, schema(required, format = DateTime))]
    pub expires_at: Option<String>,
    /// When it was last used, to a minute.
    #[cfg_attr(test, schema(required, format = DateTime))]
    pub used_at: Option<String>,
}

/// A member of a project.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct MemberView {
    /// The name of the user.
    pub user: String,
    /// What they may do.
    pub role: RoleOfMember,
}

/// What a member shall be allowed.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MemberRoleChange {
    /// What they may do.
    pub role: RoleOfMember,
}

/// An entry of the audit log.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct AuditView {
    /// Its number.
    pub id: i64,
    /// When it happened.
    #[cfg_attr(test, schema(format = DateTime))]
    pub at: String,
    /// Who did it.
    pub user: String,
    /// What they did.
    pub action: String,
    /// In which project.
    #[cfg_attr(test, schema(required))]
    pub project: Option<String>,
    /// More about it.
    pub detail: String,
}

impl UserView {
    /// A user with these quotas.
    pub fn of(user: User, quotas: Quotas) -> Self {
        UserView {
            name: user.name,
            role: user.role.into(),
            disabled: user.disabled,
            created_at: time::shown(user.created_at),
            quotas: quotas.into(),
        }
    }
}

impl From<Quotas> for QuotasView {
    fn from(quotas: Quotas) -> Self {
        let Quotas { queued_points, running_tasks, stored_bytes, compute_per_s } = quotas;
        QuotasView { queued_points, running_tasks, stored_bytes, compute_per_s }
    }
}

impl QuotasChange {
    /// The quotas after this change.
    pub fn of(self, quotas: Quotas) -> Quotas {
        Quotas {
            queued_points: self.queued_points.unwrap_or(quotas.queued_points),
            running_tasks: self.running_tasks.unwrap_or(quotas.running_tasks),
            stored_bytes: self.stored_bytes.unwrap_or(quotas.stored_bytes),
            compute_per_s: self.compute_per_s.unwrap_or(quotas.compute_per_s),
        }
    }
}

impl From<Token> for TokenView {
    fn from(token: Token) -> Self {
        TokenView {
            id: token.id.to_string(),
            name: token.name,
            scope: token.scope.into(),
            project: token.project,
            created_at: time::shown(token.created_at),
            expires_at: token.expires_at.map(time::shown),
            used_at: token.used_at.map(time::shown),
        }
    }
}

impl From<members::Member> for MemberView {
    fn from(member: members::Member) -> Self {
        MemberView { user: member.user, role: member.role.into() }
    }
}

impl From<Entry> for AuditView {
    fn from(entry: Entry) -> Self {
        AuditView {
            id: entry.id,
            at: time::shown(entry.at),
            user: entry.user,
            action: entry.action,
            project: entry.project,
            detail: entry.detail,
        }
    }
}
