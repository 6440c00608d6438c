//! The page of the quickstart, its pictures, and the verdict in words.

use super::{Findings, LEVEL, cells, next_commands};
use crate::VERSION;
use crate::human;
use crate::plots;
use crate::report::{machine, typed};
use runcast_bench::Machine;
use runcast_core::evaluation::EvaluationPoint;
use runcast_core::prediction::Prediction;
use runcast_core::statistics;
use runcast_fit::Model;
use runcast_report::comparison::{Curve, curve};
use runcast_report::evaluation_report::{self, Evaluation};
use runcast_report::number;
use runcast_report::page::{Block, Column, Page, Section, Table};
use runcast_report::plot::Plot;

/// All of it as one page.
pub fn page(findings: &Findings, program: &str) -> Page {
    let mut page = Page {
        title: "runcast quickstart".to_owned(),
        summary: "A small parallel program was measured on this machine, the times of larger runs were forecast, and then these runs were made, too. Nothing here was known before.".to_owned(),
        machine: machine::of_machine(&findings.machine),
        commands: findings.commands.iter().map(|command| typed(command)).collect(),
        generated_by: format!("runcast {VERSION}"),
        ..Page::default()
    };
    let mut forecast = Section::new("Forecast and truth");
    forecast.push(Block::Text(verdict(&findings.evaluation, &findings.machine)));
    forecast.push(table(&findings.evaluation));
    page.sections.push(forecast);

    let mut pictures = Section::new("Pictures");
    pictures.push(Block::Text(
        "Black: the small runs, which the models have seen (median of the repetitions). The curve and its range come from these alone. The runs in the shaded part were made afterwards.".to_owned(),
    ));
    for model in &findings.found.models {
        for threads in thread_counts(model) {
            pictures.push(plot(findings, model, threads));
        }
    }
    page.sections.push(pictures);

    let mut measured = Section::new("What was measured");
    measured.push(Block::Text(
        "The program does two things with p threads. First a fixed-point iteration, x_i = (1 - sum of x_j / (1 + (i - j)^2)) / 4 over 64 log2(N) neighbors j on each side, for N unknowns, five times: bound by arithmetic (`iteration_s`). Then a sweep, b_k = b_k / 2 + a_k over 32,768 N values, round and round in two arrays of 16 MiB: bound by memory (`sweep_s`). The program tells both times itself; the wall time, the processor time and the memory of each run are in the table, too.".to_owned(),
    ));
    measured.push(Block::Text(format!(
        "Repetitions were interleaved over the configurations in a seeded random order. The ranges hold with a probability of {} % on average over applications: they are calibrated on real runs of other programs, not on this one.",
        human::significant(100.0 * LEVEL, 3)
    )));
    page.sections.push(measured);

    let mut errors = Section::new("Models and errors");
    errors.push(evaluation_report::summary_table(&findings.evaluation.models));
    let mut models = Table::new("Models", ["metric", "grows as", "formula"].map(Column::text));
    for model in &findings.found.models {
        let fitted = &model.fitted;
        let [class, formula] = [&fitted.class, &fitted.formula].map(|text| number::formula(text, 3));
        models.rows.push(vec![model.series.metric.name.clone(), class, formula]);
    }
    errors.push(models);
    page.sections.push(errors);

    let mut next = Section::new("Next");
    next.push(Block::Text("With a program of your own:".to_owned()));
    next.push(Block::Code(next_commands(program).join("\n")));
    page.sections.push(next);
    page
}

