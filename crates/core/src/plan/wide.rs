//! Wide scaling: the processes are fixed, the problem grows.

use super::layout::Layout;
use super::parse::shown;
use super::solve::{Candidate, Draft, expanded};
use super::spec::{PlanSpec, Scaling};
use super::weak::Chooser;
use super::work::{Budget, Work};
use super::{PROCESSES, TARGET};
use crate::problem::{Problem, Warning};

/// Default growth factor of the work.
pub(super) const RATIO: f64 = 2.0;

pub(super) fn solve(spec: &PlanSpec, layout: &Layout, budget: &Budget) -> Result<Draft, Problem> {
    let (name, start) = start(spec)?;
    let p = processes(spec)?;
    layout.check_held(spec, Scaling::Wide, &[name])?;
    let work = Work::new(spec, &layout.names, budget)?.ok_or_else(|| {
        spec.problem("complexity", "missing", "wide scaling needs the sequential complexity")
            .hint(format!("--complexity '{name}' makes {name} itself grow by the ratio"))
    })?;
    layout.check_free(spec)?;
    let Some(steps) = spec.count else {
        let problem = spec.problem("count", "missing", "wide scaling needs to know how many sizes");
        return Err(problem.hint("--count 6, say"));
    };
    let size = layout.free[0];
    let mut arguments = layout.arguments(p);
    arguments[size + 1] = start;
    let first = work.checked(&arguments).map_err(|problem| spec.place("start", problem))?;

    let mut chooser = Chooser::new(spec, layout, &work, first, budget)?;
    let mut train: Vec<Candidate> = Vec::new();
    let mut repeated = Vec::new();
    for step in 0..steps {
        let wanted = first * spec.ratio.unwrap_or(RATIO).powf(step as f64);
        if !(wanted > 0.0 && wanted.is_finite()) {
            let message = format!("after {step} steps the work per process is {}", shown(wanted));
            return Err(spec.problem("count", "out_of_range", message).hint("ask for fewer steps or a smaller ratio"));
        }
        match chooser.at(p, wanted)? {
            Some(candidate) if train.last().is_some_and(|last| last.sizes == candidate.sizes) => {
                repeated.push(candidate.sizes[size]);
            }
            Some(candidate) => train.push(candidate),
            None => {}
        }
    }
    chooser.check_monotone()?;
    let mut warnings = chooser.warnings();
    if !repeated.is_empty() {
        let message = format!("{} steps round to a size that is already present and are dropped", repeated.len());
        warnings.push(Warning::new("repeated", message));
    }
    let targets = targets(spec, layout, &work, p)?;
    Ok(Draft { constant: None, train, targets, warnings })
}

/// The size that grows, and its first value.
fn start(spec: &PlanSpec) -> Result<(&str, f64), Problem> {
    let mut starts = spec.start.iter();
    match (starts.next(), starts.next()) {
        (Some((name, _)), None) if spec.fixed.contains_key(name) => {
            let message = format!("{name} is fixed and cannot grow from a start");
            Err(spec.problem(&format!("start/{name}"), "contradiction", message))
        }
        (Some((name, _)), None) if name == PROCESSES => {
            Err(spec.problem("start/p", "contradiction", "p is fixed in wide scaling").hint("--fixed p=.. holds it"))
        }
        (Some((name, &start)), None) => Ok((name, start)),
        (None, _) => Err(spec
            .problem("start", "missing", "wide scaling needs the first size")
            .hint("--start N=1000, say, and --fixed for the other sizes")),
        (Some(_), Some(_)) => Err(spec
            .problem("start", "contradiction", "only one size can grow by a ratio of work")
            .hint("hold the other sizes by --fixed")),
    }
}

fn processes(spec: &PlanSpec) -> Result<f64, Problem> {
    match spec.fixed.get(PROCESSES) {
        Some(&p) if p >= 1.0 && p.fract() == 0.0 => Ok(p),
        Some(p) => Err(spec
            .problem("fixed/p", "out_of_range", format!("{} is not a number of processes", shown(*p)))
            .value(shown(*p))
            .allowed("a whole number from 1")),
        None => Err(spec
            .problem("fixed/p", "missing", "wide scaling holds p, but it has no value")
            .hint("--fixed p=64, say")),
    }
}

/// The sizes to predict are given, so nothing deviates.
fn targets(spec: &PlanSpec, layout: &Layout, work: &Work<'_>, p: f64) -> Result<Vec<Candidate>, Problem> {
    let Some(list) = &spec.targets else { return Ok(Vec::new()) };
    let mut sizes = expanded(spec, "targets", list, None, None)?;
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    sizes
        .into_iter()
        .map(|target| {
            let mut arguments = layout.arguments(p);
            arguments[layout.free[0] + 1] = target;
            let work = work.checked(&arguments).map_err(|problem| spec.place("targets", problem))?;
            let sizes = arguments.split_off(1);
            Ok(Candidate {
                set: TARGET,
                p,
                sizes,
                exact: Some(target),
                work: Some(work),
                wanted: Some(work),
                core_hours: None,
            })
        })
        .collect()
}
