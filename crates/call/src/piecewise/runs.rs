//! Runs: samples that belong together, and how much one run differs from another.
//!
//! ```text
//! y_ir   aggregate of the visits of run r at configuration i       y_i = aggregate of the y_ir, each once
//! s_i^2  variance of ln y_ir over the R_i runs                     d_ir = ln(y_ir/y_i) sqrt(R_i/(R_i - 1))
//! tau^2  = (2 0.05^2 + sum (R_i - 1) s_i^2) / (2 + sum (R_i - 1))
//! ```
//!
//! Visits of one run share what the run met: the other programs on the machine, where its memory lies, the clock of the
//! processor. They are not independent, and however many there are, they say nothing of another run.

use super::data::Data;
use super::resample::{self, Residuals};
use super::samples::{Repeated, Sorted, aggregate_runs};
use super::settings::SampleAggregate;
use runcast_core::random::SplitMix;
use runcast_core::statistics;
use std::collections::{BTreeMap, HashMap};

/// Fewer runs than this, with the same configurations, are not drawn again.
pub(super) const ENOUGH: usize = 3;

/// The usual spread between runs, known as well as from this many further runs.
const USUAL_SPREAD: f64 = 0.05;
const USUAL_RUNS: f64 = 2.0;

/// The visits of a run at a configuration.
#[derive(Debug, Clone)]
pub(super) struct RunSamples {
    pub(super) run: u32,
    /// Their aggregate.
    pub(super) value: f64,
    /// The visits, if there is more than one.
    visits: Option<Sorted>,
}

/// The runs at a configuration, in the order of their numbers.
pub(super) fn of(repeated: &Repeated, aggregate: SampleAggregate) -> Vec<RunSamples> {
    let mut order: Vec<usize> = (0..repeated.values.len()).collect();
    order.sort_by_key(|&index| repeated.runs[index]);
    order
        .chunk_by(|&a, &b| repeated.runs[a] == repeated.runs[b])
        .map(|samples| match samples {
            [only] => RunSamples { run: repeated.runs[*only], value: repeated.values[*only], visits: None },
            several => {
                let mut own = Repeated::new(Vec::new(), several.iter().map(|&i| repeated.values[i]).collect());
                own.visits = several.iter().map(|&i| repeated.visits[i]).collect();
                let visits = Sorted::new(&own);
                let value = visits.aggregated(aggregate);
                RunSamples { run: repeated.runs[several[0]], value, visits: Some(visits) }
            }
        })
        .collect()
}

/// Distinct runs.
pub(super) fn count(data: &Data) -> usize {
    let mut runs: Vec<u32> = data.runs.iter().flatten().map(|run| run.run).collect();
    runs.sort_unstable();
    runs.dedup();
    runs.len()
}

impl RunSamples {
    fn draw(&self, aggregate: SampleAggregate, random: &mut SplitMix, draws: &mut Vec<usize>) -> f64 {
        match &self.visits {
            None => self.value,
            Some(visits) => resample::draw_visits(visits, aggregate, random, draws),
        }
    }
}

/// How much runs differ.
#[derive(Debug, Clone)]
pub(super) struct RunSpread {
    /// `tau`: standard deviation of the logarithm of a run.
    pub(super) tau: f64,
    /// `d_ir`, of all runs at configurations with several.
    pub(super) deviations: Vec<f64>,
    /// `sum (R_i - 1)`
    pub(super) freedom: f64,
    /// Mean variance of `ln y_i` that the runs alone make, over configurations with several.
    pub(super) variance: f64,
}

impl RunSpread {
    pub(super) fn new(data: &Data, aggregate: SampleAggregate) -> Self {
        let (mut freedom, mut squares) = (0.0, 0.0);
        let mut deviations = Vec::new();
        let mut shares = Vec::new();
        for (runs, y) in data.runs.iter().zip(&data.y) {
            let count = runs.len() as f64;
            let logs: Vec<f64> = runs.iter().filter(|run| run.value > 0.0).map(|run| run.value.ln()).collect();
            if runs.len() < 2 || logs.len() < runs.len() || *y <= 0.0 {
                continue;
            }
            freedom += count - 1.0;
            squares += (count - 1.0) * statistics::sample_variance(&logs).unwrap_or(0.0);
            let widening = (count / (count - 1.0)).sqrt();
            deviations.extend(logs.iter().map(|ln| (ln - y.ln()) * widening));
            // A median over three or more varies more than a mean.
            let is_mean = runs.len() <= 2 || aggregate == SampleAggregate::Mean;
            let kappa = if is_mean { 1.0 } else { std::f64::consts::FRAC_PI_2 };
            shares.push(kappa / count);
        }
        let tau_squared = (USUAL_RUNS * USUAL_SPREAD * USUAL_SPREAD + squares) / (USUAL_RUNS + freedom);
        let share = if shares.is_empty() { 0.0 } else { statistics::mean(&shares) };
        let variance = share * tau_squared;
        RunSpread { tau: tau_squared.sqrt(), deviations, freedom, variance }
    }
}

