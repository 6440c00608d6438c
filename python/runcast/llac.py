"""The constants of formulas in traces, and where they hold.

>>> from runcast import llac, samples
>>> session = llac.Session(samples.runs())
>>> found = session.execute('fit formula "c[0] + c[1]/p" metric solve_s as m')
>>> session.model("m").range["p"]
(1, 16)
"""

from __future__ import annotations

import copy
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _call
from ._answers import Answer, answer_of, register
from ._commands import several
from ._errors import input_error
from ._fit import Fit, Model


@register
class Llac(Answer):
    """What commands of `llac` found: `results` has one for each."""

    KIND = "llac"

    def _columns(self) -> tuple[dict[str, Sequence[Any]], list[str]]:
        """The longest list of what the last command found: constants, predictions, experiments, .."""
        from ._tabulate import flat

        last = self._document["results"][-1]["result"] if self._document["results"] else {}
        lists = [rows for rows in last.values() if isinstance(rows, list) and rows and isinstance(rows[0], dict)]
        if last.get("constants"):
            pieces = [(one["name"], piece) for one in last["constants"] for piece in one["pieces"]]
            return flat([{"constant": name, **piece} for name, piece in pieces], ["constant"])
        return flat(max(lists, key=len) if lists else [last])


class Session:
    """A session of `llac`: each command sees what those before it have done.

    traces : paths of traces or tables, or a frame; several in a list become one table
    name : the name of that table; commands that name none take the last one
    """

    def __init__(self, traces: Any = None, *, name: str = "t") -> None:
        self._history: list[str] = []
        self._files: dict[str, bytes] = {}
        # What the commands so far have given, which the next answer leaves out.
        self._told: dict[str, Any] = {"results": 0, "text": "", "warnings": []}
        if traces is not None:
            line = _call.Line("llac")
            paths = [line.file(one) for one in several(traces)]
            self._files = line.files
            self.execute(f"load {' '.join(map(_quoted, paths))} as {name}")

    def execute(self, text: str) -> Llac:
        """Runs commands, and returns what they found; those that fail leave no trace in the session."""
        found = self._run(text, self._told)
        raw = found._raw
        if raw is not None:
            whole = raw.found["whole"]
            self._told = {"results": len(whole["results"]), "text": whole["text"], "warnings": whole["warnings"]}
        self._history.append(text)
        return found

    @property
    def regions(self) -> Any:
        """What the last table holds: a row for each experiment, as a frame."""
        from . import _frames
        from ._tabulate import flat

        shown = self._run("show", self._told).to_dict()["results"][-1]["result"]
        columns, _ = flat(shown.get("experiments", []))
        return _frames.build(columns, about={"kind": "llac", "version": 1}, labels=["name"])

    def model(self, name: str) -> Model:
        """A model of the session that `fit .. as NAME` made."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.json")
            self._run(f"save {name} to {_quoted(str(path))}", self._told)
            document = json.loads(path.read_text(encoding="utf-8"))
        if not document.get("models"):
            raise input_error("no_model", f"{name} is no model", value=name)
        return Fit(document)[0]

    def _run(self, text: str, told: dict[str, Any]) -> Llac:
        """Runs all commands again, and a text after them; the answer holds what the text found."""
        from ._config import config

        line = _call.Line("llac")
        line.files = dict(self._files)
        line.set({"execute": [*self._history, text]})

        def new(raw: _call.Raw) -> Answer:
            document = raw.document
            whole = {"results": document["results"], "text": raw.found["text"], "warnings": raw.warnings}
            document["results"] = document["results"][told["results"] :]
            document["warnings"] = [one for one in raw.warnings if one not in told["warnings"]]
            found = copy.copy(raw.found)
            found["document"] = json.dumps(document, indent=2, ensure_ascii=False).encode()
            found["warnings"] = json.dumps(document["warnings"])
            found["text"] = raw.found["text"].removeprefix(told["text"]).lstrip("\n")
            found["whole"] = whole
            return answer_of(_call.Raw(line, found))

        with config(warnings=False):
            answer: Llac = _call.run(line, {}, new)
        from ._config import get

        if get("warnings") and answer._raw is not None:
            _call.warn(answer._raw.warnings)
        return answer


def _quoted(path: str) -> str:
    """A file as a word of the language: blanks and patterns of names stand for themselves."""
    return '"' + os.fspath(path).replace('"', '""') + '"'
