//! How a factor of efficiency goes on at more processes.
//!
//! ```text
//! constant  y = a
//! amdahl    y = x0 / (f + (1-f) p)                  f in [0, 1], x0 in [0, 2]
//! pipe      y = x0 p / ((1-f) + f (2p - 1))         f in [1/2, 1], x0 in [0, 2]
//! ```
//!
//! Least squares on `y`. The form is chosen by its error at the largest p when it is fitted to the others; within 1 %
//! the simpler stands. Source: C. Rosas, J. Giménez, J. Labarta, *Scalability prediction for fundamental performance
//! factors*, Supercomputing Frontiers and Innovations 1(2), 2014.

/// A form of a trend, the simplest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// It stays as it is.
    Constant,
    /// A part of the work does not take part.
    Amdahl,
    /// Stages of a pipeline fill and drain.
    Pipe,
}

runcast_core::words!(Form::word: Constant = "constant", Amdahl = "amdahl", Pipe = "pipe");

/// A fitted trend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Its form.
    pub form: Form,
    /// `a` or `x0`.
    pub scale: f64,
    /// `f`; 1 of a constant.
    pub fraction: f64,
    /// Standard error of the fit, of `y`.
    pub residual: f64,
    /// Whether there were enough points to choose a form.
    pub is_chosen: bool,
}

/// A forecast of a factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// Value, in [0, 1] unless the factor may exceed 1.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

const FORMS: [Form; 3] = [Form::Constant, Form::Amdahl, Form::Pipe];

/// Errors closer than this are equal: the simpler form stands.
const CLOSE: f64 = 0.01;

impl Form {
    /// `y / x0`.
    fn shape(self, fraction: f64, p: f64) -> f64 {
        match self {
            Form::Constant => 1.0,
            Form::Amdahl => 1.0 / (fraction + (1.0 - fraction) * p),
            Form::Pipe => p / ((1.0 - fraction) + fraction * (2.0 * p - 1.0)),
        }
    }

    /// The least fraction; the greatest is 1.
    fn least(self) -> f64 {
        if self == Form::Pipe { 0.5 } else { 0.0 }
    }

    /// The best fit of this form.
    ///
    /// For a given fraction the scale is linear. The fraction is searched for on a grid that is dense near 1, where
    /// well-behaved programs are, and then by golden sections.
    pub fn fit(self, points: &[(f64, f64)]) -> Trend {
        let error = |distance: f64| squares(self, 1.0 - distance, points);
        let grid = || {
            let most = 1.0 - self.least();
            std::iter::once(0.0).chain((0..=480).map(move |step| most * 10_f64.powf(-f64::from(step) / 40.0))).rev()
        };
        let places: Vec<f64> = grid().collect();
        let best = (0..places.len()).min_by(|a, b| error(places[*a]).total_cmp(&error(places[*b]))).unwrap_or(0);
        let (before, after) = (places[best.saturating_sub(1)], places[(best + 1).min(places.len() - 1)]);
        let (low, high) = (before.min(after), before.max(after));
        let found = golden(low, high, error);
        let distance = if error(found) < error(places[best]) { found } else { places[best] };
        let fraction = if self == Form::Constant { 1.0 } else { 1.0 - distance };
        let free = points.len().saturating_sub(if self == Form::Constant { 1 } else { 2 }).max(1);
        let residual = (squares(self, fraction, points) / free as f64).sqrt();
        Trend { form: self, scale: scale(self, fraction, points), fraction, residual, is_chosen: true }
    }
}

fn golden(mut low: f64, mut high: f64, error: impl Fn(f64) -> f64) -> f64 {
    const SECTION: f64 = 0.618_033_988_749_894_9;
    for _ in 0..100 {
        let (left, right) = (high - SECTION * (high - low), low + SECTION * (high - low));
        if error(left) <= error(right) {
            high = right;
        } else {
            low = left;
        }
    }
    f64::midpoint(low, high)
}

