//! Strong scaling: the problem is fixed, the processes vary.

use super::layout::Layout;
use super::solve::{Candidate, Draft, processes, thinned};
use super::spec::{PlanSpec, Scaling};
use super::work::{Budget, Work};
use super::{PROCESSES, TARGET, TRAIN};
use crate::problem::Problem;

pub(super) fn solve(spec: &PlanSpec, layout: &Layout, budget: &Budget) -> Result<Draft, Problem> {
    if spec.fixed.contains_key(PROCESSES) {
        return Err(spec
            .problem("fixed/p", "contradiction", "strong scaling varies p, so it cannot be fixed")
            .hint("--processes sets the values of p; --scaling wide fixes p"));
    }
    layout.check_held(spec, Scaling::Strong, &[])?;
    let work = Work::new(spec, &layout.names, budget)?;
    let train = processes(spec, "processes", spec.processes.as_ref(), spec.min_p, spec.max_p)?;
    let targets = processes(spec, "targets", spec.targets.as_ref(), None, None)?;
    if train.is_empty() && targets.is_empty() {
        let message = "strong scaling needs numbers of processes";
        return Err(spec.problem("processes", "missing", message).hint("--processes powers:2 --max-p 64, say"));
    }
    let train = match spec.count.filter(|_| spec.keep.is_none()) {
        Some(count) => thinned(train, count),
        None => train,
    };
    let all = |processes: &[f64], set| -> Result<Vec<Candidate>, Problem> {
        processes.iter().map(|&p| candidate(layout, work.as_ref(), p, set)).collect()
    };
    Ok(Draft { constant: None, train: all(&train, TRAIN)?, targets: all(&targets, TARGET)?, warnings: Vec::new() })
}

/// Nothing is chosen, so nothing deviates.
fn candidate(layout: &Layout, work: Option<&Work<'_>>, p: f64, set: &'static str) -> Result<Candidate, Problem> {
    let mut arguments = layout.arguments(p);
    let work = work.map(|work| work.checked(&arguments)).transpose()?;
    let sizes = arguments.split_off(1);
    Ok(Candidate { set, p, exact: sizes.first().copied(), sizes, work, wanted: work, core_hours: None })
}
