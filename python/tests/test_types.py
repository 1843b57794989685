"""What the stubs say of the types of arguments."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy")

RIGHT = """
import array
import numpy as np
import numpy.typing as npt
import ctm

program = ctm.Program("mov o0, r0")
formats: dict[int, str] = {0: "FLOAT32_4"}
named: dict[str, str] = {"o0": "FLOAT32_4"}
both: dict[int | str, str] = {0: "FLOAT32_4", "o1": "UINT8_4"}
sources: dict[str, npt.NDArray[np.float32]] = {"i0": np.zeros((8, 8), np.float32)}
steps: dict[str, float] = {"c0": 1.0}
numbers: dict[int, tuple[float, float]] = {0: (1.0, 2.0)}
program.run((0, 0, 7, 7), outputs=formats, inputs=sources, constants=steps)
program.run([0, 0, 7, 7], outputs=named, constants=numbers)
program.run((0, 0, 7, 7), outputs=both, inputs={0: sources["i0"]}, constants={"c0": (1, 2)})
program.run((0, 0, 7, 7), outputs={0: np.zeros((8, 8), np.float32), "o1": "UINT8_4"})
program.map((0, 0, 7, 7), outputs=formats, inputs=sources, constants={"c0": np.zeros((3, 1))})
result = program.run((0, 0, 7, 7), outputs=formats, out={0: np.zeros((8, 8, 4), np.float32)})
picture: bytes = result.picture(0, launch=0, scale=2)
table: dict[str, list[object]] = result.to_dict(count=lambda outputs: len(outputs))
ctm.check(program, (0, 0, 7, 7), outputs=formats, inputs=sources)
ctm.Device().submit(np.zeros(2, np.uint32))
words = ctm.Program.from_words(np.zeros((1, 6), np.uint32), registers={"US_CONFIG": 2})
ctm.Program.from_words([[0, 0, 0, 0, 0, 0]], umrt=True)
for one in ctm.run_many([(words, (0, 0, 7, 7), {}, formats, {})], engine="block"):
    values: ctm.Result | Exception = one
version: str = ctm.__version__
"""

WRONG = """
import ctm
program = ctm.Program("mov o0, r0")
program.run((0, 0, 7, 7), outputs={0: object()})
program.run((0, 0, 7, 7), outputs={0: "FLOAT32_4"}, limit="1")
from ctm._ctm import *
look([])
"""


def mypy(folder, text):
    path = folder / "client.py"
    path.write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache")]
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, cwd=folder)
    return done.stdout


def test_variables_with_types_are_arguments(tmp_path):
    assert mypy(tmp_path, RIGHT) == "Success: no issues found in 1 source file\n"
    lines = [line for line in mypy(tmp_path, WRONG).splitlines() if " error: " in line]
    assert [int(line.split(":")[1]) for line in lines] == [4, 5, 7]
