"""Simulation, skeleton, estimator."""

import numpy as np
import pytest

import runcast as rc
from runcast import bsf, sim


class KMeans:
    """k-means, as in the guide."""

    def __init__(self, points, k):
        self.points, self.k, self.list_length = points, k, len(points)

    def setup(self, elements):
        return self.points[elements.start : elements.stop]

    def map(self, centers, block):
        near = ((block[:, None] - centers) ** 2).sum(-1).argmin(1)
        sums = np.zeros_like(centers)
        np.add.at(sums, near, block)
        return sums, np.bincount(near, minlength=self.k)

    def compute(self, centers, total, iteration):
        self.sizes = total[1]
        return total[0] / np.maximum(total[1], 1)[:, None]

    def stop(self, old, new, iteration):
        return np.abs(new - old).max() == 0


def points():
    i = np.arange(1000)
    return np.column_stack([np.sin(i), np.cos(2 * i)])


@pytest.mark.parametrize(("backend", "workers"), [("serial", 1), ("serial", 4), ("threads", 1), ("threads", 4)])
def test_k_means(backend, workers):
    algorithm = KMeans(points(), 3)
    out = bsf.run(algorithm, points()[:3], backend=backend, workers=workers)
    centers = [(0.001416026, 0.720270194), (-0.872286635, -0.546970073), (0.873156732, -0.549664940)]
    assert out.iterations == 6 and out.stopped_by == "stop" and len(out.times) == 6
    assert out.x == pytest.approx(np.array(centers), abs=1e-8)
    assert algorithm.sizes.tolist() == [433, 284, 283]
    assert bsf.predict(costs=out.costs()).k_max > 0


def test_the_same_bits_on_any_number_of_workers_of_a_backend():
    found = {
        bsf.run(KMeans(points(), 3), points()[:3], backend=backend, workers=4).x.tobytes() for backend in ("serial", "threads")
    }
    assert len(found) == 1


class Broken(KMeans):
    """Fails in the second iteration."""

    def map(self, centers, block):
        raise ZeroDivisionError("no")


def test_an_exception_says_where():
    with pytest.raises(ZeroDivisionError) as found:
        bsf.run(Broken(points(), 3), points()[:3], backend="threads", workers=2)
    assert found.value.__notes__ == ["in worker 0, iteration 0"]


def test_more_workers_than_elements_need_an_identity():
    with pytest.raises(rc.InputError, match="identity"):
        bsf.run(KMeans(points()[:3], 3), points()[:3], backend="threads", workers=4)


def test_a_run_goes_on_from_a_checkpoint(tmp_path):
    path = tmp_path / "x"
    first = bsf.run(KMeans(points(), 3), points()[:3], max_iterations=3, checkpoint=path, checkpoint_every="1ns")
    assert (first.iterations, first.stopped_by) == (3, "max_iterations")
    second = bsf.run(KMeans(points(), 3), points()[:3], resume=path)
    assert second.iterations == 6 and second.x == pytest.approx(bsf.run(KMeans(points(), 3), points()[:3]).x)


def experiment(**keys):
    app = {"name": "heat", "file": sim.Application.template("heat")}
    return sim.Experiment(
        system=sim.System.template("galera"), app=app, params={"iters": 2, "n": lambda p: 1000 * round(p ** (1 / 3))}, **keys
    )


def test_a_sweep_with_a_function_as_parameter():
    with rc.config(frame="dict"):
        found = experiment().sweep(vary={"p": [1, 8, 27], "hardware.cpu": ["intel-xeon-l5640", "amd-epyc-9654"]}).frame
    assert found["p"].tolist() == [1, 1, 8, 8, 27, 27]
    assert found["n"].tolist() == [1000, 1000, 2000, 2000, 3000, 3000]
    one = experiment().with_("params.p", 8).run(hardware={"cpu": "amd-epyc-9654"})
    assert found["time_s"][3] == pytest.approx(one.time_s, rel=1e-12)


def test_a_sweep_is_that_of_the_command_whatever_the_threads():
    plain = sim.Experiment(
        system=sim.System.template("galera"), app=sim.Application.template("heat"), params={"iters": 2, "n": 1000}
    )
    one, two = (plain.sweep(vary={"p": "1..8*8"}, threads=threads) for threads in (1, 2))
    assert list(one.iter()) == list(two.iter()) and len(list(one.iter())) == 2


