//! Simulated time: whole ticks, so that sums do not depend on their order.

use runcast_core::Problem;

/// A point of simulated time, or a duration, in ticks.
pub type Tick = u64;

/// How long a tick is.
///
/// A duration is computed in seconds and rounded once to the nearest tick, halves up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TickLength {
    seconds: f64,
    per_second: f64,
}

/// What the default tick reaches: 2^64 ps are 213 days.
pub const PICOSECOND: TickLength = TickLength { seconds: 1e-12, per_second: 1e12 };
/// The tick of GOAL schedules: 2^64 ns are 584 years.
pub const NANOSECOND: TickLength = TickLength { seconds: 1e-9, per_second: 1e9 };

impl TickLength {
    /// A tick of this many seconds.
    ///
    /// # Errors
    /// `bad_tick` unless it is a finite number above 0.
    pub fn new(seconds: f64) -> Result<Self, Problem> {
        if !(seconds.is_finite() && seconds > 0.0 && (1.0 / seconds).is_finite()) {
            return Err(Problem::new("bad_tick", "a tick is a time above 0")
                .at("--tick")
                .value(seconds.to_string())
                .allowed("a time such as \"1ps\" (the default) or \"1ns\""));
        }
        // The nearest power of ten is exact, where a reciprocal would not be.
        let per_second = (1.0 / seconds).round();
        let per_second = if (per_second * seconds - 1.0).abs() < 1e-12 { per_second } else { 1.0 / seconds };
        Ok(TickLength { seconds, per_second })
    }

    pub fn seconds(self) -> f64 {
        self.seconds
    }

    /// A duration in ticks, rounded to the nearest, halves up.
    ///
    /// # Errors
    /// `time_overflow` beyond 2^63 ticks, `bad_time` for what is negative or not a number.
    #[inline]
    pub fn of(self, seconds: f64) -> Result<Tick, Problem> {
        let ticks = seconds * self.per_second + 0.5;
        // 2^63: a sum of two still fits. The conversion cuts off what is behind the point, and needs no call.
        if (0.0..9.223_372_036_854_776e18).contains(&ticks) { Ok(ticks as Tick) } else { Err(self.refuse(seconds)) }
    }

    #[inline]
    pub fn to_seconds(self, ticks: Tick) -> f64 {
        ticks as f64 / self.per_second
    }

    /// A sum of ticks in seconds.
    #[inline]
    pub fn to_seconds_wide(self, ticks: u128) -> f64 {
        ticks as f64 / self.per_second
    }

    /// A point of time later.
    ///
    /// # Errors
    /// `time_overflow`.
    #[inline]
    pub fn add(self, at: Tick, duration: Tick) -> Result<Tick, Problem> {
        at.checked_add(duration).ok_or_else(|| self.overflow())
    }

    /// The error of a time that ticks of this length do not reach.
    #[cold]
    pub fn overflow(self) -> Problem {
        Problem::new("time_overflow", format!("simulated time does not fit into 64 bits of {} s", self.seconds))
            .hint(format!("try a longer tick: --tick {:e}", self.seconds * 1e3))
    }

    #[cold]
    fn refuse(self, seconds: f64) -> Problem {
        if seconds.is_nan() || seconds < 0.0 {
            Problem::new("bad_time", "a duration is negative or not a number").value(seconds.to_string())
        } else {
            self.overflow().value(format!("{seconds} s"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_up_and_ends_are_told() {
        let tick = TickLength::new(1e-9).expect("a tick");
        assert_eq!(tick, NANOSECOND);
        assert_eq!(tick.of(2.5e-9).expect("fits"), 3);
        assert_eq!(tick.of(2.4e-9).expect("fits"), 2);
        assert_eq!(tick.of(1e12).expect_err("32,000 years").code, "time_overflow");
        assert_eq!(tick.of(f64::NAN).expect_err("no number").code, "bad_time");
        assert_eq!(tick.of(-1.0).expect_err("negative").code, "bad_time");
    }
}
