//! Farms by formula (docs/theory/sim.md): tasks handed out on demand are a closed queueing network.
//!
//! ```text
//! stations   the master's outgoing link   g + n_task*G
//!            its processor                work for a result + overheads of a task and of a result
//!            its incoming link            g + n_result*G
//! delay      slave's work + latencies + slave's overheads
//! T = tasks / X(W)
//! ```
//!
//! With a window the slaves are a station each. `static` shares are one batch a slave, one after the other over the slowest
//! station; `guided` batches are played one by one over the stations.

use super::run::Run;
use crate::application::{Farm, Schedule};
use crate::engine::kernel::streams::Who;
use crate::engine::kernel::volunteers::{Order, Worker, last_of};
use crate::farm::{Batches, Customers, Station, mean_value_analysis, several_classes};
use crate::platform::LogGops;
use crate::tick::Tick;
use crate::world::Place;
use runcast_core::Problem;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The duration of a farm.
#[derive(Debug, Clone, PartialEq)]
pub struct FarmTimes {
    /// From the arrival of the last to the end.
    pub total: Tick,
    /// What the volunteers of a component have to do besides, where they are all the workers.
    pub order: Option<(u32, Order)>,
    /// Activities of the members: the master, then classes of workers.
    pub spent: Vec<Spent>,
    /// Messages of the master, the empty ones at the end included.
    pub tasks_sent: u64,
    /// Messages of the workers.
    pub results_sent: u64,
}

/// Average activities of a member in a farm.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spent {
    pub compute: Tick,
    /// Handling messages.
    pub overhead: Tick,
    /// Threads of its blocks.
    pub threads: f64,
}

/// Seconds that a task costs with workers of a class.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Task {
    workers: u64,
    out: f64,
    processor: f64,
    master_work: f64,
    into: f64,
    latency: f64,
    work: f64,
    overhead: f64,
}

/// Workers of a `guided` farm that are played one by one.
const MOST_GUIDED: u64 = 10_000_000;

/// The duration of a farm when all have entered.
///
/// # Errors
/// Those of formulas; workers that differ in too many ways.
pub fn times(run: &mut Run<'_>, number: u32, members: &[u32]) -> Result<FarmTimes, Problem> {
    let farm = run.application.farms[number as usize].clone();
    let master = members[0];
    let master_work = match farm.master_work {
        Some(block) if farm.tasks > 0 => run.seconds(master, block)?,
        _ => 0.0,
    };
    let mut tasks = Vec::new();
    for class in &members[1..] {
        tasks.push(task(run, &farm, master, *class, members.len() == 2, master_work)?);
    }
    let workers: u64 = tasks.iter().map(|task| task.workers).sum();
    if workers == 0 && farm.tasks > 0 {
        let name = &run.application.labels[farm.to as usize].name;
        return Err(Problem::new("no_workers", format!("a farm has tasks, but label {name} has no processes")));
    }
    let seconds = match farm.schedule {
        _ if farm.tasks == 0 => 0.0,
        Schedule::Dynamic => on_demand(run, &farm, &tasks)?,
        Schedule::Static => shares(&farm, &tasks, workers),
        Schedule::Guided => guided(&farm, &tasks, workers)?,
    };
    let order = order(run, &farm, members, &tasks)?;
    let seconds = match order {
        Some(_) => seconds,
        None => seconds.max(at_volunteers(run, &farm, &members[1..], &tasks)?),
    };
    let tick = run.job.tick;
    let block = |block: u32| run.application.blocks[block as usize].threads;
    let overheads: f64 = tasks.iter().map(|task| task.processor - master_work).fold(0.0, f64::max);
    let mut spent = vec![Spent {
        compute: tick.of(master_work * farm.tasks as f64)?,
        overhead: tick.of(overheads * farm.tasks as f64)?,
        threads: farm.master_work.map_or(1.0, block),
    }];
    for task in &tasks {
        // On demand, a faster worker does more: in proportion to the time that a task takes.
        let each = farm.tasks as f64 / workers.max(1) as f64;
        spent.push(Spent {
            compute: tick.of((task.work * each).min(seconds))?,
            overhead: tick.of(task.overhead * each)?,
            threads: block(farm.work),
        });
    }
    let batches = match farm.schedule {
        Schedule::Dynamic => farm.tasks,
        Schedule::Static => farm.tasks.min(workers),
        Schedule::Guided => {
            let mut batches = Batches::new(&farm, workers);
            let mut count = 0;
            while batches.next_batch() > 0 {
                count += 1;
            }
            count
        }
    };
    let ends = workers.saturating_mul(u64::from(Batches::first_batches(&farm)));
    let tasks_sent = batches.saturating_add(ends);
    Ok(FarmTimes { total: tick.of(seconds)?, order, spent, tasks_sent, results_sent: batches })
}

