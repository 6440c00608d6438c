//! Reading TOML files with precise errors: line, column and pointer, the value seen, what is allowed, and the nearest
//! word.
//!
//! ```
//! use runcast_core::toml::{Reader, Source, document};
//! use runcast_formula::units::Dimension;
//!
//! let source = Source { name: "link.toml", text: "latency = \"2us\"\nbandwith = 1" };
//! let document = document(source, 1 << 20)?;
//! let mut reader = Reader::new(source);
//! let top = reader.top(&document);
//! reader.allow(&top, &["latency", "bandwidth"], "a link");
//! assert_eq!(reader.quantity(&top, "latency", Dimension::Time, "a time such as \"2us\"").map(|(s, _)| s), Some(2e-6));
//! let problems = reader.take_problems().expect("a slip");
//! assert_eq!(problems.0[0].line, Some(2));
//! assert_eq!(problems.0[0].hint.as_deref(), Some("did you mean bandwidth?"));
//! # Ok::<(), runcast_core::Problems>(())
//! ```

mod numbers;
mod reader;

pub use numbers::{integer, out_of_range, plain};
pub use reader::{Node, Place, Reader, Source, Table, document, one_line};
