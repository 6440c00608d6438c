"""Simulation of an application model on a system model.

>>> from runcast import sim
>>> experiment = sim.Experiment(system=sim.System.template("galera"), app=sim.Application.template("msort"))
>>> experiment.with_("app.params", {"p": 64}).run().time_s > 0
True
"""

from __future__ import annotations

import os
from typing import Any

from .._answers import Answer
from .._commands import command, several
from ._answers import SimRun, Sweep
from ._models import Application, Experiment, System

__all__ = ["Application", "Experiment", "SimRun", "Sweep", "System", "calibrate", "catalogue", "learn", "replay"]


def replay(goal: Any, **options: Any) -> Answer:
    """Replays a GOAL schedule or a time-independent trace: `runcast sim replay`."""
    return command("sim replay", goal, **options)


def learn(recording: str | os.PathLike[str], **options: Any) -> Answer:
    """Makes an application of recordings: `runcast sim learn`."""
    return command("sim learn", *several(recording), **options)


def calibrate(experiment: Experiment, runs: Any, **options: Any) -> Answer:
    """Coefficients from runs: `runcast sim calibrate`."""
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
