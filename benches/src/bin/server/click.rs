//! From the click on "Run" to the number on the page (G10).

use crate::bench::{Bench, runs};
use crate::browser::{measure, numbers};
use crate::numbers::spread;

/// G10.
pub fn section(bench: &Bench) -> Result<String, String> {
    let count = bench.of(9, 3);
    let told = measure("click", &[("TURNS", count.to_string())])?;
    let times = numbers(&told["ms"]);
    Ok(format!(
        "### From \"Run\" to the number (G10)\n\nIn Chromium on an experiment of one point, each time with another seed: from the click on \
         \"Run\" until the page shows the time that came of it; {}. The job itself, from its claim to its end, takes {:.0} ms \
         of that (median).\n\n| | ms | goal, ms |\n|---|--:|--:|\n| from the click to the number | {} | less than 300 |\n",
        runs(times.len()),
        told["job_ms"].as_f64().unwrap_or(f64::NAN),
        spread(&times, 0),
    ))
}
