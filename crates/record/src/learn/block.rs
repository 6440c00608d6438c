//! The time of the blocks before a call: laws over the configurations, for all ranks or by position.

use super::align::{Column, Item, Seen};
use super::normal::Which;
use super::rules::row;
use super::{Cell, Learnt, Source};
use crate::formula::{Monomial, monomials, term_text};
use crate::turns::{apart, steady_spread};
use indexmap::IndexMap;

/// The time of a block.
#[derive(Debug, Clone)]
pub struct Block {
    /// Of a unit of its term.
    pub factor_s: f64,
    /// The term over the symbols.
    pub term: Monomial,
    /// How far means are from it, as a share.
    pub misfit: f64,
    /// The mean in each recording; none where it does not occur.
    pub means_s: Vec<Option<f64>>,
    /// What is added to that: seconds of a unit of another term.
    pub more: Option<(f64, Monomial)>,
    /// How much executions and ranks differ, as a share of the mean.
    pub spread: f64,
    /// Executions by all ranks, in each recording.
    pub executions: Vec<f64>,
}

impl Block {
    /// Whether it was executed often enough in each recording for its spread to say something.
    fn is_repeated(&self) -> bool {
        self.executions.iter().filter(|n| **n > 0.0).all(|n| *n >= LEAST_EXECUTIONS)
    }

    /// How far means are from the law, or executions from their mean, as a share.
    fn doubt(&self) -> f64 {
        self.misfit.max(self.spread)
    }

    /// Seconds over the symbols.
    pub fn text(&self, symbols: &[String]) -> String {
        let names: Vec<&str> = symbols.iter().map(String::as_str).collect();
        let more = self
            .more
            .as_ref()
            .map_or_else(String::new, |(factor_s, term)| format!(" + {factor_s:.4e} s*{}", term_text(term, &names)));
        format!("{:.4e} s*{}{more}", self.factor_s, term_text(&self.term, &names))
    }
}

/// Positions that have blocks of their own.
const MOST_CELLS: usize = 27;

/// A block that is nearer than this everywhere is one for all positions.
const NEAR: f64 = 0.1;

/// Means and executions that differ less are alike.
const CLOSE: f64 = 0.01;

/// What comes so near to means is their law.
const CLOSER: f64 = 2e-3;

/// Executions of a block that show how much it varies.
const LEAST_EXECUTIONS: f64 = 4.0;

/// A misfit that is no rounding of times.
const LEAST_MISFIT: f64 = 2e-4;

/// What the times of blocks follow from.
pub(super) struct Gather<'a> {
    pub learnt: &'a Learnt,
    pub columns: &'a [Column],
    pub sources: &'a [Source<'a>],
    /// Symbols by recording, or by column.
    pub rows: &'a [Vec<f64>],
    /// By recording and number of the program: which calls are the first of loops of how many turns.
    pub firsts: &'a IndexMap<(usize, usize), Vec<Option<u64>>>,
    /// How much the mean time of a block may differ between recordings for no reason, as a share.
    pub noise: f64,
}

/// How much processor times may drift between these runs, as a share: cores that ranks share have caches that they share, too.
pub(super) fn drift(sources: &[Source<'_>]) -> f64 {
    let shares = sources.iter().filter_map(|source| source.recording.off_core_share());
    (2.0 * shares.fold(0.0, f64::max)).min(MOST_DRIFT)
}

/// Processor times of blocks drift at most so much between runs.
const MOST_DRIFT: f64 = 0.1;

/// The blocks before a call: of all ranks, by position, and those of the first rank apart.
struct Gathered<'a> {
    gather: &'a Gather<'a>,
    all: Sums,
    cells: IndexMap<Cell, Sums>,
    root: IndexMap<Cell, Sums>,
}

