//! The result for people.

use super::document::Document;
use crate::context::Screen;
use crate::human::{Table, quantity, significant};

/// Ranks whose ends are shown.
const RANKS: usize = 16;

/// Everything, in parts with an empty line between them.
pub(super) fn text(document: &Document, finish: &[u64], screen: Screen) -> String {
    let count = |value: u64| significant(value as f64, 15);
    let label = &document.labels[0];
    let mut text = format!(
        "{}: {} ranks, {} operations, {} messages of {} bytes\n\n",
        headline(document.time_s),
        count(document.processes),
        count(document.counts.operations),
        count(document.counts.messages),
        count(document.counts.bytes),
    );
    let mut table = Table::new().text("mean of a rank").number("time").number("share");
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
        table.row([name.to_owned(), quantity(value, "s"), share]);
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

/// Short times in ticks of a nanosecond, as other simulators of schedules print them; long ones in a unit that reads
/// well, with the ticks beside it.
fn headline(seconds: f64) -> String {
    let nanoseconds = significant((seconds * 1e9).round(), 15);
    if seconds < 1e-3 { format!("{nanoseconds} ns") } else { format!("{} ({nanoseconds} ns)", quantity(seconds, "s")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_times_are_read_at_a_glance() {
        assert_eq!(headline(19_276e-9), "19,276 ns");
        assert_eq!(headline(42.441_527_748), "42.4 s (42,441,527,748 ns)");
    }
}
