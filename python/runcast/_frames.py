"""Frames as results: columns of Python values become those of pandas, polars, Arrow or a dict of arrays."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import _config
from ._columns import EXACT

# The key of a schema's metadata in Arrow, and of `attrs` in pandas.
KEY = "runcast"


def family(wanted: str | None = None) -> str:
    """What a result is: as the input, else as set, else what is installed."""
    chosen = wanted if wanted in ("pandas", "polars", "arrow") else _config.get("frame")
    if chosen != "auto":
        return chosen
    from importlib.util import find_spec

    installed = {"pandas": "pandas", "polars": "polars", "arrow": "pyarrow"}
    return next((name for name, module in installed.items() if find_spec(module)), "dict")


def build(
    columns: Mapping[str, Sequence[Any]], *, about: Mapping[str, Any], labels: Sequence[str] = (), wanted: str | None = None
) -> Any:
    """A frame of a family; `labels` are categories, and None is an undefined value."""
    return BUILDERS[family(wanted)](columns, dict(about), set(labels))


def number_array(values: Sequence[Any]) -> Any:
    """float64, or int64 where all values are integral and exact."""
    import numpy as np

    array = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    if array.size and np.isfinite(array).all() and (array == np.floor(array)).all() and np.abs(array).max() < EXACT:
        return array.astype(np.int64)
    return array


def is_text(values: Sequence[Any]) -> bool:
    """Whether a column holds texts."""
    return any(isinstance(value, str) for value in values)


def is_truth(values: Sequence[Any]) -> bool:
    """Whether a column holds truth values."""
    return any(isinstance(value, bool) for value in values)


def _pandas(columns: Mapping[str, Sequence[Any]], about: dict[str, Any], labels: set[str]) -> Any:
    import pandas as pd

    made: dict[str, Any] = {}
    for name, values in columns.items():
        if name in labels:
            made[name] = pd.Categorical(list(values))
        elif is_truth(values):
            made[name] = pd.array(list(values), dtype="boolean") if None in values else list(values)
        elif is_text(values):
            made[name] = pd.array(list(values), dtype="str")
        else:
            made[name] = number_array(values)
    frame = pd.DataFrame(made)
    frame.attrs[KEY] = about
    return frame


def _polars(columns: Mapping[str, Sequence[Any]], about: dict[str, Any], labels: set[str]) -> Any:
    import polars as pl

    made = []
    for name, values in columns.items():
        if name in labels:
            made.append(pl.Series(name, list(values), dtype=pl.Categorical))
        elif is_text(values) or is_truth(values):
            made.append(pl.Series(name, list(values)))
        else:
            array = number_array(values)
            made.append(pl.Series(name, array, nan_to_null=True))
    return pl.DataFrame(made)


def _arrow(columns: Mapping[str, Sequence[Any]], about: dict[str, Any], labels: set[str]) -> Any:
    import pyarrow as pa

    made = {}
    for name, values in columns.items():
        if name in labels:
            made[name] = pa.array(list(values), type=pa.string()).dictionary_encode()
        elif is_text(values) or is_truth(values):
            made[name] = pa.array(list(values))
        else:
            made[name] = pa.array(number_array(values), from_pandas=True)
    return pa.table(made).replace_schema_metadata({KEY: json.dumps(about)})


def _dict(columns: Mapping[str, Sequence[Any]], about: dict[str, Any], labels: set[str]) -> Any:
    import numpy as np

    def array(name: str, values: Sequence[Any]) -> Any:
        if name in labels or is_text(values):
            return np.array(list(values), dtype=object)
        return np.array(list(values)) if is_truth(values) and None not in values else number_array(values)

    return {name: array(name, values) for name, values in columns.items()}


# How a family is made of columns.
BUILDERS = {"pandas": _pandas, "polars": _polars, "arrow": _arrow, "dict": _dict}


def about_of(data: Any) -> Mapping[str, Any]:
    """What an earlier answer said of a frame, if it is still there."""
    attrs = getattr(data, "attrs", None)
    if isinstance(attrs, Mapping) and isinstance(attrs.get(KEY), Mapping):
        made: Mapping[str, Any] = attrs[KEY]
        return made
    metadata = getattr(getattr(data, "schema", None), "metadata", None)
    if isinstance(metadata, Mapping) and KEY.encode() in metadata:
        try:
            found = json.loads(metadata[KEY.encode()])
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}
    return {}


def of_csv(text: bytes) -> dict[str, list[Any]]:
    """The columns of a table that a command wrote: numbers where all cells are, an empty cell is None."""
    lines = (line for line in io.StringIO(text.decode(), newline="") if not line.startswith("#"))
    rows = csv.reader(lines)
    names = next(rows, [])
    cells = list(zip(*rows, strict=True)) or [()] * len(names)
    return {name: _cells(column) for name, column in zip(names, cells, strict=True)}


def _cells(column: Sequence[str]) -> list[Any]:
    try:
        return [float(cell) if cell else None for cell in column]
    except ValueError:
        return [cell or None for cell in column]


def stream(source: Any, requested_schema: Any) -> Any:
    """The Arrow stream of a table-like object, by whichever library of Arrow is installed."""
    for make in (source.to_arrow, source.to_polars):
        try:
            made = make()
        except ImportError:
            continue
        return made.__arrow_c_stream__(requested_schema)
    raise ImportError("a stream of Arrow needs pyarrow or polars: pip install runcast[polars]")
