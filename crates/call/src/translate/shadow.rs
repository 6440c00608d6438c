//! The translation of a source that nobody sees: it is compiled in the place of the source, under the source's name.

use super::clause::Parallel;
use super::emit::{self, Opening, Renaming};
use super::experiment::{self, Formulas};
use super::source::Source;
use super::{Experiment, Input, refused};
use runcast_core::{Problem, Warning};
use std::collections::BTreeSet;

/// How a translation is called, by the compiler's messages and by the file itself.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// The source's name in messages, debugging information and `__FILE__`; any bytes.
    pub name: &'a [u8],
    /// What the translation includes for the tables of its experiments.
    pub tables: &'a str,
}

/// A translation.
#[derive(Debug, Clone, PartialEq)]
pub struct Shadow {
    pub text: Vec<u8>,
    /// The header with the tables; none without pragmas.
    pub tables: Option<String>,
    pub experiments: Vec<Experiment>,
    /// What each region is refused for, with its name; its pragmas are left out.
    pub refused: Vec<(String, Problem)>,
    pub warnings: Vec<Warning>,
    /// Whether the program's communication is recorded, which needs all of the run-time library.
    pub communicates: bool,
}

/// Translates a source without the regions that are refused.
pub fn shadow(input: &Input, place: &Place<'_>, renaming: &mut Renaming<'_>) -> Shadow {
    let mut input = input.clone();
    let mut told = Vec::new();
    // Each round leaves out a pragma at least.
    let mut rounds = 0;
    loop {
        let next;
        {
            let mut sources = [Source::read(&input)];
            let formulas = Formulas::of(&mut sources);
            let [mut source] = sources;
            let experiments = experiment::of_source(&mut source, &formulas);
            let problems = source.problems();
            if problems.is_empty() {
                return emitted(&source, experiments, place, told, renaming);
            }
            rounds += 1;
            let refused = refused::refused(&source);
            let mut pragmas = BTreeSet::new();
            for (refused, problem) in refused.into_iter().zip(problems) {
                let known = told
                    .iter()
                    .any(|(name, known): &(String, Problem)| *name == refused.name && known.line == problem.line);
                if !known {
                    told.push((refused.name, problem));
                }
                pragmas.extend(refused.pragmas);
            }
            if rounds > ROUNDS {
                pragmas = (0..source.scanned.pragmas.len()).collect();
            }
            // Without a pragma, nothing is left that could be wrong.
            next = if pragmas.is_empty() { None } else { Some(refused::without(&source, &pragmas)) };
        }
        match next {
            Some(text) => input.text = text,
            None => return untouched(input, told),
        }
    }
}

/// Declarations alone, for the library's cold part is in the object already, unless the compiler is told otherwise.
const LIBRARY: &str = "#pragma GCC system_header\n#if !defined CLL_WHOLE && !defined CLL_HOT\n#define CLL_HOT 1\n#endif\n\
    #if defined CLL_WHOLE || defined CLL_LIBRARY\n#include \"cll.h\"\n#else\n#include \"cll_hot.h\"\n#endif\n";

/// After so many rounds, everything that is left is refused.
const ROUNDS: usize = 50;

fn untouched(input: Input, refused: Vec<(String, Problem)>) -> Shadow {
    let (text, tables, experiments, warnings) = (input.text, None, Vec::new(), Vec::new());
    Shadow { text, tables, experiments, refused, warnings, communicates: false }
}

fn emitted(
    source: &Source<'_>,
    experiments: Vec<experiment::Experiment>,
    place: &Place<'_>,
    refused: Vec<(String, Problem)>,
    renaming: &mut Renaming<'_>,
) -> Shadow {
    // A source always has the library at its beginning: what it includes may be between braces.
    let has_tables = source.has_pragmas() || source.input.shared.is_none();
    let opening = Opening::hidden(place.name, has_tables.then_some(place.tables));
    let kinds = source.clauses.iter().flatten();
    Shadow {
        text: emit::text(source, &experiments, &opening, renaming),
        tables: has_tables.then(|| emit::header(source, &experiments, LIBRARY)),
        warnings: source.warnings(),
        communicates: kinds.into_iter().any(|clause| {
            matches!(clause, super::clause::Clause::Parallel { kind: Parallel::Mpi | Parallel::Pub, .. })
        }),
        experiments: experiments.into_iter().map(|experiment| experiment.told).collect(),
        refused,
    }
}
