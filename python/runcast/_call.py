"""From keywords to a command line, and from what comes back to an answer."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import FrameType
from typing import Any, NamedTuple

from . import _config
from ._columns import columns_of, family_of
from ._errors import (
    Error,
    Failed,
    ForecastWarning,
    InputError,
    InternalError,
    Interrupted,
    Problem,
    TimeLimit,
    input_error,
    unknown,
)

# Names of files that are only in memory begin so where a command writes them.
MEMORY = "runcast:"
# Keywords of every call, which are no options.
WAITING = ("threads", "progress", "cancel", "timeout_s")


class Progress(NamedTuple):
    """How far long work has come."""

    what: str
    done: int
    total: int
    rate_per_s: float | None
    eta_s: float | None


@cache
def definitions() -> dict[str, dict[str, Any]]:
    """All commands: options by the name of the keyword."""
    from . import _runcast

    found = {}
    for command in json.loads(_runcast.definitions()):
        options: dict[str, Any] = {}
        for option in command["options"]:
            for name in (option["name"], *option["aliases"]):
                options.setdefault(name.replace("-", "_"), option)
        found[command["command"]] = {"about": command["about"], "options": options}
    return found


class Line:
    """A command line in the making, with the files that it names."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.options: list[str] = []
        self.inputs: list[str] = []
        self.files: dict[str, bytes] = {}
        self.family: str | None = None
        self.about: Mapping[str, Any] = {}
        self.labels: list[str] = []
        self.warnings: list[tuple[str, str]] = []

    @property
    def argv(self) -> list[str]:
        """The words after `runcast`."""
        return [*self.command.split(), *self.options, *self.inputs]

    def input(self, data: Any, stem: str = "frame") -> None:
        """Adds an argument: a path, or data that becomes a file."""
        name = self.file(data, stem)
        self.inputs.append("./" + name if name.startswith("-") else name)

    def file(self, data: Any, stem: str = "frame") -> str:
        """The name of a file with these data."""
        if isinstance(data, (str, os.PathLike)):
            return os.fspath(data)
        if hasattr(data, "_as_file"):
            found = data._as_file(self)
            name, content = self._fresh(found[0]), found[1]
        elif isinstance(data, Mapping) and "kind" in data:
            name, content = self._fresh("document.json"), json.dumps(data).encode()
        elif isinstance(data, (bytes, bytearray)):
            name, content = self._fresh(stem), bytes(data)
        elif family_of(data):
            columns = columns_of(data)
            self.family = self.family or family_of(data)
            self.labels.extend(columns.labels)
            for column in columns.imprecise:
                self.warnings.append(("precision", f"{column}: integers beyond 2^53 are rounded"))
            name, content = self._fresh(stem + ".csv"), columns.csv()
        else:
            what = type(data).__name__
            raise input_error("not_a_table", f"a {what} is no table", allowed="a path, a DataFrame, a dict of columns")
        self.files[name] = content
        return name

    def memory(self, name: str, content: bytes) -> str:
        """The name of a file with this content."""
        name = self._fresh(name)
        self.files[name] = content
        return name

    def _fresh(self, name: str) -> str:
        stem, dot, end = name.rpartition(".") if "." in name else (name, "", "")
        number = 1
        while name in self.files:
            number += 1
            name = f"{stem}-{number}{dot}{end}"
        return name

    def set(self, keywords: Mapping[str, Any]) -> None:
        """Adds options from keywords. None and False stand for an option that is not given."""
        known = definitions()[self.command]["options"]
        for keyword, value in keywords.items():
            name = keyword.rstrip("_") if keyword not in known else keyword
            option = known.get(name)
            if option is None or option["positional"] or name in ("output", "plot"):
                raise unknown("keyword", keyword, [one for one, what in known.items() if not what["positional"]])
            if value is None or value is False:
                continue
            flag = "--" + name.replace("_", "-")
            if not option["takes_value"]:
                if value is not True:
                    raise input_error("invalid_value", f"{keyword} is True or False", pointer=keyword, value=str(value))
                self.options.append(flag)
                continue
            self.options.extend(f"{flag}={text}" for text in self._values(keyword, value, option))

    def _values(self, keyword: str, value: Any, option: Mapping[str, Any]) -> list[str]:
        """The texts of an option, one for each time that it is given."""
        if hasattr(value, "_as_file") or family_of(value) in ("pandas", "polars", "arrow", "capsule", "numpy"):
            return [self.file(value, keyword)]
        if isinstance(value, Mapping):
            if "kind" in value:
                return [self.file(value)]
            pairs = [f"{name}={self.text(keyword, one)}" for name, one in value.items()]
            return pairs if option["repeats"] and option["value"].count(",") == 0 else [",".join(pairs)]
        if is_listed(value):
            items = list(value)
            if any(isinstance(item, Mapping) or is_listed(item) for item in items):
                return [text for item in items for text in self._values(keyword, item, option)]
            texts = [self.text(keyword, item) for item in items]
            is_of_numbers = all(not isinstance(item, (str, os.PathLike)) for item in items)
            if not option["repeats"] or option["delimiter"] or (is_of_numbers and not option["value"].startswith("FILE")):
                return [(option["delimiter"] or ",").join(texts)]
            return texts
        return [self.text(keyword, value)]

    def text(self, keyword: str, value: Any) -> str:
        """A value as it is typed."""
        if is_listed(value):
            return ",".join(self.text(keyword, item) for item in value)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (str, os.PathLike)):
            return os.fspath(value)
        if hasattr(value, "item"):
            value = value.item()
        if isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                raise input_error("not_finite", f"{keyword} is not finite", pointer=keyword, value=str(value))
            return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        if isinstance(value, int):
            return str(value)
        raise TypeError(f"{keyword}: a {type(value).__name__} is no value of an option")

    def roles(self, given: Any) -> dict[str, str]:
        """The roles of columns: those asked for, and labels that look like numbers."""
        roles = dict.fromkeys(self.labels, "label")
        if isinstance(given, Mapping):
            roles.update({name: str(role) for name, role in given.items()})
        elif given is not None:
            parts = given.split(",") if isinstance(given, str) else given
            roles.update({name: role for name, _, role in (part.partition("=") for part in parts)})
        return roles


