//! How far simulated values are from real ones (\[M\], section 4).
//!
//! ```text
//! d_i = |r_i - s_i|/r_i * 100 %      d_max = max d_i      d_avg = mean d_i
//! ```
//!
//! r is the real value of a configuration, its repetitions reduced to one first; s the simulated one.

/// Errors over configurations, in percent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Deviation {
    pub rows: usize,
    pub d_avg_pct: f64,
    pub d_max_pct: f64,
}

/// The error of one configuration, in percent; none: the real value is 0, or one of them is not a number.
///
/// ```
/// # use runcast_sim::errors::deviation_pct;
/// assert_eq!(deviation_pct(200.0, 190.0), Some(5.0));
/// assert_eq!(deviation_pct(0.0, 1.0), None);
/// ```
pub fn deviation_pct(real: f64, simulated: f64) -> Option<f64> {
    let share = (real - simulated).abs() / real.abs();
    share.is_finite().then_some(share * 100.0)
}

impl Deviation {
    /// Of pairs of a real and a simulated value; those without an error are left out. None: there is none left.
    ///
    /// ```
    /// # use runcast_sim::errors::Deviation;
    /// let seen = Deviation::of([(100.0, 101.0), (10.0, 9.5), (50.0, 50.0)]).expect("three rows");
    /// assert_eq!((seen.rows, seen.d_avg_pct, seen.d_max_pct), (3, 2.0, 5.0));
    /// ```
    pub fn of(pairs: impl IntoIterator<Item = (f64, f64)>) -> Option<Deviation> {
        let mut all = Deviation::default();
        for deviation in pairs.into_iter().filter_map(|(real, simulated)| deviation_pct(real, simulated)) {
            all.rows += 1;
            all.d_avg_pct += deviation;
            all.d_max_pct = all.d_max_pct.max(deviation);
        }
        all.d_avg_pct /= all.rows as f64;
        (all.rows > 0).then_some(all)
    }
}
