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
    /// Whether it is where a single statement is expected.
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
    pub token: usize,
    /// A name after `struct`, `union`, `enum`, `class`.
    pub tag: bool,
}

/// A `return` that is a region's last statement, or the last one of its last compound statement or `if`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastReturn {
    /// Where the word stands.
    pub start: usize,
    /// Behind its semicolon.
    pub end: usize,
    /// No other statement is around it in this region.
    pub directly: bool,
}

/// A properly closed region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Its first pragma.
    pub begin: usize,
    /// Its last pragma.
    pub end: usize,
    /// Its last statement is a jump: control never reaches its end.
    pub leaves: bool,
    /// Where it returns at its end.
    pub returns: Vec<LastReturn>,
}
