//! Which law a block follows: each is judged by how well it predicts the next larger size from all smaller ones.
//!
//! ```text
//! score = mean over folds of |ln(predicted/measured)|     folds: fitted on sizes 1..k, asked for size k+1, from half of them on
//! ```
//!
//! Coefficients of a fold minimize relative errors, those of a power law errors of logarithms. The first law whose score is
//! within a twentieth of the least is taken. Source: forward validation, C. Bergmeir, J. Benítez, Information Sciences 191
//! (2012).

use super::minimize::{self, Least};
use super::{Free, Options, determined, starts};
use crate::budget;
use crate::model::{Part, Start};
use crate::run::INTERRUPTED;
use runcast_core::{Problem, statistics};

/// A law whose score is at most this times the least is as good as the best.
pub const AS_GOOD: f64 = 1.05;
/// Scores below this are nothing but rounding.
const ROUNDING: f64 = 1e-6;
/// Times that are nothing beside the measured ones have logarithms, too.
const LEAST_RATIO: f64 = 1e-12;
/// Folds beyond which more would say the same.
const MOST_FOLDS: usize = 20;
/// Sizes below which laws cannot be distinguished.
pub const LEAST_SIZES: usize = 4;

/// A law with the names that are to be found for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub free: Vec<Free>,
    /// Whether errors of logarithms are minimized.
    pub in_logs: bool,
}

/// How a law did.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Mean error of the next size, as a logarithm; none: see `reason`.
    pub score: Option<f64>,
    /// Values of its names, then of the others, found on all sizes.
    pub values: Vec<f64>,
    /// Why it has no score.
    pub reason: Option<String>,
}

/// Runs with the size that a law is about.
#[derive(Debug, Clone, Copy)]
pub struct Sized<'r> {
    pub real: &'r [f64],
    pub sizes: &'r [f64],
}

/// Simulated metrics of some rows at values of names.
pub type SimulateRows<'s> = dyn Fn(&[usize], &[Free], &[f64]) -> Result<Vec<f64>, Problem> + 's;

impl Sized<'_> {
    /// The different sizes, ascending.
    pub fn distinct(&self) -> Vec<f64> {
        let mut all = self.sizes.to_vec();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }

    fn rows(&self, keep: impl Fn(f64) -> bool) -> Vec<usize> {
        (0..self.sizes.len()).filter(|&row| keep(self.sizes[row])).collect()
    }
}

/// Scores a law; `others` are free besides its own names.
///
/// # Errors
/// An interrupt, or a limit that was reached. What is wrong with this law alone is its reason.
pub fn score(
    runs: &Sized<'_>,
    candidate: &Candidate,
    others: &[Free],
    options: &Options,
    simulate: &SimulateRows<'_>,
) -> Result<Scored, Problem> {
    let sizes = runs.distinct();
    let mut start: Option<Vec<f64>> = None;
    let mut errors = Vec::new();
    for known in folds(sizes.len()) {
        let rows = runs.rows(|size| size <= sizes[known - 1]);
        let values = match fitted(runs, &rows, candidate, others, options, start.as_deref(), simulate) {
            Ok(values) => values,
            Err(problem) => return untold(problem),
        };
        let all: Vec<Free> = candidate.free.iter().chain(others).cloned().collect();
        if let Some(next) = sizes.get(known) {
            let rows = runs.rows(|size| size == *next);
            let predicted = match simulate(&rows, &all, &values) {
                Ok(predicted) => predicted,
                Err(problem) => return untold(problem),
            };
            let of = |(row, predicted): (&usize, &f64)| (predicted / runs.real[*row]).ln().abs();
            errors.push(statistics::mean(&rows.iter().zip(&predicted).map(of).collect::<Vec<_>>()));
        }
        start = Some(values);
    }
    let score = statistics::mean(&errors);
    if !score.is_finite() {
        return untold(Problem::new("bad_time", "it predicts no time for the next size"));
    }
    Ok(Scored { score: Some(score), values: start.unwrap_or_default(), reason: None })
}

/// How many sizes each fold knows: from half of them on, in even steps where there are many; at last all.
fn folds(sizes: usize) -> Vec<usize> {
    let first = sizes.div_ceil(2);
    let step = (sizes - first).div_ceil(MOST_FOLDS).max(1);
    (first..sizes).step_by(step).chain([sizes]).collect()
}

fn untold(problem: Problem) -> Result<Scored, Problem> {
    if is_end(&problem) {
        return Err(problem);
    }
    Ok(Scored { score: None, values: Vec::new(), reason: Some(problem.message) })
}

/// Whether a problem ends the work, whatever else is tried.
fn is_end(problem: &Problem) -> bool {
    problem.code == INTERRUPTED || budget::is_stop(problem)
}

