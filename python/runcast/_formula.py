"""Formulas and quantities."""

from __future__ import annotations

from typing import Any

from ._errors import input_error, unknown


class Formula:
    """A formula of the language that models, complexities and filters are written in.

    >>> import runcast as rc
    >>> formula = rc.Formula("a + b*N^3/p")
    >>> formula.names
    ('a', 'b', 'N', 'p')
    >>> formula(a=1, b=2, N=10, p=4)
    501.0
    """

    def __init__(self, text: str) -> None:
        from . import _runcast

        try:
            names, self.text = _runcast.formula_names(text)
        except ValueError as error:
            raise input_error("formula", str(error), value=text[:200]) from None
        self.names = tuple(names)

    def __call__(self, **values: Any) -> Any:
        """The value where all names are numbers; an array where some are arrays."""
        import numpy as np

        from . import _runcast

        for name in values:
            if name not in self.names:
                raise unknown("name", name, self.names)
        missing = [name for name in self.names if name not in values]
        if missing:
            raise input_error("missing_parameter", f"{missing[0]} has no value", pointer=missing[0])
        arrays = [np.asarray(values[name], dtype=np.float64) for name in self.names]
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        columns = [np.ascontiguousarray(np.broadcast_to(array, shape)).reshape(-1) for array in arrays]
        out = np.empty(int(np.prod(shape)), dtype=np.float64)
        _runcast.formula_values(self.text, list(self.names), columns, out)
        return out.reshape(shape) if shape else float(out[0])

    def latex(self) -> str:
        """The formula as LaTeX.

        >>> import runcast as rc
        >>> rc.Formula("a*sqrt(N)/p^2").latex()
        '\\\\frac{a \\\\sqrt{N}}{p^{2}}'
        """
        from ._latex import latex

        return latex(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Formula({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Formula) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> Any:
        return Formula, (self.text,)


def quantity(text: str, unit: str | None = None) -> float:
    """A quantity in SI base units, such as "1.5us" or "56Gbit/s"; `unit` is that which it must have.

    >>> import runcast as rc
    >>> rc.quantity("1.5us"), rc.quantity("64KiB", "B")
    (1.5e-06, 65536.0)
    """
    from . import _runcast

    try:
        value, found = _runcast.quantity(text)
    except ValueError as error:
        raise input_error("quantity", str(error), value=text[:200]) from None
    if unit is not None and found != unit and found:
        raise input_error("quantity", f"{text} is in {found}", value=text, allowed=unit)
    return value
