"""Iterations on shared machines: synchronous or asynchronous."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from . import _call, _frames
from ._answers import Answer, answer_of, register
from ._commands import command
from ._records import object_of

if TYPE_CHECKING:
    from ._options import WavefrontRunOptions, WavefrontSampleOptions, WavefrontSimulateOptions, WavefrontSolveOptions


@register
class WavefrontSolve(Answer):
    """Times of a phase and of a run, and which degree of asynchronism is best."""

    KIND = "wavefront-solve"

    @property
    def wavefronts(self) -> Any:
        """The wavefronts with their probabilities, the most probable first, as a frame: by how many ticks each process is behind
        or ahead of the first one."""
        names = self._document["model"]["process_names"]
        rows = self._document.get("wavefront") or []
        columns: dict[str, list[Any]] = {f"{name}_ticks": [row["x_ticks"][at] for row in rows] for at, name in enumerate(names)}
        columns["prob"] = [row["prob"] for row in rows]
        if any(row.get("mode") is not None for row in rows):
            columns["mode"] = [row["mode"] for row in rows]
        return _frames.build(columns, about={"kind": "wavefronts", "version": 1})

    @property
    def law(self) -> Any:
        """The law of the time of a run of so many `phases`: `mean_s`, `sd_s`, `quantiles`, `cdf`; None without `phases`."""
        return object_of(self._document.get("time"))


def _model(model: Any) -> Any:
    if isinstance(model, dict) and "kind" not in model:
        from .sim._toml import dumps

        return dumps(model).encode()
    return model.encode() if isinstance(model, str) and "\n" in model else model


def solve(model: Any, *, degrees: Any = None, phases: Any = None, quantiles: Any = None, **options: Unpack[WavefrontSolveOptions]) -> WavefrontSolve:
    """The exact law of a phase, or a Monte-Carlo estimate: `runcast wavefront solve`.

    model : path, text in TOML, or a dict with its keys
    A, B, omega, .. : as the command's options
    """
    found: WavefrontSolve = command("wavefront solve", _model(model), degrees=degrees, phases=phases, quantiles=quantiles, **options)
    return found


def simulate(model: Any, **options: Unpack[WavefrontSimulateOptions]) -> Answer:
    """Plays the model event by event: `runcast wavefront simulate`."""
    found: Answer = command("wavefront simulate", _model(model), **options)
    return found


def sample(*, output: str | os.PathLike[str] | None = None, **options: Unpack[WavefrontSampleOptions]) -> Answer:
    """Measures the times that the model needs, on this machine: `runcast wavefront sample`.

    output : a file for the table of samples; `write_model` needs it, since the model names it
    write_model : a file for the model, which `solve` takes
    """
    return _written("wavefront sample", [], output, options)


def run(model: Any, *, output: str | os.PathLike[str] | None = None, **options: Unpack[WavefrontRunOptions]) -> Answer:
    """Runs the iteration, and compares with the model: `runcast wavefront run`.

    output : a folder for the tables of phases, updates, messages and runs
    """
    return _written("wavefront run", [_model(model)], output, options)


def _written(name: str, inputs: list[Any], output: str | os.PathLike[str] | None, options: Mapping[str, Any]) -> Answer:
    """A command that may write what it measures."""
    line, (keywords, waiting) = _call.Line(name), _call.given(options)
    for one in inputs:
        line.input(one)
    line.set(keywords)
    if output is not None:
        line.options.append(f"--output={os.fspath(output)}")
    found: Answer = _call.run(line, waiting, answer_of)
    return found
