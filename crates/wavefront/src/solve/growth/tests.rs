//! The growth of errors, against brute force and closed forms.

use super::*;
use crate::cases;
use crate::model::law::Law;
use crate::model::{Laws, Modes, Semantics};
use crate::solve::SolveOptions;
use crate::solve::chain::Limits;
use crate::solve::tests::oracle::Oracle;
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use runcast_core::random::SplitMix;

/// A symmetric matrix with 1/2 beside the diagonal times `factor`: spectral radius factor * cos(pi / (rows + 1)).
fn springs(rows: usize, factor: f64) -> DMatrix<f64> {
    DMatrix::from_fn(rows, rows, |i: usize, j: usize| if i.abs_diff(j) == 1 { 0.5 * factor } else { 0.0 })
}

fn operator(matrix: &DMatrix<f64>, pieces: &[usize], rate: Rate) -> Operator {
    let row = |i: usize| (0..matrix.ncols()).map(|j| (j, matrix[(i, j)])).filter(|(_, value)| *value != 0.0).collect();
    let owner = pieces.iter().enumerate().flat_map(|(process, rows)| vec![process; *rows]).collect();
    let radius = matrix.map(f64::abs).complex_eigenvalues().iter().map(|value| value.norm()).fold(0.0, f64::max);
    Operator { rows: (0..matrix.nrows()).map(row).collect(), owner, gap: 1.0 - radius, rate }
}

fn with(model: &Model, operator: Operator) -> Model {
    Model { contraction: Contraction::Operator(Arc::new(operator)), ..model.clone() }
}

fn answer(model: &Model) -> (OperatorEstimate, Solution) {
    let chain = Chain::build(model, &Limits::default()).expect("a small model");
    let solution = chain.solution(&SolveOptions::default());
    (operator_estimate(model, Some(&chain), &solution, &OperatorOptions::default()).expect("an estimate"), solution)
}

fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} instead of {b}");
}

/// F(n), written out: columns are the pieces as broadcast, then the newest.
fn written_out(matrix: &DMatrix<f64>, owner: &[usize], alpha: &[u32], updates: &[u32]) -> DMatrix<f64> {
    let rows = matrix.nrows();
    let mut map = DMatrix::zeros(2 * rows, 2 * rows);
    for unit in 0..2 * rows {
        let start = |row: usize| f64::from(u8::from(row == unit));
        for (process, (alpha, updates)) in alpha.iter().zip(updates).enumerate() {
            let mut newest: Vec<f64> = (0..rows).map(|row| start(rows + row)).collect();
            for update in 1..=*updates {
                let read = newest.clone();
                for row in (0..rows).filter(|row| owner[*row] == process) {
                    let from = |column: usize| if owner[column] == process { read[column] } else { start(column) };
                    newest[row] = (0..rows).map(|column| matrix[(row, column)] * from(column)).sum();
                    map[(rows + row, unit)] = newest[row];
                    if update == *alpha {
                        map[(row, unit)] = newest[row];
                    }
                }
            }
        }
    }
    map
}

/// Digits per phase of the first moment, by all ways of all phases and whole matrices.
fn slow_first_moment(model: &Model, matrix: &DMatrix<f64>, owner: &[usize]) -> f64 {
    let oracle = Oracle::new(model);
    let alpha: Vec<u32> = model.processes.iter().map(|process| process.alpha_updates).collect();
    let (states, size) = (oracle.states.len(), 2 * matrix.nrows());
    let absolute = matrix.map(f64::abs);
    let mut maps: std::collections::HashMap<(usize, usize), DMatrix<f64>> = std::collections::HashMap::new();
    for (state, ways) in oracle.ways.iter().enumerate() {
        for way in ways {
            let map = written_out(&absolute, owner, &alpha, &way.updates) * way.probability;
            *maps.entry((way.to, state)).or_insert_with(|| DMatrix::zeros(size, size)) += map;
        }
    }
    let mut vectors = vec![DVector::from_element(size, 1.0); states];
    let (mut growth, phases) = (0.0, 600);
    for phase in 0..2 * phases {
        let mut next = vec![DVector::zeros(size); states];
        for ((to, from), map) in &maps {
            next[*to] += map * &vectors[*from];
        }
        let norm: f64 = next.iter().map(|vector| vector.sum()).sum();
        growth += if phase >= phases { norm.log10() } else { 0.0 };
        vectors = next.into_iter().map(|vector| vector / norm).collect();
    }
    -growth / f64::from(phases)
}

