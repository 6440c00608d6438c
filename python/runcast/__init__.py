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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # For type checkers alone: at run time each is imported when it is used.
    from . import advise as advise
    from . import bsf as bsf
    from . import bsp as bsp
    from . import llac as llac
    from . import record as record
    from . import samples as samples
    from . import sim as sim
    from . import wavefront as wavefront
    from ._answers import Answer as Answer
    from ._answers import load as load
    from ._call import Progress as Progress
    from ._commands import call as call
    from ._commands import compare as compare
    from ._commands import plan as plan
    from ._commands import report as report
    from ._config import config as config
    from ._errors import Error as Error
    from ._errors import Failed as Failed
    from ._errors import ForecastWarning as ForecastWarning
    from ._errors import InputError as InputError
    from ._errors import InternalError as InternalError
    from ._errors import Interrupted as Interrupted
    from ._errors import Problem as Problem
    from ._errors import TimeLimit as TimeLimit
    from ._fit import Evaluate as Evaluate
    from ._fit import Fit as Fit
    from ._fit import Model as Model
    from ._fit import Predict as Predict
    from ._fit import evaluate as evaluate
    from ._fit import fit as fit
    from ._fit import predict as predict
    from ._formula import Formula as Formula
    from ._formula import quantity as quantity
    from ._records import Range as Range
    from ._records import Record as Record
    from ._table import Role as Role
    from ._table import Table as Table
    from ._table import read as read

    __version__: str

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

__all__ = sorted([*_HOMES, *_PARTS])  # pyright: ignore[reportUnsupportedDunderAll]


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
