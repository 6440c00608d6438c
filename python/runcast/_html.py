"""Answers in a notebook: no script, no request."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ._answers import escaped

ROWS = 10
MOST_SVG = 40_000
# Light and dark: of the browser, of JupyterLab, of VS Code.
_STYLE = (
    "<style>.runcast{font:14px/1.4 system-ui,sans-serif;max-width:60em}.runcast table{border-collapse:collapse}"
    ".runcast td,.runcast th{padding:2px 10px 2px 0;text-align:left;border-bottom:1px solid #8884}"
    ".runcast .w{border-left:3px solid #b60;padding-left:8px}.runcast svg{max-width:100%;height:auto;background:#fff}"
    "[data-jp-theme-light=false] .runcast,[data-vscode-theme-kind=vscode-dark] .runcast{color:#eee}</style>"
)


def _number(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = str(value)
    return escaped(text if len(text) <= 60 else text[:58] + "..")


def table(columns: Mapping[str, Sequence[Any]], rows: int = ROWS) -> str:
    """The first rows, and how many more there are."""
    shown = {name: values for name, values in columns.items() if not any(isinstance(one, (list, dict)) for one in values)}
    names = list(shown)[:12]
    count = len(next(iter(columns.values()), ()))
    head = "".join(f"<th>{escaped(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{_number(shown[name][row])}</td>" for name in names) + "</tr>" for row in range(min(count, rows))
    )
    more = f"<p>{count - rows} more rows</p>" if count > rows else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _warnings(found: Sequence[Any]) -> str:
    texts = {f"{escaped(one.message)} ({escaped(one.code)})" for one in found}
    return "".join(f'<p class="w">{text}</p>' for text in sorted(texts)[:5])


def _svg(text: str | None) -> str:
    if not text or len(text) > MOST_SVG:
        return ""
    # Without the head of a file, and nothing that could act.
    return re.sub(r"<script.*?</script>", "", re.sub(r"^<\?xml.*?\?>\s*|<!DOCTYPE.*?>\s*", "", text), flags=re.DOTALL)


def page(answer: Any) -> str:
    """An answer: its sentence, its picture, its first rows, its warnings."""
    document = answer._document
    sentence = document.get("sentence") or document.get("kind", "")
    columns, _ = answer._columns()
    parts = [f"<p>{escaped(sentence)}</p>", _svg(answer.svg()), table(columns), _warnings(answer.warnings)]
    return f'{_STYLE}<div class="runcast">{"".join(parts)}</div>'


def table_page(found: Any) -> str:
    """A table of runs: how it was read, and its first rows."""
    return f'{_STYLE}<div class="runcast"><p>{len(found)} runs; {escaped(found.read_as)}</p>{table(found._columns)}</div>'


def model_page(model: Any) -> str:
    """A model: its formula and its picture."""
    from ._plot import model_svg

    fields = model._fields
    text = f"{fields['metric']} = <code>{escaped(model.formula)}</code> ({escaped(fields['model'])})"
    return f'{_STYLE}<div class="runcast"><p>{text}</p>{_svg(model_svg(model))}</div>'
