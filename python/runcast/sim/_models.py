"""Models of systems, of applications, and experiments with both."""

from __future__ import annotations

import copy
import inspect
import itertools
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Unpack

from .. import _call
from .._answers import Answer
from .._commands import command
from .._errors import Failed, input_error, unknown
from ._answers import SimRun, Sweep, joined
from ._toml import dumps

if TYPE_CHECKING:
    from .._options import SimCalibrateOptions, SimOptimizeOptions, SimRunOptions, SimSweepOptions


@cache
def _templates() -> dict[str, dict[str, bytes]]:
    """The files of all templates."""
    from .._config import config

    found = {}
    with config(warnings=False):
        for template in command("sim new").to_dict()["templates"]:
            name = template["name"]
            if name == "bsf":
                continue
            line = _call.Line("sim new")
            line.options.append(f"--output={_call.MEMORY}{name}")
            line.inputs.append(name)
            files = _call.run(line, {}).found["files"]
            found[name] = {os.path.basename(path): content for path, content in files.items()}
    return found


def _document(x: Any, what: str) -> dict[str, Any]:
    if isinstance(x, Mapping):
        return copy.deepcopy(dict(x))
    text = x if isinstance(x, str) and "\n" in x else _text(x)
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise input_error("toml", f"the {what} is no TOML: {error}") from None


def _text(path: Any) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise input_error("cannot_read", f"cannot be read: {error}", file=os.fspath(path)) from None


def _set(document: dict[str, Any], name: str, value: Any) -> None:
    """Sets a key by its path; `component.cpu` is the component whose id or name is cpu."""
    parts = name.split(".")
    here: Any = document
    for at, part in enumerate(parts[:-1]):
        inner = here.setdefault(part, {}) if isinstance(here, dict) else _of_list(here, part)
        if isinstance(inner, list) and len(inner) == 1 and parts[at + 1] in inner[0]:
            inner = inner[0]
        here = inner
    if isinstance(here, list):
        if len(here) != 1:
            raise input_error("ambiguous", f"{name}: there are {len(here)}, say which by its name", pointer=name)
        here = here[0]
    if not isinstance(here, dict):
        raise input_error("unknown_key", f"{name} is no key", pointer=name)
    here[parts[-1]] = value


def _of_list(items: list[Any], name: str) -> Any:
    """The item of a list that has a name; a network is named by the group that it connects."""
    if len(items) == 1 and name not in _names(items[0]):
        return items[0].setdefault(name, {})
    for item in items:
        if name in _names(item):
            return item
    raise unknown("component", name, [one for item in items for one in _names(item)])


def _names(item: Any) -> list[str]:
    return [str(item[key]) for key in ("id", "name", "of") if isinstance(item, dict) and key in item]


# Keys of an experiment that name files, looked up beside it, and words that are no files.
_FILES = ("system", "coeff", "catalogue", "trace", "selector")
_NO_FILES = ("runcast", "openmpi", "mpich", "smpi")


def _below(folder: str, given: Any) -> Any:
    """The name of a file, or several, as seen from the current folder."""
    if isinstance(given, list):
        return [_below(folder, one) for one in given]
    return os.path.join(folder, given) if isinstance(given, str) and given not in _NO_FILES else given


class _Model:
    """A document in TOML."""

    FORMAT = ""
    WHAT = ""

    def __init__(self, x: Any) -> None:
        self._document = _document(x, self.WHAT)
        self._document.setdefault("format", self.FORMAT)
        # Keys before tables.
        self._document = {"format": self._document["format"], **self._document}

    def to_dict(self) -> dict[str, Any]:
        """The keys of the file."""
        return copy.deepcopy(self._document)

    def to_toml(self) -> str:
        """The text of the file."""
        return dumps(self._document)

    def with_(self, name: str, value: Any) -> Any:
        """A copy in which a key, such as "component.cpu.hardware", has another value."""
        other = copy.copy(self)
        other._document = copy.deepcopy(self._document)
        _set(other._document, name, value)
        return other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Model) and type(self) is type(other) and self._document == other._document

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>\n" + "\n".join(self.to_toml().splitlines()[:10])


