//! In which order the runs of a plan are made.
//!
//! Repetitions are interleaved: each round runs every configuration once, in a seeded random order. Running the
//! repetitions of a configuration back to back was seen to raise the noise from 4 % to 19 %, since slow drifts of
//! the machine then hit one configuration alone. The order depends on the plan and the seed only, and never changes
//! from one version to the next: an interrupted benchmark continues in the same order.

use runcast_core::plan::PlannedConfiguration;
use runcast_core::random::SplitMix;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedRun {
    /// Index into the plan.
    pub configuration: usize,
    /// Number of the repetition, from 0.
    pub rep: u32,
}

/// All runs of a plan, in their order.
///
/// A configuration that is in the plan twice has the repetitions of both.
pub fn order(plan: &[PlannedConfiguration], seed: u64) -> Vec<PlannedRun> {
    let distinct = distinct(plan);
    let rounds = distinct.iter().map(|&(_, repetitions)| repetitions).max().unwrap_or(0);
    let mut runs: Vec<PlannedRun> = Vec::new();
    for rep in 0..rounds {
        let mut round: Vec<usize> =
            distinct.iter().filter(|&&(_, repetitions)| rep < repetitions).map(|&(index, _)| index).collect();
        let mut random = SplitMix::new(seed, u64::from(rep));
        for last in (1..round.len()).rev() {
            round.swap(last, random.below(last + 1));
        }
        // Not twice the same in a row where one round meets the next.
        let previous = runs.last().map(|run| run.configuration);
        if round.len() > 1 && round.first().copied() == previous {
            let other = 1 + random.below(round.len() - 1);
            round.swap(0, other);
        }
        runs.extend(round.into_iter().map(|configuration| PlannedRun { configuration, rep }));
    }
    runs
}

/// The first index of each distinct configuration, with the repetitions of all its equals.
fn distinct(plan: &[PlannedConfiguration]) -> Vec<(usize, u32)> {
    let mut seen: indexmap::IndexMap<Vec<(String, u64)>, (usize, u32)> = indexmap::IndexMap::new();
    for (index, planned) in plan.iter().enumerate() {
        let mut identity: Vec<_> =
            planned.at.0.iter().map(|(name, value)| (name.clone(), (value + 0.0).to_bits())).collect();
        identity.sort();
        let entry = seen.entry(identity).or_insert((index, 0));
        entry.1 = entry.1.saturating_add(planned.repetitions);
    }
    seen.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use runcast_core::Configuration;

    fn plan(repetitions: &[u32]) -> Vec<PlannedConfiguration> {
        let planned = |(index, &repetitions): (usize, &u32)| {
            let at = Configuration::from_pairs(&["p".to_owned()], &[index as f64 + 1.0]);
            PlannedConfiguration::new("train", at, repetitions)
        };
        repetitions.iter().enumerate().map(planned).collect()
    }

    #[test]
    fn the_order_stays_the_same_from_version_to_version() {
        // Computed by a second implementation, in Python.
        for (seed, expected) in [
            (1, [3, 0, 2, 1, 3, 2, 1, 0, 2, 1, 3, 0]),
            (2, [2, 3, 0, 1, 2, 0, 3, 1, 3, 1, 0, 2]),
            (3, [0, 3, 1, 2, 0, 1, 3, 2, 3, 1, 0, 2]),
        ] {
            let runs = order(&plan(&[3; 4]), seed);
            assert_eq!(runs.iter().map(|run| run.configuration).collect::<Vec<_>>(), expected, "seed {seed}");
        }
    }

    #[test]
    fn equal_configurations_share_their_repetitions() {
        let mut twice = plan(&[2, 1]);
        twice.push(twice[0].clone());
        let runs = order(&twice, 0);
        let mut reps: Vec<_> = runs.iter().filter(|run| run.configuration == 0).map(|run| run.rep).collect();
        reps.sort_unstable();
        assert_eq!((reps, runs.len()), (vec![0, 1, 2, 3], 5));
    }

    proptest! {
        #[test]
        fn every_run_is_there_once_and_rounds_are_interleaved(
            repetitions in prop::collection::vec(0u32..6, 0..12), seed: u64
        ) {
            let runs = order(&plan(&repetitions), seed);
            let mut sorted: Vec<_> = runs.iter().map(|run| (run.configuration, run.rep)).collect();
            sorted.sort_unstable();
            let all: Vec<_> = repetitions.iter().enumerate().flat_map(|(c, &n)| (0..n).map(move |r| (c, r))).collect();
            prop_assert_eq!(sorted, all);
            prop_assert!(runs.windows(2).all(|pair| pair[0].rep <= pair[1].rep), "rounds one after the other");
            for pair in runs.windows(2) {
                let alone = runs.iter().filter(|run| run.rep == pair[1].rep).count() == 1;
                prop_assert!(alone || pair[0].configuration != pair[1].configuration, "back to back");
            }
        }

        #[test]
        fn more_repetitions_leave_the_earlier_rounds_as_they_were(count in 1usize..8, reps in 1u32..5, seed: u64) {
            let few = order(&plan(&vec![reps; count]), seed);
            let more = order(&plan(&vec![reps + 2; count]), seed);
            prop_assert_eq!(&more[..few.len()], &few[..]);
        }
    }
}
