"""Makes the type stubs that follow from the program: `python stubs.py`; `--check` changes nothing and fails where one is old.

runcast/_options.pyi    the keywords of every call, from the options of the commands
runcast/documents.py   the fields of the documents, from the examples in docs/reference/documents.md

The package must be installed, or be importable.
"""

from __future__ import annotations

import difflib
import inspect
import json
import keyword
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DOCUMENTS = HERE.parent / "docs" / "reference" / "documents.md"

# Which function stands for which command, by module and name.
FUNCTIONS = {
    "fit": ("_fit", "fit"),
    "predict": ("_fit", "predict"),
    "evaluate": ("_fit", "evaluate"),
    "compare": ("_commands", "compare"),
    "plan": ("_commands", "plan"),
    "report": ("_commands", "report"),
    "advise processes": ("advise", "processes"),
    "advise next": ("advise", "next"),
    "advise regions": ("advise", "regions"),
    "bsf predict": ("bsf", "predict"),
    "bsf calibrate": ("bsf", "calibrate"),
    "bsf validate": ("bsf", "validate"),
    "bsp predict": ("bsp", "predict"),
    "wavefront solve": ("wavefront", "solve"),
    "wavefront simulate": ("wavefront", "simulate"),
    "wavefront sample": ("wavefront", "sample"),
    "wavefront run": ("wavefront", "run"),
    "sim run": ("sim", "Experiment.run"),
    "sim sweep": ("sim", "Experiment.sweep"),
    "sim optimize": ("sim", "Experiment.optimize"),
    "sim calibrate": ("sim", "Experiment.calibrate"),
    "sim replay": ("sim", "replay"),
    "sim learn": ("sim", "learn"),
}
# Keywords that are no keywords: what they name is the result.
OUTPUTS = ("output", "plot", "json", "threads")
# Options that a function has under another name.
RENAMED = {"advise processes": ("level",), "advise next": ("at", "budget")}
# Words that are not the only values.
OPEN = ("collectives", "selector")
# Columns of a line of the stubs.
WIDTH = 128


def options() -> Iterator[str]:
    """The lines of `_options.pyi`."""
    from runcast._call import definitions

    yield '"""Keywords of calls: the options of the commands. Made by python/stubs.py."""'
    yield ""
    yield "import os"
    yield "import threading"
    yield "from collections.abc import Callable, Iterable, Mapping"
    yield "from typing import Any, Literal, TypedDict"
    yield ""
    yield "from ._call import Progress"
    yield ""
    yield "# A value of an option, or several."
    yield "Scalar = str | int | float | os.PathLike[str]"
    yield "Value = Scalar | Iterable[Scalar] | Mapping[str, Any]"
    yield "# A path, or data that become a file: a frame, an answer, a dict of columns."
    yield "Data = Any"
    yield ""
    yield "class Waiting(TypedDict, total=False):"
    yield '    """Keywords of every call."""'
    yield ""
    yield "    threads: int | None"
    yield "    progress: bool | Callable[[Progress], object] | None"
    yield "    cancel: threading.Event | None"
    yield "    timeout_s: float | None"
    for command, (module, name) in FUNCTIONS.items():
        taken = {*inspect.signature(function_of(module, name)).parameters, *RENAMED.get(command, ())}
        # Targets may be a frame, and a parameter of the method is another in Python.
        made = definitions()[command]
        yield ""
        yield f"class {class_of(command)}(Waiting, total=False):"
        yield f'    """Options of `runcast {command}`: {made["about"][0].lower()}{made["about"][1:].rstrip(".")}."""'
        yield ""
        for option, what in made["options"].items():
            if option in taken or what["positional"] or option in OUTPUTS:
                continue
            spelled = option + "_" if keyword.iskeyword(option) else option
            # The help of the program is for the command line; its first line says what an option is for.
            about = what["help"].splitlines()[0] if what["help"] else ""
            line = f"    {spelled}: {type_of(option, what)}"
            yield f"    # {about}"[:WIDTH] if about else "    #"
            yield line


def function_of(module: str, name: str) -> Callable[..., Any]:
    """A function of the package."""
    found: Any = import_module(f"runcast.{module}")
    for part in name.split("."):
        found = getattr(found, part)
    function: Callable[..., Any] = found
    return function


def class_of(command: str) -> str:
    """The name of the keywords of a command: `FitOptions`."""
    return "".join(word.capitalize() for word in re.split("[ -]", command)) + "Options"


def type_of(name: str, option: dict[str, Any]) -> str:
    """The type of an option's value."""
    if not option["takes_value"]:
        return "bool"
    if option["choices"] and name not in OPEN:
        words = "Literal[" + ", ".join(json.dumps(word) for word in option["choices"]) + "]"
        return f"{words} | Iterable[{words}] | None" if option["repeats"] else f"{words} | None"
    if "FILE" in option["value"] or "CSV" in option["value"]:
        return "Data"
    return "Value | None"