fn scale(form: Form, fraction: f64, points: &[(f64, f64)]) -> f64 {
    let shapes = points.iter().map(|(p, y)| (form.shape(fraction, *p), *y));
    let (above, below) =
        shapes.fold((0.0, 0.0), |(above, below), (shape, y)| (above + shape * y, below + shape * shape));
    if below > 0.0 { (above / below).clamp(0.0, 2.0) } else { 0.0 }
}

fn squares(form: Form, fraction: f64, points: &[(f64, f64)]) -> f64 {
    let scale = scale(form, fraction, points);
    points.iter().map(|(p, y)| (y - scale * form.shape(fraction, *p)).powi(2)).sum()
}

impl Trend {
    /// The trend through points (p, y), ascending in p.
    pub fn through(points: &[(f64, f64)]) -> Trend {
        let Some((last, others)) = points.split_last().filter(|_| points.len() >= 3) else {
            return Trend { is_chosen: false, ..Form::Constant.fit(points) };
        };
        let error = |form: Form| (form.fit(others).at(last.0) - last.1).abs() / last.1.abs().max(f64::MIN_POSITIVE);
        let errors = FORMS.map(error);
        let best = errors.into_iter().fold(f64::INFINITY, f64::min);
        let chosen = FORMS.into_iter().zip(errors).find(|(_, error)| *error <= best + CLOSE);
        chosen.map_or(Form::Constant, |(form, _)| form).fit(points)
    }

    /// The value at p.
    pub fn at(&self, p: f64) -> f64 {
        self.scale * self.form.shape(self.fraction, p)
    }

    /// The value at p with a range: the standard error of the fit, and half of what the other forms differ by.
    pub fn forecast(&self, points: &[(f64, f64)], p: f64, quantile: f64, most: f64) -> Forecast {
        let value = self.at(p).clamp(0.0, most);
        let differs = |form: &Form| (form.fit(points).at(p) - value).abs();
        let others = FORMS.iter().filter(|form| points.len() >= 3 || **form == Form::Constant).map(differs);
        let spread = quantile * self.residual.hypot(others.fold(0.0, f64::max) / 2.0);
        Forecast { value, low: (value - spread).max(0.0), high: (value + spread).min(most) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [(f64, f64); 4] = [(8.0, 0.98), (16.0, 0.96), (32.0, 0.925), (64.0, 0.86)];

    #[test]
    fn forms_fit_as_an_independent_program_fits_them() {
        let amdahl = Form::Amdahl.fit(&POINTS);
        assert!((amdahl.scale - 0.997_031).abs() < 2e-6, "{amdahl:?}");
        assert!((amdahl.fraction - 0.997_473).abs() < 2e-6, "{amdahl:?}");
        assert!((amdahl.at(512.0) - 0.435_116).abs() < 2e-6, "{amdahl:?}");
        let at_64 = |form: Form| form.fit(&POINTS[..3]).at(64.0);
        for (form, expected) in [(Form::Amdahl, 0.860_560), (Form::Pipe, 0.927_081), (Form::Constant, 0.955)] {
            assert!((at_64(form) - expected).abs() < 2e-6, "{form:?}: {}", at_64(form));
        }
        assert_eq!(Trend::through(&POINTS).form, Form::Amdahl);
    }

    #[test]
    fn the_simplest_form_stands_where_it_is_as_good() {
        let even = [(8.0, 0.9), (16.0, 0.9), (32.0, 0.9)];
        let trend = Trend::through(&even);
        assert_eq!(trend.form, Form::Constant);
        let forecast = trend.forecast(&even, 512.0, 1.645, 1.0);
        assert!((forecast.value - 0.9).abs() < 1e-12 && forecast.low <= forecast.value && forecast.high <= 1.0);
        assert!(!Trend::through(&even[..2]).is_chosen);
    }

    #[test]
    fn ranges_hold_the_value_and_widen_with_distance() {
        let trend = Trend::through(&POINTS);
        let near = trend.forecast(&POINTS, 128.0, 1.645, 1.0);
        let far = trend.forecast(&POINTS, 1_024.0, 1.645, 1.0);
        assert!(near.low < near.value && near.value < near.high);
        assert!((far.high - far.low) / far.value > (near.high - near.low) / near.value);
    }
}
