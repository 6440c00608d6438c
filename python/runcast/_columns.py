"""Columns of frames of any family, as numbers or as codes of texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ._errors import input_error

# Up to here float64 holds every integer.
EXACT = 2**53


class Columns:
    """Named columns: `(name, numbers)` or `(name, codes, texts)`, as numpy arrays and lists."""

    def __init__(self) -> None:
        self.cells: list[tuple[Any, ...]] = []
        self.labels: list[str] = []
        self.imprecise: list[str] = []

    def add(self, name: Any, values: Any) -> None:
        """Adds a column, whatever its values are."""
        import numpy as np

        if not isinstance(name, str):
            raise input_error("column_name", f"the name of a column is not text: {name!r}", value=str(name))
        if any(name == known[0] for known in self.cells):
            raise input_error("column_name", f"there are two columns {name}", pointer=name, value=name)
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
        if array.ndim != 1:
            raise input_error("column_shape", f"the column has {array.ndim} dimensions", pointer=name, allowed="1")
        kind = array.dtype.kind
        if kind == "f":
            self._numbers(name, array.astype(np.float64, copy=False))
        elif kind in "iub":
            self._integers(name, array)
        elif kind == "m":
            self._numbers(name if name.endswith("_s") else name + "_s", array / np.timedelta64(1, "s"))
        elif kind == "M":
            self._texts(name, [None if np.isnat(one) else str(one) for one in array])
        elif kind == "U":
            self._texts(name, array.tolist())
        elif kind in "OT":
            self._objects(name, array.tolist())
        else:
            raise input_error("column_type", f"a column of {array.dtype} has no meaning here", pointer=name)

    def add_codes(self, name: str, codes: Any, texts: Iterable[Any]) -> None:
        """Adds a column of codes into a list of texts; -1 is an empty cell."""
        import numpy as np

        names = [str(text) for text in texts]
        codes = np.asarray(codes, dtype=np.int64)
        if (codes < 0).any():
            codes = np.where(codes < 0, len(names), codes)
            names.append("")
        if any(name == known[0] for known in self.cells):
            raise input_error("column_name", f"there are two columns {name}", pointer=name, value=name)
        self.cells.append((name, np.ascontiguousarray(codes, dtype=np.uint32), names))
        if names and all(_is_number(text) for text in names):
            # Without being told, a reader would take these for numbers.
            self.labels.append(name)

    def csv(self) -> bytes:
        """The table as text."""
        from . import _runcast

        if not self.cells:
            raise input_error("no_rows", "the frame has no columns")
        rows = len(self.cells[0][1])
        for cells in self.cells:
            if len(cells[1]) != rows:
                message = f"the column has {len(cells[1])} cells, the first one {rows}"
                raise input_error("column_shape", message, pointer=cells[0])
        if rows == 0:
            raise input_error("no_rows", "the frame has 0 rows", hint="1 row at least is needed")
        return _runcast.csv(self.cells)

    def _integers(self, name: str, array: Any) -> None:
        import numpy as np

        if array.size and array.dtype.kind != "b" and max(-int(array.min()), int(array.max())) > EXACT:
            self.imprecise.append(name)
        self._numbers(name, array.astype(np.float64))

    def _numbers(self, name: str, array: Any) -> None:
        import numpy as np

        if np.isinf(array).any():
            row = int(np.flatnonzero(np.isinf(array))[0])
            raise input_error("not_finite", f"row {row} is infinite", pointer=name, value=str(array[row]))
        self.cells.append((name, np.ascontiguousarray(array)))

    def _texts(self, name: str, values: list[str | None]) -> None:
        known: dict[str | None, int] = {}
        codes = [known.setdefault(value, len(known)) for value in values]
        self.add_codes(name, codes, ["" if text is None else text for text in known])

    def _objects(self, name: str, values: list[Any]) -> None:
        import decimal
        import numbers

        import numpy as np

        def is_empty(value: Any) -> bool:
            return value is None or value != value or type(value).__name__ == "NAType"

        given = [(row, value) for row, value in enumerate(values) if not is_empty(value)]
        if all(isinstance(value, str) for _, value in given):
            self._texts(name, [None if is_empty(value) else value for value in values])
            return
        for row, value in given:
            if isinstance(value, complex) or not isinstance(value, (numbers.Real, decimal.Decimal)):
                what = "text among numbers" if isinstance(value, str) else f"a value of type {type(value).__name__}"
                raise input_error("column_type", f"row {row} holds {what}", pointer=name, value=str(value)[:80])
        if any(isinstance(value, int) and abs(value) > EXACT for _, value in given):
            self.imprecise.append(name)
        try:
            array = np.array([math.nan if is_empty(value) else float(value) for value in values], dtype=np.float64)
        except OverflowError:
            raise input_error("not_finite", "a number is too large", pointer=name) from None
        self._numbers(name, array)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def family_of(data: Any) -> str | None:
    """pandas, polars, arrow, numpy or dict; None for what is no frame."""
    modules = {kind.__module__.split(".")[0] for kind in type(data).__mro__}
    if "pandas" in modules and hasattr(data, "columns"):
        return "pandas"
    if "polars" in modules and hasattr(data, "get_columns"):
        return "polars"
    if "polars" in modules and hasattr(data, "collect"):
        return "polars"
    if "pyarrow" in modules and hasattr(data, "column_names"):
        return "arrow"
    if "numpy" in modules and getattr(getattr(data, "dtype", None), "names", None):
        return "numpy"
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return "capsule"
    if isinstance(data, Mapping) and "kind" not in data and data and all(_is_sequence(value) for value in data.values()):
        return "dict"
    return None


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes, Mapping))


def columns_of(data: Any) -> Columns:
    """The columns of a frame."""
    return _READERS[family_of(data) or "dict"](data)


def _of_pandas(frame: Any) -> Columns:
    found = Columns()
    names = [name for name in frame.index.names if name is not None]
    if names:
        frame = frame.reset_index()
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise input_error("column_name", f"there are two columns {twice}", pointer=str(twice), value=str(twice))
    for name in frame.columns:
        series = frame[name]
        if str(series.dtype) == "category" and isinstance(name, str):
            found.add_codes(name, series.cat.codes.to_numpy(), series.cat.categories)
        elif series.dtype.kind in "iuf" and not isinstance(series.dtype, _numpy_dtype()):
            found.add(name, series.to_numpy(dtype="float64", na_value=math.nan))
        elif not (isinstance(name, str) and _add_texts(found, name, series)):
            found.add(name, series.to_numpy())
    return found


def _add_texts(found: Columns, name: str, series: Any) -> bool:
    """Adds a column of texts of pandas, which numbers them faster than a loop; False for any other column."""
    if series.dtype.kind not in "OT":
        return False
    try:
        codes, texts = series.factorize()
    except TypeError:
        return False
    if not all(isinstance(text, str) for text in texts):
        return False
    found.add_codes(name, codes, texts)
    return True


def _numpy_dtype() -> Any:
    import numpy as np

    return np.dtype


def _of_polars(frame: Any) -> Columns:
    import polars as pl

    found = Columns()
    frame = frame.collect() if hasattr(frame, "collect") else frame
    for series in frame.get_columns():
        if series.dtype in (pl.Categorical, pl.Enum):
            series = series.cast(pl.String)
        if series.dtype.is_nested():
            raise input_error("column_type", f"a column of {series.dtype} has no meaning here", pointer=series.name)
        if series.dtype == pl.String:
            found._texts(series.name, series.to_list())
        elif (
            series.dtype.is_float() or series.null_count() == 0 and series.dtype.is_numeric() and not series.dtype.is_decimal()
        ):
            found.add(series.name, series.to_numpy())
        else:
            found.add(series.name, _listed(series.to_list(), series.dtype.is_temporal(), series.dtype == pl.Duration))
    return found


def _listed(values: list[Any], is_time: bool, is_span: bool) -> Any:
    import numpy as np

    if is_span:
        return np.array(values, dtype="timedelta64[ns]")
    return [None if value is None else str(value) for value in values] if is_time else _object_array(values)


def _object_array(values: list[Any]) -> Any:
    import numpy as np

    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _of_arrow(table: Any) -> Columns:
    found = Columns()
    for name, column in zip(table.column_names, table.columns, strict=True):
        chunks = column.chunks if hasattr(column, "chunks") else [column]
        kind = str(column.type)
        if kind.startswith("dictionary"):
            found._texts(name, column.to_pylist())
        elif kind in ("double", "float", "int64", "int32") and column.null_count == 0 and len(chunks) == 1:
            found.add(name, chunks[0].to_numpy(zero_copy_only=True))
        elif kind.startswith(("timestamp", "date", "time")):
            found.add(name, _listed(column.to_pylist(), True, False))
        elif kind.startswith("duration"):
            found.add(name, column.to_numpy())
        else:
            found.add(name, _object_array(column.to_pylist()))
    return found


def _of_capsule(data: Any) -> Columns:
    try:
        import polars as pl
    except ImportError:
        try:
            import pyarrow as pa
        except ImportError:
            raise ImportError("a frame of Arrow needs polars or pyarrow: pip install runcast[polars]") from None
        return _of_arrow(pa.table(data))
    return _of_polars(pl.DataFrame(data))


def _of_numpy(array: Any) -> Columns:
    found = Columns()
    for name in array.dtype.names:
        found.add(name, array[name])
    return found


def _of_dict(data: Any) -> Columns:
    import numpy as np

    found = Columns()
    for name, values in data.items():
        if isinstance(values, np.ndarray):
            found.add(name, values)
        else:
            values = list(values)
            plain = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
            is_small = plain and all(abs(value) <= EXACT for value in values if isinstance(value, int))
            found.add(name, np.array(values, dtype=np.float64) if is_small else _object_array(values))
    return found


_READERS = {
    "pandas": _of_pandas,
    "polars": _of_polars,
    "arrow": _of_arrow,
    "numpy": _of_numpy,
    "capsule": _of_capsule,
    "dict": _of_dict,
}
