//! What is kept of a stream that is too irregular to be kept whole.

/// How many of the most frequent values are kept.
const COMMON: usize = 16;

/// Number, range, sum and the most frequent values of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Sketch {
    /// How many values there were.
    pub count: u64,
    /// The least.
    pub least: i64,
    /// The greatest.
    pub greatest: i64,
    /// Their sum; it stays at the ends of 64 bits.
    pub sum: i64,
    /// The most frequent values with their numbers, in order of first appearance.
    ///
    /// A value that is new when all places are taken gets the place of the rarest and its number, plus one: numbers may
    /// be too high, never too low (A. Metwally, D. Agrawal, A. El Abbadi, *Efficient Computation of Frequent and Top-k
    /// Elements in Data Streams*, ICDT 2005).
    pub common: Vec<(i64, u64)>,
}

impl Sketch {
    /// The sketch of these values.
    pub fn of(values: impl Iterator<Item = i64>) -> Self {
        let mut sketch = Sketch::default();
        values.for_each(|value| sketch.push(value));
        sketch
    }

    /// Takes a value in.
    pub fn push(&mut self, value: i64) {
        self.stretch(value, value);
        self.count = self.count.saturating_add(1);
        self.sum = self.sum.saturating_add(value);
        self.add(value, 1);
    }

    /// Takes the values of another sketch in.
    pub fn merge(&mut self, other: &Sketch) {
        if other.count == 0 {
            return;
        }
        self.stretch(other.least, other.greatest);
        self.count = self.count.saturating_add(other.count);
        self.sum = self.sum.saturating_add(other.sum);
        other.common.iter().for_each(|(value, times)| self.add(*value, *times));
    }

    fn stretch(&mut self, least: i64, greatest: i64) {
        let is_first = self.count == 0;
        self.least = if is_first { least } else { self.least.min(least) };
        self.greatest = if is_first { greatest } else { self.greatest.max(greatest) };
    }

    fn add(&mut self, value: i64, times: u64) {
        if let Some((_, seen)) = self.common.iter_mut().find(|(common, _)| *common == value) {
            *seen = seen.saturating_add(times);
        } else if self.common.len() < COMMON {
            self.common.push((value, times));
        } else if let Some(rarest) = self.common.iter_mut().min_by_key(|(_, seen)| *seen) {
            *rarest = (value, rarest.1.saturating_add(times));
        }
    }
}
