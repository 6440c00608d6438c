"""Answers of simulations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import _frames
from .._answers import Answer, register


@register
class SimRun(Answer):
    """A simulated run: `time_s`, `energy_j`, what limits it."""

    KIND = "sim-run"


@register
class Sweep(Answer):
    """Simulations of all combinations; `frame` has a row for each."""

    KIND = "sim-sweep"

    def _columns(self) -> tuple[dict[str, Sequence[Any]], list[str]]:
        joined: dict[str, Sequence[Any]] | None = self.__dict__.get("_joined")
        if joined is None:
            content = self._raw.found.get("main") if self._raw else None
            joined = dict(_frames.of_csv(content)) if content else super()._columns()[0]
            self.__dict__["_joined"] = joined
        return joined, []

    def iter(self) -> Iterator[dict[str, Any]]:
        """The rows, one by one."""
        columns = self._columns()[0]
        for row in zip(*columns.values(), strict=True):
            yield dict(zip(columns, row, strict=True))


def joined(document: Mapping[str, Any], raw: Any, columns: Mapping[str, Sequence[Any]]) -> Sweep:
    """A sweep whose rows come from several commands."""
    sweep = Sweep(document, raw)
    sweep.__dict__["_joined"] = dict(columns)
    return sweep
