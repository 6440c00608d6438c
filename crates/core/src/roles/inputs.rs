//! Which numeric columns were set before a run, and which are its results.
//!
//! An undeclared column is an input only if it is constant within each configuration of the others. Results of a run
//! (a load, an iteration's time, a residual) differ between repetitions; as a parameter such a column would turn every
//! run into a configuration of its own, and the model would explain the time by itself.

use super::processes::words;
use crate::metric::Metric;
use crate::series::groups::codes_of;
use crate::table::Table;

/// Number of rows examined; the rest of a longer table is ignored.
const MOST_ROWS: usize = 1 << 16;

/// Names of results or identifiers of a run, as the last word or the whole name.
const OUTCOMES: [&str; 16] = [
    "residual",
    "residuum",
    "resid",
    "checksum",
    "crc",
    "hash",
    "seed",
    "pid",
    "jobid",
    "date",
    "timestamp",
    "diff",
    "error",
    "speedup",
    "efficiency",
    "verified",
];

/// Names of columns that number repetitions, `rep` apart.
const REPETITIONS: [&str; 9] = ["rep", "run", "itr", "trial", "repeat", "repetition", "replicate", "iteration", "try"];

/// Whether a column numbers repetitions: by its name, holding the whole numbers from 0 or 1 on.
pub(super) fn numbers_repetitions(name: &str, values: &[f64]) -> bool {
    if name == "rep" {
        return true;
    }
    let words = words(name);
    let named = match words.as_slice() {
        [word] => REPETITIONS.contains(&word.as_str()),
        [word, last] => {
            REPETITIONS.contains(&word.as_str()) && ["id", "no", "nr", "number", "index"].contains(&last.as_str())
        }
        _ => false,
    };
    let mut distinct: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let starts = distinct.first().is_some_and(|&first| first == 0.0 || first == 1.0);
    named && starts && distinct.windows(2).all(|pair| pair[1] - pair[0] == 1.0)
}

/// The columns among `candidates` that are not inputs, each with the reason. `fixed` (labels, and what counts processes)
/// are part of every configuration; `repetition` numbers repetitions.
pub(super) fn outcomes(
    table: &Table,
    fixed: &[usize],
    candidates: &[usize],
    repetition: Option<usize>,
) -> Vec<(usize, String)> {
    let named = |index: &usize| is_outcome(&table.columns[*index].name);
    let mut found: Vec<(usize, String)> = candidates
        .iter()
        .filter(|index| named(index))
        .map(|&index| (index, "its name suggests a result or an identifier of a run".to_owned()))
        .collect();
    let open: Vec<usize> = candidates.iter().copied().filter(|index| !named(index)).collect();
    let rows: Vec<u32> = (0..table.rows().min(MOST_ROWS) as u32).collect();
    let judge = Judge { table, fixed, rows };
    let varying = match repetition.and_then(|repetition| judge.between_numbered(&open, repetition)) {
        Some(varying) => varying,
        None => judge.between_alike(&open),
    };
    found.extend(varying.into_iter().map(|index| (index, "it varies between runs of one configuration".to_owned())));
    found.sort_by_key(|&(index, _)| index);
    found
}

fn is_outcome(name: &str) -> bool {
    let words = words(name);
    let joined = words.concat();
    OUTCOMES.contains(&joined.as_str())
        || words.last().is_some_and(|last| OUTCOMES.contains(&last.as_str()))
        || words.iter().any(|word| ["speedup", "efficiency", "cost"].contains(&word.as_str()))
        || Metric::from_word(name).is_some()
}

struct Judge<'t> {
    table: &'t Table,
    fixed: &'t [usize],
    rows: Vec<u32>,
}

