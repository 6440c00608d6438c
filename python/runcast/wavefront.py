"""Iterations on shared machines: synchronous or asynchronous."""

from __future__ import annotations

from typing import Any

from ._answers import Answer, register
from ._commands import command


@register
class WavefrontSolve(Answer):
    """Times of a phase and of a run, and which degree of asynchronism is best."""

    KIND = "wavefront-solve"


def _model(model: Any) -> Any:
    if isinstance(model, dict) and "kind" not in model:
        from .sim._toml import dumps

        return dumps(model).encode()
    return model.encode() if isinstance(model, str) and "\n" in model else model


def solve(model: Any, *, degrees: Any = None, phases: Any = None, quantiles: Any = None, **options: Any) -> WavefrontSolve:
    """The exact law of a phase, or a Monte-Carlo estimate: `runcast wavefront solve`.

    model : path, text in TOML, or a dict with its keys
    A, B, omega, .. : as the command's options
    """
    return command("wavefront solve", _model(model), degrees=degrees, phases=phases, quantiles=quantiles, **options)


def simulate(model: Any, **options: Any) -> Answer:
    """Plays the model event by event: `runcast wavefront simulate`."""
    return command("wavefront simulate", _model(model), **options)


def sample(**options: Any) -> Answer:
    """Measures the times that the model needs, on this machine: `runcast wavefront sample`."""
    return command("wavefront sample", **options)


def run(model: Any, **options: Any) -> Answer:
    """Runs the iteration, and compares with the model: `runcast wavefront run`."""
    return command("wavefront run", _model(model), **options)
