//! Costs for people.

use super::Measured;
use super::document::{Document, TimesEntry};
use crate::context::Screen;
use crate::human::{Table, count, quantity, significant};
use runcast_bsf::cost::{Collective, Form};
use runcast_bsf::skeleton::Estimate;

/// What was measured how, the costs, and what follows from them.
pub(super) fn text(measured: &Measured<'_>, document: &Document, screen: Screen) -> String {
    let level = significant(100.0 * document.level, 3);
    let table = costs(&document.times, &format!("{level} % range")).render(screen);
    format!("{}\n\n{table}\n{}", heading(measured, document), ending(measured, document))
}

/// `jacobi, size 1500: one worker in a thread, 500 iterations over a list of 1500 elements`
fn heading(measured: &Measured<'_>, document: &Document) -> String {
    let origin = &document.origin;
    let threads = match origin.threads {
        1 => String::new(),
        threads => format!(" with {threads} threads"),
    };
    let place = match &origin.mpi {
        None if origin.backend == "mpi" => "a process of MPI".to_owned(),
        Some(library) => format!("a process of {library}"),
        None => "a thread".to_owned(),
    };
    let iterations = count(usize::try_from(origin.iterations).unwrap_or(usize::MAX), "iteration", "iterations");
    let elements = if document.list_length == 1 { "element" } else { "elements" };
    format!(
        "{}, size {}: one worker in {place}{threads}, {iterations} over a list of {} {elements}",
        measured.subject.name, origin.size, document.list_length,
    )
}

fn costs(times: &TimesEntry, range: &str) -> Table {
    let mut table = Table::new().text("cost").number("time").number(range).text("of");
    let mut row = |name: &str, of: &str, time: Option<Estimate>| {
        if let Some(time) = time {
            table.row([name.to_owned(), quantity(time.value, "s"), interval(&time), of.to_owned()]);
        }
    };
    row("latency", "a message of 1 byte", Some(times.latency_s));
    row("overhead", "the master, of that latency", times.overhead_s);
    row("send", "the approximation to a worker, without latency", Some(times.send_s));
    row("work", "map and fold over the whole list, CPU time", Some(times.work_s));
    row("fold", "two partial results into one", Some(times.fold_s));
    row("receive", "a partial result from a worker, without latency", Some(times.receive_s));
    row("compute", "the next approximation, and whether to stop", Some(times.compute_s));
    table
}

fn interval(time: &Estimate) -> String {
    match time.value > 0.0 {
        true => format!("{} to {}", quantity(time.low, "s"), quantity(time.high, "s")),
        false => String::new(),
    }
}

fn ending(measured: &Measured<'_>, document: &Document) -> String {
    let costs = super::costs(&measured.calibration);
    let mut lines = Vec::new();
    if let Some(op_time_s) = document.origin.op_time_s {
        lines.push(format!("an operation takes {}, for this program at this size", quantity(op_time_s, "s")));
    }
    if let Some(costs) = costs {
        let [iteration_s, costs_s] = [document.iteration_time_s.value, costs.time_s(Form::Smooth, Collective::Flat, 1)]
            .map(|s| quantity(s, "s"));
        lines.push(format!("an iteration with one worker takes {iteration_s}; these costs add up to {costs_s}"));
    }
    if let Some(pieces) = &document.pieces {
        let block = quantity(pieces.in_cache_s, "s");
        lines.push(match pieces.cache_bytes {
            Some(bytes) => format!(
                "an element takes {block} in a block of up to {}, {} in a larger one",
                quantity(bytes, "B"),
                quantity(pieces.out_of_cache_s, "s")
            ),
            None => format!("an element takes {block} in blocks of all sizes"),
        });
        let switches: Vec<String> = pieces.switches_bytes.iter().map(|bytes| quantity(*bytes, "B")).collect();
        if !switches.is_empty() {
            lines.push(format!("messages change their protocol after {}", switches.join(", ")));
        }
        let [flat, tree] =
            [pieces.k_max, pieces.k_max_tree].map(|workers| count(workers as usize, "worker", "workers"));
        lines.push(format!("in pieces: least time with {flat} when messages are flat, {tree} along a tree"));
    }
    lines.push(match costs.and_then(|costs| costs.k_max()) {
        Some(k_max) => format!("K_max = {} workers when messages are flat", significant(k_max, 3)),
        None => "K_max: none, for messages and folds cost nothing".to_owned(),
    });
    lines.join("\n") + "\n"
}
