//! Complexity formulas in programs: a region of the program records its variables and how long it took, and
//! `runcast llac` finds the constants of the formula that is beside it.
//!
//! ```no_run
//! use runcast_cll::{cll, prelude::*};
//!
//! // A function: its complexity, and the variables in it.
//! #[cll(model = "sort[0] + sort[1]*n*log2(n)", vars(n = numbers.len()))]
//! fn sort(numbers: &mut [f64]) {
//!     numbers.sort_by(f64::total_cmp);
//! }
//!
//! // A block: the name of the experiment, its formula, its variables. The expression has the value of the block.
//! fn sum(numbers: &[f64]) -> f64 {
//!     let n = numbers.len();
//!     cll!("sum", "sum[0] + sum[1]*n", vars(n), {
//!         numbers.iter().sum()
//!     })
//! }
//!
//! let mut numbers = vec![3.0, 1.0, 2.0];
//! sort(&mut numbers);
//! assert_eq!(sum(&numbers), 6.0);
//! ```
//!
//! When the program ends it writes a trace, `NAME.cll.RUN.csv`, the same as C programs do that `runcast cll translate`
//! has prepared. The library is the same, too: variables of the environment such as `CLL_DIR`, `CLL_CLOCK` and
//! `CLL_OFF` mean the same.
//!
//! # Two macros of one name
//!
//! The attribute is [`cll`](macro@cll), the expression is [`prelude::cll`]. `use runcast_cll::{cll, prelude::*};`
//! brings both: Rust keeps attributes and expressions apart, but names each import once.
//!
//! # What annotated code does
//!
//! It does what it did before. The block stands where it stood, so that `return`, `?`, `break` and `continue` inside
//! work, and a panic passes through: such a sample has the status `exit` and stays out of fits, unless `exits(ok)`
//! says otherwise. The macros expand to safe code.
//!
//! A formula that cannot be read is a compile error that shows the place, and so is a name in it without a value:
//!
//! ```compile_fail
//! # use runcast_cll::prelude::*;
//! # let n = 4;
//! cll!("F", "F[0] + n/F[1]", vars(n), { });   // not-canonical: the constant F[1] is in a divisor
//! ```
//!
//! # Without the feature `trace`
//!
//! Only the bare code remains: formulas are still checked, and nothing else of this crate is in the program. The
//! feature is on by default. A library leaves it to the program that uses it:
//!
//! ```toml
//! [dependencies]
//! runcast-cll = { version = "0.1", default-features = false }
//!
//! [features]
//! trace = ["runcast-cll/trace"]
//! ```

mod control;
#[cfg(feature = "trace")]
mod library;
#[cfg(feature = "trace")]
#[doc(hidden)]
pub mod private;
pub mod runtime;
mod value;

pub use control::{off, on, processes, rank, report, report_to};
pub use value::Value;

/// Times a function, and records the variables that its complexity depends on.
///
/// ```no_run
/// # use runcast_cll::cll;
/// #[cll(model = "f[0] + f[1]*n*log2(n)", vars(n))]
/// fn f(n: u32) -> u32 {
///     // ...
/// #   n
/// }
/// # f(3);
/// ```
///
/// | option | meaning |
/// |---|---|
/// | `model = "f[0] + f[1]*n"` | the complexity: a sum of terms, each with one constant; the constants may have any one name |
/// | `vars(n, m.rows, size = m.size())` | what is recorded, a number each; names in formulas are these, and `P`, the number of processes |
/// | `name = "sort"` | the name of the experiment; the function's own by default |
/// | `seg("n/P", "size")` | by what the constants may change from one range to another (`runcast llac`, `fit .. seg`) |
/// | `metric(cpu, PAPI_TOT_INS)` | what is measured beside the time |
/// | `at(end)` | the variables are read after the code has run, not before |
/// | `every(8)` | each 8th visit is timed |
/// | `mode(trace)`, `mode(aggregate)` | keeps every sample, or only sums; by itself it keeps samples while there are few |
/// | `exits(ok)` | a `return`, a `?` or a panic ends the sample like any other end |
///
/// Variables are read before the clock starts, so they may be moved in the function. Methods, generic functions and
/// functions that return `impl Trait` can be annotated; `async` and `const` functions cannot. The function's own
/// `return` is an early exit.
pub use runcast_cll_macros::cll;

/// The expression `cll!`, for `use runcast_cll::{cll, prelude::*};`.
pub mod prelude {
    /// Times a block, and records the variables that its complexity depends on.
    ///
    /// ```no_run
    /// # use runcast_cll::prelude::*;
    /// # let data = [1, 2, 3];
    /// let sum: i32 = cll!("sum", "sum[0] + sum[1]*n", vars(n = data.len()), {
    ///     data.iter().sum()
    /// });
    /// # assert_eq!(sum, 6);
    /// ```
    ///
    /// First the name of the experiment, then its formula, which may be left out, then options as in the
    /// [attribute](macro@crate::cll), then the block. The expression has the value of the block.
    pub use runcast_cll_macros::cll_expression as cll;
}
