//! The scale of a prediction: how far a run is expected from it.

/// A median of many runs is not better known than one of so many: they share what differs between days.
const MOST_RUNS: f64 = 5.0;

/// What contributes to the uncertainty of a prediction, all as standard deviations of its logarithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Parts {
    /// From the uncertainty of the parameters.
    pub parameter: f64,
    /// Over the hypotheses that remain possible, weighted.
    pub form: f64,
    /// Of one run, see [`noise`].
    pub noise: f64,
    /// Error per unit of distance, from the method's own forward folds: the root of [`fold_square`](super::fold_square).
    pub fold: f64,
    /// What every prediction of the class misses.
    pub floor: f64,
    /// What it misses in addition for each unit of `h`.
    pub rate: f64,
    /// The logarithm of the distance from the data: 0 within.
    pub h: f64,
}

/// The unit in which the errors of a prediction are scored.
pub type Scale = f64;

impl Parts {
    /// The scale, with a gain `g`: how much larger the errors of a method are than those of its class.
    ///
    /// ```text
    /// s = g (sqrt(parameter^2 + form^2 + noise^2 + fold^2 h) + floor + rate h)
    /// ```
    ///
    /// # Examples
    /// ```
    /// use runcast_core::ranges::Parts;
    /// let parts =
    ///     Parts { parameter: 0.03, form: 0.05, noise: 0.02, floor: 0.02, rate: 0.15, h: 8f64.ln(), ..Parts::default() };
    /// assert!((parts.scale(1.0) - 0.393560).abs() < 5e-7);
    /// ```
    pub fn scale(&self, gain: f64) -> Scale {
        let h = self.h.max(0.0);
        let squares = self.parameter.powi(2) + self.form.powi(2) + self.noise.powi(2) + self.fold.powi(2) * h;
        gain * (squares.sqrt() + self.floor + self.rate * h)
    }
}

/// The scatter of the runs of a configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Standard deviation of the logarithm of one run.
    pub sd: f64,
    /// Repetitions beyond the first of each configuration.
    pub degrees_of_freedom: usize,
}

impl Noise {
    /// That of the median of so many runs.
    pub fn of_median(self, runs: usize) -> f64 {
        self.sd * (1.0 / (runs.max(1) as f64).min(MOST_RUNS)).sqrt()
    }
}

/// The noise of repetitions, pooled over configurations: `sqrt(sum sum_r (ln y_r - mean)^2 / sum (n_c - 1))`. None
/// without repetitions; a value that is not positive is left out.
///
/// # Examples
/// ```
/// use runcast_core::ranges::noise;
/// let found = noise([&[10.0, 10.2, 10.6][..], &[5.0, 5.1], &[2.6]]).expect("repetitions");
/// assert!((found.sd - 0.0255066).abs() < 5e-8);
/// assert_eq!(found.degrees_of_freedom, 3);
/// ```
pub fn noise<'v>(configurations: impl IntoIterator<Item = &'v [f64]>) -> Option<Noise> {
    let (mut squares, mut degrees_of_freedom) = (0.0, 0usize);
    for runs in configurations {
        let logs: Vec<f64> = runs.iter().filter(|run| **run > 0.0 && run.is_finite()).map(|run| run.ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        squares += logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
        degrees_of_freedom += logs.len().saturating_sub(1);
    }
    (degrees_of_freedom > 0).then(|| Noise { sd: (squares / degrees_of_freedom as f64).sqrt(), degrees_of_freedom })
}
