"""What several tests need."""

import os
from pathlib import Path

import pytest

import runcast as rc


@pytest.fixture(scope="session")
def runs():
    """The shipped runs."""
    return rc.samples.runs()


@pytest.fixture(scope="session")
def fit(runs):
    """Amdahl's law, fitted to them."""
    return rc.fit(runs, metric="solve_s", model="amdahl")


@pytest.fixture(scope="session")
def sources():
    """The sources of the project, with what is there to test with."""
    folder = Path(os.environ.get("RUNCAST_SOURCES") or Path(__file__).parents[2])
    if not (folder / "testdata").exists():
        pytest.skip("RUNCAST_SOURCES does not name the sources of the project")
    return folder
