"""Imports what registers classes of documents."""

from . import _fit, advise, bsf, llac, wavefront  # noqa: F401  # pyright: ignore[reportUnusedImport]
from .sim import _answers as _sim  # noqa: F401  # pyright: ignore[reportUnusedImport]
