"""Draws the picture of the README: `python python/picture.py docs/pictures`, with the package and matplotlib installed."""

import sys
import warnings
from pathlib import Path

import matplotlib

import runcast as rc

warnings.simplefilter("ignore")
matplotlib.use("svg")
# Medians of five runs each, made after the forecast.
AFTER = {"p": [32, 64], "N": [256, 256], "solve_s": [0.0809, 0.107]}

model = rc.fit(rc.samples.runs(), metric="solve_s", formula="a + b*N/p + c*p", unknown=["a", "b", "c"])[0]
for name, ink, paper in (("light", "#1a1a1a", "#ffffff"), ("dark", "#e6e6e6", "#0d1117")):
    colors = {key: ink for key in ("axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "text.color")}
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "runcast", **colors}):
        ax = model.plot(runs=rc.read(AFTER))
        ax.set_facecolor(paper)
        ax.figure.set_facecolor(paper)
        for line in ax.lines:
            if line.get_color() == "#000000":
                line.set_color(ink)
        ax.legend(frameon=False, fontsize="small")
        ax.figure.savefig(Path(sys.argv[1]) / f"forecast-{name}.svg", metadata={"Date": None})
