//! A made-up study that looks like a real one: a solver and its regions, strong scaling with a tail of communication.

use indexmap::IndexMap;
use runcast_core::evaluation::{EvaluationDocument, EvaluationPoint};
use runcast_core::model::{ModelEntry, Quality};
use runcast_core::prediction::{Prediction, Verdict};
use runcast_core::series::Aggregate;
use runcast_core::{Configuration, Direction, Group, Metric, Point, Series, Warning};
use runcast_report::evaluation_report::{self, Evaluation};
use runcast_report::fit_report::{self, FitReport, ModelCurve, SeriesReport};
use runcast_report::plot::{
    Axis, Band, Bar, Bars, DataPoint, Ink, Line, Plot, Points, RankedRow, Ranking, Rule, Scale,
};
use runcast_report::{Page, comparison};
use std::sync::Arc;

pub const PROCESSES: [f64; 7] = [8.0, 16.0, 27.0, 48.0, 64.0, 96.0, 128.0];
pub const TARGETS: [f64; 2] = [512.0, 1024.0];

/// A model of the sample: a law and how wide its interval opens.
#[derive(Clone, Copy)]
pub struct Law {
    pub name: &'static str,
    pub class: &'static str,
    pub value: fn(f64) -> f64,
    pub opening: f64,
}

pub const LAWS: [Law; 3] = [
    Law { name: "auto", class: "p^(-1) + log2(p)", value: |p| 380.0 / p + 0.31 * p.log2(), opening: 0.11 },
    Law { name: "power", class: "p^(-0.83)", value: |p| 262.0 * p.powf(-0.89), opening: 0.21 },
    Law { name: "amdahl", class: "constant", value: |p| 1.9 + 369.0 / p, opening: 0.06 },
];

/// Runs of a region: `share` of the time of the whole.
pub fn series(region: &str, share: f64, repetitions: u32) -> Series {
    let value = |p: f64, repetition: u32| {
        let noise = f64::from((p as u32 * 7919 + repetition * 104_729) % 97) / 97.0 - 0.4;
        share * (380.0 / p + 0.33 * p.log2()) * (1.0 + 0.09 * noise)
    };
    Series {
        group: Group::from([("region".to_owned(), region.to_owned())]),
        metric: Metric::new("time_s", "s", Direction::Lower),
        parameters: Arc::from(["p".to_owned(), "N".to_owned()]),
        process_parameter: Some(0),
        points: PROCESSES
            .iter()
            .map(|&p| Point {
                at: vec![p, 20_000.0],
                values: (0..repetitions).map(|repetition| value(p, repetition)).collect(),
                lines: (0..repetitions).collect(),
            })
            .collect(),
        file: None,
        warnings: Vec::new(),
    }
}

pub fn entry(series: &Series, law: Law) -> ModelEntry {
    ModelEntry {
        group: series.group.clone(),
        metric: series.metric.name.clone(),
        unit: series.metric.unit.clone(),
        direction: series.metric.direction,
        model: law.name.to_owned(),
        formula: format!("380/p + 0.31*log2(p) # {}", law.name),
        class: law.class.to_owned(),
        terms: Vec::new(),
        coefficients: IndexMap::new(),
        rank: Some(2),
        condition: Some(12.3),
        scaling: "strong".to_owned(),
        points: PROCESSES.len(),
        repetitions: series.runs(),
        range: IndexMap::from([("p".to_owned(), [8.0, 128.0])]),
        aggregate: "median".to_owned(),
        dropped: Vec::new(),
        members: Vec::new(),
        segments: Vec::new(),
        warnings: Vec::new(),
        quality: Quality {
            smape_pct: Some(1.4 + 10.0 * law.opening),
            validation_smape_pct: Some(2.9 + 20.0 * law.opening),
            ..Quality::default()
        },
        training: None,
        extra: IndexMap::new(),
    }
}

pub fn predict(series: &Series, law: Law, p: f64, share: f64) -> Prediction {
    let value = share * (law.value)(p);
    let horizon = (p / 128.0).max(1.0);
    let factor = (0.04 + law.opening * horizon.ln()).exp();
    Prediction {
        method: "fit".to_owned(),
        group: series.group.clone(),
        metric: series.metric.name.clone(),
        unit: series.metric.unit.clone(),
        model: law.name.to_owned(),
        at: Configuration(IndexMap::from([("p".to_owned(), p), ("N".to_owned(), 20_000.0)])),
        value: Some(value),
        low: Some(value / factor),
        high: Some(value * factor),
        level: 0.9,
        interval: Some("conformal".to_owned()),
        intervals: IndexMap::new(),
        extrapolates: horizon > 1.0,
        distance: IndexMap::from([("p".to_owned(), horizon), ("N".to_owned(), 1.0)]),
        horizon,
        verdict: if horizon > 7.0 { Verdict::Disagree } else { Verdict::Ok },
        members: Vec::new(),
        warnings: if horizon > 1.0 { vec!["extrapolation".to_owned()] } else { Vec::new() },
    }
}

