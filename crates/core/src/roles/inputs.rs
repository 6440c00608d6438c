//! Which numeric columns were set before a run, and which are its results.
//!
//! An undeclared column is an input only if it is constant within each configuration of the others. Results of a run
//! (a load, an iteration's time, a residual) differ between repetitions; as a parameter such a column would turn every
//! run into a configuration of its own, and the model would explain the time by itself.

use super::metrics::is_ratio_of_times;
use super::read_as::Unused;
use super::repetitions::counts_runs;
use super::sizes::{is_id_of_thing, is_size};
use super::statistics::{is_spread, is_statistic};
use super::{identifiers, processes};
use crate::metric::{Metric, is_unit_of_time};
use crate::series::groups::codes_of;
use crate::spelling::words_of;
use crate::table::{Column, Numbers, Table};

/// Number of rows examined; the rest of a longer table is ignored.
const MOST_ROWS: usize = 1 << 16;

/// Names of results, as the last word or the whole name; what follows from a time, and identifiers, are known elsewhere.
const OUTCOMES: [&str; 38] = [
    "residual",
    "residuum",
    "resid",
    "residue",
    "crc",
    "seed",
    "diff",
    "error",
    "err",
    "errors",
    "results",
    "norm",
    "loss",
    "accuracy",
    "eff",
    "overhead",
    "pi",
    "answer",
    "outcome",
    "final",
    "successes",
    "succeeded",
    "failures",
    "failed",
    "cost",
    "costs",
    "mfu",
    "hfu",
    "usage",
    "temperature",
    "utilization",
    "util",
    "utilisation",
    "occupancy",
    "sypd",
    "chsy",
    "drift",
    "energyratio",
];

/// Words for how far a result is from another, anywhere in a name: `Pixel_Diff_Max`, `Changed_Pixels`.
const COMPARED: [&str; 7] = ["diff", "difference", "changed", "psnr", "ssim", "mse", "rmse"];

/// Words for a curve that was calculated rather than measured.
const CURVES: [&str; 13] = [
    "ideal",
    "theoretical",
    "theory",
    "perfect",
    "expected",
    "predicted",
    "estimated",
    "modeled",
    "modelled",
    "amdahl",
    "gustafson",
    "karp",
    "usl",
];

/// Names that ask whether a run was right.
const VERDICTS: [&str; 9] =
    ["verified", "verification", "correct", "valid", "passed", "checked", "converged", "result", "checksum"];

/// Names of counts that are an input where they go with the size, and a result where they change with the processes.
const COUNTS: [&str; 10] =
    ["iterations", "iters", "iter", "its", "niter", "steps", "cycles", "dofs", "messages", "restarts"];

