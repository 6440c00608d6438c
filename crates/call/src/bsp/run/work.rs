//! Work of the processors of a machine: (3).

use super::super::prepare::{ME, RANK, TaskCode, WorkCode};
use super::RawCosts;
use super::engine::Engine;
use super::frame::Frame;
use super::scope::{Evaluator, Once};
use runcast_core::Problem;

/// Work, with each formula evaluated no more often than needed.
struct Working<'c> {
    time: Option<Once<'c>>,
    /// Count, price, and the price of raw BSP where it differs.
    counts: Vec<(Once<'c>, Once<'c>, Option<f64>)>,
}

impl Engine<'_> {
    /// Lets each processor of the machine work.
    pub(super) fn work(&mut self, frame: &mut Frame, work: &WorkCode) -> Result<(), Box<Problem>> {
        if work.time.is_none() && work.counts.is_empty() {
            return Ok(());
        }
        let task = &self.prepared.tasks[frame.task];
        let mut working = Working::new(work, self.raw.as_ref());
        let own = work.time.iter().chain(work.counts.iter().flat_map(|count| [&count.count, &count.price]));
        let is_own = own.into_iter().any(|cell| cell.is_own);
        let mut times = (0.0, 0.0);
        for (me, rank) in frame.range().enumerate() {
            if is_own || me == 0 {
                (frame.values[ME], frame.values[RANK]) = (me as f64, rank as f64);
                times = working.times(self.evaluator, task, &mut frame.values)?;
            }
            let from = (self.clocks.obsp[rank], self.clocks.bsp[rank]);
            self.clocks.obsp[rank] += times.0;
            self.clocks.bsp[rank] += times.0;
            self.clocks.work[rank] += times.0;
            let mut latest = self.clocks.obsp[rank].max(self.clocks.bsp[rank]);
            if let Some(raw) = self.clocks.raw.get_mut(rank) {
                *raw += times.1;
                latest = latest.max(*raw);
            }
            if !latest.is_finite() {
                (frame.values[ME], frame.values[RANK]) = (me as f64, rank as f64);
                let cell = work.time.as_ref().or(work.counts.first().map(|count| &count.count));
                return Err(self.evaluator.too_large(cell, &frame.values));
            }
            if let Some(record) = &mut self.record {
                record.work(frame.record, rank, from, (self.clocks.obsp[rank], self.clocks.bsp[rank]));
            }
        }
        Ok(())
    }
}

impl<'c> Working<'c> {
    fn new(work: &'c WorkCode, raw: Option<&RawCosts>) -> Self {
        let counts = work.counts.iter().map(|count| {
            let raw = raw.and_then(|raw| raw.prices.get(count.class).copied().flatten());
            (Once::new(&count.count), Once::new(&count.price), raw)
        });
        Working { time: work.time.as_ref().map(Once::new), counts: counts.collect() }
    }

    /// Seconds at the program's own prices, and at those of raw BSP.
    fn times(
        &mut self,
        evaluator: &Evaluator<'_>,
        task: &TaskCode,
        values: &mut [f64],
    ) -> Result<(f64, f64), Box<Problem>> {
        let (mut own, mut raw) = match &mut self.time {
            Some(once) => {
                let time = evaluator.at_least_zero(task, once, values, "a time of 0 or more")?;
                (time, time)
            }
            None => (0.0, 0.0),
        };
        for (count, price, raw_price) in &mut self.counts {
            let count = evaluator.at_least_zero(task, count, values, "a count of 0 or more")?;
            let price = evaluator.at_least_zero(task, price, values, "a time of 0 or more")?;
            own += count * price;
            raw += count * raw_price.unwrap_or(price);
        }
        Ok((own, raw))
    }
}
