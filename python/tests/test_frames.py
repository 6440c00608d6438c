"""Frames of every family, in and out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runcast as rc

COLUMNS = {"p": [1, 2, 4, 8], "app": ["a", "a", "b", "b"], "time_s": [4.0, 2.0, 1.5, 0.9]}
LONG = ["app", "p", "metric", "unit", "value", "low", "high", "level", "verdict", "horizon", "method", "model"]


def of_family(family):
    library = pytest.importorskip({"pandas": "pandas", "polars": "polars", "arrow": "pyarrow"}[family])
    return library.table(COLUMNS) if family == "arrow" else library.DataFrame(COLUMNS)


@pytest.mark.parametrize("family", ["pandas", "polars", "arrow"])
def test_a_family_comes_back_as_it_went_in(family):
    frame = of_family(family)
    table = rc.read(frame)
    assert table.parameters == ("p",) and table.labels == ("app",) and table.metrics == ("time_s",)
    assert type(table.frame) is type(frame)
    found = rc.fit(frame, model="amdahl").predict(p=16)
    assert type(found) is type(frame)
    names = found.column_names if family == "arrow" else list(found.columns)
    assert names == LONG


def test_a_structured_array_and_a_dict():
    array = np.array([(1, 4.0), (2, 2.1)], dtype=[("p", "i4"), ("time_s", "f4")])
    assert rc.read(array).parameters == rc.read({"p": [1, 2], "time_s": [4.0, 2.1]}).parameters == ("p",)


def test_pandas_types_and_attributes(fit):
    pd = pytest.importorskip("pandas")
    found = rc.fit(pd.DataFrame(COLUMNS), model="amdahl").predict(p=[16, 32])
    assert isinstance(found.index, pd.RangeIndex)
    assert found.p.dtype == np.int64 and found.value.dtype == np.float64 and found.app.dtype == "category"
    about = found.attrs["runcast"]
    assert about["kind"] == "predict" and about["version"] == 1 and about["level"] == 0.9
    assert about["command"].startswith("runcast predict")


def test_a_named_index_becomes_columns_and_an_unnamed_one_is_dropped():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(COLUMNS).set_index("p")
    assert rc.read(frame).columns == ("p", "app", "time_s")
    assert rc.read(pd.DataFrame(COLUMNS, index=[5, 6, 7, 8])).columns == ("p", "app", "time_s")


def test_roles_of_an_earlier_answer_are_taken(runs):
    pd = pytest.importorskip("pandas")
    frame = rc.read(pd.DataFrame({"a": [1, 2, 4], "b": [3.0, 2.0, 1.0]}), roles={"a": "processes", "b": "metric:s"}).frame
    assert rc.read(frame).metrics == ("b",)


def test_labels_that_look_like_numbers_stay_labels():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"p": [1, 2, 1, 2], "node": ["7", "7", "8", "8"], "time_s": [2.0, 1.0, 4.0, 2.0]})
    assert rc.read(frame).labels == ("node",)
    assert len(rc.fit(frame, model="amdahl")) == 2


def test_the_table_of_predictions_is_that_of_the_disk(tmp_path, fit):
    pd = pytest.importorskip("pandas")
    fit.save(tmp_path / "model.json")
    rc.call("predict", str(tmp_path / "model.json"), "--at", "p=32,N=256", "-o", str(tmp_path / "out.csv"))
    found = fit.predict(p=32, N=256, style="table")
    if hasattr(found, "to_pandas"):
        found = found.to_pandas()
    assert found.to_csv(index=False) == (tmp_path / "out.csv").read_text() or pd.read_csv(tmp_path / "out.csv").equals(found)


def test_a_refused_prediction_is_undefined_and_says_so():
    found = rc.predict({"p": [1, 2, 4], "time_s": [4.0, 2.1, 1.2]}, model="amdahl", at={"p": 1e15}).to_dict()["predictions"][0]
    assert (found["verdict"] == "refused") == (found["value"] is None)


def test_an_arrow_stream(runs):
    pa = pytest.importorskip("pyarrow")
    assert pa.table(runs).num_rows == 25


cells = st.floats(1e-6, 1e6) | st.none()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 1000), st.sampled_from(["a", "b", 'ü, "x"']), cells), min_size=2, max_size=12))
def test_tables_survive_the_way_through_pandas_and_polars(rows):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    if all(row[2] is None for row in rows):
        rows[0] = (rows[0][0], rows[0][1], 1.5)
    first = pd.DataFrame(
        {
            "p": [row[0] for row in rows],
            "app": [row[1] for row in rows],
            "time_s": [float("nan") if row[2] is None else row[2] for row in rows],
        }
    )
    second = rc.read(first).to_polars()
    third = rc.read(second).to_pandas()
    assert isinstance(second, pl.DataFrame)
    assert third.p.tolist() == first.p.tolist() and third.app.tolist() == first.app.tolist()
    assert np.array_equal(third.time_s.to_numpy(), first.time_s.to_numpy(), equal_nan=True)
