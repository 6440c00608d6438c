//! Operator-aware rates and corrected spreads against simulation; speed of the exact law of the time.

use runcast_core::random::SplitMix;
use runcast_wavefront::model::Contraction;
use runcast_wavefront::model::operator::Rate;
use runcast_wavefront::model::operator::polynomial::{Choice, Polynomial, Signs};
use runcast_wavefront::simulate::{ConvergeOptions, EngineKind, converge};
use runcast_wavefront::solve::chain::Chain;
use runcast_wavefront::solve::growth::{OperatorEstimate, OperatorOptions, operator_estimate};
use runcast_wavefront::solve::time::{self, Threshold, TimeMethod, TimeOptions};
use runcast_wavefront::solve::{SolveOptions, solve};
use runcast_wavefront::{Model, Operator, Solution, cases};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

/// Rows of the operators, and rows of a piece.
const ROWS: usize = 30;
const PIECE: usize = 10;
/// Phases of the long simulated run behind a rate.
const PHASES: u64 = 1_000_000;

/// The part of the page.
pub fn section() -> Result<String, String> {
    let mut text = String::from("### Rates of operators\n\n");
    let _ = writeln!(
        text,
        "Three processes on a constant network (`p3-const-net`), operators of {ROWS} rows in pieces of {PIECE}: digits per\nphase, the operator-aware rate against the slope of the error over {PHASES} phases played by the event\nengine, and the published average case, which knows the spectral radius alone.\n"
    );
    text.push_str("| operator | B | kind | rate | simulated | off | published average | off |\n");
    text.push_str("|---|---:|---|---:|---:|---:|---:|---:|\n");
    for (name, operator) in operators() {
        for beta_updates in 0..=2 {
            text.push_str(&rate_row(name, &operator, beta_updates)?);
        }
    }
    text.push_str("\n### Spread and law of the time\n\n");
    text.push_str("The standard deviation of the exact law of the time of this many phases against both estimates, and the seconds\nthat the exact law took, with quantiles at 0.95 and 0.99 and a tail with its rate.\n\n");
    text.push_str("| model | phases | exact sd | corrected | off | published | off | law took |\n");
    text.push_str("|---|---:|---:|---:|---:|---:|---:|---:|\n");
    let models = [
        ("p2-two-point", cases::two_point()),
        ("p2-barrier-zero-msg", cases::barrier()),
        ("p3-const-net-sync", cases::constant_network(0)),
        ("p3-const-net-async1", cases::constant_network(1)),
        ("p2-deterministic-periodic", cases::periodic()),
        ("3 equal, messages of 1 to 6", cases::homogeneous(3, 1, 6)),
    ];
    for (name, model) in models {
        text.push_str(&spread_row(name, &model)?);
    }
    Ok(text)
}

fn operators() -> Vec<(&'static str, Operator)> {
    let owner: Vec<usize> = (0..ROWS).map(|row| row / PIECE).collect();
    let tridiagonal = |row: usize| {
        [row.checked_sub(1), Some(row + 1)].into_iter().flatten().filter(|at| *at < ROWS).map(|at| (at, 0.45)).collect()
    };
    let mut random = SplitMix::new(7, 0);
    let mut dense = |signed: bool, scale: f64| -> Vec<Vec<(usize, f64)>> {
        let mut entry = || if signed { 2.0 * random.uniform() - 1.0 } else { random.uniform() };
        (0..ROWS).map(|_| (0..ROWS).map(|column| (column, scale * entry())).collect()).collect()
    };
    let (positive, signed) = (dense(false, 1.8 / ROWS as f64), dense(true, 1.8 / ROWS as f64));
    let springs = |row: usize| {
        let near: Vec<(usize, f64)> = tridiagonal(row);
        near.into_iter()
            .map(|(at, value)| (at, if at < row && row.is_multiple_of(2) { -value } else { value }))
            .collect()
    };
    let gradient = |signs| Polynomial::new(Choice { signs, ..Choice::new(ROWS, 1) });
    let mixed = gradient(Signs::Mixed);
    // I - s Q: the operator near the solution, with its signs.
    let near = |row: usize| {
        let entry =
            |column: usize| f64::from(u8::from(row == column)) - mixed.choice.step_size * mixed.quadratic[row][column];
        (0..ROWS).map(|column| (column, entry(column))).collect()
    };
    vec![
        ("tridiagonal", Operator::new((0..ROWS).map(tridiagonal).collect(), owner.clone(), Rate::Auto).0),
        ("dense", Operator::new(positive, owner.clone(), Rate::Auto).0),
        ("gradient", gradient(Signs::Negative).operator(owner.clone(), Rate::Auto).0),
        ("tridiagonal, signed", Operator::new((0..ROWS).map(springs).collect(), owner.clone(), Rate::Auto).0),
        ("dense, signed", Operator::new(signed, owner.clone(), Rate::Auto).0),
        ("gradient, signed", Operator::new((0..ROWS).map(near).collect(), owner, Rate::Auto).0),
    ]
}