/// Models of a series with their curves up to the largest target.
pub fn report<'a>(series: &'a Series, entries: &'a [ModelEntry], share: f64) -> SeriesReport<'a> {
    let curve_at: Vec<f64> = (0..=60).map(|step| 8.0 * 128f64.powf(f64::from(step) / 60.0)).collect();
    let models = entries.iter().zip(LAWS).map(|(entry, law)| ModelCurve {
        entry,
        curve: curve_at.iter().map(|&p| predict(series, law, p, share)).collect(),
        fitted: PROCESSES.iter().map(|&p| predict(series, law, p, share)).collect(),
    });
    let targets = LAWS[..entries.len()].iter().flat_map(|&law| TARGETS.map(|p| predict(series, law, p, share)));
    SeriesReport { series, aggregate: Aggregate::Median, models: models.collect(), targets: targets.collect() }
}

pub fn evaluation() -> Evaluation {
    let mut points = Vec::new();
    for (index, law) in (0..).zip(LAWS) {
        for (step, p) in (0..24).map(|step| (step, 150.0 * 1.09f64.powi(step))) {
            let wave = f64::from((step * 37 + index * 11) % 19) / 19.0 - 0.35;
            let measured = (LAWS[0].value)(p) * (1.0 + 0.22 * wave);
            let predicted = (law.value)(p);
            for (metric, unit, measured, predicted) in
                [("time_s", "s", measured, predicted), ("perf_gflops", "flop/s", 5.3e12 / measured, 5.3e12 / predicted)]
            {
                let point = EvaluationPoint {
                    model: law.name.to_owned(),
                    group: Group::from([("app".to_owned(), "solver".to_owned())]),
                    metric: metric.to_owned(),
                    unit: unit.to_owned(),
                    at: Configuration(IndexMap::from([("p".to_owned(), p.round()), ("N".to_owned(), 20_000.0)])),
                    measured,
                    predicted: Some(predicted),
                    low: Some(predicted * 0.8),
                    high: Some(predicted * 1.25),
                    level: Some(0.9),
                    ..EvaluationPoint::default()
                };
                points.push(point.scored());
            }
        }
    }
    EvaluationDocument::new(points, Vec::new()).into()
}

/// A whole page.
pub fn page() -> Page {
    let regions =
        [("main", 1.0), ("main->solve->exchange_halo", 0.31), ("main->solve->smooth", 0.22), ("main->io", 0.04)];
    let all: Vec<(Series, f64)> = regions.iter().map(|&(name, share)| (series(name, share, 5), share)).collect();
    let entries: Vec<Vec<ModelEntry>> =
        all.iter().map(|(series, _)| LAWS.iter().map(|&law| entry(series, law)).collect()).collect();
    let evaluation = evaluation();
    let warnings = [
        Warning::new("extrapolation", "8 predictions lie up to 8 times beyond the largest measured p"),
        Warning::new("repetition_outlier", "this run took 2.3 times as long as its repetitions")
            .in_file("runs.csv", 31),
    ];
    let report = FitReport {
        series: all.iter().zip(&entries).map(|((series, share), entries)| report(series, entries, *share)).collect(),
        failed: &[],
        warnings: &warnings,
        evaluation: Some(&evaluation),
    };
    let mut sections = fit_report::sections(&report);
    sections.push(evaluation_report::section(&evaluation, "p"));
    Page {
        title: "How the solver scales".to_owned(),
        summary: "From 35 runs at 8 to 128 processes to 1,024 processes.".to_owned(),
        sections,
        machine: vec![
            ("processor".to_owned(), "2 x Example 6140, 18 cores each, 2.3 GHz".to_owned()),
            ("memory".to_owned(), "192 GiB".to_owned()),
            ("system".to_owned(), "Linux 6.1".to_owned()),
        ],
        commands: vec![
            "runcast fit runs.csv --model auto,power,amdahl -o models.json".to_owned(),
            "runcast predict models.json --at p=512 --at p=1024".to_owned(),
        ],
        generated_by: "runcast 0.1.0".to_owned(),
        all_data: false,
    }
}

