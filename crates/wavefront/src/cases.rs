//! Small models for tests, benchmarks and examples.

use crate::model::law::Law;
use crate::model::{Contraction, Laws, Model, Modes, Process, Semantics, Tie};

/// A model without modes under abort, ties counted, all at the start at once; A = 1 and B = 0 everywhere.
///
/// # Panics
/// There is no process.
pub fn plain(step_s: f64, rho: f64, update: Vec<Law>, message: Law) -> Model {
    assert!(!update.is_empty(), "a model has a process");
    let name = |index: usize| Process { name: format!("p{}", index + 1), alpha_updates: 1, beta_updates: 0 };
    Model {
        name: None,
        step_s,
        processes: (0..update.len()).map(name).collect(),
        semantics: Semantics::Abort,
        tie: Tie::Counts,
        start: vec![0; update.len()],
        modes: Modes::single(Laws::with_one_network(update, message)),
        omega: 6.0,
        contraction: Contraction::Rho(rho),
        level: None,
        sigma_factor: 1.0,
        pilot_log_sd: 0.0,
        has_sends: false,
    }
}

fn law(pairs: &[(u64, f64)]) -> Law {
    Law::new(pairs.iter().copied()).expect("a law")
}

/// Two processes with two times each, messages of 1 or 2 ticks: 5 states.
pub fn two_point() -> Model {
    let update = vec![law(&[(2, 0.5), (3, 0.5)]), law(&[(2, 0.25), (4, 0.75)])];
    plain(0.5, 0.8, update, law(&[(1, 0.5), (2, 0.5)]))
}

/// Two processes of 1 or 3 ticks that wait for each other, messages of no time: 1 state, Phi = 1 + 2 Bernoulli(3/4).
pub fn barrier() -> Model {
    let update = law(&[(1, 0.5), (3, 0.5)]);
    plain(1.0, 0.8, vec![update.clone(), update], Law::constant(0))
}

/// Three different processes on a network where every message takes 3 ticks, up to `beta_updates` updates in beta: 10
/// states.
pub fn constant_network(beta_updates: u32) -> Model {
    let update = vec![
        law(&[(4, 0.5), (5, 0.3), (8, 0.2)]),
        law(&[(5, 0.6), (6, 0.3), (12, 0.1)]),
        law(&[(6, 0.4), (7, 0.4), (14, 0.2)]),
    ];
    plain(0.1, 0.9, update, Law::constant(3)).with_updates(&[(1, beta_updates); 3])
}

/// Two processes with constant times; from other starts its chain has period 2.
pub fn periodic() -> Model {
    plain(1.0, 0.8, vec![Law::constant(3); 2], Law::constant(2)).with_updates(&[(1, 1); 2])
}

/// Equal processes of 4, 5 or 8 ticks, messages of `least` to `least + width - 1` ticks, equally likely.
///
/// # Panics
/// `size` or `width` is 0.
pub fn homogeneous(size: usize, least: u64, width: u64) -> Model {
    let update = law(&[(4, 0.5), (5, 0.3), (8, 0.2)]);
    let message = Law::new((least..least + width).map(|ticks| (ticks, 1.0 / width as f64))).expect("a law");
    plain(1.0, 0.9, vec![update; size], message)
}
