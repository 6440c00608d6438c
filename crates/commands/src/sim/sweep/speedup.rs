//! `--speedup`: times against the mean time at the least value of a parameter, all else the same.

use super::file::SweepTable;
use runcast_core::prediction;
use runcast_core::statistics;
use runcast_core::table::number;
use runcast_sim::sweep::Axis;
use std::collections::HashMap;

/// Fills the columns `speedup` and `efficiency` of the rows of this sweep.
pub(super) fn fill(table: &mut SweepTable, axes: &[Axis], parameter: &str, keys: &[String]) {
    let others: Vec<String> =
        axes.iter().filter(|axis| axis.name != parameter).map(|axis| prediction::column(&axis.name)).collect();
    let parameter = &prediction::column(parameter);
    let group = |table: &SweepTable, key: &str| -> Vec<String> {
        others.iter().map(|name| table.cell(key, name).to_owned()).collect()
    };
    let of = |table: &SweepTable, key: &str, column: &str| number::parse(table.cell(key, column));
    // By the other values: the least value of the parameter, and the times there.
    let mut bases: HashMap<Vec<String>, (f64, Vec<f64>)> = HashMap::new();
    for key in keys {
        let (Some(value), Some(time_s)) = (of(table, key, parameter), of(table, key, "time_s")) else { continue };
        let base = bases.entry(group(table, key)).or_insert((value, Vec::new()));
        if value < base.0 {
            *base = (value, Vec::new());
        }
        if value == base.0 {
            base.1.push(time_s);
        }
    }
    for key in keys {
        let (Some(value), Some(time_s)) = (of(table, key, parameter), of(table, key, "time_s")) else { continue };
        let Some((least, times)) = bases.get(&group(table, key)) else { continue };
        if time_s > 0.0 && value > 0.0 && *least > 0.0 {
            let speedup = statistics::mean(times) / time_s;
            table.set(key, "speedup", number::to_text(speedup));
            table.set(key, "efficiency", number::to_text(speedup * least / value));
        }
    }
}
