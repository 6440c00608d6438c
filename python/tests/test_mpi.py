"""The skeleton under MPI gives what it gives here."""

import os
import shutil
import subprocess
import sys

import pytest

CODE = """
import sys
import numpy as np
import runcast.bsf as bsf
class Sum:
    list_length = 10
    def setup(self, elements): return np.arange(elements.start, elements.stop, dtype=float)
    def map(self, x, block):
        if mode == "raise" and 5 in block: raise ZeroDivisionError("no")
        total = np.array([block.sum(), len(block)]) + 0 * x[0]
        return (total[:1], total[1:]) if mode == "tuple" else total
    def compute(self, x, total, iteration): return np.concatenate(total) / 2 + x / 2 if mode == "tuple" else total / 2 + x / 2
    def stop(self, old, new, iteration): return iteration == 5
mode, start = sys.argv[1], np.zeros(2, dtype=int)
kept = start.copy()
here = bsf.run(Sum(), start, backend="serial", workers=2) if mode != "raise" else None
out = bsf.run(Sum(), start, backend="mpi", reproducible=mode == "tuple", time_limit="50s")
assert (start == kept).all() and out.iterations == 6 and out.x.tolist() == here.x.tolist(), out
print("right", flush=True)
"""


def under_mpi(mode, tmp_path):
    pytest.importorskip("mpi4py")
    mpiexec = shutil.which("mpiexec")
    if mpiexec is None:
        pytest.skip("there is no mpiexec")
    (tmp_path / "sum.py").write_text(CODE)
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    return subprocess.run(
        [mpiexec, "-n", "3", sys.executable, str(tmp_path / "sum.py"), mode],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        check=False,
    )


@pytest.mark.parametrize("mode", ["array", "tuple"])
def test_the_result_is_that_of_one_process(mode, tmp_path):
    found = under_mpi(mode, tmp_path)
    assert found.stdout.count("right") == 3, found.stdout + found.stderr


def test_an_exception_ends_all_ranks(tmp_path):
    found = under_mpi("raise", tmp_path)
    assert found.returncode != 0 and "ZeroDivisionError" in found.stderr
    assert "right" not in found.stdout and found.stderr.count("Error") >= 2
