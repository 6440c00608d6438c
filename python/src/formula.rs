//! Formulas and quantities, for Python.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use runcast_formula::numbers::NumberList;
use runcast_formula::units::Quantity;
use runcast_formula::{Column, Formula};

fn wrong(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The names in a formula, and its text as it is printed.
#[pyfunction]
pub fn formula_names(text: &str) -> PyResult<(Vec<String>, String)> {
    let formula = Formula::parse(text).map_err(wrong)?;
    Ok((formula.names().to_vec(), formula.tree().to_string()))
}

/// Writes the values of a formula into `out`, a row for each row of the columns, which are buffers of float64.
#[pyfunction]
pub fn formula_values(
    py: Python<'_>,
    text: &str,
    names: Vec<String>,
    columns: Vec<PyBuffer<f64>>,
    out: PyBuffer<f64>,
) -> PyResult<()> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let program = Formula::parse(text).map_err(wrong)?.compile(&names).map_err(wrong)?;
    let columns = columns.iter().map(|column| column.to_vec(py)).collect::<PyResult<Vec<_>>>()?;
    let mut values = vec![0.0; out.item_count()];
    if columns.len() != names.len() || columns.iter().any(|column| column.len() != values.len()) {
        return Err(PyValueError::new_err("the columns have different numbers of rows"));
    }
    let values = py.detach(move || {
        let inputs: Vec<Column<'_>> = columns.iter().map(|column| Column::Number(column)).collect();
        program.columns(&inputs, &mut values).map(|()| values)
    });
    out.copy_from_slice(py, &values.map_err(wrong)?)
}

/// A quantity in SI base units, and its unit.
#[pyfunction]
pub fn quantity(text: &str) -> PyResult<(f64, String)> {
    let quantity = Quantity::parse(text).map_err(wrong)?;
    Ok((quantity.value, quantity.powers.unit()))
}

/// A list of numbers as it is written in options: `1..64*2`.
#[pyfunction]
pub fn numbers(text: &str) -> PyResult<Vec<f64>> {
    NumberList::parse(text).and_then(|list| list.expand(None, None)).map_err(wrong)
}
