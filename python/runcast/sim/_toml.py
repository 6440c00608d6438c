"""TOML from values of Python."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any


def dumps(value: Mapping[str, Any]) -> str:
    """A document; tables of tables become sections."""
    lines: list[str] = []
    _section(value, (), lines)
    return "\n".join(lines).lstrip("\n") + "\n"


def _section(value: Mapping[str, Any], path: tuple[str, ...], lines: list[str]) -> None:
    tables = {}
    for name, one in value.items():
        if isinstance(one, Mapping) or (
            isinstance(one, (list, tuple)) and one and all(isinstance(item, Mapping) for item in one)
        ):
            tables[name] = one
        elif one is not None:
            lines.append(f"{_key(name)} = {inline(one)}")
    for name, one in tables.items():
        inner = (*path, name)
        header = ".".join(map(_key, inner))
        if isinstance(one, Mapping):
            lines.append(f"\n[{header}]")
            _section(one, inner, lines)
        else:
            for item in one:
                lines.append(f"\n[[{header}]]")
                _section(item, inner, lines)


def _key(name: Any) -> str:
    text = str(name)
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else json.dumps(text)


def inline(value: Any) -> str:
    """A value on one line."""
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item() if getattr(value, "ndim", 0) == 0 else value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {inline(one)}" for name, one in value.items()) + " }"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(inline(item) for item in value) + "]"
    raise TypeError(f"a {type(value).__name__} has no form in TOML")
