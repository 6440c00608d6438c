"""Ranks of MPI as workers, by mpi4py. Rank 0 is the master."""

from __future__ import annotations

import time
from typing import Any

from . import _bsf_algorithm as parts
from ._errors import Failed, input_error


class Ranks:
    """All ranks of a communicator. Each rank runs the same loop; what differs is what it does in an iteration.

    x is sent by `bcast` of pickles at first, then as a buffer while its shape and type stay.
    """

    def __init__(self, algorithm: Any, comm: Any, reproducible: bool) -> None:
        try:
            from mpi4py import MPI
        except ImportError:
            raise ImportError("mpi4py is not installed: pip install runcast[mpi]") from None
        self.mpi, self.comm, self.algorithm = MPI, comm or MPI.COMM_WORLD, algorithm
        self.rank, size = self.comm.Get_rank(), self.comm.Get_size()
        if size < 2:
            raise input_error(
                "invalid_value", "1 process is too few: a master and 1 worker at least", hint="mpiexec -n 2 python .."
            )
        self.workers, self.is_master = size - 1, self.rank == 0
        parts.check(algorithm, self.workers)
        self.in_order = reproducible or hasattr(algorithm, "reduce")
        # The form of the last x, and whether the next one has the same, as the master says.
        self.form: Any = None
        self.is_plain = False
        self.received: Any = None
        self.elements = parts.block(self.workers, self.rank - 1, algorithm.list_length) if self.rank else range(0)
        self.held = algorithm.setup(self.elements) if len(self.elements) else None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: Any, _: Any) -> None:
        pass

    def told(self) -> None:
        """Nothing is left to say."""

    def _shared(self, x: Any) -> Any:
        """x of the master, at all ranks."""
        import numpy as np

        if self.is_plain:
            # Workers receive into an array of their own, never into one of the caller's.
            buffer = np.ascontiguousarray(x) if self.rank == 0 else self.received
            self.comm.Bcast(buffer, root=0)
            return buffer
        x = self.comm.bcast(x if self.rank == 0 else None, root=0)
        self.form = parts.form_of(x)
        self.received = np.ascontiguousarray(x) if self.rank and self.form else None
        return x

    def partial(self, x: Any, iteration: int) -> tuple[Any, tuple[float, float, float, float]]:
        """The total of all partial results, at the master."""
        before = time.perf_counter()
        x = self._shared(x)
        send = time.perf_counter() - before
        before, result, error = time.perf_counter(), None, None
        if self.rank:
            try:
                result = parts.mapped(self.algorithm, x, self.elements, self.held)
            except Exception as wrong:
                error = wrong
        span = time.perf_counter() - before
        told = self.comm.allgather((span, None if error is None else f"{type(error).__name__}: {error}"))
        self._same_end(told, error, iteration)
        before = time.perf_counter()
        total, fold = self._gathered(result)
        receive = max(time.perf_counter() - before - fold, 0.0)
        return total, (send, max(one for one, _ in told), fold, receive)

    def _gathered(self, result: Any) -> tuple[Any, float]:
        import numpy as np

        plain = isinstance(result, np.ndarray) and not result.dtype.hasobject and not self.in_order
        forms = self.comm.allgather((result.shape, result.dtype.str) if plain else None)[1:]
        if self.in_order or None in forms or len(set(forms)) > 1:
            results = self.comm.gather(result, root=0)
            before = time.perf_counter()
            total = parts.folded(self.algorithm, results[1:]) if results else None
            return total, time.perf_counter() - before
        shape, kind = forms[0]
        total = np.zeros(shape, np.dtype(kind))
        mine = total.copy() if self.rank == 0 else np.ascontiguousarray(result)
        self.comm.Reduce(mine, total, op=self.mpi.SUM, root=0)
        return total, 0.0

    def decided(self, algorithm: Any, x: Any, total: Any, iteration: int) -> tuple[bool, Any]:
        """The master computes; all ranks hear whether it ends."""
        ends, new, error = False, x, None
        if self.rank == 0:
            try:
                new = algorithm.compute(x, total, iteration)
                # The other ranks expect a message of the old shape.
                parts.check_shape(x, new)
                ends = bool(algorithm.stop(x, new, iteration))
            except Exception as wrong:
                error = wrong
        is_plain = self.form is not None and parts.form_of(new) == self.form
        message = None if error is None else f"{type(error).__name__}: {error}"
        ends, self.is_plain, message = self.comm.bcast((ends, is_plain, message), root=0)
        self._same_end([(None, message)], error, iteration)
        return ends, new

    def is_over(self, is_over: bool) -> bool:
        """The clock of the master counts for all."""
        found: bool = self.comm.bcast(is_over, root=0)
        return found

    def last(self, x: Any) -> Any:
        """The result of the master, at all ranks."""
        return self.comm.bcast(x if self.rank == 0 else None, root=0)

    def _same_end(self, told: list[tuple[Any, str | None]], own: BaseException | None, iteration: int) -> None:
        """An exception of one rank ends all of them."""
        if own is not None:
            raise parts.failed_in(own, self.rank - 1, iteration)
        for rank, (_, message) in enumerate(told):
            if message is not None:
                raise Failed(f"rank {rank} failed in iteration {iteration}: {message}")