def test_parameters_that_need_each_other():
    wrong = sim.Experiment(
        system=sim.System.template("galera"), app=sim.Application.template("heat"), params={"n": lambda p: p, "p": lambda n: n}
    )
    with pytest.raises(rc.InputError) as found:
        wrong.run()
    assert found.value.problems[0].code == "cycle"


def test_a_function_of_python_is_no_application():
    with pytest.raises(rc.InputError, match="Luau"):
        sim.Application(lambda rank: None)


def test_systems_survive_their_text():
    system = sim.System.template("galera")
    assert sim.System(system.to_toml()) == system and system.check().kind == "sim-system-check"
    with pytest.raises(rc.InputError, match="did you mean galera"):
        sim.System.template("galeera")


def test_processes_may_be_called_p_whatever_their_column_is_called():
    # 8 s, a quarter of them serial: 8*(1/4 + 3/4/p).
    workers = [1, 2, 4, 8]
    runs = {"nworkers": workers, "time_s": [8 * (0.25 + 0.75 / p) for p in workers]}
    model = rc.fit(runs, model="amdahl")[0]
    with rc.config(frame="dict"):
        assert model.predict(p=16)["value"] == pytest.approx([2.375])
        assert rc.fit(runs, model="amdahl").predict(p=[16])["nworkers"].tolist() == [16]
        assert model.value(p=16) == pytest.approx(2.375)
        assert model.speedup(p=[4])["value"] == pytest.approx([8 / 3.5])
        assert model.speedup()["nworkers"].tolist() == [1, 2, 4, 8]
    with pytest.raises(rc.InputError, match="there is no parameter q"):
        model.predict(q=16)


def test_an_axis_is_called_as_the_column_without_its_unit():
    pytest.importorskip("matplotlib")
    for column, label in (("solve_ms", "solve [s]"), ("mean_time", "mean_time [s]"), ("copy_gb_per_s", "copy [B/s]")):
        axes = rc.fit({"p": [1, 2, 4, 8, 16], column: [8.0, 4.1, 2.2, 1.3, 0.8]}, model="power", metric=column)[0].plot()
        assert axes.get_ylabel() == label


def test_wide_compare(runs, fit):
    found = rc.compare(runs, metric="solve_s", train="p <= 8")
    assert found.ranking.order and found.kind == "compare"


def test_a_report(tmp_path, runs):
    path = rc.report(runs, path=tmp_path / "page.html", title="A page", metric="solve_s")
    assert "A page" in path.read_text()


def test_forward_split_judges_as_forecasts_are_used(runs):
    pytest.importorskip("sklearn")
    from sklearn.model_selection import cross_val_score

    from runcast.sklearn import ForwardSplit, RuncastRegressor, median_error_pct

    X, y = np.asarray(runs["p"], float).reshape(-1, 1), runs["solve_s"]
    scores = cross_val_score(RuncastRegressor("amdahl"), X, y, cv=ForwardSplit(3), scoring=median_error_pct)
    assert -scores[2] == pytest.approx(14.5386, abs=1e-3)
    # Below 8 processes these runs speed up more than linearly: without a serial part the least relative squares of t1/p.
    p, medians = np.array([1, 2, 4, 8]), np.array([1.14097, 0.56592, 0.283543, 0.150187])
    for split, count in enumerate((2, 3)):
        u = 1 / (p[:count] * medians[:count])
        predicted = u.sum() / (u**2).sum() / p[count]
        measured = y[X[:, 0] == p[count]]
        assert -scores[split] == pytest.approx(np.median(100 * abs(predicted - measured) / measured), rel=1e-6)


def test_the_estimator_is_one():
    pytest.importorskip("sklearn")
    from sklearn.utils.estimator_checks import check_estimator

    from runcast.sklearn import RuncastRegressor

    with rc.config(warnings=False):
        results = check_estimator(
            RuncastRegressor(process_param="x0", formula="a + b*x0", unknown=["a", "b"]), on_fail=None, on_skip=None
        )
    failed = [(one["check_name"], str(one["exception"])[:200]) for one in results if one["status"] == "failed"]
    assert failed == []
