"""Tables of runs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from . import _call, _frames
from ._columns import family_of
from ._errors import unknown


class Role(NamedTuple):
    """What a column is, and why."""

    role: str
    reason: str


class Table:
    """A table of runs, and how it was read.

    read_as : the line that the command prints: which column is what, and why
    roles : {column: Role}
    parameters, labels, metrics : names of columns
    """

    def __init__(
        self, document: Mapping[str, Any], content: bytes, read_as: str, family: str | None, roles: Mapping[str, str]
    ) -> None:
        self._document = document
        self._content = content
        self._family = family
        self._asked = dict(roles)
        self.read_as = read_as

    @cached_property
    def _columns(self) -> dict[str, list[Any]]:
        """The cells, read when somebody asks for them."""
        return _frames.of_csv(self._content)

    @property
    def roles(self) -> dict[str, Role]:
        """What each column is, and why."""
        found = {}
        for column in self._document.get("read_as", {}).get("columns", []):
            found[column["column"]] = Role(column["role"], column.get("reason") or column.get("because") or "")
        for name in self.columns:
            role = "parameter" if name in self.parameters else "label" if name in self.labels else "ignored"
            role = "metric" if name in self.metrics else role
            found.setdefault(name, Role(role, ""))
        return found

    @property
    def parameters(self) -> tuple[str, ...]:
        """Columns that are varied."""
        return tuple(self._document["parameters"])

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns that make groups."""
        return tuple(self._document["labels"])

    @property
    def metrics(self) -> tuple[str, ...]:
        """Columns that are measured."""
        return tuple(metric["name"] for metric in self._document["metrics"])

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, in their order."""
        return tuple(self._document["columns"])

    @property
    def configurations(self) -> tuple[dict[str, float], ...]:
        """The different configurations, in the order of their first runs."""
        rows = zip(*(self._columns[name] for name in self.parameters), strict=True)
        return tuple(dict(zip(self.parameters, row, strict=True)) for row in dict.fromkeys(rows))

    @property
    def rows(self) -> int:
        """Number of runs."""
        return len(self)

    def __len__(self) -> int:
        found: int = self._document["rows"]
        return found

    def __getitem__(self, name: str) -> Any:
        return self.to_numpy(name)

    def to_numpy(self, column: str) -> Any:
        """A column as an array."""
        import numpy as np

        if column not in self._columns:
            raise unknown("column", column, self._columns)
        values = self._columns[column]
        return np.array(values, dtype=object) if _frames.is_text(values) else _frames.number_array(values)

    @property
    def frame(self) -> Any:
        """The runs as a frame."""
        return self._built(None)

    def to_pandas(self) -> Any:
        """The runs as a frame of pandas."""
        return self._built("pandas")

    def to_polars(self) -> Any:
        """The runs as a frame of polars."""
        return self._built("polars")

    def to_arrow(self) -> Any:
        """The runs as a table of pyarrow."""
        return self._built("arrow")

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return _frames.stream(self, requested_schema)

    def _built(self, family: str | None) -> Any:
        roles = {name: role.role for name, role in self.roles.items()}
        about = {"kind": "runs", "version": 1, "level": None, "roles": roles, "command": None, "warnings": []}
        texts = [name for name in self.labels if _frames.is_text(self._columns[name])]
        return _frames.build(self._columns, about=about, labels=texts, wanted=family or self._family)

    def where(self, expression: str) -> Table:
        """The runs for which a formula holds, such as `'region == "main" and p <= 64'`.

        >>> import runcast as rc
        >>> len(rc.read(rc.samples.path("runs.csv")).where("p <= 4"))
        15
        """
        from ._commands import rows_where

        return self._of(rows_where(self, expression))

    def rename(self, names: Mapping[str, str]) -> Table:
        """The same runs with other names of columns."""
        for name in names:
            if name not in self._columns:
                raise unknown("column", name, self._columns)
        columns = {names.get(name, name): values for name, values in self._columns.items()}
        return read(_plain(columns), roles={names.get(name, name): role for name, role in self._asked.items()})

    def medians(self) -> Any:
        """A row for each configuration: the medians of its repetitions, and how many there are."""
        import statistics

        keys = [*self.labels, *self.parameters]
        rows = list(zip(*(self._columns[name] for name in keys), strict=True)) if keys else [()] * len(self)
        groups: dict[Any, list[int]] = {}
        for row, key in enumerate(rows):
            groups.setdefault(key, []).append(row)
        columns: dict[str, list[Any]] = {name: [key[at] for key in groups] for at, name in enumerate(keys)}
        for name in self.metrics:
            values = [[self._columns[name][row] for row in group] for group in groups.values()]
            given = [[value for value in group if value is not None] for group in values]
            columns[name] = [statistics.median(group) if group else None for group in given]
        columns["runs"] = [len(group) for group in groups.values()]
        about = {"kind": "medians", "version": 1, "level": None, "roles": {}, "command": None, "warnings": []}
        return _frames.build(columns, about=about, wanted=self._family)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the runs as CSV."""
        with open(path, "wb") as file:
            file.write(self._content)

    def plot(self, backend: str | None = None, ax: Any = None, *, metric: str | None = None) -> Any:
        """Draws the runs over the first parameter that varies."""
        from ._plot import plot_runs

        return plot_runs(self, backend, ax, metric)

    def _of(self, columns: Mapping[str, Sequence[Any]]) -> Table:
        table = read(_plain(columns), roles=self._asked or None)
        table._family = self._family
        return table

    def _as_file(self, line: _call.Line) -> tuple[str, bytes]:
        line.family = line.family or self._family
        line.labels.extend(name for name, role in self._asked.items() if role == "label")
        return "runs.csv", self._content

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self._columns == other._columns and self.roles == other.roles

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Table: {len(self)} runs>\n{self.read_as}"[:1200]

    def _repr_html_(self) -> str:
        from ._html import table_page

        return table_page(self)


