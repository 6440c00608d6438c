//! A large canvas that is dragged on, and a large plot (G13).

use crate::bench::{Bench, runs};
use crate::browser::{measure, numbers};
use crate::numbers::{median, spread};

/// G13.
pub fn section(bench: &Bench) -> Result<String, String> {
    let (count, points) = (bench.of(5, 1), bench.of(100_000, 5_000));
    let told = measure("frames", &[("TURNS", count.to_string()), ("POINTS", points.to_string())])?;
    let list = |name: &str| numbers(&told[name]);
    let (p95, work, paint) = (list("p95_ms"), list("work_ms"), list("paint_ms"));
    Ok(format!(
        "### Large pages (G13)\n\nIn Chromium without a graphics card. One of {} visible parts of a system is dragged over the canvas by 120 moves of the \
         pointer: the 95th percentile of the time from frame to frame, and what the page computes for a move ({:.1} ms on average). A curve of \
         {} points of a sweep is drawn anew with a logarithmic axis: from the click until the next frame but one is there. {}.\n\n\
         | | ms | goal, ms |\n|---|--:|--:|\n| frame while a part is dragged, 95th percentile | {} | 33 or less |\n\
         | large curve drawn | {} | less than 500 |\n",
        told["parts"],
        median(&work),
        told["points"],
        capital(&runs(count)),
        spread(&p95, 1),
        spread(&paint, 0),
    ))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
