# pyright: strict
"""From a table of runs to advice: `python forecast.py runs.csv`."""

import sys

import runcast as rc
from runcast.documents import FitDocument


def main(path: str) -> None:
    runs = rc.read(path)
    print(runs.read_as)
    fit = rc.fit(runs, metric="solve_s", model="amdahl", drop_outliers=True)
    document: FitDocument = fit.to_dict()
    print(document["kind"], fit[0].formula)
    print(fit[0].predict(p=[32, 64, 128], N=256))
    best = rc.advise.processes(fit, max_p=128, efficiency=0.5, fixed={"N": 256})
    print(best.recommended.p, best.recommended.time_s)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else rc.samples.path("runs.csv"))