class System(_Model):
    """A model of a machine: a dict with the keys of the file, its text, or its path."""

    FORMAT = "runcast-system/1"
    WHAT = "system"

    @classmethod
    def template(cls, name: str) -> System:
        """A system that comes with runcast, by its name or that of a template: "galera", "heat"."""
        found = {}
        for template, files in _templates().items():
            if "system.toml" in files:
                document = tomllib.loads(files["system.toml"].decode())
                found[template] = document
                found.setdefault(str(document.get("name", "")), document)
        if name not in found:
            raise unknown("template", name, found)
        return cls(found[name])

    @property
    def files(self) -> dict[str, bytes]:
        """The file."""
        return {"system.toml": self.to_toml().encode()}

    def check(self) -> Answer:
        """Looks for what is wrong: `runcast sim system check`."""
        found: Answer = command("sim system check", self)
        return found

    def _as_file(self, line: _call.Line) -> tuple[str, bytes]:
        return "system.toml", self.to_toml().encode()


class Application:
    """A model of a program: a script in Luau, its text or its path."""

    def __init__(self, x: Any) -> None:
        if callable(x):
            raise input_error("not_a_script", "an application is a script in Luau, no function of Python")
        self._text = x if isinstance(x, str) and "\n" in x else _text(x)

    @classmethod
    def template(cls, name: str) -> Application:
        """The application of a template."""
        if name not in _templates():
            raise unknown("template", name, _templates())
        return cls(_templates()[name]["app.luau"].decode())

    @property
    def text(self) -> str:
        """The script."""
        return self._text

    @property
    def files(self) -> dict[str, bytes]:
        """The file."""
        return {"app.luau": self._text.encode()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Application) and self._text == other._text

    __hash__ = None  # type: ignore[assignment]