/// Pictures that the page does not have; the gallery draws them.
#[allow(dead_code, reason = "the tests look at the page alone")]
pub fn pictures() -> Vec<(&'static str, Plot)> {
    let main = series("main", 1.0, 3);
    let training: Vec<(f64, f64)> = PROCESSES.iter().map(|&p| (p, (LAWS[0].value)(p) * 1.01)).collect();
    let predictions: Vec<Prediction> =
        (0..=40).map(|step| predict(&main, LAWS[0], 8.0 * 64f64.powf(f64::from(step) / 40.0), 1.0)).collect();
    let curve = comparison::curve(&comparison::Curve {
        title: "Predicted and measured on this machine",
        parameter: "p",
        quantity: "time",
        unit: "s",
        training: &training,
        held_out: &[(256.0, 4.1), (512.0, 3.3)],
        predictions: &predictions,
    });
    let names = ["pmnf", "power", "amdahl", "usl", "ka-strong", "mokrov", "barnes-quadratic"];
    let mut many = Plot::new("Seven models", Axis::new("processes p", ""), Axis::new("time", "s"));
    for (index, name) in names.iter().enumerate() {
        let line =
            (0..=30).map(|step| 2f64.powf(f64::from(step) / 3.0)).map(|p| (p, 90.0 / p + 0.2 * (index + 1) as f64));
        many = many.with(Line::new(*name, line));
    }
    let ranked = |label: &str, value: f64| RankedRow {
        label: label.to_owned(),
        value,
        interval: Some((0.7 * value, 1.4 * value)),
    };
    let histogram = Bars {
        name: "auto".to_owned(),
        bars: (0..7)
            .map(|bin| Bar {
                from: 5.0 * f64::from(bin),
                to: if bin < 6 { 5.0 * f64::from(bin + 1) } else { f64::INFINITY },
                value: [14.0, 22.0, 9.0, 4.0, 2.0, 0.0, 1.0][bin as usize],
            })
            .collect(),
    };
    let single = |label: &str, value: f64| RankedRow { label: label.to_owned(), value, interval: None };
    vec![
        ("quickstart", curve),
        ("many_models", many),
        ("empty", Plot::new("Nothing was measured", Axis::new("p", ""), Axis::new("time", "s"))),
        (
            "one_point",
            Plot::new("One run", Axis::new("p", ""), Axis::new("time", "s"))
                .with(Points::new("measured", [(4.0, 0.002)])),
        ),
        (
            "histogram",
            Plot::new("Errors", Axis::new("relative error", "%"), Axis::new("predictions", "")).with(histogram),
        ),
        (
            "ranking",
            Plot::new("Regions at p = 4096", Axis::new("time", "s"), Axis::default()).with(Ranking {
                name: "predicted".to_owned(),
                rows: vec![
                    ranked("main->solve->exchange_halo", 41.0),
                    ranked("main->io", 12.0),
                    ranked("main->reduce", 3.1),
                ],
            }),
        ),
        (
            "bars",
            Plot::new("Median error of models", Axis::new("relative error", "%"), Axis::default()).with(Ranking {
                name: String::new(),
                rows: vec![
                    single("auto", 4.7),
                    single("pmnf-pt", 5.9),
                    single("mokrov", 30.4),
                    single("ka-strong", f64::NAN),
                ],
            }),
        ),
        (
            "bytes",
            Plot::new("Message size", Axis::new("size", "B").scaled(Scale::Log2), Axis::new("time", "s"))
                .with(Points {
                    name: "ping-pong".to_owned(),
                    ink: Ink::Auto,
                    values: (0..22)
                        .map(|power| {
                            let size = 2f64.powi(power);
                            let time = 1.5e-6 + size / 1e9;
                            DataPoint { x: size, y: time, bar: Some((0.8 * time, 1.3 * time)) }
                        })
                        .collect(),
                })
                .with(Band {
                    name: "model".to_owned(),
                    label: "90 % range".to_owned(),
                    values: vec![(1.0, 1e-6, 2e-6), (2e6, 1.5e-3, 3e-3)],
                    ink: Ink::Auto,
                })
                .with(Rule { place: runcast_report::plot::Place::Vertical(65_536.0), label: "rendezvous".to_owned() }),
        ),
    ]
}
