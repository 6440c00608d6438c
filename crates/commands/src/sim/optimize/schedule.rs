//! Several applications on one system: machines shared out among them, against one after another.
//!
//! Each application is simulated alone for all combinations of what varies in it; the machines that it takes are those that
//! its processes sit on. What is best together is simulated together once more, with links and cores shared.

use super::{OptimizeArgs, Tried, words};
use crate::failure::Failure;
use crate::sim::run::inputs;
use crate::sim::run::progress::Bar;
use runcast_core::Problem;
use runcast_sim::experiment::Value;
use runcast_sim::optimize::partition::{Aim, Alone, one_after_another, together};
use runcast_sim::optimize::{self};
use runcast_sim::run::{self, Prepared, RunControl};
use runcast_sim::sweep::{self, Axis, Point};
use serde::Serialize;
use std::sync::Arc;

/// How applications share the system.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Schedule {
    /// `together` or `one after another`.
    #[serde(skip)]
    pub way: &'static str,
    /// Parts, in the order of the applications.
    pub parts: Vec<Part>,
    /// Least makespan or energy of the way that was not chosen.
    #[serde(skip)]
    pub other: Option<f64>,
    /// That of the chosen way, simulated with everything shared.
    #[serde(skip)]
    pub value: f64,
}

/// What one application gets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// The application.
    pub app: String,
    pub machines: u64,
    /// When it starts.
    pub start_s: f64,
    /// How long it takes.
    pub time_s: f64,
    /// Values of what varies.
    pub params: String,
}

pub(super) fn schedule(
    args: &OptimizeArgs,
    base: &Prepared,
    axes: &[Axis],
    bar: &Bar,
) -> Result<Option<Schedule>, Failure> {
    let Some(system) = &base.system else { return Ok(None) };
    let machines: u64 = system.system.machines().iter().map(|run| u64::from(run.count)).sum();
    let interrupt = bar.interrupt();
    let undone = |problem: Problem| inputs::failure(problem.into());
    let mut choices: Vec<Vec<Alone>> = Vec::new();
    let mut points: Vec<(Vec<Axis>, Vec<Tried>)> = Vec::new();
    for app in 0..base.inputs.experiment.apps.len() {
        let alone = alone(base, app).map_err(inputs::failure)?;
        let own: Vec<Axis> = axes.iter().filter(|axis| concerns(&alone, &axis.name)).cloned().collect();
        let all = sweep::points(&own, 1).map_err(undone)?;
        let budget = args.budget as usize;
        let results =
            optimize::evaluate(&alone, &own, &all[..all.len().min(budget)], &interrupt, &|| {}).map_err(undone)?;
        let tried = all.into_iter().zip(results);
        let tried = tried.filter_map(|(point, result)| Some(Tried { point, result: result.ok()?, is_allowed: true }));
        let tried: Vec<Tried> = tried.collect();
        choices.push(tried.iter().map(of).collect());
        points.push((own, tried));
    }
    let aim = args.aim;
    let side_by_side = together(&choices, machines, aim);
    let in_turn = one_after_another(&choices, machines, aim);
    let Some(in_turn) = in_turn else { return Ok(None) };
    let pick =
        |chosen: &[usize]| -> Vec<Alone> { chosen.iter().zip(&choices).map(|(&index, all)| all[index]).collect() };
    let of_turn = pick(&in_turn);
    let turn_value = match aim {
        Aim::Makespan => of_turn.iter().map(|one| one.time_s).sum::<f64>(),
        Aim::Energy => of_turn.iter().map(|one| one.energy_j).sum(),
    };
    // Those that run together share links: what that costs, only a simulation of all tells.
    let joint = match &side_by_side {
        Some(chosen) => jointly(base, chosen, &points, &interrupt),
        None => None,
    };
    let joint_value = joint.as_ref().and_then(|(makespan_s, energy_j, _)| match aim {
        Aim::Makespan => Some(*makespan_s),
        Aim::Energy => *energy_j,
    });
    let names: Vec<String> = base.recorded.apps.iter().map(|app| app.name.clone()).collect();
    let part = |app: usize, index: usize, start_s: f64, time_s: f64| Part {
        app: names[app].clone(),
        machines: choices[app][index].machines,
        start_s,
        time_s,
        params: words(&points[app].0, &points[app].1[index].point),
    };
    Ok(Some(match (side_by_side, joint, joint_value) {
        (Some(chosen), Some((_, _, times)), Some(value)) if value <= turn_value => Schedule {
            way: "together",
            parts: chosen.iter().enumerate().map(|(app, &index)| part(app, index, 0.0, times[app])).collect(),
            other: Some(turn_value),
            value,
        },
        _ => {
            let mut start_s = 0.0;
            let parts = in_turn.iter().enumerate().map(|(app, &index)| {
                let one = part(app, index, start_s, choices[app][index].time_s);
                start_s += one.time_s;
                one
            });
            Schedule { way: "one after another", parts: parts.collect(), other: joint_value, value: turn_value }
        }
    }))
}

