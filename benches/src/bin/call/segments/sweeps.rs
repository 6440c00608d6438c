//! Two kernels on a real machine, through its caches.

use super::made;
use runcast_benches::page;
use runcast_call::piecewise::validate::{Scheme, Validation, validate};
use runcast_call::piecewise::{Piecewise, Repeated, fit};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Pieces against one set of constants.
pub fn table() -> Result<String, String> {
    let mut text = String::from(
        "Two kernels on a virtual machine with 1 MiB of second-level and 32 MiB of third-level cache (`testdata/cll`), nine\n\
         repetitions, `seg bytes`. Errors are against the measured medians; held out is each fifth size in turn.\n\n\
         | kernel | formula | breaks, MiB | stability | mean error, % | with one piece | held out: mean | median | with one piece |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for (name, formula) in [("sum", "F[0] + F[1]*n"), ("fft", "F[0] + F[1]*n*log2(n)")] {
        let (model, single, validation) = sweep(name, formula)?;
        let mib = |x: f64| format!("{:.2}", x / 1_048_576.0);
        let breaks: Vec<String> = model
            .breaks()
            .iter()
            .map(|at| match (at.low, at.high) {
                (Some(low), Some(high)) => format!("{} ({} to {})", mib(at.at), mib(low), mib(high)),
                _ => mib(at.at),
            })
            .collect();
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
        let _ = writeln!(
            text,
            "| {name} | `{formula}` | {} | {} | {} | {} | {} | {} | {} |",
            breaks.join(", "),
            number(model.stability().map(|share| 100.0 * share)) + " %",
            number(model.quality().mean_error_pct),
            number(single.quality().mean_error_pct),
            number(validation.mean_error_pct),
            number(validation.median_error_pct),
            number(validation.single_mean_error_pct),
        );
    }
    Ok(text)
}

fn sweep(name: &str, formula: &str) -> Result<(Piecewise, Piecewise, Validation), String> {
    let path = page::root().join(format!("testdata/cll/{name}.csv"));
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut runs: BTreeMap<u64, (f64, Vec<f64>)> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<f64> = line.split(',').filter_map(|cell| cell.parse().ok()).collect();
        let [n, bytes, _, cpu_s] = cells[..] else { return Err(format!("{}: {line}", path.display())) };
        runs.entry(n as u64).or_insert((bytes, Vec::new())).1.push(cpu_s);
    }
    let configurations =
        runs.into_iter().map(|(n, (bytes, values))| Repeated::new(vec![n as f64, bytes], values)).collect();
    let samples = made::samples(&["n", "bytes"], configurations);
    let settings = made::settings(formula, &["bytes"], true)?;
    let model = fit(&samples, &settings).map_err(|error| error.to_string())?;
    let mut alone = settings.clone();
    alone.method = Some(runcast_call::piecewise::Method::Single);
    let single = fit(&samples, &alone).map_err(|error| error.to_string())?;
    let validation = validate(&model, &Scheme::Folds(5)).map_err(|error| error.to_string())?;
    Ok((model, single, validation))
}
