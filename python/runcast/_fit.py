"""Models of runs, their predictions, and how right these were."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, overload

from . import _call, _frames
from ._answers import Answer, register
from ._columns import family_of
from ._errors import Failed, Problem, input_error, unknown
from ._records import object_of

if TYPE_CHECKING:
    from ._options import EvaluateOptions, FitOptions, PredictOptions

# Beyond this many processes nothing was ever measured.
MOST_PROCESSES = 1e12


@register
class Fit(Answer):
    """Models, one for each series and kind of model; a sequence of Model. `failed` are the series that have none."""

    KIND = "fit"

    @property
    def models(self) -> tuple[Model, ...]:
        """The models."""
        made = self.__dict__["_made"]
        if "models" not in made:
            made["models"] = tuple(Model(self, fields) for fields in self._document["models"])
        found: tuple[Model, ...] = made["models"]
        return found

    def __len__(self) -> int:
        return len(self._document["models"])

    @overload
    def __getitem__(self, at: int) -> Model: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Model, ...]: ...
    def __getitem__(self, at: int | slice) -> Model | tuple[Model, ...]:
        return self.models[at]

    def __iter__(self) -> Iterator[Model]:
        return iter(self.models)

    def best(self, metric: str | None = None, **labels: str) -> Model:
        """The model of a series with the least error: on runs left out where that is known, else on its own."""
        found = [
            model
            for model in self.models
            if metric in (None, model.metric) and all(dict(model.group).get(name) == value for name, value in labels.items())
        ]
        if not found:
            wanted = ", ".join([*([metric] if metric else []), *(f"{name}={value}" for name, value in labels.items())])
            raise input_error("no_model", f"there is no model of {wanted or 'these runs'}")

        def error(model: Model) -> float:
            quality = model.quality
            known = (quality[name] for name in ("validation_smape_pct", "smape_pct") if quality[name] is not None)
            return next(known, float("inf"))

        return min(found, key=error)

    def predict(self, at: Any = None, *, level: float = 0.9, style: str = "long", strict: bool = False, **params: Any) -> Any:
        """Predictions of all models, as a frame; see Model.predict."""
        return _predicted(self, at, level, style, strict, params)

    def evaluate(self, runs: Any, **options: Unpack[EvaluateOptions]) -> Evaluate:
        """Compares predictions of the models with runs that they have not seen."""
        return evaluate(predictions=self, runs=runs, **options)


class Model:
    """A model of one metric in one series.

    metric, unit, direction : what it predicts, in SI units
    group : labels of the series
    model, formula, coefficients, members : what it is; coefficients as {name: value}
    range : {parameter: (low, high)}, what was measured
    scaling, quality, training : how the runs scale, errors in percent, the runs themselves
    """

    method = "fit"

    def __init__(self, fit: Fit, fields: Mapping[str, Any]) -> None:
        self._fit = fit
        self._fields = fields
        self._record = object_of(fields)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._record, name)

    @property
    def coefficients(self) -> dict[str, float]:
        """The coefficients by name, in SI units."""
        return dict(self._fields["coefficients"])

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """What was measured: the least and the largest value of each parameter."""
        return {name: tuple(bounds) for name, bounds in self._fields["range"].items()}

    @property
    def formula(self) -> str:
        """The formula in SI units, with 4 digits; `formula_exact` has all."""
        return _rounded(self._fields["formula"])

    @property
    def formula_exact(self) -> str:
        """The formula in SI units; evaluates to the value of the model."""
        found: str = self._fields["formula"]
        return found

    def to_dict(self) -> dict[str, Any]:
        """A document of kind `fit` with this model alone."""
        return {**self._fit.to_dict(), "models": [json.loads(json.dumps(self._fields))]}

    def _as_file(self, line: _call.Line) -> tuple[str, bytes]:
        line.family = line.family or self._fit._family
        return "model.json", json.dumps(self.to_dict()).encode()

    @property
    def _family(self) -> str | None:
        return self._fit._family

    def predict(self, at: Any = None, *, level: float = 0.9, style: str = "long", strict: bool = False, **params: Any) -> Any:
        """Predictions with ranges, as a frame.

        at : {name: value or values}, a list of such, or a frame of configurations
        level : probability that a range holds
        style : "long", or "table" for the columns of the table that the command writes
        strict : whether a prediction that is refused or that members disagree on is an error
        params : a number or a sequence for each parameter; all combinations, in the order given

        Raises InputError: an unknown or missing parameter, or a value that is not positive and finite.

        >>> import runcast as rc
        >>> model = rc.fit(rc.samples.runs(), metric="solve_s", model="amdahl")[0]
        >>> [float(round(value, 7)) for value in model.predict(p=[32, 64], N=256)["value"]]
        [0.0559272, 0.0391]
        """
        return _predicted(self, at, level, style, strict, params)

    def value(self, **params: Any) -> Any:
        """The value alone, broadcast over arrays: no range, and no word when it extrapolates.

        >>> import runcast as rc
        >>> round(rc.fit(rc.samples.runs(), metric="solve_s", model="amdahl")[0].value(p=32, N=256), 7)
        0.0559272
        """
        import numpy as np

        from ._formula import Formula

        params = {_parameter(self._fields, name): given for name, given in params.items()}
        for name, given in params.items():
            checked(name, given)
        arrays = {name: np.asarray(value, dtype=np.float64) for name, value in params.items()}
        if self._fields["formula"]:
            formula = Formula(self._fields["formula"])
            found = formula(**{name: array for name, array in arrays.items() if name in formula.names})
            shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
            return np.broadcast_to(found, shape).copy() if shape else float(found)
        broadcast = np.broadcast_arrays(*arrays.values())
        flat = [
            dict(zip(params, map(float, row), strict=True)) for row in zip(*(one.ravel() for one in broadcast), strict=True)
        ]
        found = [row["value"] for row in predict(self, at=flat).to_dict()["predictions"]]
        values = np.array([np.nan if one is None else one for one in found])
        return values.reshape(broadcast[0].shape) if broadcast[0].shape else float(values[0])

    def speedup(self, param: str = "p", base: float | None = None, **fixed: Any) -> Any:
        """Speedup over `param`, against the value at `base` (the least measured); `fixed` are the other parameters.

        `fixed` may hold `param` itself, with the values to look at; without it, the powers of 2 of the measured range.
        """
        param = _parameter(self._fields, param)
        fixed = {_parameter(self._fields, name): value for name, value in fixed.items()}
        least, most = self._fields["range"][param]
        base = least if base is None else base
        given = fixed.pop(param, None)
        at: list[Any]
        if given is None:
            at = [least * 2**step for step in range(64) if least * 2**step <= most]
        else:
            at = list(given) if _call.is_listed(given) else [given]
        others = {name: bounds[0] for name, bounds in self._fields["range"].items() if bounds[0] == bounds[1] and name != param}
        others.update(fixed)
        times = predict(self, at={param: [base, *at], **others}).to_dict()["predictions"]
        start, rows = times[0], times[1:] if len(times) == len(at) + 1 else [_at(times, param, value) for value in at]
        faster = self._fields["direction"] == "lower"
        columns: dict[str, list[Any]] = {param: list(at), "base": [base] * len(at), "value": [], "low": [], "high": []}
        for row in rows:
            value, low, high = _ratio(start, row) if faster else _ratio(row, start)
            for name, number in (("value", value), ("low", low), ("high", high)):
                columns[name].append(number)
        columns["efficiency"] = [
            None if value is None else value * base / one for value, one in zip(columns["value"], at, strict=True)
        ]
        return _frames.build(columns, about={"kind": "speedup", "version": 1}, wanted=self._family)

    def sympy(self) -> Any:
        """The formula as an expression of sympy, which must be installed."""
        try:
            import sympy
        except ImportError:
            raise ImportError("sympy is not installed: pip install sympy") from None
        functions = {"log2": lambda x: sympy.log(x, 2), "log10": lambda x: sympy.log(x, 10), "min": sympy.Min, "max": sympy.Max}
        names = {name: sympy.Symbol(name, positive=True) for name in self._fields["range"]}
        return sympy.sympify(self._fields["formula"].replace("^", "**"), locals={**functions, **names})

    def plot(self, backend: str | None = None, ax: Any = None, **how: Any) -> Any:
        """Draws the runs and the model with its range."""
        from ._plot import plot_model

        return plot_model(self, backend, ax, **how)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self._fields == other._fields

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return _model_of, (self.to_dict(),)

    def __repr__(self) -> str:
        group = "".join(f" {name}={value}" for name, value in self._fields["group"].items())
        return f"<Model {self.model} of {self.metric}{group}: {self.formula}>"[:400]

    def _repr_html_(self) -> str:
        from ._html import model_page

        return model_page(self)


def _model_of(document: Mapping[str, Any]) -> Model:
    return Fit(document)[0]


def _at(rows: Sequence[Mapping[str, Any]], param: str, value: float) -> Mapping[str, Any]:
    return next(row for row in rows if row["at"].get(param) == value)


def _ratio(base: Mapping[str, Any], row: Mapping[str, Any]) -> tuple[float | None, float | None, float | None]:
    """The ratio of two predictions, whose logarithms are taken as independent."""
    import math

    if base["value"] is None or row["value"] is None:
        return None, None, None
    value = base["value"] / row["value"]
    bounds = [one[name] for one in (base, row) for name in ("low", "high")]
    if any(bound is None or bound <= 0 for bound in bounds):
        return value, None, None
    spread = math.hypot(math.log(bounds[1] / bounds[0]) / 2, math.log(bounds[3] / bounds[2]) / 2)
    return value, value * math.exp(-spread), value * math.exp(spread)


def _rounded(formula: str) -> str:
    import re

    def short(number: re.Match[str]) -> str:
        text = number.group()
        digits = re.sub(r"[eE].*|\.|^0+", "", text)
        return format(float(text), ".4g") if len(digits) > 4 else text

    return re.sub(r"(?<![\w.])\d+\.?\d*(?:[eE][-+]?\d+)?", short, formula)


def checked(name: str, given: Any) -> None:
    """Refuses values of a parameter that mean nothing."""
    import numpy as np

    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise input_error("not_a_number", f"{name} is no number", pointer=name, value=str(given)[:80]) from None
    if values.size and not (np.isfinite(values).all() and (values > 0).all()):
        wrong = values[~(np.isfinite(values) & (values > 0))].flat[0]
        raise input_error("invalid_value", f"{name} must be positive and finite", pointer=name, value=str(wrong))


def _targets(at: Any, params: Mapping[str, Any]) -> Any:
    """The targets: what `at` says, or all combinations of the parameters."""
    if at is not None and params:
        raise input_error("conflict", "either at or parameters", pointer="at", hint="predict(p=[32, 64], N=256)")
    if at is None and not params:
        raise input_error("missing_option", "there is no target", pointer="at", hint="predict(p=[32, 64], N=256)")
    if at is None:
        at = params
    if isinstance(at, Mapping) and family_of(at) != "dict" or _all_plain(at):
        return _listed(at)
    return at


def _all_plain(at: Any) -> bool:
    return isinstance(at, Mapping) and "kind" not in at


def _listed(at: Mapping[str, Any]) -> list[dict[str, Any]]:
    columns = {}
    for name, value in at.items():
        if isinstance(value, str):
            columns[name] = [value]
            continue
        checked(name, value)
        columns[name] = list(value) if _call.is_listed(value) else [value]
        if len(columns[name]) == 0:
            raise input_error("missing_option", f"{name} has no values", pointer=name)
    return [dict(zip(columns, row, strict=True)) for row in itertools.product(*columns.values())]


def _predicted(models: Any, at: Any, level: float, style: str, strict: bool, params: Mapping[str, Any]) -> Any:
    if style not in ("long", "table"):
        raise input_error("invalid_value", "no such style", pointer="style", value=str(style), allowed="long, table")
    if isinstance(models, Model):
        params = {_parameter(models._fields, name): given for name, given in params.items()}
    else:
        for name in params:
            _parameter({"range": _ranges(models), "training": models._document["models"][0].get("training")}, name)
    targets = _targets(at, params)
    found = predict(models, at=targets, level=level)
    if strict:
        for row in found.to_dict()["predictions"]:
            if row["verdict"] in ("refused", "disagree"):
                raise Failed(f"the prediction at {row['at']} is {row['verdict']}", (), found)
    return found.table if style == "table" else found.frame


def _parameter(fields: Mapping[str, Any], name: str) -> str:
    """The parameter of a name; `p` is the column that counts processes, whatever it is called, as in `--at p=64`."""
    ranges = fields["range"]
    if name in ranges:
        return name
    processes = (fields.get("training") or {}).get("process_parameter")
    if name == "p" and processes in ranges:
        return str(processes)
    raise unknown("parameter", name, ranges)


def _ranges(fit: Fit) -> dict[str, Any]:
    return {name: bounds for fields in fit._document["models"] for name, bounds in fields["range"].items()}


@register
class Predict(Answer):
    """Predictions with their ranges."""

    KIND = "predict"


@register
class Evaluate(Answer):
    """Predictions beside the runs that they are of; `models` has the errors of each model."""

    KIND = "evaluate"


def fit(
    data: Any,
    *,
    model: Any = "auto",
    metric: Any = None,
    formula: str | None = None,
    unknown: Any = None,
    level: float = 0.9,
    **options: Unpack[FitOptions],
) -> Fit:
    """Fits models to runs: `runcast fit`.

    data : a Table, a frame, a path, or several of them in a list
    model : names of models; "auto" combines several
    metric : columns, as "time_s" or "time:ms"
    formula, unknown : your own terms, such as "a + b*N/p" with ["a", "b"]
    level : probability that a range holds
    options : those of the command, with `_` for `-`

    Raises InputError for wrong data, Failed where no series has a model.

    >>> import runcast as rc
    >>> fit = rc.fit(rc.samples.runs(), metric="solve_s", model="amdahl")
    >>> {name: float(round(value, 6)) for name, value in fit[0].coefficients.items()}
    {'t1': 1.09921, 'f': 0.020263}
    """
    line, (keywords, waiting) = _call.Line("fit"), _call.given(options)
    for one in _several(data):
        line.input(one)
    if formula is not None and model == "auto":
        model = "formula"
    roles = line.roles(keywords.pop("roles", None))
    line.set(
        {
            "model": model,
            "metric": metric,
            "formula": formula,
            "unknown": unknown,
            "level": level,
            "roles": _joined(roles),
            **keywords,
        }
    )
    found = _call.run(line, waiting, lambda raw: Fit(None, raw))
    if found.exit_code and not len(found):
        reasons = [
            Problem("no_model", f"{one['model']} of {one['metric']}: {one['reason']}") for one in found._document["failed"]
        ]
        raise Failed(_few(reasons) or "no series has a model", tuple(reasons), found)
    made: Fit = found
    return made


# Reasons that a message has; `problems` has all of them.
MOST_REASONS = 5


def _few(reasons: Sequence[Problem]) -> str:
    """The reasons, each once with how often it occurred."""
    counts: dict[str, int] = {}
    for reason in map(str, reasons):
        counts[reason] = counts.get(reason, 0) + 1
    lines = [text + (f" ({count} series)" if count > 1 else "") for text, count in counts.items()]
    return "\n".join([*lines[:MOST_REASONS], *([f"and {len(lines) - MOST_REASONS} more"] if len(lines) > MOST_REASONS else [])])


def _joined(roles: Mapping[str, str]) -> list[str] | None:
    return [f"{name}={role}" for name, role in roles.items()] or None


def _several(data: Any) -> list[Any]:
    is_list = isinstance(data, (list, tuple)) and not hasattr(data, "_fields")
    return list(data) if is_list else [data]


def predict(models_or_data: Any, *, at: Any = None, level: float = 0.9, **options: Unpack[PredictOptions]) -> Predict:
    """Predicts runs that were not made: `runcast predict`.

    models_or_data : a Fit, a Model, saved models, or runs to fit first
    at : {name: value or values}, a list of such, or a frame of configurations
    """
    line, (keywords, waiting) = _call.Line("predict"), _call.given(options)
    for one in _several(models_or_data):
        line.input(one)
    if at is not None:
        set_targets(line, at)
    roles = _joined(line.roles(keywords.pop("roles", None)))
    line.set({"level": level, "roles": roles, **keywords})
    found: Predict = _call.run(line, waiting, lambda raw: Predict(raw.document, raw))
    return found


# So many targets are typed; more become a file.
MOST_TYPED = 64


def set_targets(line: _call.Line, at: Any) -> None:
    """Says where predictions are wanted."""
    if isinstance(at, Mapping) and family_of(at) is None and "kind" not in at:
        at = [at]
    elif isinstance(at, Mapping) and "kind" not in at:
        at = _listed(at)
    if isinstance(at, list) and all(isinstance(one, Mapping) for one in at):
        if len(at) <= MOST_TYPED:
            line.set({"at": at})
            return
        names = list(dict.fromkeys(name for one in at for name in one))
        at = {name: [one.get(name) for one in at] for name in names}
        from ._columns import columns_of

        line.options.append("--targets=" + line.memory("targets.csv", columns_of(at).csv()))
        return
    family = line.family
    line.options.append("--targets=" + line.file(at, "targets"))
    line.family = family or line.family


def evaluate(
    data: Any = None,
    *,
    model: Any = None,
    train: str | None = None,
    test: str | None = None,
    hold_out: str | None = None,
    predictions: Any = None,
    runs: Any = None,
    **options: Unpack[EvaluateOptions],
) -> Evaluate:
    """Compares predictions with runs that the models have not seen: `runcast evaluate`.

    data : runs, of which models see some and predict the others
    train, test, hold_out : which rows models see, and which they predict: "p <= 8"; "top:2", "factor:4"
    predictions, runs : predictions, or saved models, and the runs that they are compared with

    >>> import runcast as rc
    >>> found = rc.evaluate(rc.samples.runs(), metric="solve_s", model="amdahl", train="p <= 8")
    >>> [point.at["p"] for point in found.points]
    [16]
    """
    line, (keywords, waiting) = _call.Line("evaluate"), _call.given(options)
    for one in [] if data is None else _several(data):
        line.input(one)
    for one in [] if predictions is None else _several(predictions):
        line.options.append("--predictions=" + line.file(one, "predictions"))
    if runs is not None:
        line.options.append("--runs=" + line.file(runs, "runs"))
    roles = _joined(line.roles(keywords.pop("roles", None)))
    line.set({"model": model, "train": train, "test": test, "hold_out": hold_out, "roles": roles, **keywords})
    found: Evaluate = _call.run(line, waiting, lambda raw: Evaluate(raw.document, raw))
    return found
