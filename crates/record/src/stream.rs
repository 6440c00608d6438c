//! Streams: integers in order, in few terms.
//!
//! A term is a base with a nest of up to three (count, stride), the inner first, or a repeat of several terms.
//! `0 0 0 1 1 1` is one term, `{3 x 0}{2 x 1}`. A stream that needs more than [`MOST_TERMS`] is kept as a [`Sketch`].

mod code;
mod sketch;
mod values;

pub(crate) use code::{get_stream, put_stream};
pub use sketch::Sketch;
pub use values::Values;

/// Longer streams are kept as sketches.
pub const MOST_TERMS: usize = 4_096;

/// The longest repeat that is looked for, in terms.
const WIDEST: usize = 32;

/// One level of a nest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Level {
    /// How often, at least 1.
    pub count: u64,
    /// By how much the value grows each time.
    pub stride: i64,
}

/// A base and up to three levels, the inner first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nest {
    /// The first value.
    pub base: i64,
    depth: u8,
    levels: [Level; 3],
}

/// A part of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    /// An arithmetic pattern.
    Nest(Nest),
    /// Several terms, again and again.
    Repeat {
        /// How often, at least 1.
        count: u64,
        /// What is repeated.
        body: Vec<Term>,
    },
}

/// Integers in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Stream {
    /// All of them, exactly.
    Exact(Vec<Term>),
    /// Too irregular to be kept.
    Sketch(Box<Sketch>),
}

impl Default for Stream {
    fn default() -> Self {
        Stream::Exact(Vec::new())
    }
}

impl Nest {
    /// One value.
    pub fn single(base: i64) -> Self {
        Nest { base, depth: 0, levels: [Level::default(); 3] }
    }

    /// The levels, the inner first.
    pub fn levels(&self) -> &[Level] {
        &self.levels[..usize::from(self.depth)]
    }

    fn deepened(mut self, count: u64, stride: i64) -> Self {
        self.levels[usize::from(self.depth)] = Level { count, stride };
        self.depth += 1;
        self
    }

    fn len(&self) -> u64 {
        self.levels().iter().fold(1, |all, level| all.saturating_mul(level.count))
    }

    /// `n base + sum_i stride_i count_i (count_i - 1)/2 n/count_i`, of n values.
    fn sum(&self) -> i128 {
        let count = i128::from(self.len());
        self.levels().iter().fold(i128::from(self.base).saturating_mul(count), |sum, level| {
            let steps = count.saturating_mul(i128::from(level.count) - 1) / 2;
            sum.saturating_add(steps.saturating_mul(i128::from(level.stride)))
        })
    }

    /// The least and the greatest value.
    fn range(&self) -> (i128, i128) {
        let base = i128::from(self.base);
        self.levels().iter().fold((base, base), |(least, greatest), level| {
            let reach = (i128::from(level.count) - 1).saturating_mul(i128::from(level.stride));
            (least.saturating_add(reach.min(0)), greatest.saturating_add(reach.max(0)))
        })
    }
}

impl Term {
    fn len(&self) -> u64 {
        match self {
            Term::Nest(nest) => nest.len(),
            Term::Repeat { count, body } => {
                body.iter().fold(0_u64, |sum, term| sum.saturating_add(term.len())).saturating_mul(*count)
            }
        }
    }

    fn sum(&self) -> i128 {
        match self {
            Term::Nest(nest) => nest.sum(),
            Term::Repeat { count, body } => {
                body.iter().fold(0_i128, |sum, term| sum.saturating_add(term.sum())).saturating_mul((*count).into())
            }
        }
    }

    fn range(&self) -> (i128, i128) {
        match self {
            Term::Nest(nest) => nest.range(),
            Term::Repeat { body, .. } => body.iter().map(Term::range).fold((i128::MAX, i128::MIN), wider),
        }
    }

    fn shift(&mut self, by: i64) {
        match self {
            Term::Nest(nest) => nest.base = nest.base.wrapping_add(by),
            Term::Repeat { body, .. } => body.iter_mut().for_each(|term| term.shift(by)),
        }
    }

    /// Nests, those within repeats included.
    fn size(&self) -> usize {
        match self {
            Term::Nest(_) => 1,
            Term::Repeat { body, .. } => body.iter().map(Term::size).sum(),
        }
    }
}

fn wider(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    (a.0.min(b.0), a.1.max(b.1))
}

impl Stream {
    /// A stream of these values.
    pub fn of(values: impl IntoIterator<Item = i64>) -> Self {
        let mut stream = Stream::default();
        values.into_iter().for_each(|value| stream.push(value));
        stream
    }

    /// The same value `count` times.
    pub fn constant(value: i64, count: u64) -> Self {
        match count {
            0 => Stream::default(),
            1 => Stream::Exact(vec![Term::Nest(Nest::single(value))]),
            _ => Stream::Exact(vec![Term::Nest(Nest::single(value).deepened(count, 0))]),
        }
    }

