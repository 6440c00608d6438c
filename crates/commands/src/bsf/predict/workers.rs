//! Which worker counts a curve is shown at.

use runcast_bsf::cost::{Collective, Costs};
use runcast_core::Problem;
use runcast_formula::numbers::NumberList;

/// More points than this make no useful table.
const MOST_POINTS: usize = 10_000;

/// Reads a list of numbers.
pub(super) fn list(text: &str) -> Result<NumberList, String> {
    NumberList::parse(text).map_err(|error| match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    })
}

/// The counts of a list, each with an element of a list of `most`.
///
/// # Errors
/// One of them has not, or is no whole number; there are too many.
pub(super) fn counts(list: &NumberList, most: u64) -> Result<Vec<u64>, Problem> {
    let problem = |message: String| Problem::new("out_of_range", message).at("--workers");
    // A rule without an end goes as far as there are elements.
    let end = list.is_unbounded().then_some(most as f64);
    let values = list.expand(None, end).map_err(|error| problem(error.to_string()).value(list.to_string()))?;
    if values.is_empty() || values.len() > MOST_POINTS {
        let message = format!("{} worker counts", values.len());
        return Err(problem(message).value(list.to_string()).allowed(format!("1 to {MOST_POINTS} counts")));
    }
    let count = |value: f64| {
        let workers = value as u64;
        if value.fract() == 0.0 && (1.0..=most as f64).contains(&value) {
            return Ok(workers);
        }
        let shown = runcast_core::table::number::to_text(value);
        let message = match value > most as f64 {
            true => format!("{shown} workers for a list of {most} elements"),
            false => format!("{shown} workers"),
        };
        Err(problem(message).value(shown).allowed(format!("whole numbers from 1 to {most}")))
    };
    let mut counts = values.into_iter().map(count).collect::<Result<Vec<u64>, Problem>>()?;
    let mut seen = std::collections::HashSet::new();
    counts.retain(|&workers| seen.insert(workers));
    Ok(counts)
}

/// Powers of 2 up to twice the boundary of the collective, at most an element each.
pub(super) fn default(costs: &Costs, collective: Collective) -> Vec<u64> {
    let boundary = match collective {
        Collective::Flat => costs.k_max_clamped(),
        Collective::Tree => costs.k_max_tree_clamped(),
    };
    up_to_twice(boundary, costs.list_length)
}

/// Powers of 2 up to twice a boundary, at most an element each.
pub(super) fn up_to_twice(boundary: f64, list_length: u64) -> Vec<u64> {
    let most = (2.0 * boundary).min(list_length as f64);
    (0..u64::BITS).map(|power| 1u64 << power).take_while(|&workers| workers as f64 <= most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_bsf::cost::{Machine, algorithm};

    fn jacobi(size: u64) -> Costs {
        let machine = Machine { latency_s: 1.5e-5, overhead_s: None, op_time_s: 2.9e-8, transfer_time_s: 1.9e-7 };
        algorithm::jacobi(size).and_then(|counts| counts.costs(&machine)).expect("costs")
    }

    fn given(text: &str) -> Result<Vec<u64>, String> {
        counts(&list(text).expect("a list"), jacobi(1500).list_length).map_err(|problem| problem.to_string())
    }

    #[test]
    fn lists_are_counts_with_an_element_each() {
        assert_eq!(given("4,1,4,1500"), Ok(vec![4, 1, 1500]));
        assert_eq!(given("range:1..5:2"), Ok(vec![1, 3, 5]));
        assert_eq!(given("powers:2").map(|counts| counts.last().copied()), Ok(Some(1024)));
        let error = given("1,1501").expect_err("too many workers");
        assert_eq!(
            error,
            "--workers: 1501 workers for a list of 1500 elements (allowed: whole numbers from 1 to 1500)"
        );
        for bad in ["0", "2.5", "-1", "1e300", "range:1..1e5", "multiples:2000"] {
            assert!(given(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_default_goes_up_to_twice_the_boundary() {
        assert_eq!(default(&jacobi(1500), Collective::Flat), [1, 2, 4, 8, 16]);
        assert_eq!(default(&jacobi(1500), Collective::Tree).last(), Some(&256));
        assert_eq!(default(&jacobi(1), Collective::Flat), [1]);
        assert_eq!(default(&jacobi(2), Collective::Flat), [1, 2]);
    }
}
