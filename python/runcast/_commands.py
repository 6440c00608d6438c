"""Commands as functions: any of them, and those that have no module of their own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from . import _call
from ._answers import Answer, answer_of
from ._errors import input_error

if TYPE_CHECKING:
    from ._options import CompareOptions, PlanOptions, ReportOptions, Waiting


def call(*argv: str, files: Mapping[str, Any] | None = None, **waiting: Unpack[Waiting]) -> Answer:
    """Any command in this process: the words after `runcast`, and files that are only in memory.

    Raises InputError where the command exits with 2, Failed where it exits with 1 and has no document. A command that has
    one and exits with 1 gives it; `exit_code` says so.

    >>> import runcast as rc
    >>> found = rc.call("bsf", "predict", "--algorithm", "jacobi", "--size", "1500", "--latency", "15us",
    ...                 "--op-time", "29ns", "--transfer-time", "190ns", "--collective", "flat")
    >>> round(found.k_max, 4)
    14.2407
    """
    for name in waiting:
        if name not in _call.WAITING:
            raise TypeError(f"call() has no keyword {name}")
    words = [os.fspath(word) if isinstance(word, os.PathLike) else word for word in argv]
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"a word of a command line is text, not {type(word).__name__}")
    line = _Words(words)
    for name, content in (files or {}).items():
        made = _call.Line("import")
        key = made.file(content if not isinstance(content, str) else content.encode(), name)
        line.files[name] = made.files[key] if key in made.files else Path(key).read_bytes()
    return _call.run(line, waiting, answer_of) or _no_document(line)


class _Words(_call.Line):
    """A command line that is given as it is."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = [word for word in words if word != "--json"]
        known = _call.definitions()
        names = [word for word in self.words if not word.startswith("-")]
        found = [" ".join(names[:count]) for count in (3, 2, 1) if " ".join(names[:count]) in known]
        super().__init__(found[0] if found else "import")

    @property
    def argv(self) -> list[str]:
        if "--" in self.words:
            at = self.words.index("--")
            return [*self.words[:at], *self.options, *self.words[at:]]
        return [*self.words, *self.options]


def _no_document(line: _call.Line) -> Answer:
    return Answer({"kind": line.command.replace(" ", "-"), "version": 1})


def command(name: str, *inputs: Any, **keywords: Any) -> Any:
    """A command with its arguments and options as values of Python."""
    line, (keywords, waiting) = _call.Line(name), _call.given(keywords)
    for one in inputs:
        line.input(one)
    if "at" in keywords and keywords["at"] is not None and "at" in _call.definitions()[name]["options"]:
        from ._fit import set_targets

        set_targets(line, keywords.pop("at"))
    if "roles" in _call.definitions()[name]["options"]:
        roles = line.roles(keywords.pop("roles", None))
        keywords["roles"] = [f"{column}={role}" for column, role in roles.items()] or None
    line.set(keywords)
    return _call.run(line, waiting, answer_of)


def several(data: Any) -> list[Any]:
    """One input, or those of a list."""
    return list(data) if isinstance(data, (list, tuple)) and not hasattr(data, "_fields") else [data]


def compare(
    runs: Any,
    *,
    predictions: Any = (),
    rename: Mapping[str, str] | None = None,
    train: str | None = None,
    at: Any = None,
    combine: bool = False,
    **options: Unpack[CompareOptions],
) -> Answer:
    """Forecasts of any methods and the runs, side by side: `runcast compare`.

    runs : runs; models that `train` may see are fitted to them
    predictions : answers, models, tables or files that make predictions
    rename : {"K": "workers"}: what the runs call K the predictions call workers
    """
    line, (keywords, waiting) = _call.Line("compare"), _call.given(options)
    for one in several(runs):
        line.input(one)
    line.options += ["--predictions=" + line.file(one, "predictions") for one in several(predictions)]
    roles = line.roles(keywords.pop("roles", None))
    line.set(
        {
            "rename": rename,
            "train": train,
            "at": at,
            "combine": combine,
            "roles": [f"{name}={role}" for name, role in roles.items()] or None,
            **keywords,
        }
    )
    found: Answer = _call.run(line, waiting, answer_of)
    return found


def plan(*, file: Any = None, targets: Any = None, **options: Unpack[PlanOptions]) -> Answer:
    """Chooses configurations to run: `runcast plan`.

    scaling : "weak", "strong", "wide" or "grid"
    processes, targets : numbers of processes to train on, and those wanted: a list, or as "powers:2"
    size : sizes, as the command takes them; complexity : work of a run, as a formula

    >>> import runcast as rc
    >>> [one.at["p"] for one in rc.plan(scaling="strong", processes=[1, 2, 4], size={"N": 1000}).configurations]
    [1, 2, 4]
    """
    keywords: dict[str, Any] = {**options}
    keywords.setdefault("target_processes", targets)
    if isinstance(keywords.get("sizes", keywords.get("size")), Mapping):
        sizes = keywords.pop("sizes", None) or keywords.pop("size")
        keywords["fixed"] = {**(keywords.get("fixed") or {}), **sizes}
    found: Answer = command("plan", *([] if file is None else [file]), **keywords)
    return found


def report(*items: Any, path: str | os.PathLike[str], title: str | None = None, **options: Unpack[ReportOptions]) -> Path:
    """A self-contained HTML page from runs, models, predictions and evaluations: `runcast report`. Returns its path."""
    if not items:
        raise input_error("missing_argument", "there is nothing to report on", allowed="runs, models, predictions, evaluations")
    line, (keywords, waiting) = _call.Line("report"), _call.given(options)
    for one in items:
        line.input(one)
    line.set({"title": title, **keywords})
    line.options.append(f"--output={os.fspath(path)}")
    _call.run(line, waiting, answer_of)
    return Path(path)


def rows_where(table: Any, expression: str) -> dict[str, list[Any]]:
    """The columns of a table with the rows for which a formula holds."""
    from . import _runcast

    try:
        rows = _runcast.rows_where(table._content, expression)
    except ValueError as error:
        raise input_error("filter", str(error), pointer="where", value=expression[:200]) from None
    if not rows:
        raise input_error("no_rows", f"no row satisfies {expression}", pointer="where", value=expression[:200])
    return {name: [values[row] for row in rows] for name, values in table._columns.items()}
