"""Recordings of MPI programs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from . import _frames
from ._answers import Answer
from ._commands import command
from ._errors import input_error

# What a field is that a call does not have.
_NONE = -(2**63)


class Recording:
    """A recording: what limits a program, and its calls.

    ranks : how many there are
    factors : the factors of its efficiency
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = os.fspath(folder)
        self.shown: Answer = command("record show", self.path)

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return int(self.shown.recordings[0].p)

    @property
    def factors(self) -> Any:
        """The factors of the efficiency; each is at most 1."""
        return self.shown.recordings[0].factors

    @property
    def structure(self) -> Answer:
        """The calls as loops: `runcast record dump`."""
        found: Answer = command("record dump", self.path)
        return found

    def events(self, chunk: int = 65536, *, rank: int | None = None) -> Events:
        """The calls one by one, rank by rank in the order in which each made them.

        chunk : calls that are unfolded at a time; the memory that this takes does not grow with the recording
        rank : only those of this rank

        Columns: `rank thread call site comm`, the fields of the call `peer peer2 size tag root count` (undefined where it has
        none; `peer` is -1 for MPI_PROC_NULL, `size` in bytes), and `block_s`, `call_s`: the means over all executions of this
        call on its rank of the processor time before it, and of its own time.
        """
        if chunk < 1:
            raise input_error("invalid_value", "chunk is at least 1", pointer="chunk", value=str(chunk))
        return Events(self.path, int(chunk), rank)

    def __repr__(self) -> str:
        return repr(self.shown)

    def _repr_html_(self) -> str:
        return self.shown._repr_html_()


class Events:
    """The calls of a recording: an iterator over dicts of arrays, a stream of Arrow, or a frame of all of them."""

    def __init__(self, path: str, chunk: int, rank: int | None) -> None:
        self._given = (path, chunk, rank)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        import numpy as np

        for names, columns in self._batches():
            found: dict[str, Any] = {}
            for name, values in columns.items():
                if name in names:
                    found[name] = np.array(names[name], dtype=object)[values]
                elif values.dtype.kind == "i" and (values == _NONE).any():
                    found[name] = np.where(values == _NONE, np.nan, values)
                else:
                    found[name] = values
            yield found

    def _batches(self) -> Iterator[tuple[dict[str, list[str]], dict[str, Any]]]:
        """Texts of the coded columns, and columns as arrays."""
        import numpy as np

        from . import _runcast

        path, chunk, rank = self._given
        try:
            batches = _runcast.events(path, chunk, rank)
        except ValueError as error:
            raise input_error("recording", str(error), file=path) from None
        for batch in batches:
            names = {"call": batch.pop("calls"), "site": batch.pop("sites")}
            kinds = {name: np.float64 if name.endswith("_s") else np.int64 for name in batch}
            yield names, {name: np.frombuffer(content, kinds[name]) for name, content in batch.items()}

    def reader(self) -> Any:
        """The calls as a RecordBatchReader of pyarrow, which unfolds them as they are read."""
        import pyarrow as pa

        coded = pa.dictionary(pa.int32(), pa.string())
        whole = ("rank", "thread", "comm", "peer", "peer2", "size", "tag", "root", "count")
        order = ("rank", "thread", "call", "site", *whole[2:], "block_s", "call_s")
        kinds = {"call": coded, "site": coded, "block_s": pa.float64(), "call_s": pa.float64()}
        schema = pa.schema([(name, kinds.get(name, pa.int64())) for name in order])

        def batches() -> Iterator[Any]:
            for names, columns in self._batches():
                made = []
                for name in order:
                    values = columns[name]
                    if name in names:
                        made.append(pa.DictionaryArray.from_arrays(values.astype("int32"), pa.array(names[name], pa.string())))
                    else:
                        made.append(pa.array(values, mask=values == _NONE if values.dtype.kind == "i" else None))
                yield pa.RecordBatch.from_arrays(made, schema=schema)

        return pa.RecordBatchReader.from_batches(schema, batches())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        try:
            return self.reader().__arrow_c_stream__(requested_schema)
        except ImportError:
            return self.to_polars().__arrow_c_stream__(requested_schema)

    @property
    def frame(self) -> Any:
        """All calls as a frame."""
        return self._built(None)

    def to_pandas(self) -> Any:
        """All calls as a frame of pandas."""
        return self._built("pandas")

    def to_polars(self) -> Any:
        """All calls as a frame of polars."""
        return self._built("polars")

    def to_arrow(self) -> Any:
        """All calls as a table of pyarrow."""
        return self.reader().read_all()

    def _built(self, family: str | None) -> Any:
        import numpy as np

        parts = list(self)
        names = list(parts[0]) if parts else []
        columns = {name: np.concatenate([part[name] for part in parts]).tolist() for name in names}
        about = {"kind": "record-events", "version": 1}
        return _frames.build(columns, about=about, labels=["call", "site"], wanted=family)


def read(folder: str | os.PathLike[str]) -> Recording:
    """A recording that `runcast record` has made."""
    return Recording(folder)
