"""The other methods on real input: traces, programs of supersteps, shared machines, schedules, recordings.

Expected numbers are those of testdata, whose pages say where they come from.
"""

import json
import os
import shutil
import subprocess

import numpy as np
import pytest

import runcast as rc
from runcast import bsf, bsp, llac, record, sim, wavefront

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def session(sources):
    traces = ["demo.cll.1.csv", "demo.cll.2.r0.csv", "demo.cll.2.r1.csv"]
    return llac.Session([sources / "testdata/cll" / name for name in traces])


def test_a_session_of_llac_finds_the_constants_of_a_trace(session):
    # The made-up program costs 1 ns an element below 4,096 and 1.9 ns above (testdata/cll/PROVENANCE.md).
    found = session.execute("fit F in t as m")
    assert found.kind == "llac" and len(found.results) == 1 and "load" not in found.text
    model = session.model("m")
    assert model.value(n=[1000, 3000]) == pytest.approx([1.3e-6, 3.3e-6], rel=0.02)
    assert (model.value(n=60000) - model.value(n=50000)) / 10000 == pytest.approx(1.9e-9, rel=0.02)
    predicted = model.predict(n=10000, P=1)
    assert list(predicted["verdict"]) == ["ok"] and predicted["low"].iloc[0] < predicted["value"].iloc[0]


def test_a_session_keeps_what_was_done_and_forgets_what_failed(session):
    session.execute("fit G in t as g")
    with pytest.raises(rc.InputError, match="NOPE"):
        session.execute("fit NOPE in t")
    found = session.execute("constants g")
    assert [one.command for one in found.results] == ["constants"]
    assert list(found.frame["constant"]) == ["G[0]", "G[1]"]
    assert list(session.regions["name"]) == ["F", "G"]
    with pytest.raises(rc.InputError, match="zz"):
        session.model("zz")


def test_a_session_takes_a_frame_and_names_with_blanks(tmp_path, runs):
    path = tmp_path / "my runs [1].csv"
    shutil.copy(rc.samples.path("runs.csv"), path)
    commands = 'fit formula "c[0] + c[1]/p" metric solve_s as m'
    of_file, of_frame, of_table = (llac.Session(data) for data in (path, runs.to_pandas(), runs))
    values = [one.execute(commands) and one.model("m").value(p=32) for one in (of_file, of_frame, of_table)]
    assert values[0] == values[1] == values[2]


# Equation (11), corrected: testdata/bsp/PROVENANCE.md.
FFT = {1: 6157, 2: 19754, 4: 26695, 8: 30244}


def test_programs_of_supersteps(sources):
    path = sources / "testdata/bsp/fft.toml"
    for processors, time_s in FFT.items():
        assert bsp.predict(path, set={"P": processors}).predictions[0].obsp_time_s == time_s
    of_text = bsp.predict(path.read_text())
    assert of_text.predictions == bsp.predict(path).predictions
    assert of_text.frame["obsp_time_s"].tolist() == [30244]
    with pytest.raises(rc.InputError, match="Q"):
        bsp.predict(path, set={"Q": 3})


GOLDEN = ["p2-two-point", "p2-barrier-zero-msg", "p3-const-net-sync", "p3-const-net-async1"]


@pytest.mark.parametrize("name", GOLDEN)
def test_wavefronts_by_enumeration(sources, name):
    cases = json.loads((sources / "testdata/wavefront/golden.json").read_text())["cases"]
    expected = next(case["expected"] for case in cases if case["name"] == name)
    path = sources / f"testdata/wavefront/{name}.toml"
    found = wavefront.solve(path)
    assert found.phase_mean_s == pytest.approx(expected["E_phi"], rel=1e-9)
    assert found.estimates.average.time_s == pytest.approx(expected["theta1"]["average"], rel=1e-9)
    assert len(found.wavefronts) == expected["n_recurrent"] and sum(found.wavefronts["prob"]) == pytest.approx(1)
    played = wavefront.simulate(path, phases=4000)
    assert abs(played.phase_mean_s - expected["E_phi"]) <= 5 * played.phase_mean_se_s + 1e-12


