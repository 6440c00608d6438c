"""The archive of sources that pip builds from: the whole workspace, for the program is built, too.

An archive for pip begins with `pyproject.toml`; ours is in `python`, so that the archive gets one more, whose paths begin there.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import subprocess
import tarfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What neither building nor reading needs.
LEFT_OUT = ("testdata/", "fuzz/", "web/tests/", ".ci/")


def version() -> str:
    """The version of the workspace."""
    found: str = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
    return found


def archive(folder: str | os.PathLike[str]) -> str:
    """Writes the archive into a folder; returns its path. The same sources make the same bytes."""
    name = f"runcast-{version()}"
    path = Path(folder, name + ".tar.gz")
    at = int(os.environ.get("SOURCE_DATE_EPOCH") or _last_change())
    content = {file: (ROOT / file).read_bytes() for file in _files()}
    content["pyproject.toml"] = project().encode()
    content["PKG-INFO"] = about().encode()
    with (
        open(path, "wb") as file,
        gzip.GzipFile("", "wb", 9, file, mtime=at) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as made,
    ):
        for own in sorted(content):
            entry = tarfile.TarInfo(f"{name}/{own}")
            entry.size, entry.mtime = len(content[own]), at
            entry.mode = 0o755 if os.access(ROOT / own, os.X_OK) else 0o644
            made.addfile(entry, io.BytesIO(content[own]))
    return str(path)


def project() -> str:
    """The `pyproject.toml` of the archive."""
    text = (ROOT / "python" / "pyproject.toml").read_text(encoding="utf-8")
    text = text.replace('backend-path = ["."]', 'backend-path = ["python"]')
    text = text.replace('readme = "README.md"', 'readme = "python/README.md"')
    text = text.replace('python-source = "."', 'manifest-path = "python/Cargo.toml"\npython-source = "python"')
    text = text.replace('data = "runcast.data"', 'data = "python/runcast.data"')
    # Tools of the project itself.
    return re.split(r"^\[tool\.(?!maturin)", text, maxsplit=1, flags=re.MULTILINE)[0]


def about() -> str:
    """The metadata at the top of the archive."""
    fields = tomllib.loads((ROOT / "python" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = ["Metadata-Version: 2.3", "Name: runcast", f"Version: {version()}", f"Summary: {fields['description']}"]
    lines += [f"Requires-Python: {fields['requires-python']}", f"License-Expression: {fields['license']}"]
    lines += [f"Requires-Dist: {one}" for one in fields["dependencies"]]
    return "\n".join(lines) + "\n"


def _files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode == 0:
        files = [file for file in listed.stdout.decode().split("\0") if file]
    else:
        # An archive that was unpacked has nothing but sources, and what was built.
        built = ("target", "runcast.data", "node_modules", "__pycache__")
        paths = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
        files = [str(path) for path in paths if not set(built) & set(path.parts)]
    return [file for file in files if not file.startswith(LEFT_OUT) and (ROOT / file).is_file()]


def _last_change() -> str:
    found = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, check=False)
    return found.stdout.decode().strip() or "0"
