//! The result of every regression: a description and a predictor.

use crate::auto::calibration::Class;
use crate::options::FitOptions;
use crate::sample::Sample;
use indexmap::IndexMap;
use runcast_core::Warning;
use runcast_core::model::{DroppedColumn, Member, Segment, Term};
use runcast_core::prediction::MemberValue;
use runcast_core::series::Aggregate;

/// A kind of model. A new one is one file in `models/` and one line in [`crate::registry`].
pub trait Regression: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// One-line description for `--help`.
    fn summary(&self) -> &'static str;

    /// How repetitions become one number unless the user says otherwise.
    fn aggregate(&self) -> Aggregate {
        Aggregate::Median
    }

    /// Whether the few runs where an input is zero are left out, as no power of zero says what it costs, and not refused.
    fn leaves_out_zeros(&self) -> bool {
        false
    }

    /// Checks whether the model suits such a series.
    ///
    /// # Errors
    /// The reason why it does not.
    fn applies(&self, sample: &Sample<'_>) -> Result<(), String>;

    /// Fits it.
    ///
    /// # Errors
    /// [`NoFit`] gives the reason.
    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit>;
}

/// Why there is no model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoFit {
    /// A log model needs positive values, and this line has another.
    #[error("{model} takes logarithms of the metric, and line {line} has {value}")]
    NotPositive {
        model: &'static str,
        /// The line of the table.
        line: u32,
        value: f64,
    },
    /// A parameter value that the model cannot use; the input is wrong for this model.
    #[error("{model} needs {parameter} {wanted}, and line {line} has {value}")]
    Parameter {
        model: &'static str,
        parameter: String,
        /// `> 0` or `>= 0`.
        wanted: &'static str,
        /// The line of the table.
        line: u32,
        value: f64,
    },
    /// The model does not suit the series, or nothing was found.
    #[error("{0}")]
    Unsuitable(String),
    /// Options that contradict the data.
    #[error("{0}")]
    Options(String),
}

impl NoFit {
    /// The line of the table that causes it, if any.
    pub fn line(&self) -> Option<u64> {
        match self {
            NoFit::NotPositive { line, .. } | NoFit::Parameter { line, .. } => Some(u64::from(*line)),
            _ => None,
        }
    }

    /// Whether the input or the options are wrong, rather than the model unsuitable.
    pub fn is_input_error(&self) -> bool {
        matches!(self, NoFit::Parameter { .. } | NoFit::Options(_))
    }
}

/// A fitted model of one series.
pub struct Fitted {
    /// Its name in the registry.
    pub model: &'static str,
    /// The model in the formula language.
    pub formula: String,
    /// Growth class.
    pub class: String,
    /// Terms of a sum of products.
    pub terms: Vec<Term>,
    /// Coefficients by name.
    pub coefficients: IndexMap<String, f64>,
    /// Numerical rank of the design.
    pub rank: Option<usize>,
    /// Condition number of the design.
    pub condition: Option<f64>,
    /// Columns left out.
    pub dropped: Vec<DroppedColumn>,
    /// Members of a combined model.
    pub members: Vec<Member>,
    /// Pieces of a segmented model.
    pub segments: Vec<Segment>,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
    /// SMAPE on points left out, where the selection computes one.
    pub validation_smape_pct: Option<f64>,
    /// Parameters that the model does not see, because they follow its axis or vary too little.
    pub unseen: Vec<usize>,
    pub predictor: Box<dyn Predictor>,
}

impl Fitted {
    /// A description with only a formula.
    pub fn new(model: &'static str, formula: String, class: String, predictor: Box<dyn Predictor>) -> Self {
        Fitted {
            model,
            formula,
            class,
            terms: Vec::new(),
            coefficients: IndexMap::new(),
            rank: None,
            condition: None,
            dropped: Vec::new(),
            members: Vec::new(),
            segments: Vec::new(),
            warnings: Vec::new(),
            validation_smape_pct: None,
            unseen: Vec::new(),
            predictor,
        }
    }

    /// Sees the axis of the sample alone.
    #[must_use]
    pub fn along_axis(mut self, sample: &Sample<'_>) -> Self {
        self.unseen = sample.unseen_but_axis();
        self
    }

    /// Names coefficients.
    #[must_use]
    pub fn with_coefficients<'n>(mut self, pairs: impl IntoIterator<Item = (&'n str, f64)>) -> Self {
        self.coefficients = pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        self
    }
}

/// Something that predicts.
pub trait Predictor: Send + Sync {
    /// The answer at a value for each parameter of the series.
    fn predict(&self, at: &[f64]) -> Answer;

    fn value(&self, at: &[f64]) -> f64 {
        self.predict(at).value
    }

    /// The fitted law alone, which [`Fitted::formula`] tells: without what was measured there.
    fn law(&self, at: &[f64]) -> f64 {
        self.value(at)
    }

    /// The form that leads a combined model, which stands for it where people read; else the law.
    fn leader(&self, at: &[f64]) -> f64 {
        self.law(at)
    }
}

/// A predictor's answer for one configuration, before it is judged.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The value in SI units; not finite if there is none.
    pub value: f64,
    /// Its uncertainty.
    pub spread: Spread,
    /// The predictions of the members of a combined model.
    pub members: Vec<MemberValue>,
    /// Whether the members are too far apart to be trusted.
    pub disagree: bool,
    /// The configuration of which a run would tell which of them is right, such as `p = 128`.
    pub decider: Option<String>,
    /// Number of configurations behind this answer, if fewer than the series has (a slice of a grid).
    pub points: Option<usize>,
    /// What the user should know of this prediction.
    pub warnings: Vec<Warning>,
}

/// The uncertainty of a prediction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Spread {
    /// Unknown.
    #[default]
    None,
    /// Student's t on the scale of natural logarithms.
    Parametric {
        /// Standard deviation of the logarithm of a new run.
        sd_ln: f64,
        /// Degrees of freedom.
        freedom: usize,
    },
    /// Scores of the same rule on real runs, as a range around the logarithm of the value.
    Scored {
        /// The unit of the scores.
        scale: f64,
        class: Class,
        /// Whether the value is a rate: the scores are of its reciprocal.
        is_rate: bool,
    },
}