def test_a_wavefront_model_as_text_and_as_a_dict(sources):
    import tomllib

    path = sources / "testdata/wavefront/p2-two-point.toml"
    answers = [wavefront.solve(model) for model in (path, path.read_text(), tomllib.loads(path.read_text()))]
    assert answers[0].phase_mean_s == answers[1].phase_mean_s == answers[2].phase_mean_s
    with_law = wavefront.solve(path, phases=100, quantiles=[0.5, 0.9])
    assert with_law.law.phases == 100 and len(with_law.law.quantiles) == 2
    assert wavefront.solve(path, A=1, B=1).model.B == (1, 1)
    assert [one.B[0] for one in wavefront.solve(path, degrees="1/0,1/1").degrees] == [0, 1]


def test_measuring_and_running_iterations(tmp_path, sources):
    model = tmp_path / "model.toml"
    options = {"processes": 2, "work": "50us", "set": {"updates": 40, "messages": 40}, "write_model": model}
    measured = wavefront.sample(output=tmp_path / "samples.csv", **options)
    assert measured.status == "done" and [one.count for one in measured.processes] == [40, 40]
    assert wavefront.solve(model).phase_mean_s > 0
    # An emulated phase takes its two updates and messages, of 1 to 3 s in the file: the step is made a hundred times shorter.
    path = sources / "testdata/wavefront/p2-two-point.toml"
    ran = wavefront.run(path.read_text(), phases=5, emulate=True, step="5ms", output=tmp_path / "runs")
    assert ran.status == "done" and ran.validated == "all"
    # The shortest phase is an update of 2 ticks and a message of 1.
    assert ran.measured.phase_mean_s >= 3 * 0.005 and (tmp_path / "runs" / "phases.csv").exists()


def test_costs_of_a_program_on_this_machine():
    costs = bsf.calibrate("jacobi", size=60, workers=2, repetitions=3)
    times = costs.to_dict()["times"]
    assert times["list_length"] == 60 and rc.quantity(times["work"]["value"], "s") > 0
    found = bsf.predict(costs=costs, workers=[1, 2])
    assert [point.workers for point in found.curves[0].points] == [1, 2]
    measured = bsf.validate(run="jacobi", size=60, workers=[1, 2], iterations=20, repetitions=1, costs=costs)
    assert [point.workers for point in measured.curves[0].points] == [1, 2]


def test_the_cost_model_of_published_runs(sources):
    # Fits that are not runcast's: testdata/papers/bsf_fits.toml, rnd400.csv smooth l2 up to 100 workers.
    path = sources / "testdata/bsf/rnd400.csv"
    options = {"fit": True, "train": "workers <= 100", "form": "smooth", "collective": "flat", "loss": "l2"}
    answers = [bsf.validate(runs, **options) for runs in (path, rc.read(path), rc.read(path).to_polars())]
    for found in answers:
        assert found.curves[0].test.mean_error_pct == pytest.approx(17.45, abs=0.02)
        assert found.curves[0].test.max_error_pct == pytest.approx(37.22, abs=0.02)


def test_a_schedule_takes_as_long_as_an_independent_simulator_says(sources):
    path = sources / "testdata/sim/goal/binomial-reduce-8.goal"
    ends = [34914, 24776, 13138, 13138, 1500, 1500, 1500, 1500]
    assert list(sim.replay(path).finish_ns) == ends
    assert list(sim.replay(path.read_text()).finish_ns) == ends
    # One message of 1024 bytes: o + L + (1024 - 1) G + o.
    assert sim.replay(path, loggops="L=1us,o=0,g=0,G=0,O=0").time_s == pytest.approx(3e-6)
    with pytest.raises(rc.InputError, match=r"nothing\.goal"):
        sim.replay("nothing.goal")


def test_a_trace_on_a_system(sources):
    found = sim.replay(sources / "testdata/sim/ti/ring-4.txt", format="ti", system=sim.System.template("galera"))
    assert found.processes == 4 and found.time_s > 0


