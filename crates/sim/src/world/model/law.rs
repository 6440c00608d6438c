//! Laws of the time of a block by its size, from which a calibration chooses.
//!
//! ```text
//! rule        the user's own                      affine     max(c0 + c1*size, 0)
//! roofline    c * the default law of the block    power      c*(size/reference)^exponent
//! linear      c*size                              quadratic  c*size^2
//! nlogn       c*size*log2(size)
//! ```

/// A law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Law {
    /// The user's rule.
    Rule,
    /// The longer of computing and moving, times a factor.
    Roofline,
    Linear,
    Nlogn,
    Affine,
    Power,
    Quadratic,
}

/// A coefficient of a law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// Behind the type of the block in its name.
    pub suffix: &'static str,
    /// Seconds, or a plain number.
    pub unit: &'static str,
    /// Where a search begins.
    pub start: Start,
    /// Its bounds.
    pub low: f64,
    pub high: f64,
}

/// Where the search for a coefficient of a law begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// The time of a block over the [`Law::basis`] of its size.
    OfBasis,
    /// So many times the time of a block.
    OfBlock(f64),
    /// This number.
    At(f64),
}

impl Law {
    /// All, in the order in which the first that is good enough is taken.
    pub const ALL: [Law; 7] =
        [Law::Rule, Law::Roofline, Law::Linear, Law::Nlogn, Law::Affine, Law::Power, Law::Quadratic];

    pub fn word(self) -> &'static str {
        match self {
            Law::Rule => "rule",
            Law::Roofline => "roofline",
            Law::Linear => "linear",
            Law::Nlogn => "nlogn",
            Law::Affine => "affine",
            Law::Power => "power",
            Law::Quadratic => "quadratic",
        }
    }

    /// Its coefficients; those of the user's rule are the rule's.
    pub fn parts(self) -> Vec<Part> {
        let time = |suffix| Part { suffix, unit: "s", start: Start::OfBasis, low: 0.0, high: f64::INFINITY };
        match self {
            Law::Rule => Vec::new(),
            Law::Roofline => {
                vec![Part { suffix: "roofline", unit: "", start: Start::At(1.0), low: 0.0, high: f64::INFINITY }]
            }
            Law::Linear => vec![time("linear")],
            Law::Nlogn => vec![time("nlogn")],
            // An intercept of either sign, beside most of the time.
            Law::Affine => {
                let start = Start::OfBlock(1e-3);
                vec![Part { start, low: f64::NEG_INFINITY, ..time("affine_0") }, time("affine_1")]
            }
            Law::Power => {
                let exponent = Part { suffix: "exponent", unit: "", start: Start::At(1.0), low: 0.0, high: 10.0 };
                vec![time("power"), exponent]
            }
            Law::Quadratic => vec![time("quadratic")],
        }
    }

    /// The formula with these coefficients, in the order of [`Law::parts`]; none: the user's rule.
    pub fn formula(self, names: &[String], reference: f64) -> Option<String> {
        let name = |index: usize| format!("c.{}", names.get(index).map_or("", String::as_str));
        match self {
            Law::Rule => None,
            Law::Roofline => Some(super::file::ROOFLINE.to_owned()),
            Law::Linear => Some(format!("{}*size", name(0))),
            Law::Nlogn => Some(format!("{}*size*log2(size)", name(0))),
            Law::Affine => Some(format!("max({} + {}*size, 0)", name(0), name(1))),
            Law::Power => Some(format!("{}*(size/{reference:e})^{}", name(0), name(1))),
            Law::Quadratic => Some(format!("{}*size^2", name(0))),
        }
    }

    /// What its coefficient of time is multiplied with.
    pub fn basis(self, size: f64, reference: f64) -> f64 {
        match self {
            Law::Rule | Law::Roofline => 1.0,
            Law::Linear | Law::Affine => size,
            Law::Nlogn => size * size.max(2.0).log2(),
            Law::Power => size / reference,
            Law::Quadratic => size * size,
        }
    }

    /// Whether its coefficients are found from logarithms: the straight line of a plot with two logarithmic axes.
    pub fn in_logs(self) -> bool {
        self == Law::Power
    }

    /// Whether it is a law in the size of a block.
    pub fn is_of_size(self) -> bool {
        !matches!(self, Law::Rule | Law::Roofline)
    }
}
