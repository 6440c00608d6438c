//! Costs whose inputs may be uncertain.

use super::algorithm::{Counts, Machine};
use super::costs::{Costs, Times};
use super::draws::Draws;
use super::error::CostError;
use super::uncertain::Uncertain;

/// Costs whose inputs may be uncertain: the median, and its interval.
///
/// # Examples
/// ```
/// use runcast_bsf::cost::{CostError, CostModel, Machine, Source, Uncertain, algorithm};
/// let machine = Machine {
///     latency_s: Uncertain::new(15e-6, 10e-6, 20e-6)?,
///     overhead_s: None,
///     op_time_s: Uncertain::new(29e-9, 24e-9, 35e-9)?,
///     transfer_time_s: Uncertain::new(190e-9, 150e-9, 240e-9)?,
/// };
/// let model = CostModel::new(Source::Counts(algorithm::jacobi(1500)?, machine), 0.9)?;
/// let (low, high) = model.k_max_bounds().expect("uncertain");
/// assert!((low / 11.6481 - 1.0).abs() < 1e-5 && (high / 17.3619 - 1.0).abs() < 1e-5);
/// let interval = model.draws(10_000, 0).and_then(|draws| draws.k_max(0.9)).expect("uncertain");
/// assert!((interval.low - 12.41).abs() < 0.15 && (interval.high - 16.30).abs() < 0.15);
/// # Ok::<(), CostError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostModel {
    source: Source,
    input_level: f64,
    costs: Costs,
}

/// The source of costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source {
    /// Counts of operations and numbers, and the speed of a machine.
    Counts(Counts, Machine<Uncertain>),
    Times(Times<Uncertain>),
}

impl CostModel {
    /// Checks the inputs; the bounds of uncertain ones are those of an interval of `input_level`.
    ///
    /// # Errors
    /// [`CostError`] names the first input whose value is not allowed.
    pub fn new(source: Source, input_level: f64) -> Result<Self, CostError> {
        if !(input_level > 0.0 && input_level < 1.0) {
            return Err(CostError::Level { level: input_level });
        }
        source.check()?;
        let costs = Costs::new(source.times(|uncertain| uncertain.value))?;
        Ok(CostModel { source, input_level, costs })
    }

    /// The costs with every input at its median.
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    /// The source of the costs.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The level of the intervals of the inputs.
    pub fn input_level(&self) -> f64 {
        self.input_level
    }

    /// Whether an input is uncertain.
    pub fn is_uncertain(&self) -> bool {
        self.uncertain_inputs() > 0
    }

    /// The range of the scalability boundary with every input anywhere in its interval; none if no input is uncertain,
    /// or if there is no boundary.
    ///
    /// The boundary is monotone in each input, so that its extremes lie at corners.
    pub fn k_max_bounds(&self) -> Option<(f64, f64)> {
        let corners = 1u32 << self.uncertain_inputs();
        let values = (0..corners).map(|corner| self.corner(corner).k_max());
        let values = values.collect::<Option<Vec<f64>>>().filter(|_| corners > 1)?;
        let ends = |(low, high): (f64, f64), &value: &f64| (low.min(value), high.max(value));
        Some(values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends))
    }

    /// `count` draws of the inputs; none if no input is uncertain. The same seed gives the same draws.
    pub fn draws(&self, count: usize, seed: u64) -> Option<Draws> {
        self.is_uncertain().then(|| Draws::of(self, count, seed))
    }

    /// The costs with the inputs chosen by `pick`, in a fixed order. The overhead is never more than the latency.
    pub(super) fn costs_by(&self, pick: impl FnMut(&Uncertain) -> f64) -> Costs {
        let mut times = self.source.times(pick);
        times.overhead_s = times.overhead_s.map(|overhead_s| overhead_s.min(times.latency_s));
        Costs::unchecked(&times)
    }

    /// Uncertain input number i is high where bit i of `corner` is set.
    fn corner(&self, corner: u32) -> Costs {
        let mut left = corner;
        self.costs_by(|uncertain| {
            if uncertain.is_exact() {
                return uncertain.value;
            }
            let is_high = left & 1 == 1;
            left >>= 1;
            if is_high { uncertain.high } else { uncertain.low }
        })
    }

    fn uncertain_inputs(&self) -> u32 {
        let mut count = 0;
        self.source.times(|uncertain| {
            count += u32::from(!uncertain.is_exact());
            uncertain.value
        });
        count
    }
}

impl Source {
    fn check(&self) -> Result<(), CostError> {
        match self {
            Source::Counts(counts, machine) => {
                counts.check()?;
                machine.map(|uncertain| uncertain.value).check()
            }
            Source::Times(_) => Ok(()),
        }
    }

    fn times(&self, pick: impl FnMut(&Uncertain) -> f64) -> Times {
        match self {
            Source::Counts(counts, machine) => counts.times(&machine.map(pick)),
            Source::Times(times) => times.map(pick),
        }
    }
}

impl From<Costs> for Source {
    /// Costs without uncertainty.
    fn from(costs: Costs) -> Self {
        Source::Times(costs.times().map(|&seconds| Uncertain::exact(seconds)))
    }
}