class Experiment:
    """Applications on a system, and how closely to look.

    x : a dict with the keys of the file, its text in TOML, or its path; else keywords:
    system : System, or what makes one
    app : Application, text or path of a script, or a dict with the keys of `[[app]]`; several in a list
    params : values of parameters; a function is called once for each point, with the parameters that its signature names
    keys : other keys of the file
    """

    def __init__(
        self, x: Any = None, *, system: Any = None, app: Any = None, params: Mapping[str, Any] | None = None, **keys: Any
    ) -> None:
        self._path = os.fspath(x) if isinstance(x, (str, os.PathLike)) and "\n" not in os.fspath(x) else None
        self._document = {**(_document(x, "experiment") if x is not None else {}), **keys}
        self._document.setdefault("format", "runcast-experiment/1")
        self._base = os.path.dirname(self._path) if self._path else ""
        self._system = system if system is None or isinstance(system, System) else System(system)
        self._apps: list[tuple[dict[str, Any], Application | None]] = []
        for one in app if isinstance(app, (list, tuple)) else [] if app is None else [app]:
            self._apps.append(_app(one))
        given = dict(params or {})
        self._functions: dict[str, Callable[..., Any]] = {name: value for name, value in given.items() if callable(value)}
        self._params = {name: value for name, value in given.items() if not callable(value)}

    def to_dict(self) -> dict[str, Any]:
        """The keys of the file."""
        document = copy.deepcopy(self._document)
        if self._system is not None:
            document["system"] = "system.toml"
        for key in _FILES if self._base else ():
            if key in document and not (key == "system" and self._system is not None):
                document[key] = _below(self._base, document[key])
        if self._apps:
            document["app"] = [
                {**fields, "file": f"app-{number}.luau" if script else fields["file"]}
                for number, (fields, script) in enumerate(self._apps)
            ]
        else:
            for one in document.get("app", []):
                if "file" in one:
                    one["file"] = _below(self._base, one["file"])
        return {name: document[name] for name in ("format", *document) if name in document}

    def to_toml(self) -> str:
        """The text of the file."""
        return dumps(self.to_dict())

    @property
    def files(self) -> dict[str, bytes]:
        """The files of the experiment."""
        found = {"experiment.toml": self.to_toml().encode()}
        if self._system is not None:
            found["system.toml"] = self._system.to_toml().encode()
        found.update({f"app-{number}.luau": script.text.encode() for number, (_, script) in enumerate(self._apps) if script})
        return found

    def with_(self, name: str, value: Any) -> Experiment:
        """A copy in which a key has another value: "system.component.cpu.hardware", "app.params", "params.n", "fidelity"."""
        other = copy.copy(self)
        other._document = copy.deepcopy(self._document)
        other._apps = copy.deepcopy(self._apps)
        other._params, other._functions = dict(self._params), dict(self._functions)
        first, _, rest = name.partition(".")
        if first == "system" and rest and self._system is not None:
            other._system = self._system.with_(rest, value)
        elif first == "system" and not rest:
            other._system = value if isinstance(value, System) else System(value)
        elif first == "params" and rest:
            other._params.pop(rest, None)
            other._functions.pop(rest, None)
            (other._functions if callable(value) else other._params)[rest] = value
        elif first == "app" and rest and self._apps:
            apps = [fields for fields, _ in other._apps]
            _set({"app": apps}, name, value)
        elif self._system is not None and first in ("component", "network", "group", "connect"):
            other._system = self._system.with_(name, value)
        else:
            _set(other._document, name, value)
        return other

    def check(self) -> Answer:
        """Looks for what is wrong with the system."""
        if self._system is None:
            raise input_error("no_system", "the experiment names a file as its system", hint="sim.System(path).check()")
        return self._system.check()

    def run(self, **options: Unpack[SimRunOptions]) -> SimRun:
        """Simulates it once: `runcast sim run`."""
        found: SimRun = self._call("sim run", self._resolved({}), options)
        return found

    def sweep(self, vary: Mapping[str, Any] | None = None, *, on_error: str = "raise", **options: Unpack[SimSweepOptions]) -> Sweep:
        """Simulates all combinations, in parallel: `runcast sim sweep`.

        vary : {name: values}; a list, or a list of numbers as "1..64*2"
        on_error : "raise", or "keep" for rows whose `status` says what went wrong
        """
        vary = dict(vary or {})
        needed = self._needed()
        moving = [name for name in vary if name in needed]
        if not moving:
            return self._checked(self._call("sim sweep", self._resolved({}), {"vary": vary, **options}), on_error)
        return self._checked(self._joined(vary, moving, options), on_error)

    def optimize(self, **options: Unpack[SimOptimizeOptions]) -> Answer:
        """The best of all combinations: `runcast sim optimize`."""
        found: Answer = self._call("sim optimize", self._resolved({}), options)
        return found

    def calibrate(self, runs: Any, **options: Unpack[SimCalibrateOptions]) -> Answer:
        """Coefficients from runs: `runcast sim calibrate`."""
        found: Answer = self._call("sim calibrate", self._resolved({}), options, runs)
        return found

    def _joined(self, vary: dict[str, Any], moving: list[str], options: Mapping[str, Any]) -> Sweep:
        """A sweep of which some parameters are functions of others: one command for each combination of these."""
        values = {name: _values(vary[name]) for name in moving}
        rest = {name: given for name, given in vary.items() if name not in moving}
        points = [dict(zip(moving, one, strict=True)) for one in itertools.product(*values.values())]
        resolved = [self._resolved(point) for point in points]
        parts = []
        for point, params in zip(points, resolved, strict=True):
            parts.append(
                self._call(
                    "sim sweep", params, {"vary": {**{name: [value] for name, value in point.items()}, **rest}, **options}
                )
            )
        rows = [row for part in parts for row in part.iter()]
        order = {name: _values(given) for name, given in vary.items()}
        rows.sort(key=lambda row: [_place(order[name], row.get(name)) for name in vary])
        for name in self._functions:
            for row in rows:
                point = {one: row[one] for one in moving}
                row[name] = next(
                    params[name]
                    for known, params in zip(points, resolved, strict=True)
                    if all(_same(known[one], point[one]) for one in moving)
                )
        names = list(dict.fromkeys([*vary, *self._functions, *(name for row in rows for name in row)]))
        document = {**parts[0].to_dict()}
        for name, first in document.items():
            if isinstance(first, list) and name != "warnings":
                document[name] = [item for part in parts for item in part.to_dict().get(name, [])]
        return joined(document, parts[0]._raw, {name: [row.get(name) for row in rows] for name in names})

    def _checked(self, sweep: Sweep, on_error: str) -> Sweep:
        if on_error not in ("raise", "keep"):
            raise input_error("invalid_value", "no such word", pointer="on_error", value=on_error, allowed="raise, keep")
        wrong = [row for row in sweep.iter() if row.get("status") not in (None, "", "ok")]
        if wrong and on_error == "raise":
            raise Failed(f"{len(wrong)} of the simulations failed: {wrong[0]['status']}", (), sweep)
        return sweep

    def _needed(self) -> set[str]:
        """The parameters that functions of parameters need, directly or through others."""
        found: set[str] = set()
        for name in self._functions:
            found |= {one for one in self._order(name, ()) if one not in self._functions}
        return found

    def _order(self, name: str, above: tuple[str, ...]) -> Iterator[str]:
        if name in above:
            round_trip = " needs ".join([*above[above.index(name) :], name])
            raise input_error("cycle", f"parameters need each other: {round_trip}", pointer=name)
        if name in self._functions:
            for one in inspect.signature(self._functions[name]).parameters:
                yield from self._order(one, (*above, name))
        yield name

    def _resolved(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters at a point; each function is called once."""
        given = {**self._app_params(), **self._params}
        known = {**{name: value for name, value in given.items() if name not in self._functions}, **point}
        for name in self._functions:
            for one in self._order(name, ()):
                if one in self._functions and one not in known:
                    known[one] = self._value_of(one, known)
        wanted = {**self._params, **{name: known[name] for name in self._functions}}
        return {name: value for name, value in wanted.items() if name not in point}

    def _value_of(self, name: str, known: Mapping[str, Any]) -> Any:
        """Calls the function of a parameter."""
        needs = list(inspect.signature(self._functions[name]).parameters)
        for need in needs:
            if need not in known:
                message = f"{name} needs {need}, which has no value"
                raise input_error("missing_parameter", message, pointer=need)
        value = self._functions[name](**{need: known[need] for need in needs})
        if not isinstance(value, (int, float, str)) and not hasattr(value, "item"):
            raise input_error("not_a_number", f"{name} is a {type(value).__name__}, no number and no text", pointer=name)
        return value

    def _app_params(self) -> dict[str, Any]:
        fields = [app for app, _ in self._apps] or self._document.get("app", [])
        return {name: value for app in fields for name, value in app.get("params", {}).items()}

    def _call(self, name: str, params: Mapping[str, Any], options: Mapping[str, Any], runs: Any = None) -> Any:
        from .._answers import answer_of

        line, (keywords, waiting) = _call.Line(name), _call.given(options)
        line.files.update(self.files)
        line.inputs.append("experiment.toml")
        vary = keywords.pop("vary", None)
        for one, value in (vary or {}).items():
            line.options.append(f"--vary={one}={line.text(one, _values(value) if not isinstance(value, str) else value)}")
        for one, value in params.items():
            line.options.append(f"--set={one}={line.text(one, value)}")
        line.set(keywords)
        if runs is not None:
            line.options.append("--table=" + line.file(runs, "runs"))
        return _call.run(line, waiting, answer_of)


def _app(one: Any) -> tuple[dict[str, Any], Application | None]:
    if isinstance(one, Application):
        return {"name": "app"}, one
    if isinstance(one, Mapping):
        fields = dict(one)
        file = fields.get("file")
        if file is None:
            raise input_error("missing_key", "an app has no file", pointer="app.file")
        if isinstance(file, Application) or (isinstance(file, str) and "\n" in file):
            return {name: value for name, value in fields.items() if name != "file"}, file if isinstance(
                file, Application
            ) else Application(file)
        return fields, None
    return {"name": "app"}, Application(one)


def _values(given: Any) -> list[Any]:
    if isinstance(given, str):
        from .. import _runcast

        try:
            return list(_runcast.numbers(given))
        except ValueError as error:
            raise input_error("numbers", str(error), value=given) from None
    return list(given) if isinstance(given, (Sequence, range)) or hasattr(given, "__iter__") else [given]


def _same(a: Any, b: Any) -> bool:
    try:
        return float(a) == float(b)
    except (TypeError, ValueError):
        return str(a) == str(b)


def _place(values: Sequence[Any], value: Any) -> int:
    return next((at for at, one in enumerate(values) if _same(one, value)), len(values))
