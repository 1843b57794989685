"""The examples of docs/python.md, in order, in one namespace."""

import os
import pathlib
import re

ROOT = pathlib.Path(os.environ["CTM_ROOT"])


def test_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/python.md").read_text()
    namespace = {}
    examples = list(re.finditer(r"^```python\n(.*?)^```", text, re.S | re.M))
    assert len(examples) >= 9
    for example in examples:
        line = text[: example.start()].count("\n") + 1
        # Errors name the line of the page.
        code = compile("\n" * line + example[1], "docs/python.md", "exec")
        exec(code, namespace)
