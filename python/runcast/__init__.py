"""Forecast how a parallel program will run on a machine you do not have.

>>> import runcast as rc
>>> fit = rc.fit(rc.samples.runs(), metric="solve_s", model="amdahl")
>>> fit[0].formula
'1.099*(0.02026 + 0.9797/p)'

Nothing is computed here that a command of the program `runcast` computes: each call is a command, and an answer holds its
document. Parts are imported when they are used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Where a name of the package is.
_HOMES = {
    "Answer": "_answers",
    "Error": "_errors",
    "Evaluate": "_fit",
    "Failed": "_errors",
    "Fit": "_fit",
    "ForecastWarning": "_errors",
    "Formula": "_formula",
    "InputError": "_errors",
    "InternalError": "_errors",
    "Interrupted": "_errors",
    "Model": "_fit",
    "Predict": "_fit",
    "Problem": "_errors",
    "Progress": "_call",
    "Range": "_records",
    "Record": "_records",
    "Role": "_table",
    "Table": "_table",
    "TimeLimit": "_errors",
    "call": "_commands",
    "compare": "_commands",
    "config": "_config",
    "evaluate": "_fit",
    "fit": "_fit",
    "load": "_answers",
    "plan": "_commands",
    "predict": "_fit",
    "quantity": "_formula",
    "read": "_table",
    "report": "_commands",
}
_PARTS = ("advise", "bsf", "bsp", "llac", "record", "samples", "sim", "sklearn", "wavefront")

__all__ = sorted([*_HOMES, *_PARTS])


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ._runcast import version

        return version()
    if name in _HOMES:
        found = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = found
        return found
    if name in _PARTS:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module runcast has no attribute {name}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
