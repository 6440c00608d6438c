//! Where the curve is: its parameter, its values, and in which order they are simulated.

use runcast_sim::run::Prepared;
use std::collections::BTreeMap;

/// Names of parameters that count processes, the likeliest first.
const COUNTS: [&str; 5] = ["p", "np", "nprocs", "procs", "processes"];
/// Doublings to either side of the current value.
const DOUBLINGS: i32 = 4;
/// Values of a curve that nobody chose.
const MOST: usize = 9;

/// The parameter that counts processes, or the first number that the experiment varies; none: there is neither.
pub fn counting(base: &Prepared) -> Option<String> {
    let varied = base.inputs.experiment.vary.iter().map(|varied| varied.name.as_str());
    COUNTS.into_iter().chain(varied).find(|name| current(base, name).is_some()).map(str::to_owned)
}

/// The value of a parameter now.
pub fn current(base: &Prepared, name: &str) -> Option<f64> {
    let params = base.recorded.apps.iter().flat_map(|app| &app.params);
    params.filter(|(known, _)| known == name).find_map(|(_, value)| value.number())
}

/// Up to 9 values about the current one: of those that the experiment varies, or by doubling and halving.
pub fn about(base: &Prepared, name: &str, current: f64) -> Vec<f64> {
    let varied = base.inputs.experiment.vary.iter().find(|varied| varied.name == name);
    let mut varied: Vec<f64> =
        varied.iter().flat_map(|varied| &varied.values).filter_map(|value| value.number()).collect();
    if varied.len() < 2 {
        return doubled(current);
    }
    varied.push(current);
    varied.sort_by(f64::total_cmp);
    varied.dedup();
    let at = varied.iter().position(|value| *value == current).unwrap_or(0);
    let first = at.saturating_sub(MOST / 2).min(varied.len().saturating_sub(MOST));
    varied.into_iter().skip(first).take(MOST).collect()
}

fn doubled(current: f64) -> Vec<f64> {
    let value = |power: i32| (current * f64::from(power).exp2()).round();
    let mut values: Vec<f64> = (-DOUBLINGS..=DOUBLINGS).map(value).filter(|value| *value >= 1.0).collect();
    values.dedup();
    values
}

/// The current value, the least, the largest, then the middles of what lies between, again and again.
pub fn order(param: Option<&str>, current: Option<f64>, values: &[f64]) -> Vec<BTreeMap<String, f64>> {
    let Some(name) = param.filter(|_| !values.is_empty()) else { return vec![BTreeMap::new()] };
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let last = sorted.len().saturating_sub(1);
    let mut turns: Vec<usize> = Vec::with_capacity(sorted.len());
    turns.extend(current.and_then(|now| sorted.iter().position(|value| *value == now)));
    turns.extend([0, last]);
    let mut spans = std::collections::VecDeque::from([(0, last)]);
    while let Some((low, high)) = spans.pop_front() {
        if high > low + 1 {
            let middle = low.midpoint(high);
            turns.push(middle);
            spans.extend([(low, middle), (middle, high)]);
        }
    }
    let mut seen = vec![false; sorted.len()];
    turns.retain(|&turn| seen.get(turn) == Some(&false) && !std::mem::replace(&mut seen[turn], true));
    turns.into_iter().map(|turn| BTreeMap::from([(name.to_owned(), sorted[turn])])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(order: &[BTreeMap<String, f64>]) -> Vec<f64> {
        order.iter().map(|at| at["p"]).collect()
    }

    #[test]
    fn the_current_one_comes_first_then_the_ends_then_the_middles() {
        let all = doubled(64.0);
        assert_eq!(all, [4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0]);
        let order = order(Some("p"), Some(64.0), &all);
        assert_eq!(values(&order), [64.0, 4.0, 1024.0, 16.0, 256.0, 8.0, 32.0, 128.0, 512.0]);
    }

    #[test]
    fn small_numbers_have_fewer_values_and_other_values_are_taken_as_given() {
        assert_eq!(doubled(1.0), [1.0, 2.0, 4.0, 8.0, 16.0]);
        assert_eq!(values(&order(Some("p"), Some(3.0), &[8.0, 2.0, 2.0, f64::NAN, 4.0])), [2.0, 8.0, 4.0]);
        assert_eq!(order(None, None, &[]), [BTreeMap::new()]);
        assert_eq!(order(Some("p"), None, &[7.0]).len(), 1);
    }
}
