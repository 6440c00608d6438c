//! The answer in one sentence, with its range: the field `sentence` of documents, which the shell, pages and Python show
//! alike.
//!
//! Numbers have three digits. What comes without a range says so, and why.

mod amount;
#[cfg(feature = "methods")]
pub mod change;
#[cfg(feature = "methods")]
pub mod degrees;
#[cfg(feature = "methods")]
pub mod fastest;
#[cfg(feature = "methods")]
pub mod limits;
pub mod prediction;
pub mod processes;

pub use amount::Amount;

use crate::human;

/// `1 process`, `256 processes`.
fn processes(count: f64) -> String {
    format!("{} {}", human::parameter(count), if count == 1.0 { "process" } else { "processes" })
}

/// `12 %`: a share of 1, to three digits.
fn share(share: f64) -> String {
    format!("{} %", human::significant(100.0 * share, 3))
}
