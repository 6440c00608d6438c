//! From the given values to costs.

use super::amount;
use super::choice::Choice;
use super::given::Given;
use super::lookup::Lookup;
use super::parameters;
use super::spec::{CostSpec, Described};
use crate::cost::{Algorithm, CostModel, Counts, Machine, Source, Times, Uncertain, Work};
use runcast_core::{Problem, Problems};

const DEFAULT_LEVEL: f64 = 0.9;
const MAP_OR_WORK: &str = "one of map (without folds) and work (with them)";

pub(super) fn resolve(spec: &CostSpec) -> Result<Described, Problems> {
    let (choice, algorithm) = Choice::of(spec)?;
    let lookup = Lookup { spec, choice };
    let mut reader = Reader { lookup, problems: choice.unused(spec, &algorithm) };
    let found = reader.read();
    let Some(Found { parameters, source, level }) = found.filter(|_| reader.problems.is_empty()) else {
        return Err(Problems(reader.problems));
    };
    let model = CostModel::new(source, level).map_err(|error| lookup.cost_problem(&error))?;
    Ok(Described { algorithm, parameters, model })
}

/// Reads key after key and collects problems. Its methods return none after a problem.
struct Reader<'a> {
    lookup: Lookup<'a>,
    problems: Vec<Problem>,
}

struct Found {
    parameters: Vec<(String, f64)>,
    source: Source,
    level: f64,
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Option<Found> {
        let level = match self.lookup.given("input_level") {
            Some(given) => self.located(given, amount::level(given.plain())),
            None => Some(DEFAULT_LEVEL),
        };
        let (parameters, source) = match self.lookup.choice {
            Choice::BuiltIn(algorithm) => self.built_in(algorithm),
            Choice::Counts => self.counts(),
            Choice::Times => self.times().map(|times| (Vec::new(), Source::Times(times))),
        }?;
        Some(Found { parameters, source, level: level? })
    }

    fn built_in(&mut self, algorithm: &Algorithm) -> Option<(Vec<(String, f64)>, Source)> {
        let (size_given, machine) = (self.needed("size"), self.machine());
        let inequalities = match self.lookup.given("inequalities").filter(|_| algorithm.has_inequalities) {
            Some(given) => Some(self.located(given, amount::whole(given.plain()))?),
            None => None,
        };
        let size_given = size_given?;
        let size = self.located(size_given, amount::whole(size_given.plain()))?;
        let counts = algorithm.counts(size, inequalities).map_err(|error| amount::cost_problem(&error));
        let counts = self.located(size_given, counts)?;
        let mut parameters = vec![("size".to_owned(), size as f64)];
        if algorithm.has_inequalities {
            parameters.push(("inequalities".to_owned(), counts.list_length as f64));
        }
        Some((parameters, Source::Counts(counts, machine?)))
    }

    fn counts(&mut self) -> Option<(Vec<(String, f64)>, Source)> {
        let parameters = self.noted(parameters::evaluate(&self.lookup.spec.parameters))?;
        let list_length = self.length(&parameters);
        let (send, map, fold) = (
            self.count("count_send", &parameters),
            self.count("count_map", &parameters),
            self.count("count_fold", &parameters),
        );
        let (receive, compute) = (self.count("count_receive", &parameters), self.count("count_compute", &parameters));
        let machine = self.machine();
        let counts = Counts {
            list_length: list_length?,
            send: send?,
            map: map?,
            fold: fold?,
            receive: receive?,
            compute: compute?,
        };
        Some((parameters, Source::Counts(counts, machine?)))
    }

    fn times(&mut self) -> Option<Times<Uncertain>> {
        let list_length = self.length(&[]);
        let (latency, overhead) = (self.time("latency"), self.time_if_given("overhead"));
        let (send, work, fold) = (self.time("send"), self.work(), self.time("fold"));
        let (receive, compute) = (self.time("receive"), self.time("compute"));
        Some(Times {
            list_length: list_length?,
            latency_s: latency?,
            overhead_s: overhead?,
            send_s: send?,
            receive_s: receive?,
            work: work?,
            fold_s: fold?,
            compute_s: compute?,
        })
    }

    fn machine(&mut self) -> Option<Machine<Uncertain>> {
        let (latency, overhead) = (self.time("latency"), self.time_if_given("overhead"));
        let (op_time, transfer_time) = (self.time("op_time"), self.time("transfer_time"));
        Some(Machine {
            latency_s: latency?,
            overhead_s: overhead?,
            op_time_s: op_time?,
            transfer_time_s: transfer_time?,
        })
    }

    /// Exactly one of `map` and `work`; an option for one of them takes precedence over the other in the file.
    fn work(&mut self) -> Option<Work<Uncertain>> {
        let [map, work] = ["map", "work"].map(|name| self.lookup.given(name));
        let goes_before = |one: Option<&Given>, other: &Given| {
            one.is_some_and(|one| one.place.is_option() && !other.place.is_option())
        };
        match (map.filter(|map| !goes_before(work, map)), work.filter(|work| !goes_before(map, work))) {
            (Some(given), None) => self.uncertain(given).map(Work::Map),
            (None, Some(given)) => self.uncertain(given).map(Work::Fused),
            (Some(_), Some(given)) => {
                let problem = Problem::new("conflict", "map and work are both given").value(given.shown());
                self.located(given, Err(problem.allowed(MAP_OR_WORK)))
            }
            (None, None) => {
                let problem = self.lookup.missing("work", "neither map nor work is given");
                self.noted(Err(problem.allowed(MAP_OR_WORK)))
            }
        }
    }

    fn length(&mut self, parameters: &[(String, f64)]) -> Option<u64> {
        let given = self.needed("list_length")?;
        self.located(given, amount::length(given.plain(), parameters))
    }

    fn count(&mut self, name: &str, parameters: &[(String, f64)]) -> Option<f64> {
        let given = self.needed(name)?;
        self.located(given, amount::count(given.plain(), parameters))
    }

    fn time(&mut self, name: &str) -> Option<Uncertain> {
        let given = self.needed(name)?;
        self.uncertain(given)
    }

    /// The inner none: nothing was given.
    fn time_if_given(&mut self, name: &str) -> Option<Option<Uncertain>> {
        match self.lookup.given(name) {
            Some(given) => self.uncertain(given).map(Some),
            None => Some(None),
        }
    }

    fn uncertain(&mut self, given: &Given) -> Option<Uncertain> {
        self.noted(amount::uncertain(given))
    }

    fn needed(&mut self, name: &str) -> Option<&'a Given> {
        self.noted(self.lookup.needed(name))
    }

    fn located<T>(&mut self, given: &Given, found: Result<T, Problem>) -> Option<T> {
        self.noted(found.map_err(|problem| given.place.locate(problem)))
    }

    fn noted<T>(&mut self, found: Result<T, Problem>) -> Option<T> {
        found.map_err(|problem| self.problems.push(problem)).ok()
    }
}
