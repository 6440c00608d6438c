//! The column that numbers repetitions.

use crate::spelling::words_of;
use crate::table::Numbers;

/// Names of columns that number repetitions, `rep` apart.
const NAMES: [&str; 28] = [
    "iteracion",
    "iteracao",
    "prueba",
    "повтор",
    "rep",
    "reps",
    "run",
    "itr",
    "trial",
    "repeat",
    "repetition",
    "replicate",
    "iteration",
    "iter",
    "epoch",
    "try",
    "sample",
    "attempt",
    "essai",
    "wiederholung",
    "durchlauf",
    "repeticao",
    "repeticion",
    "execucao",
    "ejecucion",
    "corrida",
    "round",
    "ronda",
];

/// Names of how many runs there were, of which a row is one or the average.
const COUNTED: [&str; 4] = ["runs", "reps", "repeats", "repetitions"];

/// Whether a name says how many runs there were: `total_runs`, `num_reps`.
pub(super) fn counts_runs(name: &str) -> bool {
    const FILLERS: [&str; 6] = ["n", "num", "number", "nr", "of", "total"];
    let words = words_of(name);
    let mut left = words.iter().filter(|word| !FILLERS.contains(&word.as_str()));
    match (left.next(), left.next()) {
        (Some(only), None) => {
            COUNTED.contains(&only.as_str()) || only.strip_prefix('n').is_some_and(|rest| COUNTED.contains(&rest))
        }
        _ => false,
    }
}

/// Whether a word is that of a repetition, one or many.
pub(crate) fn is_repetition(word: &str) -> bool {
    const MORE: [&str; 2] = ["measurement", "r"];
    NAMES.iter().chain(&MORE).any(|name| word == *name || word.strip_suffix('s') == Some(name))
}

/// Whether a column numbers repetitions: by its name, holding the whole numbers from 0 or 1 on.
pub(super) fn numbers(name: &str, values: &Numbers) -> bool {
    if name == "rep" {
        return true;
    }
    let words = words_of(name);
    // Where all rows have one, it is how many there were.
    let may_count = matches!(words.as_slice(), [only] if COUNTED.contains(&only.as_str()));
    let least = if may_count { 2 } else { 1 };
    let named = match words.as_slice() {
        [word] => may_count || NAMES.contains(&word.as_str()),
        [word, last] => {
            NAMES.contains(&word.as_str()) && ["id", "no", "nr", "num", "number", "index"].contains(&last.as_str())
        }
        _ => false,
    };
    if !named {
        return false;
    }
    // A column of fractions is not copied.
    let given = || values.distinct().iter().copied().filter(|value| !value.is_nan());
    if given().any(|value| value.fract() != 0.0) {
        return false;
    }
    let mut distinct: Vec<f64> = given().collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let starts = distinct.first().is_some_and(|&first| first == 0.0 || first == 1.0);
    starts && distinct.len() >= least && distinct.windows(2).all(|pair| pair[1] - pair[0] == 1.0)
}
