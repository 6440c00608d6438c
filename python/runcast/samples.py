"""Samples to try things on."""

from __future__ import annotations

from importlib.resources import files
from typing import Any


def path(name: str) -> str:
    """Where a file of the samples is."""
    return str(files("runcast").joinpath("data", name))


def runs() -> Any:
    """25 runs of a program of a master and its workers on 1 to 16 processes, as a table.

    >>> import runcast as rc
    >>> rc.samples.runs().parameters
    ('p', 'N')
    """
    from ._table import read

    return read(path("runs.csv"))