impl Gathered<'_> {
    fn add(&mut self, at: [usize; 2], (cell, rank): (&Cell, u32), executions: f64, [mean, deviation]: [f64; 2]) {
        let new = || Sums::of(self.gather);
        let who = Cell(vec![if rank == 0 { 'R' } else { 'O' }]);
        self.all.add(at, executions, mean, deviation);
        self.cells.entry(cell.clone()).or_insert_with(new).add(at, executions, mean, deviation);
        self.root.entry(who).or_insert_with(new).add(at, executions, mean, deviation);
    }

    /// The laws by position, where they are nearer than one for all.
    fn by_cell(self, all: &Block) -> Vec<(Cell, Block)> {
        let (rows, noise) = (self.gather.rows, self.gather.noise);
        let told = |cells: IndexMap<Cell, Sums>| -> Vec<(Cell, Block)> {
            cells.into_iter().filter_map(|(cell, sums)| Some((cell, sums.block(rows, noise)?))).collect()
        };
        // The first rank reads and prints for all: what it does once is no chance.
        let (count, root) = (self.cells.len(), told(self.root));
        let others = root.iter().find(|(cell, _)| cell.0 == ['O']);
        if root.len() == 2 && all.doubt() > NEAR && others.is_some_and(|(_, own)| own.doubt() < all.doubt() / 2.0) {
            return root;
        }
        if !(2..=MOST_CELLS).contains(&count) || all.doubt() <= CLOSE {
            return Vec::new();
        }
        let by_cell = told(self.cells);
        let is_even = by_cell.iter().all(|(_, own)| own.is_repeated() && own.doubt() < all.doubt() / 2.0);
        if all.doubt() > NEAR && by_cell.len() <= 9 || is_even { by_cell } else { Vec::new() }
    }
}

impl Gather<'_> {
    /// The time of the blocks before a call; `is_first` of a loop's body.
    pub(super) fn tell(&self, item: &mut Item, here: &[usize], is_first: bool) {
        let (mut first, mut rest) = (Sums::of(self), Sums::of(self));
        let mut gathered =
            Gathered { gather: self, all: Sums::of(self), cells: IndexMap::new(), root: IndexMap::new() };
        let mut is_apart = is_first;
        for column in here {
            let Column { recording, ranks, cell, .. } = &self.columns[*column];
            let at = [*recording, row(self.learnt, self.columns, *column)];
            let Seen { leaf, share, ref more, .. } = item.seen[column];
            for (number, program) in self.sources[*recording].recording.programs.iter().enumerate() {
                let Some(stat) = program.stats.get(leaf) else { continue };
                let here: Vec<usize> =
                    (0..program.ranks.len()).filter(|at| ranks.contains(&program.ranks[*at])).collect();
                let own = stat.executions as f64 / program.ranks.len().max(1) as f64;
                if here.is_empty() || own <= 0.0 {
                    continue;
                }
                let executions = own / share.of as f64;
                // Calls that are left out took their time before this one.
                let others = |place: usize| {
                    more.iter()
                        .filter_map(|leaf| program.stats.get(*leaf))
                        .map(|stat| stat.block_of(place))
                        .sum::<f64>()
                        / own
                };
                if let Some((turns, which)) = share.turns {
                    let told = if turns > 1 { apart(stat, turns) } else { None };
                    for place in here {
                        let mean = stat.block_of(place) / own;
                        let scale = stat.block_of(place) * program.ranks.len() as f64 / stat.block_s;
                        let scale = if scale.is_finite() { scale } else { 1.0 };
                        let deviation = stat.ranks.get(place).map_or(0.0, |rank| rank.deviation.s());
                        let (mean, deviation) = match (which, told, turns) {
                            (Which::First, Some(told), _) => {
                                (scale * told.first_s, scale * told.first_s * told.first_spread)
                            }
                            (Which::Others, Some(told), _) => {
                                (scale * told.rest_s, scale * told.rest_s * told.rest_spread)
                            }
                            (Which::First, None, 1) | (Which::Others, None, 2..) => (mean, deviation),
                            _ => (0.0, 0.0),
                        };
                        let mean = if which == Which::Others { mean + others(place) } else { mean };
                        gathered.add(at, (cell, program.ranks[place]), executions, [mean, deviation]);
                    }
                    is_apart = false;
                    continue;
                }
                let firsts = self.firsts.get(&(*recording, number));
                let turns = firsts.and_then(|all| all.get(leaf).copied().flatten()).filter(|_| is_apart);
                let told = turns.and_then(|turns| apart(stat, turns).map(|told| (turns as f64, told)));
                is_apart &= told.is_some() && more.is_empty();
                let steady = steady_spread(stat);
                for place in here {
                    let mean = stat.block_of(place) / own + others(place);
                    let deviation = stat.ranks.get(place).map_or(0.0, |rank| rank.deviation.s());
                    let deviation = steady.map_or(deviation, |steady| deviation.min(steady * mean));
                    gathered.add(at, (cell, program.ranks[place]), executions, [mean, deviation]);
                    if let Some((turns, told)) = told {
                        let scale = stat.block_of(place) * program.ranks.len() as f64 / stat.block_s;
                        let scale = if scale.is_finite() { scale } else { 1.0 };
                        first.add(at, own / turns, scale * told.first_s, told.first_spread * scale * told.first_s);
                        rest.add(at, own - own / turns, scale * told.rest_s, told.rest_spread * scale * told.rest_s);
                    }
                }
            }
        }
        item.told.block = gathered.all.block(self.rows, self.noise);
        if is_apart
            && let (Some(first), Some(rest)) = (first.block(self.rows, self.noise), rest.block(self.rows, self.noise))
        {
            (item.told.first, item.told.block) = (Some(first), Some(rest));
        } else if let Some(block) = &item.told.block {
            item.told.by_cell = gathered.by_cell(block);
        }
    }
}

