//! Made-up series on plans of several densities: `auto` beside the same two members weighed and scored by rank.

use crate::random::Random;
use runcast_core::statistics::{median, quantile};
use runcast_core::{Configuration, Direction, Group, Metric, Point, Prediction, Series};
use runcast_fit::{FitOptions, Model, registry};
use std::fmt::Write as _;
use std::sync::Arc;

/// A law of run time over the number of processes.
type Law = Box<dyn Fn(f64) -> f64>;

const SERIES: usize = 60;
const NOISE: f64 = 0.02;
const LEAPS: [f64; 3] = [2.0, 4.0, 8.0];

/// The section of docs/accuracy.md.
pub fn section() -> String {
    let mut text = String::from(
        "\n## Plans denser than doublings\n\n\
         `power` weighs runs by rank and `pmnf-pt` is scored on the two largest runs: in a dense plan two or three runs, a few\n\
         percent apart, would decide. `auto` weighs by distance and scores on leaps of about two instead; on doublings both are\n\
         the same. Made-up series, 60 of each kind with 2 % noise, forecast to 2, 4 and 8 times the largest run (weak:\n\
         `1 + b log2 p + c p^e`; strong: `s + 1/p + b log2(p)/sqrt(p) + e log2 p`; coefficients at random, seed 1). Error:\n\
         median / 90 % quantile, in %.\n\n\
         | plan | scaling | members by rank | `auto` | its 90 % range holds |\n|---|---|---|---|---|\n",
    );
    let steps = |from: u32, to: u32, by: u32| (from..=to).step_by(by as usize).map(f64::from).collect::<Vec<f64>>();
    let plans = [
        ("14, 28, .. 210", steps(14, 210, 14)),
        ("1, 4, 9, .. 196", (1..=14).map(|k| f64::from(k * k)).collect()),
        ("1, 2, 3, .. 16", steps(1, 16, 1)),
        ("1, 2, 3, .. 8", steps(1, 8, 1)),
        ("1, 8, 27, .. 216", (1..=6).map(|k| f64::from(k * k * k)).collect()),
        ("1, 2, 4, .. 64", (0..=6).map(|k| f64::from(1 << k)).collect()),
    ];
    for (name, plan) in plans {
        for (scaling, law) in [("weak", weak as fn(&mut Random) -> Law), ("strong", strong)] {
            let (by_rank, auto, covered) = errors(&plan, law);
            let cell = |errors: &[f64]| format!("{:.1} / {:.0}", median(errors), quantile(errors, 0.9));
            let _ = writeln!(text, "| {name} | {scaling} | {} | {} | {covered:.0} % |", cell(&by_rank), cell(&auto));
        }
    }
    text
}

fn weak(random: &mut Random) -> Law {
    let (b, c, e) = (0.2 * random.uniform(), 0.05 * random.uniform(), 0.3 + 0.5 * random.uniform());
    Box::new(move |p: f64| 1.0 + b * p.log2() + c * p.powf(e))
}

fn strong(random: &mut Random) -> Law {
    let (s, b, e) = (0.02 * random.uniform(), 0.01 * random.uniform(), 0.002 * random.uniform());
    Box::new(move |p: f64| s + 1.0 / p + b * p.log2() / p.sqrt() + e * p.log2())
}

/// Relative errors in %, of the members joined by rank and of `auto`, and how often the range of `auto` holds, in %.
fn errors(plan: &[f64], law: fn(&mut Random) -> Law) -> (Vec<f64>, Vec<f64>, f64) {
    let mut random = Random::new(1);
    let (mut by_rank, mut auto, mut covered) = (Vec::new(), Vec::new(), 0usize);
    for _ in 0..SERIES {
        let law = law(&mut random);
        let runs: Vec<(f64, f64)> = plan.iter().map(|&p| (p, law(p) * (NOISE * random.normal()).exp())).collect();
        let series = Arc::new(series(&runs));
        let predict = |name: &str, p: f64| -> Option<Prediction> {
            let model = Model::fit(&series, registry::find(name)?, &FitOptions::default()).ok()?;
            let at = Configuration([("p".to_owned(), p)].into_iter().collect());
            Some(model.predict(&at, 0.9).ok()?.0)
        };
        let value = |name: &str, p: f64| predict(name, p).and_then(|prediction| prediction.value);
        for leap in LEAPS {
            let p = plan[plan.len() - 1] * leap;
            let error = |value: f64| 100.0 * (value / law(p) - 1.0).abs();
            if let Some(prediction) = predict("auto", p) {
                auto.extend(prediction.value.map(error));
                let holds = |low: f64, high: f64| (low..=high).contains(&law(p));
                covered += usize::from(prediction.low.zip(prediction.high).is_some_and(|(low, high)| holds(low, high)));
            }
            if let (Some(a), Some(b)) = (value("power", p), value("pmnf-pt", p)) {
                by_rank.push(error(if a.max(b) <= 2.0 * a.min(b) { (a * b).sqrt() } else { b }));
            }
        }
    }
    let share = 100.0 * covered as f64 / auto.len() as f64;
    (by_rank, auto, share)
}

/// A series of times over `p`.
pub fn series(runs: &[(f64, f64)]) -> Series {
    Series {
        group: Group::new(),
        metric: Metric::new("time_s", "s", Direction::Lower),
        parameters: ["p".to_owned()].into(),
        process_parameter: Some(0),
        points: runs.iter().map(|(p, y)| Point { at: vec![*p], values: vec![*y], lines: vec![0] }).collect(),
        file: None,
        warnings: Vec::new(),
    }
}
