//! Columns of a frame as the text of a table.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use runcast_core::table::{Codes, Column, ColumnData, Origins, ReadOptions};
use runcast_core::{Table, roles};

/// A column: its name, and numbers or codes of texts.
#[derive(FromPyObject)]
enum Cells<'py> {
    /// `(name, numbers)`; an empty cell is NaN.
    Numbers(String, Bound<'py, PyAny>),
    /// `(name, codes, texts)`.
    Texts(String, Bound<'py, PyAny>, Vec<String>),
}

/// A table as CSV, from buffers of float64 and of uint32 codes into lists of texts.
#[pyfunction]
pub fn csv<'py>(py: Python<'py>, columns: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyBytes>> {
    let mut table = Table::default();
    for column in columns {
        table.columns.push(match column.extract::<Cells<'py>>()? {
            Cells::Numbers(name, numbers) => Column::numbers(name, PyBuffer::<f64>::get(&numbers)?.to_vec(py)?),
            Cells::Texts(name, codes, names) => {
                let mut found = Codes::default();
                for code in PyBuffer::<u32>::get(&codes)?.to_vec(py)? {
                    if usize::try_from(code).is_ok_and(|code| code >= names.len()) {
                        return Err(PyValueError::new_err("a code stands for no text"));
                    }
                    found.push(code);
                }
                Column { name, data: ColumnData::Text { codes: found, names } }
            }
        });
    }
    let rows = table.columns.first().map_or(0, Column::len);
    if table.columns.iter().any(|column| column.len() != rows) {
        return Err(PyValueError::new_err("the columns have different numbers of rows"));
    }
    table.origins = Origins::unknown(rows);
    let bytes = py.detach(move || {
        let mut bytes = Vec::new();
        table.write_csv(&mut bytes).map(|()| bytes)
    });
    Ok(PyBytes::new(py, &bytes?))
}

/// The rows of a table for which a formula holds, by their numbers.
#[pyfunction]
pub fn rows_where(py: Python<'_>, content: &[u8], expression: &str) -> PyResult<Vec<usize>> {
    let found = py.detach(|| {
        let table = Table::read("runs", content, &ReadOptions::default())?;
        roles::rows_where(&table, &[expression.to_owned()], "where")
    });
    let kept = found.map_err(|problems| PyValueError::new_err(problems.to_string()))?;
    Ok(kept.iter().enumerate().filter_map(|(row, kept)| kept.then_some(row)).collect())
}