#[test]
fn synchronous_is_the_operator_itself_whatever_the_times() {
    let matrix = springs(30, 0.95);
    let digits = -(0.95 * (std::f64::consts::PI / 31.0).cos()).log10();
    for model in [cases::constant_network(0), cases::homogeneous(3, 1, 4)] {
        let model = with(&model, operator(&matrix, &[10, 10, 10], Rate::Auto));
        let (found, solution) = answer(&model);
        assert_eq!((found.kind, found.interval), (OperatorKind::FirstMoment, None));
        near(found.rate_per_phase, digits, 1e-9 * digits);
        near(found.bound_rate_per_phase.expect("a bound"), digits, 1e-9 * digits);
        near(found.rate_per_iteration, digits, 1e-9 * digits);
        near(found.phases.expect("it converges"), 6.0 / digits, 1e-6);
        near(found.time_s.expect("it converges"), 6.0 / digits * solution.phase.phase_mean * model.step_s, 1e-6);
        let a = solution.asymptotic.expect("one class").phase_var;
        near(found.sd_autocov_s.expect("one class"), model.step_s * (6.0 / digits * a).sqrt(), 1e-6);
        // The growth along the chain says the same as the operator alone.
        let Contraction::Operator(operator) = &model.contraction else { panic!("there is one") };
        let chain = Chain::build(&model, &Limits::default()).expect("a small model");
        let pieces = Pieces::new(operator, 3, true);
        let along = moment::growth(&chain, &chain.classes()[0].members, &pieces, &|| false).expect("small");
        near(-along.value.log10(), digits, 1e-9 * digits);
        let alone = moment::fixed_growth(&pieces, &[1, 1, 1], &|| false).expect("small");
        near(-alone.value.log10(), digits, 1e-9 * digits);
    }
}

#[test]
fn one_process_with_three_updates_is_three_times_as_good() {
    let matrix = springs(12, 0.9);
    let model = cases::plain(1.0, 0.9, vec![Law::constant(3)], Law::constant(1)).with_updates(&[(3, 2)]);
    let model = with(&model, operator(&matrix, &[12], Rate::Auto));
    let digits = -(0.9 * (std::f64::consts::PI / 13.0).cos()).log10();
    let (found, _) = answer(&model);
    near(found.rate_per_phase, 3.0 * digits, 1e-9);
    near(found.rate_per_iteration, digits, 1e-9);
}

