# pyright: strict
"""Weak scaling on two processors: `python what_if.py`."""

from runcast import sim


def size(p: float) -> int:
    """The size of the problem follows from the number of processes."""
    return int(1000 * round(p ** (1 / 3)))


experiment = sim.Experiment(
    system=sim.System.template("galera"),
    app={"name": "heat", "file": sim.Application.template("heat")},
    params={"iters": 10, "n": size},
)
found = experiment.sweep(vary={"p": [1, 8, 27], "hardware.cpu": ["intel-xeon-l5640", "amd-epyc-9654"]}, fidelity="loggops")
for row in found.iter():
    print(row["p"], row["n"], row["hardware.cpu"], row["time_s"])