def documents() -> Iterator[str]:
    """The lines of `documents.py`."""
    yield '"""Fields of the documents that `to_dict` gives, for type checkers: `document: FitDocument = fit.to_dict()`.'
    yield ""
    yield "Made by python/stubs.py of their examples in the documentation. More fields are allowed, and any but kind and version may be missing."
    yield '"""'
    yield ""
    yield "from typing import Any, Literal, Required, TypedDict"
    yield ""
    yield ""
    yield "class Warning_(TypedDict, total=False):"
    yield '    """A warning of an answer."""'
    yield ""
    yield "    code: str"
    yield "    message: str"
    yield "    file: str"
    yield "    line: int"
    kinds: dict[str, dict[str, Any]] = {}
    text = DOCUMENTS.read_text(encoding="utf-8")
    for block in re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        document = parsed(block)
        if isinstance(document, dict) and isinstance(document.get("kind"), str):
            kinds.setdefault(document["kind"], {}).update(document)
    for kind, document in kinds.items():
        name = "".join(part.capitalize() for part in kind.split("-"))
        yield ""
        yield ""
        yield from record(name + "Document", f"The document `{kind}`.", document)


def parsed(text: str) -> Any:
    """An example, in which `..` stands for more of the same; None where it is no whole document."""
    text = re.sub(r'("(?:[^"\\]|\\.)*")|(,?\s*\.\.)', lambda found: found[1] or "", text)
    text = re.sub(r'("(?:[^"\\]|\\.)*")|,(\s*[\]}])', lambda found: found[1] or found[2], text)
    try:
        return json.loads(text)
    except ValueError:
        return None


def record(name: str, about: str, fields: dict[str, Any]) -> Iterator[str]:
    """The class of an object, those of the objects in it first."""
    lines: list[str] = []
    inner: list[str] = []
    for field, value in fields.items():
        if name.endswith("Document") and field in FIXED:
            lines.append(f"    {field}: {FIXED[field].format(kind=value)}")
            continue
        made = field_type(name.removesuffix("Document") + "".join(part.capitalize() for part in field.split("_")), value, inner)
        lines.append(f"    {field}: {made}")
    yield from inner
    if not all(field.isidentifier() and not keyword.iskeyword(field) for field in fields):
        pairs = ", ".join(f"{json.dumps(line.strip().split(': ', 1)[0])}: {line.split(': ', 1)[1]}" for line in lines)
        yield f'{name} = TypedDict("{name}", {{{pairs}}}, total=False)'
        return
    yield f"class {name}(TypedDict, total=False):"
    yield f'    """{about}"""'
    yield ""
    yield from lines


# Fields that are in every document.
FIXED = {"kind": 'Required[Literal["{kind}"]]', "version": "Required[int]", "warnings": "list[Warning_]"}
# Objects whose keys are the user's names.
NAMED = ("at", "group", "coefficients", "range", "metrics", "params", "options", "exact", "target", "members", "parameters")


def field_type(name: str, value: Any, inner: list[str]) -> str:
    """The type of a field; classes that it needs are added."""
    if value is None:
        return "Any"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "str | None"
    if isinstance(value, (int, float)):
        # What is undefined is null.
        return "int | float | None"
    if isinstance(value, list):
        items = [one for one in value if one is not None]
        if not items:
            return "list[Any]"
        if all(isinstance(one, dict) for one in items):
            merged = {key: field for one in reversed(items) for key, field in one.items()}
            return f"list[{field_type(name, merged, inner).removesuffix(' | None')}]"
        kinds = {field_type(name, one, inner) for one in items}
        return f"list[{kinds.pop().removesuffix(' | None')}]" if len(kinds) == 1 else "list[Any]"
    last = re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower().rsplit("_", 1)[-1]
    if not value or last in NAMED:
        return "dict[str, Any]"
    inner.extend(record(name, f"A part: {', '.join(list(value)[:4])}.", value))
    inner.extend(["", ""])
    return f"{name} | None"


def main(words: list[str]) -> int:
    """Writes the stubs, or compares them."""
    if words not in ([], ["--check"]):
        print("usage: python stubs.py [--check]", file=sys.stderr)
        return 2
    old = 0
    for name, lines in (("_options.pyi", options()), ("documents.py", documents())):
        path = HERE / "runcast" / name
        made = "\n".join(lines) + "\n"
        known = path.read_text(encoding="utf-8") if path.exists() else ""
        if made == known:
            continue
        if words:
            sys.stderr.writelines(list(difflib.unified_diff(known.splitlines(True), made.splitlines(True), name, "now"))[:40])
            print(f"runcast/{name} is old; make it again: python python/stubs.py", file=sys.stderr)
            old = 1
        else:
            path.write_text(made, encoding="utf-8")
            print(f"wrote {path}")
    return old


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
