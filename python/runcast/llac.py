"""The constants of formulas in traces."""

from __future__ import annotations

from typing import Any

from ._answers import Answer
from ._commands import command
from ._errors import input_error
from ._fit import Fit, Model


class Session:
    """A session of `llac`: each command sees what those before it have done.

    traces : paths of traces or tables, or a frame
    """

    def __init__(self, traces: Any = None) -> None:
        self._history: list[str] = []
        self._frame = None
        paths = [] if traces is None else list(traces) if isinstance(traces, (list, tuple)) else [traces]
        for path in paths:
            self._history.append(f"load {path}")

    def execute(self, text: str) -> Answer:
        """Runs commands; returns what they found. Commands that fail leave no trace in the session."""
        found = command("llac", execute=[*self._history, text])
        self._history.append(text)
        return found

    @property
    def regions(self) -> Answer:
        """What is loaded."""
        return command("llac", execute=[*self._history, "show"])

    def model(self, name: str) -> Model:
        """A model of the session that `fit .. as NAME` made."""
        import os
        import tempfile

        from ._answers import load

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            command("llac", execute=[*self._history, f"save {name} to {path}"])
            found = load(path)
        if not isinstance(found, Fit) or not len(found):
            raise input_error("no_model", f"{name} is no model", value=name)
        return found[0]
