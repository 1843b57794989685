"""The notebooks of python/examples run, and hold what they show: programs, results and numbers.

With CTM_BLESS=1 they are stored as they ran.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("nbconvert")
NOTEBOOKS = sorted((pathlib.Path(os.environ["CTM_ROOT"]) / "python/examples").glob("*.ipynb"))


def test_there_are_notebooks():
    assert NOTEBOOKS


def outputs(notebook):
    """What the cells show: of each its kinds and their data."""
    cells = json.loads(notebook.read_text())["cells"]
    shown = [output for cell in cells for output in cell.get("outputs", [])]
    return [output.get("data", output.get("text")) for output in shown]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs(notebook, tmp_path):
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute"]
    # Without the time of day: the same run gives the same file.
    command += ["--ExecutePreprocessor.record_timing=False", "--output-dir", tmp_path, notebook]
    subprocess.run(command, check=True)
    ran = tmp_path / notebook.name
    assert {"text/html", "image/png"} <= {kind for data in outputs(ran) for kind in data}
    if os.environ.get("CTM_BLESS") == "1":
        shutil.copy(ran, notebook)
    assert outputs(notebook) == outputs(ran)