/// How good the forecast was, without praise.
pub fn verdict(evaluation: &Evaluation, machine: &Machine) -> String {
    let judged: Vec<&EvaluationPoint> = evaluation.points.iter().filter(|point| point.covered.is_some()).collect();
    let covered = judged.iter().filter(|point| point.covered == Some(true)).count();
    let errors: Vec<(f64, &EvaluationPoint)> =
        judged.iter().filter_map(|point| Some((point.error_pct?, *point))).collect();
    let Some((worst, at)) = errors.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return "No forecast could be compared with a run.".to_owned();
    };
    let median = statistics::median(&errors.iter().map(|(error, _)| *error).collect::<Vec<_>>());
    let refused = evaluation.points.len() - judged.len();
    let mut text = format!(
        "{covered} of {} measured values lie in their range of {} %. Median error {}, largest {} ({} at {}).",
        judged.len(),
        human::significant(100.0 * LEVEL, 3),
        human::percent(Some(median)),
        human::percent(Some(worst)),
        at.metric,
        at.at,
    );
    if let Some((load, threads)) = busy(machine) {
        text.push_str(&format!(
            " Other work kept the machine busy, which makes every time uncertain: a load of {} on {}.",
            human::significant(load, 2),
            human::count(threads as usize, "core", "cores")
        ));
    } else if covered < judged.len() {
        text.push_str(
            " Where the range was missed, the program behaves differently at that size than in the small runs.",
        );
    }
    if refused > 0 {
        text.push_str(&format!(" No forecast was given for {refused}."));
    }
    text
}

/// The load of a machine and its threads, when more is going on than our own program.
fn busy(machine: &Machine) -> Option<(f64, u32)> {
    let threads = machine.usable_threads?;
    machine.load.filter(|load| *load > 1.5 * f64::from(threads)).map(|load| (load, threads))
}

/// The picture for the terminal: the iteration on the most threads.
pub fn main_plot(findings: &Findings) -> Option<Plot> {
    let model = findings.found.models.first()?;
    Some(plot(findings, model, thread_counts(model).into_iter().next_back()?))
}

/// The numbers of threads of a model's runs, ascending.
fn thread_counts(model: &Model) -> Vec<f64> {
    let Some(p) = model.series.parameter("p") else { return Vec::new() };
    let mut counts: Vec<f64> = model.series.points.iter().filter_map(|point| point.at.get(p).copied()).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    counts
}

/// The runs on so many threads, small and large, with the curve of the model.
fn plot(findings: &Findings, model: &Model, threads: f64) -> Plot {
    let series = &model.series;
    let on_these = |point: &&EvaluationPoint| point.metric == series.metric.name && point.at.get("p") == Some(threads);
    let held_out: Vec<&EvaluationPoint> = findings.evaluation.points.iter().filter(on_these).collect();
    let training: Vec<(f64, f64)> = series
        .points
        .iter()
        .map(|point| (series.configuration(point), statistics::median(&point.values)))
        .filter(|(at, _)| at.get("p") == Some(threads))
        .filter_map(|(at, value)| Some((at.get("N")?, value)))
        .collect();
    let least = training.iter().map(|(size, _)| *size).fold(f64::INFINITY, f64::min);
    let most = held_out.iter().filter_map(|point| point.at.get("N")).fold(least, f64::max);
    let predictions: Vec<Prediction> = plots::along(model, "N", least, most, &[("p", threads)], LEVEL);
    let truth: Vec<(f64, f64)> =
        held_out.iter().filter_map(|point| Some((point.at.get("N")?, point.measured))).collect();
    let what = series.metric.name.trim_end_matches("_s");
    let title = format!("{what} on {}", human::count(threads as usize, "thread", "threads"));
    curve(&Curve {
        title: &title,
        parameter: "N",
        quantity: what,
        unit: &series.metric.unit,
        training: &training,
        held_out: &truth,
        predictions: &predictions,
    })
}

/// Predicted beside measured.
fn table(evaluation: &Evaluation) -> Table {
    let mut table = Table::new(
        "Predicted and measured",
        [
            Column::text("metric"),
            Column::number("p", ""),
            Column::number("N", ""),
            Column::number("predicted", ""),
            Column::number("90 % range", ""),
            Column::number("measured", ""),
            Column::number("error", ""),
            Column::text("in range"),
        ],
    );
    table.rows.extend(evaluation.points.iter().map(|point| cells(point).to_vec()));
    table
}