def is_listed(value: Any) -> bool:
    """Whether it stands for several values."""
    if isinstance(value, (str, bytes, os.PathLike, Mapping)):
        return False
    return isinstance(value, Sequence) or (hasattr(value, "__iter__") and getattr(value, "ndim", 1) == 1)


class Raw(NamedTuple):
    """What a command gave, before it is an object."""

    line: Line
    found: dict[str, Any]

    @property
    def document(self) -> dict[str, Any]:
        """The document; empty where the command has none."""
        return json.loads(self.found["document"]) if self.found.get("document") else {}

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """All warnings."""
        own = [{"code": code, "message": message} for code, message in self.line.warnings]
        given: list[dict[str, Any]] = json.loads(self.found.get("warnings") or "[]")
        return given + own

    @property
    def command(self) -> str:
        """The command line that gives the same."""
        return shlex.join(["runcast", *self.line.argv])


def run(line: Line, waiting: Mapping[str, Any], make: Callable[[Raw], Any] | None = None) -> Any:
    """Runs a command. `make` turns what it gave into an answer, which an exception carries as `partial`."""
    from . import _program, _runcast

    threads = waiting.get("threads") or _config.get("threads") or 0
    shown = _Shown(waiting.get("progress") if waiting.get("progress") is not None else _config.get("progress"))
    try:
        found = _runcast.run(
            line.argv,
            line.files,
            program=_program.find(),
            threads=int(threads),
            progress=shown,
            cancel=waiting.get("cancel"),
            timeout_s=waiting.get("timeout_s"),
        )
    finally:
        shown.close()
    raw = Raw(line, found)
    if "panic" in found:
        problem = Problem("internal", found["panic"], hint="please report it, with the input")
        raise InternalError(str(problem), (problem,))
    answer = make(raw) if make and found.get("document") else None
    if found.get("ended"):
        raise _ended(found["ended"], answer)
    problems = tuple(Problem.of(fields) for fields in json.loads(found.get("problems") or "[]"))
    if found.get("failed"):
        raise (InputError if found["exit"] == 2 else Failed)(found["message"], problems)
    if found["exit"] == 2:
        raise InputError(found["message"] or "the input is wrong", problems, answer)
    if _config.get("warnings"):
        warn(raw.warnings)
    return answer if make else raw


def _ended(how: str, answer: Any) -> BaseException:
    if how == "interrupted":
        return Interrupted(partial=answer)
    message = "the time is over" if how == "time_limit" else "cancelled"
    return TimeLimit(message, (Problem(how, message),), answer)


def warn(found: list[dict[str, Any]]) -> None:
    """One warning of Python for each code, at the line that called this package."""
    told = set()
    depth = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "runcast":
        frame, depth = frame.f_back, depth + 1
    for warning in found:
        if warning["code"] not in told:
            told.add(warning["code"])
            warnings.warn(ForecastWarning(f"{warning['message']} ({warning['code']})", warning["code"]), stacklevel=depth)


class _Shown:
    """Shows progress: by a function, or by tqdm from the second second on."""

    def __init__(self, wanted: Any) -> None:
        self.wanted = wanted
        self.start = time.monotonic()
        self.began = self.start
        self.what = ""
        self.bar: Any = None

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if what != self.what:
            self.what, self.began = what, now
            self.close()
        rate = done / (now - self.began) if done and now > self.began else None
        eta = (total - done) / rate if rate and total else None
        if callable(self.wanted):
            self.wanted(Progress(what, done, total, rate, eta))
        elif self.wanted is True or (self.wanted is None and now - self.start > 2 and _is_watched()):
            self._bar(what, done, total)

    def _bar(self, what: str, done: int, total: int) -> None:
        if self.bar is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self.wanted = False
                return
            self.bar = tqdm(desc=what, total=total or None, leave=False)
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        """Takes the bar away."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty() or "ipykernel" in sys.modules


def given(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keywords of a command, and those of every call."""
    own = {name: value for name, value in options.items() if name not in WAITING}
    return own, {name: value for name, value in options.items() if name in WAITING}


__all__ = ["Error", "Line", "Progress", "Raw", "definitions", "given", "run", "warn"]