/// Blocks added up.
struct Sums {
    /// Time and executions, by recording.
    by_recording: Vec<(f64, f64)>,
    /// Squares of times, by recording.
    squares: Vec<f64>,
    /// Time and executions, by row of symbols.
    by_row: Vec<(f64, f64)>,
}

impl Sums {
    fn of(gather: &Gather<'_>) -> Self {
        let recordings = gather.learnt.p.len();
        Sums {
            by_recording: vec![(0.0, 0.0); recordings],
            squares: vec![0.0; recordings],
            by_row: vec![(0.0, 0.0); gather.rows.len()],
        }
    }

    /// So many executions of this mean and standard deviation.
    fn add(&mut self, [recording, row]: [usize; 2], executions: f64, mean: f64, deviation: f64) {
        for (sum, n) in [&mut self.by_recording[recording], &mut self.by_row[row]] {
            *sum += executions * mean;
            *n += executions;
        }
        self.squares[recording] += executions * (mean * mean + deviation * deviation);
    }

    fn block(&self, rows: &[Vec<f64>], noise: f64) -> Option<Block> {
        let means_s = self.by_recording.iter().map(|(sum, n)| (*n > 0.0).then(|| sum / n)).collect();
        let known = self.by_row.iter().enumerate().filter(|(_, (_, n))| *n > 0.0);
        let known: Vec<(usize, f64)> = known.map(|(row, (sum, n))| (row, sum / n)).collect();
        let usual = usual(&known, rows);
        let variation = |(recording, (sum, n)): (usize, &(f64, f64))| {
            let mean = sum / n;
            let share = || (self.squares[recording] / n / (mean * mean) - 1.0).max(0.0).sqrt();
            (*n > 0.0 && mean > 0.0).then(|| (recording, share()))
        };
        let mut variations: Vec<(usize, f64)> = self.by_recording.iter().enumerate().filter_map(variation).collect();
        if self.by_recording.len() == rows.len() {
            variations = self::usual(&variations, rows);
        }
        let spread = variations.iter().map(|(_, own)| own).sum::<f64>() / variations.len().max(1) as f64;
        let executions = self.by_recording.iter().map(|(_, n)| *n).collect();
        let (factor_s, term, _) = nearest(&usual, rows, noise)?;
        // What other recordings of the same configuration took stays in the range.
        let logs = known.iter().map(|(row, mean)| (mean / (factor_s * term.at(&rows[*row]))).ln().powi(2));
        let logs: Vec<f64> = logs.filter(|log| log.is_finite()).collect();
        let misfit = (logs.iter().sum::<f64>() / logs.len().max(1) as f64).sqrt();
        let block = Block { factor_s, term, misfit, means_s, spread, executions, more: None };
        // A second term is looked for in times that hardly vary: there is no noise that it could follow.
        let is_clean = misfit > LEAST_MISFIT && spread < CLOSE && block.is_repeated();
        let two = if is_clean { two_terms(&usual, rows, CLOSER.min(misfit / 10.0)) } else { None };
        Some(match two {
            Some(Two { first: (factor_s, term), second, misfit }) => {
                Block { factor_s, term, more: Some(second), misfit, ..block }
            }
            None => block,
        })
    }
}

