"""Simulation of an application model on a system model.

>>> from runcast import sim
>>> experiment = sim.Experiment(system=sim.System.template("galera"), app=sim.Application.template("msort"))
>>> experiment.with_("app.params", {"p": 64}).run().time_s > 0
True
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Unpack

from .. import _call
from .._answers import Answer, answer_of
from .._commands import command, several
from ..record import Recording
from ._answers import SimRun, Sweep
from ._models import Application, Experiment, System

if TYPE_CHECKING:
    from .._options import SimCalibrateOptions, SimLearnOptions, SimReplayOptions

__all__ = ["Application", "Experiment", "SimRun", "Sweep", "System", "calibrate", "catalogue", "learn", "replay"]


def replay(goal: Any, **options: Unpack[SimReplayOptions]) -> Answer:
    """Replays a GOAL schedule, a time-independent trace or a recording: `runcast sim replay`.

    goal : the path of a file or recording, or the text of a schedule
    loggops, system, fidelity, .. : as the command's options; `system` may be a System

    >>> from runcast import sim
    >>> sim.replay("num_ranks 2\\nrank 0 {\\n s: send 1024b to 1\\n}\\nrank 1 {\\n r: recv 1024b from 0\\n}\\n").processes
    2
    """
    found: Answer = command("sim replay", goal.encode() if isinstance(goal, str) and "\n" in goal else goal, **options)
    return found


def learn(recording: Any, *, output: str | os.PathLike[str], **options: Unpack[SimLearnOptions]) -> Answer:
    """Makes an application of recordings of two or more sizes: `runcast sim learn`.

    recording : folders of recordings, or what `record.read` gave
    output : the folder for the model, an experiment as any other: `sim.Experiment(output + "/experiment.toml")`
    at, system, .. : as the command's options
    """
    paths = [one.path if isinstance(one, Recording) else one for one in several(recording)]
    line, (keywords, waiting) = _call.Line("sim learn"), _call.given(options)
    for path in paths:
        line.input(path)
    if keywords.get("at") is not None:
        from .._fit import set_targets

        set_targets(line, keywords.pop("at"))
    line.set(keywords)
    line.options.append(f"--output={os.fspath(output)}")
    found: Answer = _call.run(line, waiting, answer_of)
    return found


def calibrate(experiment: Experiment, runs: Any, **options: Unpack[SimCalibrateOptions]) -> Answer:
    """Coefficients from runs: `runcast sim calibrate`.

    free : what to find, such as "c.sort=1ns..10ns,c.merge"; fixed : what keeps a value; train : the rows to calibrate on
    """
    return experiment.calibrate(runs, **options)


def catalogue() -> Any:
    """The hardware of the catalogue as a frame: a row for each attribute, with its source and quality."""
    from .. import _frames
    from .._tabulate import flat

    found = command("sim hardware list")
    rows = [
        {"id": entry["id"], "name": entry["name"], "kind": entry["kind"], **attribute}
        for entry in found.to_dict()["entries"]
        for attribute in entry["attributes"]
    ]
    columns, _ = flat(rows)
    return _frames.build(columns, about={"kind": "catalogue", "version": 1}, labels=["id", "kind"])
