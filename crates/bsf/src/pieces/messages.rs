//! Times of messages by their size.

/// Times of messages, measured at some sizes (knots), which protocols divide.
///
/// ```text
/// m(b), u(b)   linear between neighboring knots of one protocol, constant below the first, the last slope beyond;
///              between a switch and the next knot the line of the next protocol; never across a switch
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Messages {
    /// Sizes \[bytes\], ascending.
    pub size_bytes: Vec<f64>,
    /// Times one way \[s\].
    pub time_s: Vec<f64>,
    /// How long a message occupies its sender, or its receiver \[s\].
    pub busy_s: Vec<f64>,
    /// The last size of each protocol but the last; each is a knot.
    pub switches: Vec<f64>,
}

impl Messages {
    /// One size, measured once: a time that does not change with the size.
    pub fn constant(size_bytes: f64, time_s: f64) -> Messages {
        let one = |value: f64| vec![value];
        Messages { size_bytes: one(size_bytes), time_s: one(time_s), busy_s: one(time_s), switches: Vec::new() }
    }

    /// `m(b)`: the time of a message of so many bytes \[s\].
    pub fn time_s(&self, bytes: f64) -> f64 {
        self.at(&self.time_s, bytes)
    }

    /// `u(b)`: how long it occupies its sender \[s\].
    pub fn busy_s(&self, bytes: f64) -> f64 {
        self.at(&self.busy_s, bytes)
    }

    fn at(&self, values: &[f64], bytes: f64) -> f64 {
        let (from, to) = self.protocol(bytes);
        let (sizes, values) = (&self.size_bytes[from..to], &values[from..to]);
        let is_least = from == 0 && sizes.first().is_some_and(|least| bytes <= *least);
        if is_least || sizes.len() < 2 {
            return values.first().copied().unwrap_or(f64::NAN);
        }
        let right = sizes.partition_point(|size| *size < bytes).clamp(1, sizes.len() - 1);
        let slope = (values[right] - values[right - 1]) / (sizes[right] - sizes[right - 1]);
        (values[right - 1] + slope * (bytes - sizes[right - 1])).max(0.0)
    }

    /// The knots of the protocol that a message of this size is sent by.
    fn protocol(&self, bytes: f64) -> (usize, usize) {
        let passed = self.switches.partition_point(|last| *last < bytes);
        let after = |last: f64| self.size_bytes.partition_point(|size| *size <= last);
        let from = passed.checked_sub(1).map_or(0, |index| after(self.switches[index]));
        let to = self.switches.get(passed).map_or(self.size_bytes.len(), |last| after(*last));
        // A switch at the last knot: nothing is known of the protocol beyond, so the last one stands for it.
        if from < to { (from, to) } else { (from.saturating_sub(1), from) }
    }
}
