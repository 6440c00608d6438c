//! The extension module `runcast._runcast`: commands of runcast in the process of the interpreter.
//!
//! It computes nothing itself. A call is a command line, files that are only in memory, and how to wait; an answer is what
//! the command would have printed and written. The rest of the package is Python.

mod call;
mod files;
mod formula;
mod frame;
mod panics;
mod pool;
mod progress;
mod recording;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The version of runcast.
#[pyfunction]
fn version() -> &'static str {
    runcast_commands::VERSION
}

/// All commands with their options, as JSON.
#[pyfunction]
fn definitions() -> PyResult<String> {
    serde_json::to_string(&runcast_commands::inside::definitions())
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

#[pymodule]
fn _runcast(module: &Bound<'_, PyModule>) -> PyResult<()> {
    panics::keep_quiet();
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(definitions, module)?)?;
    module.add_function(wrap_pyfunction!(call::run, module)?)?;
    module.add_function(wrap_pyfunction!(recording::events, module)?)?;
    module.add_class::<recording::Events>()?;
    module.add_function(wrap_pyfunction!(frame::csv, module)?)?;
    module.add_function(wrap_pyfunction!(frame::rows_where, module)?)?;
    module.add_function(wrap_pyfunction!(formula::formula_names, module)?)?;
    module.add_function(wrap_pyfunction!(formula::formula_values, module)?)?;
    module.add_function(wrap_pyfunction!(formula::quantity, module)?)?;
    module.add_function(wrap_pyfunction!(formula::numbers, module)?)?;
    Ok(())
}
