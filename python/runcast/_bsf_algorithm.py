"""What the skeleton needs of an algorithm: blocks, partial results and how they are folded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._errors import Failed, input_error


def block(workers: int, worker: int, length: int) -> range:
    """The elements of a worker: [floor(n k/K), floor(n (k+1)/K))."""
    return range(length * worker // workers, length * (worker + 1) // workers)


def check(algorithm: Any, workers: int) -> None:
    """Looks whether the algorithm has all that is needed."""
    for name in ("list_length", "setup", "map", "compute", "stop"):
        if not hasattr(algorithm, name):
            raise input_error("missing_method", f"the algorithm has no {name}", pointer=name)
    if not isinstance(algorithm.list_length, int) or algorithm.list_length < 1:
        raise input_error(
            "invalid_value", "list_length is a whole number from 1 on", pointer="list_length", value=str(algorithm.list_length)
        )
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
        raise input_error("invalid_value", "workers is a whole number from 1 on", pointer="workers", value=str(workers))
    if workers > algorithm.list_length and not hasattr(algorithm, "identity"):
        message = f"{workers} workers share {algorithm.list_length} elements: some have none"
        raise input_error("missing_method", message, pointer="identity", hint="give the algorithm identity()")


def mapped(algorithm: Any, x: Any, elements: range, held: Any) -> Any:
    """The partial result of a block."""
    return algorithm.map(x, held) if len(elements) else algorithm.identity()


def folded(algorithm: Any, parts: Sequence[Any]) -> Any:
    """The sum of the partial results, folded from the right in the order of the blocks."""
    reduce = getattr(algorithm, "reduce", None)
    total = parts[-1]
    for part in reversed(parts[:-1]):
        total = reduce(part, total) if reduce else added(part, total)
    return total


def added(left: Any, right: Any) -> Any:
    """`left + right`, elementwise in tuples, in place of the right one where that is an array of its own."""
    if isinstance(left, tuple):
        if not isinstance(right, tuple) or len(left) != len(right):
            raise Failed("the partial results of two workers have different shapes (shape)")
        return tuple(added(a, b) for a, b in zip(left, right, strict=True))
    if getattr(left, "shape", ()) != getattr(right, "shape", ()):
        raise Failed(f"the partial results have the shapes {left.shape} and {right.shape} (shape)")
    return left + right


def failed_in(error: BaseException, worker: int, iteration: int) -> BaseException:
    """Says in which worker and iteration a callback failed."""
    error.add_note(f"in worker {worker}, iteration {iteration}")
    return error


def check_shape(old: Any, new: Any) -> None:
    """Looks whether x keeps its shape."""
    before, after = (getattr(one, "shape", ()) for one in (old, new))
    if before != after:
        raise Failed(f"compute changes the shape of x from {before} to {after} (shape)")


def form_of(x: Any) -> Any:
    """Shape and type of an array; None for what is none."""
    import numpy as np

    return (x.shape, x.dtype.str) if isinstance(x, np.ndarray) and not x.dtype.hasobject else None
