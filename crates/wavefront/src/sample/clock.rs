//! Clocks of different hosts, brought together by ping-pongs.
//!
//! A message goes from the reference to another process and comes back: sent at s, stamped there at m (on the other
//! clock), back at b. Whatever the two ways take, the other clock showed m somewhere between s and b:
//!
//! ```text
//! offset = m - (s + b)/2        within +- (b - s)/2
//! ```
//!
//! The fastest of many ping-pongs leaves the least room. Two such offsets, before and after the measuring, make a line:
//! clocks of ordinary machines drift by some microseconds per second.

/// A message there and back; each time on the clock of the process where it was taken \[s\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PingPong {
    /// When it left the reference.
    pub sent_s: f64,
    /// When it reached the other.
    pub remote_s: f64,
    /// When it was back.
    pub back_s: f64,
}

/// The offset of another clock from the reference at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offset {
    /// The moment, on the other clock \[s\].
    pub remote_s: f64,
    /// The other clock less the reference \[s\].
    pub offset_s: f64,
    /// The offset is within this of the truth \[s\].
    pub half_width_s: f64,
}

/// The clock of a process against the reference, over the time of measuring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    pub begin: Offset,
    pub end: Offset,
}

/// The offset by the fastest of some ping-pongs; none if there are none.
pub fn fastest(pings: &[PingPong]) -> Option<Offset> {
    let round_s = |ping: &PingPong| ping.back_s - ping.sent_s;
    let best = pings.iter().min_by(|a, b| round_s(a).total_cmp(&round_s(b)))?;
    Some(Offset {
        remote_s: best.remote_s,
        offset_s: best.remote_s - 0.5 * (best.sent_s + best.back_s),
        half_width_s: 0.5 * round_s(best).max(0.0),
    })
}

impl Clock {
    pub fn reference() -> Clock {
        let same = Offset { remote_s: 0.0, offset_s: 0.0, half_width_s: 0.0 };
        Clock { begin: same, end: same }
    }

    /// A moment of this clock on that of the reference \[s\].
    pub fn to_reference(&self, remote_s: f64) -> f64 {
        remote_s - self.begin.offset_s - self.drift() * (remote_s - self.begin.remote_s)
    }

    /// By how much the offset grows in a second of this clock.
    pub fn drift(&self) -> f64 {
        let between_s = self.end.remote_s - self.begin.remote_s;
        if between_s > 0.0 { (self.end.offset_s - self.begin.offset_s) / between_s } else { 0.0 }
    }

    /// Moments are within this of the truth \[s\]: between the two ends the line is no further off than at them, as
    /// long as the drift stays what it is.
    pub fn half_width_s(&self) -> f64 {
        self.begin.half_width_s.max(self.end.half_width_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that shows `shift + (1 + drift) t` at the time t of the reference, asked at t over ways of given times.
    fn ping(shift: f64, drift: f64, sent_s: f64, there_s: f64, back_s: f64) -> PingPong {
        let remote_s = shift + (1.0 + drift) * (sent_s + there_s);
        PingPong { sent_s, remote_s, back_s: sent_s + there_s + back_s }
    }

    #[test]
    fn the_truth_lies_within_the_half_width_however_lopsided_the_ways() {
        let (shift, drift) = (-1234.5, 3e-6);
        let round = |at: f64| {
            let ways = [(9e-6, 2e-6), (1e-6, 3e-6), (4e-6, 0.5e-6), (1e-3, 1e-3)];
            let pings: Vec<PingPong> = ways.map(|(there, back)| ping(shift, drift, at, there, back)).to_vec();
            fastest(&pings).expect("some")
        };
        let clock = Clock { begin: round(0.0), end: round(100.0) };
        assert!((clock.half_width_s() - 2e-6).abs() < 1e-9, "{clock:?}");
        assert!((clock.drift() - drift).abs() < 1e-9);
        for at in [0.0, 10.0, 55.5, 99.0] {
            let shown = shift + (1.0 + drift) * at;
            assert!((clock.to_reference(shown) - at).abs() <= clock.half_width_s() + 1e-9);
        }
    }

    #[test]
    fn the_reference_is_right() {
        assert_eq!(Clock::reference().to_reference(12.5), 12.5);
        assert_eq!(fastest(&[]), None);
    }
}
