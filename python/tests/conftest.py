"""What several tests need."""

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
