"""Recordings of MPI programs."""

from __future__ import annotations

import os
from typing import Any

from ._answers import Answer
from ._commands import command


class Recording:
    """A recording: what limits a program, and its calls.

    ranks : how many there are
    factors : the factors of its efficiency
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = os.fspath(folder)
        self.shown: Answer = command("record show", self.path)

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self.shown.recordings[0].p

    @property
    def factors(self) -> Any:
        """The factors of the efficiency; each is at most 1."""
        return self.shown.recordings[0].factors

    @property
    def structure(self) -> Answer:
        """The calls as loops: `runcast record dump`."""
        return command("record dump", self.path)

    def __repr__(self) -> str:
        return repr(self.shown)

    def _repr_html_(self) -> str:
        return self.shown._repr_html_()


def read(folder: str | os.PathLike[str]) -> Recording:
    """A recording that `runcast record` has made."""
    return Recording(folder)
