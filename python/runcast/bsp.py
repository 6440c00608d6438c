"""Programs of supersteps: BSP with barriers, and OBSP* without."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from ._answers import Answer
from ._commands import command

if TYPE_CHECKING:
    from ._options import BspPredictOptions


def predict(program: Any, *, set: Mapping[str, Any] | None = None, **options: Unpack[BspPredictOptions]) -> Answer:
    """When each processor finishes each superstep: `runcast bsp predict`.

    program : the path of a program, or its text in TOML
    set : values of its parameters
    """
    if isinstance(program, str) and "\n" in program:
        program = program.encode()
    found: Answer = command("bsp predict", program, set=set, **options)
    return found