#[test]
fn the_first_moment_is_that_of_all_ways() {
    let mut complete = cases::two_point().with_updates(&[(1, 1), (1, 2)]);
    complete.semantics = Semantics::Complete;
    let mut periodic = cases::periodic();
    periodic.start = vec![0, 1];
    let uneven = cases::two_point().with_updates(&[(2, 1), (1, 3)]);
    let random = |rows: usize| {
        let mut random = SplitMix::new(3, 0);
        DMatrix::from_fn(rows, rows, |_, _| 1.6 / rows as f64 * random.uniform())
    };
    let cases = [
        (cases::constant_network(1), vec![1, 2, 1]),
        (complete, vec![2, 2]),
        (periodic, vec![2, 2]),
        (uneven, vec![3, 1]),
    ];
    for (model, pieces) in cases {
        for matrix in [random(4), springs(4, 0.9)] {
            let operator = operator(&matrix, &pieces, Rate::Auto);
            let slow = slow_first_moment(&model, &matrix, &operator.owner);
            let (found, _) = answer(&with(&model, operator));
            near(found.rate_per_phase, slow, 1e-9);
            assert_eq!(found.warnings, []);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn small_models_have_the_first_moment_of_all_ways(
        first in 1_u64..4,
        shares in prop::collection::vec(0.1_f64..0.9, 2),
        message in 0_u64..4,
        updates in prop::collection::vec((1_u32..3, 0_u32..3), 2),
        complete in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let law = |share: &f64| Law::new([(first, *share), (first + 2, 1.0 - share)]).expect("a law");
        let message = Law::new([(message, 0.5), (message + 1, 0.5)]).expect("a law");
        let mut model = cases::plain(1.0, 0.5, shares.iter().map(law).collect(), message).with_updates(&updates);
        model.semantics = if complete { Semantics::Complete } else { Semantics::Abort };
        let mut random = SplitMix::new(seed, 0);
        let matrix = DMatrix::from_fn(3, 3, |_, _| 0.6 * (random.uniform() - 0.1));
        let operator = operator(&matrix, &[1, 2], Rate::FirstMoment);
        let slow = slow_first_moment(&model, &matrix, &operator.owner);
        let (found, _) = answer(&with(&model, operator));
        prop_assert!((found.rate_per_phase - slow).abs() < 1e-8, "{} instead of {slow}", found.rate_per_phase);
    }
}

#[test]
fn a_periodic_chain_has_the_growth_of_its_cycle() {
    // From (0, 1) the waits are 3 and 1, then 1 and 3 ticks: one update more here, then there.
    let mut model = cases::periodic();
    model.start = vec![0, 1];
    let matrix = springs(6, 0.9);
    let operator = operator(&matrix, &[3, 3], Rate::Auto);
    let here = written_out(&matrix, &operator.owner, &[1, 1], &[2, 1]);
    let there = written_out(&matrix, &operator.owner, &[1, 1], &[1, 2]);
    let radius = (there * here).complex_eigenvalues().iter().map(|value| value.norm()).fold(0.0, f64::max);
    let (found, _) = answer(&with(&model, operator));
    near(found.rate_per_phase, -0.5 * radius.log10(), 1e-10);
}

#[test]
fn of_several_classes_the_slowest_counts() {
    // In the mode "wait" a message takes long, and there is time for an update more.
    let laws = |message: u64| Laws::with_one_network(vec![Law::constant(3); 2], Law::constant(message));
    let mut model = cases::plain(1.0, 0.9, vec![Law::constant(3); 2], Law::constant(1)).with_updates(&[(1, 1); 2]);
    let transition = vec![vec![0.0, 0.5, 0.5], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    let names = ["new", "plain", "wait"].map(str::to_owned).to_vec();
    model.modes = Modes { names, transition, start: vec![1.0, 0.0, 0.0], laws: vec![laws(1), laws(1), laws(4)] };
    let matrix = springs(6, 0.9);
    let (found, _) = answer(&with(&model, operator(&matrix, &[3, 3], Rate::Auto)));
    let digits = -(0.9 * (std::f64::consts::PI / 7.0).cos()).log10();
    near(found.rate_per_phase, digits, 1e-9);
    assert_eq!(found.sd_autocov_s, None);
    // By sampling, too, each class from within.
    let (found, _) = answer(&with(&model, operator(&matrix, &[3, 3], Rate::Lyapunov)));
    near(found.rate_per_phase, digits, 1e-3 * digits);
}

#[test]
fn the_first_moment_is_below_the_almost_sure_rate() {
    let matrix = springs(9, 0.95);
    let model = cases::constant_network(1);
    let (moment, _) = answer(&with(&model, operator(&matrix, &[3, 3, 3], Rate::FirstMoment)));
    let (sampled, _) = answer(&with(&model, operator(&matrix, &[3, 3, 3], Rate::Lyapunov)));
    let [low, high] = sampled.interval.expect("an interval");
    assert!(moment.rate_per_phase <= high, "{moment:?} {sampled:?}");
    assert!(low < sampled.rate_per_phase && sampled.rate_per_phase < high);
    // And nearly sharp, as there are no signs.
    near(moment.rate_per_phase, sampled.rate_per_phase, 0.01 * sampled.rate_per_phase);
    assert_eq!(sampled.kind, OperatorKind::Lyapunov);
}

#[test]
fn with_signs_the_rate_is_that_of_random_products() {
    let mut random = SplitMix::new(11, 0);
    let matrix = DMatrix::from_fn(6, 6, |_, _| 0.3 * (2.0 * random.uniform() - 1.0));
    let model = cases::constant_network(1);
    let operator = operator(&matrix, &[2, 2, 2], Rate::Auto);
    let owner = operator.owner.clone();
    let (found, _) = answer(&with(&model, operator));
    assert_eq!(found.kind, OperatorKind::Lyapunov);
    // By a walk over all ways with numbers of its own.
    let oracle = Oracle::new(&model);
    let (mut state, mut vector, mut growth) = (0, DVector::from_element(12, 1.0), 0.0);
    let phases = 100_000;
    let mut maps = std::collections::HashMap::new();
    for _ in 0..phases {
        let mut draw = random.uniform();
        let ways = &oracle.ways[state];
        let pick = ways.iter().find(|way| {
            draw -= way.probability;
            draw < 0.0
        });
        let way = pick.unwrap_or(&ways[ways.len() - 1]);
        let map =
            maps.entry(way.updates.clone()).or_insert_with(|| written_out(&matrix, &owner, &[1, 1, 1], &way.updates));
        vector = &*map * vector;
        let norm = vector.norm();
        growth += norm.log10();
        vector /= norm;
        state = way.to;
    }
    near(found.rate_per_phase, -growth / f64::from(phases), 0.01 * found.rate_per_phase);
    let bound = found.bound_rate_per_phase.expect("a contraction");
    assert!(bound < found.rate_per_phase, "{found:?}");
}

#[test]
fn with_signs_and_constant_counts_the_rate_is_the_radius() {
    let mut random = SplitMix::new(12, 0);
    let matrix = DMatrix::from_fn(6, 6, |_, _| 0.3 * (2.0 * random.uniform() - 1.0));
    let operator = operator(&matrix, &[2, 2, 2], Rate::Auto);
    let radius = |map: &DMatrix<f64>| map.complex_eigenvalues().iter().map(|value| value.norm()).fold(0.0, f64::max);
    let (found, _) = answer(&with(&cases::constant_network(0), operator.clone()));
    near(found.rate_per_phase, -radius(&matrix).log10(), 1e-12);
    let [low, high] = found.interval.expect("an interval");
    assert_eq!((low, high), (found.rate_per_phase, found.rate_per_phase));
    let uneven = cases::constant_network(0).with_updates(&[(3, 0), (1, 0), (2, 0)]);
    let map = written_out(&matrix, &operator.owner, &[3, 1, 2], &[3, 1, 2]);
    let (found, _) = answer(&with(&uneven, operator.clone()));
    near(found.rate_per_phase, -radius(&map).log10(), 1e-12);
    // By sampling the same comes out.
    let pieces = Pieces::new(&operator, 3, false);
    let sampled = product::growth(&uneven, &pieces, &[3.0, 1.0, 2.0], true, 0, &|| false).expect("a rate");
    near(sampled.rate, found.rate_per_phase, 0.002);
}

#[test]
fn what_ends_or_is_too_much_is_told() {
    let strict = DMatrix::from_fn(4, 4, |i: usize, j: usize| if j > i { 0.5 } else { 0.0 });
    let options = OperatorOptions::default();
    let told = |model: &Model| {
        let chain = Chain::build(model, &Limits::default()).expect("a small model");
        operator_estimate(model, Some(&chain), &chain.solution(&SolveOptions::default()), &options).err()
    };
    let model = with(&cases::two_point(), operator(&strict, &[2, 2], Rate::Auto));
    assert_eq!(told(&model), Some(NoEstimate::Vanishes));
    let model = with(&cases::periodic(), operator(&springs(4, 0.9), &[2, 2], Rate::Auto));
    assert_eq!(told(&model.with_updates(&[(40_000_000, 1); 2])), Some(NoEstimate::TooLarge));
}

#[test]
fn without_chain_it_is_sampled_and_told() {
    let matrix = springs(9, 0.95);
    let model = with(&cases::constant_network(1), operator(&matrix, &[3, 3, 3], Rate::Auto));
    let (exact, solution) = answer(&model);
    let options = OperatorOptions::default();
    let found = operator_estimate(&model, None, &solution, &options).expect("an estimate");
    assert_eq!((found.kind, found.warnings[0].code.as_str()), (OperatorKind::Lyapunov, "first_moment_too_large"));
    near(found.rate_per_phase, exact.rate_per_phase, 0.01 * exact.rate_per_phase);
    // Then L is what is sure.
    near(found.bound_rate_per_phase.expect("a contraction"), model.digits_per_application().expect("known"), 1e-12);
    assert_eq!(operator_estimate(&model, None, &solution, &options).as_ref(), Ok(&found));
    let stopped = OperatorOptions { interrupt: Some(Arc::new(AtomicBool::new(true))), seed: 0 };
    assert_eq!(operator_estimate(&model, None, &solution, &stopped), Err(NoEstimate::Interrupted));
    assert_eq!(operator_estimate(&cases::barrier(), None, &solution, &options), Err(NoEstimate::NoOperator));
}

#[test]
fn modes_that_outlast_a_run_are_all_met() {
    // In the mode "wait" there is time for an update more; either lasts 200,000 phases.
    let laws = |message: u64| Laws::with_one_network(vec![Law::constant(3); 2], Law::constant(message));
    let mut model = cases::plain(1.0, 0.9, vec![Law::constant(3); 2], Law::constant(1)).with_updates(&[(1, 1); 2]);
    let transition = vec![vec![1.0 - 5e-6, 5e-6], vec![5e-6, 1.0 - 5e-6]];
    let names = ["plain", "wait"].map(str::to_owned).to_vec();
    model.modes = Modes { names, transition, start: vec![1.0, 0.0], laws: vec![laws(1), laws(4)] };
    let matrix = springs(6, 0.9);
    let plain = -(0.9 * (std::f64::consts::PI / 7.0).cos()).log10();
    let more = written_out(&matrix, &[0, 0, 0, 1, 1, 1], &[1, 1], &[2, 2]);
    let wait = -more.complex_eigenvalues().iter().map(|value| value.norm()).fold(0.0, f64::max).log10();
    let (found, _) = answer(&with(&model, operator(&matrix, &[3, 3], Rate::Lyapunov)));
    let [low, high] = found.interval.expect("an interval");
    // Half of the time in each.
    let middle = 0.5 * (plain + wait);
    assert!(low < middle && middle < high, "{middle} is not within {low} to {high}");
    near(found.rate_per_phase, middle, 0.25 * (wait - plain));
}

#[test]
fn what_grows_has_no_time() {
    let model = with(&cases::constant_network(1), operator(&springs(9, 1.2), &[3, 3, 3], Rate::Auto));
    let (found, _) = answer(&model);
    assert!(found.rate_per_phase < 0.0, "{found:?}");
    assert_eq!((found.phases, found.time_s, found.bound_rate_per_phase), (None, None, None));
    assert_eq!(found.warnings[0].code, "no_contraction");
}

#[test]
fn an_error_in_fast_directions_falls_in_fewer_phases() {
    // By hand: (1e-4 * 0.5^k, 0.1^k) is below 1e-6 from k = 7 on, sqrt(0.78^2 + 0.1^2) 1e-6; omega over the rate is 19.9.
    let model = cases::plain(1.0, 0.9, vec![crate::Law::constant(3)], crate::Law::constant(0));
    let matrix = DMatrix::from_diagonal(&DVector::from_vec(vec![0.5, 0.1]));
    let model = with(&model, operator(&matrix, &[2], Rate::Auto));
    let options = OperatorOptions::default();
    assert_eq!(phases_from(&model, None, &[-1e-4, 1.0], &options), Ok(7));
    let (found, solution) = answer(&model);
    assert!((found.phases.expect("a rate") - 19.93).abs() < 0.01);
    let over = found.over(7.0, &model, &solution);
    assert_eq!((over.phases, over.time_s), (Some(7.0), Some(21.0)));
}

#[test]
fn an_error_is_followed_through_all_ways_from_the_start() {
    let model = cases::two_point().with_updates(&[(1, 2), (2, 1)]);
    let matrix = springs(4, 0.9);
    let (operator, error) = (operator(&matrix, &[2, 2], Rate::Auto), [1.0, -0.2, 0.0, 0.1]);
    let owner = operator.owner.clone();
    let oracle = Oracle::new(&model);
    let both = DVector::from_iterator(8, error.iter().chain(&error).map(|error| f64::abs(*error)));
    let mut now: Vec<DVector<f64>> = vec![DVector::zeros(8); oracle.states.len()];
    oracle.start.iter().for_each(|(state, share)| now[*state] += *share * &both);
    let newest = |now: &[DVector<f64>]| now.iter().fold(DVector::zeros(4), |sum, v| sum + v.rows(4, 4)).norm();
    let (goal, mut phases) = (1e-6 * newest(&now), 0);
    while newest(&now) > goal {
        let mut next = vec![DVector::zeros(8); now.len()];
        for (errors, ways) in now.iter().zip(&oracle.ways) {
            for way in ways {
                next[way.to] += way.probability * written_out(&matrix, &owner, &[1, 2], &way.updates) * errors;
            }
        }
        (now, phases) = (next, phases + 1);
    }
    let model = with(&model, operator);
    let chain = Chain::build(&model, &Limits::default()).expect("a small model");
    assert_eq!(phases_from(&model, Some(&chain), &error, &OperatorOptions::default()), Ok(phases));
}
