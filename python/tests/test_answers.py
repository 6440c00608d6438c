"""Answers: documents, objects, looks."""

import json
import pickle
import subprocess

import pytest

import runcast as rc
from runcast import _program

LINES = [
    ["fit", "RUNS", "--metric", "solve_s", "--model", "amdahl"],
    ["predict", "RUNS", "--metric", "solve_s", "--at", "p=64,N=256"],
    ["evaluate", "RUNS", "--metric", "solve_s", "--train", "p <= 8", "--model", "amdahl,power"],
    ["import", "RUNS"],
    ["plan", "--scaling", "strong", "--processes", "1,2,4", "--fixed", "N=100"],
    ["advise", "processes", "RUNS", "--metric", "solve_s", "--fixed", "N=256"],
    [
        "bsf",
        "predict",
        "--algorithm",
        "jacobi",
        "--size",
        "1500",
        "--latency",
        "15us",
        "--op-time",
        "29ns",
        "--transfer-time",
        "190ns",
    ],
    ["sim", "hardware", "list"],
]


@pytest.mark.parametrize("words", LINES, ids=lambda words: " ".join(words[:2]))
def test_the_document_is_that_of_the_program(words):
    program = _program.find()
    if program is None:
        pytest.skip("the program is not installed beside the package")
    words = [rc.samples.path("runs.csv") if word == "RUNS" else word for word in words]
    printed = subprocess.run([program, *words, "--json"], capture_output=True, check=False, timeout=60).stdout
    found = rc.call(*words)
    assert found.to_dict() == json.loads(printed)
    assert found.to_json().encode() == printed
    assert rc.load(found.to_dict()) == found
    assert len(repr(found).splitlines()) <= 12 and max(map(len, repr(found).splitlines())) <= 100


def test_an_answer_survives_pickling_and_saving(fit, tmp_path):
    fit.save(tmp_path / "fit.json")
    assert rc.load(tmp_path / "fit.json") == fit == pickle.loads(pickle.dumps(fit))
    assert type(rc.load(tmp_path / "fit.json")) is rc.Fit
    assert pickle.loads(pickle.dumps(fit[0])) == fit[0]


def test_the_command_of_an_answer_is_one(fit):
    assert fit.command.startswith("runcast fit --model=amdahl --metric=solve_s")


def test_objects_do_not_change(fit):
    with pytest.raises(AttributeError):
        fit.models = ()
    found = rc.call(
        "bsf",
        "predict",
        "--algorithm",
        "jacobi",
        "--size",
        "1500",
        "--latency",
        "15us",
        "--op-time",
        "29ns",
        "--transfer-time",
        "190ns",
    )
    assert isinstance(found.curves, tuple)
    with pytest.raises(AttributeError):
        found.curves[0].form = "x"


def test_html_has_no_script_and_makes_no_request(fit, runs):
    for page in (
        fit._repr_html_(),
        fit[0]._repr_html_(),
        runs._repr_html_(),
        rc.predict(fit, at={"p": 64, "N": 256})._repr_html_(),
    ):
        assert "<script" not in page and 'src="http' not in page and "url(" not in page
        assert len(page) < 60_000
    assert "<svg" in fit[0]._repr_html_()


def test_plots(fit, runs):
    pytest.importorskip("matplotlib")
    ax = fit[0].plot()
    assert ax.get_xlabel() == "p" and ax.get_ylabel() == "solve [s]" and ax.get_xscale() == "log"
    assert "measured to here" in [text.get_text() for text in ax.texts]
    assert runs.plot(metric="solve_s").get_ylabel() == "solve [s]"
    assert rc.advise.processes(fit, max_p=128, efficiency=0.5).plot().figure is not None
    assert fit[0].plot("svg").lstrip().startswith("<svg")


def test_a_comparison_is_forecasts_beside_what_was_measured(runs):
    found = rc.compare(runs, metric="solve_s", train="p <= 8", combine=False)
    frame = found.frame
    assert list(frame.columns[:6]) == ["p", "N", "metric", "unit", "measured", "value"]
    # The median of the five runs on 16 processes.
    assert set(frame.loc[frame["p"] == 16, "measured"].round(6)) == {0.092563}
    ax = found.plot()
    assert ax.get_ylabel() == "solve [s]"
    assert "measured" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_altair(fit):
    altair = pytest.importorskip("altair")
    assert isinstance(fit[0].plot("altair"), altair.LayerChart)


def test_import_takes_nothing_heavy_along():
    code = "import sys, runcast; print([name for name in ('numpy', 'pandas', 'matplotlib', 'sklearn') if name in sys.modules])"
    import sys

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_every_option_is_a_keyword():
    from runcast._call import definitions

    options = definitions()["fit"]["options"]
    assert {"metric", "model", "formula", "unknown", "level", "roles", "where"} <= set(options)


def test_the_stubs_name_what_there_is():
    import re
    from importlib.resources import files

    from runcast import _runcast

    stubs = files("runcast").joinpath("_runcast.pyi").read_text()
    assert set(re.findall(r"^(?:def|class) (\w+)", stubs, re.MULTILINE)) == {name for name in dir(_runcast) if not name.startswith("_")}


def test_all_names_are_there():
    for name in rc.__all__:
        if name != "sklearn":
            assert getattr(rc, name) is not None


def test_type_checkers_see_the_names_that_there_are():
    import re
    from pathlib import Path

    imported = set(re.findall(r" import (\w+) as \1$", Path(rc.__file__).read_text(), re.MULTILINE))
    assert imported == set(rc.__all__) - {"sklearn"}
