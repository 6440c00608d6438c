//! Enclosing constructs of statements: brackets, control statements, regions.

pub const NONE: u32 = u32::MAX;

/// A construct that is open at some point of the source.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    pub kind: FrameKind,
    /// A statement may begin here.
    pub start: bool,
    /// The current statement.
    pub head: Head,
    /// The last statement is a jump: what follows it is not reached.
    pub leaves: bool,
    /// Of an `else`: the statement before it is a jump.
    pub first_leaves: bool,
    /// How many statements have ended here.
    pub statements: u32,
    /// How many `return` statements might be last when this opened.
    pub returns: u32,
    /// The function that this belongs to.
    pub function: u32,
    /// The innermost region around this, in the same function.
    pub region: u32,
    /// The innermost region around the innermost `switch`.
    pub switch_region: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// Declarations: the file itself.
    File,
    /// Declarations between braces: a class, a namespace. `ends`: its brace ends the declaration.
    Scope { ends: bool },
    /// Statements between braces. `ends`: its brace ends the statement.
    Block { ends: bool },
    /// `(`
    Round,
    /// `[`
    Square,
    /// A statement that holds another one.
    Control(Control, Phase),
    /// A region, by its number.
    Region(u32),
}

/// Statements that hold others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    If,
    /// The second half of an `if`, or an `else` whose `if` is not seen.
    Else,
    /// `for`, `while`, `switch`.
    Loop,
    Do,
    Try,
    /// An unknown macro.
    Macro,
    /// A foreign pragma.
    Pragma,
    /// A foreign pragma, before a loop.
    LoopPragma,
}

/// Progress within a control statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Its bracket is expected.
    Bracket,
    /// The statement that it holds.
    Body,
    /// `else`, `while` or `catch` may follow.
    Next,
    /// The bracket after `do .. while`.
    LastBracket,
    /// The semicolon after it.
    Semicolon,
}

/// What is known about the current statement or declaration.
#[derive(Debug, Clone, Copy, Default)]
pub struct Head {
    /// It is only a name, or a name and a bracket.
    pub alone: Alone,
    /// `struct`, `enum`, ..
    pub tag: bool,
    /// A bracket that may hold parameters.
    pub parameters: bool,
    /// `operator`: the bracket behind its name holds parameters.
    pub operator: bool,
    /// `=`
    pub assigned: bool,
    /// `namespace`, `extern "C"`.
    pub namespace: bool,
    /// The bracket that begins a lambda.
    pub lambda: bool,
    /// A `case`: how many `?` wait for their colon.
    pub label: Option<u32>,
    /// A `return`: where it is, and on which side of `#if`.
    pub returns: Option<(u32, u32)>,
}

/// Whether a statement so far may be a macro.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Alone {
    #[default]
    No,
    Name,
    NameAndBracket,
}

impl Frame {
    pub fn file() -> Self {
        Frame {
            kind: FrameKind::File,
            start: true,
            head: Head::default(),
            leaves: false,
            first_leaves: false,
            statements: 0,
            returns: 0,
            function: NONE,
            region: NONE,
            switch_region: None,
        }
    }

    /// Something in this frame.
    pub fn inner(&self, kind: FrameKind, start: bool) -> Self {
        Frame { kind, start, head: Head::default(), leaves: false, first_leaves: false, statements: 0, ..*self }
    }

    pub fn is_brace(&self) -> bool {
        matches!(self.kind, FrameKind::Scope { .. } | FrameKind::Block { .. })
    }

    /// Whether declarations are expected here, not statements.
    pub fn declares(&self) -> bool {
        matches!(self.kind, FrameKind::File | FrameKind::Scope { .. })
    }

    pub fn is_bracket(&self) -> bool {
        matches!(self.kind, FrameKind::Round | FrameKind::Square)
    }

    /// The phase of a control statement.
    pub fn phase(&self) -> Option<(Control, Phase)> {
        match self.kind {
            FrameKind::Control(control, phase) => Some((control, phase)),
            _ => None,
        }
    }
}
