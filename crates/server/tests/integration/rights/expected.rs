//! The table of rights.

use super::columns::Column;
use axum::http::StatusCode;
use runcast_server::rights::Class;

/// What must come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// This status, and nothing is done.
    Refused(StatusCode),
    /// Whatever the operation itself says.
    Allowed,
}

const NO: Expected = Expected::Refused(StatusCode::FORBIDDEN);
const WHO: Expected = Expected::Refused(StatusCode::UNAUTHORIZED);
const HIDDEN: Expected = Expected::Refused(StatusCode::NOT_FOUND);
const YES: Expected = Expected::Allowed;

/// What must come back to whom. Jobs and batches of the sample are those of the author.
pub fn expected(class: Class, column: Column, is_safe: bool) -> Expected {
    use Column::{
        Administrator, Anonymous, Author, Colleague, Disabled, Elsewhere, Expired, OnlyThis, Owner, OwnerWhoLooks,
        ReadOnly, Stranger, Viewer,
    };
    match (class, column) {
        (Class::Anyone, _) => YES,
        (_, Anonymous | Disabled | Expired) => WHO,

        (Class::User, _) => YES,
        (Class::Own | Class::Create, Elsewhere | OnlyThis) => NO,
        (Class::Create, OwnerWhoLooks | ReadOnly) => NO,
        (Class::Own, ReadOnly) if !is_safe => NO,
        (Class::Own | Class::Create, _) => YES,
        (Class::Administrator, Administrator) => YES,
        (Class::Administrator, _) => NO,

        (Class::ProjectView, Stranger | Elsewhere) => HIDDEN,
        (Class::ProjectView, _) => YES,

        (_, Stranger | Elsewhere) => HIDDEN,
        // Viewers comment where an owner lets them: not in the sample.
        (_, Viewer | OwnerWhoLooks | ReadOnly) => NO,
        (Class::ProjectAuthor | Class::ProjectComment, Author | Colleague | Owner | OnlyThis | Administrator) => YES,
        (Class::JobChange, Author | Owner | OnlyThis | Administrator) => YES,
        (Class::JobChange, Colleague) => NO,
        (Class::ProjectOwn, Owner | OnlyThis | Administrator) => YES,
        (Class::ProjectOwn, Author | Colleague) => NO,
    }
}
