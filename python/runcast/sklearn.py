"""A regressor, splits and a score for scikit-learn, which must be installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise ImportError("scikit-learn is not installed: pip install runcast[sklearn]") from None

from ._config import config
from ._errors import Failed, InputError
from ._fit import fit as fit_runs

# Names of columns that count processes.
PROCESSES = ("p", "processes", "nprocs", "procs", "ranks", "nranks", "workers", "np", "cores", "threads")

# What a zero counts as: scikit-learn shifts data for estimators of positive ones so that the least value is zero.
LEAST = 1e-9


class RuncastRegressor(RegressorMixin, BaseEstimator):
    """A model of run times as an estimator: rows of X are configurations, y is what was measured.

    model : as in `fit`; process_param : the column that counts processes; metric : what y is called
    level, recency, formula, unknown : as in `fit`
    on_refused : "raise", or "nan" for predictions that are refused

    >>> import numpy as np
    >>> from runcast.sklearn import RuncastRegressor
    >>> X, y = np.array([[1.0], [2.0], [4.0], [8.0]]), np.array([8.0, 4.0, 2.0, 1.0])
    >>> RuncastRegressor("amdahl").fit(X, y).predict([[16.0]]).round(6)
    array([0.5])
    """

    # Set by scikit-learn.
    n_features_in_: int

    def __init__(
        self,
        model: Any = "auto",
        *,
        process_param: str | None = None,
        metric: str = "time_s",
        level: float = 0.9,
        recency: float | None = None,
        formula: str | None = None,
        unknown: Any = None,
        on_refused: str = "raise",
    ) -> None:
        self.model = model
        self.process_param = process_param
        self.metric = metric
        self.level = level
        self.recency = recency
        self.formula = formula
        self.unknown = unknown
        self.on_refused = on_refused

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.target_tags.positive_only = True
        tags.regressor_tags.poor_score = True
        return tags

    def fit(self, X: Any, y: Any) -> RuncastRegressor:
        """Fits the model; equal rows are repetitions. Raises ValueError where X or y is not positive."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        if (X < 0).any():
            raise ValueError("Negative values in data passed to RuncastRegressor: X must be positive")
        if (y <= 0).any():
            raise ValueError("y must be positive")
        X = np.maximum(X, LEAST)
        names = self._names()
        runs = {name: X[:, at].copy() for at, name in enumerate(names)}
        runs[self.metric] = y
        processes = self._processes(names)
        with config(frame="dict", warnings=False):
            found = fit_runs(
                runs,
                model=self.model,
                metric=self.metric,
                level=self.level,
                params=names,
                process_param=processes,
                recency=self.recency,
                formula=self.formula,
                unknown=self.unknown,
            )
        self.model_ = found[0]
        self.formula_ = found[0].formula_exact
        return self

    def predict(self, X: Any, return_range: bool = False) -> Any:
        """Predicted values; with `return_range` also the bounds of their ranges."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if (X < 0).any():
            raise ValueError("Negative values in data passed to RuncastRegressor: X must be positive")
        X = np.maximum(X, LEAST)
        names = self._names()
        distinct, back = np.unique(X, axis=0, return_inverse=True)
        at = [dict(zip(names, map(float, row), strict=True)) for row in distinct]
        from ._fit import predict

        with config(frame="dict", warnings=False):
            rows = predict(self.model_, at=at, level=self.level).to_dict()["predictions"]
        if self.on_refused == "raise" and any(row["value"] is None for row in rows):
            wrong = next(row for row in rows if row["value"] is None)
            raise Failed(f"the prediction at {wrong['at']} is refused")
        found = [
            np.array([np.nan if row[name] is None else row[name] for row in rows])[back.ravel()]
            for name in ("value", "low", "high")
        ]
        return tuple(found) if return_range else found[0]

    def _names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return list(names) if names is not None else [f"x{at}" for at in range(self.n_features_in_)]

    def _processes(self, names: list[str]) -> str:
        if self.process_param is not None:
            if self.process_param not in names:
                raise ValueError(f"there is no column {self.process_param}; there are {', '.join(names)}")
            return self.process_param
        known = [name for name in names if name.lower() in PROCESSES]
        if known:
            return known[0]
        if len(names) == 1:
            return names[0]
        raise ValueError(f"which column counts processes? Give process_param, one of {', '.join(names)}")


class ForwardSplit:
    """Splits that judge a model as it is used: it sees the smaller runs, and predicts the larger ones.

    Split k trains below one of the `n_splits` largest distinct values of `param` and tests on it, in ascending order.
    Random folds would let it interpolate, which flatters.
    """

    def __init__(self, n_splits: int = 3, param: Any = "p") -> None:
        self.n_splits = n_splits
        self.param = param

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many splits."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Any, Any]]:
        """The rows to train on, and those to test on."""
        values = self._values(X)
        distinct = np.unique(values)
        if len(distinct) <= self.n_splits:
            raise ValueError(f"{len(distinct)} values of {self.param} are too few for {self.n_splits} splits")
        for value in distinct[-self.n_splits :]:
            yield np.flatnonzero(values < value), np.flatnonzero(values == value)

    def _values(self, X: Any) -> Any:
        if hasattr(X, "columns"):
            return np.asarray(X[self.param], dtype=np.float64)
        array = np.asarray(X, dtype=np.float64)
        return array[:, self.param if isinstance(self.param, int) else 0]


def median_error_pct(estimator: Any, X: Any, y: Any) -> float:
    """A score: minus the median of 100 |prediction - y|/y."""
    try:
        predicted = estimator.predict(X)
    except (Failed, InputError):
        return float("nan")
    y = np.asarray(y, dtype=np.float64)
    return -float(np.median(100 * np.abs(predicted - y) / y))
