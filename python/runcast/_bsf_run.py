"""The skeleton: runs an algorithm with callbacks in Python."""

from __future__ import annotations

import pickle
import statistics
import time
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

from . import _bsf_algorithm as parts
from ._bsf_costs import Costs
from ._errors import ForecastWarning, input_error

# Share of the time of Map from which on waiting for the interpreter is told.
MOST_WAITING = 0.2


class PhaseTimes(NamedTuple):
    """Times of an iteration in s; of Map and Reduce those of the slowest worker."""

    iteration: int
    send_s: float
    map_s: float
    fold_s: float
    receive_s: float
    compute_s: float


class Outcome:
    """What a run has come to.

    x : the result; iterations : how many
    stopped_by : "stop", "max_iterations", "time_limit" or "interrupted"
    times : a PhaseTimes for each iteration
    """

    def __init__(self, x: Any, stopped_by: str, times: Sequence[PhaseTimes], about: dict[str, Any]) -> None:
        self.x = x
        self.stopped_by = stopped_by
        self.times = tuple(times)
        self.iterations = about.pop("iterations")
        self._about = about

    @property
    def workers(self) -> int:
        """Number of workers."""
        found: int = self._about["workers"]
        return found

    @property
    def frame(self) -> Any:
        """The times as a frame, a row for each iteration."""
        from . import _frames

        columns = {name: [getattr(one, name) for one in self.times] for name in PhaseTimes._fields}
        return _frames.build(columns, about={"kind": "bsf-times", "version": 1})

    def costs(self) -> Costs:
        """Costs for `bsf.predict`: medians of the iterations, the first one left out where there are others.

        On one worker and on threads no message is sent, so that latency and transfer are those of handing over work here.
        """
        rows = self.times[1:] or self.times
        if not rows:
            raise input_error("no_rows", "no iteration was run", hint="costs need 1 iteration at least")

        def median(name: str) -> float:
            found: float = max(statistics.median(getattr(row, name) for row in rows), 0.0)
            return found

        workers, length = self._about["workers"], self._about["list_length"]
        fold = median("fold_s") / max(workers - 1, 1)
        # The model needs positive costs; a clock does not see less than a nanosecond.
        least = 1e-9
        times = {
            "list_length": length,
            "latency": max(min(median("send_s"), median("receive_s")) / workers, least),
            "send": max(median("send_s") / workers, least),
            "work": max(median("map_s") * workers, least),
            "fold": max(fold, least),
            "receive": max(median("receive_s") / workers, least),
            "compute": max(median("compute_s"), least),
        }
        return Costs.of_times({name: value if name == "list_length" else float(value) for name, value in times.items()})

    def __repr__(self) -> str:
        return f"<Outcome: {self.iterations} iterations on {self.workers} workers, ended by {self.stopped_by}>"


