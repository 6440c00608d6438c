//! Regions as they are found.

/// A region, open or closed.
#[derive(Debug, Clone)]
pub struct Region {
    /// The pragma that begins it.
    pub begin: usize,
    pub name: String,
    /// The region around it.
    pub parent: u32,
    /// The side of `#if` that it begins in.
    pub side: u32,
    /// It stands where one statement is expected.
    pub single: bool,
    /// Without braces.
    pub open: bool,
    /// Names that it declares for the statements after them.
    pub declared: Vec<Declared>,
}

/// A name that is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    pub name: Vec<u8>,
    /// Its token.
    pub token: usize,
    /// A name after `struct`, `union`, `enum`, `class`.
    pub tag: bool,
}

/// A region that was closed well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// Its first pragma.
    pub begin: usize,
    /// Its last pragma.
    pub end: usize,
    /// Its last statement is a jump: its end is not reached.
    pub leaves: bool,
}
