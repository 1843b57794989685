"""The notebooks of python/examples run, and show programs and results."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("nbconvert")
NOTEBOOKS = sorted((pathlib.Path(os.environ["CTM_ROOT"]) / "python/examples").glob("*.ipynb"))


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs(notebook, tmp_path):
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute"]
    subprocess.run([*command, "--output-dir", tmp_path, notebook], check=True)
    cells = json.loads((tmp_path / notebook.name).read_text())["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    shown = {kind for output in outputs for kind in output.get("data", {})}
    assert {"text/html", "image/png"} <= shown