/// The tasks of a farm all of whose workers are volunteers of one component, which they share with whoever else is there: as many at
/// once as there are workers. None else.
fn order(run: &Run<'_>, farm: &Farm, members: &[u32], tasks: &[Task]) -> Result<Option<(u32, Order)>, Problem> {
    let (Some(&of), Some(first)) = (members.get(1), tasks.first()) else { return Ok(None) };
    let work = run.job.tick.of(first.work)?;
    let crowd = run.crowd_of(of).filter(|_| work > 0 && farm.tasks > 0);
    let is_alike = members[1..].iter().all(|class| run.crowd_of(*class) == crowd)
        && tasks.iter().all(|task| task.work == first.work);
    let workers: u64 = tasks.iter().map(|task| task.workers).sum();
    let jobs = workers.min(farm.tasks);
    let threads = run.application.blocks[farm.work as usize].threads;
    let who = Who::Process(members[0]).number();
    let order = Order { who, of, jobs, more: farm.tasks - jobs, work, threads };
    Ok(crowd.filter(|_| is_alike).map(|crowd| (crowd, order)))
}

/// Seconds until the last task is done where some workers are volunteers, which come and go, and nobody else has them; 0: none are.
fn at_volunteers(run: &Run<'_>, farm: &Farm, classes: &[u32], tasks: &[Task]) -> Result<f64, Problem> {
    if farm.tasks == 0 || classes.iter().all(|class| run.crowd_of(*class).is_none()) {
        return Ok(0.0);
    }
    let threads = run.application.blocks[farm.work as usize].threads;
    let worker = |(class, task): (&u32, &Task)| {
        let work = run.job.tick.of(task.work)?;
        Ok(Worker { crowd: run.crowd_of(*class), count: task.workers, work, threads })
    };
    let workers: Result<Vec<Worker>, Problem> = classes.iter().zip(tasks).map(worker).collect();
    let end = last_of(run.job, &workers?, farm.tasks, run.now)?;
    Ok(run.job.tick.to_seconds(end - run.now))
}

/// What a task costs with workers of a class. If they are the whole label, the most expensive of its first, middle and last process
/// counts.
fn task(
    run: &mut Run<'_>,
    farm: &Farm,
    master: u32,
    class: u32,
    alone: bool,
    master_work: f64,
) -> Result<Task, Problem> {
    let of = run.classes.list[class as usize];
    let work = if farm.tasks > 0 { run.seconds(class, farm.work)? } else { 0.0 };
    let here = run.places[master as usize];
    let label = &run.application.labels[of.label as usize];
    let mut candidates = vec![of.process];
    if alone && label.count > 0 {
        candidates.extend([label.first + label.count / 2, label.first + label.count - 1]);
    }
    let mut dearest: Option<Task> = None;
    for process in candidates {
        let there = run.job.world.place(process);
        let (task, task_recv) = parameters(run, farm.task_size, &here, &there)?;
        let (result, result_recv) = parameters(run, farm.result_size, &there, &here)?;
        let (n_task, n_result) = (farm.task_size as f64, farm.result_size as f64);
        let found = Task {
            workers: of.count,
            out: task.g + n_task * task.G,
            processor: master_work + task.o + n_task * task.O + result_recv + n_result * result.O,
            master_work,
            into: result.g + n_result * result.G,
            latency: task.L + result.L,
            work,
            overhead: task_recv + n_task * task.O + result.o + n_result * result.O,
        };
        let cost = |task: &Task| task.out + task.processor + task.into + task.latency + task.overhead;
        if dearest.as_ref().is_none_or(|known| cost(&found) > cost(known)) {
            dearest = Some(found);
        }
    }
    dearest.ok_or_else(|| Problem::new("no_workers", "a farm has no workers"))
}

fn parameters(run: &Run<'_>, size: u64, from: &Place, to: &Place) -> Result<(LogGops, f64), Problem> {
    if let Some(seconds) = run.job.world.message(size, from, to)? {
        return Ok((LogGops { L: seconds, o: 0.0, g: 0.0, G: 0.0, O: 0.0, S: u64::MAX }, 0.0));
    }
    let way = run.job.platform.way(*from, *to, &mut Vec::new());
    Ok(run.job.platform.loggops(&way, size))
}

