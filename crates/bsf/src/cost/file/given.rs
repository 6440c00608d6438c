//! The value given at a key, and its position.

use runcast_core::Problem;

/// The value given at a key: its text, not yet parsed.
#[derive(Debug, Clone)]
pub(super) struct Given {
    pub text: Text,
    pub place: Place,
}

/// The text of a value.
#[derive(Debug, Clone)]
pub(super) enum Text {
    /// As it was written.
    Plain(String),
    /// `{ value = .., low = .., high = .. }`, each with its position.
    Within(Box<[(String, Place); 3]>),
}

/// Where a value was given.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// The file, its line and column; none for an option.
    pub spot: Option<Spot>,
    /// `/machine/latency`, or `--latency`.
    pub pointer: String,
    /// Whether the value is a quoted text without escapes, so that columns inside it can be located.
    pub is_plain_text: bool,
}

/// A place in a file, counted from 1.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub file: String,
    pub line: u64,
    pub column: u64,
}

impl Given {
    /// The value of an option.
    pub(super) fn option(name: &str, text: &str) -> Self {
        let pointer = format!("--{}", name.replace('_', "-"));
        Given { text: Text::Plain(text.to_owned()), place: Place { pointer, ..Place::default() } }
    }

    /// The text of a value that is not an uncertain time.
    pub(super) fn plain(&self) -> &str {
        match &self.text {
            Text::Plain(text) => text,
            Text::Within(parts) => &parts[0].0,
        }
    }

    /// The value as it was given, for messages.
    pub(super) fn shown(&self) -> String {
        match &self.text {
            Text::Plain(text) => text.clone(),
            Text::Within(parts) => parts.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(","),
        }
    }
}

impl Place {
    /// The problem at this position; its column, if any, is relative to the value.
    pub(super) fn locate(&self, mut problem: Problem) -> Problem {
        let within = problem.column.take().filter(|_| self.is_plain_text).unwrap_or(0);
        let problem = problem.at(self.pointer.clone());
        match &self.spot {
            Some(spot) => problem.in_file(spot.file.clone()).at_line(spot.line).at_column(spot.column + within),
            None => problem,
        }
    }

    /// Whether it is an option rather than a file.
    pub(super) fn is_option(&self) -> bool {
        self.spot.is_none()
    }
}