def run(
    algorithm: Any,
    x0: Any,
    *,
    backend: str = "serial",
    workers: int = 1,
    collective: str = "flat",
    comm: Any = None,
    reproducible: bool = False,
    max_iterations: int = 1_000_000,
    time_limit: Any = None,
    checkpoint: Any = None,
    checkpoint_every: Any = "30s",
    resume: Any = None,
) -> Outcome:
    """Runs an algorithm: until it stops, the workers map and fold their blocks, and the master computes what is next.

    algorithm : an object with `list_length`, `setup(elements) -> block`, `map(x, block) -> partial`,
        `compute(x, partial, iteration) -> x`, `stop(old, new, iteration) -> bool`, and, if `+` does not do,
        `reduce(left, right)`; `identity()` where a block may be empty
    x0 : the start
    backend : "serial", "threads" or "mpi" (mpi4py; rank 0 is the master, processes = workers + 1)
    max_iterations, time_limit : the run ends with what it has; time in s or as "10min"
    checkpoint, checkpoint_every, resume : a file into which x goes, how often, and one to go on from

    An exception of a callback ends the run, with a note that says where.

    >>> import numpy as np, runcast as rc
    >>> class Mean:
    ...     list_length = 4
    ...     def setup(self, elements): return np.array([1.0, 2.0, 3.0, 6.0])[elements.start:elements.stop]
    ...     def map(self, x, block): return block.sum()
    ...     def compute(self, x, total, iteration): return total / 4
    ...     def stop(self, old, new, iteration): return old == new
    >>> out = rc.bsf.run(Mean(), 0.0, backend="threads", workers=2)
    >>> float(out.x), out.iterations, out.stopped_by
    (3.0, 2, 'stop')
    """
    from ._formula import quantity

    if backend not in ("serial", "threads", "mpi"):
        raise input_error(
            "invalid_value", "no such backend", pointer="backend", value=str(backend), allowed="serial, threads, mpi"
        )
    if collective not in ("flat", "tree"):
        raise input_error("invalid_value", "no such word", pointer="collective", value=str(collective), allowed="flat, tree")
    limit = None if time_limit is None else quantity(str(time_limit), "s")
    saver = _Saver(checkpoint, quantity(str(checkpoint_every), "s"))
    start, x = (0, x0) if resume is None else _resumed(resume)
    if backend == "mpi":
        from ._bsf_mpi import Ranks

        team: Any = Ranks(algorithm, comm, reproducible)
    else:
        count = 1 if backend == "serial" and workers == 1 else workers
        parts.check(algorithm, count)
        team = _Here(algorithm, count) if backend == "serial" else _Threads(algorithm, count)
    with team:
        return _iterate(algorithm, team, x, start, max_iterations, limit, saver)


def _iterate(algorithm: Any, team: Any, x: Any, start: int, most: int, limit: float | None, saver: _Saver) -> Outcome:
    times: list[PhaseTimes] = []
    began, iteration, stopped_by = time.monotonic(), start, "max_iterations"
    try:
        while iteration < most:
            if limit is not None and team.is_over(time.monotonic() - began >= limit):
                stopped_by = "time_limit"
                break
            total, phase = team.partial(x, iteration)
            before = time.perf_counter()
            ends, new = team.decided(algorithm, x, total, iteration)
            iteration += 1
            send_s, map_s, fold_s, receive_s = phase
            times.append(PhaseTimes(iteration, send_s, map_s, fold_s, receive_s, time.perf_counter() - before))
            x = new
            if team.is_master:
                saver.may_save(iteration, x)
            if ends:
                stopped_by = "stop"
                break
    except KeyboardInterrupt:
        stopped_by = "interrupted"
    if stopped_by != "interrupted":
        x = team.last(x)
    team.told()
    about = {"iterations": iteration, "workers": team.workers, "list_length": algorithm.list_length}
    return Outcome(x, stopped_by, times, about)


class _Team:
    """Those who map."""

    workers = 1
    is_master = True

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def decided(self, algorithm: Any, x: Any, total: Any, iteration: int) -> tuple[bool, Any]:
        """The next x, and whether it is the last one."""
        try:
            new = algorithm.compute(x, total, iteration)
            parts.check_shape(x, new)
            return bool(algorithm.stop(x, new, iteration)), new
        except Exception as error:
            error.add_note(f"in the master, iteration {iteration}")
            raise

    def is_over(self, is_over: bool) -> bool:
        """Whether the time is over."""
        return is_over

    def last(self, x: Any) -> Any:
        """The result."""
        return x

    def told(self) -> None:
        """Says at the end what is to be said of the run."""


