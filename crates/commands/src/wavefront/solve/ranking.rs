//! Which degree of asynchronism is best, and where nothing justifies saying so.

use super::document::{DegreeEntry, ModelEntry, RankingEntry};
use runcast_wavefront::model::Semantics;

/// Times closer than this are the same.
const SAME: f64 = 1e-9;

/// The degrees by the time of the operator's estimate; without that, why there is no ranking.
pub(super) fn ranking(model: &ModelEntry, degrees: &[DegreeEntry]) -> RankingEntry {
    let time_of = |degree: &DegreeEntry| degree.estimates.operator.as_ref()?.estimate.time_s;
    let times: Option<Vec<f64>> = degrees.iter().map(time_of).collect();
    let Some(times) = times.filter(|times| !times.is_empty()) else {
        let reason = match degrees.iter().any(|degree| degree.estimates.operator.is_some()) {
            true => "the operator has no rate under every degree, so that their times cannot be compared".to_owned(),
            false => reason(model, degrees),
        };
        return RankingEntry {
            by: None,
            order: Vec::new(),
            time_ratio: Vec::new(),
            tied: Vec::new(),
            reason: Some(reason),
        };
    };
    let mut order: Vec<usize> = (0..degrees.len()).collect();
    order.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
    let best_s = times[order[0]];
    let mut tied = vec![false];
    tied.extend(
        order.windows(2).map(|pair| is_tied(&degrees[pair[0]], times[pair[0]], &degrees[pair[1]], times[pair[1]])),
    );
    let reason = tied.contains(&true).then(|| "degrees whose intervals overlap are tied".to_owned());
    RankingEntry {
        by: Some("operator".to_owned()),
        time_ratio: order.iter().map(|&index| times[index] / best_s).collect(),
        order: order.iter().map(|&index| degrees[index].name.clone()).collect(),
        tied,
        reason,
    }
}

/// Whether the slower one may be no slower.
fn is_tied(fast: &DegreeEntry, fast_s: f64, slow: &DegreeEntry, slow_s: f64) -> bool {
    let high = fast.ci_time_s.map_or(fast_s, |interval| interval[1].unwrap_or(f64::INFINITY));
    let low = slow.ci_time_s.map_or(slow_s, |interval| interval[0].unwrap_or(0.0));
    low <= high || slow_s - fast_s <= SAME * slow_s
}

/// What the estimates that do not look at the operator say of these degrees whatever the iteration is.
fn reason(model: &ModelEntry, degrees: &[DegreeEntry]) -> String {
    let same_alpha = degrees.windows(2).all(|pair| pair[0].alpha_updates == pair[1].alpha_updates);
    let told = match (model.semantics, same_alpha) {
        (Semantics::Abort, true) => {
            "the time of a phase does not depend on B, so the average-case estimate is the same for every B; the worst \
             case and Baudet's bound never prefer asynchronous, the best case never synchronous"
        }
        (Semantics::Abort, false) => {
            "the time of a phase does not depend on B and never falls with A, so the average-case estimate never \
             prefers more updates; the worst case and Baudet's bound never prefer asynchronous to synchronous, the best \
             case never synchronous at the same A"
        }
        _ => {
            "the average-case estimate follows the time of a phase alone, which more updates mostly lengthen, and the \
             others scale it by numbers of iterations, whatever these achieve"
        }
    };
    format!("{told}; what extra updates achieve depends on the operator: give the model an [operator]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wavefront::solve::document::{Estimate, Estimates, OperatorEstimate};
    use runcast_wavefront::model::Tie;
    use runcast_wavefront::solve::growth::OperatorKind;
    use runcast_wavefront::solve::solution::Method;

    fn degree(name: &str, time_s: Option<f64>, interval: Option<[f64; 2]>) -> DegreeEntry {
        let operator = OperatorEstimate {
            estimate: Estimate { time_s, ..Estimate::default() },
            kind: OperatorKind::FirstMoment,
            bound_rate_per_phase: None,
            ci_rate_per_phase: None,
        };
        let none = Estimate::default();
        DegreeEntry {
            name: name.to_owned(),
            alpha_updates: vec![1, 1],
            beta_updates: vec![0, 0],
            method: Method::Exact,
            phase_mean_s: 1.0,
            iterations_mean: 1.0,
            estimates: Estimates { worst: none, average: none, best: none, baudet: none, operator: Some(operator) },
            ci_time_s: interval.map(|ends| ends.map(Some)),
        }
    }

    fn model(semantics: Semantics) -> ModelEntry {
        ModelEntry {
            name: None,
            processes: 2,
            process_names: vec!["a".to_owned(), "b".to_owned()],
            step_s: 1.0,
            omega: 6.0,
            rho: None,
            contraction_log10: None,
            semantics,
            tie: Tie::Counts,
            alpha_updates: vec![1, 1],
            beta_updates: vec![0, 0],
            x0_ticks: vec![0, 0],
            modes: Vec::new(),
        }
    }

    #[test]
    fn the_least_time_comes_first() {
        let degrees = [degree("1/0", Some(100.0), None), degree("1/1", Some(80.0), None)];
        let found = ranking(&model(Semantics::Abort), &degrees);
        assert_eq!((found.by.as_deref(), found.order), (Some("operator"), vec!["1/1".to_owned(), "1/0".to_owned()]));
        assert_eq!((found.time_ratio, found.tied), (vec![1.0, 1.25], vec![false, false]));
    }

    #[test]
    fn overlapping_intervals_are_ties() {
        let degrees = [
            degree("1/0", Some(100.0), Some([95.0, 105.0])),
            degree("1/1", Some(103.0), Some([98.0, 108.0])),
            degree("1/2", Some(120.0), Some([115.0, 125.0])),
        ];
        let found = ranking(&model(Semantics::Abort), &degrees);
        assert_eq!(found.tied, [false, true, false]);
        let equal =
            ranking(&model(Semantics::Abort), &[degree("1/0", Some(5.0), None), degree("1/1", Some(5.0), None)]);
        assert_eq!(equal.tied, [false, true]);
    }

    #[test]
    fn without_an_operator_there_is_a_reason_and_no_order() {
        let mut degrees = [degree("1/0", None, None), degree("1/1", None, None)];
        assert!(ranking(&model(Semantics::Abort), &degrees).reason.is_some_and(|reason| reason.contains("no rate")));
        for degree in &mut degrees {
            degree.estimates.operator = None;
        }
        let found = ranking(&model(Semantics::Abort), &degrees);
        assert_eq!((found.by, found.order.len(), found.time_ratio.len()), (None, 0, 0));
        assert!(found.reason.is_some_and(|reason| reason.contains("same for every B")));
        degrees[1].alpha_updates = vec![2, 2];
        assert!(
            ranking(&model(Semantics::Abort), &degrees)
                .reason
                .is_some_and(|reason| reason.contains("never falls with A"))
        );
        let found = ranking(&model(Semantics::Complete), &degrees);
        assert!(found.reason.is_some_and(|reason| reason.contains("mostly lengthen")));
    }
}
