//! The answer for people.

use super::curve::Curve;
use super::document::Document;
use super::point;
use crate::context::Screen;
use crate::human::{self, Table, quantity, significant};
use runcast_bsf::cost::{Best, Collective, Costs, Form};

/// What the answers call speedup.
pub(super) const SPEEDUP: &str = "speedup: against one worker (two processes)";

const SPEEDUPS: &str = "speedup: against one worker (two processes); over serial: against one process without messages";

/// The boundary, the best worker counts, what to say of flat and tree, and the points.
pub(super) fn text(document: &Document, screen: Screen) -> String {
    let mut parts = vec![
        format!("{}\n", answer(&document.costs)),
        boundary(document),
        format!("{}\n{SPEEDUPS}\n", best_counts(document, screen)),
        collectives(document),
    ];
    if document.shows_points {
        parts.push(points(document, screen));
    } else {
        parts.push("Times at other counts: --workers 1,2,4\n".to_owned());
    }
    parts.join("\n")
}

/// `14 workers: 18.5 ms an iteration, 7.11 times as fast as one; beyond 14.2 more workers slow it down`
fn answer(costs: &Costs) -> String {
    let best = costs.best(Form::Smooth, Collective::Flat);
    let beyond = match costs.k_max() {
        Some(k_max) if k_max > 1.0 => format!("beyond {} more workers slow it down", significant(k_max, 3)),
        Some(_) => "more workers slow it down".to_owned(),
        None => "every worker helps".to_owned(),
    };
    let time = quantity(best.time_s, "s");
    match best.workers {
        1 => format!("1 worker: {time} an iteration; {beyond}"),
        workers => format!(
            "{} workers: {time} an iteration, {} times as fast as one; {beyond}",
            human::parameter(workers as f64),
            significant(best.speedup, 3)
        ),
    }
}

/// `jacobi, size=1500`
pub(super) fn title(document: &Document) -> String {
    let parameters = document.parameters.iter().map(|(name, value)| format!(", {name}={}", human::parameter(*value)));
    format!("{}{}", document.algorithm, parameters.collect::<String>())
}

fn boundary(document: &Document) -> String {
    let costs = &document.costs;
    let title = title(document);
    let elements = if costs.list_length == 1 { "element" } else { "elements" };
    let mut text = format!("{title}: a list of {} {elements}\n\n", significant(costs.list_length as f64, 16));
    text.push_str(&match document.k_max {
        None => "K_max: none, for messages and folds cost nothing\n".to_owned(),
        Some(k_max) => format!("K_max = {} workers{}\n", significant(k_max, 3), tree_boundary(document)),
    });
    let range = |low: f64, high: f64| format!("{} to {}", significant(low, 3), significant(high, 3));
    if let Some(interval) = document.k_max_interval {
        let level = significant(100.0 * interval.level, 4);
        text.push_str(&format!("{level} % range of K_max: {}", range(interval.low, interval.high)));
        if let Some(bounds) = document.k_max_bounds {
            let bounds = range(bounds.low, bounds.high);
            text.push_str(&format!("; {bounds} with every input anywhere in its interval"));
        }
        text.push('\n');
    }
    if !document.applicable {
        text.push_str(&dominated(document));
    }
    text
}

fn tree_boundary(document: &Document) -> String {
    match document.k_max_tree {
        Some(k_max) => format!(" when messages are flat, {} along a tree", significant(k_max, 3)),
        None => " when messages are flat".to_owned(),
    }
}

fn dominated(document: &Document) -> String {
    let costs = &document.costs;
    format!(
        "Communication dominates: each worker costs {} an iteration, and the work that they share takes {} in all.\n\
         More than one worker makes it slower.\n",
        quantity(costs.per_worker_s(), "s"),
        quantity(costs.work_s, "s")
    )
}

fn best_counts(document: &Document, screen: Screen) -> String {
    let table = Table::new().text("form").text("collective").number("best workers").number("time");
    let mut table = table.number("speedup").number("over serial").number("serial");
    for curve in &document.curves {
        table.row([
            curve.form.name().to_owned(),
            curve.collective.name().to_owned(),
            human::parameter(curve.best_workers as f64),
            quantity(curve.best_time_s, "s"),
            significant(curve.best_speedup, 3),
            significant(curve.best_speedup_serial, 3),
            quantity(curve.serial_time_s, "s"),
        ]);
    }
    table.render(screen)
}

/// What to say of flat and tree.
fn collectives(document: &Document) -> String {
    let [flat, tree] = Collective::ALL.map(|collective| document.costs.best(Form::Smooth, collective));
    let sentence = match (document.crossover_workers, document.best_collective) {
        (None, _) => "a tree is faster at no worker count".to_owned(),
        (Some(from), _) if flat == tree => format!(
            "at the best worker count, {}, they are the same; a tree is faster from {from} workers on",
            human::parameter(flat.workers as f64)
        ),
        (Some(from), Collective::Tree) => format!(
            "a tree is faster from {from} workers on;\nits best time is {}, {} times shorter than the best flat one",
            told(&tree),
            significant(flat.time_s / tree.time_s, 3)
        ),
        (Some(from), Collective::Flat) => format!(
            "flat has the best time, {};\na tree is faster from {from} workers on, but takes {} at best",
            told(&flat),
            told(&tree)
        ),
    };
    format!("Flat or tree: {sentence}.\n")
}

fn told(best: &Best) -> String {
    let noun = if best.workers == 1 { "worker" } else { "workers" };
    format!("{} with {} {noun}", quantity(best.time_s, "s"), human::parameter(best.workers as f64))
}

/// A table for each curve.
fn points(document: &Document, screen: Screen) -> String {
    let table = |curve: &Curve| format!("{}\n{}", curve.name(), point::table(&curve.points, document.level, screen));
    document.curves.iter().map(table).collect::<Vec<_>>().join("\n")
}