    /// How many values there are.
    pub fn len(&self) -> u64 {
        match self {
            Stream::Exact(terms) => terms.iter().fold(0, |sum, term| sum.saturating_add(term.len())),
            Stream::Sketch(sketch) => sketch.count,
        }
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sum of all values.
    pub fn sum(&self) -> i128 {
        match self {
            Stream::Exact(terms) => terms.iter().fold(0, |sum, term| sum.saturating_add(term.sum())),
            Stream::Sketch(sketch) => sketch.sum.into(),
        }
    }

    /// The least and the greatest value.
    pub fn range(&self) -> Option<(i64, i64)> {
        match self {
            Stream::Exact(terms) if terms.is_empty() => None,
            Stream::Exact(terms) => {
                let (least, greatest) = terms.iter().map(Term::range).fold((i128::MAX, i128::MIN), wider);
                Some((i64::try_from(least).ok()?, i64::try_from(greatest).ok()?))
            }
            Stream::Sketch(sketch) => Some((sketch.least, sketch.greatest)),
        }
    }

    /// The one value that all have.
    pub fn only(&self) -> Option<i64> {
        self.range().filter(|(least, greatest)| least == greatest).map(|(least, _)| least)
    }

    /// Whether the values are known one by one.
    pub fn is_exact(&self) -> bool {
        matches!(self, Stream::Exact(_))
    }

    /// The terms; none of a sketch.
    pub fn terms(&self) -> &[Term] {
        match self {
            Stream::Exact(terms) => terms,
            Stream::Sketch(_) => &[],
        }
    }

    /// How many nests there are, those within repeats included; a sketch counts as one.
    pub fn size(&self) -> usize {
        self.terms().iter().map(Term::size).sum::<usize>().max(1)
    }

    /// The values in order; none of a sketch.
    pub fn values(&self) -> Values<'_> {
        Values::new(self.terms())
    }

    /// Every value plus `by`; sketches stay as they are.
    #[must_use]
    pub fn shifted(&self, by: i64) -> Stream {
        let mut shifted = self.clone();
        if let Stream::Exact(terms) = &mut shifted {
            terms.iter_mut().for_each(|term| term.shift(by));
        }
        shifted
    }

    /// Appends a value.
    pub fn push(&mut self, value: i64) {
        match self {
            Stream::Exact(terms) => {
                terms.push(Term::Nest(Nest::single(value)));
                while reduce(terms) {}
                if terms.len() > MOST_TERMS {
                    *self = Stream::Sketch(Box::new(Sketch::of(self.values())));
                }
            }
            Stream::Sketch(sketch) => sketch.push(value),
        }
    }

    /// Appends all values of another stream.
    pub fn append(&mut self, other: &Stream) {
        match other {
            Stream::Exact(_) => other.values().for_each(|value| self.push(value)),
            Stream::Sketch(theirs) => {
                let mut sketch = match self {
                    Stream::Exact(_) => Sketch::of(self.values()),
                    Stream::Sketch(ours) => std::mem::take(&mut **ours),
                };
                sketch.merge(theirs);
                *self = Stream::Sketch(Box::new(sketch));
            }
        }
    }
}

/// Whether the end of the stream could be written in fewer terms, or in terms of more levels.
fn reduce(terms: &mut Vec<Term>) -> bool {
    let [.., Term::Nest(before), Term::Nest(last)] = terms.as_mut_slice() else { return fold(terms) };
    let depth = usize::from(last.depth);
    if before.depth == last.depth + 1 && before.levels[..depth] == last.levels[..depth] {
        let outer = &mut before.levels[depth];
        let next = i128::from(before.base) + i128::from(outer.count) * i128::from(outer.stride);
        if next == i128::from(last.base) {
            outer.count += 1;
            terms.pop();
            return true;
        }
    }
    if before.depth == last.depth
        && depth < 3
        && before.levels[..depth] == last.levels[..depth]
        && let Some(stride) = last.base.checked_sub(before.base)
    {
        *before = before.deepened(2, stride);
        terms.pop();
        return true;
    }
    fold(terms)
}

/// The last terms go on with the repeat before them, or are the second time of those before them.
fn fold(terms: &mut Vec<Term>) -> bool {
    for width in 1..=WIDEST.min(terms.len().saturating_sub(1)) {
        let start = terms.len() - width;
        let (front, last) = terms.split_at_mut(start);
        if let Some(Term::Repeat { count, body }) = front.last_mut()
            && body.as_slice() == &*last
        {
            *count += 1;
            terms.truncate(start);
            return true;
        }
        if front.ends_with(last) {
            let body = terms.split_off(start);
            terms.truncate(start - width);
            terms.push(Term::Repeat { count: 2, body });
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests;
