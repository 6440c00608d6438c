"""Settings of this thread or task."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

FRAMES = ("auto", "pandas", "polars", "arrow", "dict")
_DEFAULTS: dict[str, Any] = {"frame": "auto", "threads": 0, "progress": None, "warnings": True}
_current: ContextVar[dict[str, Any]] = ContextVar("runcast_config", default=_DEFAULTS)


def get(name: str) -> Any:
    """A setting."""
    return _current.get()[name]


@contextmanager
def config(**settings: Any) -> Generator[None, None, None]:
    """Settings within a `with` block.

    frame : "auto", "pandas", "polars", "arrow" or "dict"
        What results are where no input says it. "auto" is the first of pandas, polars and pyarrow that is installed.
    threads : int
        Cores that runcast uses; 0 for all.
    progress : None, bool or callable
        As in every call.
    warnings : bool
        Whether warnings of answers are also warnings of Python.

    >>> import runcast as rc
    >>> with rc.config(frame="dict"):
    ...     frame = rc.fit(rc.samples.runs(), metric="solve_s", model="amdahl")[0].predict(p=32, N=256)
    >>> [float(round(value, 5)) for value in frame["value"]]
    [0.05593]
    """
    from . import _errors

    for name, value in settings.items():
        if name not in _DEFAULTS:
            raise _errors.unknown("setting", name, _DEFAULTS)
        if name == "frame" and value not in FRAMES:
            raise _errors.input_error(
                "invalid_value", "no such frame", pointer=name, value=str(value), allowed=", ".join(FRAMES)
            )
    token = _current.set({**_current.get(), **settings})
    try:
        yield
    finally:
        _current.reset(token)
