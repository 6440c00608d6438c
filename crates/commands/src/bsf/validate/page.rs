//! Pictures and pages of what was found.

use super::curves::{Curve, Found, Leveled};
use super::document::{CurveEntry, Document, Errors, PointEntry};
use super::times::{Run, Times};
use crate::VERSION;
use crate::context::Context;
use crate::human;
use crate::report::{machine, typed};
use runcast_bench::Machine;
use runcast_report::bsf_report::{self, ComparedPoint, CurvePoint, Validation};
use runcast_report::page::{Block, Page, Section};
use std::path::Path;

/// Places of a drawn curve; over fewer workers than that each of them.
const PLACES: u64 = 256;

/// What was found, as pictures and pages take it; `drawn` says whether curves are needed between the points.
pub(super) fn validation(times: &Times, found: &Found, document: &Document, drawn: bool) -> Validation {
    let places = if drawn { places(times, found) } else { Vec::new() };
    let curve = |(curve, entry): (&Curve, &CurveEntry)| {
        let (interval, leveled) = (entry.k_max_interval, curve.at_level(found.level));
        bsf_report::Curve {
            name: curve.name(),
            coefficients: entry.coefficients.map(|found| [found.fixed_s, found.work_s, found.per_worker_s]),
            boundary: entry.k_max,
            boundary_range: interval.map_or((None, None), |interval| (interval.low, interval.high)),
            fitted_error_pct: entry.train.map(mean_and_most),
            test_error_pct: entry.test.map(mean_and_most),
            test_coverage_pct: entry.test.and_then(|test| test.coverage_pct),
            line: places.iter().map(|&workers| place(&leveled, workers)).collect(),
            points: entry.points.iter().map(compared).collect(),
        }
    };
    let xy = |runs: &[Run]| runs.iter().map(|run| (run.measured.workers as f64, run.measured.time_s)).collect();
    Validation {
        title: format!("Time over workers: {}", times.name),
        level: found.level,
        fitted: xy(&times.train),
        held_out: xy(&times.test),
        curves: found.curves.iter().zip(&document.curves).map(curve).collect(),
        warnings: found.warnings.clone(),
    }
}

/// The page.
pub(super) fn page(times: &Times, found: &Found, validation: &Validation, context: &mut Context) -> Page {
    let mut page = Page {
        title: format!("Predicted and measured times: {}", times.name),
        summary: super::text::summary(times, found.source, found.list_length),
        generated_by: format!("runcast {VERSION}"),
        ..Page::default()
    };
    page.sections.push(bsf_report::section(validation));
    page.sections.push(explanation(found));
    if let Some(file) = &times.file {
        let (facts, commands) = machine::beside(Path::new(file), context);
        page.machine = facts;
        page.commands = commands;
    } else {
        // Runs that were just made.
        page.machine = machine::of_machine(&Machine::observe());
    }
    if !context.command_line.is_empty() {
        page.commands.push(typed(&context.command_line));
    }
    page
}

fn explanation(found: &Found) -> Section {
    let mut section = Section::new("What the curves are");
    let formula = match found.source {
        "fit" => {
            "T(K) = fixed + work g(K) + per_worker k(K)\ng(K) = 1/K (smooth) or ceil(l/K)/l (granular)\nk(K) = K (flat) or ceil(log2(K+1)) (tree)"
        }
        _ => "T(K) = comm(K) + fold(K) + work(K) + t_p",
    };
    section.push(Block::Code(formula.to_owned()));
    section.push(Block::Text(format!(
        "K counts workers; there is one process more, the master. K_max is the boundary: with more workers, each of them costs more than it saves. Ranges should hold a run with a probability of {} %. Errors are |predicted - measured|/measured, where the median of repetitions counts.",
        human::significant(100.0 * found.level, 4)
    )));
    section
}

/// Numbers of workers from the fewest to the most that are reported, and up to the boundary if it is not much further.
fn places(times: &Times, found: &Found) -> Vec<u64> {
    let mut told = times.workers();
    told.extend(&found.requested);
    let (Some(&least), Some(&most)) = (told.iter().min(), told.iter().max()) else { return Vec::new() };
    let near = |boundary: f64| boundary <= 1.5 * most as f64;
    let boundaries = found.curves.iter().filter_map(Curve::k_max).filter(|boundary| near(*boundary));
    let end = boundaries.map(|boundary| (1.1 * boundary).ceil() as u64).fold(most, u64::max);
    let end = found.list_length.map_or(end, |length| end.min(length).max(most));
    if end - least <= PLACES {
        return (least..=end).collect();
    }
    let ratio = end as f64 / least as f64;
    let share = |step: u64| (least as f64 * ratio.powf(step as f64 / PLACES as f64)).round() as u64;
    told.extend((0..=PLACES).map(share));
    told.retain(|workers| (least..=end).contains(workers));
    told.sort_unstable();
    told.dedup();
    told
}

fn place(curve: &Leveled<'_>, workers: u64) -> CurvePoint {
    let predicted = curve.time(workers);
    CurvePoint { workers: workers as f64, time_s: predicted.time_s, range_s: predicted.range_s }
}

fn compared(point: &PointEntry) -> ComparedPoint {
    let range_s = point.low_s.map(|low| (low, point.high_s.unwrap_or(f64::INFINITY)));
    ComparedPoint {
        part: point.part.to_owned(),
        measured_s: point.measured_s,
        predicted: CurvePoint { workers: point.workers as f64, time_s: point.predicted_s, range_s },
        error_pct: point.error_pct,
    }
}

fn mean_and_most(errors: Errors) -> (f64, f64) {
    (errors.mean_error_pct, errors.max_error_pct)
}
