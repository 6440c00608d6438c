//! How forecasts of earlier sessions did, by which those of a new one are widened.
//!
//! A level that was watched for seconds says little of what others on the machine will start in the next minute. So the range of a
//! run is calibrated by sessions on a machine that is shared (docs/theory/ranges.md): samples, a forecast, runs. The table is
//! the one that `examples/wavefront/coverage.sh` writes.

use runcast_core::numeric::normal;
use runcast_core::ranges::{Parts, Range, Score, Scores};
use std::sync::LazyLock;

/// `session,load,start_in_s,low_s,high_s,time_s`: a row a run, beside its 90 % range by the level alone.
pub const SESSIONS: &str = include_str!("sessions.csv");
/// The level of these ranges.
const LEVEL: f64 = 0.9;
/// What every forecast misses.
const FLOOR: f64 = 0.02;

static SHIPPED: LazyLock<Scores> = LazyLock::new(|| Scores::new(&scores(SESSIONS, |_| true)));

/// The scores of the sessions of a table that are wanted; lines that are none are left out.
pub fn scores(table: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<Score> {
    let score = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |cell: usize| cells.get(cell)?.parse::<f64>().ok();
        let (low_s, high_s, time_s) = (number(3)?, number(4)?, number(5)?);
        let d = (time_s / (low_s * high_s).sqrt()).ln() / scale(low_s, high_s, LEVEL)?;
        Some(Score { cluster: cells[0].to_owned(), d })
    };
    table.lines().skip(1).filter_map(score).filter(|score| is_wanted(&score.cluster)).collect()
}

/// The scale of a law with these quantiles at `(1 -+ level)/2`.
fn scale(low_s: f64, high_s: f64, level: f64) -> Option<f64> {
    let parameter = (high_s / low_s).ln() / (2.0 * normal::quantile(0.5 + 0.5 * level));
    (low_s > 0.0 && parameter >= 0.0 && parameter.is_finite())
        .then(|| Parts { parameter, floor: FLOOR, ..Parts::default() }.scale(1.0))
}

/// The range of a run whose law has these quantiles at `(1 -+ level)/2`, by given scores.
pub fn widened(low_s: f64, high_s: f64, level: f64, scores: &Scores) -> Option<Range> {
    Range::of((low_s * high_s).sqrt(), scale(low_s, high_s, level)?, level, Some(scores), false)
}

/// The same by the sessions that ship with the program.
pub fn range(low_s: f64, high_s: f64, level: f64) -> Option<Range> {
    widened(low_s, high_s, level, &SHIPPED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::ranges::Source;

    #[test]
    fn a_range_of_a_session_is_wider_than_its_law() {
        assert!(SHIPPED.clusters() >= 20 && SHIPPED.suffice(), "{} sessions", SHIPPED.clusters());
        let range = range(0.9, 1.1, 0.9).expect("a range");
        assert!(range.source == Source::Calibrated && range.low < 0.9 && range.high > 1.1, "{range:?}");
        assert_eq!(super::range(0.0, 1.0, 0.9), None);
    }

    /// By hand: ln(1.21/1)/(2 1.644854) + 0.02 = 0.077943; ln(1.32/1.1) over it.
    #[test]
    fn a_score_is_an_error_in_units_of_the_law() {
        let table = "session,load,start_in_s,low_s,high_s,time_s\na,0,0,1,1.21,1.32\nb,0,0,1,1.21,1.1\nx,0,0,0,1,1\n";
        let found = scores(table, |_| true);
        assert_eq!(found.len(), 2);
        assert!((found[0].d - 0.182_321_557 / 0.077_943_1).abs() < 1e-4 && found[1].d.abs() < 1e-12, "{found:?}");
        assert_eq!(scores(table, |session| session == "b").len(), 1);
    }
}