/// Of rows with the same symbols, recordings of one configuration, the middle one of three or more, the least of two: what
/// disturbs a run makes it longer.
fn usual(means: &[(usize, f64)], rows: &[Vec<f64>]) -> Vec<(usize, f64)> {
    let mut groups: Vec<Vec<(usize, f64)>> = Vec::new();
    for one in means {
        match groups.iter_mut().find(|group| rows[group[0].0] == rows[one.0]) {
            Some(group) => group.push(*one),
            None => groups.push(vec![*one]),
        }
    }
    let middle = |mut group: Vec<(usize, f64)>| {
        group.sort_by(|a, b| a.1.total_cmp(&b.1));
        group[(group.len() - 1) / 2]
    };
    groups.into_iter().map(middle).collect()
}

/// The multiple of a term that is nearest to means, in logarithms; a symbol more has to save two percent, and what means differ
/// by chance, too: through two of them goes some term in any case.
pub(super) fn nearest(means: &[(usize, f64)], rows: &[Vec<f64>], noise: f64) -> Option<(f64, Monomial, f64)> {
    let symbols = rows.first().map_or(0, Vec::len);
    let positive: Vec<(usize, f64)> = means.iter().copied().filter(|(_, mean)| *mean > 0.0).collect();
    if positive.is_empty() {
        return (!means.is_empty()).then(|| (0.0, Monomial::one(), 0.0));
    }
    let of_term = |term: Monomial| {
        let logs: Vec<f64> = positive.iter().map(|(place, mean)| (mean / term.at(&rows[*place])).ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let misfit = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / logs.len() as f64).sqrt();
        (mean.exp(), term, misfit)
    };
    let all = std::iter::once(Monomial::one()).chain(monomials(symbols)).filter(|_| positive.len() > 1);
    let all = all.map(of_term).filter(|(factor, _, _)| factor.is_finite());
    let cost = |(_, term, misfit): &(f64, Monomial, f64)| {
        misfit + 0.005 * f64::from(term.order()) + noise * f64::from(term.symbols())
    };
    let best = all.min_by(|a, b| cost(a).total_cmp(&cost(b)));
    best.or_else(|| Some(of_term(Monomial::one())))
}

/// A sum of two terms that is near to means.
struct Two {
    first: (f64, Monomial),
    second: (f64, Monomial),
    misfit: f64,
}

/// The simplest sum of two multiples of terms that is within `most` of at least three means, both factors positive; least squares of
/// relative errors.
fn two_terms(means: &[(usize, f64)], rows: &[Vec<f64>], most: f64) -> Option<Two> {
    let positive: Vec<(usize, f64)> = means.iter().copied().filter(|(_, mean)| *mean > 0.0).collect();
    if positive.len() < 3 {
        return None;
    }
    let all: Vec<Monomial> = std::iter::once(Monomial::one()).chain(monomials(rows.first()?.len())).collect();
    let shares = |term: &Monomial| positive.iter().map(|(place, mean)| term.at(&rows[*place]) / mean).collect();
    let columns: Vec<Vec<f64>> = all.iter().map(shares).collect();
    let mut pairs: Vec<(usize, usize)> = (1..all.len()).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    pairs.sort_by_key(|(a, b)| all[*a].order() + all[*b].order());
    pairs.into_iter().take(MOST_PAIRS).find_map(|(a, b)| {
        let (x, y) = (&columns[a], &columns[b]);
        let dot = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>();
        let (xx, xy, yy) = (dot(x, x), dot(x, y), dot(y, y));
        let (sum_x, sum_y) = (x.iter().sum::<f64>(), y.iter().sum::<f64>());
        let determinant = xx * yy - xy * xy;
        if determinant <= 1e-9 * xx * yy {
            return None;
        }
        let (of_x, of_y) = ((sum_x * yy - sum_y * xy) / determinant, (sum_y * xx - sum_x * xy) / determinant);
        let errors = x.iter().zip(y).map(|(x, y)| (of_x * x + of_y * y - 1.0).powi(2));
        let misfit = (errors.sum::<f64>() / x.len() as f64).sqrt();
        let is_near = of_x > 0.0 && of_y > 0.0 && misfit < most;
        is_near.then(|| Two { first: (of_x, all[a].clone()), second: (of_y, all[b].clone()), misfit })
    })
}

/// Pairs of terms that are tried.
const MOST_PAIRS: usize = 20_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_of_one_configuration_are_their_middle_one() {
        let rows = [8.0, 8.0, 8.0, 27.0, 27.0].map(|p| vec![p]);
        let means = [(0, 3.0), (1, 9.0), (2, 2.0), (3, 5.0), (4, 4.0)];
        assert_eq!(usual(&means, &rows), [(0, 3.0), (4, 4.0)]);
    }
}
