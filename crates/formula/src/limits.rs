//! Limits on the input, so that hostile text is an error and never a crash.

/// The longest formula, in bytes.
pub const LENGTH: usize = 1 << 20;

/// The deepest nesting: brackets, signs, powers, arguments inside each other.
///
/// Chains of `+ - * /`, `and`, `or` do not nest, whatever their length.
pub const DEPTH: usize = 256;

/// The most numbers, names, operators and calls in a formula.
pub const NODES: usize = 1 << 18;

/// The most values in a list of numbers.
pub const VALUES: usize = 1_000_000;