/// The columns among `candidates` that are not inputs, each with the reason. `fixed` (labels, and what counts processes)
/// are part of every configuration; `repetition` numbers repetitions.
pub(super) fn outcomes(
    table: &Table,
    fixed: &[usize],
    candidates: &[usize],
    repetition: Option<usize>,
    processes: &[usize],
) -> Vec<(usize, Unused)> {
    let rows: Vec<u32> = (0..table.rows().min(MOST_ROWS) as u32).collect();
    let judge = Judge { table, fixed, rows };
    let named = |index: &usize| {
        let column = &table.columns[*index];
        let is_shared = is_id_of_thing(&words_of(&column.name)) && !judge.is_single(*index);
        (is_outcome(&column.name) && !is_shared && !is_length_of_run(column))
            || is_rank(column)
            || is_change(column)
            || judge.is_share(*index)
    };
    let mut found: Vec<(usize, Unused)> = candidates
        .iter()
        .filter(|index| named(index))
        .map(|&index| {
            (
                index,
                identifiers::by_name(&table.columns[index].name).unwrap_or(if is_rank(&table.columns[index]) {
                    Unused::Identifier
                } else {
                    Unused::Outcome
                }),
            )
        })
        .collect();
    let open: Vec<usize> = candidates.iter().copied().filter(|index| !named(index)).collect();
    let varying = match repetition.and_then(|repetition| judge.between_numbered(&open, repetition)) {
        Some(varying) => varying,
        None => judge.between_alike(&open),
    };
    found.extend(varying.into_iter().map(|index| (index, Unused::Outcome)));
    let left: Vec<usize> =
        open.iter().copied().filter(|index| !found.iter().any(|(other, _)| other == index)).collect();
    // Rows of a trace, one for each process: what each sent follows from its place.
    let has_ranks = processes.is_empty() && table.columns.iter().any(|column| words_of(&column.name) == ["rank"]);
    let is_checked = table.columns.iter().any(|column| is_misfit(&column.name));
    let is_steps = |index: &usize| counts_steps(&table.columns[*index].name);
    for &index in &left {
        let is_open = |other: &usize| *other != index && !found.iter().any(|(known, _)| known == other);
        let others: Vec<usize> = left.iter().copied().filter(is_open).collect();
        let column = &table.columns[index];
        let is_count = counts_steps(&column.name);
        let is_traffic = is_traffic(&column.name) && (has_ranks || judge.varies_with(index, &others, processes));
        let measured = column.as_numbers().is_some_and(looks_measured)
            && judge.is_single(index)
            && judge.rows.len() >= 4
            && !is_size(&column.name);
        // `% of peak` of each number of processes; shares that were set recur with all of them.
        let is_share =
            column.name.contains('%') && judge.is_single(index) && judge.varies_with(index, &others, processes);
        let counted = is_count && judge.varies_with(index, &others, processes);
        // How long it took until the residual was small.
        let is_converged = is_count && is_checked && {
            let decided: Vec<usize> = fixed.iter().chain(&others).copied().filter(|other| !is_steps(other)).collect();
            follows(table, index, &decided)
        };
        if measured
            || is_converged
            || (is_share && !judge.is_set(index, processes))
            || ((counted || is_traffic)
                && !judge.is_set(index, processes)
                && !(processes.is_empty() && judge.recurs(index, &others)))
        {
            found.push((index, Unused::Outcome));
        }
    }
    found.sort_by_key(|&(index, _)| index);
    found
}

/// Whether a name counts what a run did: its last word does.
fn counts_steps(name: &str) -> bool {
    words_of(name).last().is_some_and(|last| COUNTS.contains(&last.as_str()))
}

/// Whether a name is that of what an iteration leaves over: `cg_residual`, `Error`.
fn is_misfit(name: &str) -> bool {
    const LEFT: [&str; 6] = ["residual", "residuum", "resid", "residue", "error", "err"];
    words_of(name).last().is_some_and(|last| LEFT.contains(&last.as_str()))
}

/// Whether a name counts what a run sent.
fn is_traffic(name: &str) -> bool {
    const SENT: [&str; 6] = ["bytes", "msgs", "messages", "volume", "traffic", "packets"];
    const FILLERS: [&str; 9] = ["n", "num", "total", "of", "sent", "received", "recv", "comm", "communicated"];
    let words = words_of(name);
    let mut left = words.iter().filter(|word| !FILLERS.contains(&word.as_str()));
    matches!((left.next(), left.next()), (Some(only), None) if SENT.contains(&only.as_str()))
}

/// Whether a column says which process a row is of: `rank`, from 0 on.
fn is_rank(column: &Column) -> bool {
    words_of(&column.name).last().is_some_and(|last| last == "rank")
        && column.as_numbers().is_some_and(|values| values.distinct().contains(&0.0))
}

/// Whether a column says how many percent something was more or less: some are negative, or look measured.
fn is_change(column: &Column) -> bool {
    column.name.contains('%')
        && column.as_numbers().is_some_and(|values| looks_measured(values) || values.iter().any(|value| *value < 0.0))
}

/// Whether a column is a result, or identifies a run, by its name.
pub(crate) fn is_outcome(name: &str) -> bool {
    let words = words_of(name);
    OUTCOMES.contains(&words.concat().as_str())
        || words.last().is_some_and(|last| OUTCOMES.contains(&last.as_str()))
        || words.iter().any(|word| word == "cost")
        || is_of_runs(&words)
        || counts_runs(name)
        || is_verdict(name)
        || is_curve(name)
        || is_rate_of_one(&words)
        || is_function_of_processes(name)
        || is_comparison(&words)
        || is_ratio_of_times(name)
        || identifiers::by_name(name).is_some()
        || Metric::from_word(name).is_some()
}

