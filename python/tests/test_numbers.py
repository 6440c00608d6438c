"""Numbers that were computed with numpy alone, from the formulas and the shipped runs."""

import math

import numpy as np
import pytest

import runcast as rc
from runcast import bsf


def test_medians_of_the_shipped_runs(runs):
    with rc.config(frame="dict"):
        table = runs.medians()
    found = dict(zip(table["p"], table["solve_s"], strict=True))
    assert found == {1: 1.14097, 2: 0.56592, 4: 0.283543, 8: 0.150187, 16: 0.092563}


def test_amdahl(fit):
    model = fit[0]
    assert model.coefficients["t1"] == pytest.approx(1.09921020544868, rel=1e-9)
    assert model.coefficients["f"] == pytest.approx(0.0202626390157772, rel=1e-9)
    assert model.value(p=[32, 64], N=256) == pytest.approx([0.0559271904, 0.0391000450], rel=1e-8)


def test_amdahl_by_relative_residuals_of_medians(runs, fit):
    with rc.config(frame="dict"):
        medians = runs.medians()
    p, t = np.asarray(medians["p"], float), np.asarray(medians["solve_s"], float)
    a, b = np.linalg.lstsq(np.column_stack([1 / t, 1 / (p * t)]), np.ones_like(t), rcond=None)[0]
    assert fit[0].coefficients["t1"] == pytest.approx(a + b, rel=1e-9)


def test_power(runs):
    found = rc.fit(runs, metric="solve_s", model="power")[0].value(p=[1.0, 32.0], N=256.0)
    assert np.log2(found) == pytest.approx([-0.53205688, -0.53205688 - 5 * 0.72556341], rel=1e-6)


def test_jacobi_on_paper():
    found = bsf.predict(
        algorithm="jacobi", size=1500, latency="15us", op_time="29ns", transfer_time="190ns", form="smooth", collective="flat"
    )
    assert found.k_max == pytest.approx(math.sqrt(0.1305 / (2 * 15e-6 + 2 * 2.85e-4 + 4.35e-5)), rel=1e-4)
    assert found.best.best_workers == 14
    assert found.best.best_time_s == pytest.approx(0.0184609, rel=1e-5)
    assert found.best.best_speedup == pytest.approx(7.11091, rel=1e-5)


def test_the_range_of_a_speedup():
    from runcast._fit import _ratio

    value, low, high = _ratio({"value": 10, "low": 9.5, "high": 10.5}, {"value": 1, "low": 0.8, "high": 1.25})
    assert (value, low, high) == pytest.approx((10, 7.955784, 12.569471), rel=1e-6)


def test_the_forecast_of_the_readme(runs):
    model = rc.fit(runs, metric="solve_s", formula="a + b*N/p + c*p", unknown=["a", "b", "c"])[0]
    with rc.config(frame="dict"):
        found = model.predict(p=[32, 64], N=256)
    assert found["value"] == pytest.approx([0.0791, 0.106], rel=5e-3)
    assert found["low"] == pytest.approx([0.0719, 0.0916], rel=5e-3)
    assert found["high"] == pytest.approx([0.0871, 0.122], rel=5e-3)
