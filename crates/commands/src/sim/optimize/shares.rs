//! `--search partitions`: each application gets like machines for itself, with all else that varies.

use super::{OptimizeArgs, Searched, at};
use crate::failure::Failure;
use crate::sim::run::inputs;
use crate::sim::run::progress::Bar;
use runcast_core::Problem;
use runcast_formula::Formula;
use runcast_sim::experiment::Value;
use runcast_sim::optimize::evaluate;
use runcast_sim::optimize::shares::{self, Machines, State};
use runcast_sim::run::Prepared;
use runcast_sim::sweep::{Axis, Point};
use std::sync::atomic::{AtomicU64, Ordering};

/// The machines that several applications may share.
pub(super) fn machines(base: &Prepared, axes: &[Axis]) -> Result<Machines, Failure> {
    let apps = &base.recorded.apps;
    let wrong = |problem: Problem| Failure::input(problem.at("--search").value("partitions"));
    let Some(read) = &base.system else {
        return Err(wrong(Problem::new("no_system", "there are no machines to share out").hint("give a system")));
    };
    if apps.len() < 2 {
        let problem = Problem::new("one_application", "there is one application: all machines are its own");
        return Err(wrong(problem.hint("an [[app]] for each in the experiment")));
    }
    if let Some(axis) = axes.iter().find(|axis| axis.name.starts_with("share.")) {
        let problem = Problem::new("repeated", format!("{} varies twice", axis.name));
        return Err(wrong(problem.hint("leave it out of what varies, or search without partitions")));
    }
    let machines = Machines::of(&read.system, apps.len());
    if machines.count() < apps.len() as u64 {
        let message = format!("{} machines are too few for {} applications", machines.count(), apps.len());
        return Err(wrong(Problem::new("too_few_machines", message)));
    }
    Ok(machines)
}

/// What varies, with the share of each application behind it. Values of shares are in points alone.
pub(super) fn with_shares(base: &Prepared, axes: &[Axis]) -> Vec<Axis> {
    let share = |name: &str| Axis { name: format!("share.{name}"), values: Vec::new() };
    axes.iter().cloned().chain(base.recorded.apps.iter().map(|app| share(&app.name))).collect()
}

pub(super) fn search(
    args: &OptimizeArgs,
    seed: u64,
    base: &Prepared,
    (axes, all): (&[Axis], &[Axis]),
    machines: &Machines,
    constraints: &[Formula],
    bar: &Bar,
) -> Result<Searched, Failure> {
    let sizes: Vec<usize> = axes.iter().map(|axis| axis.values.len()).collect();
    let combinations = machines.partitions() * sizes.iter().map(|size| *size as f64).product::<f64>();
    let is_exhaustive = combinations <= args.budget as f64;
    let (done, of) = (AtomicU64::new(0), combinations.min(args.budget as f64) as u64);
    let step = || bar.done(done.fetch_add(1, Ordering::Relaxed) + 1, of);
    let interrupt = bar.interrupt();
    let mut searched = Searched { is_exhaustive, combinations, ..Searched::default() };
    let objectives = args.objectives();
    let mut trial = |states: &[State]| {
        let points: Vec<Point> = states.iter().map(|state| point(axes, machines, state)).collect();
        let results = evaluate(base, all, &points, &interrupt, &step)?;
        let one = |(point, result)| {
            let place = searched.take(point, result, all, constraints)?;
            Ok(place.and_then(|place| searched.values(place, &objectives)))
        };
        points.iter().zip(results).map(one).collect::<Result<Vec<_>, Problem>>()
    };
    let ended = match is_exhaustive {
        true => trial(&states(&sizes, machines)).map(drop),
        false => shares::search(machines, &sizes, args.budget as usize, seed, objectives.len(), &mut trial),
    };
    ended.map_err(|problem| inputs::failure(problem.into()))?;
    searched.some()
}

/// All of them.
fn states(sizes: &[usize], machines: &Machines) -> Vec<State> {
    let mut grid: Vec<Vec<usize>> = vec![Vec::new()];
    for size in sizes {
        let longer =
            |indices: &Vec<usize>| (0..*size).map(|index| [indices.as_slice(), &[index]].concat()).collect::<Vec<_>>();
        grid = grid.iter().flat_map(longer).collect();
    }
    let counts = machines.all();
    let with = |indices: Vec<usize>| {
        counts.iter().map(move |counts| State { indices: indices.clone(), counts: counts.clone() })
    };
    grid.into_iter().flat_map(with).collect()
}

fn point(axes: &[Axis], machines: &Machines, state: &State) -> Point {
    let mut point = at(axes, &state.indices);
    point.values.extend(machines.shares(&state.counts).iter().map(|share| Value::Text(share.to_string())));
    point
}
