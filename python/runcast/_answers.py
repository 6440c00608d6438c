"""Answers: what a command found, as an object."""

from __future__ import annotations

import copy
import html
import json
import keyword
import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from . import _call, _frames
from ._errors import input_error
from ._records import object_of

# Bytes of a document that is read.
MOST_BYTES = 256 << 20
# Characters and lines of `repr`.
WIDTH, LINES = 100, 12


class Answer:
    """What a command found: the document of `--json`, and what belongs to it.

    kind, version : the document's
    warnings : tuple of records with `code` and `message`
    command : the command line that gives the same
    text : what the command prints for people
    """

    KIND: ClassVar[str] = ""
    # The newest version of the document that this package knows.
    VERSION: ClassVar[int] = 1

    def __init__(self, document: Mapping[str, Any] | None, raw: _call.Raw | None = None) -> None:
        self.__dict__["_parsed"] = document
        self.__dict__["_raw"] = raw
        self.__dict__["_made"] = {}

    @property
    def _document(self) -> Mapping[str, Any]:
        """The document, read when it is first asked for."""
        if self.__dict__["_parsed"] is None:
            self.__dict__["_parsed"] = self._raw.document if self._raw else {}
        found: Mapping[str, Any] = self.__dict__["_parsed"]
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_made" not in self.__dict__:
            raise AttributeError(name)
        document, made = self._document, self.__dict__["_made"]
        if name not in document and name.endswith("_") and keyword.iskeyword(name[:-1]):
            name = name[:-1]
        if name not in document:
            raise AttributeError(f"a document {document.get('kind')} has no field {name}; there are {', '.join(document)}")
        if name not in made:
            made[name] = object_of(document[name])
        return made[name]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("an answer does not change")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._document]

    @property
    def warnings(self) -> tuple[Any, ...]:
        """Warnings, with `code` and `message`."""
        found = self._raw.warnings if self._raw else self._document.get("warnings", [])
        made: tuple[Any, ...] = object_of(list(found))
        return made

    @property
    def command(self) -> str | None:
        """The command line that gives the same; None for what was loaded."""
        return self._raw.command if self._raw else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What the command says beside its result."""
        return tuple(self._raw.found.get("notes") or ()) if self._raw else ()

    @property
    def exit_code(self) -> int:
        """0, or 1 where the command has a document and fails all the same."""
        return int(self._raw.found.get("exit", 0)) if self._raw else 0

    @property
    def text(self) -> str:
        """What the command prints for people."""
        return self._raw.found["text"] if self._raw else self.to_json()

    @property
    def files(self) -> dict[str, bytes]:
        """Files that the command wrote, but only in memory."""
        found = self._raw.found.get("files", {}) if self._raw else {}
        return {name.removeprefix(_call.MEMORY): content for name, content in found.items()}

    def to_dict(self) -> Any:
        """The document, a dict; equal to that of `--json`. `runcast.documents` has types for it."""
        return copy.deepcopy(dict(self._document))

    def to_json(self) -> str:
        """The document as the command prints it."""
        if self._raw and self._raw.found.get("document"):
            found: str = self._raw.found["document"].decode()
            return found
        return json.dumps(self._document, indent=2, ensure_ascii=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the document; `load` gives it back."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    def _as_file(self, line: _call.Line) -> tuple[str, bytes]:
        if self._raw:
            line.family = line.family or self._raw.line.family
        return (self.kind or "document") + ".json", self.to_json().encode()

    def _columns(self) -> tuple[dict[str, Sequence[Any]], list[str]]:
        """The columns of the frame, and which of them are labels."""
        from ._tabulate import columns_of

        return columns_of(self._document)

    def _about(self) -> dict[str, Any]:
        return {
            "kind": self._document.get("kind"),
            "version": self._document.get("version"),
            "level": self._document.get("level"),
            "roles": {},
            "command": self.command,
            "warnings": self._document.get("warnings", []),
        }

    @property
    def frame(self) -> Any:
        """The main part of the document as a frame."""
        columns, labels = self._columns()
        return _frames.build(columns, about=self._about(), labels=labels, wanted=self._family)

    @property
    def table(self) -> Any:
        """The table that the command writes with `-o`, as a frame; None where it writes none."""
        content = self._raw.found.get("main") or self._raw.found.get("table") if self._raw else None
        if content is None:
            return None
        return _frames.build(_frames.of_csv(content), about=self._about(), wanted=self._family)

    @property
    def _family(self) -> str | None:
        return self._raw.line.family if self._raw else None

    def to_pandas(self) -> Any:
        """The frame as one of pandas."""
        return self._built("pandas")

    def to_polars(self) -> Any:
        """The frame as one of polars."""
        return self._built("polars")

    def to_arrow(self) -> Any:
        """The frame as a table of pyarrow."""
        return self._built("arrow")

    def to_numpy(self, column: str) -> Any:
        """A column as an array."""
        columns = self._built("dict")
        if column not in columns:
            from ._errors import unknown

            raise unknown("column", column, columns)
        return columns[column]

    def _built(self, family: str) -> Any:
        columns, labels = self._columns()
        return _frames.BUILDERS[family](columns, self._about(), set(labels))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return _frames.stream(self, requested_schema)

    def svg(self) -> str | None:
        """The picture of `--plot`; None where the command draws none."""
        return _picture(self)

    def _repr_svg_(self) -> str | None:
        return None

    def plot(self, backend: str | None = None, ax: Any = None, **how: Any) -> Any:
        """Draws the answer.

        backend : "matplotlib" (the default where it is installed), "altair" or "svg"
        ax : Axes of matplotlib to draw into

        Returns Axes, a LayerChart, or the text of an SVG.
        """
        from ._plot import plot

        return plot(self, backend, ax, **how)

    def _repr_html_(self) -> str:
        from ._html import page

        return page(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answer) and self._document == other._document

    def __hash__(self) -> int:
        return hash(json.dumps(self._document, sort_keys=True))

    def __reduce__(self) -> Any:
        return load, (self.to_dict(),)

    def __repr__(self) -> str:
        text = self.text if self._raw else _outline(self._document)
        lines = f"<{type(self).__name__}>\n{text}".rstrip().splitlines()
        if len(lines) > LINES:
            lines = [*lines[: LINES - 1], f".. {len(lines) - LINES + 1} more lines"]
        return "\n".join(line if len(line) <= WIDTH else line[: WIDTH - 2] + ".." for line in lines)


def _outline(document: Mapping[str, Any]) -> str:
    def told(value: Any) -> str:
        if isinstance(value, list):
            return f"{len(value)} items"
        return "{..}" if isinstance(value, Mapping) else json.dumps(value)

    return "\n".join(f"{name}: {told(value)}" for name, value in document.items())


def _picture(answer: Answer) -> str | None:
    """Runs the command once more, to draw."""
    raw = answer._raw
    if raw is None or "plot" not in _call.definitions()[raw.line.command]["options"]:
        return None
    line = copy.copy(raw.line)
    name = _call.MEMORY + "plot.svg"
    line.options = [*raw.line.options, f"--plot={name}"]
    from ._config import config
    from ._errors import Error

    try:
        with config(warnings=False):
            again = _call.run(line, {"progress": False})
    except Error:
        return None
    content = again.found.get("files", {}).get(name)
    return content.decode() if content else None


CLASSES: dict[str, type[Answer]] = {}
_Known = TypeVar("_Known", bound=Answer)


def class_of(kind: str) -> type[Answer]:
    """The class of a kind of document: `bsf-predict` is `BsfPredict`."""
    if kind not in CLASSES:
        name = "".join(part.capitalize() for part in kind.split("-")) or "Answer"
        CLASSES[kind] = type(name, (Answer,), {"KIND": kind, "__module__": "runcast", "__doc__": f"The document `{kind}`."})
    return CLASSES[kind]


def register(found: type[_Known]) -> type[_Known]:
    """A class with more than fields."""
    CLASSES[found.KIND] = found
    return found


def answer_of(raw: _call.Raw) -> Answer:
    """The answer of a command."""
    from . import _kinds  # noqa: F401  # pyright: ignore[reportUnusedImport]  the classes register themselves

    document = raw.document
    return class_of(document.get("kind", raw.line.command.replace(" ", "-")))(document, raw)


def load(source: Any) -> Answer:
    """An answer from its document: a path, the text of a document, or a dict.

    Raises InputError where it is no document, or is of a newer version.

    >>> import runcast as rc
    >>> fit = rc.fit(rc.samples.runs(), metric="solve_s", model="amdahl")
    >>> rc.load(fit.to_dict()) == fit
    True
    """
    if isinstance(source, Answer):
        return source
    document = copy.deepcopy(dict(source)) if isinstance(source, Mapping) else _parsed(_text(source))
    kind, version = (document.get("kind"), document.get("version")) if isinstance(document, dict) else (None, None)
    if not isinstance(kind, str) or not isinstance(version, int) or isinstance(version, bool):
        message = "it is no document: kind or version is missing"
        raise input_error("not_a_document", message, allowed='{"kind": "..", "version": 1, ..}')
    from . import _kinds  # noqa: F401  # pyright: ignore[reportUnusedImport]  the classes register themselves

    found = class_of(kind)
    if version > found.VERSION:
        message = f"the document {kind} is of version {version}; this package knows version {found.VERSION}"
        raise input_error("newer_version", message, value=str(version), hint="pip install --upgrade runcast")
    return found(document)


def _text(source: Any) -> str:
    if isinstance(source, str) and source.lstrip()[:1] in ("{", "["):
        return _limited(source)
    if isinstance(source, (bytes, bytearray)):
        return _limited(bytes(source).decode("utf-8", "replace"))
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"load takes a path, a text or a dict, not a {type(source).__name__}")
    try:
        if os.path.getsize(source) > MOST_BYTES:
            raise input_error("too_large", "the document is too large", file=os.fspath(source), allowed="256 MiB")
        with open(source, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            message = f"cannot be read: {error.strerror or error}"
            raise input_error("cannot_read", message, file=os.fspath(source)) from None
        raise


def _limited(text: str) -> str:
    if len(text) > MOST_BYTES:
        raise input_error("too_large", "the document is too large", allowed="256 MiB")
    return text


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise input_error("too_deep", "the document is nested too deeply") from None
    except ValueError as error:
        raise input_error("not_json", f"the document is no JSON: {error}") from None


def escaped(text: Any) -> str:
    """Text within a page."""
    return html.escape(str(text))
