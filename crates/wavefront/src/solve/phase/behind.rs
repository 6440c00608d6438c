//! Who is how far behind the leader when the leader ends alpha.

use super::TooLarge;
use crate::model::law::Law;

/// Where the processes start, how long alpha takes them, and how far behind the leader they are followed.
pub(crate) struct Behind<'a> {
    pub offsets: &'a [i64],
    pub alpha: &'a [Law],
    pub depth: &'a [u32],
}

/// Vectors of ticks behind the leader with their probabilities, without an allocation for each.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    width: usize,
    behind: Vec<u32>,
    /// Whether one of the processes is the leader.
    led: Vec<bool>,
    probability: Vec<f64>,
}

/// What a process can do by the time of the leader.
struct Place {
    behind: u32,
    leads: bool,
    probability: f64,
}

impl Rows {
    /// Each vector with its probability.
    pub fn iter(&self) -> impl Iterator<Item = (&[u32], f64)> {
        self.behind.chunks_exact(self.width).zip(self.probability.iter().copied())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.probability.len()
    }

    fn empty(width: usize) -> Rows {
        Rows { width, ..Rows::default() }
    }

    fn push(&mut self, former: &[u32], place: &Place, led: bool, probability: f64) {
        self.behind.extend_from_slice(former);
        self.behind.push(place.behind);
        self.led.push(led);
        self.probability.push(probability);
    }

    /// Every row followed by every place; rows that no process can lead any more are left out.
    fn extended(&self, places: &[Place], later_lead: bool) -> Rows {
        let mut rows = Rows::empty(self.width + 1);
        for index in 0..self.probability.len() {
            let former = &self.behind[index * self.width..(index + 1) * self.width];
            for place in places {
                let led = self.led[index] || place.leads;
                let probability = self.probability[index] * place.probability;
                if (led || later_lead) && probability > 0.0 {
                    rows.push(former, place, led, probability);
                }
            }
        }
        rows
    }

    /// Equal rows added up: only where a process is not followed at all can there be any.
    fn merged(self) -> Rows {
        let row = |index: usize| (&self.behind[index * self.width..(index + 1) * self.width], self.led[index]);
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|a, b| row(*a).cmp(&row(*b)));
        let mut rows = Rows::empty(self.width);
        for index in order {
            let (behind, led) = row(index);
            let same = rows.len() > 0 && rows.behind.ends_with(behind) && rows.led.last() == Some(&led);
            if let (true, Some(sum)) = (same, rows.probability.last_mut()) {
                *sum += self.probability[index];
                continue;
            }
            rows.behind.extend_from_slice(behind);
            rows.led.push(led);
            rows.probability.push(self.probability[index]);
        }
        rows
    }
}

impl Behind<'_> {
    /// Visits all rows of each time of the leader, counted from process 1's start, ascending, until there is too much of
    /// something.
    pub fn visit(&self, limit: u64, mut tell: impl FnMut(i64, &Rows) -> Result<(), TooLarge>) -> Result<(), TooLarge> {
        let ends = |process: usize| {
            let offset = self.offsets[process];
            self.alpha[process].support().iter().map(move |(ticks, _)| offset.saturating_add_unsigned(*ticks))
        };
        let earliest = (0..self.offsets.len()).filter_map(|process| ends(process).next()).max().unwrap_or(0);
        let mut times: Vec<i64> = (0..self.offsets.len()).flat_map(ends).filter(|time| *time >= earliest).collect();
        times.sort_unstable();
        times.dedup();
        let mut left = limit;
        for time in times {
            let rows = self.rows(time, left, limit)?;
            left = left.saturating_sub(rows.len() as u64);
            if rows.len() > 0 {
                tell(time, &rows)?;
            }
        }
        Ok(())
    }

    fn rows(&self, time: i64, left: u64, limit: u64) -> Result<Rows, TooLarge> {
        let places: Vec<Vec<Place>> = (0..self.offsets.len()).map(|process| self.places(process, time)).collect();
        let last_leader = places.iter().rposition(|places| places.iter().any(|place| place.leads)).unwrap_or(0);
        let mut rows = Rows { width: 0, behind: Vec::new(), led: vec![false], probability: vec![1.0] };
        for (process, places) in places.iter().enumerate() {
            if (rows.len() as u64).saturating_mul(places.len() as u64) > left.max(2) {
                return Err(TooLarge::new("transitions", limit));
            }
            rows = rows.extended(places, process < last_leader);
            if self.depth[process] == 0 {
                rows = rows.merged();
            }
        }
        // A later leader makes rows equal that differed in whether one of the former had led.
        if self.depth.contains(&0) { Ok(rows.merged()) } else { Ok(rows) }
    }

    /// Where a process can be when the leader ends at `time`: each tick down to the depth, and all beyond in one.
    fn places(&self, process: usize, time: i64) -> Vec<Place> {
        let depth = u64::from(self.depth[process]);
        let mut places: Vec<Place> = Vec::new();
        let mut beyond = 0.0;
        for (ticks, probability) in self.alpha[process].support() {
            let end = self.offsets[process].saturating_add_unsigned(*ticks);
            if end > time {
                break;
            }
            let behind = time.abs_diff(end);
            match u32::try_from(behind) {
                Ok(0) => places.push(Place { behind: 0, leads: true, probability: *probability }),
                Ok(near) if behind < depth => {
                    places.push(Place { behind: near, leads: false, probability: *probability })
                }
                _ => beyond += probability,
            }
        }
        if beyond > 0.0 {
            places.push(Place { behind: self.depth[process], leads: false, probability: beyond });
        }
        places
    }
}