/// Values found on some rows: of all names, or, where these rows do not determine them, of those of the law.
fn fitted(
    runs: &Sized<'_>,
    rows: &[usize],
    candidate: &Candidate,
    others: &[Free],
    options: &Options,
    start: Option<&[f64]>,
    simulate: &SimulateRows<'_>,
) -> Result<Vec<f64>, Problem> {
    let all: Vec<Free> = candidate.free.iter().chain(others).cloned().collect();
    let kept: Vec<f64> = match start {
        Some(values) => values[candidate.free.len()..].to_vec(),
        None => others.iter().map(|one| one.start).collect(),
    };
    let begins = |free: &[Free]| match start {
        Some(values) => vec![values[..free.len()].to_vec()],
        None => starts(free, options),
    };
    let least = |free: &[Free], begins: Vec<Vec<f64>>, behind: &[f64]| -> Result<Option<Least>, Problem> {
        let residuals = |values: &[f64]| {
            let values: Vec<f64> = values.iter().chain(behind).copied().collect();
            let one = |(value, row): (f64, &usize)| match candidate.in_logs {
                true => (value / runs.real[*row]).max(LEAST_RATIO).ln(),
                false => value / runs.real[*row] - 1.0,
            };
            Ok(simulate(rows, &all, &values)?.into_iter().zip(rows).map(one).collect())
        };
        let (mut best, mut failed): (Option<Least>, _) = (None, None);
        for begin in begins {
            let found = match minimize::minimize(&residuals, free, begin) {
                Ok(found) => found,
                Err(problem) if is_end(&problem) => return Err(problem),
                // Another start may stay where there are times.
                Err(problem) => {
                    failed.get_or_insert(problem);
                    continue;
                }
            };
            let is_determined =
                rows.len() >= free.len() && determined::check(&found.jacobian, &found.values, free).is_ok();
            if is_determined && best.as_ref().is_none_or(|best| found.sum < best.sum) {
                best = Some(found);
            }
        }
        match (best, failed) {
            (None, Some(problem)) => Err(problem),
            (best, _) => Ok(best),
        }
    };
    if all.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(found) = least(&all, begins(&all), &[])? {
        return Ok(found.values);
    }
    if candidate.free.is_empty() {
        return Ok(kept);
    }
    match least(&candidate.free, begins(&candidate.free), &kept)? {
        Some(found) => Ok(found.values.into_iter().chain(kept).collect()),
        None => Err(Problem::new("not_determined", "the runs do not determine its coefficients")),
    }
}

/// A coefficient of a law as a name to be found, given the seconds of a block and the basis of its law.
pub fn free(part: &Part, name: String, block_s: f64, basis: f64) -> Free {
    let start = match part.start {
        Start::OfBasis => block_s / basis,
        Start::OfBlock(times) => times * block_s,
        Start::At(value) => value,
    };
    Free { name, start, low: part.low, high: part.high }
}

/// The first law that is as good as the best.
pub fn choose(scores: &[Option<f64>]) -> Option<usize> {
    let best = scores.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    scores.iter().position(|score| score.is_some_and(|score| is_as_good(score, best)))
}