def _plain(columns: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    import numpy as np

    return {name: np.array(list(values), dtype=object) for name, values in columns.items()}


def read(
    data: Any,
    *,
    roles: Any = None,
    metric: str | Sequence[str] | None = None,
    params: str | Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    where: str | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    si: bool = False,
) -> Table:
    """A table of runs: from a frame, a dict of columns, a structured array, or a file of any format that runcast reads.

    data : DataFrame of pandas or polars, Arrow, dict of sequences, structured array, path
    roles : {column: role}, before all that names and values say
    metric, params, by : names of columns
    where : formula over the columns; other rows are left out
    si : whether metrics are turned into SI units

    Raises InputError: no rows, columns of objects, infinite numbers, names that are there twice.

    >>> import runcast as rc
    >>> table = rc.read({"p": [1, 2, 4], "time_s": [4.0, 2.1, 1.2]})
    >>> table.parameters, table.metrics, len(table)
    (('p',), ('time_s',), 3)
    """
    line = _call.Line("import")
    line.input(data)
    known = _frames.about_of(data).get("roles") or {}
    given = line.roles(roles)
    if not roles and known and _has_all(data, known):
        given = {**{name: role for name, role in known.items() if role != "ignored"}, **given}
    for names, role in ((metric, "metric"), (params, "parameter"), (by, "label")):
        for name in [names] if isinstance(names, str) else names or ():
            column, _, unit = name.partition(":")
            given[column] = f"{role}:{unit}" if unit else role
    if given:
        line.options.append("--roles=" + ",".join(f"{name}={role}" for name, role in given.items()))
    line.set({"format": format, "delimiter": delimiter})
    raw = _call.run(line, {})
    content = raw.found.get("table") or raw.found.get("main") or b""
    table = Table(raw.document, content, raw.found.get("read_as") or "", family_of_frame(data), given)
    if where is not None:
        table = table.where(where)
    return _in_si(table) if si else table


def family_of_frame(data: Any) -> str | None:
    """pandas, polars or arrow; None for other data."""
    found = family_of(data) if not isinstance(data, (str, os.PathLike)) else None
    return found if found in ("pandas", "polars", "arrow") else None


def _has_all(data: Any, roles: Mapping[str, str]) -> bool:
    names = set(getattr(data, "columns", ())) if not hasattr(data, "column_names") else set(data.column_names)
    return set(roles) <= names


def _in_si(table: Table) -> Table:
    from ._formula import quantity

    columns, roles = dict(table._columns), dict(table._asked)
    for name, unit in ((metric["name"], metric["unit"]) for metric in table._document["metrics"]):
        stem = re.fullmatch(r"(.*)_([a-z]+)", name)
        if stem is None or not unit or stem[2] == unit:
            continue
        factor = quantity(f"1 {stem[2]}")
        new = f"{stem[1]}_{unit}"
        columns = {new if key == name else key: values for key, values in columns.items()}
        columns[new] = [None if value is None else value * factor for value in columns[new]]
    return read(_plain(columns), roles=roles or None)
