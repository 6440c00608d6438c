"""Samples to try things on."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .sim import Experiment


def path(name: str) -> str:
    """Where a file of the samples is: "runs.csv"; of "jacobi/" runs.csv, costs.toml, wave.toml and block.0.csv to block.2.csv."""
    return str(files("runcast").joinpath("data", name))


def runs() -> Any:
    """25 runs of a program of a master and its workers on 1 to 16 processes, as a table.

    >>> import runcast as rc
    >>> rc.samples.runs().parameters
    ('p', 'N')
    """
    from ._table import read

    return read(path("runs.csv"))


def jacobi() -> Any:
    """Iterations of Jacobi's method for 600 unknowns on 1 to 4 workers, as a table. Beside it are measured costs of the
    algorithm, laws of its iterations on a shared machine, and traces of its annotated source: see `path`.

    >>> import runcast as rc
    >>> rc.samples.jacobi().parameters
    ('workers',)
    """
    from ._table import read

    return read(path("jacobi/runs.csv"))


def heat() -> Experiment:
    """Heat in a square of 1,000 x 1,000 cells, ten steps on 8 processes of a cluster, as an experiment.

    >>> import runcast as rc
    >>> rc.samples.heat().run().time_s > 0
    True
    """
    from . import sim

    app = {"name": "heat", "file": sim.Application.template("heat")}
    system = sim.System.template("galera")
    return sim.Experiment(system=system, app=app, params={"p": 8, "iters": 10, "n": 1000})
