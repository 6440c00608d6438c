"""Threads, forks, signals and limits of time."""

import multiprocessing
import subprocess
import sys
import threading
import time

import pytest

import runcast as rc

# A simulation that takes long: many messages.
LONG = """
import runcast as rc
from runcast import sim
e = sim.Experiment(system=sim.System.template("galera"), app=sim.Application.template("heat"), params={"p": 512, "n": 4000, "iters": 3000}, fidelity="flow")
"""


def long_experiment():
    names = {}
    exec(LONG, names)
    return names["e"]


def test_a_limit_of_time():
    experiment = long_experiment()
    began = time.monotonic()
    with pytest.raises(rc.TimeLimit):
        experiment.run(timeout_s=0.3)
    assert time.monotonic() - began < 3


def test_an_event_cancels():
    event = threading.Event()
    threading.Timer(0.2, event.set).start()
    with pytest.raises(rc.TimeLimit, match="cancelled"):
        long_experiment().run(cancel=event)


def test_ctrl_c_ends_a_call():
    code = (
        LONG
        + """
import os, signal, threading, time
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    e.run()
except rc.Interrupted as error:
    print("interrupted", time.monotonic() - began, isinstance(error, KeyboardInterrupt))
"""
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert found.stdout.startswith("interrupted"), found.stderr
    assert float(found.stdout.split()[1]) < 3


def test_progress_that_raises_ends_the_call():
    def progress(told):
        raise ZeroDivisionError(told.what)

    try:
        long_experiment().run(progress=progress, timeout_s=5)
    except (ZeroDivisionError, rc.TimeLimit):
        return
    pytest.fail("it ended by itself")


def test_eight_threads(runs):
    found, errors = [], []

    def work():
        try:
            with rc.config(warnings=False):
                found.append(rc.fit(runs, metric="solve_s", model="amdahl")[0].coefficients["t1"])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not errors and len(set(found)) == 1 and len(found) == 8


def fitted(_):
    """In a child."""
    return rc.fit(rc.samples.runs(), metric="solve_s", model="amdahl")[0].coefficients["t1"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_can_call(method, fit):
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(fitted, range(3)).get(60) == [fit[0].coefficients["t1"]] * 3


def test_the_module_is_the_program():
    from runcast import _program

    if _program.find() is None:
        pytest.skip("the program is not installed beside the package")
    found = subprocess.run([sys.executable, "-m", "runcast", "--version"], capture_output=True, text=True, check=True)
    assert found.stdout.startswith("runcast ")