impl Judge<'_> {
    /// The columns that vary between numbered repetitions: finds the smallest set of candidates with which no
    /// configuration has two runs with the same number. What varies within these configurations was not set, unless it
    /// depends on the number alone. `None` if the column does not number repetitions.
    fn between_numbered(&self, candidates: &[usize], repetition: usize) -> Option<Vec<usize>> {
        let (_, numbers) = self.codes(&[repetition]);
        if 2 * numbers > self.rows.len() {
            return None;
        }
        let is_key = |chosen: &[usize]| {
            let columns = [chosen, &[repetition]].concat();
            self.codes(&self.with_fixed(&columns)).1 == self.rows.len()
        };
        let mut by_levels: Vec<(usize, usize)> =
            candidates.iter().map(|&index| (self.codes(&[index]).1, index)).collect();
        by_levels.sort_unstable();
        let mut chosen: Vec<usize> = Vec::new();
        for (_, index) in by_levels {
            if is_key(&chosen) {
                break;
            }
            chosen.push(index);
        }
        if !is_key(&chosen) {
            return None;
        }
        for index in chosen.clone() {
            let without: Vec<usize> = chosen.iter().copied().filter(|&other| other != index).collect();
            if is_key(&without) {
                chosen = without;
            }
        }
        let depends_on_number = |index: usize| self.codes(&[repetition, index]).1 == numbers;
        let configurations = self.codes(&self.with_fixed(&chosen)).1;
        let varies = |index: usize| {
            let columns = [chosen.as_slice(), &[index]].concat();
            self.codes(&self.with_fixed(&columns)).1 > configurations
        };
        let measured = |index: &usize| !chosen.contains(index) && varies(*index) && !depends_on_number(*index);
        Some(candidates.iter().copied().filter(measured).collect())
    }

    /// The columns that vary between runs with the same recurring values, in numbers that no user would set.
    fn between_alike(&self, candidates: &[usize]) -> Vec<usize> {
        let (recurring, single): (Vec<usize>, Vec<usize>) =
            candidates.iter().partition(|&&index| 2 * self.codes(&[index]).1 <= self.rows.len());
        let frame = self.with_fixed(&recurring);
        let (codes, configurations) = self.codes(&frame);
        // With a single configuration, every size would look like a measured quantity.
        if single.is_empty() || configurations < 2 || configurations == self.rows.len() {
            return Vec::new();
        }
        single.into_iter().filter(|&index| self.is_measured(index, &codes, configurations)).collect()
    }

    /// Whether a column varies within configurations like measured numbers: in digits that are not round, and, for
    /// whole numbers, only a little.
    fn is_measured(&self, index: usize, codes: &[u32], configurations: usize) -> bool {
        let Some(values) = self.table.columns[index].as_numbers() else { return false };
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); configurations];
        let (mut odd, mut count, mut whole) = (0usize, 0usize, true);
        for (&row, &code) in self.rows.iter().zip(codes) {
            let value = values[row as usize];
            if value.is_nan() {
                continue;
            }
            let (low, high) = &mut ranges[code as usize];
            (*low, *high) = (low.min(value), high.max(value));
            count += 1;
            odd += usize::from(!is_round(value));
            whole &= value.fract() == 0.0;
        }
        let varying: Vec<&(f64, f64)> = ranges.iter().filter(|(low, high)| high > low).collect();
        let close = varying.iter().filter(|(low, high)| high - low <= 0.25 * low.abs().max(high.abs())).count();
        !varying.is_empty() && 2 * odd > count && (!whole || 2 * close > varying.len())
    }

    fn with_fixed(&self, columns: &[usize]) -> Vec<usize> {
        [self.fixed, columns].concat()
    }

    /// A code for each row by the cells of some columns, and how many there are.
    fn codes(&self, columns: &[usize]) -> (Vec<u32>, usize) {
        codes_of(self.table, columns, &self.rows)
    }
}

/// Numbers as users set them: at most two fractional digits, three digits of a whole number, or few bits.
fn is_round(value: f64) -> bool {
    let bits = value.to_bits() & ((1 << 52) - 1);
    let few_bits = bits.trailing_zeros() >= 52 - 10 || bits == 0;
    let text = format!("{:e}", value.abs());
    let digits = text.split('e').next().unwrap_or(&text).bytes().filter(u8::is_ascii_digit).count();
    few_bits || digits <= if value.fract() == 0.0 { 3 } else { 2 }
}