/// Whether a score is as good as the best.
pub fn is_as_good(score: f64, best: f64) -> bool {
    score <= AS_GOOD * best + ROUNDING
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Law;
    use proptest::prelude::*;
    use runcast_core::random::SplitMix;

    /// A law of one block a run; its coefficients start where [`Law::parts`] say.
    fn scored(law: Law, sizes: &[f64], real: &[f64]) -> Scored {
        let reference = sizes[sizes.len() / 2];
        let at = real[sizes.len() / 2];
        let free: Vec<Free> =
            law.parts().iter().map(|part| free(part, "c.x".to_owned(), at, law.basis(reference, reference))).collect();
        let time = |size: f64, c: &[f64]| match law {
            Law::Linear => c[0] * size,
            Law::Nlogn => c[0] * size * size.log2(),
            Law::Affine => (c[0] + c[1] * size).max(0.0),
            Law::Power => c[0] * (size / reference).powf(c[1]),
            _ => c[0] * size * size,
        };
        let simulate =
            |rows: &[usize], _: &[Free], values: &[f64]| Ok(rows.iter().map(|row| time(sizes[*row], values)).collect());
        let candidate = Candidate { free, in_logs: law.in_logs() };
        score(&Sized { real, sizes }, &candidate, &[], &Options::default(), &simulate).expect("scored")
    }

    const LAWS: [Law; 5] = [Law::Linear, Law::Nlogn, Law::Affine, Law::Power, Law::Quadratic];

    #[test]
    fn laws_are_told_apart_by_the_next_size() {
        // 3 ns n log2 n with errors of 1 % from SplitMix64. Scores and coefficient from a script of their own (least squares of
        // relative errors with numpy.linalg.lstsq, of the power law of logarithms).
        let splitmix = |state: u64| {
            let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        let sizes: Vec<f64> = (16..26).map(|power| 2.0_f64.powi(power)).collect();
        let real = |power: u64| {
            let u = ((splitmix(power * 64 * 256 * 4096) >> 11) as f64 + 0.5) / 2.0_f64.powi(53);
            3e-9 * 2.0_f64.powi(power as i32) * power as f64 * (1.0 + 0.01 * (2.0 * u - 1.0))
        };
        let real: Vec<f64> = (16..26).map(real).collect();
        let all: Vec<Scored> = LAWS.iter().map(|law| scored(*law, &sizes, &real)).collect();
        let expected = [21.168_585, 0.351_062, 12.739_724, 1.459_350, 105.522_386];
        for ((law, one), expected) in LAWS.iter().zip(&all).zip(expected) {
            let score = 100.0 * one.score.expect("scored");
            assert!((score / expected - 1.0).abs() < 1e-5, "{law:?}: {score} for {expected}");
        }
        assert!((all[1].values[0] / 3.007_223_56e-9 - 1.0).abs() < 1e-8, "{:?}", all[1]);
        let scores: Vec<Option<f64>> = all.iter().map(|one| one.score).collect();
        assert_eq!(choose(&scores), Some(1));
    }

    #[test]
    fn many_sizes_have_few_folds() {
        assert_eq!(folds(10), [5, 6, 7, 8, 9, 10]);
        assert_eq!(folds(5), [3, 4, 5]);
        let many = folds(2001);
        assert!(many.len() <= MOST_FOLDS + 1 && many[0] == 1001 && many.last() == Some(&2001), "{many:?}");
    }

    #[test]
    fn the_first_of_those_as_good_is_taken() {
        assert_eq!(choose(&[Some(0.105), Some(0.1), Some(0.2)]), Some(0));
        assert_eq!(choose(&[Some(0.106), Some(0.1), Some(0.2)]), Some(1));
        assert_eq!(choose(&[None, Some(3e-12), Some(1e-12)]), Some(1));
        assert_eq!(choose(&[None, None]), None);
    }

    #[test]
    fn a_law_that_cannot_be_simulated_has_a_reason() {
        let candidate =
            Candidate { free: vec![Free { name: "c.x".into(), start: 1.0, low: 0.0, high: 9.0 }], in_logs: false };
        let runs = Sized { real: &[1.0, 2.0, 3.0, 4.0], sizes: &[1.0, 2.0, 3.0, 4.0] };
        let failing = |_: &[usize], _: &[Free], _: &[f64]| Err(Problem::new("bad_time", "no time"));
        let seen = score(&runs, &candidate, &[], &Options::default(), &failing).expect("told");
        assert_eq!((seen.score, seen.reason.as_deref()), (None, Some("no time")));
        let stopped = |_: &[usize], _: &[Free], _: &[f64]| Err(Problem::new(INTERRUPTED, "interrupted"));
        assert!(score(&runs, &candidate, &[], &Options::default(), &stopped).is_err());
        let constant = |rows: &[usize], _: &[Free], _: &[f64]| Ok(vec![1.0; rows.len()]);
        let seen = score(&runs, &candidate, &[], &Options::default(), &constant).expect("told");
        assert!(seen.score.is_none() && seen.reason.is_some(), "nothing depends on it: {seen:?}");
    }

    proptest! {
        /// Runs of a law with errors of half a percent over a factor of 1,000 in size: the law is found again, or one that says
        /// the same.
        #[test]
        fn a_law_is_found_again(which in 0_usize..5, seed in 0_u64..1000) {
            let mut random = SplitMix::new(seed, 3);
            let sizes: Vec<f64> = (0..11).map(|step| (1e4 * 2.0_f64.powi(step)).round()).collect();
            let time = |size: f64| match LAWS[which] {
                Law::Linear => 2e-9 * size,
                Law::Nlogn => 2e-9 * size * size.log2(),
                Law::Affine => 1e-3 + 2e-9 * size,
                Law::Power => 2e-9 * size.powf(1.5),
                _ => 2e-12 * size * size,
            };
            let real: Vec<f64> = sizes.iter().map(|size| time(*size) * (1.0 + 0.01 * (random.uniform() - 0.5))).collect();
            let all: Vec<Option<f64>> = LAWS.iter().map(|law| scored(*law, &sizes, &real).score).collect();
            let best = all[which].expect("the true law is scored");
            prop_assert!(best < 0.01, "{all:?}");
            let chosen = all[choose(&all).expect("one")].expect("scored");
            prop_assert!(chosen <= AS_GOOD * best + ROUNDING, "{all:?}");
        }
    }
}
