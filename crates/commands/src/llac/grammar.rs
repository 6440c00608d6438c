//! The language of `llac`.
//!
//! ```text
//! script  = { [ command ] ( newline | ";" ) }          "#" at the beginning of a word: the rest of the line is a comment
//! command = word { word }                               words are parted by blanks; quotes keep blanks, ";" and "#" inside
//! ```
//!
//! A quote inside of quotes is written twice. Formulas and filters may stand without quotes: they go on to the next
//! option of the command.

pub mod help;
mod lexer;
mod parse;
mod script;
mod words;

pub use parse::parse;
pub use script::{Line, Script};

use crate::targets::Targets;
use std::fmt;

/// A command, as it is understood.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Reads tables and traces into one table.
    Load {
        /// The files; may hold `*`, `?` and `[..]`.
        files: Vec<String>,
        /// The name of the table.
        name: Option<String>,
    },
    /// Puts tables together.
    Merge {
        tables: Vec<String>,
        /// The name of the new one.
        name: Option<String>,
    },
    /// Takes some rows of a table.
    Subset {
        table: String,
        /// Which rows.
        filter: String,
        /// The name of the new one.
        name: Option<String>,
    },
    /// Adds a column to a table, or replaces one.
    Transform {
        table: String,
        column: String,
        /// Its formula over the other columns; of `status`, a text.
        formula: String,
        /// The rows of `status` that are set; all where there is none.
        filter: Option<String>,
    },
    /// Reports what a table or a model holds.
    Show {
        /// The table or the model; the last table where none is named.
        name: Option<String>,
        /// How many rows of the table are shown.
        rows: Option<usize>,
    },
    /// Finds the constants of a formula, and where they hold.
    Fit(Fit),
    /// Where the pieces of a model part.
    Segments { model: Option<String> },
    /// The constants of a model.
    Constants { model: Option<String> },
    /// Predicts.
    Predict {
        model: Option<String>,
        /// Where.
        at: Vec<Targets>,
        /// Probability of the intervals, unless that of the fit.
        level: Option<f64>,
    },
    /// Refits a model without some of its configurations, and predicts these.
    Validate {
        model: Option<String>,
        /// Which configurations are left out.
        scheme: Scheme,
    },
    /// What to run next.
    Suggest {
        model: Option<String>,
        /// At most so many configurations.
        runs: Option<usize>,
        /// The plan to write.
        to: Option<String>,
    },
    /// Draws a table or a model.
    Plot {
        /// The table or the model; the last model, else the last table, where none is named.
        name: Option<String>,
        /// The parameter on the horizontal axis.
        x: Option<String>,
        /// The parameter that makes a curve each.
        by: Option<String>,
        /// The picture to write; none: as text.
        to: Option<String>,
    },
    /// Writes a table, a model, or the commands so far.
    Save {
        /// Which; `session` is the commands so far.
        what: String,
        /// Where to.
        to: String,
    },
    /// Runs the commands of a file.
    Source { file: String },
    /// Calculates.
    Eval {
        /// The expression: over names, columns and models.
        expression: String,
        /// Values of the names.
        at: Vec<Targets>,
        /// The table whose rows give values.
        table: Option<String>,
    },
    /// Sets the seed of everything random.
    SetSeed(u64),
    /// Whether commands after one that was refused still run.
    SetErrors {
        /// They do.
        continues: bool,
    },
    /// Describes the commands.
    Help(Option<String>),
    /// Ends the session.
    Quit,
}

/// Options of `fit`; none: the default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fit {
    pub experiment: Option<String>,
    pub table: Option<String>,
    /// The formula with numbered constants.
    pub formula: Option<String>,
    /// The metric, with a unit if it has none by its name: `NAME[:UNIT]`.
    pub metric: Option<String>,
    /// Along what to look for pieces.
    pub seg: Option<Seg>,
    /// `auto`, `regimes`, `segments`, `steps` or `single`.
    pub method: Option<&'static str>,
    /// `auto`, `nonneg` or `free`.
    pub signs: Option<&'static str>,
    /// `relative`, `none` or `sqrt`.
    pub weights: Option<&'static str>,
    /// `median`, `q25`, `min`, `max` or `mean`.
    pub aggregate: Option<&'static str>,
    /// `all`, `max` or `mean`.
    pub ranks: Option<&'static str>,
    /// Probability of the intervals.
    pub level: Option<f64>,
    /// The name of the model.
    pub name: Option<String>,
}

/// Along what to look for pieces.
#[derive(Debug, Clone, PartialEq)]
pub enum Seg {
    /// Along whatever divides best.
    Auto,
    /// Along these expressions.
    By(Vec<String>),
}

/// Which configurations `validate` leaves out.
#[derive(Debug, Clone, PartialEq)]
pub enum Scheme {
    /// Each once, in so many rounds.
    Folds(usize),
    /// Those for which a formula holds.
    Hold(String),
}