/// Whether a name says how far a result is from another; `DiffCoeff` is the coefficient of a diffusion.
fn is_comparison(words: &[String]) -> bool {
    words.iter().any(|word| COMPARED.contains(&word.as_str())) && !words.iter().any(|word| word.starts_with("coef"))
}

/// Whether a column says how long a simulated world lasts, which is set, and no time that a run took: `simulated_time_s`;
/// under a name that may mean either (`EndTime`, `sim_time_s`), where all its numbers are round and recur.
pub(super) fn is_length_of_run(column: &Column) -> bool {
    const SIMULATED: [&str; 3] = ["simulated", "physical", "virtual"];
    const DOUBTFUL: [&str; 7] = ["sim", "simulation", "model", "end", "final", "stop", "t"];
    let Some(values) = column.as_numbers() else { return false };
    let mut words = words_of(&column.name);
    if words.len() > 1 && words.last().is_some_and(|last| is_unit_of_time(last)) {
        words.pop();
    }
    let [.., of, time] = words.as_slice() else { return false };
    let is_time = time == "time" || (of == "t" && ["end", "max", "final", "sim", "stop"].contains(&time.as_str()));
    let are_set = || {
        let levels = values.distinct();
        let are_few = levels.len() == 1 || values.len() >= 4 * levels.len();
        are_few && levels.iter().all(|value| *value > 0.0 && *value < 1e6 && is_round(*value))
    };
    is_time && (SIMULATED.contains(&of.as_str()) || (DOUBTFUL.contains(&of.as_str()) && are_set()))
}

/// Whether a name is that of a statistic of several runs (`max` alone, or a spread), or of a clock of the shell.
fn is_of_runs(words: &[String]) -> bool {
    const CLOCKS: [&str; 3] = ["user", "sys", "system"];
    let is_alone = |word: &str| is_statistic(word) || CLOCKS.contains(&word);
    matches!(words, [only] if is_alone(only)) || is_spread(words)
}

/// Whether a name is written as a function of the processes, as textbooks write speedup, efficiency, the serial fraction of
/// Karp and Flatt, and Gustafson's speedup: `S(p)`, `E(p)`, `e(KF)`, `G(p)`.
fn is_function_of_processes(name: &str) -> bool {
    const OF: [&str; 5] = ["p", "n", "np", "par", "kf"];
    let call = name.trim().strip_suffix(')').and_then(|name| name.split_once('('));
    call.is_some_and(|(letter, of)| {
        letter.len() == 1
            && letter.chars().all(|c| c.is_ascii_alphabetic() && !"tTnNpP".contains(c))
            && OF.contains(&of.to_ascii_lowercase().as_str())
    })
}

/// Whether a name is that of how fast one of the processes was: `Perf_PerRank`.
fn is_rate_of_one(words: &[String]) -> bool {
    const RATES: [&str; 8] = ["perf", "performance", "throughput", "rate", "speed", "flops", "gflops", "bandwidth"];
    let Some(per) = words.iter().position(|word| word == "per") else { return false };
    let what = words[per + 1..].concat();
    words.first().is_some_and(|first| RATES.contains(&first.as_str()))
        && (processes::preference(&what).is_some() || processes::preference(&format!("{what}s")).is_some())
}

/// Whether a name asks whether a run was right.
pub(super) fn is_verdict(name: &str) -> bool {
    words_of(name).last().is_some_and(|last| VERDICTS.contains(&last.as_str()))
}

/// Whether a name is that of a curve drawn beside what was measured: `ideal_time`, `amdahl_f_0.9`. An expectation with a
/// unit behind its name is one over failures, as the simulator writes it: `expected_time_s`.
pub(super) fn is_curve(name: &str) -> bool {
    let is_expectation = || Metric::from_name(name).is_some_and(|metric| metric.is_time());
    words_of(name).iter().any(|word| CURVES.contains(&word.as_str()) && !(word == "expected" && is_expectation()))
}

/// Words for an average over what a run did: a result, where its numbers are fractions.
const AVERAGES: [&str; 5] = ["avg", "average", "mean", "median", "normed"];

/// Words for a time that a run lost: a result, where its numbers hardly recur and are no round ones.
const LOST: [&str; 7] = ["delay", "delays", "latency", "wait", "waiting", "idle", "overhead"];

