//! The settings of a fit.

use runcast_formula::Formula;
use runcast_formula::template::Template;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What is fitted, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The formula whose constants are wanted.
    #[serde(with = "template_text")]
    pub template: Template,
    /// Expressions along which the constants may change.
    #[serde(default, with = "formula_texts")]
    pub segmentation: Vec<Formula>,
    /// Whether every parameter, and every product and ratio of two, is such an expression.
    #[serde(default)]
    pub segmentation_auto: bool,
    /// How pieces are searched for; chosen by the number of expressions, and among pieces and regimes, if not given.
    #[serde(default)]
    pub method: Option<Method>,
    /// Which signs constants may have.
    #[serde(default)]
    pub signs: Signs,
    /// What a residual is divided by.
    #[serde(default)]
    pub weights: Weights,
    /// How repetitions become one number.
    #[serde(default)]
    pub aggregate: SampleAggregate,
    /// Probability of the intervals.
    pub level: f64,
    /// Seed of the bootstrap.
    #[serde(default)]
    pub seed: u64,
    /// Whether there are intervals at all.
    pub bootstrap: bool,
    /// Whether regimes are considered where no method is given; models saved before there were any do not.
    #[serde(default)]
    pub considers_regimes: bool,
}

impl Settings {
    /// The default settings: no pieces, automatic signs, medians, 90 % intervals.
    pub fn new(template: Template) -> Self {
        Settings {
            template,
            segmentation: Vec::new(),
            segmentation_auto: false,
            method: None,
            signs: Signs::Auto,
            weights: Weights::Relative,
            aggregate: SampleAggregate::Median,
            level: 0.9,
            seed: 0,
            bootstrap: true,
            considers_regimes: true,
        }
    }
}

/// How pieces are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// One set of constants.
    Single,
    /// All constants change at the same values of one expression.
    Segments,
    /// Each constant has steps of its own, along several expressions.
    Steps,
    /// All constants change gradually along one expression.
    Regimes,
}

impl Method {
    /// Every method, in the order of the documentation.
    pub const ALL: [Method; 4] = [Method::Regimes, Method::Segments, Method::Steps, Method::Single];

    /// Its name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Method::Single => "single",
            Method::Segments => "segments",
            Method::Steps => "steps",
            Method::Regimes => "regimes",
        }
    }
}

/// Which signs constants may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Signs {
    /// Only that of a constant term may be negative: past the size of a cache the intercept of a piece really is.
    #[default]
    Auto,
    NonNeg,
    /// Any.
    Free,
}

impl Signs {
    /// Every rule.
    pub const ALL: [Signs; 3] = [Signs::Auto, Signs::NonNeg, Signs::Free];

    /// Its name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Signs::Auto => "auto",
            Signs::NonNeg => "nonneg",
            Signs::Free => "free",
        }
    }
}

/// What a residual is divided by before it is squared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Weights {
    /// The measured value: an error of 1 % counts the same at every size.
    #[default]
    Relative,
    /// The mean of all measured values: large values dominate.
    None,
    /// The geometric mean of these two: the square root of the measured value.
    Sqrt,
}

impl Weights {
    /// Every rule.
    pub const ALL: [Weights; 3] = [Weights::Relative, Weights::None, Weights::Sqrt];

    /// Its name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Weights::Relative => "relative",
            Weights::None => "none",
            Weights::Sqrt => "sqrt",
        }
    }
}

/// How repetitions become one number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SampleAggregate {
    #[default]
    Median,
    /// The first quartile.
    Q25,
    Min,
    Max,
    Mean,
}

impl SampleAggregate {
    /// Every rule.
    pub const ALL: [SampleAggregate; 5] = [
        SampleAggregate::Median,
        SampleAggregate::Q25,
        SampleAggregate::Min,
        SampleAggregate::Max,
        SampleAggregate::Mean,
    ];

    /// Its name in commands.
    pub fn name(self) -> &'static str {
        match self {
            SampleAggregate::Median => "median",
            SampleAggregate::Q25 => "q25",
            SampleAggregate::Min => "min",
            SampleAggregate::Max => "max",
            SampleAggregate::Mean => "mean",
        }
    }
}

mod template_text {
    use super::{Deserialize, Deserializer, Serializer, Template};
    use serde::de::Error as _;

    pub(super) fn serialize<S: Serializer>(template: &Template, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(template)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Template, D::Error> {
        Template::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Formulas as their texts.
mod formula_texts {
    use super::{Deserialize, Deserializer, Formula, Serializer};
    use serde::de::Error as _;

    pub(super) fn serialize<S: Serializer>(formulas: &[Formula], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(formulas.iter().map(Formula::text))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Formula>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        texts.iter().map(|text| Formula::parse(text).map_err(D::Error::custom)).collect()
    }
}
