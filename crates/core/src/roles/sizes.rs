//! Names of problem sizes, which may hold any numbers: powers of two, or fractions that look measured.

use crate::spelling::words_of;

/// Words for a size, or for a part of a problem.
const SIZES: [&str; 37] = [
    "规模",
    "размер",
    "rozmiar",
    "grosse",
    "groesse",
    "size",
    "length",
    "len",
    "dim",
    "dimension",
    "dimensions",
    "dimensao",
    "cells",
    "elements",
    "points",
    "work",
    "grid",
    "mesh",
    "bytes",
    "message",
    "msg",
    "block",
    "tile",
    "chunk",
    "batch",
    "level",
    "depth",
    "steps",
    "iterations",
    "degree",
    "order",
    "refinements",
    "particles",
    "photons",
    "tamano",
    "tamanho",
    "taille",
];

/// Whether a name is that of a size: one of the words for it, or one or two letters, as in formulas.
pub(crate) fn is_size(name: &str) -> bool {
    let words = words_of(name);
    let is_symbol = |word: &String| word.len() <= 2 && word.starts_with(char::is_alphabetic);
    matches!(words.as_slice(), [only] if is_symbol(only)) || has_size_word(name)
}

/// Whether a word of a name is one for a size.
pub(crate) fn has_size_word(name: &str) -> bool {
    words_of(name).iter().any(|word| SIZES.iter().any(|size| word == size || (size.len() > 3 && word.ends_with(size))))
}

/// Whether a name is that of a problem among others, which numbers only tell apart: `test`, `case`.
pub(super) fn is_case(name: &str) -> bool {
    const CASES: [&str; 9] =
        ["test", "case", "testcase", "experiment", "scenario", "dataset", "instance", "query", "example"];
    let words = words_of(name);
    let name = match words.as_slice() {
        [word] => word,
        [word, last] if ["id", "no", "nr", "number", "index"].contains(&last.as_str()) => word,
        _ => return false,
    };
    CASES.contains(&name.as_str()) || is_id_of_thing(&words)
}

/// Whether a name is the number or name of something that runs share, rather than of one run: `machine_id`, `scene_id`.
pub(super) fn is_id_of_thing(words: &[String]) -> bool {
    const THINGS: [&str; 16] = [
        "machine",
        "platform",
        "system",
        "cluster",
        "scene",
        "graph",
        "matrix",
        "mesh",
        "image",
        "model",
        "algorithm",
        "solver",
        "config",
        "configuration",
        "dataset",
        "problem",
    ];
    matches!(words, [thing, id] if id == "id" && THINGS.contains(&thing.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_and_words_for_sizes_are_known() {
        for name in ["N", "nx", "dt", "matrix_size", "gridsize", "Message (B)", "problem length"] {
            assert!(is_size(name), "{name}");
        }
        for name in ["width", "scaling_factor", "0", "12", "load", "speed"] {
            assert!(!is_size(name), "{name}");
        }
        assert!(is_case("scene_id") && is_case("MachineId") && !is_case("job_id") && !is_case("scene"));
    }
}