/// Tasks handed out on demand.
fn on_demand(run: &Run<'_>, farm: &Farm, tasks: &[Task]) -> Result<f64, Problem> {
    let like = |one: &Task, other: &Task| Task { workers: 0, ..*one } == Task { workers: 0, ..*other };
    let mut kinds: Vec<Task> = Vec::new();
    for task in tasks {
        match kinds.iter_mut().find(|kind| like(kind, task)) {
            Some(kind) => kind.workers += task.workers,
            None => kinds.push(*task),
        }
    }
    let total = farm.tasks as f64;
    if let [task] = kinds.as_slice() {
        let mut stations = vec![Station::one(task.out), Station::one(task.processor), Station::one(task.into)];
        let window = u64::from(farm.window.max(1));
        let mut delay = task.latency + task.work + task.overhead;
        if window > 1 {
            delay = task.latency;
            stations.push(Station { demand_s: task.work + task.overhead, alike: task.workers });
        }
        // No more can be under way than there are tasks.
        let customers = task.workers.saturating_mul(window).min(farm.tasks);
        return Ok(total / mean_value_analysis(customers, delay, &stations).throughput);
    }
    if farm.window > 1 {
        let message = "a farm with a window has workers that differ";
        return Err(Problem::new("unlike_workers", message).hint("try --fidelity loggops or flow"));
    }
    let customers: Vec<Customers> = kinds
        .iter()
        .map(|task| Customers {
            count: task.workers,
            delay_s: task.latency + task.work + task.overhead,
            demands_s: vec![task.out, task.processor, task.into],
        })
        .collect();
    let name = &run.application.labels[farm.to as usize].name;
    let throughput = several_classes(&customers).ok_or_else(|| {
        Problem::new("unlike_workers", format!("the workers {name} of a farm differ in too many ways"))
            .value(format!("{} kinds", kinds.len()))
            .hint("try --fidelity loggops or flow, where every process is simulated")
    })?;
    Ok(total / throughput)
}

/// Equal shares: out one after the other, worked on at once, and back one after the other.
fn shares(farm: &Farm, tasks: &[Task], workers: u64) -> f64 {
    let most = farm.tasks.div_ceil(workers) as f64;
    let batches = farm.tasks.min(workers) as f64;
    let time = |task: &Task| {
        let overheads = task.processor - task.master_work;
        let slowest = (most * task.out).max(most * task.into + most * task.master_work).max(overheads);
        let first =
            most * (task.out + task.work + task.into + task.master_work) + overheads + task.latency + task.overhead;
        first + (batches - 1.0) * slowest
    };
    tasks.iter().map(time).fold(0.0, f64::max)
}

/// Ever smaller batches, played one by one: stations serve in order of arrival.
fn guided(farm: &Farm, tasks: &[Task], workers: u64) -> Result<f64, Problem> {
    if workers > MOST_GUIDED {
        return Err(Problem::new("too_many_workers", "a guided farm has too many workers")
            .value(workers.to_string())
            .allowed(format!("at most {MOST_GUIDED}"))
            .hint("use schedule = \"dynamic\", whose cost does not depend on their number"));
    }
    let mut batches = Batches::new(farm, workers);
    // When results come to the master, and from which kind of worker.
    let mut returns: BinaryHeap<Reverse<(Time, usize, u64)>> = BinaryHeap::new();
    let (mut out, mut processor, mut into, mut end) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    let mut hand = |at: f64, kind: usize, out: &mut f64, returns: &mut BinaryHeap<_>| {
        let batch = batches.next_batch();
        if batch > 0 {
            let (task, count) = (&tasks[kind], batch as f64);
            *out = out.max(at) + count * task.out;
            let back = *out + task.latency + task.overhead + count * task.work;
            returns.push(Reverse((Time(back), kind, batch)));
        }
    };
    for _ in 0..farm.window.max(1) {
        for (kind, task) in tasks.iter().enumerate() {
            for _ in 0..task.workers {
                hand(0.0, kind, &mut out, &mut returns);
            }
        }
    }
    while let Some(Reverse((Time(at), kind, batch))) = returns.pop() {
        let task = &tasks[kind];
        into = into.max(at) + batch as f64 * task.into;
        processor = processor.max(into) + task.processor - task.master_work + batch as f64 * task.master_work;
        end = end.max(processor);
        hand(processor, kind, &mut out, &mut returns);
    }
    Ok(end)
}

/// A time that can be sorted.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Time(f64);

impl Eq for Time {}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