def test_coefficients_from_runs():
    experiment = sim.Experiment(
        system=sim.System.template("msort"), app={"name": "msort", "file": sim.Application.template("msort")}
    )
    runs = {
        "set": ["train"] * 7 + ["large"] * 2,
        "p": [1, 1, 2, 2, 4, 8, 16, 64, 128],
        "n": [2**29] * 9,
        "rep": [0, 1, 0, 1, 0, 0, 0, 0, 0],
        "time_s": [41.3, 41.44, 23.71, 23.83, 14.92, 10.98, 8.93, 7.24, 6.95],
    }
    options = {"free": "c.sort=1ns..10ns,c.merge", "fixed": {"c.split": "1.333ns"}, "train": "set == 'train'"}
    found = sim.calibrate(experiment, runs, **options)
    # These runs were made with the published coefficients and an error of about 1 %.
    assert [one.name for one in found.coefficients] == ["c.sort", "c.merge"]
    assert [one.value for one in found.coefficients] == pytest.approx([2.9e-9, 4.5e-9], rel=0.02)


def test_a_sweep_of_an_experiment_on_the_disk(tmp_path):
    rc.call("sim", "new", "heat", "-o", str(tmp_path / "heat"))
    experiment = sim.Experiment(tmp_path / "heat" / "experiment.toml")
    assert experiment.with_("app.params.p", 8).run().time_s == experiment.run(set={"p": 8}).time_s


ROUNDS = 20


@pytest.fixture(scope="module")
def recordings(sources, tmp_path_factory):
    """Recordings of a ring of 2, 3 and 4 ranks."""
    from runcast import _program

    program = _program.find()
    if program is None or not shutil.which("mpicc") or not shutil.which("mpirun"):
        pytest.skip("recording needs the program, mpicc and mpirun")
    folder = tmp_path_factory.mktemp("recordings")
    subprocess.run(["mpicc", "-O1", sources / "examples/record/ring.c", "-o", folder / "ring"], check=True, timeout=120)
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    for ranks in (2, 3, 4):
        launcher = ["mpirun", "--oversubscribe", "-n", str(ranks), "./ring", str(ROUNDS)]
        words = [program, "record", "-o", f"rec {ranks}", "--set", f"rounds={ROUNDS}", "--", *launcher]
        subprocess.run(words, cwd=folder, env=environment, check=True, timeout=120, capture_output=True)
    return {ranks: folder / f"rec {ranks}" for ranks in (2, 3, 4)}


def test_a_recording_and_its_calls(recordings):
    found = record.read(recordings[4])
    assert found.ranks == 4 and 0 < found.factors["global"] <= 1
    assert found.structure.kind == "record-dump" and found.structure.p == 4
    whole = found.events().to_arrow()
    assert whole.column_names[:4] == ["rank", "thread", "call", "site"]
    # By the source of the program: a message to the next rank and one from the last, in each round; then the end.
    for rank in range(4):
        rows = [row for row in whole.to_pylist() if row["rank"] == rank]
        order = ["send", "recv"] if rank == 0 else ["recv", "send"]
        assert [row["call"] for row in rows] == order * ROUNDS + ["finalize"]
        assert {row["peer"] for row in rows if row["call"] == "send"} == {(rank + 1) % 4}
        assert {row["peer"] for row in rows if row["call"] == "recv"} == {(rank - 1) % 4}
        assert {row["size"] for row in rows[:-1]} == {1024} and rows[-1]["size"] is None


def test_calls_in_small_parts_are_the_same(recordings):
    found = record.read(recordings[3])
    parts = list(found.events(chunk=7))
    assert all(len(part["rank"]) == 7 for part in parts[:-1])
    assert sum((part["call"].tolist() for part in parts), []) == found.events().to_arrow()["call"].to_pylist()
    assert len(found.events(rank=1).to_polars()) == 2 * ROUNDS + 1
    assert np.array_equal(found.events().to_pandas()["rank"], np.repeat([0, 1, 2], 2 * ROUNDS + 1))
    # What nobody fetches is not unfolded; nothing waits for it.
    next(iter(found.events(chunk=1)))
    with pytest.raises(rc.InputError, match="left nothing"):
        list(found.events(rank=99))


def test_a_model_learnt_from_recordings(recordings, tmp_path):
    model = tmp_path / "model"
    found = sim.learn([record.read(recordings[2]), recordings[3], recordings[4]], output=model, at={"p": 8})
    assert found.kind == "sim-learn" and [one.p for one in found.recordings] == [2, 3, 4]
    simulated = sim.Experiment(model / "experiment.toml").run(set={"p": 8})
    assert simulated.processes == 8 and simulated.time_s > 0
    assert sim.replay(recordings[4], system=sim.System.template("galera")).processes == 4
