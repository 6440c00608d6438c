//! Quantities with units: read at the edge, in SI base units inside, printed for people.
//!
//! ```
//! use runcast_formula::units::{Dimension, format_quantity, parse_quantity};
//!
//! assert_eq!(parse_quantity("56Gbit/s", Dimension::BytesPerTime)?, 7e9);
//! assert_eq!(parse_quantity("0.8 ns/B", Dimension::TimePerByte)?, 0.8e-9);
//! assert_eq!(format_quantity(0.00153, "s"), "1.53 ms");
//! # Ok::<(), runcast_formula::units::QuantityError>(())
//! ```
//!
//! A quantity is a number and a unit, with or without a blank between them; a number alone is in SI base units. Units
//! are made of a small table of symbols, each with the prefixes that make sense for it, joined by `/`:
//!
//! | symbol | is | prefixes |
//! |---|---|---|
//! | `s` | second | m u n p f |
//! | `min` `h` `d` `y` | 60 s, 3,600 s, 24 h, 8,760 h | |
//! | `B`, `bit` | byte, 1/8 B | k M G T P E, Ki Mi Gi Ti Pi Ei |
//! | `flop`, `op` | operation | k M G T P E |
//! | `TEPS`, `iops` | operation/s | k M G T P E |
//! | `Hz` | 1/s | k M G T |
//! | `J`, `Wh`, `W` | joule, 3,600 J, J/s | p n u m k M G T |
//! | `%` | 1/100 | |
//!
//! `u` may be written `µ`. Case matters: `mW` is not `MW`.

mod bare;
mod dimension;
mod error;
mod format;
mod parse;
mod suffix;
mod table;

pub use bare::{Doubt, Usual};
pub use dimension::{Dimension, Powers};
pub use error::QuantityError;
pub use format::{format_quantity, format_quantity_digits};
pub use parse::{Quantity, parse_quantity};
pub use suffix::{SuffixUnit, suffix_unit};
