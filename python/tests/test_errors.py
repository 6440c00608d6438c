"""Wrong input ends in an error with fields, and never in a panic."""

import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runcast as rc

WRONG = [
    ({"p": [], "time_s": []}, "no_rows"),
    ({"p": [1, 2], "time_s": [1.0]}, "column_shape"),
    ({"p": [1, 2], "time_s": [float("inf"), 1.0]}, "not_finite"),
    ({"p": [1, 2], "time_s": [1 + 2j, 1.0]}, "column_type"),
    ({"p": [1, 2], "time_s": [[1], [2]]}, "column_type"),
    ({"p": [1, 2], "time_s": ["fast", 1.0]}, "column_type"),
    ({3: [1, 2], "time_s": [1.0, 2.0]}, "column_name"),
]


@pytest.mark.parametrize(("data", "code"), WRONG)
def test_wrong_frames(data, code):
    with pytest.raises(rc.InputError) as found:
        rc.read(data)
    assert found.value.problems[0].code == code


def test_names_that_are_there_twice():
    pd = pytest.importorskip("pandas")
    with pytest.raises(rc.InputError, match="two columns p"):
        rc.read(pd.DataFrame([[1, 2, 1.0]], columns=["p", "p", "time_s"]))


@pytest.mark.parametrize("params", [{"p": -4}, {"p": float("nan")}, {"p": 0}, {"q": 3}, {"p": "many"}, {"p": []}])
def test_wrong_targets_name_the_parameter(fit, params):
    with pytest.raises(rc.InputError) as found:
        fit[0].predict(N=256, **params)
    assert next(iter(params)) in str(found.value)


def test_an_unknown_keyword_suggests_the_nearest():
    with pytest.raises(rc.InputError, match="did you mean metric"):
        rc.fit({"p": [1, 2], "time_s": [2.0, 1.0]}, metrc="time_s")


def test_the_text_is_that_of_the_command(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("p,time_s\n1,2\n2,3,4\n")
    with pytest.raises(rc.InputError) as found:
        rc.fit(str(path))
    assert str(found.value).startswith(f"{path}:3:") and found.value.problems[0].line == 3
    assert isinstance(found.value, ValueError) and isinstance(found.value, rc.Error)


def test_what_cannot_be_done_is_another_class():
    with pytest.raises(rc.Failed) as found:
        rc.fit({"p": [1, 2, 4], "N": [1, 3, 9], "time_s": [2.0, 2.1, 2.5]}, model="amdahl")
    assert isinstance(found.value, RuntimeError) and not isinstance(found.value, ValueError)


def test_commands_that_need_a_process():
    for words in (["serve"], ["worker"], ["job", "list"], ["quickstart"], ["fit", "--help"]):
        with pytest.raises(rc.InputError, match="process of its own"):
            rc.call(*words)


HOSTILE = [
    "[" * 100_000,
    '{"a":' * 100_000,
    "{}",
    '{"kind": 3, "version": 1}',
    '{"kind": "fit", "version": "1"}',
    "{",
    b"\xff{",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_documents(text):
    with pytest.raises(rc.InputError):
        rc.load(text)


def test_a_newer_document_names_both_versions():
    with pytest.raises(rc.InputError, match="version 7.*version 1"):
        rc.load({"kind": "fit", "version": 7})


def test_errors_survive_pickling():
    import pickle

    with pytest.raises(rc.InputError) as found:
        rc.load("{}")
    again = pickle.loads(pickle.dumps(found.value))
    assert str(again) == str(found.value) and again.problems == found.value.problems


anything = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.lists(st.integers(), max_size=2)


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["metric", "model", "level", "params", "recency", "nonsense", "min_p"]), anything, max_size=3
    )
)
def test_wrong_arguments_end_in_an_error(keywords):
    began = time.monotonic()
    try:
        rc.fit({"p": [1, 2, 4], "time_s": [4.0, 2.1, 1.2]}, **keywords)
    except (rc.Error, TypeError) as error:
        assert not isinstance(error, rc.InternalError)
    assert time.monotonic() - began < 2


def test_a_nan_is_an_empty_cell():
    table = rc.read({"p": [1, 2, 4], "time_s": [4.0, np.nan, 1.2]})
    assert len(table) == 3 and np.isnan(table["time_s"][1])


def test_integers_that_float64_does_not_hold_are_told():
    with pytest.warns(rc.ForecastWarning, match="precision"):
        rc.read({"p": [1, 2], "key_count": [2**60 + 1, 3], "time_s": [1.0, 2.0]})


def test_the_document_of_an_error_is_json(tmp_path):
    with pytest.raises(rc.InputError) as found:
        rc.call("fit", str(tmp_path / "none.csv"))
    assert found.value.problems[0].code == "cannot_read"
    json.dumps([problem.__dict__ for problem in found.value.problems])


# Commands that only compute.
COMPUTE = ["fit", "predict", "evaluate", "compare", "plan", "advise processes", "bsf predict", "wavefront solve", "sim run", "llac"]
junk = st.one_of(st.text(max_size=12), st.sampled_from(["1e999", "p=", "=", "1..", "{", "p <=", "nan", "-1", "64", "a,b", "0"]))


# Some texts are right, and the command runs, on a busy machine for longer than hypothesis allows; `timeout_s` bounds it.
@settings(deadline=None)
@given(st.data())
def test_any_text_as_any_option_ends_in_an_answer_or_an_error(data):
    from runcast._call import definitions

    command = data.draw(st.sampled_from(COMPUTE))
    options = [name for name, what in definitions()[command]["options"].items() if what["takes_value"] and not what["positional"]]
    # What would write, or ask a server, is left out; so is what may be long.
    left_out = ("output", "plot", "report", "timings", "server", "project", "table", "matrix", "timeline", "export")
    name = data.draw(st.sampled_from([one for one in options if one not in left_out]))
    inputs = [] if command in ("plan", "bsf predict", "wavefront solve", "sim run", "llac") else [rc.samples.path("runs.csv")]
    try:
        with rc.config(warnings=False):
            rc.call(*command.split(), *inputs, f"--{name.replace('_', '-')}={data.draw(junk)}", timeout_s=2)
    except rc.Error as error:
        assert not isinstance(error, rc.InternalError), str(error)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), json_values, max_size=4), st.sampled_from(["plan", "bsf-predict", "new-kind"]))
def test_documents_survive_loading(fields, kind):
    document = {**fields, "kind": kind, "version": 1}
    found = rc.load(json.dumps(document))
    assert found.to_dict() == document and rc.load(found.to_dict()) == found and rc.load(found.to_json()) == found
    for name in document:
        if name.isidentifier() and not name.startswith("__") and not hasattr(type(found), name):
            getattr(found, name)


def test_a_message_says_each_reason_once():
    data = {"p": [1, 2] * 300, "app": [f"a{k // 2}" for k in range(600)], "time_s": [2.0, 1.0] * 300}
    with pytest.raises(rc.Failed) as found:
        rc.fit(data, model="ka-chain")
    assert len(found.value.problems) == 300 and len(str(found.value).splitlines()) <= 6
