//! The result for people.

use super::document::Document;
use crate::context::Screen;
use crate::human::{Table, significant};

/// Ranks whose ends are shown.
const RANKS: usize = 16;

/// Everything, in parts with an empty line between them.
pub(super) fn text(document: &Document, finish: &[u64], screen: Screen) -> String {
    let count = |value: u64| significant(value as f64, 15);
    let nanoseconds = |seconds: f64| significant(seconds * 1e9, 15);
    let label = &document.labels[0];
    let mut text = format!(
        "{} ns: {} ranks, {} operations, {} messages of {} bytes\n\n",
        nanoseconds(document.time_s),
        count(document.processes),
        count(document.counts.operations),
        count(document.counts.messages),
        count(document.counts.bytes),
    );
    let mut table = Table::new().text("mean of a rank").number("ns").number("share");
    let parts = [
        ("compute", label.compute_s),
        ("overhead", label.overhead_s),
        ("transfer", label.transfer_s),
        ("wait", label.wait_s),
        ("end", label.time_s),
    ];
    for (name, value) in parts {
        let share = if label.time_s > 0.0 {
            format!("{} %", significant(100.0 * value / label.time_s, 3))
        } else {
            "-".to_owned()
        };
        table.row([name.to_owned(), significant((value * 1e10).round() / 10.0, 15), share]);
    }
    text.push_str(&table.render(screen));
    text.push('\n');
    let mut table = Table::new().number("rank").number("ends at ns");
    for (rank, end) in finish.iter().enumerate().take(RANKS) {
        table.row([rank.to_string(), count(*end)]);
    }
    text.push_str(&table.render(screen));
    if finish.len() > RANKS {
        text.push_str(&format!("and {} more ranks: see --json\n", count((finish.len() - RANKS) as u64)));
    }
    text
}
