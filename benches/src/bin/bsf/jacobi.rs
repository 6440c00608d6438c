//! Jacobi on one core and on several, beside the published skeleton and the goals.

use crate::child::Figures;
use std::fmt::Write as _;

const SIZES: [u64; 2] = [5000, 10_000];

/// The published skeleton, with the same matrix twice in memory: 18.7 and 73.4 ms an iteration on a virtual machine with
/// 2 cores whose bandwidth was 40 GB/s, 26 % of the limit.
const PUBLISHED: [&str; 7] = ["26 %", "3.8", "", "1.00", "", "", ""];
const GOALS: [&str; 7] = ["85 % or more", "1.18 or less", "2 or less", "0.55 or less", "", "", "5 % or less"];

/// The table.
pub fn section() -> Result<String, String> {
    let mut text = String::from(
        "Jacobi with a dense matrix of n x n doubles. The bandwidth is that of one core in the same process: a sum over\n\
         768 MiB, the best of 10. Times of iterations are medians of 20 or 40, waiting is spinning unless it is said to\n\
         sleep. The published skeleton was measured on another machine (2 cores, 40 GB/s, n = 5000 and 10000: 18.7 and\n\
         73.4 ms), so its share of the bandwidth compares, its times do not.\n\n\
         | | n = 5000 | n = 10000 | goal | published skeleton |\n|---|---|---|---|---|\n",
    );
    let figures = SIZES.map(Figures::of);
    let [small, large] = figures;
    let columns = [column(&small?, SIZES[0])?, column(&large?, SIZES[1])?];
    for (place, name) in NAMES.iter().enumerate() {
        let [small, large] = [0, 1].map(|size| columns[size][place].as_str());
        let beside = |list: [&'static str; 7]| place.checked_sub(3).and_then(|at| list.get(at).copied()).unwrap_or("");
        let _ = writeln!(text, "| {name} | {small} | {large} | {} | {} |", beside(GOALS), beside(PUBLISHED));
    }
    Ok(text)
}

const NAMES: [&str; 11] = [
    "bandwidth of one core",
    "map and fold, CPU time",
    "iteration, serial",
    "matrix read at this share of the bandwidth",
    "CPU time by that of reading the matrix once",
    "first iteration by the median one",
    "peak memory by 2 n^2 doubles",
    "speedup of 2 threads against serial",
    "speedup of 4 threads against serial",
    "CPU of a sleeping master by wall time",
    "`--reproducible`: time by that without",
];

fn column(figures: &Figures, size: u64) -> Result<[String; 11], String> {
    let bytes = 8.0 * (size as f64).powi(2);
    let bandwidth = figures.get("bandwidth_bytes_per_s")?;
    let (cpu_s, serial_s) = (figures.get("map_fold_cpu_s")?, figures.get("iteration_s")?);
    let share = bytes / cpu_s / bandwidth;
    Ok([
        format!("{:.1} GB/s", bandwidth / 1e9),
        format!("{:.1} ms", 1e3 * cpu_s),
        format!("{:.1} ms", 1e3 * serial_s),
        format!("{:.0} %", 100.0 * share),
        format!("{:.2}", 1.0 / share),
        format!("{:.2}", figures.get("first_iteration_s")? / serial_s),
        format!("{:.3}", figures.get("peak_bytes")? / (2.0 * bytes)),
        format!("{:.2}", serial_s / figures.get("threads_s/1")?),
        format!("{:.2}", serial_s / figures.get("threads_s/2")?),
        format!("{:.1} %", 100.0 * figures.get("master_cpu_share")?),
        format!("{:.2}", figures.get("reproducible_s")? / serial_s),
    ])
}