class _Here(_Team):
    """All blocks, one after another."""

    def __init__(self, algorithm: Any, workers: int) -> None:
        self.algorithm, self.workers = algorithm, workers
        self.blocks = [parts.block(workers, worker, algorithm.list_length) for worker in range(workers)]
        self.held = [algorithm.setup(elements) if len(elements) else None for elements in self.blocks]

    def partial(self, x: Any, iteration: int) -> tuple[Any, tuple[float, float, float, float]]:
        longest, results = 0.0, []
        for worker, (elements, held) in enumerate(zip(self.blocks, self.held, strict=True)):
            before = time.perf_counter()
            try:
                results.append(parts.mapped(self.algorithm, x, elements, held))
            except Exception as error:
                raise parts.failed_in(error, worker, iteration) from None
            longest = max(longest, time.perf_counter() - before)
        before = time.perf_counter()
        total = parts.folded(self.algorithm, results)
        return total, (0.0, longest, time.perf_counter() - before, 0.0)


class _Threads(_Here):
    """A thread for each block; numpy lets others run in its large operations."""

    def __init__(self, algorithm: Any, workers: int) -> None:
        from concurrent.futures import ThreadPoolExecutor

        super().__init__(algorithm, workers)
        self.pool = ThreadPoolExecutor(workers, thread_name_prefix="runcast-bsf")
        self.waited = self.mapped_s = 0.0

    def __exit__(self, *_: Any) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)

    def partial(self, x: Any, iteration: int) -> tuple[Any, tuple[float, float, float, float]]:
        sent = time.perf_counter()

        def work(worker: int) -> tuple[Any, float, float, float]:
            before, cpu = time.perf_counter(), time.thread_time()
            try:
                result = parts.mapped(self.algorithm, x, self.blocks[worker], self.held[worker])
            except Exception as error:
                raise parts.failed_in(error, worker, iteration) from None
            return result, before, time.perf_counter(), time.thread_time() - cpu

        futures = [self.pool.submit(work, worker) for worker in range(self.workers)]
        done = [_result(future) for future in futures]
        ended = time.perf_counter()
        spans = [after - before for _, before, after, _ in done]
        self.mapped_s += sum(spans)
        self.waited += sum(max(span - cpu, 0.0) for span, (_, _, _, cpu) in zip(spans, done, strict=True))
        before = time.perf_counter()
        total = parts.folded(self.algorithm, [result for result, *_ in done])
        fold = time.perf_counter() - before
        send = max(before for _, before, _, _ in done) - sent
        receive = max(ended - max(after for _, _, after, _ in done), 0.0)
        return total, (send, max(spans), fold, receive)

    def told(self) -> None:
        share = self.waited / self.mapped_s if self.mapped_s > 0 else 0.0
        if share > MOST_WAITING and self.workers > 1 and self.mapped_s > 0.1:
            message = f"the workers wait for the interpreter or a core {share:.0%} of the time that they map (gil)"
            warnings.warn(ForecastWarning(message, "gil"), stacklevel=4)


def _result(future: Any) -> Any:
    """Waits in slices, so that a signal is seen soon."""
    from concurrent.futures import TimeoutError as Late

    while True:
        try:
            return future.result(0.05)
        except Late:
            if future.done():
                return future.result()


class _Saver:
    """Saves x from time to time, so that a run that is cut off can go on."""

    def __init__(self, path: Any, every_s: float) -> None:
        self.path, self.every_s, self.last = path, every_s, time.monotonic()

    def may_save(self, iteration: int, x: Any) -> None:
        import os

        if self.path is None or time.monotonic() - self.last < self.every_s:
            return
        self.last = time.monotonic()
        with open(f"{self.path}.new", "wb") as file:
            pickle.dump({"format": "runcast-checkpoint/1", "iteration": iteration, "x": x}, file)
        os.replace(f"{self.path}.new", self.path)


def _resumed(path: Any) -> tuple[int, Any]:
    """The state in a checkpoint. It is of pickle: only files of one's own are to be resumed."""
    with open(path, "rb") as file:
        found = pickle.load(file)
    if not isinstance(found, dict) or found.get("format") != "runcast-checkpoint/1":
        raise input_error("not_a_checkpoint", "it is no checkpoint", file=str(path))
    return found["iteration"], found["x"]
