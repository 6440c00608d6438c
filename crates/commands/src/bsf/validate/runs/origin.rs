//! Whether costs were measured as the runs are made.

use super::RunsArgs;
use runcast_core::Warning;
use toml::{Table, Value};

/// What a file of costs says about its origin, where it is not so in the runs.
pub fn difference(file: &str, program: &str, runs: &RunsArgs) -> Option<Warning> {
    let file: Table = file.parse().ok()?;
    let origin = file.get("origin")?.as_table()?;
    let made = [
        ("program", program.to_owned()),
        ("backend", runs.backend_name().to_owned()),
        ("threads", runs.threads().to_string()),
        ("wait", runs.wait_name().to_owned()),
    ];
    let told = |(name, made): &(&str, String)| {
        let measured = plain(origin.get(*name)?);
        (measured != *made).then(|| format!("{name} {measured} there, {made} here"))
    };
    let differences: Vec<String> = made.iter().filter_map(told).collect();
    (!differences.is_empty()).then(|| {
        let message = format!("the costs were measured otherwise than the runs are made: {}", differences.join("; "));
        Warning::new("another_origin", message)
    })
}

/// Text without quotation marks.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let file = "[origin]\nprogram = 'jacobi'\nbackend = 'mpi'\nthreads = 2\nwait = 'sleep'\n";
        let runs = RunsArgs { threads: Some(2), ..RunsArgs::default() };
        let warning = difference(file, "jacobi", &runs).expect("another backend");
        assert_eq!(
            warning.message,
            "the costs were measured otherwise than the runs are made: backend mpi there, threads here"
        );
        for same in ["[origin]\nthreads = 2\n", "[times]\nwork = 1\n", "not TOML"] {
            assert_eq!(difference(same, "jacobi", &runs), None);
        }
    }
}
