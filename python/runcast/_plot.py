"""Pictures: one look for matplotlib, altair and SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._errors import input_error

# Colors that people who see fewer colors tell apart (Okabe and Ito, 2008), with a dash and a mark each.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":")
MARKS = ("o", "s", "D", "v", "P", "X")
# Series that are labeled at the end of their lines.
MOST_LABELED = 5
BAND_ALPHA = 0.2


@dataclass
class Series:
    """A line with its range, or points."""

    name: str
    x: list[float]
    y: list[float]
    low: list[float | None] = field(default_factory=list)
    high: list[float | None] = field(default_factory=list)
    kind: str = "line"


@dataclass
class Picture:
    """What is to be drawn."""

    x: str
    y: str
    unit: str
    series: list[Series]
    # The largest x that was measured; beyond it a line says so.
    measured_to: float | None = None
    ideal: bool = False


def _is_log(values: Sequence[float]) -> bool:
    """Whether a logarithmic axis shows more: all positive, over more than a factor of 8."""
    known = [value for value in values if value is not None]
    return bool(known) and min(known) > 0 and max(known) / min(known) > 8


def draw(picture: Picture, backend: str | None, ax: Any, svg: Any = None) -> Any:
    """Draws it: Axes of matplotlib, a chart of altair, or the text of an SVG."""
    from importlib.util import find_spec

    if backend is None:
        backend = "matplotlib" if ax is not None or find_spec("matplotlib") else "svg"
    if backend == "matplotlib":
        return _matplotlib(picture, ax)
    if backend == "altair":
        return _altair(picture)
    if backend == "svg":
        return svg() if svg else None
    raise input_error(
        "invalid_value", "no such backend", pointer="backend", value=str(backend), allowed="matplotlib, altair, svg"
    )


# Units at the end of the names of metrics; the axis has the unit of the numbers.
_UNITS = (
    *("bytes_per_s", "gb_per_s", "per_s", "s", "ms", "us", "ns", "h", "j", "kj", "kwh", "w", "bytes", "kib", "mib", "gib"),
    *("flops", "mflops", "gflops", "tflops", "teps", "gteps", "hz"),
)


def _without_unit(metric: str) -> str:
    """What is measured: `solve` of `solve_s`; `mean_time` has no unit."""
    return next((metric.removesuffix(f"_{unit}") for unit in _UNITS if metric.endswith(f"_{unit}")), metric)


def _plain_tick(value: float, _: Any) -> str:
    """1, 2 and 5 times a power of ten; others would overlap."""
    return f"{value:g}" if f"{value:e}"[0] in "125" else ""


def _matplotlib(picture: Picture, ax: Any) -> Any:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("matplotlib is not installed: pip install runcast[plot]") from None
    if ax is None:
        # With pyplot in use the figure is shown as users expect; else none is kept alive.
        import sys

        if "matplotlib.pyplot" in sys.modules:
            ax = sys.modules["matplotlib.pyplot"].subplots()[1]
        else:
            figure = Figure(figsize=(6.4, 4.2), layout="constrained")
            FigureCanvasAgg(figure)
            ax = figure.subplots()
    lines = [one for one in picture.series if one.kind == "line"]
    for number, one in enumerate(picture.series):
        color = COLORS[number % len(COLORS)]
        if one.kind == "line":
            # A forecast of one place is no line.
            mark = "_" if len(one.x) == 1 else ""
            dash = DASHES[number % len(DASHES)]
            ax.plot(one.x, one.y, color=color, linestyle=dash, marker=mark, label=one.name, zorder=2)
            band = [
                (x, low, high)
                for x, low, high in zip(one.x, one.low, one.high, strict=False)
                if low is not None and high is not None
            ]
            if len(band) == 1:
                ax.vlines(*([value] for value in band[0]), color=color, linewidth=1, zorder=1)
            elif band:
                ax.fill_between(*zip(*band, strict=True), color=color, alpha=BAND_ALPHA, linewidth=0, zorder=1)
            if len(lines) <= MOST_LABELED and one.x and len(lines) > 1:
                ax.annotate(
                    one.name,
                    (one.x[-1], one.y[-1]),
                    xytext=(4, 0),
                    textcoords="offset points",
                    color=color,
                    va="center",
                    fontsize="small",
                )
        else:
            mark = "^" if one.kind == "after" else MARKS[number % len(MARKS)]
            ax.plot(
                one.x, one.y, mark, color="#000000" if one.kind == "runs" else color, label=one.name, markersize=5, zorder=3
            )
    xs = [x for one in picture.series for x in one.x]
    ys = [y for one in picture.series for y in one.y]
    if picture.measured_to is not None and xs and max(xs) > picture.measured_to:
        ax.axvline(picture.measured_to, color="#666666", linestyle=(0, (4, 3)), linewidth=1)
        ax.annotate(
            "measured to here",
            (picture.measured_to, 1),
            xycoords=("data", "axes fraction"),
            xytext=(-3, -3),
            textcoords="offset points",
            rotation=90,
            ha="right",
            va="top",
            fontsize="x-small",
            color="#666666",
        )
    if picture.ideal and xs:
        ax.plot([min(xs), max(xs)], [min(xs), max(xs)], color="#999999", linewidth=1, label="ideal")
    if _is_log(xs):
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    if _is_log(ys):
        ax.set_yscale("log")
        for which in (ax.yaxis.set_major_formatter, ax.yaxis.set_minor_formatter):
            which(_plain_tick)
    ax.set_xlabel(picture.x)
    ax.set_ylabel(f"{picture.y} [{picture.unit}]" if picture.unit else picture.y)
    if len(picture.series) > MOST_LABELED + 1:
        ax.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    elif len(picture.series) > 1:
        ax.legend(frameon=False, fontsize="small")
    return ax


def _altair(picture: Picture) -> Any:
    try:
        import altair as alt
    except ImportError:
        raise ImportError("altair is not installed: pip install runcast[altair]") from None

    def scale(values: Sequence[float], base: int) -> Any:
        return alt.Scale(type="log", base=base) if _is_log(values) else alt.Scale(zero=False)

    xs = [x for one in picture.series for x in one.x]
    ys = [y for one in picture.series for y in one.y]
    x = alt.X("x:Q", title=picture.x, scale=scale(xs, 2))
    y = alt.Y("y:Q", title=f"{picture.y} [{picture.unit}]" if picture.unit else picture.y, scale=scale(ys, 10))
    names = [one.name for one in picture.series]
    color = alt.Color("series:N", title=None, scale=alt.Scale(domain=names, range=list(COLORS)))
    layers = []
    for one in picture.series:
        lows, highs = one.low or [None] * len(one.x), one.high or [None] * len(one.x)
        rows = [
            {"series": one.name, "x": a, "y": b, "low": low, "high": high}
            for a, b, low, high in zip(one.x, one.y, lows, highs, strict=True)
        ]
        base = alt.Chart(alt.InlineData(values=rows))
        if one.kind == "line":
            if any(low is not None for low in lows):
                layers.append(base.mark_area(opacity=BAND_ALPHA).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=color))
            layers.append(base.mark_line().encode(x=x, y=y, color=color, strokeDash=alt.StrokeDash("series:N", legend=None)))
        else:
            shape = "triangle-up" if one.kind == "after" else "circle"
            layers.append(base.mark_point(filled=True, shape=shape).encode(x=x, y=y, color=color))
    if picture.measured_to is not None and xs and max(xs) > picture.measured_to:
        layers.append(alt.Chart(alt.InlineData(values=[{"x": picture.measured_to}])).mark_rule(strokeDash=[4, 3]).encode(x="x:Q"))
    return alt.layer(*layers)


def plot(
    answer: Any, backend: str | None, ax: Any, x: str | None = None, y: str | None = None, color: str | None = None
) -> Any:
    """Draws an answer; `x`, `y` and `color` name columns of its frame."""
    picture = _picture_of(answer, x, y, color)
    return draw(picture, backend, ax, answer.svg)


def _picture_of(answer: Any, x: str | None, y: str | None, color: str | None) -> Picture:
    kind = answer.kind
    if x is None and kind == "predict":
        return _predictions(answer.to_dict()["predictions"])
    if x is None and kind == "fit":
        return model_picture(answer[0])
    if x is None and kind == "compare":
        from ._tabulate import compared

        return _beside([{**row, "model": row["input"]} for row in compared(answer.to_dict())])
    if x is None and kind == "evaluate":
        return _beside([{**row, "value": row["predicted"]} for row in answer.to_dict()["points"]])
    if x is None and kind == "bsf-predict":
        return _curves(answer.to_dict()["curves"])
    if x is None and kind == "advise-processes":
        return _choices(answer.to_dict()["choices"])
    columns, labels = answer._columns()
    return of_columns(columns, labels, x, y, color)


def of_columns(
    columns: Mapping[str, Sequence[Any]], labels: Sequence[str], x: str | None, y: str | None, color: str | None
) -> Picture:
    """The columns of a frame: a line for each value of `color`."""
    from ._errors import unknown

    numeric = [
        name
        for name, values in columns.items()
        if all(isinstance(one, (int, float)) or one is None for one in values) and any(one is not None for one in values)
    ]
    for name in (x, y, color):
        if name is not None and name not in columns:
            raise unknown("column", name, columns)
    x = x or next((name for name in numeric if name in ("p", "workers", "processes")), numeric[0] if numeric else None)
    y = y or next(
        (name for name in numeric if name in ("time_s", "value", "measured") and name != x),
        next((name for name in numeric if name != x), None),
    )
    if x is None or y is None:
        raise input_error("nothing_to_draw", "there are no two columns of numbers", hint="say which: plot(x=.., y=..)")
    groups: dict[Any, list[tuple[float, float]]] = {}
    keys = columns[color] if color else [y] * len(columns[y])
    for key, a, b in zip(keys, columns[x], columns[y], strict=True):
        if a is not None and b is not None:
            groups.setdefault(key, []).append((a, b))
    series = [Series(str(key), [x for x, _ in sorted(points)], [y for _, y in sorted(points)]) for key, points in groups.items()]
    stem, _, unit = y.rpartition("_")
    return Picture(x, stem or y, unit if stem else "", series)


def _axis(rows: Sequence[Mapping[str, Any]]) -> str:
    """The parameter that varies most."""
    names = list(dict.fromkeys(name for row in rows for name in row["at"]))
    return max(names, key=lambda name: len({row["at"].get(name) for row in rows})) if names else "p"


def _predictions(rows: Sequence[Mapping[str, Any]]) -> Picture:
    axis = _axis(rows)
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["value"] is not None:
            name = " ".join([row["model"], *map(str, row["group"].values())])
            groups.setdefault(name, []).append(row)
    series = []
    for name, found in groups.items():
        found = sorted(found, key=lambda row: row["at"].get(axis, 0))
        at = [row["at"].get(axis, 0) for row in found]
        value, low, high = ([row[key] for row in found] for key in ("value", "low", "high"))
        series.append(Series(name, at, value, low, high))
    first = rows[0] if rows else {"metric": "", "unit": ""}
    return Picture(axis, _without_unit(first["metric"]), first["unit"], series)


def _beside(rows: Sequence[Mapping[str, Any]]) -> Picture:
    """Forecasts, and what was measured at the same places."""
    picture = _predictions(rows)
    points = {
        (row["at"].get(picture.x, 0), row["measured"]): None
        for row in rows
        if row["measured"] is not None
    }
    if points:
        x, y = zip(*points, strict=True)
        picture.series.insert(0, Series("measured", list(x), list(y), kind="runs"))
    return picture


def _curves(curves: Sequence[Mapping[str, Any]]) -> Picture:
    def line(curve: Mapping[str, Any]) -> Series:
        points = curve["points"]
        return Series(
            f"{curve['form']} {curve['collective']}",
            [point["workers"] for point in points],
            [point["speedup"] for point in points],
        )

    return Picture("workers", "speedup", "", [line(curve) for curve in curves])


def _choices(rows: Sequence[Mapping[str, Any]]) -> Picture:
    known = [row for row in rows if row["time_s"] is not None]
    p, time_s, low, high = ([row[name] for row in known] for name in ("p", "time_s", "low_s", "high_s"))
    return Picture("p", "time", "s", [Series("forecast", p, time_s, low, high)])


def model_picture(model: Any, to: float | None = None) -> Picture:
    """The runs of a model, and its curve with the range up to `to`: four times the largest run unless told otherwise."""
    from ._config import config
    from ._fit import predict

    points = model._fields["training"]["points"]
    axis = model._fields["training"]["process_parameter"] or _axis(points)
    runs = Series("runs", [], [], kind="runs")
    for point in points:
        for value in point["values"]:
            runs.x.append(point["at"][axis])
            runs.y.append(value)
    least, most = min(runs.x), max(runs.x)
    to = 4 * most if to is None else to
    places = sorted({*runs.x, *(least * (to / least) ** (step / 40) for step in range(41))})
    others: list[dict[str, float]] = []
    for point in points:
        rest = {name: value for name, value in point["at"].items() if name != axis}
        if rest not in others:
            others.append(rest)
    series = [runs]
    with config(warnings=False):
        for rest in others[:MOST_LABELED]:
            rows = predict(model, at=[{axis: place, **rest} for place in places]).to_dict()["predictions"]
            rows = [row for row in rows if row["value"] is not None]
            value, low, high = ([row[name] for row in rows] for name in ("value", "low", "high"))
            varied = " ".join(f"{name}={value:g}" for name, value in rest.items() if len(others) > 1)
            series.append(Series(f"{model.model} {varied}".strip(), [row["at"][axis] for row in rows], value, low, high))
    metric, unit = model._fields["metric"], model._fields["unit"]
    return Picture(axis, _without_unit(metric), unit, series, measured_to=most)


def plot_model(model: Any, backend: str | None, ax: Any, to: float | None = None, runs: Any = None) -> Any:
    """Draws a model; `runs` are runs made afterwards."""
    picture = model_picture(model, to)
    if runs is not None:
        from ._table import Table, read

        table = runs if isinstance(runs, Table) else read(runs)
        after = Series(
            "made afterwards", list(table._columns[picture.x]), list(table._columns[model._fields["metric"]]), kind="after"
        )
        picture.series.append(after)
    return draw(picture, backend, ax, lambda: model_svg(model))


def model_svg(model: Any) -> str | None:
    """The picture of a model, as the command draws it."""
    from ._config import config
    from ._fit import predict

    bounds = model._fields["range"]
    process = model._fields["training"]["process_parameter"] or next(iter(bounds))
    at = {name: high if name != process else 4 * high for name, (_, high) in bounds.items()}
    with config(warnings=False):
        return predict(model, at=at).svg()


def plot_runs(table: Any, backend: str | None, ax: Any, metric: str | None) -> Any:
    """Draws runs over the parameter that varies most."""
    from ._errors import unknown

    metric = metric or next(iter(table.metrics), None)
    if metric is None or metric not in table.metrics:
        raise unknown("metric", str(metric), table.metrics)
    varied = [name for name in table.parameters if len(set(table._columns[name])) > 1] or list(table.parameters)
    if not varied:
        raise input_error("nothing_to_draw", "no parameter varies")
    rows = [
        (x, y)
        for x, y in zip(table._columns[varied[0]], table._columns[metric], strict=True)
        if x is not None and y is not None
    ]
    points = Series("runs", [x for x, _ in rows], [y for _, y in rows], kind="runs")
    stem, _, unit = metric.rpartition("_")
    return draw(Picture(varied[0], stem or metric, unit if stem else "", [points]), backend, ax)
