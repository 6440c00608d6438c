"""Makes the fixtures of Parquet in testdata/parquet: python3 make.py, with pyarrow 26.0.1 and pandas 3.1.1."""
import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

rng = np.random.default_rng(1)
rows = []
begun = dt.datetime(2026, 5, 1, 8, 0)
for size in (1000, 4000):
    for p in (1, 2, 4, 8, 16, 32):
        for rep in range(3):
            time = size**2 / 1e6 * (0.05 + 0.95 / p) * (1 + 0.01 * rng.standard_normal())
            missing = p == 16 and rep == 2
            host = "node07" if p > 8 else "node01"
            rows.append((p, size, rep, host, begun, None if missing else round(time, 6)))
            begun += dt.timedelta(minutes=7, seconds=13)
runs = pd.DataFrame(rows, columns=["p", "N", "rep", "host", "start", "time_s"])
runs["host"] = runs["host"].astype("object")
runs.to_csv("runs.csv", index=False, date_format="%Y-%m-%dT%H:%M:%S")

runs.to_parquet("pandas_snappy.parquet", compression="snappy")
runs.sort_values("p", kind="stable").to_parquet("pandas_index.parquet", compression="snappy")
plain = pa.Table.from_pandas(runs, preserve_index=False).replace_schema_metadata()
plain_options = dict(store_schema=False)
pq.write_table(plain, "plain_none.parquet", compression="none", use_dictionary=False, **plain_options)
pq.write_table(plain, "groups_zstd.parquet", compression="zstd", row_group_size=10, **plain_options)
pq.write_table(plain, "v2_gzip.parquet", compression="gzip", data_page_version="2.0", data_page_size=64, **plain_options)
pq.write_table(plain, "brotli.parquet", compression="brotli", **plain_options)
pq.write_table(plain, "lz4.parquet", compression="lz4", **plain_options)
pq.write_table(plain, "int96.parquet", use_deprecated_int96_timestamps=True, **plain_options)
delta = {"p": "DELTA_BINARY_PACKED", "N": "DELTA_BINARY_PACKED", "rep": "DELTA_BINARY_PACKED",
         "host": "DELTA_BYTE_ARRAY", "start": "DELTA_BINARY_PACKED", "time_s": "BYTE_STREAM_SPLIT"}
pq.write_table(plain, "delta.parquet", use_dictionary=False, column_encoding=delta, **plain_options)
delta["host"] = "DELTA_LENGTH_BYTE_ARRAY"
pq.write_table(plain, "delta_length.parquet", use_dictionary=False, column_encoding=delta, compression="none",
               data_page_version="2.0", **plain_options)

kinds = pa.table({
    "flag": pa.array([True, None, False]),
    "i8": pa.array([-8, 0, None], pa.int8()),
    "u8": pa.array([255, 0, None], pa.uint8()),
    "u32": pa.array([4_000_000_000, 0, None], pa.uint32()),
    "u64": pa.array([2**63, 0, None], pa.uint64()),
    "f16": pa.array(np.array([1.5, -0.25, np.nan], np.float16)),
    "f32": pa.array([0.1, 3e38, None], pa.float32()),
    "f64": pa.array([0.1, float("nan"), None], pa.float64()),
    "inf": pa.array([1.5, float("inf"), None], pa.float64()),
    "d9": pa.array([Decimal("1.25"), Decimal("-0.01"), None], pa.decimal128(9, 2)),
    "d38": pa.array([Decimal("12345678901234567890.123"), Decimal("-0.001"), None], pa.decimal128(38, 3)),
    "d76": pa.array([Decimal("-2.5"), Decimal("7"), None], pa.decimal256(76, 1)),
    "day": pa.array([dt.date(2024, 2, 29), dt.date(1969, 12, 31), None]),
    "clock": pa.array([dt.time(12, 30), dt.time(23, 59, 59, 500000), None], pa.time64("us")),
    "utc": pa.array([dt.datetime(2024, 5, 1, 12, 30, 0, 250000), dt.datetime(1969, 1, 1), None], pa.timestamp("ms", "UTC")),
    "ns": pa.array([1_714_566_600_000_000_001, -1, None], pa.timestamp("ns")),
    "text": pa.array(["Köln", "", None]),
    "kind": pa.array(["a", "b", None]).dictionary_encode(),
    "bytes": pa.array([b"abc", b"", None], pa.binary()),
    "fixed": pa.array([b"ab", b"cd", None], pa.binary(2)),
    "none": pa.nulls(3),
    "large": pa.array(["x", "y", None], pa.large_string()),
})
pq.write_table(kinds, "kinds.parquet")
pq.write_table(pa.table({"p": [1, 2], "times": [[1.0, 2.0], [3.0]]}), "nested_list.parquet")
pq.write_table(pa.table({"p": [1, 2], "node": [{"name": "a"}, {"name": "b"}]}), "nested_struct.parquet")
pq.write_table(pa.table({"p": [1, 2], "raw": [b"\xff\xfe", b"\x00"]}), "bytes.parquet")
pd.DataFrame({"p": [1, 2], "wall": pd.to_timedelta([3, 2], unit="s")}).to_parquet("duration.parquet")
pq.write_table(pa.table({"p": pa.array([], pa.int64())}), "no_rows.parquet")
