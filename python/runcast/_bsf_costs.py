"""Costs of a BSF algorithm."""

from __future__ import annotations

import tomllib
from typing import Any

from . import _call


class Costs:
    """Costs of an algorithm on a machine, as `bsf predict` takes them; a file in TOML.

    text : the file
    answer : the answer of the command that measured them, if one did
    """

    def __init__(self, text: str, answer: Any = None) -> None:
        self.text = text
        self.answer = answer

    @classmethod
    def of_times(cls, times: dict[str, Any]) -> Costs:
        """Costs from measured times in s: list_length, latency, send, work, fold, receive, compute."""
        from .sim._toml import dumps

        return cls(dumps({"algorithm": "times", "times": times}))

    def to_dict(self) -> dict[str, Any]:
        """The keys of the file."""
        return tomllib.loads(self.text)

    def _as_file(self, line: _call.Line) -> tuple[str, bytes]:
        return "costs.toml", self.text.encode()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Costs) and self.text == other.text

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Costs>\n{self.text}"
