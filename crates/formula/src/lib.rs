//! The formula language of runcast, its quantities with units and its lists of numbers.
//!
//! Complexities, computational models, filters over rows and user formulas are all written in one small language:
//!
//! ```
//! use runcast_formula::Formula;
//!
//! let work = Formula::parse("2/3*N^3/p + 0.02*sqrt(p)")?;
//! assert_eq!(work.names(), ["N", "p"]);
//! let value = work.evaluate_at(&[("N", 300.0), ("p", 16.0)])?;
//! assert_eq!(value, 1_125_000.08);
//! # Ok::<(), runcast_formula::FormulaError>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | read a formula, ask for its names, evaluate it once | [`Formula`] |
//! | read it, build one, print one | [`Expr`] |
//! | evaluate it for many rows | [`Formula::compile`], [`Program`] |
//! | write it as a sum of unknown coefficients times known terms | [`canonical::linear_terms`] |
//! | read `F[0] + F[1]*n`, whose constants are still to be found | [`template::Template`] |
//! | read "1.5 us" or "56Gbit/s", print "1.53 ms" | [`units`] |
//! | read `1,2,4`, `range:14..210:14`, `powers:2` | [`numbers`] |
//!
//! # The language
//!
//! | binds | written | note |
//! |---|---|---|
//! | tightest | `1e3` `.5` `p` `cpu.cores` `log2(p)` `( )` | names: letters, digits, `_`, inner dots |
//! | | `a^b` | to the right: `2^3^2` is `2^9`; `2^-3` is fine |
//! | | `-a` `+a` | `-2^2` is -4 |
//! | | `a*b` `a/b` | `2n` is an error, write `2*n` |
//! | | `a+b` `a-b` | |
//! | | `==` `!=` `<` `<=` `>` `>=` | 1 or 0; no chains |
//! | | `not a` | |
//! | | `a and b` | |
//! | loosest | `a or b` | |
//!
//! Functions: `log` (natural) `log2 log10 sqrt cbrt exp pow abs min max ceil floor round` and `if(condition, a, b)`.
//! A value is true when it is neither zero nor "not a number". A label is compared by `==` or `!=` with a text in
//! single or double quotes; the quote itself is written twice inside. There are no units inside a formula.
//!
//! # Invariants
//!
//! - No input makes this crate panic or overflow the stack: length, depth and number of parts are limited (see
//!   [`limits`]). Trees that a program builds itself, deeper than [`limits::DEPTH`], are the program's own risk.
//! - A compiled [`Program`] and the tree give the same bits.
//! - The crate does no I/O and has no dependencies.

mod arithmetic;
mod build;
pub mod canonical;
mod display;
mod error;
mod evaluate;
mod expr;
mod formula;
mod function;
mod lexer;
mod parser;
mod program;
mod span;
mod suggest;

pub mod limits;
pub mod numbers;
pub mod template;
pub mod units;

pub use error::{ErrorKind, FormulaError};
pub use evaluate::Value;
pub use expr::{Comparison, Expr, Factor, Term};
pub use formula::{Formula, is_name, split_at_commas};
pub use function::Function;
pub use program::{Column, Program};
pub use span::Span;
pub use suggest::nearest;
