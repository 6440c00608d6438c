"""Builds the package: the program first, which becomes an executable of the package, then the extension module.

Settings (`pip install ./python -C NAME=VALUE`, or the environment):

profile / RUNCAST_PROFILE : of cargo, "release" unless told otherwise; "dist" for a wheel that is handed on
program / RUNCAST_PROGRAM : a program that was built before
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import maturin

HERE = Path(__file__).resolve().parent
SCRIPTS = HERE / "runcast.data" / "scripts"


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    """Nothing: the sources are only put together."""
    return []


get_requires_for_build_wheel = maturin.get_requires_for_build_wheel


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    """As for a wheel."""
    return maturin.get_requires_for_build_wheel(config_settings)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """The metadata, without a build."""
    # A folder that is named in the settings has to be there.
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, _settings(config_settings))


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """The wheel."""
    _program(config_settings)
    return maturin.build_wheel(wheel_directory, _settings(config_settings), metadata_directory)


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """A wheel that points here."""
    _program(config_settings)
    return maturin.build_editable(wheel_directory, _settings(config_settings), metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """The sources of the whole workspace: maturin would leave out the program."""
    # The folder of this file is not on the path of a front end.
    sys.path.insert(0, str(HERE))
    from sources import archive

    return Path(archive(sdist_directory)).name


def _setting(config_settings: Any, name: str) -> str | None:
    return (config_settings or {}).get(name) or os.environ.get(f"RUNCAST_{name.upper()}")


def _settings(config_settings: Any) -> dict[str, Any]:
    kept = {name: value for name, value in (config_settings or {}).items() if name not in ("profile", "program")}
    profile = _setting(config_settings, "profile")
    if profile and "maturin.build-args" not in kept:
        kept["maturin.build-args"] = f"--profile {profile}"
    return kept


def _program(config_settings: Any) -> None:
    """Puts the program where the wheel takes its executables from."""
    built = _setting(config_settings, "program") or _built(_setting(config_settings, "profile") or "release")
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    target = SCRIPTS / "runcast"
    target.unlink(missing_ok=True)
    if shutil.which("strip"):
        subprocess.run(["strip", "-o", str(target), built], check=True)
    else:
        shutil.copyfile(built, target)
    target.chmod(0o755)


def _built(profile: str) -> str:
    root = HERE.parent
    command = ["cargo", "build", "--locked", "--profile", profile, "-p", "runcast-cli"]
    subprocess.run(command, cwd=root, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    return str(target / ("debug" if profile == "dev" else profile) / "runcast")
