"""For type checkers alone: what they accept, and what they refuse. Every `ignore` here must be needed."""

from typing import Any

import runcast as rc
from runcast import bsf, llac, record, sim, wavefront


def accepted(runs: Any) -> None:
    rc.fit(runs, model=["amdahl", "power"], loss="huber", recency=2, min_p=2)
    rc.predict(runs, at={"p": 64}, threads=2, timeout_s=1.5, progress=print)
    bsf.predict(algorithm="jacobi", size=1500, latency="15us", op_time=2.9e-8, transfer_time="190ns", form=["smooth"])
    wavefront.solve("lab.toml", semantics="complete", phases=250)
    sim.replay("x.goal", loggops="L=1us").to_dict()
    llac.Session("trace.csv").execute("fit F as m").results
    record.read("rec-4").events(chunk=1000, rank=0).to_arrow()


def refused(runs: Any) -> None:
    rc.fit(runs, modle="amdahl")  # type: ignore[call-arg]
    rc.fit(runs, loss="huge")  # type: ignore[arg-type]
    rc.predict(runs, timeout_s="long")  # type: ignore[arg-type]
    wavefront.simulate("lab.toml", engine="steam")  # type: ignore[arg-type]
    sim.Experiment("x.toml").run(fidelty="flow")  # type: ignore[call-arg]
    record.read("rec-4").events(chunk="all")  # type: ignore[arg-type]
