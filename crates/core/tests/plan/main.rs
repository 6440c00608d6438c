//! Tests of plans: published ones, properties, hostile input.

mod fixtures;
mod grids;
mod hostile;
mod papers;
mod properties;
mod scalings;

use runcast_core::Problems;
use runcast_core::plan::{Plan, PlanSpec};

fn spec(toml: &str) -> PlanSpec {
    PlanSpec::from_toml("plan.toml", toml).expect("a plan that can be read")
}

fn solve(toml: &str) -> Plan {
    spec(toml).solve().expect("a plan that can be solved")
}

fn refused(toml: &str) -> Problems {
    match PlanSpec::from_toml("plan.toml", toml).and_then(|spec| spec.solve()) {
        Err(problems) => problems,
        Ok(plan) => panic!("no problem with {toml}: {} configurations", plan.configurations.len()),
    }
}

fn sizes(plan: &Plan, name: &str) -> Vec<f64> {
    plan.configurations.iter().map(|planned| planned.at.get(name).expect("the size")).collect()
}
