//! What a file of a project is, by its path and content, and what is wrong with it: the parsers of the commands are
//! asked, nothing in it is run, and files that it names are not looked at.

mod recognize;
#[cfg(feature = "methods")]
mod validate;

pub use recognize::recognize;
#[cfg(feature = "methods")]
pub use validate::{Facts, facts, is_remark};

/// What a file can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A machine, drawn or written.
    System,
    /// What is run on what, how often.
    Experiment,
    /// A script.
    Application,
    /// Entries of the catalogue.
    Hardware,
    /// Computational models, or their coefficients.
    Formulas,
    /// Runs.
    Table,
    /// Samples of a region.
    Trace,
    /// The calls of an MPI program.
    Recording,
    /// Fitted models.
    Model,
    /// Configurations to measure.
    Plan,
    /// Costs of an algorithm of the bulk synchronous farm.
    Bsf,
    /// A bulk synchronous program.
    Bsp,
    /// Processes that wait for one another.
    Wavefront,
    /// What a command answered.
    Result,
    /// Parts of a page.
    Report,
    /// Looks of another file.
    View,
    /// Anything else.
    Other,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 17] = [
        Kind::System,
        Kind::Experiment,
        Kind::Application,
        Kind::Hardware,
        Kind::Formulas,
        Kind::Table,
        Kind::Trace,
        Kind::Recording,
        Kind::Model,
        Kind::Plan,
        Kind::Bsf,
        Kind::Bsp,
        Kind::Wavefront,
        Kind::Result,
        Kind::Report,
        Kind::View,
        Kind::Other,
    ];

    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Kind::System => "system",
            Kind::Experiment => "experiment",
            Kind::Application => "application",
            Kind::Hardware => "hardware",
            Kind::Formulas => "formulas",
            Kind::Table => "table",
            Kind::Trace => "trace",
            Kind::Recording => "recording",
            Kind::Model => "model",
            Kind::Plan => "plan",
            Kind::Bsf => "bsf",
            Kind::Bsp => "bsp",
            Kind::Wavefront => "wavefront",
            Kind::Result => "result",
            Kind::Report => "report",
            Kind::View => "view",
            Kind::Other => "other",
        }
    }

    /// Reads its name.
    pub fn parse(word: &str) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

#[cfg(all(test, feature = "methods"))]
mod tests;