fn rate_row(name: &str, operator: &Operator, beta_updates: u32) -> Result<String, String> {
    let mut model = cases::constant_network(beta_updates);
    model.contraction = Contraction::Operator(Arc::new(operator.clone()));
    let (solution, chain) = solved(&model)?;
    let found: OperatorEstimate = operator_estimate(&model, chain.as_ref(), &solution, &OperatorOptions::default())
        .map_err(|error| error.to_string())?;
    let options = ConvergeOptions {
        phases: PHASES,
        runs: 0,
        seed: 5,
        engine: EngineKind::Events,
        interrupt: None,
        progress: None,
    };
    let simulated =
        converge(&model, operator, &options).and_then(|run| run.rate_per_phase).ok_or("nothing converged")?;
    let published = model.digits_per_application();
    let off = |rate: f64| format!("{:+.2} %", 100.0 * (rate / simulated - 1.0));
    let kind = if found.interval.is_some() { "Lyapunov" } else { "first moment" };
    let (average, average_off) =
        published.map_or_else(|| ("".to_owned(), "".to_owned()), |rate| (format!("{rate:.6}"), off(rate)));
    Ok(format!(
        "| {name} | {beta_updates} | {kind} | {:.6} | {simulated:.6} | {} | {average} | {average_off} |\n",
        found.rate_per_phase,
        off(found.rate_per_phase)
    ))
}

fn spread_row(name: &str, model: &Model) -> Result<String, String> {
    let (solution, chain) = solved(model)?;
    let options = TimeOptions {
        phases: 131,
        quantiles: vec![0.95, 0.99],
        thresholds: vec![Threshold::TimesMean(1.1)],
        seed: 0,
        interrupt: None,
    };
    let start = Instant::now();
    let law = time::estimate(model, chain.as_ref(), &solution, &options).ok_or("interrupted")?;
    let took_s = start.elapsed().as_secs_f64();
    if law.method != TimeMethod::Exact {
        return Err(format!("{name}: the law of the time is not exact"));
    }
    // At a fixed number of phases, as the exact law is: without the share that the iterations explain.
    let asymptotic = solution.asymptotic.ok_or("several classes")?;
    let sd = |variance: f64| model.step_s * (131.0 * variance.max(0.0)).sqrt();
    let off = |value: f64| {
        if law.sd_s > 0.0 { format!("{:+.2} %", 100.0 * (value / law.sd_s - 1.0)) } else { "0 %".to_owned() }
    };
    let (corrected, published) = (sd(asymptotic.phase_var), sd(solution.phase.phase_var));
    Ok(format!(
        "| {name} | 131 | {:.4} s | {corrected:.4} s | {} | {published:.4} s | {} | {:.4} s |\n",
        law.sd_s,
        off(corrected),
        off(published),
        took_s
    ))
}

fn solved(model: &Model) -> Result<(Solution, Option<Chain>), String> {
    let solved = solve(model, &SolveOptions::default()).map_err(|error| error.to_string())?;
    Ok((solved.solution, solved.chain))
}
