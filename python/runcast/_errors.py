"""Errors as exceptions: the text of the command, and the fields of its document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Problem:
    """What is wrong with an input, and what to do about it."""

    code: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    pointer: str | None = None
    value: str | None = None
    allowed: str | None = None
    hint: str | None = None

    @classmethod
    def of(cls, fields: dict[str, Any]) -> Problem:
        """The problem of a document; fields that are not known are left out."""
        return cls(**{name: value for name, value in fields.items() if name in cls.__dataclass_fields__})

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        text = (place and place + ": ") + (self.pointer and f"{self.pointer}: " or "") + self.message
        if self.allowed:
            text += f" (allowed: {self.allowed})"
        return text + (f"\nhint: {self.hint}" if self.hint else "")


class Error(Exception):
    """What keeps runcast from answering. `problems` says what; the text is that of the command."""

    def __init__(self, message: str, problems: tuple[Problem, ...] = (), partial: Any = None) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.partial = partial

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.problems, self.partial)


class InputError(Error, ValueError):
    """The input or the usage is wrong, where the command exits with 2."""


class Failed(Error, RuntimeError):
    """It could not be done, where the command exits with 1."""


class TimeLimit(Error, TimeoutError):
    """`timeout_s` is over, or `cancel` is set; `partial` is the answer of what was finished, or None."""


class InternalError(Error):
    """A bug of runcast. Please report it, with the input."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a call; `partial` is the answer of what was finished, or None."""

    def __init__(self, message: str = "interrupted", partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


class ForecastWarning(UserWarning):
    """A warning of an answer; `code` is its stable name."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


def input_error(code: str, message: str, **fields: Any) -> InputError:
    """An error found before a command is called, with the fields of a [`Problem`]."""
    problem = Problem(code, message, **fields)
    return InputError(str(problem), (problem,))


def nearest(word: str, known: Any) -> str | None:
    """The known name that was probably meant."""
    import difflib

    found = difflib.get_close_matches(word, list(known), 1, 0.6)
    return found[0] if found else None


def unknown(what: str, name: str, known: Any) -> InputError:
    """An unknown keyword or column, with the name that was probably meant."""
    near = nearest(name, known)
    hint = f"did you mean {near}?" if near else "known are " + ", ".join(sorted(known)[:12])
    return input_error("unknown_" + what, f"there is no {what} {name}", pointer=name, value=name, hint=hint)
