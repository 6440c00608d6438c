"""Iterative algorithms as Map and Reduce over a list: how many workers help, and a skeleton that runs them.

>>> from runcast import bsf
>>> found = bsf.predict(algorithm="jacobi", size=1500, latency="15us", op_time="29ns", transfer_time="190ns",
...                     form="smooth", collective="flat")
>>> round(found.k_max, 4), found.best.best_workers
(14.2407, 14)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from . import _call
from ._answers import Answer, answer_of, register
from ._bsf_costs import Costs
from ._bsf_run import Outcome, PhaseTimes, run
from ._commands import command, several

if TYPE_CHECKING:
    from ._options import BsfCalibrateOptions, BsfPredictOptions, BsfValidateOptions

__all__ = ["BsfPredict", "Costs", "Outcome", "PhaseTimes", "calibrate", "predict", "run", "validate"]


@register
class BsfPredict(Answer):
    """Times and speedups by the number of workers; `k_max` is where speedup peaks."""

    KIND = "bsf-predict"

    @property
    def best(self) -> Any:
        """The curve with the shortest time."""
        return min(self.curves, key=lambda curve: curve.best_time_s)


def predict(
    *,
    costs: Any = None,
    algorithm: str | None = None,
    workers: Any = None,
    form: Any = None,
    collective: Any = None,
    level: float = 0.9,
    **options: Unpack[BsfPredictOptions],
) -> BsfPredict:
    """Time, speedup and scalability boundary: `runcast bsf predict`.

    costs : Costs, or the path of a file with costs; else
    algorithm, size, latency, op_time, transfer_time : counts of operations and the machine, in s or as "15us"
    workers : numbers of workers; form : "smooth", "exact", "granular"; collective : "flat", "tree"

    Source: the BSF cost model; K_max = sqrt((t_Map + l t_a) / (2 L + t_s + t_r + t_a)).
    """
    inputs = [] if costs is None else [costs]
    found: BsfPredict = command(
        "bsf predict", *inputs, algorithm=algorithm, workers=workers, form=form, collective=collective, level=level, **options
    )
    return found


def calibrate(program: str, **options: Unpack[BsfCalibrateOptions]) -> Costs:
    """The costs of a program of runcast on this machine, measured: `runcast bsf calibrate`.

    program : "jacobi", "cimmino", "gravity" or "stats"
    size, workers, repetitions, .. : as the command's options
    """
    line, (keywords, waiting) = _call.Line("bsf calibrate"), _call.given(options)
    line.set(keywords)
    line.inputs.append(program)
    found: Answer = _call.run(line, waiting, answer_of)
    content = found._raw.found["main"] if found._raw else b""
    return Costs(content.decode(), found)


def validate(runs: Any = None, *, costs: Any = None, fit: bool = False, run: str | None = None, **options: Unpack[BsfValidateOptions]) -> Answer:
    """Compares the cost model with measured times, or fits it to them: `runcast bsf validate`.

    runs : times over `workers`: a table, a frame or a path, or several in a list; none where a program is run
    costs : Costs, or the path of a file with costs, that predict them
    fit : fit the model to `runs`; train : formula over the rows that it sees, such as "workers <= 100"
    run : a program that is run with each number of `workers`
    """
    line, (keywords, waiting) = _call.Line("bsf validate"), _call.given(options)
    for one in [] if runs is None else several(runs):
        line.input(one)
    if costs is not None:
        line.options.append("--costs=" + line.file(costs, "costs"))
    line.set({"fit": fit, "run": run, **keywords})
    found: Answer = _call.run(line, waiting, answer_of)
    return found
