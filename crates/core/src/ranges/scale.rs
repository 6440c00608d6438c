//! The scale of a prediction: how far a run is expected from it.

/// What contributes to the uncertainty of a prediction, all as standard deviations of its logarithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Parts {
    /// From the uncertainty of the parameters.
    pub parameter: f64,
    /// Over the hypotheses that remain possible, weighted.
    pub form: f64,
    /// Of one run.
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
