//! What holds for every program, over random ones.

use crate::second::{Random, Wish, run, toml};
use crate::{near, outcome, prepared};
use runcast_call::bsp::{Kind, Outcome};

const PROGRAMS: u64 = 2_000;

#[test]
fn random_programs_agree_with_the_second_implementation() {
    let mut gains = 0;
    for seed in 0..PROGRAMS {
        let mut random = Random::new(seed);
        let procs = 1 + random.below(6);
        let (task, start) = (random.task(procs, 2, Wish { only_barriers: false }), random.start(procs));
        let program = prepared(&toml(&task, &start));
        let outcome = outcome(&program, &[]);
        near(outcome.obsp_finish_s(), &run(&task, &start, false));
        near(outcome.bsp_finish_s(), &run(&task, &start, true));
        gains += usize::from(outcome.obsp_time_s() < outcome.bsp_time_s());
        let is_below = |(obsp, bsp): (&f64, &f64)| obsp <= bsp;
        assert!(outcome.obsp_finish_s().iter().zip(outcome.bsp_finish_s()).all(is_below), "seed {seed}");
        adds_up(&outcome);
        has_a_path(&outcome, seed);
        ends_with_its_steps(&outcome);
    }
    // The property would say little if barriers cost nothing.
    assert!(gains > 500, "{gains} programs gain");
}

#[test]
fn with_barriers_only_both_readings_are_equal() {
    for seed in 0..PROGRAMS {
        let mut random = Random::new(seed);
        let procs = 1 + random.below(6);
        let (task, start) = (random.task(procs, 2, Wish { only_barriers: true }), random.start(procs));
        let program = prepared(&toml(&task, &start));
        let outcome = outcome(&program, &[]);
        assert_eq!(outcome.obsp_finish_s(), outcome.bsp_finish_s(), "seed {seed}");
    }
}

/// start + work + wait + comm = finish.
fn adds_up(outcome: &Outcome<'_>) {
    let parts = outcome.start_s().iter().zip(outcome.work_s()).zip(outcome.wait_s()).zip(outcome.comm_s());
    let sums: Vec<f64> = parts.map(|(((start, work), wait), comm)| start + work + wait + comm).collect();
    near(&sums, outcome.obsp_finish_s());
    assert!(outcome.wait_s().iter().all(|wait| *wait >= 0.0));
}

/// From a start time to the latest finish, without gaps.
fn has_a_path(outcome: &Outcome<'_>, seed: u64) {
    let path = outcome.critical_path();
    let latest = outcome.obsp_finish_s().iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (Some(first), Some(last)) = (path.first(), path.last()) else {
        assert_eq!(outcome.work_s().iter().sum::<f64>(), 0.0, "seed {seed}");
        return;
    };
    assert_eq!(first.from_s, outcome.start_s()[first.rank as usize], "seed {seed}: {path:?}");
    assert_eq!(last.to_s, latest, "seed {seed}");
    assert_eq!(outcome.obsp_finish_s().iter().position(|at| *at == latest), Some(last.rank as usize), "seed {seed}");
    for pair in path.windows(2) {
        assert_eq!(pair[0].to_s, pair[1].from_s, "seed {seed}: {path:?}");
        // Only where messages arrive does the path come from another processor.
        assert!(pair[0].rank == pair[1].rank || pair[1].kind == Kind::Comm, "seed {seed}: {path:?}");
    }
    assert!(path.iter().all(|part| part.to_s >= part.from_s && !part.path.is_empty()), "seed {seed}: {path:?}");
}

/// The last superstep of the whole machine ends when the program does.
fn ends_with_its_steps(outcome: &Outcome<'_>) {
    let last = outcome.steps().filter(|step| step.depth == 0).last().expect("a superstep");
    assert_eq!(last.obsp_finish_s, outcome.obsp_finish_s());
    assert_eq!(last.bsp_finish_s, outcome.bsp_finish_s());
    assert!(outcome.steps().all(|step| step.obsp_finish_s.len() == step.processors as usize));
}
