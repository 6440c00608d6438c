"""The main part of a document as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Columns = tuple[dict[str, Sequence[Any]], list[str]]

# The list that is the frame of a kind; other documents give their longest list of objects.
MAIN = {
    "predict": "predictions",
    "evaluate": "points",
    "fit": "models",
    "advise-processes": "choices",
    "plan": "configurations",
}


def columns_of(document: Mapping[str, Any]) -> Columns:
    """The columns of a document, and which of them are labels."""
    kind = document.get("kind")
    if kind == "predict":
        return predictions(document["predictions"])
    if kind == "evaluate":
        return evaluation(document["points"])
    if kind == "compare":
        return comparison(document)
    if kind == "bsf-predict":
        return flat(
            [
                {"form": curve["form"], "collective": curve["collective"], **point}
                for curve in document["curves"]
                for point in curve["points"]
            ],
            ["form", "collective"],
        )
    lists = {
        name: value
        for name, value in document.items()
        if isinstance(value, list) and value and isinstance(value[0], Mapping) and name != "warnings"
    }
    main = MAIN.get(str(kind))
    if main not in lists:
        main = max(lists, key=lambda name: len(lists[name]), default=None)
    return flat(lists[main]) if main else flat([document])


def names(rows: Iterable[Mapping[str, Any]], field: str) -> list[str]:
    """The names in a field of all rows, in their order."""
    return list(dict.fromkeys(name for row in rows for name in row.get(field) or ()))


def predictions(rows: Sequence[Mapping[str, Any]]) -> Columns:
    """The long frame of predictions: labels, parameters, then what is predicted."""
    return _long(rows, ["metric", "unit", "value", "low", "high", "level", "verdict", "horizon", "method", "model"])


def evaluation(rows: Sequence[Mapping[str, Any]]) -> Columns:
    """The frame of an evaluation: predicted beside measured."""
    fields = ["metric", "unit", "measured", "value", "low", "high", "error_pct", "covered", "method", "model"]
    return _long([{**row, "value": row.get("predicted")} for row in rows], fields)


def compared(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each forecast of a comparison, with what was measured there."""
    shared = {"metric": document["metric"], "unit": document["unit"], "level": document["level"]}
    return [
        {**shared, "at": one["at"], "group": one["group"], "measured": (one["measured"] or {}).get("value"), **forecast}
        for one in document["configurations"]
        for forecast in one["forecasts"]
    ]


def comparison(document: Mapping[str, Any]) -> Columns:
    """The frame of a comparison: the forecasts of all inputs beside what was measured."""
    fields = ["metric", "unit", "measured", "value", "low", "high", "error_pct", "covered", "method", "model", "input"]
    return _long(compared(document), fields)


def _long(rows: Sequence[Mapping[str, Any]], fields: Sequence[str]) -> Columns:
    labels = names(rows, "group")
    columns: dict[str, Sequence[Any]] = {name: [row["group"].get(name) for row in rows] for name in labels}
    columns.update({name: [row["at"].get(name) for row in rows] for name in names(rows, "at")})
    columns.update({name: [row.get(name) for row in rows] for name in fields})
    return columns, labels


def flat(rows: Sequence[Mapping[str, Any]], labels: Sequence[str] = ()) -> Columns:
    """A row for each object: nested ones spread over columns, lists told as text."""
    import json

    found: list[dict[str, Any]] = []
    groups: list[str] = list(labels)
    for row in rows:
        out: dict[str, Any] = {}
        for name, value in row.items():
            if isinstance(value, Mapping):
                inner = name in ("at", "group", "target")
                for key, one in value.items():
                    column = key if inner else f"{name}_{key}"
                    out[column] = one if not isinstance(one, (list, Mapping)) else json.dumps(one)
                    if name == "group" and column not in groups:
                        groups.append(column)
            else:
                out[name] = json.dumps(value) if isinstance(value, list) else value
        found.append(out)
    order = list(dict.fromkeys(name for row in found for name in row))
    columns: dict[str, Sequence[Any]] = {}
    for name in order:
        cells = [row.get(name) for row in found]
        if any(isinstance(cell, str) for cell in cells):
            cells = [cell if cell is None or isinstance(cell, str) else json.dumps(cell) for cell in cells]
        columns[name] = cells
    return columns, groups
