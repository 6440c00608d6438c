//! The algorithm, and its keys.

use super::given::Given;
use super::keys::{KEYS, Key};
use super::spec::CostSpec;
use crate::cost::Algorithm;
use crate::cost::algorithm::ALGORITHMS;
use runcast_core::Problem;
use runcast_core::problem::shorten;

/// The source of the costs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Choice {
    BuiltIn(&'static Algorithm),
    Counts,
    Times,
}

impl Choice {
    /// The chosen algorithm, and its name.
    pub(super) fn of(spec: &CostSpec) -> Result<(Self, String), Problem> {
        let given = spec.options.get("algorithm").or_else(|| spec.file.get(&("", "algorithm")));
        let Some(given) = given else { return Err(missing(spec)) };
        let name = given.plain().trim();
        let choice = match name {
            "counts" => Some(Choice::Counts),
            "times" => Some(Choice::Times),
            _ => Algorithm::find(name).map(Choice::BuiltIn),
        };
        choice.map(|choice| (choice, name.to_owned())).ok_or_else(|| {
            let message = format!("\"{}\" is not an algorithm", shorten(name, 60));
            given.place.locate(Problem::new("unknown_name", message).value(name).allowed(names()))
        })
    }

    /// The table of a key, and its name there; none if the algorithm does not use it.
    pub(super) fn home(self, key: &Key) -> Option<(&'static str, &'static str)> {
        key.homes.iter().copied().find(|&home| self.uses(home))
    }

    /// As [`Choice::home`], by the name of the key.
    pub(super) fn home_of(self, name: &str) -> Option<(&'static str, &'static str)> {
        Key::find(name).and_then(|key| self.home(key))
    }

    fn uses(self, home: (&str, &str)) -> bool {
        match (self, home) {
            (_, ("", "algorithm" | "level")) => true,
            (Choice::BuiltIn(_), ("", "size")) => true,
            (Choice::BuiltIn(algorithm), ("", "inequalities")) => algorithm.has_inequalities,
            (Choice::Counts, ("", "parameters") | ("counts", _)) => true,
            (Choice::BuiltIn(_) | Choice::Counts, ("machine", _)) => true,
            (Choice::Times, ("times", _)) => true,
            _ => false,
        }
    }

    /// Keys that were given although the algorithm does not use them. Keys of a file are ignored if an option replaces
    /// the file's algorithm.
    pub(super) fn unused(self, spec: &CostSpec, name: &str) -> Vec<Problem> {
        let is_replaced = spec.options.contains_key("algorithm");
        let options = spec.options.iter().filter(|(name, _)| self.home_of(name).is_none()).map(|(_, given)| given);
        let file = spec.file.iter().filter(|(home, _)| !self.uses(**home)).map(|(_, given)| given);
        let takes_parameters = self.home_of("parameters").is_some();
        let parameters = spec.parameters.iter().filter(|_| !takes_parameters).map(|(_, given)| given);
        let mut given: Vec<&Given> = options.chain(file).chain(parameters).collect();
        given.retain(|given| given.place.is_option() || !is_replaced);
        given.sort_by_key(|given| given.place.spot.as_ref().map(|spot| (spot.line, spot.column)));
        given.into_iter().map(|given| self.problem(given, name)).collect()
    }

    fn problem(self, given: &Given, name: &str) -> Problem {
        let keys = KEYS.iter().filter_map(|key| Some((key, self.home(key)?)));
        let allowed: Vec<String> = match given.place.is_option() {
            true => keys.map(|(key, _)| format!("--{}", key.option())).collect(),
            false => keys.map(|(_, (_, called))| called.to_owned()).collect(),
        };
        let problem = Problem::new("unused", format!("{name} does not use it")).value(given.shown());
        given.place.locate(problem.allowed(allowed.join(", ")))
    }
}

fn missing(spec: &CostSpec) -> Problem {
    let problem = Problem::new("missing", "no algorithm is given").allowed(names());
    match &spec.name {
        Some(file) => {
            problem.in_file(file.clone()).at("/algorithm").hint("algorithm = \"jacobi\", or --algorithm jacobi")
        }
        None => problem.at("--algorithm").hint("--algorithm jacobi --size 1500, or a file of costs"),
    }
}

fn names() -> String {
    let built_in = ALGORITHMS.iter().map(|algorithm| algorithm.name);
    built_in.chain(["counts", "times"]).collect::<Vec<_>>().join(", ")
}
