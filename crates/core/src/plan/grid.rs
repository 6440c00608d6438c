//! Grids: all combinations of some numbers of processes and some sizes.

use super::layout::Layout;
use super::parse::shown;
use super::solve::{Candidate, Draft, expanded, whole_processes};
use super::spec::{PlanSpec, Scaling};
use super::work::{Budget, Work};
use super::{MOST_CONFIGURATIONS, PROCESSES, TARGET, TRAIN};
use crate::problem::Problem;
use runcast_formula::numbers::NumberList;

pub(super) fn solve(spec: &PlanSpec, layout: &Layout, budget: &Budget) -> Result<Draft, Problem> {
    if spec.grid.is_empty() && spec.sizes.is_empty() && spec.fixed.is_empty() {
        let message = "a grid needs the values of each parameter";
        return Err(spec.problem("grid", "missing", message).hint("--grid 'p=2,4,8,16; N=1000,2000,4000', say"));
    }
    let varied: Vec<&str> = spec.grid.keys().map(String::as_str).collect();
    if let Some(name) = varied.iter().find(|name| spec.fixed.contains_key(**name)) {
        let message = format!("the grid varies {name}, so it cannot be fixed");
        return Err(spec.problem(&format!("fixed/{name}"), "contradiction", message));
    }
    layout.check_held(spec, Scaling::Grid, &varied)?;
    let work = Work::new(spec, &layout.names, budget)?;
    let axes = axes(spec, layout)?;
    let targets = targets(spec, layout, &axes)?;
    let all = |axes: &[Vec<f64>], set, key| -> Result<Vec<Candidate>, Problem> {
        let count = axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.len()));
        if count.is_none_or(|count| count > MOST_CONFIGURATIONS) {
            let sides: Vec<String> = axes.iter().map(|axis| axis.len().to_string()).collect();
            let message = format!("a grid of {} configurations", sides.join(" x "));
            return Err(spec.problem(key, "too_many", message).allowed(format!("at most {MOST_CONFIGURATIONS}")));
        }
        combinations(axes).into_iter().map(|at| candidate(work.as_ref(), at, set)).collect()
    };
    let train = all(&axes, TRAIN, "grid")?;
    let targets = targets.map_or(Ok(Vec::new()), |axes| all(&axes, TARGET, "targets"))?;
    Ok(Draft { constant: None, train, targets, warnings: Vec::new() })
}

/// The values of `p`, then those of each size in the order of the layout.
fn axes(spec: &PlanSpec, layout: &Layout) -> Result<Vec<Vec<f64>>, Problem> {
    let mut axes = vec![processes(spec)?];
    for (name, held) in layout.names.iter().zip(&layout.held) {
        axes.push(match (held, spec.grid.get(name)) {
            (Some(held), _) => vec![*held],
            (None, Some(lists)) => values(spec, &format!("grid/{name}"), lists, None, None)?,
            (None, None) => Vec::new(),
        });
    }
    Ok(axes)
}

/// The numbers of processes: from the grid, from `processes`, or a fixed one.
fn processes(spec: &PlanSpec) -> Result<Vec<f64>, Problem> {
    match (spec.grid.get(PROCESSES), &spec.processes, spec.fixed.get(PROCESSES)) {
        (Some(_), Some(_), _) => {
            Err(spec.problem("processes", "contradiction", "the grid gives the values of p as well"))
        }
        (_, Some(_), Some(_)) => {
            Err(spec.problem("fixed/p", "contradiction", "p is fixed, and `processes` gives values of it"))
        }
        (Some(lists), None, _) => {
            let values = values(spec, "grid/p", lists, spec.min_p, spec.max_p)?;
            whole_processes(spec, "grid/p", values)
        }
        (None, Some(list), None) => {
            let values = expanded(spec, "processes", list, spec.min_p, spec.max_p)?;
            whole_processes(spec, "processes", values)
        }
        (None, None, Some(&p)) => whole_processes(spec, "fixed/p", vec![p]),
        (None, None, None) => Err(spec
            .problem("grid", "missing", "the grid needs numbers of processes")
            .hint("--grid 'p=2,4,8,16; N=1000,2000,4000', say, or --processes beside it")),
    }
}

/// The values to predict, where there are targets; a parameter without any takes those of the grid.
fn targets(spec: &PlanSpec, layout: &Layout, axes: &[Vec<f64>]) -> Result<Option<Vec<Vec<f64>>>, Problem> {
    let mut wanted = axes.to_vec();
    if let Some(list) = &spec.targets {
        wanted[0] = whole_processes(spec, "targets", expanded(spec, "targets", list, None, None)?)?;
        return Ok(Some(wanted));
    }
    if spec.target_grid.is_empty() {
        return Ok(None);
    }
    let names: Vec<&str> = layout.parameters().collect();
    for (name, lists) in &spec.target_grid {
        let key = format!("targets/{name}");
        let Some(index) = names.iter().position(|known| known == name) else {
            return Err(spec
                .problem(&key, "unknown_parameter", format!("{name} is not a parameter of the grid"))
                .value(name)
                .one_of(name, names.iter().copied()));
        };
        let values = values(spec, &key, lists, None, None)?;
        wanted[index] = if index == 0 { whole_processes(spec, &key, values)? } else { values };
    }
    Ok(Some(wanted))
}

/// The numbers of some lists together, ascending, each once.
fn values(
    spec: &PlanSpec,
    key: &str,
    lists: &[NumberList],
    least: Option<f64>,
    most: Option<f64>,
) -> Result<Vec<f64>, Problem> {
    if key != "grid/p"
        && let Some(list) = lists.iter().find(|list| list.is_unbounded())
    {
        let message = format!("`{list}` has no end");
        return Err(spec.problem(key, "list", message).value(list.to_string()).hint("write 1000..8000*2, say"));
    }
    let mut all = Vec::new();
    for list in lists {
        // One of several lists may lie beyond the bounds as a whole.
        let inside = list.expand(least, most).is_ok_and(|values| !values.is_empty());
        if inside || lists.len() == 1 || list.is_unbounded() {
            all.extend(expanded(spec, key, list, least, most)?);
        }
    }
    if all.is_empty() {
        let bound = |bound: Option<f64>| bound.map_or("none".to_owned(), shown);
        let message = format!("no value lies between min_p ({}) and max_p ({})", bound(least), bound(most));
        return Err(spec.problem(key, "empty_list", message));
    }
    all.sort_by(f64::total_cmp);
    all.dedup();
    Ok(all)
}

/// All combinations, the last axis running fastest.
fn combinations(axes: &[Vec<f64>]) -> Vec<Vec<f64>> {
    axes.iter().fold(vec![Vec::new()], |all: Vec<Vec<f64>>, axis| {
        let longer = |at: &Vec<f64>, value: f64| at.iter().copied().chain([value]).collect();
        all.iter().flat_map(|at| axis.iter().map(move |&value| longer(at, value))).collect()
    })
}

/// Nothing is held constant, so nothing deviates.
fn candidate(work: Option<&Work<'_>>, mut at: Vec<f64>, set: &'static str) -> Result<Candidate, Problem> {
    let work = work.map(|work| work.checked(&at)).transpose()?;
    let sizes = at.split_off(1);
    Ok(Candidate { set, p: at[0], sizes, exact: None, work, wanted: None, core_hours: None })
}