/// The experiment with one of its applications.
fn alone(base: &Prepared, app: usize) -> Result<Prepared, runcast_core::Problems> {
    let mut inputs = (*base.inputs).clone();
    inputs.experiment.apps = vec![inputs.experiment.apps[app].clone()];
    inputs.experiment.apps[0].start_s = 0.0;
    inputs.scripts = vec![inputs.scripts[app].clone()];
    let mut variation = base.variation.clone();
    let known = &base.recorded.apps[app].params;
    variation.params.retain(|name, _| known.iter().any(|(param, _)| param == name));
    run::prepare(&Arc::new(inputs), &variation)
}

/// Whether a name means this application: everything but parameters of others does.
fn concerns(alone: &Prepared, name: &str) -> bool {
    let is_parameter = !name.contains('.') && name != "fidelity";
    !is_parameter || alone.recorded.apps.iter().any(|app| app.params.iter().any(|(param, _)| param == name))
}

/// Machines that are used, time and energy.
fn of(tried: &Tried) -> Alone {
    let machines = tried.result.components.iter().filter(|component| component.kind == "machine");
    Alone {
        machines: machines.map(|component| component.used).sum::<u64>().max(1),
        time_s: tried.result.time_s,
        energy_j: tried.result.energy_j.unwrap_or(f64::INFINITY),
    }
}

/// All applications at once with what was chosen for each: makespan, energy, time of each.
fn jointly(
    base: &Prepared,
    chosen: &[usize],
    points: &[(Vec<Axis>, Vec<Tried>)],
    interrupt: &std::sync::atomic::AtomicBool,
) -> Option<(f64, Option<f64>, Vec<f64>)> {
    let mut inputs = (*base.inputs).clone();
    let mut variation = base.variation.clone();
    for (app, &index) in chosen.iter().enumerate() {
        let (axes, tried) = &points[app];
        let point: &Point = &tried[index].point;
        inputs.experiment.apps[app].start_s = 0.0;
        for (axis, value) in axes.iter().zip(&point.values) {
            if axis.name.contains('.') || axis.name == "fidelity" {
                variation.set(&axis.name, value.clone()).ok()?;
                continue;
            }
            let params: &mut Vec<(String, Value)> = &mut inputs.experiment.apps[app].params;
            match params.iter_mut().find(|(name, _)| *name == axis.name) {
                Some((_, there)) => *there = value.clone(),
                None => params.push((axis.name.clone(), value.clone())),
            }
            variation.params.remove(&axis.name);
        }
    }
    let prepared = run::prepare(&Arc::new(inputs), &variation).ok()?;
    let result = run::simulate(&prepared, &RunControl::new(interrupt)).ok()?.result;
    Some((result.time_s, result.energy_j, result.apps.iter().map(|app| app.time_s).collect()))
}