impl Command {
    /// The word that it begins with.
    pub fn verb(&self) -> &'static str {
        match self {
            Command::Load { .. } => "load",
            Command::Merge { .. } => "merge",
            Command::Subset { .. } => "subset",
            Command::Transform { .. } => "transform",
            Command::Show { .. } => "show",
            Command::Fit(_) => "fit",
            Command::Segments { .. } => "segments",
            Command::Constants { .. } => "constants",
            Command::Predict { .. } => "predict",
            Command::Validate { .. } => "validate",
            Command::Suggest { .. } => "suggest",
            Command::Plot { .. } => "plot",
            Command::Save { .. } => "save",
            Command::Source { .. } => "source",
            Command::SetSeed(_) | Command::SetErrors { .. } => "set",
            Command::Eval { .. } => "eval",
            Command::Help(_) => "help",
            Command::Quit => "quit",
        }
    }
}

/// The command as it can be typed; reads back as the same.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = words::quoted;
        f.write_str(self.verb())?;
        let option = |f: &mut fmt::Formatter<'_>, name: &str, value: &Option<String>| match value {
            Some(value) => write!(f, " {name} {}", word(value)),
            None => Ok(()),
        };
        let plain = |f: &mut fmt::Formatter<'_>, value: &Option<String>| match value {
            Some(value) => write!(f, " {}", word(value)),
            None => Ok(()),
        };
        match self {
            Command::Load { files: list, name } | Command::Merge { tables: list, name } => {
                list.iter().try_for_each(|item| write!(f, " {}", word(item)))?;
                option(f, "as", name)
            }
            Command::Subset { table, filter, name } => {
                write!(f, " {} where {}", word(table), words::quoted_whole(filter))?;
                option(f, "as", name)
            }
            Command::Transform { table, column, formula, filter } => {
                write!(f, " {} {} = {}", word(table), word(column), words::quoted_whole(formula))?;
                filter.as_ref().map_or(Ok(()), |filter| write!(f, " where {}", words::quoted_whole(filter)))
            }
            Command::Show { name, rows } => {
                plain(f, name)?;
                rows.map_or(Ok(()), |rows| write!(f, " rows {rows}"))
            }
            Command::Fit(fit) => fit.fmt(f),
            Command::Segments { model } | Command::Constants { model } => plain(f, model),
            Command::Predict { model, at, level } => {
                plain(f, model)?;
                at.iter().try_for_each(|targets| write!(f, " at {}", words::quoted_targets(&targets.to_string())))?;
                level.map_or(Ok(()), |level| write!(f, " level {level}"))
            }
            Command::Validate { model, scheme } => {
                plain(f, model)?;
                match scheme {
                    Scheme::Folds(folds) => write!(f, " folds {folds}"),
                    Scheme::Hold(filter) => write!(f, " hold {}", words::quoted_whole(filter)),
                }
            }
            Command::Suggest { model, runs, to } => {
                plain(f, model)?;
                runs.map_or(Ok(()), |runs| write!(f, " runs {runs}"))?;
                option(f, "to", to)
            }
            Command::Plot { name, x, by, to } => {
                plain(f, name)?;
                option(f, "x", x)?;
                option(f, "by", by)?;
                option(f, "to", to)
            }
            Command::Save { what, to } => write!(f, " {} to {}", word(what), word(to)),
            Command::Source { file } => write!(f, " {}", word(file)),
            Command::SetSeed(seed) => write!(f, " seed {seed}"),
            Command::SetErrors { continues } => write!(f, " errors {}", if *continues { "continue" } else { "stop" }),
            Command::Eval { expression, at, table } => {
                write!(f, " {}", words::quoted_whole(expression))?;
                at.iter().try_for_each(|targets| write!(f, " at {}", words::quoted_targets(&targets.to_string())))?;
                option(f, "in", table)
            }
            Command::Help(command) => plain(f, command),
            Command::Quit => Ok(()),
        }
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(experiment) = &self.experiment {
            write!(f, " {}", words::quoted(experiment))?;
        }
        let before = [("in", &self.table), ("formula", &self.formula), ("metric", &self.metric)];
        for (name, value) in before {
            if let Some(value) = value {
                write!(f, " {name} {}", words::quoted(value))?;
            }
        }
        match &self.seg {
            None => {}
            Some(Seg::Auto) => f.write_str(" seg auto")?,
            Some(Seg::By(list)) => {
                let list: Vec<String> = list.iter().map(|item| words::quoted_whole(item)).collect();
                write!(f, " seg {}", list.join(","))?;
            }
        }
        let chosen = [
            ("method", self.method),
            ("signs", self.signs),
            ("weights", self.weights),
            ("aggregate", self.aggregate),
            ("ranks", self.ranks),
        ];
        for (name, value) in chosen {
            if let Some(value) = value {
                write!(f, " {name} {value}")?;
            }
        }
        if let Some(level) = self.level {
            write!(f, " level {level}")?;
        }
        self.name.as_ref().map_or(Ok(()), |name| write!(f, " as {}", words::quoted(name)))
    }
}

#[cfg(test)]
mod tests;
