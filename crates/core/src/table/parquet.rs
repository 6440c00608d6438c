//! Apache Parquet: columns with types, in a file that is no text. Read with the feature `parquet`, else refused.
//!
//! The columns are read one after the other, each from all groups of rows, into the compact columns of a table. Numbers
//! of every kind are numbers, true and false become text, and so do dates and times, as ISO 8601 writes them. A null is
//! an empty cell. The lengths that a file states about itself are checked before anything is decoded.

#[cfg(feature = "parquet")]
mod cell;
#[cfg(feature = "parquet")]
mod column;
#[cfg(feature = "parquet")]
mod compact;
#[cfg(feature = "parquet")]
mod footer;
#[cfg(feature = "parquet")]
mod instant;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod rows;

use super::{ReadOptions, Table};
#[cfg(feature = "parquet")]
use crate::import::Format;
use crate::problem::Problem;

/// How the format is called.
pub(crate) const NAME: &str = "parquet";

#[cfg(feature = "parquet")]
pub(crate) const FORMAT: Format = Format {
    name: NAME,
    description: "a table in Apache Parquet",
    recognizes: |probe| is_parquet(probe.text().as_bytes()),
    read: |name, text, options| read(text.as_bytes().to_vec(), options).map_err(|problem| problem.in_file(name).into()),
};

/// Whether a file begins like Parquet, or like the Parquet whose footer is encrypted, and not like a header `PAR1,time_s`.
pub(crate) fn is_parquet(bytes: &[u8]) -> bool {
    let is_marked = bytes.starts_with(b"PAR1") || bytes.starts_with(b"PARE");
    is_marked && !bytes.get(4).is_some_and(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}

/// Reads the table in a Parquet file.
///
/// # Errors
/// The file is damaged, has columns that a table cannot hold, or needs more memory than there is.
#[cfg(feature = "parquet")]
pub(super) fn read(bytes: Vec<u8>, options: &ReadOptions) -> Result<Table, Problem> {
    // The decoder of the crate asserts what a damaged file may break.
    IS_DECODING.set(true);
    let table = std::panic::catch_unwind(|| rows::read(bytes.into(), options.memory));
    IS_DECODING.set(false);
    table.unwrap_or_else(|_| Err(damaged("its values cannot be decoded")))
}

std::thread_local! {
    static IS_DECODING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Whether a panic of this thread becomes the error that a file is damaged, so that nothing else need report it.
pub fn catches_panics() -> bool {
    IS_DECODING.get()
}

/// Says which build reads Parquet.
#[cfg(not(feature = "parquet"))]
pub(super) fn read(_: Vec<u8>, _: &ReadOptions) -> Result<Table, Problem> {
    Err(not_in_this_build())
}

/// The problem of a build without the feature.
#[cfg(not(feature = "parquet"))]
pub(crate) fn not_in_this_build() -> Problem {
    Problem::new("not_in_this_build", "this build of runcast does not read Parquet").hint(
        "a build that does is: cargo build --release, or cargo install --path crates/cli; or export the table as CSV",
    )
}

#[cfg(feature = "parquet")]
fn damaged(what: impl std::fmt::Display) -> Problem {
    Problem::new("parquet", format!("the Parquet file is damaged: {what}"))
        .hint("copy or write it again; a file is complete once its writer is closed")
}

#[cfg(all(test, not(feature = "parquet")))]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_the_feature_says_which_has_it() {
        let problems = Table::read("runs.parquet", b"PAR1\x15\0", &ReadOptions::default()).expect_err("refused");
        assert_eq!(
            (problems.0[0].code.as_str(), problems.0[0].file.as_deref()),
            ("not_in_this_build", Some("runs.parquet"))
        );
        let options = ReadOptions { format: Some(NAME.to_owned()), ..ReadOptions::default() };
        let problems = Table::read("runs.csv", b"p,time_s\n1,2\n", &options).expect_err("refused");
        assert!(problems.0[0].hint.as_deref().is_some_and(|hint| hint.contains("cargo build --release")));
    }
}
