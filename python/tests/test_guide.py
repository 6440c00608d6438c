"""What the guide shows runs, and gives what it says."""

import re
import shutil
from pathlib import Path

import pytest

import runcast as rc

HERE = Path(__file__).parent.parent
PLACES = [HERE / "python.md", HERE.parent / "docs" / "guide" / "python.md"]


@pytest.mark.filterwarnings("ignore")
def test_the_guide(tmp_path, monkeypatch):
    for library in ("pandas", "matplotlib", "sklearn"):
        pytest.importorskip(library)
    guide = next((path for path in PLACES if path.exists()), None)
    if guide is None:
        pytest.skip("the guide is not here")
    blocks = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 4
    shutil.copy(rc.samples.path("runs.csv"), tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, str(guide), "exec"), names)
    assert names["fit"][0].formula == "1.099*(0.02026 + 0.9797/p)"
    assert names["best"].recommended.p == 32 and round(names["best"].recommended.time_s, 4) == 0.0559
    assert names["out"].iterations == 6