/// Words for a part of what a run did, or for how fast it went: results, where the numbers are fractions that do not
/// recur from row to row, as those of a plan do.
const PARTS: [&str; 16] = [
    "comm",
    "comms",
    "communication",
    "comp",
    "compute",
    "computation",
    "calc",
    "io",
    "wait",
    "waiting",
    "idle",
    "imbalance",
    "bw",
    "bandwidth",
    "throughput",
    "sync",
];

struct Judge<'t> {
    table: &'t Table,
    fixed: &'t [usize],
    rows: Vec<u32>,
}

impl Judge<'_> {
    /// Whether a column is a result by words that an input may have, too, and by its numbers.
    fn is_share(&self, index: usize) -> bool {
        let column = &self.table.columns[index];
        let Some(values) = column.as_numbers() else { return false };
        let words = words_of(&column.name);
        let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let is_fraction = |value: &f64| value.is_finite() && value.fract() != 0.0;
        let has_fractions = || values.iter().take(MOST_ROWS).any(is_fraction);
        if has(&AVERAGES) {
            return has_fractions();
        }
        let is_odd = |value: &&f64| !is_round(**value);
        let are_odd = || 2 * values.iter().take(MOST_ROWS).filter(is_odd).count() > values.len().min(MOST_ROWS);
        if has(&LOST) && self.is_single(index) && are_odd() {
            return true;
        }
        has(&PARTS) && has_fractions() && (self.is_single(index) || looks_measured(values))
    }

    /// Whether hardly any of a column's numbers comes twice.
    fn is_single(&self, index: usize) -> bool {
        self.codes(&[index]).1 * 5 > self.rows.len() * 4
    }

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
        // Printed with few digits, results recur, too; what was set is round, or recurs with each value of the others.
        let are_fractions = |index: &usize| {
            let values = self.table.columns[*index].as_numbers().unwrap_or_default();
            let odd = values.distinct().iter().filter(|value| value.fract() != 0.0 && !is_round(**value)).count();
            2 * odd > values.distinct().len()
        };
        let (printed, recurring): (Vec<usize>, Vec<usize>) = recurring.into_iter().partition(are_fractions);
        let among = |open: &[usize], frame: &[usize]| -> Vec<usize> {
            let (codes, configurations) = self.codes(frame);
            // With a single configuration, every size would look like a measured quantity.
            if configurations < 2 || configurations == self.rows.len() {
                return Vec::new();
            }
            open.iter().copied().filter(|&index| self.is_measured(index, &codes, configurations)).collect()
        };
        let whole = self.with_fixed(&recurring);
        let mut found: Vec<usize> = match printed.is_empty() || whole.is_empty() {
            true => Vec::new(),
            false => among(&printed, &whole).into_iter().filter(|&index| !self.recurs(index, &whole)).collect(),
        };
        let set: Vec<usize> = printed.iter().copied().filter(|index| !found.contains(index)).collect();
        found.extend(among(&single, &[whole, set].concat()));
        found
    }

    /// Whether a column varies within configurations like measured numbers: in digits that are not round, and, for
    /// whole numbers, only a little.
    fn is_measured(&self, index: usize, codes: &[u32], configurations: usize) -> bool {
        let Some(values) = self.table.columns[index].as_numbers() else { return false };
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); configurations];
        let (mut odd, mut fractions, mut count, mut whole) = (0usize, 0usize, 0usize, true);
        for (&row, &code) in self.rows.iter().zip(codes) {
            let value = values[row as usize];
            if value.is_nan() {
                continue;
            }
            let (low, high) = &mut ranges[code as usize];
            (*low, *high) = (low.min(value), high.max(value));
            count += 1;
            odd += usize::from(!is_round(value));
            fractions += usize::from(value.fract() != 0.0);
            whole &= value.fract() == 0.0;
        }
        let varying: Vec<&(f64, f64)> = ranges.iter().filter(|(low, high)| high > low).collect();
        let close = varying.iter().filter(|(low, high)| high - low <= 0.25 * low.abs().max(high.abs())).count();
        let are_close = 2 * close > varying.len();
        // Two digits behind the point are what some programs print, too.
        let printed = 2 * fractions > count && are_close;
        !varying.is_empty() && ((2 * odd > count && (!whole || are_close)) || printed)
    }

    /// Whether a column was set with each number of processes: its numbers recur from one to the next, or are that number
    /// times a constant, as the sizes of weak scaling are.
    fn is_set(&self, index: usize, processes: &[usize]) -> bool {
        let per_process = |&count: &usize| {
            let of = |column: usize| self.table.columns[column].as_numbers();
            let (Some(values), Some(counts)) = (of(index), of(count)) else { return false };
            let mut shares = self.rows.iter().map(|&row| values[row as usize] / counts[row as usize]);
            let Some(first) = shares.next() else { return false };
            shares.all(|share| (share / first - 1.0).abs() < 1e-9)
        };
        self.recurs(index, processes) || processes.iter().any(per_process)
    }

    /// Whether the same numbers come again from one value of the others to the next.
    fn recurs(&self, index: usize, others: &[usize]) -> bool {
        let (_, counts) = self.codes(others);
        let (_, levels) = self.codes(&[index]);
        let (_, pairs) = self.codes(&[others, &[index]].concat());
        counts > 1 && levels > 1 && 4 * pairs >= 3 * counts * levels
    }

    /// Whether a column varies where all is equal but the number of processes.
    fn varies_with(&self, index: usize, others: &[usize], processes: &[usize]) -> bool {
        let mut frame: Vec<usize> = self.fixed.iter().copied().filter(|column| !processes.contains(column)).collect();
        frame.extend(others);
        let alone = self.codes(&frame).1;
        frame.push(index);
        alone < self.rows.len() && self.codes(&frame).1 > alone
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
pub(super) fn is_round(value: f64) -> bool {
    let bits = value.to_bits() & ((1 << 52) - 1);
    let few_bits = bits.trailing_zeros() >= 52 - 10 || bits == 0;
    let text = format!("{:e}", value.abs());
    let digits = text.split('e').next().unwrap_or(&text).bytes().filter(u8::is_ascii_digit).count();
    few_bits || digits <= if value.fract() == 0.0 { 3 } else { 2 }
}

/// Whether numbers look measured: most are fractions with more digits than people set.
pub(crate) fn looks_measured(values: &Numbers) -> bool {
    let given = || values.iter().take(MOST_ROWS).filter(|value| !value.is_nan());
    let odd = given().filter(|value| value.fract() != 0.0 && !is_round(**value)).count();
    2 * odd > given().count()
}

/// Whether a column is one and the same number wherever `others` are alike.
pub(super) fn follows(table: &Table, index: usize, others: &[usize]) -> bool {
    let rows: Vec<u32> = (0..table.rows().min(MOST_ROWS) as u32).collect();
    let (_, without) = codes_of(table, others, &rows);
    let (_, with) = codes_of(table, &[others, &[index]].concat(), &rows);
    with == without
}

/// Whether a name is that of a version of a program, which makes groups: 1.1 is not ten percent more than 1.0.
pub(super) fn is_version(name: &str) -> bool {
    words_of(name).last().is_some_and(|last| ["version", "release"].contains(&last.as_str()))
}

/// Whether a column holds 0 and 1 and nothing else.
pub(super) fn is_flag(table: &Table, index: usize) -> bool {
    let values = table.columns[index].as_numbers().unwrap_or_default();
    let are_flags = values.distinct().iter().all(|value| *value == 0.0 || *value == 1.0);
    are_flags && values.contains(&0.0) && values.contains(&1.0)
}

/// Whether a column holds a few whole numbers that recur, among them 0 for something that is off: no law of powers holds
/// there. What is called a size is one, and counts from 0 on may be anything.
pub(super) fn is_switch(table: &Table, index: usize) -> bool {
    const MOST_LEVELS: usize = 8;
    let column = &table.columns[index];
    let values = column.as_numbers().unwrap_or_default();
    let mut levels = values.distinct().to_vec();
    levels.retain(|level| !level.is_nan());
    let are_few = (2..=MOST_LEVELS).contains(&levels.len()) && values.len() >= 2 * levels.len();
    let are_whole = levels.iter().all(|level| *level >= 0.0 && level.fract() == 0.0);
    are_few && are_whole && levels.contains(&0.0) && levels.iter().any(|level| *level > 1.0) && !is_size(&column.name)
}
