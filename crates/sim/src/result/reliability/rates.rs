//! Failure rates of components.

use crate::world::SystemWorld;
use runcast_core::Problem;

/// Rates of failure of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rates {
    /// Sum over all that is used, in failures per second; none if none is known.
    pub total_per_s: Option<f64>,
    /// Of all of a component that are used, together.
    pub components: Vec<Option<f64>>,
    /// Used components without a rate, for the list of what is not modelled.
    pub unknown: Vec<String>,
}

/// The rates of this many of each component: a rule on `failure_rate`, the attribute of this name, or 1/`mtbf`.
///
/// # Errors
/// Those of a rule.
pub fn rates(world: &SystemWorld, used: &[u64]) -> Result<Rates, Problem> {
    let mut rates = Rates::default();
    for (index, (component, used)) in world.system().components.iter().zip(used).enumerate() {
        let attributes = &component.attributes;
        let own = || attributes.get("failure_rate").or_else(|| attributes.get("mtbf").map(|mean| 1.0 / mean));
        let rate = world.failure_rule(index)?.or_else(own);
        let together = rate.map(|rate| rate * *used as f64);
        rates.components.push(together);
        match together {
            Some(rate) if *used > 0 => rates.total_per_s = Some(rates.total_per_s.unwrap_or(0.0) + rate),
            None if *used > 0 && !component.kind.is_aggregator() => rates.unknown.push(component.id.clone()),
            None if *used > 0 && component.kind.is_host() => rates.unknown.push(component.id.clone()),
            _ => {}
        }
    }
    Ok(rates)
}