/// Runs with the same set of configurations: as many are drawn again, with replacement.
#[derive(Debug, Clone)]
struct Stratum {
    runs: usize,
    /// Each configuration, with the place of each run among its runs.
    cells: Vec<(usize, Vec<usize>)>,
    /// The values of the runs, where each has one visit at one configuration that no other stratum has.
    alone: Option<Sorted>,
}

/// The runs of some data, ready to be drawn again.
#[derive(Debug, Clone)]
pub(super) struct Strata {
    strata: Vec<Stratum>,
    /// Whether a configuration is in one of them.
    is_drawn: Vec<bool>,
}

impl Strata {
    pub(super) fn new(data: &Data) -> Self {
        let mut cells: HashMap<u32, Vec<(usize, usize)>> = HashMap::new();
        for (row, runs) in data.runs.iter().enumerate() {
            for (place, run) in runs.iter().enumerate() {
                cells.entry(run.run).or_default().push((row, place));
            }
        }
        let mut runs: Vec<(u32, Vec<(usize, usize)>)> = cells.into_iter().collect();
        runs.sort_unstable_by_key(|(run, _)| *run);
        let mut alike: BTreeMap<Vec<usize>, Vec<Vec<(usize, usize)>>> = BTreeMap::new();
        for (_, cells) in runs {
            alike.entry(cells.iter().map(|(row, _)| *row).collect()).or_default().push(cells);
        }
        let mut strata = Vec::new();
        let mut times = vec![0usize; data.len()];
        for (rows, runs) in alike.into_iter().filter(|(_, runs)| runs.len() >= ENOUGH) {
            let of = |position: usize| runs.iter().map(|run| run[position].1).collect();
            let cells: Vec<(usize, Vec<usize>)> =
                rows.iter().enumerate().map(|(position, &row)| (row, of(position))).collect();
            rows.iter().for_each(|&row| times[row] += 1);
            strata.push(Stratum { runs: runs.len(), cells, alone: None });
        }
        for stratum in &mut strata {
            if let [(row, places)] = stratum.cells.as_slice()
                && times[*row] == 1
                && places.iter().all(|&place| data.runs[*row][place].visits.is_none())
            {
                let values = places.iter().map(|&place| data.runs[*row][place].value).collect();
                stratum.alone = Some(Sorted::new(&Repeated::new(Vec::new(), values)));
            }
        }
        Strata { strata, is_drawn: times.iter().map(|times| *times > 0).collect() }
    }

    /// One value for each configuration: of runs drawn again, and in each drawn run of visits drawn again; where there
    /// are too few runs, the fitted value with a residual.
    pub(super) fn draw(
        &self,
        data: &Data,
        (fitted, piece, residuals): (&[f64], &[usize], &Residuals),
        aggregate: SampleAggregate,
        random: &mut SplitMix,
    ) -> Vec<f64> {
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); data.len()];
        let mut draws = Vec::new();
        for stratum in &self.strata {
            if let (Some(alone), [(row, _)]) = (&stratum.alone, stratum.cells.as_slice()) {
                values[*row].push(resample::draw_visits(alone, aggregate, random, &mut draws));
                continue;
            }
            let picks: Vec<usize> = (0..stratum.runs).map(|_| random.below(stratum.runs)).collect();
            for (row, places) in &stratum.cells {
                let runs = &data.runs[*row];
                values[*row].extend(picks.iter().map(|&pick| runs[places[pick]].draw(aggregate, random, &mut draws)));
            }
        }
        let mut drawn = Vec::with_capacity(data.len());
        for (row, values) in values.iter_mut().enumerate() {
            let value = match (values.is_empty(), self.is_drawn[row]) {
                (false, _) => aggregate_runs(values, aggregate),
                (true, true) => data.y[row],
                (true, false) => fitted[row] * residuals.draw(piece[row], random),
            };
            // A fitted value need not be above 0, a measured one is.
            drawn.push(if value.is_finite() && value > 0.0 { value } else { data.y[row] });
        }
        drawn
    }
}
