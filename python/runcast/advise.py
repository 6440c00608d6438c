"""Advice: how many processes to ask for, what to run next, which regions will dominate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from ._answers import Answer, register
from ._commands import command, several
from ._errors import Failed, Problem

if TYPE_CHECKING:
    from ._options import AdviseNextOptions, AdviseProcessesOptions, AdviseRegionsOptions


@register
class AdviseProcesses(Answer):
    """Choices of processes; `recommended` is one of them."""

    KIND = "advise-processes"


@register
class AdviseNext(Answer):
    """Runs that would make the forecast better."""

    KIND = "advise-next"


@register
class AdviseRegions(Answer):
    """Regions by their share at the target."""

    KIND = "advise-regions"


def processes(
    source: Any,
    *,
    max_p: float | None = None,
    deadline: Any = None,
    efficiency: float | None = None,
    objective: str = "time",
    probability: float = 0.9,
    **options: Unpack[AdviseProcessesOptions],
) -> AdviseProcesses:
    """How many processes to ask for: `runcast advise processes`.

    source : runs, a Fit or a Model
    max_p : the most processes
    deadline : time that must not be exceeded, in s or as "10min"
    efficiency : the least efficiency, 0 to 1
    objective : "time", "core-hours", "energy" or "cost:EXPR", where neither deadline nor efficiency is given
    probability : of the ranges

    Raises Failed where no number of processes qualifies.

    >>> import runcast as rc
    >>> fit = rc.fit(rc.samples.runs(), metric="solve_s", model="amdahl")
    >>> rc.advise.processes(fit, max_p=128, efficiency=0.5).recommended.p
    32
    """
    if efficiency is not None:
        objective = f"efficiency:{efficiency!r}"
    if deadline is not None:
        objective = f"deadline:{deadline}" + ("" if isinstance(deadline, str) else "s")
    found = command("advise processes", *several(source), max_p=max_p, objective=objective, level=probability, **options)
    if found.recommended is None:
        message = "no number of processes qualifies"
        raise Failed(message, (Problem("none_qualifies", message),), found)
    made: AdviseProcesses = found
    return made


def next(data: Any, *, target: Any, budget_core_hours: float | None = None, **options: Unpack[AdviseNextOptions]) -> AdviseNext:
    """What to run next: `runcast advise next`.

    data : runs or models; target : {parameter: value}; budget_core_hours : what may be spent
    """
    found: AdviseNext = command("advise next", *several(data), at=target, budget=budget_core_hours, **options)
    return found


def regions(data: Any, *, at: Any, **options: Unpack[AdviseRegionsOptions]) -> AdviseRegions:
    """Which regions will dominate at a target: `runcast advise regions`."""
    found: AdviseRegions = command("advise regions", *several(data), at=at, **options)
    return found
