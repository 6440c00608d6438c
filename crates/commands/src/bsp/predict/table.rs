//! The predictions as a table: parameters, and the times of both readings.

use super::document::Prediction;
use runcast_core::table::number::to_text;

/// As CSV; with raw BSP where the program gives it.
pub(super) fn csv(predictions: &[Prediction]) -> String {
    let has_raw = predictions.iter().any(|prediction| prediction.raw_bsp_time_s.is_some());
    let names = predictions.first().map(|prediction| prediction.at.keys().map(|name| quoted(name)));
    let times = ["time_s", "bsp_time_s"].into_iter().chain(has_raw.then_some("raw_bsp_time_s")).map(str::to_owned);
    let heading: Vec<String> = names.into_iter().flatten().chain(times).collect();
    let mut csv = format!("{}\n", heading.join(","));
    for prediction in predictions {
        let times = [Some(prediction.obsp_time_s), Some(prediction.bsp_time_s), prediction.raw_bsp_time_s];
        let row: Vec<String> =
            prediction.at.values().copied().chain(times.into_iter().flatten()).map(to_text).collect();
        csv.push_str(&format!("{}\n", row.join(",")));
    }
    csv
}

/// Names of parameters have letters, digits, `_` and dots: there is nothing to quote but what other programs would.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}
