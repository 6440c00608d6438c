"""Where the program of this package is."""

from __future__ import annotations

import os
import sysconfig


def places() -> list[str]:
    """Where it may be: the scripts of this environment, then those of the user."""
    name = "runcast.exe" if os.name == "nt" else "runcast"
    folders = [sysconfig.get_path("scripts")]
    folders.append(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
    return [os.path.join(folder, name) for folder in folders if folder]


def find() -> str | None:
    """The program, if it is there."""
    return next((path for path in places() if os.access(path, os.X_OK)), None)
