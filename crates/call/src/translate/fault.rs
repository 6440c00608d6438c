//! Errors in a source, by byte position.

/// An error and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub code: &'static str,
    /// A byte of the source.
    pub at: usize,
    pub message: String,
    pub hint: String,
}

impl Fault {
    pub fn new(code: &'static str, at: usize, message: impl Into<String>) -> Self {
        Fault { code, at, message: message.into(), hint: String::new() }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// With positions mapped.
    pub fn moved(mut self, place: impl FnOnce(usize) -> usize) -> Self {
        self.at = place(self.at);
        self
    }
}
