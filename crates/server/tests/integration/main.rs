//! The API from outside, on both databases: who may do what, logins, and what is refused.

#![expect(clippy::expect_used, reason = "tests")]

mod archives;
mod bodies;
mod exchange;
mod files;
mod jobs;
mod login;
mod refusals;
mod requests;
mod rights;
mod sessions;
mod site;
mod tokens;
