"""Weak scaling on two processors: `python what_if.py`."""

from runcast import sim

# The size of the problem follows from the number of processes.
experiment = sim.Experiment(
    system=sim.System.template("galera"),
    app={"name": "heat", "file": sim.Application.template("heat")},
    params={"iters": 10, "n": lambda p: 1000 * round(p ** (1 / 3))},
)
found = experiment.sweep(vary={"p": [1, 8, 27], "hardware.cpu": ["intel-xeon-l5640", "amd-epyc-9654"]}, fidelity="loggops")
for row in found.iter():
    print(row["p"], row["n"], row["hardware.cpu"], row["time_s"])
