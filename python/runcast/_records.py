"""Objects of documents: frozen, with fields as attributes."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


class Range(NamedTuple):
    """A number with its bounds: `value` and `low` .. `high` in `unit`; the SI unit where it is not told."""

    value: float | None
    low: float | None
    high: float | None
    unit: str | None = None


class Record:
    """A part of a document. Fields are attributes of the same name; a word of Python has a `_` behind it."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_fields", {name: object_of(value) for name, value in fields.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        fields = object.__getattribute__(self, "_fields")
        if name in fields:
            return fields[name]
        if name.endswith("_") and keyword.iskeyword(name[:-1]) and name[:-1] in fields:
            return fields[name[:-1]]
        raise AttributeError(f"there is no field {name}; there are {', '.join(fields)}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a record of an answer does not change")

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def keys(self) -> Any:
        """The names of the fields, so that `dict(record)` works."""
        return self._fields.keys()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._fields == other._fields

    def __hash__(self) -> int:
        return hash(repr(self._fields))

    def __repr__(self) -> str:
        return "Record(" + ", ".join(f"{name}={value!r}" for name, value in self._fields.items()) + ")"

    def __reduce__(self) -> Any:
        return Record, (plain(self),)


_RANGE = {"value", "low", "high"}


def object_of(value: Any) -> Any:
    """A value of a document as an object: lists as tuples, `{value, low, high, unit}` as a range."""
    if isinstance(value, list):
        return tuple(object_of(item) for item in value)
    if isinstance(value, Mapping):
        if _RANGE <= value.keys() <= _RANGE | {"unit"}:
            return Range(value["value"], value["low"], value["high"], value.get("unit"))
        return Record(value)
    return value


def plain(value: Any) -> Any:
    """A value of a document from an object."""
    if isinstance(value, Range):
        fields = {"value": value.value, "low": value.low, "high": value.high}
        return fields if value.unit is None else {**fields, "unit": value.unit}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, Record):
        return {name: plain(item) for name, item in value._fields.items()}
    return value
