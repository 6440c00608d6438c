//! Which runs are made.

use super::super::ValidateArgs;
use super::line::Ran;
use crate::failure::Failure;
use crate::human::count;
use runcast_bench::Machine;
use runcast_bsf::cost::{Collective, MOST_ELEMENTS};
use runcast_bsf::programs::Program;
use runcast_core::{Problem, Warning};
use runcast_formula::numbers::NumberList;

/// Which runs are made.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Numbers of workers, ascending.
    pub workers: Vec<u64>,
    /// Runs with each of them.
    pub repeat: u32,
    /// How messages travel.
    pub collective: Collective,
    /// Threads of each worker, where they are in this process.
    threads: Option<usize>,
    iterations: Option<u64>,
}

/// Without another word from the user, a run takes so long and has so many iterations at least, for a median needs some;
/// and at most so many.
const RUN_S: f64 = 1.0;
const ITERATIONS_LEAST: u64 = 20;
const ITERATIONS_MOST: u64 = 100_000;
/// Iterations of the run that shows how long they take. It also warms up the machine.
const TRIAL: u64 = 3;

impl Plan {
    /// As the options say.
    ///
    /// # Errors
    /// Numbers of workers that cannot be, or both collectives.
    pub fn of(args: &ValidateArgs, program: &Program) -> Result<Self, Failure> {
        let runs = &args.runs;
        Ok(Plan {
            workers: workers(args.model.workers.as_ref(), program.list_length())?,
            repeat: runs.repeat.unwrap_or(super::REPETITIONS),
            collective: collective(&args.model.collectives())?,
            threads: (!runs.is_mpi()).then(|| runs.threads()),
            iterations: runs.iterations,
        })
    }

    /// How many runs there are.
    pub fn runs(&self) -> u64 {
        self.workers.len() as u64 * u64::from(self.repeat)
    }

    /// The runs: repetition and workers.
    pub fn order(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        (0..self.repeat).flat_map(|rep| self.workers.iter().map(move |&workers| (rep, workers)))
    }

    /// Iterations of each run, as a short run with the fewest workers suggests.
    ///
    /// # Errors
    /// Those of the run.
    pub fn iterations(&self, run: impl FnOnce(u64, u64) -> Result<Ran, Failure>) -> Result<u64, Failure> {
        match (self.iterations, self.workers.first()) {
            (Some(iterations), _) => Ok(iterations),
            (None, Some(&fewest)) => run(fewest, TRIAL).map(|ran| iterations_of(ran.iteration_time_s)),
            (None, None) => Ok(ITERATIONS_LEAST),
        }
    }

    /// Workers that share cores are slower than the model knows.
    pub fn crowded(&self, machine: &Machine) -> Option<Warning> {
        let (most, cores) = (*self.workers.last()?, machine.usable_threads?);
        let threads = most.saturating_mul(self.threads? as u64);
        (threads > u64::from(cores)).then(|| {
            let message = format!(
                "{} on {}: the model gives each a core of its own",
                count(threads as usize, "thread of workers", "threads of workers"),
                count(cores as usize, "core", "cores")
            );
            Warning::new("oversubscribed", message)
        })
    }
}

fn iterations_of(iteration_s: f64) -> u64 {
    let enough = (RUN_S / iteration_s.max(1e-9)).ceil() as u64;
    enough.clamp(ITERATIONS_LEAST, ITERATIONS_MOST)
}

/// The numbers of workers that are asked for; else powers of two up to the cores of this machine, and these.
pub fn workers(asked: Option<&NumberList>, list_length: u64) -> Result<Vec<u64>, Problem> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let most = cores.min(list_length);
    let Some(list) = asked else {
        let powers = (0..u64::BITS).map(|power| 1 << power).take_while(|&power| power < most);
        return Ok(powers.chain([most]).collect());
    };
    let wrong = |message: String| Problem::new("workers", message).at("--workers");
    let end = list.is_unbounded().then_some(most as f64);
    let mut workers = Vec::new();
    for value in list.expand(None, end).map_err(|error| wrong(error.to_string()))? {
        if value.fract() != 0.0 || !(0.0..=MOST_ELEMENTS as f64).contains(&value) {
            return Err(
                wrong(format!("{value} workers cannot be")).allowed(format!("whole numbers from 1 to {list_length}"))
            );
        }
        workers.push(value as u64);
    }
    workers.sort_unstable();
    workers.dedup();
    Ok(workers)
}

pub fn collective(asked: &[Collective]) -> Result<Collective, Problem> {
    match (asked.contains(&Collective::Flat), asked.contains(&Collective::Tree)) {
        (true, true) => {
            let problem = Problem::new("conflict", "the messages of a run travel one way").at("--collective");
            Err(problem.value("flat,tree").allowed("flat or tree"))
        }
        (_, true) => Ok(Collective::Tree),
        _ => Ok(Collective::Flat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_enough_iterations_for_a_median_and_no_more_than_needed() {
        assert_eq!((iterations_of(0.01), iterations_of(5.0), iterations_of(0.0)), (100, 20, 100_000));
    }

    #[test]
    fn workers_are_counted_up_to_the_cores() {
        assert_eq!(workers(None, 1).expect("good"), [1]);
        let all = workers(None, 1 << 40).expect("good");
        assert!(all[0] == 1 && all.is_sorted());
        let list = |text: &str| workers(Some(&NumberList::parse(text).expect("a list")), 10);
        assert_eq!(list("4,1,4").expect("good"), [1, 4]);
        assert!(list("1.5").is_err());
    }

    #[test]
    fn repetitions_come_one_after_the_other() {
        let plan = Plan {
            workers: vec![1, 4],
            repeat: 2,
            collective: Collective::Flat,
            threads: Some(2),
            iterations: Some(9),
        };
        assert_eq!(plan.order().collect::<Vec<_>>(), [(0, 1), (0, 4), (1, 1), (1, 4)]);
        assert_eq!(plan.iterations(|_, _| Err(Failure::interrupted())), Ok(9));
        let cores = |cores| Machine { usable_threads: Some(cores), ..Machine::default() };
        assert!(plan.crowded(&cores(8)).is_none() && plan.crowded(&cores(7)).is_some());
    }
}
